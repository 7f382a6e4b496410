"""Intervals of shares: those that were published, and what all of them have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.intervals import wilson_interval


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(hits: int, of: int, low: float, high: float) -> None:
    """Source: R. Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    assert wilson_interval(hits, of) == pytest.approx((low, high), abs=0.00006)


@given(st.integers(0, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_an_interval_holds_its_share(case: tuple[int, int]) -> None:
    """It lies in [0, 1], mirrors that of the misses, and shrinks with more cases."""
    hits, of = case
    low, high = wilson_interval(hits, of)
    assert 0 <= low <= high <= 1
    if of:
        assert low <= hits / of <= high
        more_low, more_high = wilson_interval(10 * hits, 10 * of)
        assert more_high - more_low < high - low
    mirrored = wilson_interval(of - hits, of)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_of_nothing_nothing_is_known() -> None:
    """The share may be anything."""
    assert wilson_interval(0, 0) == (0, 1)
