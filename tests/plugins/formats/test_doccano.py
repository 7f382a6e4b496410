"""doccano: two texts in one, relations from claims to evidence, and lines of older projects."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import read, write
from tests.plugins.record_reader import file
from tests.plugins.strategies import altered
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.joined_texts import SEPARATOR
from tui_annotate.plugins.traits import Loss, RecordTrait

SOURCE = "The bridge opened in 1932.\nIt cost 12 million pounds 🌉 and took six years."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."
LINE: dict[str, Any] = {
    "id": 7,
    "text": SOURCE + SEPARATOR + SUMMARY,
    "sample_id": "b-001",
    "source_len": 74,
    "sep_len": 19,
    "topic": "bridges",
    "Comments": ["hm"],
    "entities": [
        {"id": 10, "label": "Unwanted.Intrinsic", "start_offset": 114, "end_offset": 131},
        {"id": 11, "label": "Evidence", "start_offset": 35, "end_offset": 52},
        {"id": 12, "label": "Unwanted.Extrinsic", "start_offset": 136, "end_offset": 145},
    ],
    "relations": [{"id": 0, "from_id": 10, "to_id": 11, "type": "evidence"}],
}
GOLD = (Person("doccano", "doccano", PersonKind.IMPORTED),)


def _read(folder: Path, *lines: Any) -> tuple[list[Record], list[Problem]]:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return read(file(folder, "admin.jsonl", text), "doccano")


def _quotes(record: Record) -> list[tuple[str, ...]]:
    return [
        tuple(
            each.span.of(record.sample.document(each.side).text) for each in one.annotation.anchors
        )
        for one in record.annotations
    ]


def test_a_line_becomes_a_sample(tmp_path: Path) -> None:
    """Its text is parted by its lengths; a relation leads to the evidence; columns are meta."""
    (record,), problems = _read(tmp_path, LINE)
    assert problems == []
    assert [document.text for document in record.sample.documents] == [SOURCE, SUMMARY]
    assert (record.sample.id, record.sample.dataset) == ("b-001", "admin")
    assert record.sample.meta == {"topic": "bridges", "Comments": ["hm"]}
    assert _quotes(record) == [("15 million pounds", "12 million pounds"), ("was loved",)]
    assert record.annotations[0].annotation.labels == (("Unwanted", "Intrinsic"),)
    assert record.assignments == ()


def test_a_chain_of_parts_is_one_annotation(tmp_path: Path) -> None:
    """No span is lost, also if the last part leads back to the first span."""
    links = [(10, 12), (12, 13), (13, 10)]
    third = {"id": 13, "label": "Unwanted.Intrinsic", "start_offset": 97, "end_offset": 101}
    for count in (2, 3):
        parts = [{"from_id": start, "to_id": end, "type": "part"} for start, end in links[:count]]
        line = LINE | {"entities": [*LINE["entities"], third], "relations": parts}
        (record,), _ = _read(tmp_path, line)
        assert _quotes(record)[0] == ("15 million pounds", "was loved", "1932")


def test_labels_of_linked_entities_are_counted(tmp_path: Path) -> None:
    """An annotation has one label and no type of relation: what it does not keep is named."""
    first, proof, last = LINE["entities"]
    kinds = [(10, 11, "contradicted_by"), (10, 12, "part"), (12, 11, None), (10, 11, "evidence")]
    line = LINE | {
        "entities": [first, proof | {"label": "Contradiction"}, last],
        "relations": [{"from_id": one, "to_id": two, "type": kind} for one, two, kind in kinds],
    }
    (record,), problems = _read(tmp_path, line)
    assert _quotes(record) == [("15 million pounds", "was loved", "12 million pounds")]
    assert record.annotations[0].annotation.labels == (("Unwanted", "Intrinsic"),)
    lost = ("'contradicted_by'", "'Unwanted.Extrinsic'", "'Contradiction'")
    messages = [problem.message for problem in problems]
    assert len(messages) == len(lost)
    assert all(
        f"skipped: 1 {what} {name}" in message
        for what, name, message in zip(("types", "labels", "labels"), lost, messages, strict=True)
    )


def test_the_plain_form_is_read(tmp_path: Path) -> None:
    """Lists of start, end and label, parted by the separator; the id is the line's."""
    plain = {"id": 3, "text": LINE["text"], "label": [[114, 131, "Wrong"], [35, 52, "Evidence"]]}
    (record,), problems = _read(tmp_path, plain)
    assert (problems, record.sample.id) == ([], "3")
    assert _quotes(record) == [("15 million pounds",), ("12 million pounds",)]
    assert [one.annotation.labels for one in record.annotations] == [(("Wrong",),), ()]


