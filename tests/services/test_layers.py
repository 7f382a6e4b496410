"""Layers: whose work goes into a format of one layer, and the words where that is not said."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from tests.helpers.errors import has_code
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.plugins.traits import RecordTrait
from tui_annotate.services.export.writer import ExportRun, select_layer

SAMPLE = Sample("d", "1", (Document(Side.SOURCE, "One two."), Document(Side.SUMMARY, "One six.")))
ANA, BEN, LI = (Person(name[0], name, PersonKind.LOCAL) for name in ("ana", "ben", "li"))
REVIEW = Person(SETTLED, SETTLED, PersonKind.SETTLED)
AGAIN = Person("a~2", "ana (2nd reading)", PersonKind.AGAIN)


def _said(person: Person, key: str, start: int, end: int, label: str = "X") -> OwnedAnnotation:
    claim = (Anchor(Side.SUMMARY, 0, Span(start, end)),)
    return OwnedAnnotation(person.id, Annotation(key, claim, labels=((label,),)))


RECORD = Record(
    SAMPLE,
    (
        _said(ANA, "1", 4, 7),
        _said(BEN, "2", 4, 7),
        _said(BEN, "3", 0, 3, "Y"),
        _said(AGAIN, "4", 0, 3, "Y"),
        _said(REVIEW, "5", 4, 8),
    ),
    tuple(Assignment(each.id, State.DONE) for each in (ANA, BEN, LI, AGAIN, REVIEW)),
    (ANA, BEN, LI, AGAIN, REVIEW),
)


def _ids(layer: str, record: Record = RECORD) -> list[str]:
    (found,) = select_layer([record], layer)
    return [owned.annotation.id for owned in found.annotations]


@pytest.mark.parametrize(
    ("layer", "kept"),
    [
        ("adjudicated", ["5"]),
        ("ana", ["1"]),
        ("b", ["2", "3"]),
        ("li", []),
        ("all", ["1", "2", "3", "4"]),
    ],
)
def test_a_layer_is_the_work_that_was_named(layer: str, kept: list[str]) -> None:
    """Review's, one person's by name or id, or everybody's but review's."""
    assert _ids(layer) == kept


def test_who_read_and_found_nothing_has_read() -> None:
    """The layer of somebody who finished without a find holds that they finished."""
    (found,) = select_layer([RECORD], "li")
    assert found.assignments == (Assignment("l", State.DONE),)


def test_the_majority_is_of_those_who_read() -> None:
    """Two of three is one, one is none; second readings, review and who skipped have no vote."""
    (found,) = select_layer([RECORD], "majority")
    (one,) = found.annotations
    assert one.annotation.claim == (Anchor(Side.SUMMARY, 0, Span(4, 7)),)
    assert (one.person, one.annotation.origin) == ("majority", "machine:majority")
    assert found.assignments == (Assignment("majority", State.DONE),)
    passed = tuple(Assignment(name, State.SKIPPED) for name in ("x", "y", "z"))
    (same,) = select_layer(
        [replace(RECORD, assignments=(*RECORD.assignments, *passed))], "majority"
    )
    assert same.annotations == found.annotations
    (nothing,) = select_layer([Record(SAMPLE)], "majority")
    assert nothing == Record(SAMPLE)


OTHERS = [
    Record(
        replace(SAMPLE, id=state.value),
        (_said(ANA, f"{state}1", 0, 3, "Benign"), _said(BEN, f"{state}2", 4, 7, "Benign")),
        (Assignment(ANA.id, state), Assignment(BEN.id, State.DONE)),
        (ANA, BEN),
    )
    for state in State
]
"""A sample for each state of ana's work; ben completed all of them."""

_FORMATS = ("conll", "doccano", "ragtruth", "faithbench-csv", "brat")


@pytest.mark.parametrize("form", _FORMATS)
def test_formats_for_training_get_completed_work(form: str, tmp_path: Path) -> None:
    """Also that of an import without states; the rest is counted by its state, not written."""
    counted = {"in progress": 1, "skipped": 1, "flagged": 1, "reopened": 1}
    for layer, written in (("ana", 2), ("all", 8)):
        report = ExportRun(form, ExportOptions(layer=layer)).run(OTHERS, tmp_path / layer)
        assert (report.left_out, report.annotations) == (counted, written)
        assert RecordTrait.UNREAD.value not in report.lost
    every = ExportOptions(layer="ana", all_states=True)
    report = ExportRun(form, every).run(OTHERS, tmp_path / "every")
    assert (report.left_out, report.annotations, report.records) == ({}, 6, 6)


def test_a_majority_is_of_completed_work() -> None:
    """Nobody's work in progress counts for or against an annotation."""
    work = tuple(Assignment(each.id, State.DRAFT) for each in (BEN, LI))
    record = replace(RECORD, assignments=(Assignment(ANA.id, State.DONE), *work))
    for every, spans in ((False, 1), (True, 1)):
        target = StringIO()
        options = ExportOptions(layer="majority", all_states=every)
        report = ExportRun("conll", options).run([record], target)
        assert report.annotations == spans
        assert report.left_out == ({} if every else {"in progress": 2})
    alone = replace(record, annotations=(_said(ANA, "1", 4, 7),))
    assert ExportRun("conll", ExportOptions(layer="majority")).run([alone], StringIO()).records


@pytest.mark.parametrize("form", ["native", "mercury", "labelstudio", "csv", "w3c"])
def test_other_formats_get_all_work(form: str, tmp_path: Path) -> None:
    """Those that carry states or hold everyone's work apart."""
    report = ExportRun(form).run(OTHERS, tmp_path / "all")
    assert (report.left_out, report.annotations) == ({}, 12)


def test_nobody_is_guessed() -> None:
    """No layer, a name of nobody and a name of two are refused, with what could be said."""
    with pytest.raises(InvalidInput, check=has_code("layer-missing")) as report:
        ExportRun("ragtruth")
    assert "--layer adjudicated" in report.value.hint
    with pytest.raises(NotFound, match="'cy'") as nobody:
        _ids("cy")
    assert "ana, ben" in nobody.value.hint
    twin = replace(BEN, name="ana")
    with pytest.raises(NotFound, match="'ana'"):
        _ids("ana", replace(RECORD, people=(ANA, twin, LI, AGAIN, REVIEW)))


def test_work_without_review_has_an_empty_layer() -> None:
    """Where review settled nothing yet, its layer has read nothing."""
    (found,) = select_layer([replace(RECORD, people=(ANA, BEN, LI, AGAIN))], "adjudicated")
    assert (found.annotations, found.assignments) == ((), ())
