"""Confidence intervals of proportions: of independent cases, and of cases in clusters.

Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
Journal of the American Statistical Association 22 (1927), the interval of the score test.
"""

from __future__ import annotations

from collections.abc import Collection
from math import sqrt

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def wilson_interval(hits: float, of: int) -> tuple[float, float]:
    """Compute the 95 % interval (low, high) of the proportion `hits / of`; (0, 1) if `of` is 0."""
    if not of:
        return 0.0, 1.0
    share = hits / of
    weight = Z_95 * Z_95 / of
    centre = (share + weight / 2) / (1 + weight)
    half = sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
    low = 0.0 if not hits else centre - half
    return max(low, 0.0), 1.0 if hits == of else min(centre + half, 1.0)


def cluster_interval(counts: Collection[tuple[int, int]]) -> tuple[float, float] | None:
    """Compute the 95 % interval of a proportion from (cases, hits) of each cluster.

    Wilson's interval if each cluster is one case. Otherwise the bootstrap resamples whole clusters.
    If all clusters have the same proportion, resampling has no width, so the interval is Wilson's
    with each cluster as one case. None for fewer than three clusters.
    """
    import numpy as np

    from tui_annotate.methods.bootstrap import FEWEST, percentile_interval, resample_sums

    counts = sorted(each for each in counts if each[0])
    if len(counts) < FEWEST:
        return None
    of, hits = (sum(column) for column in zip(*counts, strict=True))
    if of == len(counts):
        return wilson_interval(hits, of)
    if len({own / cases for cases, own in counts}) == 1:
        return wilson_interval(hits / of * len(counts), len(counts))
    # Sorted, because the order of the cases must not change the interval.
    sums = resample_sums(np.array(counts, np.float64))
    return None if sums is None else percentile_interval(sums[:, 1] / sums[:, 0])
