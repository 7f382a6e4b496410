"""match, export, status, annotations clear, keys, doctor: shapes and ends."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import PAIRS, Command
from tests.pty_driver import ROOT
from tests.services.ingesting import Letters
from tests.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.cli import doctor

CLAIM = PAIRS[0]["summary"].index("15 million pounds")


@pytest.fixture
def annotated(filled: Command, tmp_path: Path) -> Command:
    """The workspace with one annotation of the reader."""
    import tui_annotate
    from tui_annotate.domain.annotations import Anchor, Annotation
    from tui_annotate.domain.samples import SampleKey, Side
    from tui_annotate.domain.spans import Span

    claim = Anchor(Side.SUMMARY, 0, Span(CLAIM, CLAIM + len("15 million pounds")))
    with tui_annotate.open(tmp_path) as space:
        annotation = Annotation("a" * 8, (claim,), labels=(("Unwanted", "Intrinsic"),))
        key = SampleKey("pairs", "bridge")
        space.annotate.add(space.person().id, key, annotation, seconds=3)
    return filled


def test_match_prints_ranked_segments(filled: Command) -> None:
    """The JSON of match names what was asked, what ranked, and each segment with its score."""
    span = f"{CLAIM}:{CLAIM + 17}"
    shown = filled("match", "--sample", "bridge", "--side", "summary", "--span", span, "--json")
    assert shown.code == 0
    assert shown.json["text"] == "15 million pounds"
    assert shown.json["sample"] == "pairs/bridge"
    best = shown.json["matches"][0]
    assert (best["rank"], best["side"], best["start"]) == (1, "source", 0)
    assert best["text"].startswith("The bridge cost 12 million pounds.")
    assert 0 <= best["score"] <= 1
    assert set(best) == {
        "rank", "score", "strength", "side", "document", "segment", "start", "end", "signals",
        "text",
    }  # fmt: skip


def test_match_prints_a_table_for_people(filled: Command) -> None:
    """Without --json the same is a table, and what was matched goes to standard error."""
    shown = filled("match", "--sample", "bridge", "--side", "source", "--span", "0:10")
    assert shown.code == 0
    assert "rank" in shown.out
    assert "pairs/bridge" in shown.err


def test_match_ranks_by_one_kind_of_signal(filled: Command) -> None:
    """Named with --by; another word is misuse."""
    asked = ("match", "--sample", "bridge", "--side", "source", "--span", "0:10", "--json", "--by")
    shown = filled(*asked, "words").json
    assert shown["signals"] == "words only"
    assert {name for match in shown["matches"] for name in match["signals"]} == {"words"}
    assert filled(*asked, "feeling").code == 2


@pytest.mark.parametrize(
    "span", ["5", "5:", "a:b", "5:5", "9:3", "0:9999", "-1:3"], ids=lambda span: span
)
def test_match_refuses_what_is_no_span(filled: Command, span: str) -> None:
    """A span that is none, empty, or outside the text ends with 2 and names it."""
    done = filled("match", "--sample", "bridge", "--side", "summary", f"--span={span}")
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_match_refuses_an_unknown_sample_and_side(filled: Command) -> None:
    """An unknown sample is 1, a side that is none is misuse."""
    assert filled("match", "--sample", "x", "--side", "summary", "--span", "0:1").code == 1
    assert filled("match", "--sample", "bridge", "--side", "left", "--span", "0:1").code == 2


def test_status_counts_everything(annotated: Command) -> None:
    """The JSON of status has the figures of the whole, of datasets and of people."""
    shown = annotated("status", "--json").json
    expected = {"samples": 2, "documents": 4, "annotations": 1, "done": 0}
    assert {name: shown[name] for name in expected} == expected
    assert shown["datasets"][0]["name"] == "pairs"
    assert shown["progress"][0]["name"] == "reader"
    assert shown["people"][0]["name"] == "reader"
    assert "reader" in annotated("status").out


def test_status_tells_people_and_weeks(annotated: Command, tmp_path: Path) -> None:
    """Who is how far and how fast, what is ahead, a chart by week, flags with their reasons."""
    assert annotated("status", "--flagged").err == "nothing is flagged\n"
    with workspaces.open(tmp_path) as space:
        person, keys = space.person("reader").id, space.corpus.keys()
        space.annotate.flag(person, keys[1], reason="cut \x1b[31m off", seconds=60)
        space.annotate.add(person, keys[0], claim("t", 0, 3, label=""), seconds=60)
    shown = annotated("status", "--weeks", "2").out
    for words in ("assigned", "samples/h", "(began today)", "remaining"):
        assert words in shown
    assert shown.splitlines()[-1].endswith("#" * 60)
    assert len([line for line in shown.splitlines() if line.startswith("20")]) == 1
    flagged = annotated("status", "--flagged").out
    assert "cut" in flagged
    assert "\x1b" not in flagged
    assert annotated("status", "--json").json["flags"][0]["sample"] == "tea"


@pytest.mark.parametrize("name", ["mercury", "native", "csv"])
def test_export_writes_a_file_or_standard_output(
    annotated: Command, name: str, tmp_path: Path
) -> None:
    """A file and standard output get the same bytes, twice; talk goes to standard error."""
    target = tmp_path / "out"
    done = annotated("export", "--format", name, "-o", str(target))
    assert (done.code, done.out) == (0, "")
    assert "1 annotation of " in done.err
    assert "15 million pounds" in target.read_text("utf-8")
    again = annotated("export", "--format", name)
    assert again.out == target.read_text("utf-8")
    assert annotated("export", "--format", name, "-o", "-").out == again.out
    assert not Path("-").exists()


def test_export_filters(annotated: Command) -> None:
    """Filters leave out what does not fit; a filter that is none is refused."""
    out = ("export", "--format", "native")
    assert '"claim"' in annotated(*out, "--person", "reader", "--label", "Unwanted").out
    assert '"claim"' not in annotated(*out, "--label", "Benign").out
    assert '"claim"' not in annotated(*out, "--since", "2999-01-01").out
    assert annotated(*out, "--since", "yesterday").code == 2
    assert annotated(*out, "--state", "odd").code == 2
    assert annotated("export", "--format", "odd").code == 2


@pytest.mark.parametrize(
    ("option", "value", "there"),
    [
        ("--dataset", "nope", "pairs"),
        ("--person", "nope", "reader"),
        ("--label", "Nope", "Unwanted.Intrinsic"),
        ("--origin", "machine:", "machine:NAME"),
        ("--origin", "nope", "human"),
    ],
)
def test_a_filter_that_names_nothing_is_refused(
    annotated: Command, tmp_path: Path, option: str, value: str, there: str
) -> None:
    """The value and what there is are told, and nothing is written."""
    done = annotated("export", "--format", "native", option, value, "-o", str(tmp_path / "out"))
    assert done.code == 2
    assert repr(value) in done.err
    assert there in done.err
    assert not (tmp_path / "out").exists()


def test_a_label_is_named_by_its_last_name_or_by_use(annotated: Command, tmp_path: Path) -> None:
    """One last name is its path; a label in use is one, also where the label set lacks it."""
    out = ("export", "--format", "native", "--label")
    assert '"claim"' in annotated(*out, "Intrinsic").out
    (tmp_path / "labels.yaml").write_text("- Other\n", "utf-8")
    for label in ("Unwanted", "Unwanted.Intrinsic", "Intrinsic"):
        assert '"claim"' in annotated(*out, label).out


def test_clear_needs_mine_and_a_yes(annotated: Command) -> None:
    """Nothing is cleared by mistake; with both it is, and is counted."""
    assert annotated("annotations", "clear", "--yes").code == 2
    assert annotated("annotations", "clear", "--mine").code == 2
    done = annotated("annotations", "clear", "--mine", "--yes", "--json")
    assert done.json == {"person": "reader", "cleared": 1}
    assert annotated("status", "--json").json["annotations"] == 0


def test_clear_of_nothing_promises_no_undo(annotated: Command) -> None:
    """Where nothing was, that is said, and undo is spoken of only where something was."""
    clear = ("annotations", "clear", "--mine", "--yes")
    assert "undo" in annotated(*clear).out
    again = annotated(*clear)
    assert (again.code, "undo" in again.out) == (0, False)
    assert again.out.startswith("nothing to clear")


def test_clear_takes_a_sample_by_either_name(annotated: Command) -> None:
    """An id, and dataset/id, name the sample whose annotations go; an unknown one is refused."""
    clear = ("annotations", "clear", "--mine", "--yes", "--json", "--sample")
    assert annotated(*clear, "absent").code == 1
    assert annotated(*clear, "tea").json["cleared"] == 0
    assert annotated(*clear, "pairs/bridge").json["cleared"] == 1


def test_clear_of_somebody_else_leaves_mine(annotated: Command) -> None:
    """--as says whose annotations are cleared, and is remembered."""
    done = annotated("annotations", "clear", "--mine", "--yes", "--as", "ana", "--json")
    assert done.json == {"person": "ana", "cleared": 0}
    assert annotated("annotations", "clear", "--mine", "-y", "--json").json["person"] == "ana"


def test_keys_are_printed_with_changes(filled: Command) -> None:
    """The table has every action; a configuration file's change shows."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).write_text('[keys]\n"sample.skip" = "S"\n', "utf-8")
    keys = {action["id"]: action["keys"] for action in filled("keys", "--json").json}
    assert keys["sample.skip"] == ["S"]
    assert keys["undo"] == ["u"]
    assert "sample.skip" in filled("keys").out


