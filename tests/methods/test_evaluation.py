"""Figures of rankings against a count by hand."""

from __future__ import annotations

import pytest

from tui_annotate.domain.spans import Span
from tui_annotate.methods.evaluation import Figures, figures, is_hit


@pytest.mark.parametrize(
    ("segment", "chosen", "expected"),
    [
        (Span(0, 10), Span(7, 20), True),
        (Span(0, 10), Span(8, 20), False),
        (Span(0, 10), Span(8, 10), True),
        (Span(0, 10), Span(9, 11), False),
        (Span(0, 10), Span(10, 12), False),
    ],
)
def test_a_hit_shares_three_code_points_or_all(segment: Span, chosen: Span, expected: bool) -> None:
    """Of a span of two, both must be in the segment."""
    assert is_hit(segment, chosen) is expected


def test_figures_by_hand() -> None:
    """Recall counts the queries with a hit that high; a query without one gives nothing."""
    found = figures([1, 2, 4, None])
    assert found == Figures(4, 0.25, 0.5, 0.75, (1 + 0.5 + 0.25) / 4)


def test_no_queries_are_no_error() -> None:
    """All figures are zero then."""
    assert figures([]) == Figures(0, 0.0, 0.0, 0.0, 0.0)
