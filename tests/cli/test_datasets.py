"""dataset: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PAIRS, Command
from tui_annotate.plugins.traits import RecordTrait

LOST = RecordTrait.ABOUT.value


def test_datasets_are_listed_and_shown(filled: Command) -> None:
    """Commands list and show give the figures of a dataset, show its samples too."""
    (listed,) = filled("datasets", "list", "--json").json
    assert (listed["name"], listed["samples"], listed["documents"]) == ("pairs", 2, 4)
    shown = filled("datasets", "show", "pairs", "--json").json
    assert shown["sample_ids"] == ["bridge", "tea"]
    assert "pairs" in filled("datasets", "list").out
    report = filled("datasets", "show", "pairs").out
    assert "bridge" in report
    assert shown["created"] not in report
    assert f" {shown['created'][:19]}\n" in report


def test_an_unknown_dataset_is_told(filled: Command) -> None:
    """show, replace and delete of an unknown dataset end with 2, and name the nearest dataset."""
    for words in (
        ["show", "pair"],
        ["delete", "pair", "--yes"],
        ["replace", "pair", "pairs.jsonl"],
    ):
        done = filled("datasets", *words)
        assert done.code == 2
        assert "'pair'" in done.err
        assert "did you mean 'pairs'?" in done.err


def test_replace_by_an_absent_file_changes_nothing(filled: Command, pairs: Path) -> None:
    """It ends as an ingest of one does."""
    options = ("--id-column", "id")
    for words in (
        ["datasets", "replace", "pairs", str(pairs), "absent.csv"],
        ["ingest", "absent.csv"],
    ):
        done = filled(*words, *options)
        assert (done.code, done.out) == (2, "")
        assert "absent.csv" in done.err
    assert filled("status", "--json").json["samples"] == 2


def test_replace_gives_a_dataset_other_content(filled: Command, pairs: Path) -> None:
    """What changed is exchanged, what is gone is removed."""
    changed = {**PAIRS[0], "summary": "The bridge cost 12 million pounds."}
    pairs.write_text(json.dumps(changed) + "\n", "utf-8")
    done = filled("datasets", "replace", "pairs", str(pairs), "--id-column", "id", "--json")
    assert done.code == 0
    assert (done.json["replaced"], done.json["deleted"]) == (1, 1)


def test_the_same_sample_in_two_files_is_replaced_once(filled: Command, pairs: Path) -> None:
    """What is read twice is known the second time, as in an import."""
    changed = {**PAIRS[0], "summary": "The bridge cost 12 million pounds."}
    for path in (pairs, pairs.with_name("more.jsonl")):
        path.write_text(json.dumps(changed) + "\n", "utf-8")
    files = (str(pairs), str(pairs.with_name("more.jsonl")))
    done = filled("datasets", "replace", "pairs", *files, "--id-column", "id", "--json")
    assert done.code == 0
    assert (done.json["replaced"], done.json["known"], done.json["deleted"]) == (1, 1, 1)


def test_remove_asks_where_nobody_answers(filled: Command) -> None:
    """Without a terminal and without --yes nothing is removed."""
    done = filled("datasets", "delete", "pairs")
    assert done.code == 2
    assert "--yes" in done.err
    assert filled("datasets", "delete", "pairs", "--yes", "--json").json["deleted"] == 2


def test_annotated_datasets_are_refused_before_the_question(annotated: Command) -> None:
    """No question is asked about what is refused afterwards."""
    done = annotated("datasets", "delete", "pairs")
    assert done.code == 1
    assert "--delete-annotations" in done.err
    asked = annotated("datasets", "delete", "pairs", "--delete-annotations")
    assert asked.code == 2
    assert "--yes" in asked.err


TERMS = {"license": "CC-BY-4.0", "origin": "https://example.org", "citation": "Ann 2026.\n@x{y}"}
OPTIONS = [word for name, text in TERMS.items() for word in (f"--{name}", text)]


def terms(command: Command) -> dict[str, str]:
    """The description that `datasets show` prints."""
    shown = command("datasets", "show", "pairs", "--json").json
    return {name: shown[name] for name in TERMS}


def test_an_import_describes_its_dataset(command: Command, pairs: Path) -> None:
    """A later import changes only what its options name; `datasets edit` also deletes a text."""
    command("init")
    ingest = ("ingest", str(pairs), "--id-column", "id", "--embedder", "none")
    command(*ingest, *OPTIONS)
    assert terms(command) == TERMS
    command("ingest", str(pairs), "--id-column", "id", "--license", "MIT")
    assert terms(command) == TERMS | {"license": "MIT"}
    done = command("datasets", "edit", "pairs", "--license", "", "--origin", "B", "--json").json
    assert done == {
        "dataset": "pairs",
        **TERMS,
        "license": "",
        "origin": "B",
        "edits_after_adjudication": False,
    }
    assert terms(command) == TERMS | {"license": "", "origin": "B"}
    assert "@x{y}" in command("datasets", "show", "pairs").out


def test_a_dataset_allows_edits_after_adjudication(filled: Command) -> None:
    """Each option of `datasets edit` changes its own value alone."""
    filled("datasets", "edit", "pairs", "--license", "MIT")
    rule = ("datasets", "edit", "pairs", "--edits-after-adjudication")
    assert filled(*rule, "allow", "--json").json["edits_after_adjudication"] is True
    (listed,) = filled("datasets", "list", "--json").json
    assert (listed["license"], listed["edits_after_adjudication"]) == ("MIT", True)
    assert "allow" in filled("datasets", "show", "pairs").out
    filled("datasets", "edit", "pairs", "--license", "")
    assert filled("datasets", "show", "pairs", "--json").json["edits_after_adjudication"] is True
    assert filled(*rule, "refuse", "--json").json["edits_after_adjudication"] is False
    assert filled(*rule, "perhaps").code == 2


def test_bad_descriptions_are_refused(filled: Command) -> None:
    """Unknown datasets, no options, and characters that the store cannot hold change nothing."""
    for words in (
        ["pair", "--license", "MIT"],
        ["pairs"],
        ["pairs", "--license", "a\0b"],
    ):
        assert filled("datasets", "edit", *words).code == 2
    assert not any(terms(filled).values())
    bad = ("ingest", "more.jsonl", "--dataset", "pairs")
    Path("more.jsonl").write_text(json.dumps({"source": "New.", "summary": "New."}), "utf-8")
    assert filled(*bad, "--citation", "\udcff").code == 2
    assert filled("export", "--to", "native", "-o", "all.jsonl").code == 0
    lines = [json.loads(line) for line in Path("all.jsonl").read_text("utf-8").splitlines()]
    for about in (3, {"license": 3}, {"license": "a\0b"}):
        Path("bad.jsonl").write_text(json.dumps(lines[0] | {"about": about, "id": "x"}), "utf-8")
        done = filled("ingest", "bad.jsonl", "--json")
        assert (done.code, done.json["refused"]) == (2, 1)
    assert filled("status", "--json").json["samples"] == 2
    assert not any(terms(filled).values())


def test_a_description_survives_export_and_import(filled: Command) -> None:
    """The native format carries it, also through `convert`; the options of an import win."""
    filled("datasets", "edit", "pairs", *OPTIONS)
    assert filled("export", "--to", "native", "-o", "all.jsonl").code == 0
    first, second = map(json.loads, Path("all.jsonl").read_text("utf-8").splitlines())
    assert (first["about"], "about" in second) == (TERMS, False)
    assert filled("convert", "all.jsonl", "again.jsonl", "--to", "native").code == 0
    assert Path("again.jsonl").read_bytes() == Path("all.jsonl").read_bytes()
    filled("init", "other")
    filled("ingest", "again.jsonl", "--embedder", "none", "--origin", "B", "-w", "other")
    shown = filled("datasets", "show", "pairs", "--json", "-w", "other").json
    assert {name: shown[name] for name in TERMS} == TERMS | {"origin": "B"}
    filled("ingest", "all.jsonl", "-w", "other")  # a file fills gaps only
    assert filled("datasets", "show", "pairs", "--json", "-w", "other").json["origin"] == "B"


def test_other_formats_count_a_lost_description(filled: Command) -> None:
    """The loss counts datasets; a dataset without a description loses nothing."""
    for format_name in ("csv", "mercury", "json"):
        assert filled("export", "--to", format_name, "-o", "a", "--strict").code in {0, 3}
        assert LOST not in filled("export", "--to", format_name, "-o", "a").err
    filled("datasets", "edit", "pairs", *OPTIONS)
    for format_name in ("csv", "mercury", "json"):
        done = filled("export", "--to", format_name, "-o", "a", "--strict")
        assert (done.code, LOST in done.err) == (3, True)


@pytest.mark.parametrize("name", ["brat", "doccano", "labelstudio", "w3c"])
def test_other_formats_carry_a_description(annotated: Command, name: str) -> None:
    """An import of a file that this program wrote restores the description of the dataset."""
    annotated("datasets", "edit", "pairs", *OPTIONS)
    asked = ("--layer", "all", "--state", "all", "-o", "out")
    assert LOST not in annotated("export", "--to", name, *asked).err
    annotated("init", "other")
    annotated("ingest", "out", "--from", name, "--embedder", "none", "-w", "other")
    shown = annotated("datasets", "list", "--json", "-w", "other").json
    assert [{key: each[key] for key in TERMS} for each in shown] == [TERMS]


def test_a_snapshot_and_a_report_contain_the_description(filled: Command) -> None:
    """A later change of the description is no difference from the event log."""
    filled("datasets", "edit", "pairs", *OPTIONS)
    assert filled("audit", "snapshots", "create", "paper").code == 0
    (method,) = Path().glob("**/paper/method.md")
    assert all(text in method.read_text("utf-8") for text in TERMS.values())
    filled("datasets", "edit", "pairs", "--license", "MIT")
    assert filled("audit", "snapshots", "replay", "paper").code == 0
    filled("report", "-o", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert json.dumps(["pairs", "MIT", *list(TERMS.values())[1:]], separators=(",", ":")) in page
