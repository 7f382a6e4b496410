"""match, assist evaluate: shapes and ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CLAIM, Command, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.terminal import ROOT
from tests.helpers.tuning_queries import write_dump
from tests.services.ingest_stores import Letters
from tui_annotate import workspace as workspaces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.errors import Damaged, InvalidInput
from tui_annotate.domain.samples import Match, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.tuning import LEAST_QUERIES, LEAST_SOURCES
from tui_annotate.services.assist.weights import stored_weights


def test_match_prints_ranked_segments(filled: Command) -> None:
    """The JSON of match names what was asked, what ranked, and each segment with its score."""
    span = f"{CLAIM}:{CLAIM + 17}"
    shown = filled(
        "lab", "match", "--sample", "bridge", "--side", "summary", "--span", span, "--json"
    )
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
    shown = filled("lab", "match", "--sample", "bridge", "--side", "source", "--span", "0:10")
    assert shown.code == 0
    assert "rank" in shown.out
    assert "pairs/bridge" in shown.err


def test_match_ranks_by_one_kind_of_signal(filled: Command) -> None:
    """Named with --by; another word is misuse."""
    asked = (
        "lab",
        "match",
        "--sample",
        "bridge",
        "--side",
        "source",
        "--span",
        "0:10",
        "--json",
        "--by",
    )
    shown = filled(*asked, "lexical").json
    assert shown["signals"] == "words only"
    assert {name for match in shown["matches"] for name in match["signals"]} == {"words"}
    assert filled(*asked, "feeling").code == 2


@pytest.mark.parametrize(
    "span", ["5", "5:", "a:b", "5:5", "9:3", "0:9999", "-1:3"], ids=lambda span: span
)
def test_match_refuses_what_is_no_span(filled: Command, span: str) -> None:
    """A span that is none, empty, or outside the text ends with 2 and names it."""
    done = filled("lab", "match", "--sample", "bridge", "--side", "summary", f"--span={span}")
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_match_refuses_an_unknown_sample_and_side(filled: Command) -> None:
    """An unknown sample is 1, a side that is none is misuse."""
    assert filled("lab", "match", "--sample", "x", "--side", "summary", "--span", "0:1").code == 2
    assert filled("lab", "match", "--sample", "bridge", "--side", "left", "--span", "0:1").code == 2


def test_evaluate_prints_both_directions(command: Command) -> None:
    """The assist is measured without a workspace, for programs and for people."""
    gold = str(ROOT / "sample_data" / "gold.json")
    options = ("lab", "assist", "evaluate", gold, "--embedder", "none", "--min-segments", "8")
    shown = command(*options, "--json").json
    for direction in ("summary_to_source", "source_to_summary"):
        figures = shown[direction]
        assert set(figures) == {"queries", "recall_at_1", "recall_at_3", "recall_at_5", "mrr"}
        assert 0 <= figures["recall_at_1"] <= figures["recall_at_3"] <= figures["recall_at_5"] <= 1
    assert shown["segmenter"].startswith("pysbd-")
    report = command(*options).out
    for direction in ("summary_to_source", "source_to_summary"):
        assert f"{shown[direction]['queries']} " in report
    assert command("lab", "assist", "evaluate", "absent.json").code == 2


def test_evaluate_tells_what_it_can_not_measure(command: Command) -> None:
    """Nothing is no figure of zero, and an endpoint is refused in words that hold here."""
    gold = str(ROOT / "sample_data" / "gold.json")
    few = command("lab", "assist", "evaluate", gold, "--embedder", "none", "--min-segments", "9999")
    assert 9999 in numbers(few.err)
    assert ".000" not in few.out
    refused = command("lab", "assist", "evaluate", gold, "--embedder", "remote:m")
    assert refused.code == 2
    assert "neural:FOLDER" in refused.err
    assert "--base-url" not in refused.err


def test_evaluate_compares_in_eighty_columns(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables fit a narrow terminal, and name each slice, embedder and difference."""
    monkeypatch.setattr("tui_annotate.plugins.registry.load_embedder", lambda _: Letters())
    gold = str(ROOT / "sample_data" / "gold.json")
    done = command("lab", "assist", "evaluate", gold, "--embedder", "none", "--compare", "letters")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert max(map(len, done.err.splitlines())) <= 80
    for report in (
        "no shared word",
        "short span",
        "Chinese",
        "words only",
        "static minus words only",
    ):
        assert report in done.out
    names = {"none, letters": 1, "none,letters,other": 2}
    for asked, count in names.items():
        shown = command(
            "lab", "assist", "evaluate", gold, "--embedder", "none", "--compare", asked, "--json"
        )
        assert len(shown.json["compared"]) == len(shown.json["differences"]) == count


