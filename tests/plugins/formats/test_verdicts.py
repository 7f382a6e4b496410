"""FaithBench's table: the worst and the best that annotators found, and what that leaves out."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.plugins.formats.laws import base, write
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Side
from tui_annotate.plugins.traits import Loss, RecordTrait

PEOPLE = [Person(name, name, PersonKind.IMPORTED) for name in ("ana", "ben", "li")]


def _record(**labels: list[str]) -> Record:
    """Work of several people, by the top labels of what each marked."""
    plain = base("ana")
    (owned,) = plain.annotations
    made = [
        OwnedAnnotation(name, replace(owned.annotation, id=f"{name}-{place}", labels=((top, "x"),)))
        for name, tops in labels.items()
        for place, top in enumerate(tops)
    ]
    done = tuple(Assignment(name, State.DONE) for name in labels)
    return replace(plain, annotations=tuple(made), assignments=done, people=tuple(PEOPLE))


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


@pytest.mark.parametrize(
    ("labels", "worst", "best"),
    [
        ({"ana": ["Unwanted", "Benign"], "ben": ["Questionable"]}, "Unwanted", "Benign"),
        ({"ana": ["Benign"], "ben": []}, "Benign", "Consistent"),
        ({"ana": []}, "Consistent", "Consistent"),
        ({"ana": ["Odd", "Benign"]}, "Benign", "Benign"),
    ],
)
def test_verdicts_are_pooled(
    tmp_path: Path, labels: dict[str, list[str]], worst: str, best: str
) -> None:
    """The worst and the best label of all annotators, with Consistent for one without labels."""
    write([_record(**labels)], "faithbench-csv", tmp_path / "a.csv")
    ((_, _, _, *found),) = _rows(tmp_path / "a.csv")
    assert found == [worst, best]


def test_what_has_no_verdict_is_left_out(tmp_path: Path) -> None:
    """Samples that nobody read, and those with labels that are none of the four; counted."""
    unread = replace(base("ana"), annotations=(), assignments=())
    report = write([unread, _record(ana=["Odd"])], "faithbench-csv", tmp_path / "a.csv")
    assert _rows(tmp_path / "a.csv") == []
    assert report.lost[RecordTrait.UNREAD] == 1
    assert report.lost[Loss.NO_VERDICT] == 1
    assert report.lost[Loss.NO_VERDICT_LABELS] == 1


def test_a_sample_without_a_verdict_loses_only_its_annotations(tmp_path: Path) -> None:
    """What else such a sample has is not counted, because the sample is not written."""
    record = _record(ana=["Odd"])
    rated = tuple(replace(work, rating="good") for work in record.assignments)
    sample = replace(record.sample, group="g", dataset="other")
    excluded = replace(record, sample=sample, assignments=rated)
    report = write([excluded], "faithbench-csv", tmp_path / "a.csv")
    assert report.lost == {
        Loss.NO_VERDICT: 1,
        Loss.NO_VERDICT_LABELS: 1,
        Loss.ITEM_ANNOTATIONS: 1,
    }


def test_texts_are_cells(tmp_path: Path) -> None:
    """Line ends and quotes survive; what looks like a formula gets a quote, and is counted."""
    plain = _record(ana=[])
    texts = (Document(Side.SOURCE, 'a "b"\r\nc,\rd'), Document(Side.SUMMARY, "=1+1"))
    sample = replace(plain.sample, documents=texts, meta={"model": "toy"})
    report = write([replace(plain, sample=sample)], "faithbench-csv", tmp_path / "a.csv")
    assert _rows(tmp_path / "a.csv") == [
        ['a "b"\r\nc,\rd', "'=1+1", "toy", "Consistent", "Consistent"]
    ]
    assert report.lost[Loss.FORMULAS] == 1
