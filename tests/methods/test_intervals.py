"""Intervals of shares: those that were published, and what all of them have in common."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.intervals import cluster_interval, wilson_interval


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


def test_a_proportion_over_clusters_resamples_clusters() -> None:
    """As an independent program computes it: shuffle, sum, divide, cut 2.5 % at both ends."""
    counts = [(7, 2), (3, 3), (10, 1), (1, 1), (4, 0), (6, 5)]
    chance = random.Random(5)
    shares = []
    for _ in range(20_000):
        drawn = [chance.choice(counts) for _ in counts]
        shares.append(sum(hits for _, hits in drawn) / sum(cases for cases, _ in drawn))
    shares.sort()
    low, high = cluster_interval(counts) or (0, 0)
    assert low == pytest.approx(shares[500], abs=0.02)
    assert high == pytest.approx(shares[19_500], abs=0.02)
    assert cluster_interval(counts[::-1]) == (low, high)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([], None),
        ([(5, 1), (4, 2)], None),
        ([(1, 1), (1, 0), (1, 0), (0, 0)], wilson_interval(1, 3)),
        ([(2, 2), (9, 9), (4, 4)], wilson_interval(3, 3)),
    ],
)
def test_proportions_without_resampling(
    counts: list[tuple[int, int]], expected: tuple[float, float] | None
) -> None:
    """Too few clusters, independent cases, and clusters of one proportion."""
    assert cluster_interval(counts) == expected