def test_a_wrong_key_map_is_refused(filled: Command) -> None:
    """A key map with an unknown action is refused with its name."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).write_text('[keys]\n"no.such" = "S"\n', "utf-8")
    done = filled("keys")
    assert done.code == 2
    assert "no.such" in done.err


def test_doctor_finds_a_sound_workspace_sound(annotated: Command) -> None:
    """A workspace as it was made has nothing wrong."""
    done = annotated("doctor", "--json")
    assert done.code == 0
    states = {check["what"]: check["state"] for check in done.json}
    assert states["store"] == states["workspace"] == states["privacy"] == "ok"


def test_lines_to_copy_hold_for_any_folder(command: Command, tmp_path: Path) -> None:
    """A shell takes the folder out of each as it is called."""
    folder = tmp_path / 'it\'s my "$HOME"; a b'
    missing = command("status", "-w", str(folder)).err.partition("make one: ")[2]
    assert shlex.split(missing) == ["tui-annotate", "init", str(folder)]
    command("init", str(folder))
    again = command("init", str(folder)).err.partition("open it: ")[2]
    assert shlex.split(again)[-1] == str(folder)
    folder.chmod(0o755)
    (finding,) = [
        each
        for each in command("doctor", "-w", str(folder), "--json").json
        if each["what"] == "privacy"
    ]
    assert shlex.split(finding["mend"]) == ["chmod", "-R", "go=", str(folder)]


def test_doctor_tells_a_damaged_store(filled: Command, tmp_path: Path) -> None:
    """A store that is none is wrong, with the line that saves it; other commands send there."""
    (tmp_path / "store.sqlite").write_bytes(b"not a store" * 1000)
    done = filled("doctor", "--json")
    assert done.code == 1
    found = {check["what"]: check for check in done.json}["store"]
    assert found["state"] == "wrong"
    assert "sqlite3 store.sqlite .dump" in found["mend"]
    assert "doctor prints" in filled("status").err


@pytest.mark.parametrize("text", ['[keys]\n"no.such" = "S"\n', "[keys\n", "odd = 1\n"])
def test_doctor_tells_a_broken_configuration(filled: Command, text: str) -> None:
    """A configuration or key map that is refused is a finding, with the path of its file."""
    file = Path(os.environ["TUI_ANNOTATE_CONFIG"])
    file.write_text(text, "utf-8")
    done = filled("doctor", "--json")
    assert done.code == 1
    found = {check["what"]: check for check in done.json}["configuration"]
    assert found["state"] == "wrong"
    assert str(file) in found["says"]


def test_doctor_tells_where_a_configuration_would_be(filled: Command) -> None:
    """A file that is not there is not told as if it were."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).unlink()
    found = {check["what"]: check for check in filled("doctor", "--json").json}["configuration"]
    assert found["state"] == "ok"
    assert "nothing at" in found["says"]


