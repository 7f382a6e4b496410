"""A lesson of review in words."""

from __future__ import annotations

import pytest

from tests.collected import report
from tui_annotate.services.review import Lesson
from tui_annotate.tui.dialogs.lesson import Told
from tui_annotate.tui.screens.annotate.lesson import own


@pytest.mark.parametrize(
    ("rated", "settled", "comment", "told"),
    [
        ("Bad", "Bad", "", Told("good", "rating: Bad", "settled so")),
        ("Bad", "So-so", "", Told("warning", "rating: Bad", "settled: So-so")),
        ("", "Bad", "thin", Told("warning", "rating: Not rated", 'settled: Bad; "thin"')),
        ("Bad", "", "", Told("warning", "rating: Bad", "settled: Not rated")),
    ],
)
def test_a_lesson_begins_with_the_rating(
    rated: str, settled: str, comment: str, told: Told
) -> None:
    """One's own, what was settled, and what review says of the sample."""
    lesson = Lesson(report().key, (), (), rated, settled, comment)
    assert own(lesson, report()) == [told]


def test_where_nobody_rated_nothing_is_told_of_it() -> None:
    """A pair has no rating."""
    assert own(Lesson(report().key, (), ()), report()) == []
