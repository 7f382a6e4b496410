"""The native form: everything out and in again, and one clear line for what is not as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.record_reader import file, placeless, read, write
from tests.plugins.strategies import records
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record

SAMPLE: dict[str, Any] = {
    "format": "tui-annotate/1",
    "dataset": "d",
    "id": "1",
    "documents": [
        {"side": "source", "text": "It cost 12."},
        {"side": "summary", "text": "It cost 15."},
    ],
    "annotations": [
        {
            "id": "a1",
            "person": "p",
            "claim": [["summary", 0, 8, 10]],
            "evidence": [["source", 0, 8, 10]],
            "labels": [["Unwanted", "Intrinsic"]],
            "quotes": ["15", "12"],
        }
    ],
    "people": [{"id": "p", "name": "ana"}],
}


def _unlike(**changes: Any) -> str:
    return json.dumps(SAMPLE | changes)


def _annotation(**changes: Any) -> str:
    return _unlike(annotations=[SAMPLE["annotations"][0] | changes])


@given(found=st.lists(records(), max_size=4, unique_by=lambda record: record.sample.key))
def test_what_is_written_is_read_back(tmp_path: Path, found: list[Record]) -> None:
    """Nothing at all is lost, whatever the texts hold; the report says so."""
    consistent = _consistent(found)
    text, report = write(consistent, "native")
    assert (report.records, report.lost) == (len(found), {})
    assert report.annotations == sum(len(record.annotations) for record in found)
    back, problems = read(file(tmp_path, "a.jsonl", text), "native")
    assert placeless(back) == consistent
    assert [problem for problem in problems if found] == []


def _consistent(found: list[Record]) -> list[Record]:
    """The records with one description of each person, as a store gives them."""
    known: dict[str, Person] = {}
    for record in found:
        for person in record.people:
            known.setdefault(person.id, person)
    return [
        Record(
            record.sample,
            record.annotations,
            record.assignments,
            tuple(known[person.id] for person in record.people),
        )
        for record in found
    ]


@given(found=st.lists(records(), max_size=3))
@settings(max_examples=example_limit(30))
def test_bytes_are_stable(found: list[Record]) -> None:
    """The same records give the same bytes, one line each."""
    text, _ = write(found, "native")
    assert text == write(found, "native")[0]
    assert text.count("\n") == len(found)


def test_a_person_is_described_once(tmp_path: Path) -> None:
    """Only the first line that names a person describes them, unless they change."""
    records, _ = read(file(tmp_path, "a.jsonl", _unlike() + "\n" + _unlike(id="2", people=[])))
    assert records[1].people == records[0].people
    lines = write(records, "native")[0].splitlines()
    assert ["people" in json.loads(line) for line in lines] == [True, False]


def test_a_person_who_changed_is_described_anew(tmp_path: Path) -> None:
    """Two files put together may know somebody by two names; each record keeps its own."""
    other = _unlike(id="2", people=[{"id": "p", "name": "Ana Lee"}])
    records, _ = read(file(tmp_path, "a.jsonl", f"{_unlike()}\n{other}"))
    back, _ = read(file(tmp_path, "b.jsonl", write(records, "native")[0]))
    assert [record.people[0].name for record in back] == ["ana", "Ana Lee"]


def test_an_asked_for_dataset_replaces_the_files(tmp_path: Path) -> None:
    """A file can be read as another dataset."""
    records, _ = read(file(tmp_path, "a.jsonl", _unlike()), dataset="other")
    assert records[0].sample.dataset == "other"


def test_what_is_unknown_is_told(tmp_path: Path) -> None:
    """A key that nobody knows is left out, and a doubt says so."""
    records, problems = read(file(tmp_path, "a.jsonl", _unlike(zeal=1, mood=2)))
    assert len(records) == 1
    (problem,) = problems
    assert not problem.refused
    assert "'mood', 'zeal'" in problem.message


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('"a"', "the record is text ('a'), not a JSON object"),
        (
            '{"format": "tui-annotate/2"}',
            "the field 'format' is 'tui-annotate/2', not 'tui-annotate/1'",
        ),
        (_unlike(dataset=None), "the dataset is an empty value (null)"),
        (_unlike(id=[]), "the id is a list"),
        (_unlike(documents=[]), "the sample has no documents"),
        (_unlike(documents=3), "'documents' is a number (3), not a list"),
        (_unlike(documents=["a"]), "'documents' contains a value that is not a JSON object"),
        (
            _unlike(documents=[{"side": "left", "text": "a"}]),
            "a document's field 'side' is 'left'",
        ),
        (
            _unlike(documents=[{"side": "summary", "text": "a"}] * 2),
            "the sample has more than one summary document",
        ),
        (
            _unlike(documents=[{"side": "source", "text": ""}]),
            "column 'source text' is empty",
        ),
        (
            _unlike(documents=[{"side": "source", "text": "a", "sha256": "00"}]),
            "the source text has SHA-256 ca978112ca1b..., but the file states '00'",
        ),
        (_unlike(kind="poem"), "'poem' is not a valid kind of sample"),
        (_unlike(meta=[1]), "'meta' is a list, not a JSON object"),
        (_unlike(group=5), "'group' is a number (5), not text"),
        (_unlike(group="a\0"), "'group' 'a\\x00' contains U+0000 at offset 1"),
        (_annotation(id=""), "the id of an annotation is empty"),
        (_unlike(people=[]), "person 'p' of the annotation a1 is not in the list 'people'"),
        (_unlike(people=[{"id": "p", "kind": "robot"}]), "'robot' is not a valid kind of person"),
        (_unlike(assignments=[{"person": "p", "state": "lost"}]), "'lost' is not a valid state"),
        (
            _unlike(assignments=[{"person": "p", "seconds": -1}]),
            "'seconds' is -1, not a duration",
        ),
        (
            _unlike(assignments=[{"person": "p", "seconds": float("nan")}]),
            "'seconds' is nan, not a duration",
        ),
        (
            _unlike(assignments=[{"person": "p", "seconds": "1"}]),
            "'seconds' is text ('1'), not a number",
        ),
        (_annotation(id=7), "'id' is a number (7), not text"),
        (_annotation(version="2"), "'version' is text ('2'), not a whole number below 2^53"),
        (_annotation(number=2**60), "'number' is a number (1152921504606846976), not a whole"),
        (_annotation(number=-1), "'number' is a number (-1), not a whole number below 2^53"),
        (_annotation(labels=["Unwanted"]), "label 'Unwanted' is not a list of names"),
        (_annotation(quotes=["15"]), "annotation a1 must have one quote for each span"),
        (
            _annotation(quotes=["16", "12"]),
            "the summary span of annotation a1 8:10 covers '15', but the file quotes '16'",
        ),
        (
            _annotation(claim=[["source", 0, 8, 10]]),
            "annotation a1 has a claim outside the summary",
        ),
        (
            _annotation(claim=[["summary", 1, 8, 10]]),
            "summary span of annotation a1: sample '1' has no summary document 1",
        ),
        (
            _annotation(claim=[["summary", 0, 8, 99]]),
            "summary span of annotation a1: the span 8:99 ends outside a text of 11 code points",
        ),
        (_annotation(claim=[["summary", 0, 8, 8]]), "8:8 is not a span"),
        (_annotation(claim=[["summary", 0, 8]]), "invalid annotation: not enough values to unpack"),
        (_annotation(imported=[1]), "'imported' is a list, not a JSON object"),
        (_annotation(id=10**1000), "'id' is a number"),
        (_unlike(id=10**1000), "the id is longer than 1000 characters"),
        (_annotation(claim=[], evidence=[], quotes=[]), "annotation a1 has neither claim nor evid"),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_told(tmp_path: Path, line: str, told: str) -> None:
    """One message with the place and the value; a wrong annotation leaves its sample."""
    path = file(tmp_path, "a.jsonl", f"{line}\n{_unlike(id='2')}\n")
    found, problems = read(path, "native")
    kept = ["1"] if problems[0].refuses_part else []
    assert [record.sample.id for record in found] == [*kept, "2"]
    assert all(problem.refused != problem.refuses_part for problem in problems)
    message = problems[0].message.removeprefix("skipped: ")
    assert message.startswith(told)
    assert problems[0].where == f"{path}:1"


def test_a_sample_twice_is_refused(tmp_path: Path) -> None:
    """The second of two samples with one key is refused and names the first."""
    path = file(tmp_path, "a.jsonl", f"{_unlike()}\n{_unlike()}\n")
    _, problems = read(path)
    assert problems[0].where == f"{path}:2"
    assert "d/1" in problems[0].message
    assert f"{path}:1" in problems[0].message
