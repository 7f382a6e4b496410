"""Flat tables: every annotation has its rows, and no cell runs as a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.record_reader import write
from tests.plugins.strategies import records
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.plugins.traits import RecordTrait

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
SAMPLE = Sample(
    "d",
    "1",
    (Document(Side.SOURCE, "It cost 12, or 12.5."), Document(Side.SUMMARY, "It cost 15.")),
    meta={"model": "a", "b": [1]},
)


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _record(note: str = "", name: str = "ana") -> Record:
    annotation = Annotation(
        "a1",
        (Anchor(Side.SUMMARY, 0, Span(8, 10)),),
        (Anchor(Side.SOURCE, 0, Span(8, 10)), Anchor(Side.SOURCE, 0, Span(15, 19))),
        labels=(("Unwanted", "Intrinsic"), ("Benign",)),
        note=note,
    )
    work = (Assignment("p", State.DONE, seconds=41.5), Assignment("q", State.DONE, comment="ok"))
    people = (Person("p", name), Person("q", "bo"))
    return Record(SAMPLE, (OwnedAnnotation("p", annotation),), work, people)


def test_a_pair_of_spans_is_a_row() -> None:
    """Two evidence spans are two rows of one annotation; who found nothing has a row as well."""
    text, report = write([_record()], "csv")
    rows = _rows(text)
    assert [row["annotation_id"] for row in rows] == ["a1", "a1", ""]
    assert [row["source_text"] for row in rows] == ["12", "12.5", ""]
    assert [(row["annotator_name"], row["state"]) for row in rows] == [
        ("ana", "done"),
        ("ana", "done"),
        ("bo", "done"),
    ]
    assert rows[0]["label_1"] == "Unwanted"
    assert rows[0]["label_2"] == "Intrinsic"
    assert rows[0]["label_path"] == "Unwanted.Intrinsic | Benign"
    assert json.loads(rows[0]["meta"]) == SAMPLE.meta
    assert (rows[2]["comment"], rows[0]["seconds"]) == ("ok", "41.500")
    assert (report.records, report.annotations, report.lost) == (1, 1, {})


def test_a_deep_label_is_told_whole_in_its_path_alone() -> None:
    """The columns of levels have the first two names, whatever stands under them."""
    record = _record()
    deep = replace(record.annotations[0].annotation, labels=(("Unwanted", "Fact", "Number"),))
    row = _rows(write([replace(record, annotations=(OwnedAnnotation("p", deep),))], "csv")[0])[0]
    report = [row[name] for name in ("label_1", "label_2", "label_path")]
    assert report == ["Unwanted", "Fact", "Unwanted.Fact.Number"]


def test_evidence_names_its_document() -> None:
    """Of several sources the one that it stands in, from 0; its text is that one's."""
    documents = (*SAMPLE.documents[:1], Document(Side.SOURCE, "Or 13."), SAMPLE.documents[1])
    one = replace(
        _record().annotations[0].annotation, evidence=(Anchor(Side.SOURCE, 1, Span(3, 5)),)
    )
    record = Record(replace(SAMPLE, documents=documents), (OwnedAnnotation("p", one),))
    row = _rows(write([record], "csv")[0])[0]
    assert (row["source_document"], row["source_text"]) == ("1", "13")


def test_what_the_assist_showed_is_counted_as_lost() -> None:
    """It has no column."""
    record = _record()
    owned = record.annotations[0]
    traced = replace(owned.annotation, trace=AssistTrace(places=(OUTSIDE, OUTSIDE)))
    _, report = write([replace(record, annotations=(replace(owned, annotation=traced),))], "csv")
    assert report.lost == {RecordTrait.TRACE: 1}