def test_doctor_without_a_workspace(command: Command) -> None:
    """Where there is no workspace, that is what is wrong."""
    done = command("doctor")
    assert done.code == 1
    assert "tui-annotate init" in done.out


TERMINALS = [
    ({"TERM": "xterm-256color"}, (100, 30), {"terminal": "ok", "size": "ok"}),
    ({"TERM": "xterm", "COLORTERM": "truecolor"}, (80, 24), {"terminal": "ok", "size": "ok"}),
    ({"TERM": "xterm", "NO_COLOR": "1"}, (79, 24), {"terminal": "ok", "size": "doubt"}),
    ({"TERM": "linux", "TEXTUAL_LOG": "x"}, (80, 23), {"size": "doubt", "settings": "doubt"}),
    ({}, (80, 24), {"terminal": "wrong"}),
]


@pytest.mark.parametrize(("environment", "size", "expected"), TERMINALS)
def test_terminals_are_judged(
    environment: dict[str, str],
    size: tuple[int, int],
    expected: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kind, size and settings that are in the way are told, with the line that mends them."""
    stdout = SimpleNamespace(isatty=lambda: True, encoding="latin-1")
    monkeypatch.setattr(doctor, "sys", SimpleNamespace(stdout=stdout))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size(size))
    checks = {check.what: check for check in doctor.terminal_checks(environment)}
    assert {what: checks[what].state for what in expected} == expected
    assert checks["encoding"].state == "wrong"
    assert all(check.mend for check in checks.values() if check.state != "ok")


def test_a_platform_without_vectors_is_a_doubt(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the vectors' package is missing, doctor says that new texts get none."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    states = {check["what"]: check["state"] for check in filled("doctor", "--json").json}
    assert states["embedders"] == "doubt"


def test_evaluate_prints_both_directions(command: Command) -> None:
    """The assist is measured without a workspace, for programs and for people."""
    gold = str(ROOT / "sample_data" / "gold.json")
    options = ("assist", "evaluate", gold, "--embedder", "none", "--min-segments", "8")
    shown = command(*options, "--json").json
    for direction in ("summary_to_source", "source_to_summary"):
        figures = shown[direction]
        assert set(figures) == {"queries", "recall_at_1", "recall_at_3", "recall_at_5", "mrr"}
        assert 0 <= figures["recall_at_1"] <= figures["recall_at_3"] <= figures["recall_at_5"] <= 1
    assert shown["segmenter"].startswith("pysbd-")
    assert "summary to source" in command(*options).out
    assert command("assist", "evaluate", "absent.json").code == 1


def test_evaluate_tells_what_it_can_not_measure(command: Command) -> None:
    """Nothing is no figure of zero, and an endpoint is refused in words that hold here."""
    gold = str(ROOT / "sample_data" / "gold.json")
    few = command("assist", "evaluate", gold, "--embedder", "none", "--min-segments", "9999")
    assert "nothing was measured" in few.err
    assert ".000" not in few.out
    refused = command("assist", "evaluate", gold, "--embedder", "remote:m")
    assert refused.code == 2
    assert "neural:FOLDER" in refused.err
    assert "--base-url" not in refused.err


def test_evaluate_compares_in_eighty_columns(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables fit a narrow terminal, and name each slice, embedder and difference."""
    monkeypatch.setattr("tui_annotate.plugins.registry.load_embedder", lambda _: Letters())
    gold = str(ROOT / "sample_data" / "gold.json")
    done = command("assist", "evaluate", gold, "--embedder", "none", "--compare", "letters")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert max(map(len, done.err.splitlines())) <= 80
    for told in (
        "no shared word",
        "short span",
        "Chinese",
        "words alone",
        "static less words alone",
    ):
        assert told in done.out
    names = {"none, letters": 1, "none,letters,other": 2}
    for asked, count in names.items():
        shown = command(
            "assist", "evaluate", gold, "--embedder", "none", "--compare", asked, "--json"
        )
        assert len(shown.json["compared"]) == len(shown.json["differences"]) == count


def test_terminal_checks_tell_what_a_pipe_is() -> None:
    """Where nothing is drawn there is one line, and nothing wrong."""
    (check,) = doctor.terminal_checks({"TERM": "dumb"})
    assert check.state == "ok"


SHAPES = [
    ["status"],
    ["audit", "head"],
    ["audit", "verify"],
    ["backup"],
    ["freeze", "first"],
    ["freeze", "list"],
    ["guidelines", "list"],
    ["remarks", "list"],
    ["dataset", "list"],
    ["dataset", "show", "pairs"],
    ["doctor"],
    ["keys"],
    ["labels", "check"],
    ["labels", "list"],
    ["labels", "rename", "Benign", "Fine", "--dry-run"],
    ["labels", "normalise", "--dry-run"],
    ["ingest", "pairs.jsonl", "--dry-run"],
    ["match", "--sample", "bridge", "--side", "summary", "--span", "0:10"],
    ["assist", "evaluate", str(ROOT / "sample_data" / "gold.json"), "--embedder", "none"],
]


def names(value: object) -> set[str]:
    """All keys of a JSON value, but for those of signals, whose names are the assist's."""
    if isinstance(value, list):
        return {name for each in value for name in names(each)}
    if isinstance(value, dict):
        inner = (names(each) for name, each in value.items() if name != "signals")
        return set(value).union(*inner)
    return set()


@pytest.mark.parametrize("words", SHAPES, ids=" ".join)
def test_json_is_one_value_with_documented_names(words: list[str], annotated: Command) -> None:
    """What is printed with --json is one JSON value, each of whose names stands in the manual."""
    manual = (ROOT / "docs" / "json.md").read_text("utf-8")
    shown = json.loads(annotated(*words, "--json").out)
    assert [name for name in names(shown) if not re.search(rf'[`"]{name}[`"]', manual)] == []
