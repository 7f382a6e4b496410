"""Confidence intervals of means over queries, by resampling whole clusters.

Queries about one source resemble each other, so sources are drawn with replacement, each with all
of its queries, and the mean is taken over the queries that were drawn. Sources: B. Efron and R.
Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13 (percentile intervals); C. Field
and A. Welsh, "Bootstrapping clustered data", JRSS B 69, 2007 (drawing clusters whole).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS: Final = 2000
LEVEL: Final = 0.95
FEWEST: Final = 3
"""Clusters that an interval needs: fewer tell nothing of how clusters differ."""
SEED: Final = 7
_BLOCK_SIZE = 1 << 22
_EPSILON = 1e-9
"""What sums in another order may differ by is no difference."""

Numbers = NDArray[np.float64]


class Interval(NamedTuple):
    """Between which values a mean lies, both included."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether all of it is on one side of zero."""
        return self.low > _EPSILON or self.high < -_EPSILON


def resample(
    values: Numbers, clusters: Sequence[str], *, draws: int = DRAWS, seed: int = SEED
) -> Numbers | None:
    """Return (draws, ...): the mean of values (queries, ...) over each draw; None below 3 clusters.

    `clusters`: (queries,), names in any order. Columns share their draws, so that differences are
    paired.
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
        # Not BLAS: its last bits depend on how many columns are drawn together.
        means.append(np.einsum("dc,c...->d...", drawn, sums) / queries)
    return np.concatenate(means)


def resample_sums(rows: Numbers, *, draws: int = DRAWS, seed: int = SEED) -> Numbers | None:
    """Return (draws, columns): sums of rows (rows, columns) drawn with replacement.

    Each row sums one cluster. None with fewer than 3 rows.
    """
    count = len(rows)
    if count < FEWEST:
        return None
    # Of 30,000 rows a draw takes .15 ms so, and 2.4 ms as a multinomial.
    chance = np.random.default_rng(seed)
    block = max(1, _BLOCK_SIZE // count)
    sums = []
    for first in range(0, draws, block):
        places = chance.integers(0, count, size=(min(block, draws - first), count))
        times = [np.bincount(drawn, minlength=count) for drawn in places]
        sums.append(np.asarray(times, np.float64) @ rows)
    return np.concatenate(sums)


def percentile_interval(means: Numbers) -> Interval:
    """The middle 95 % of the means of draws (draws,)."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))
