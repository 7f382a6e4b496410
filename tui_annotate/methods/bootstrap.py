"""Cluster bootstrap: confidence intervals by resampling whole clusters of cases.

Samples about one source resemble each other, so whole clusters (`domain.sample_clusters`) are
sampled with replacement, and a measure is computed from their cases. All intervals of the program
come from this module, except those of proportions of independent cases (`methods.intervals`).
Sources: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13
(percentile intervals); C. Field and A. Welsh, "Bootstrapping clustered data", JRSS B 69, 2007
(sampling whole clusters).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS: Final = 2000
LEVEL: Final = 0.95
FEWEST: Final = 3
"""Minimum number of clusters for a confidence interval."""
ENOUGH: Final = 20
"""Minimum number of clusters for an interval that covers about what it states.

In 3,000 simulations with a normal mean, 95 % intervals covered the mean in 75 % with 3 clusters,
84 % with 5, 90 % with 10, 92 % with 20, and 93 % with 50.
"""
SEED: Final = 7
PARAMETERS: Final[dict[str, Any]] = {"level": LEVEL, "draws": DRAWS, "seed": SEED}
"""Level, number of resamples and random seed of all intervals, as commands print them in JSON."""
_BLOCK_SIZE = 1 << 22
_EPSILON = 1e-9

Numbers = NDArray[np.float64]


class Interval(NamedTuple):
    """Two-sided confidence interval of a measure, in the unit of the measure."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > _EPSILON or self.high < -_EPSILON


def count_clusters(clusters: Sequence[str]) -> int:
    """Return the number of different cluster names; the empty name is one, too."""
    return len(set(clusters))


def are_few(clusters: int) -> bool:
    """Return whether an interval from so many clusters, if there is any, is too narrow."""
    return clusters < ENOUGH


TOO_FEW_CLUSTERS: Final = f"there are fewer than {FEWEST} clusters"


def explain_no_interval(clusters: int) -> str:
    """Return why a measure that has a value has no interval over so many clusters."""
    if clusters < FEWEST:
        return TOO_FEW_CLUSTERS
    return "the measure has no value in 5 % or more of the resamples"


def resample(
    values: Numbers, clusters: Sequence[str], *, draws: int = DRAWS, seed: int = SEED
) -> Numbers | None:
    """Compute bootstrap means (draws, ...) of values (cases, ...) by resampling clusters.

    `clusters`: cluster name of each case, in any order; below 3 clusters, return None. Columns
    share the resamples, so that their differences are paired.
    """
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    with_sizes = np.concatenate([np.ones((len(flat), 1)), flat], axis=1)
    sums = _sum_by_cluster(with_sizes, clusters)
    if len(sums) < FEWEST:
        return None
    means = []
    for block in _draw_blocks(len(sums), draws=draws, seed=seed):
        # einsum instead of BLAS, whose last bits depend on the number of columns.
        drawn = np.einsum("dc,ck->dk", block, sums)
        means.append(drawn[:, 1:] / drawn[:, :1])
    return np.concatenate(means).reshape(draws, *values.shape[1:])


def resample_sums(
    rows: Numbers,
    clusters: Sequence[str] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Numbers | None:
    """Compute bootstrap sums (draws, columns) of rows (cases, columns) by resampling clusters.

    `clusters`: cluster name of each row, in any order; None if each row is a cluster. Below 3
    clusters, return None.
    """
    if clusters is not None:
        rows = _sum_by_cluster(rows, clusters)
    if len(rows) < FEWEST:
        return None
    blocks = _draw_blocks(len(rows), draws=draws, seed=seed)
    return np.concatenate([block @ rows for block in blocks])


def resample_weights(
    clusters: Sequence[str], *, draws: int = DRAWS, seed: int = SEED
) -> Iterator[Numbers]:
    """Yield how often each case (cases,) is in each resample, for measures that are not of sums.

    The resamples are those of `resample_sums` for the same clusters; none below 3 clusters.
    """
    names, own = np.unique(np.asarray(clusters, np.str_), return_inverse=True)
    if len(names) < FEWEST:
        return
    for block in _draw_blocks(len(names), draws=draws, seed=seed):
        yield from block[:, own]


def _sum_by_cluster(rows: Numbers, clusters: Sequence[str]) -> Numbers:
    """Sum rows (cases, columns) by cluster: (clusters, columns), sorted by the clusters' names."""
    names, own = np.unique(np.asarray(clusters, np.str_), return_inverse=True)
    sums = np.zeros((len(names), rows.shape[1]))
    np.add.at(sums, own, rows)
    return sums


def _draw_blocks(count: int, *, draws: int, seed: int) -> Iterator[Numbers]:
    """Yield how often each cluster is in each resample: (draws in the block, clusters)."""
    # For 30,000 clusters, one resample takes 0.15 ms this way, and 2.4 ms as a multinomial.
    chance = np.random.default_rng(seed)
    block = max(1, _BLOCK_SIZE // count)
    for first in range(0, draws, block):
        places = chance.integers(0, count, size=(min(block, draws - first), count))
        times = [np.bincount(drawn, minlength=count) for drawn in places]
        yield np.asarray(times, np.float64)


def percentile_interval(means: Numbers) -> Interval:
    """Compute the 95 % percentile interval of bootstrap means (resamples,)."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))
