"""Laws of intervals from drawing clusters anew."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods import bootstrap
from tui_annotate.methods.bootstrap import Interval, percentile_interval, resample, resample_sums

QUERIES = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from("abcdefg")), min_size=3, max_size=60
).filter(lambda found: len({cluster for _, cluster in found}) >= bootstrap.FEWEST)


def drawn(found: list[tuple[float, str]], *, draws: int = 200) -> np.ndarray:
    """The means of some draws."""
    values, clusters = zip(*found, strict=True)
    means = resample(np.array(values), clusters, draws=draws)
    assert means is not None
    return means


@given(QUERIES)
def test_means_stay_between_those_of_the_clusters(found: list[tuple[float, str]]) -> None:
    """A draw is a mix of clusters, so none is under the lowest mean or above the highest."""
    of: dict[str, list[float]] = {}
    for value, cluster in found:
        of.setdefault(cluster, []).append(value)
    means = [float(np.mean(values)) for values in of.values()]
    made = drawn(found)
    assert made.min() >= min(means) - 1e-9
    assert made.max() <= max(means) + 1e-9


@given(QUERIES, st.randoms())
def test_the_order_of_queries_does_not_matter(
    found: list[tuple[float, str]], chance: Random
) -> None:
    """Draws are of clusters by name; and the same are drawn each time."""
    other = list(found)
    chance.shuffle(other)
    assert np.allclose(drawn(found), drawn(other))
    assert np.array_equal(drawn(found), drawn(found))


@given(QUERIES, st.floats(0.01, 0.5))
def test_columns_are_drawn_together(found: list[tuple[float, str]], more: float) -> None:
    """What is better by the same everywhere is better by that in every draw; itself by nothing."""
    values = np.array([value for value, _ in found])
    both = np.stack([values, values + more, values], axis=1)
    means = resample(both, [cluster for _, cluster in found], draws=200)
    assert means is not None
    assert np.allclose(means[:, 1] - means[:, 0], more)
    assert percentile_interval(means[:, 1] - means[:, 0]).excludes_zero
    assert percentile_interval(means[:, 2] - means[:, 0]) == Interval(0.0, 0.0)


def test_an_interval_holds_the_mean_and_most_of_the_draws() -> None:
    """Of 2,000 draws 95 in 100; and the mean of even data is amid them."""
    chance = np.random.default_rng(1)
    found = [(float(value), str(at % 40)) for at, value in enumerate(chance.random(400))]
    means = drawn(found, draws=bootstrap.DRAWS)
    low, high = percentile_interval(means)
    assert ((low <= means) & (means <= high)).mean() == pytest.approx(0.95, abs=0.005)
    assert low < np.mean([value for value, _ in found]) < high


def test_clusters_of_equals_widen_the_interval() -> None:
    """A hundred queries on four sources say no more than four, where each source's are alike."""
    alike = [(float(at % 4 < 2), str(at % 4)) for at in range(100)]
    alone = [(value, str(at)) for at, (value, _) in enumerate(alike)]
    wide, narrow = (percentile_interval(drawn(found, draws=2000)) for found in (alike, alone))
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_the_width_is_that_of_the_textbook() -> None:
    """With a query a source: about 1.96 standard errors to either side."""
    values = np.random.default_rng(2).normal(size=500)
    means = resample(values, [str(at) for at in range(500)])
    assert means is not None
    low, high = percentile_interval(means)
    error = values.std() / np.sqrt(500)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.08)


def test_sums_are_of_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each draw takes as many rows as there are; the same each time, however much at once."""
    rows = np.column_stack([np.ones(50), np.arange(50.0), 2 * np.arange(50.0)])
    made = resample_sums(rows, draws=300)
    assert made is not None
    assert (made[:, 0] == 50).all()
    assert np.allclose(made[:, 2], 2 * made[:, 1])
    assert made[:, 1].mean() == pytest.approx(rows[:, 1].sum(), rel=0.02)
    monkeypatch.setattr(bootstrap, "_BLOCK_SIZE", 70)
    again = resample_sums(rows, draws=300)
    assert again is not None
    assert np.allclose(made, again)
    assert resample_sums(rows[:2]) is None


@pytest.mark.parametrize("clusters", [[], ["a", "a"], ["a", "b", "a"]])
def test_few_clusters_have_no_interval(clusters: list[str]) -> None:
    """Under three nothing is known of how they differ."""
    assert resample(np.ones(len(clusters)), clusters) is None


def test_draws_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded, and nothing else changes."""
    found = [(at / 10, str(at)) for at in range(10)]
    whole = drawn(found)
    monkeypatch.setattr(bootstrap, "_BLOCK_SIZE", 70)
    assert np.allclose(drawn(found), whole)


@pytest.mark.parametrize(
    ("low", "high", "sure"),
    [(0.1, 0.2, True), (-0.2, -0.1, True), (-0.1, 0.1, False), (0, 1, False), (1e-17, 1, False)],
)
def test_zero_is_in_or_out(low: float, high: float, sure: bool) -> None:
    """An end at zero, or off it by rounding, does not exclude it."""
    assert Interval(low, high).excludes_zero is sure
