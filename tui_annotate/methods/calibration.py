"""Calibration: whether the probabilities of a machine are those with which an outcome occurs.

Sources: M. Naeini, G. Cooper and M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
Bayesian Binning", AAAI 2015 (expected calibration error, equal bins); G. Brier, "Verification of
forecasts expressed in terms of probability", Monthly Weather Review 78, 1950.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.bootstrap import (
    Interval,
    Numbers,
    count_clusters,
    percentile_interval,
    resample,
)
from tui_annotate.methods.intervals import cluster_interval

BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """The cases with a probability of at least `low`, and below `high` (1 is in the last bin).

    Attributes:
        mean: mean probability of the cases; None without cases.
        observed: fraction of the cases with the outcome; None without cases.
        interval: interval of `observed` over clusters; None for too few clusters.
    """

    low: float
    high: float
    n: int
    mean: float | None
    observed: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationResult:
    """Calibration of probabilities; without cases, the errors are None.

    Attributes:
        clusters: number of clusters of the cases.
        error: expected calibration error: mean over the cases of |mean - observed| of their bin. It
            has no interval: each resample adds noise to every bin, so that resampled errors are
            too large.
        brier: mean squared difference of probability and outcome, with its interval.
    """

    n: int
    clusters: int
    bins: tuple[CalibrationBin, ...]
    error: float | None
    brier: float | None
    brier_interval: Interval | None


def measure_calibration(
    probabilities: Numbers, outcomes: NDArray[np.bool_], clusters: Sequence[str]
) -> CalibrationResult:
    """Compare probabilities (cases,) in [0, 1] with outcomes (cases,), in bins of equal width.

    `clusters`: cluster of each case, for intervals.
    """
    count = len(probabilities)
    if not count:
        bins = tuple(_make_bin(at, probabilities, outcomes, clusters=()) for at in range(BINS))
        return CalibrationResult(
            n=0, clusters=0, bins=bins, error=None, brier=None, brier_interval=None
        )
    place = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
    bins = tuple(
        _make_bin(
            at,
            probabilities[place == at],
            outcomes[place == at],
            clusters=[name for name, own in zip(clusters, place, strict=True) if own == at],
        )
        for at in range(BINS)
    )
    error = sum(
        each.n * abs(each.mean - each.observed)
        for each in bins
        if each.mean is not None and each.observed is not None
    )
    squares = (probabilities - outcomes) ** 2
    drawn = resample(squares, clusters)
    return CalibrationResult(
        n=count,
        clusters=count_clusters(clusters),
        bins=bins,
        error=float(error / count),
        brier=float(squares.mean()),
        brier_interval=None if drawn is None else percentile_interval(drawn),
    )


def _make_bin(
    at: int, probabilities: Numbers, outcomes: NDArray[np.bool_], *, clusters: Sequence[str]
) -> CalibrationBin:
    counts: dict[str, tuple[int, int]] = {}
    for cluster, outcome in zip(clusters, outcomes.tolist(), strict=True):
        cases, hits = counts.get(cluster, (0, 0))
        counts[cluster] = cases + 1, hits + outcome
    interval = cluster_interval(counts.values())
    count = len(probabilities)
    return CalibrationBin(
        low=at / BINS,
        high=(at + 1) / BINS,
        n=count,
        mean=float(probabilities.mean()) if count else None,
        observed=float(outcomes.mean()) if count else None,
        interval=Interval(*interval) if interval else None,
    )
