"""What of people's work is compared, and how it is told; without a store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.stores import claim, sample
from tui_annotate.domain.agreement_options import AgreementOptions
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.checked_readings import CheckedReading
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.services.agreement.compared_readings import (
    MarkedUnit,
    ReadingBuilder,
    SampleReading,
)
from tui_annotate.services.agreement.label_order import NOTHING, LabelOrder
from tui_annotate.services.agreement.output import round_value
from tui_annotate.services.agreement.tallies import AgreementTally, Summary

FINE = ("Fine",)


def reading(person: str, *spans: Span, stacked: int = 0) -> SampleReading:
    """Somebody's, with one label."""
    units = {span: MarkedUnit(FINE, frozenset()) for span in spans}
    return SampleReading(person, FINE, frozenset(spans), units, stacked)


@pytest.mark.parametrize(
    ("span", "marked"),
    [(Span(0, 3), [0]), (Span(0, 4), [0, 1]), (Span(3, 6), [1]), (Span(2, 7), [0, 1, 2])],
)
def test_a_sentence_is_marked_where_a_span_shares_a_sign_with_it(
    span: Span, marked: list[int]
) -> None:
    """Not where one ends as it begins, as without blanks between sentences they do."""
    segments = [Segment(0, 3), Segment(3, 6), Segment(6, 9)]
    found = reading("ana", span).of_segments(segments, LabelOrder([]))
    assert found == [FINE if at in marked else NOTHING for at in range(3)]


@pytest.mark.parametrize(
    ("asked", "kept"), [("", 2), ("machine", 1), ("machine:x", 1), ("machine:y", 0), ("human", 1)]
)
def test_a_kind_of_origin_lets_all_of_it_through(asked: str, kept: int) -> None:
    """As exports do; what is of another one is told."""
    ones = (replace(claim("a", 0, 4), origin="machine:x"), claim("b", 5, 9))
    record = Record(
        sample("1"),
        tuple(OwnedAnnotation("ana", one) for one in ones),
        (Assignment("ana", State.DONE),),
        (Person("ana", "ana"),),
    )
    reader = ReadingBuilder(AgreementOptions(origin=asked), LabelOrder([]))
    (found,) = reader.readings(record)
    assert (len(found.units), reader.left.annotations.total()) == (kept, 2 - kept)


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    ("made_under", "label_set", "guidelines", "counts"),
    [
        (("h1", "g1"), "h1", "g1", True),
        (("h1", "g1"), "h2", "", False),
        (("h1", "g1"), "", "g2", False),
        (("h1", ""), "h1", "", True),
        (("h1", ""), "", "g1", False),
        (("", ""), "h1", "g1", True),
    ],
)
def test_a_reading_without_annotations_has_versions_like_any_other(
    made_under: tuple[str, str], label_set: str, guidelines: str, counts: bool, marked: bool
) -> None:
    """Work from before the first guidelines has none; imported work without versions counts."""
    one = replace(claim("a", 0, 4), label_set=made_under[0], guidelines=made_under[1])
    completion = dict(zip(("labels", "guidelines"), made_under, strict=True))
    record = Record(
        sample("1"),
        (OwnedAnnotation("ana", one),) if marked else (),
        (Assignment("ana", State.DONE),),
        (Person("ana", "ana"),),
    )
    reader = ReadingBuilder(
        AgreementOptions(label_set=label_set, guidelines=guidelines),
        LabelOrder([]),
        versions=lambda _person, _key: {name: value for name, value in completion.items() if value},
    )
    assert len(reader.readings(record)) == int(counts)
    assert reader.left.work.total() == int(not counts)


@pytest.mark.parametrize(("rated", "left_out"), [(True, 1), (False, 0)])
def test_a_rated_check_of_accuracy_is_left_out_like_an_annotated_one(
    rated: bool, left_out: int
) -> None:
    """As other work that is only rated counts in states other than completed."""
    check = CheckedReading(
        sample("1").key, "ana", "pair", "draft", "", annotations=0, practice=False, rated=rated
    )
    reader = ReadingBuilder(AgreementOptions(state=""), LabelOrder([]))
    reader.leave_out_checked([check], ())
    assert reader.left.work.total() == left_out


def test_a_reading_in_several_groups_has_its_stacked_spans_once() -> None:
    """As one person's that is compared with each of the others."""
    ana, ben, li = reading("ana", Span(0, 3), stacked=2), reading("ben"), reading("li", stacked=1)
    tally = AgreementTally(LabelOrder([]))
    tally.add([[ana, ben], [ana, li]], Summary(sample("1").key, "abc", [Segment(0, 3)]))
    assert tally.stacked == 3


def test_a_stranger_stands_with_its_nearest_kin() -> None:
    """Before the label that it is a child of, behind that one's known children."""
    order = LabelOrder([parse_labels("- {name: A, children: [{name: B, children: [C]}, D]}")])
    known = [("A", "B", "C"), ("A", "B"), ("A", "D"), ("A",)]
    found = order.sorted([("A", "B", "X"), ("A", "X"), *known])
    assert found == [known[0], ("A", "B", "X"), *known[1:3], ("A", "X"), known[3]]


def test_figures_have_four_digits() -> None:
    """As papers quote them; of what has no value there is none."""
    assert (round_value(2 / 3), round_value(UndefinedReason("why"))) == (0.6667, None)
