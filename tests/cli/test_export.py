"""export: where it goes, and what is chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tui_annotate
from tests.cli.conftest import Command, numbers
from tests.plugins.strategies import DUMP
from tui_annotate.plugins.protocols import ExportOptions


@pytest.mark.parametrize("name", ["mercury", "native", "csv"])
def test_export_writes_a_file_or_standard_output(
    annotated: Command, name: str, tmp_path: Path
) -> None:
    """A file and standard output get the same bytes, twice; talk goes to standard error."""
    target = tmp_path / "out"
    done = annotated("export", "--to", name, "-o", str(target))
    assert (done.code, done.out) == (0, "")
    samples = 1 if name == "csv" else 2  # samples without work have no row in a table
    assert numbers(done.err.splitlines()[0]) == [1, samples]
    assert "15 million pounds" in target.read_text("utf-8")
    again = annotated("export", "--to", name)
    assert again.out == target.read_text("utf-8")
    assert annotated("export", "--to", name, "-o", "-").out == again.out
    assert not Path("-").exists()


def test_export_filters(annotated: Command) -> None:
    """Filters leave out what does not fit; a filter that is none is refused."""
    out = ("export", "--to", "native")
    assert '"claim"' in annotated(*out, "--person", "reader", "--label", "Unwanted").out
    assert '"claim"' not in annotated(*out, "--label", "Benign").out
    assert '"claim"' not in annotated(*out, "--since", "2999-01-01").out
    assert annotated(*out, "--since", "yesterday").code == 2
    assert annotated(*out, "--state", "odd").code == 2
    assert annotated("export", "--to", "odd").code == 2


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
    done = annotated("export", "--to", "native", option, value, "-o", str(tmp_path / "out"))
    assert done.code == 2
    assert repr(value) in done.err
    assert there in done.err
    assert not (tmp_path / "out").exists()


def test_a_label_is_named_by_its_last_name_or_by_use(annotated: Command, tmp_path: Path) -> None:
    """One last name is its path; a label in use is one, also where the label set lacks it."""
    out = ("export", "--to", "native", "--label")
    assert '"claim"' in annotated(*out, "Intrinsic").out
    (tmp_path / "labels.yaml").write_text("- Other\n", "utf-8")
    for label in ("Unwanted", "Unwanted.Intrinsic", "Intrinsic"):
        assert '"claim"' in annotated(*out, label).out


def test_a_summary_needs_a_file(annotated: Command, tmp_path: Path) -> None:
    """With --json the data must go to a file: both would be on standard output."""
    for words in (["export", "--to", "csv"], ["report", "-o", "-"]):
        done = annotated(*words, "--json")
        assert (done.code, done.out) == (2, "")
        assert "--json" in done.err
    shown = annotated("export", "--to", "csv", "-o", "out.csv", "--json").json
    assert (shown["file"], shown["format"]) == ("out.csv", "csv")
    assert shown["annotations"] == 1
    assert (tmp_path / "out.csv").exists()


def test_everyone_read_is_equal_on_import_and_export(command: Command, tmp_path: Path) -> None:
    """FaithBench's table is the same for ingest, convert and export with --everyone-read."""
    annotations: Any = DUMP["annotations"]
    (row,) = annotations
    other = row | {"annot_id": 2, "annotator": "b", "label": ["Z"]}
    rows = [
        DUMP | {"sample_id": number, "annotations": marked}
        for number, marked in enumerate([[row], [], [other]])
    ]
    (tmp_path / "dump.json").write_text(json.dumps(rows), "utf-8")
    table, export = ("--to", "faithbench-csv", "--layer", "all"), ("export", "--to", "native")
    assert command("convert", "dump.json", "one.csv", *table, "--everyone-read").code == 0
    for folder, imported, exported in (
        ("a", ["--everyone-read"], []),
        ("b", [], ["--everyone-read"]),
    ):
        command("init", folder)
        ingest = ("ingest", "dump.json", "--embedder", "none", "-w", folder)
        assert command(*ingest, *imported).code == 0
        assert command("export", *table, *exported, "-w", folder, "-o", f"{folder}.csv").code == 0
    texts = [(tmp_path / name).read_text("utf-8") for name in ("one.csv", "a.csv", "b.csv")]
    assert texts[0].count("Consistent,Consistent") == 3
    assert texts[0] == texts[1]
    assert texts[2] == texts[0]
    filtered = command(*export, "--label", "Z", "-w", "b", "--everyone-read").out
    assert len(filtered.splitlines()) == 1
    assert filtered.count('"done"') == 2


@pytest.mark.parametrize("form", ["conll", "doccano", "ragtruth"])
def test_formats_for_training_say_what_they_leave_out(annotated: Command, form: str) -> None:
    """The default is completed work; a state and all states choose otherwise, as in convert."""
    native = annotated("export", "--to", "native", "-o", "all.jsonl")
    assert native.code == 0
    asked = ("export", "--to", form, "--layer", "all")
    done = annotated(*asked, "-o", "done", "--json").json
    assert (done["annotations"], done["samples"], done["left_out"]) == (0, 0, {"in progress": 1})
    done = annotated(*asked, "-o", "told")
    assert (done.code, "--state all" in done.err, "1 in progress" in done.err) == (0, True, True)
    for state in ("all", "draft"):
        every = annotated(*asked, "--state", state, "-o", state, "--json").json
        assert (every["annotations"], every["left_out"]) == (1, {})
    convert = ("convert", "all.jsonl", "made", "--to", form, "--layer", "all")
    assert annotated(*convert, "--json").json["left_out"] == {"in progress": 1}
    assert "--all-states" in annotated("convert", "all.jsonl", "more", *convert[3:]).err
    made = annotated("convert", "all.jsonl", "whole", *convert[3:], "--all-states", "--json").json
    assert (made["annotations"], made["left_out"]) == (1, {})


@pytest.mark.parametrize(
    ("shown", "stored"),
    [("completed", "done"), ("in progress", "draft"), ("in-progress", "draft"), ("new", "new")],
)
def test_states_have_the_names_that_status_displays(
    annotated: Command, shown: str, stored: str
) -> None:
    """The same samples are exported by either name, and compared by `agreement`."""
    made = [
        annotated("export", "--to", "native", "--state", state).out for state in (shown, stored)
    ]
    assert made[0] == made[1]
    assert annotated("agreement", "--state", shown).code == 1  # one person has no agreement


def test_an_export_without_answers_explains_itself(annotated: Command) -> None:
    """The message names why nothing was written and the command for the next step."""
    done = annotated("export", "--to", "suggestions", "-o", "answers.jsonl")
    assert done.err.startswith("wrote nothing to answers.jsonl: ")
    assert "tui-annotate suggestions import" in done.err


def test_python_chooses_all_states_too(annotated: Command, tmp_path: Path) -> None:
    """The filter `state` is as in the command."""
    assert annotated("status").code == 0
    layer = ExportOptions(layer="all")
    with tui_annotate.open(tmp_path) as space:
        done = space.export(tmp_path / "a", format="conll", options=layer)
        every = space.export(tmp_path / "b", format="conll", options=layer, state="all")
    assert (done.annotations, done.left_out) == (0, {"in progress": 1})
    assert (every.annotations, every.left_out) == (1, {})
