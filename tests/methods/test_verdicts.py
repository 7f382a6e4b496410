"""What people's work says of a sample as a whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.verdicts import find_verdict

SAMPLE = Sample("d", "1", (Document(Side.SOURCE, "It cost 12."), Document(Side.SUMMARY, "15.")))
WRONG = Annotation("a", (Anchor(Side.SUMMARY, 0, Span(0, 2)),), labels=(("Unwanted", "Intrinsic"),))


def _labelled(*tops: str) -> Annotation:
    return replace(WRONG, labels=tuple((top,) for top in tops))


def _record(work: dict[str, list[Annotation]], **kinds: PersonKind) -> Record:
    return Record(
        SAMPLE,
        tuple(OwnedAnnotation(person, one) for person, found in work.items() for one in found),
        tuple(Assignment(person, State.DONE) for person in work),
        tuple(Person(person, person, kind) for person, kind in kinds.items()),
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], True),
        ([WRONG], False),
        ([_labelled()], False),
        ([_labelled("Benign")], True),
        ([_labelled("Questionable")], None),
        ([_labelled("Questionable", "Unwanted")], False),
        ([replace(WRONG, claim=(), evidence=WRONG.claim)], True),
        ([replace(WRONG, origin="machine:llm")], True),
        ([replace(WRONG, origin=REJECTED)], True),
    ],
)
def test_one_person_says_it_by_what_they_marked(found: list[Annotation], said: bool | None) -> None:
    """A claim makes a sample unsupported, unless it is harmless, open, or no person's."""
    assert find_verdict(_record({"ana": found})) is said


def test_nobody_who_is_done_says_nothing() -> None:
    """A draft counts for nobody, whatever is marked in it."""
    record = _record({"ana": [WRONG]})
    draft = replace(record, assignments=(Assignment("ana", State.DRAFT),))
    assert find_verdict(draft) is None
    assert find_verdict(Record(SAMPLE)) is None


def test_most_decide_and_a_tie_says_nothing() -> None:
    """Whoever can not tell has no voice."""
    assert find_verdict(_record({"ana": [WRONG], "ben": [], "cem": []})) is True
    assert find_verdict(_record({"ana": [WRONG], "ben": []})) is None
    open_ = _labelled("Questionable")
    assert find_verdict(_record({"ana": [WRONG], "ben": [open_]})) is False


def test_what_review_settled_goes_before_all() -> None:
    """Also where it settled that nothing is wrong."""
    settled: dict[str, list[Annotation]] = {SETTLED: [], "ana": [WRONG], "ben": [WRONG]}
    assert find_verdict(_record(settled)) is True


def test_second_readings_do_not_count_twice() -> None:
    """They tell how far somebody agrees with themselves, and no more."""
    work: dict[str, list[Annotation]] = {"ana": [WRONG], "ana~2": []}
    assert find_verdict(_record(work, **{"ana~2": PersonKind.AGAIN})) is False
