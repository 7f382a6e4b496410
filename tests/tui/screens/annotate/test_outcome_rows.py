"""A lesson of review in words."""

from __future__ import annotations

import pytest

from tests.helpers.collection_samples import report
from tui_annotate.services.review import SampleOutcome
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
