"""Figures of rankings against a count by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.spans import Span
from tui_annotate.methods.evaluation import (
    classify_query,
    figures_by_query,
    is_hit,
)


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
    found = figures_by_query([1, 2, 4, None]).mean(axis=0)
    assert found.tolist() == [0.25, 0.5, 0.75, (1 + 0.5 + 0.25) / 4]


@given(st.lists(st.none() | st.integers(1, 50), min_size=1))
def test_recall_grows_with_depth(ranks: list[int | None]) -> None:
    """The recall at 1 is also a bound of the reciprocal rank."""
    first, third, fifth, reciprocal = figures_by_query(ranks).mean(axis=0).tolist()
    assert first <= third <= fifth <= 1
    assert first <= reciprocal <= 1


@pytest.mark.parametrize(
    ("selected", "found", "shared"),
    [
        ("the bridge was closed", "The Bridges are open.", True),
        ("it was the", "it was the", False),
        ("in 1,200 days", "after 1200 nights", True),
        ("the cost", "the price of it", False),
        ("桥梁封闭", "这座桥梁", True),
        ("桥梁封闭", "桥不开放", False),
        ("桥", "桥不开放", True),
        ("的", "桥的", False),
        ("...", "...", False),
    ],
)
def test_a_shared_word_tells_something(selected: str, found: str, shared: bool) -> None:
    """In any form; function words do not count; of Chinese, pairs, or a sign that stands alone."""
    (kind, *_) = classify_query(selected, found, segments=1, language="en")
    assert kind == ("shared_word" if shared else "no_shared_word")


@pytest.mark.parametrize(("length", "segments"), [(20, 30), (21, 29)])
def test_bounds_of_short_and_long(length: int, segments: int) -> None:
    """20 code points are short and 30 segments long, one more or less is not."""
    found = classify_query("a" * length, "b", segments=segments, language="zh")
    expected = ("short_span", "long_source") if length == 20 else ("longer_span", "shorter_source")
    assert found[1:] == (*expected, "zh")
