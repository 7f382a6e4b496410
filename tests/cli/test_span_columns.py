"""Commands with --span-column: annotations, suggestions, and refused combinations of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

ROWS = """source,summary,spans,kinds
A bridge.,The bridge and a tower.,"['bridge', 'tower']","['Unwanted', 'Odd']"
A river.,The river.,"['lake']",Unwanted
"""
COLUMNS = ("a.csv", "--span-column", "spans", "--span-label-column", "kinds", "--embedder", "none")


@pytest.fixture
def table(command: Command, tmp_path: Path) -> Command:
    """A workspace next to a table with spans."""
    (tmp_path / "a.csv").write_text(ROWS, "utf-8")
    assert command("init", ".").code == 0
    return command


def test_spans_become_annotations(table: Command) -> None:
    """Spans become annotations with all labels, and a span that is not found is reported."""
    done = table("ingest", *COLUMNS, "--json")
    assert (done.code, done.json["annotations"], done.json["annotations_with_unknown_labels"]) == (
        3,
        2,
        1,
    )
    assert [each["where"].rsplit(":")[-1] for each in done.json["problems"]] == ["3"]
    exported = table("export", "--to", "jsonl", "--person", "pairs").out
    assert exported.count('"annotation_id": "') + exported.count('"annotation_id":"') == 2


def test_spans_become_suggestions(table: Command) -> None:
    """Spans with labels of the label set are suggested once; the others are reported."""
    arguments = ("ingest", *COLUMNS, "--spans-as", "suggestions", "--json")
    done = table(*arguments)
    assert (done.code, done.json["suggestions"], done.json["annotations"]) == (3, 1, 0)
    assert done.json["spans_refused"] == 2
    assert [each["where"].rsplit(":")[-1] for each in done.json["problems"]] == ["3", "2"]
    assert "'Odd'" in done.json["problems"][1]["message"]
    (found,) = table("suggestions", "list", "--json").json
    assert (found["maker"], found["labels"]) == ("import:a", [["Unwanted"]])
    assert found["quote"] == "bridge"
    assert table(*arguments).json["suggestions"] == 0


@pytest.mark.parametrize("use", ["annotations", "suggestions"])
def test_refused_spans_are_counted_by_kind(table: Command, tmp_path: Path, use: str) -> None:
    """The import is done in part, although all samples are stored."""
    rows = "source,summary,spans\nA tower.,A tower.,lake\nA bridge.,A bridge.,sea\n"
    (tmp_path / "a.csv").write_text(rows, "utf-8")
    arguments = ("ingest", "a.csv", "--span-column", "spans", "--embedder", "none")
    done = table(*arguments, "--spans-as", use, "--json")
    assert (done.code, done.json["added"], done.json["spans_refused"]) == (3, 2, 2)
    assert list(done.json["problem_kinds"].values()) == [2]
    again = table(*arguments, "--spans-as", use)
    assert (again.code, again.err.count("column 'spans'")) == (3, 2)


def test_suggestions_need_the_stored_texts(table: Command, tmp_path: Path) -> None:
    """Spans of a row whose texts differ from the stored sample are not suggested."""
    assert table("ingest", "a.csv", "--embedder", "none").code == 0
    (tmp_path / "a.csv").write_text(ROWS.replace("The bridge", "One bridge"), "utf-8")
    done = table("ingest", *COLUMNS, "--spans-as", "suggestions", "--json")
    assert (done.code, done.json["refused"], done.json["suggestions"]) == (3, 1, 0)


def test_a_dry_run_suggests_nothing(table: Command) -> None:
    """A dry run stores no suggestions."""
    arguments = ("ingest", *COLUMNS, "--spans-as", "suggestions", "--dry-run", "--json")
    assert table(*arguments).json["suggestions"] == 0
    assert table("suggestions", "list", "--json").json == []


@pytest.mark.parametrize("options", [["--spans-as", "suggestions"], ["--span-label-column", "b"]])
def test_options_of_spans_need_a_column(table: Command, options: list[str]) -> None:
    """The options for labels and suggestions are refused without a column of spans."""
    done = table("ingest", "a.csv", *options)
    assert done.code == 2
    assert done.error is not None
    assert done.error.code == "span-column-missing"


def test_spans_are_no_texts(table: Command, tmp_path: Path) -> None:
    """A column of spans is never chosen as the source or the summary, whatever its name."""
    row = "A long bridge and a very tall tower.,The bridge and a tower.,bridge,Unwanted"
    (tmp_path / "a.csv").write_text(f"first,second,claim,output\n{row}\n", "utf-8")
    names = ("--span-column", "claim", "--span-label-column", "output", "--source-column", "first")
    done = table("ingest", "a.csv", *names, "--embedder", "none", "--json")
    assert (done.code, done.json["added"], done.json["annotations"]) == (0, 1, 1)


def test_warnings_about_suggestions_are_in_the_file_of_problems(
    table: Command, tmp_path: Path
) -> None:
    """`--problems` also lists the spans whose labels are not in the label set."""
    table("ingest", *COLUMNS, "--spans-as", "suggestions", "--problems", "p.jsonl")
    assert len((tmp_path / "p.jsonl").read_text("utf-8").splitlines()) == 2
