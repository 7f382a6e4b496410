"""A lesson of review in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.collection_samples import report
from tests.helpers.stores import claim, sample
from tui_annotate.domain.adjudication import Adjudication, RejectionReason, ReviewAction
from tui_annotate.services.review import SampleOutcome
from tui_annotate.services.review.review_sample import AnnotationOutcome
from tui_annotate.tui.dialogs.review_outcome import OutcomeRow
from tui_annotate.tui.screens.annotate.outcome_rows import own_rows


@pytest.mark.parametrize(
    ("rated", "settled", "comment", "told"),
    [
        ("Bad", "Bad", "", OutcomeRow("good", "rating: Bad", "adjudicated: the same")),
        ("Bad", "So-so", "", OutcomeRow("warning", "rating: Bad", "adjudicated: So-so")),
        (
            "",
            "Bad",
            "thin",
            OutcomeRow("warning", "rating: Not rated", 'adjudicated: Bad; "thin"'),
        ),
        ("Bad", "", "", OutcomeRow("warning", "rating: Bad", "adjudicated: Not rated")),
    ],
)
def test_a_lesson_begins_with_the_rating(
    rated: str, settled: str, comment: str, told: OutcomeRow
) -> None:
    """One's own, what was settled, and what review says of the sample."""
    lesson = SampleOutcome(report().key, (), (), rated, settled, comment)
    assert own_rows(lesson, report()) == [told]


def test_where_nobody_rated_nothing_is_told_of_it() -> None:
    """A pair has no rating."""
    assert own_rows(SampleOutcome(report().key, (), ()), report()) == []


@pytest.mark.parametrize(("label", "role"), [("Fine", "accent"), ("Odd", "warning")])
def test_a_merge_credits_those_who_chose_its_label(label: str, role: str) -> None:
    """Words that were merged under another label were not accepted as they were meant."""
    own = claim("a", 0, 10, label=label)
    settled = Adjudication("x", ReviewAction.MERGED, ("a",), RejectionReason.NONE)
    result = replace(claim("m", 0, 15, label="Fine"), settled=settled)
    lesson = SampleOutcome(sample("1").key, (AnnotationOutcome(own, result, None),), ())
    assert [row.role for row in own_rows(lesson, sample("1"))] == [role]