KEY = SampleKey("pairs", "bridge")
FIRST, SECOND = Span(0, 35), Span(36, 70)


@pytest.fixture
def worked(filled: Command, tmp_path: Path) -> Command:
    """Two people: ana took the first match, bo looked at it and took none; one save is untold."""
    with workspaces.open(tmp_path) as space:
        source = space.corpus.sample(KEY)
        matches = tuple(
            Match(0, at, segment.span, 0.9 - at / 2, at + 1)
            for at, segment in enumerate(source.segments[0])
        )
        best = matches[0].span.trim(source.sample.documents[0].text)
        assert best is not None
        for name, label, looked, taken in (
            ("ana", ("Unwanted", "Intrinsic"), {1}, (Anchor(Side.SOURCE, 0, best),)),
            ("bo", ("Benign",), {1, 2}, ()),
        ):
            who = space.person(name).id
            one = Annotation(name, (Anchor(Side.SUMMARY, 0, Span(0, 10)),), taken, (label,))
            offer = AssistSnapshot(matches=matches, looked=frozenset(looked))
            space.annotate.add(who, KEY, one, seconds=1, offer=offer)
            if name == "bo":
                more = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(15, 20)),), (), (label,))
                space.annotate.add(who, KEY, more, seconds=1)
    return filled


def test_people_get_tables(worked: Command) -> None:
    """Shares over their intervals, in groups, in 80 columns; what is not known is said."""
    done = worked("lab", "assist", "report")
    assert done.code == 0
    assert numbers(done.err.splitlines()[0]) == [1]
    assert max(map(len, (done.out + done.err).splitlines())) <= 80
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[1] == ["all", "2", "1", "100%", "100%", "100%", "0%", "50%"]
    assert lines[2] == []  # no intervals: both annotations are on one sample
    assert ["ana", "1", "1", "100%"] in [line[:4] for line in lines]
    assert next(line for line in lines if line[:1] == ["bo"])[-1] == "100%"
    assert "Unwanted.Intrinsic" in done.out
    assert "ranked by" in done.out


def test_programs_get_json(worked: Command) -> None:
    """Counts, shares, bounds; by week where that is asked for."""
    found = worked("lab", "assist", "report", "--json").json
    assert (found["annotations"], found["without_snapshot"], found["spans"]) == (2, 1, 1)
    assert found["rejected_best_match"] == {"count": 1, "share": 0.5, "low": None, "high": None}
    assert found["clusters"] == 1
    assert [row["name"] for row in found["by_annotator"]] == ["ana", "bo"]
    assert "by_week" in worked("lab", "assist", "report", "--json", "--by-week").json


def test_filters_are_those_of_exports(worked: Command) -> None:
    """A name of nothing is refused, and the rest narrows."""
    assert worked("lab", "assist", "report", "--json", "--person", "ana").json["annotations"] == 1
    assert (
        worked("lab", "assist", "report", "--json", "--label", "Unwanted").json["annotations"] == 1
    )
    assert worked("lab", "assist", "report", "--json", "--sample", "tea").json["annotations"] == 0
    assert (
        worked("lab", "assist", "report", "--json", "--since", "2999-01-01").json[
            "without_snapshot"
        ]
        == 0
    )
    refused = worked("lab", "assist", "report", "--person", "zoe")
    assert type(refused.error) is InvalidInput
    assert "'zoe'" in refused.error.message
    assert "ana, bo" in refused.error.hint


def test_where_nothing_is_known_it_is_said(filled: Command) -> None:
    """No table of dashes."""
    done = filled("lab", "assist", "report")
    assert (done.code, done.out) == (0, "")
    assert done.err.count("\n") == 1


@pytest.fixture
def tunable(command: Command, tmp_path: Path) -> Command:
    """A workspace whose evidence shares too few words with its claims for the built-in curve."""

    def build(folder: Path) -> None:
        dump = write_dump(folder / "dump.json", sources=12)
        assert command("init").code == 0
        assert command("ingest", str(dump), "--embedder", "none").code == 0

    build_once(tmp_path, "tunable", build)
    return command