def test_lines_are_known_by_their_content(tmp_path: Path) -> None:
    """The form with relations needs no --format."""
    assert detect(file(tmp_path, "a.jsonl", json.dumps(LINE))) == "doccano"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": None}, "'text' is an empty value"),
        ({"text": "abc", "source_len": None, "sep_len": None}, "does not occur exactly once"),
        ({"source_len": 900}, "do not fit the length of the text"),
        ({"sha256": "ab"}, "its SHA-256 differs"),
        ({"entities": [{"id": 1, "label": 5}]}, "the label of an entity is a number"),
        ({"entities": [LINE["entities"][0], LINE["entities"][0]]}, "entity id 10 is a duplicate"),
        (
            {"entities": [LINE["entities"][0] | {"start_offset": 60}]},
            "neither inside the source nor inside the summary",
        ),
        ({"entities": [LINE["entities"][0] | {"end_offset": 9000}]}, "outside"),
        (
            {"label": [[1, 2]], "entities": [], "relations": []},
            "neither an object nor a list of the form [start, end, label]",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    """One wrong line or entity is one problem with its place; the others come in."""
    records, (problem, *more) = _read(tmp_path, LINE | change, LINE | {"sample_id": "other"})
    assert len(records) == 1 + problem.refuses_part
    assert problem.refused != problem.refuses_part
    assert all("relations that do not connect" in each.message for each in more)
    assert message in problem.message
    assert problem.where.endswith("admin.jsonl:1")


def test_texts_that_hold_the_separator_are_counted(tmp_path: Path) -> None:
    """They could not be told apart again, so they are left out with their annotations."""
    (record,), _ = _read(tmp_path, LINE)
    (twisted,), _ = _read(tmp_path, LINE | {"source_len": 10, "entities": [], "relations": []})
    twisted = replace(twisted, assignments=(Assignment("doccano", State.DONE),))
    report = write([twisted, record], "doccano", tmp_path / "out.jsonl")
    assert report.records == 1
    assert report.lost[Loss.SEPARATOR] == 1


def test_what_the_layer_has_not_read_is_left_out(tmp_path: Path) -> None:
    """A line without entities stands for somebody who is done, never for nobody; counted."""
    (record,), _ = _read(tmp_path, LINE)
    unread = replace(record, annotations=(), assignments=(Assignment("doccano"),))
    clean = replace(unread, assignments=(Assignment("doccano", State.DONE),))
    report = write([unread, clean], "doccano", tmp_path / "out.jsonl")
    assert report.lost == {RecordTrait.UNREAD: 1, RecordTrait.EMPTY: 1}
    assert (tmp_path / "out.jsonl").read_text("utf-8").count("\n") == report.records == 1


@given(data=st.data())
@settings(max_examples=example_limit(150), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_value_breaks_the_reader(data: st.DataObject) -> None:
    """Any JSON value in any place of a sound line is read or refused, never an accident."""
    line = data.draw(altered(LINE))
    with TemporaryDirectory() as folder:
        try:
            _, problems = _read(Path(folder), line)
        except TuiAnnotateError:
            return
        for problem in problems:
            assert "\n" not in str(problem)