@pytest.mark.parametrize("start", FORMULAS)
def test_no_cell_runs_as_a_formula(start: str) -> None:
    """Notes and names that a spreadsheet would run are quoted, and their columns are told."""
    payload = f"{start}HYPERLINK(1)"
    row = _rows(write([_record(payload, name=payload)], "csv")[0])[0]
    assert (row["note"], row["annotator_name"]) == (f"'{payload}", f"'{payload}")
    assert row["escaped"] == "annotator_name note"
    exact = _rows(write([_record(payload)], "csv", formula_safe=False)[0])[0]
    assert (exact["note"], exact["escaped"]) == (payload, "")


@given(found=st.lists(records(), max_size=4))
@settings(max_examples=example_limit(40))
def test_every_annotation_can_be_read_back(found: list[Record]) -> None:
    """Taking the quotes off gives texts and notes exactly; every annotation has a row a pair."""
    text, report = write(found, "csv")
    rows = [_unescaped(row) for row in _rows(text)]
    for record in found:
        for owned in record.annotations:
            mine = [row for row in rows if row["annotation_id"] == owned.annotation.id]
            pairs = max(len(owned.annotation.claim), 1) * max(len(owned.annotation.evidence), 1)
            assert len(mine) >= pairs
            assert {row["note"] for row in mine} == {owned.annotation.note}
            anchor = owned.annotation.anchors[0]
            covered = anchor.span.of(record.sample.document(anchor.side, anchor.index).text)
            assert covered in {row[f"{anchor.side}_text"] for row in mine}
    assert report.annotations == sum(len(record.annotations) for record in found)


def _unescaped(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: row[name][1:] for name in row["escaped"].split()}


def test_samples_that_nobody_looked_at_are_counted() -> None:
    """They have no row, and the report says how many."""
    text, report = write([Record(SAMPLE)], "csv")
    assert (_rows(text), report.lost) == ([], {RecordTrait.UNREAD: 1})


@settings(max_examples=example_limit(50), deadline=None)
@given(st.lists(records(), max_size=3))
def test_json_has_the_rows_of_csv(found: list[Record]) -> None:
    """The same rows, columns and losses; cells are not escaped, and numbers are numbers."""
    table, report = write(found, "csv")
    names = [name for name in next(csv.reader(io.StringIO(table, newline=""))) if name != "escaped"]
    rows = _rows(table)
    for form in ("json", "jsonl"):
        text, again = write(found, form)
        assert (again.records, again.annotations, again.lost) == (
            report.records,
            report.annotations,
            report.lost,
        )
        objects = json.loads(text) if form == "json" else _lines(text)
        assert [list(each) for each in objects] == [names] * len(rows)
        for row, each in zip(rows, objects, strict=True):
            escaped = row["escaped"].split()
            for name in names:
                cell = row[name].removeprefix("'") if name in escaped else row[name]
                assert _as_cell(name, each[name]) == cell


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


def _as_cell(name: str, value: Any) -> str:
    if name == "seconds" and value is not None:
        return f"{value:.3f}"
    return "" if value is None else str(value)


def test_json_has_types() -> None:
    """Offsets, versions and seconds are numbers; what there is none of is null."""
    for form in ("json", "jsonl"):
        text, _ = write([_record(note="=1 海")], form)
        first, _, last = json.loads(text) if form == "json" else _lines(text)
        assert "=1 海" in text
        assert (first["summary_start"], first["source_document"], first["version"]) == (8, 0, 1)
        assert (first["seconds"], first["note"]) == (41.5, "=1 海")
        assert json.loads(first["meta"]) == SAMPLE.meta
        assert (last["annotation_id"], last["summary_start"], last["comment"]) == (None, None, "ok")
    assert json.loads(write([], "json")[0]) == []
    assert write([], "jsonl")[0] == ""


def test_json_is_written_record_by_record() -> None:
    """In constant memory: the first record is out before the second is asked for."""
    for form in ("json", "jsonl"):
        target = io.StringIO()

        def two(target: io.StringIO = target) -> Iterator[Record]:
            yield _record()
            assert "a1" in target.getvalue()
            yield _record()

        registry.load("exporters", form).write(two(), target, ExportOptions())
        assert target.getvalue().count('"bo"') == 2
