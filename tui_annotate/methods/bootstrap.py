"""Cluster bootstrap: confidence intervals of means, by resampling all queries of a source.

Queries about one source resemble each other, so whole sources are sampled with replacement, and the
mean is computed over their queries. Sources: B. Efron and R. Tibshirani, "An Introduction to the
Bootstrap", 1993, chapter 13 (percentile intervals); C. Field and A. Welsh, "Bootstrapping clustered
data", JRSS B 69, 2007 (sampling whole clusters).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS: Final = 2000
LEVEL: Final = 0.95
FEWEST: Final = 3
"""Minimum number of clusters for a confidence interval."""
SEED: Final = 7
_BLOCK_SIZE = 1 << 22
_EPSILON = 1e-9

Numbers = NDArray[np.float64]


class Interval(NamedTuple):
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > _EPSILON or self.high < -_EPSILON


def resample(
    values: Numbers, clusters: Sequence[str], *, draws: int = DRAWS, seed: int = SEED
) -> Numbers | None:
    """Compute bootstrap means (draws, ...) of values (queries, ...) by resampling clusters.

    `clusters`: cluster name of each query, in any order; below 3 clusters, return None. Columns
    share
    the resamples, so that their differences are paired.
    """
    names, own = np.unique(np.asarray(clusters, np.str_), return_inverse=True)
    count = len(names)
    if count < FEWEST:
        return None
    sums = np.zeros((count, *values.shape[1:]))
    np.add.at(sums, own, values)
    sizes = np.bincount(own)
    chance = np.random.default_rng(seed)
    block = max(1, _BLOCK_SIZE // count)
    means = []
    for first in range(0, draws, block):
        size = min(block, draws - first)
        drawn = chance.multinomial(count, np.full(count, 1 / count), size=size).astype(np.float64)
        queries = (drawn @ sizes).reshape(size, *(1 for _ in values.shape[1:]))
        # einsum instead of BLAS, whose last bits depend on the number of columns in a block.
        means.append(np.einsum("dc,c...->d...", drawn, sums) / queries)
    return np.concatenate(means)


def resample_sums(rows: Numbers, *, draws: int = DRAWS, seed: int = SEED) -> Numbers | None:
    """Compute bootstrap sums (resamples, columns) from the sums of each cluster (rows, columns)."""
    count = len(rows)
    if count < FEWEST:
        return None
    # For 30,000 rows, one resample takes 0.15 ms this way, and 2.4 ms as a multinomial.
    chance = np.random.default_rng(seed)
    block = max(1, _BLOCK_SIZE // count)
    sums = []
    for first in range(0, draws, block):
        places = chance.integers(0, count, size=(min(block, draws - first), count))
        times = [np.bincount(drawn, minlength=count) for drawn in places]
        sums.append(np.asarray(times, np.float64) @ rows)
    return np.concatenate(sums)


def percentile_interval(means: Numbers) -> Interval:
    """Compute the 95 % percentile interval of bootstrap means (resamples,)."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))