def test_tune_stores_only_with_apply(tunable: Command, tmp_path: Path) -> None:
    """The table compares both on left-out sources; --apply stores; --undo restores."""
    shown = tunable("lab", "assist", "tune", "--json")
    assert (shown.code, shown.json["applied"], shown.json["improved"]) == (0, "", True)
    assert set(shown.json["measures"]) == {"both", "summary_to_source", "source_to_summary"}
    assert tunable("lab", "assist", "tune", "--undo").code == 1
    table = tunable("lab", "assist", "tune", "--apply")
    assert table.code == 0
    assert max(map(len, table.out.splitlines())) <= 80
    version = shown.json["weights"]
    assert version in table.out + table.err
    evaluated = ("lab", "assist", "evaluate", "dump.json", "--embedder", "none")
    assert tunable(*evaluated, "--json").json["weights"] == version
    assert version in tunable(*evaluated).out
    (tmp_path / "other").mkdir()
    assert tunable("init", "other").code == 0
    assert tunable(*evaluated, "-w", "other", "--json").json["weights"] == ""
    assert tunable(*evaluated, "-w", "absent").code == 2
    assert tunable("lab", "assist", "tune", "--json").json["weights_in_use"] == version
    assert tunable("lab", "assist", "tune", "--undo", "--json").json == {"undone": version}
    assert tunable(*evaluated, "--json").json["weights"] == ""


def test_evaluate_ranks_each_embedder_with_its_own_weights(
    tunable: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last stored weights of each embedder rank, whichever embedder the workspace uses."""
    kinds = {"none": None, "static": Letters()}
    monkeypatch.setattr("tui_annotate.plugins.registry.load_embedder", kinds.__getitem__)
    curve = {"direction": "summary_to_source", "weights": {"words": 1.0}, "slope": 9.0}
    entries = [
        {"embedder": embedder, "curves": [curve | {"offset": offset}]}
        for offset, embedder in enumerate(("static 1", "none", "static 1", "other 1"))
    ]
    with workspaces.open(tmp_path) as space:
        space.corpus.set_setting("assist_weights", json.dumps(entries))
        versions = [each.version for each in stored_weights(space.corpus)]
    for names in (("none", "static"), ("static", "none")):
        found = tunable(
            "lab", "assist", "evaluate", "dump.json", "--embedder", names[0], "--compare", names[1],
            "--json",
        ).json  # fmt: skip
        used = dict(zip(names, (found["weights"], found["compared"][0]["weights"]), strict=True))
        assert used == {"none": versions[1], "static": versions[2]}


def test_damaged_weights_are_named_and_removed(tunable: Command, tmp_path: Path) -> None:
    """`doctor` and commands that rank name them, and the command in their hint removes them."""
    with workspaces.open(tmp_path) as space:
        space.corpus.set_setting("assist_weights", "[")
    checks = tunable("doctor", "--json")
    (finding,) = [check for check in checks.json if check["check"] == "weights"]
    assert (checks.code, finding["state"]) == (1, "error")
    refused = tunable("lab", "assist", "tune")
    assert type(refused.error) is Damaged
    assert finding["hint"] == refused.error.hint
    assert tunable("lab", "assist", "tune", "--undo", "--json").json == {"undone": ""}
    assert "weights" not in {check["check"] for check in tunable("doctor", "--json").json}


def test_tune_refuses_weights_that_are_not_better(
    tunable: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison is printed, then the refusal; --force stores nevertheless."""
    monkeypatch.setattr("tui_annotate.lab.assist.tuning.judge", lambda _: (False, ["mrr"]))
    refused = tunable("lab", "assist", "tune", "--apply", "--json")
    assert (refused.code, refused.json["applied"]) == (1, "")
    assert refused.error is not None
    assert refused.error.code == "no-gain"
    assert tunable("lab", "assist", "tune").code == 0
    forced = tunable("lab", "assist", "tune", "--apply", "--force", "--json")
    assert (forced.code, forced.json["applied"]) == (0, forced.json["weights"])


def test_tune_refuses_too_few_annotations(annotated: Command) -> None:
    """Exit code 1, with the numbers that are needed; contradicting options are wrong usage."""
    refused = annotated("lab", "assist", "tune")
    assert refused.code == 1
    assert {LEAST_QUERIES, LEAST_SOURCES} <= {*numbers(refused.err)}
    for wrong in (("--apply", "--undo"), ("--force",), ("--seed", "-1")):
        assert annotated("lab", "assist", "tune", *wrong).code == 2
