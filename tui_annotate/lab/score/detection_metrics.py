"""How well scores distinguish unsupported from supported samples, with intervals.

Intervals resample whole clusters with replacement; threshold and direction stay fixed. An undefined
measure has a reason.
Sources: K. Brodersen and others, "The balanced accuracy and its posterior distribution", ICPR 2010;
J. Hanley and B. McNeil, "The meaning and use of the area under a receiver operating characteristic
curve", Radiology 143 (1982), the area with ties as halves; C. van Rijsbergen, "Information
Retrieval", 1979, chapter 7 (F1); J. Cohen 1960 (`methods.agreement`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.agreement import Measured, UndefinedReason, cohen_kappa, draw_interval
from tui_annotate.methods.bootstrap import (
    DRAWS,
    SEED,
    Interval,
    count_clusters,
    resample_weights,
)

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]

MEASURES: Final = ("balanced_accuracy", "f1_macro", "f1_unsupported", "auc", "kappa")
NO_VALUES: Final = "no sample has a value"
ONE_KIND: Final = "all samples are of one class, so the classes cannot be distinguished"


class ChoiceOrigin(StrEnum):
    """How the direction or the threshold of a score was chosen."""

    GIVEN = "given"
    FOUND = "found"
    ONLY = "only"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class DetectionFigure:
    """Value of a measure, with a bootstrap confidence interval or None."""

    value: Measured
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionResult:
    """The detection of unsupported samples by a score.

    `alarms` and `passes` are supported samples called unsupported or supported; `clusters`: number
    of clusters that the intervals resample.
    """

    hits: int
    misses: int
    alarms: int
    passes: int
    clusters: int
    figures: Mapping[str, DetectionFigure]


@dataclass(frozen=True, slots=True, eq=False)
class DetectionDraws:
    """The measures (measures,) of a score, and of its resamples (measures, draws), if any."""

    cells: Numbers
    whole: Numbers
    drawn: Numbers | None


def measure_detection(
    values: Numbers,
    unsupported: Truths,
    *,
    low: bool,
    threshold: float,
    clusters: Sequence[str],
    draws: int = DRAWS,
    seed: int = SEED,
) -> DetectionResult:
    """Compute all measures of how well scores (samples,) agree with human labels (samples,).

    All scores are finite. `clusters`: (samples,); samples of one cluster are resampled together, as
    summaries of one text.
    """
    found = draw_detection(
        values,
        unsupported,
        low=low,
        threshold=threshold,
        clusters=clusters,
        draws=draws,
        seed=seed,
    )
    hits, misses, alarms, passes = (int(each) for each in found.cells)
    return DetectionResult(
        hits=hits,
        misses=misses,
        alarms=alarms,
        passes=passes,
        clusters=count_clusters(clusters),
        figures=_make_figures(found.whole, found.drawn, count=len(values)),
    )


def draw_detection(
    values: Numbers,
    unsupported: Truths,
    *,
    low: bool,
    threshold: float,
    clusters: Sequence[str],
    draws: int = DRAWS,
    seed: int = SEED,
) -> DetectionDraws:
    """Compute the measures of a score on the samples and on resamples; see `measure_detection`.

    Scores of the same samples and clusters share the resamples.
    """
    score = _RankedSamples(
        values if low else -values, call_unsupported(values, low=low, at=threshold), unsupported
    )
    once = np.ones(len(values))
    whole = score.measures(once) if len(values) else np.full(len(MEASURES), np.nan)
    drawn = [
        score.measures(weights) for weights in resample_weights(clusters, draws=draws, seed=seed)
    ]
    return DetectionDraws(score.cells(once), whole, np.stack(drawn, axis=-1) if drawn else None)


def subtract_detection(one: DetectionDraws, other: DetectionDraws) -> dict[str, DetectionFigure]:
    """Return the measures of one score minus those of another, on the same samples and clusters."""
    drawn = None
    if one.drawn is not None and other.drawn is not None:
        drawn = one.drawn - other.drawn
    return _make_figures(one.whole - other.whole, drawn, count=int(one.cells.sum()))


def _make_figures(
    whole: Numbers, drawn: Numbers | None, *, count: int
) -> dict[str, DetectionFigure]:
    """Build the measures of `count` samples."""
    reason = UndefinedReason(ONE_KIND if count else NO_VALUES)
    table = [None] * len(MEASURES) if drawn is None else drawn
    return {
        name: DetectionFigure(reason)
        if np.isnan(value)
        else DetectionFigure(float(value), draw_interval(draws_of))
        for name, value, draws_of in zip(MEASURES, whole, table, strict=True)
    }


def call_unsupported(values: Numbers, *, low: bool, at: float) -> Truths:
    """Return which samples a score calls unsupported, by the threshold `at`: (samples,)."""
    return values > at if low else values < at


def area(values: Numbers, unsupported: Truths, *, low: bool) -> float:
    """Return the area under a score's ROC curve, in [0, 1]; ties count half; NaN for one class."""
    score = _RankedSamples(values if low else -values, np.zeros(len(values), np.bool_), unsupported)
    return score.area(np.ones(len(values)))


def best_threshold(values: Numbers, unsupported: Truths, *, low: bool) -> float:
    """Return the lowest threshold with the best balanced accuracy; `values` is not empty.

    It is the middle between two neighbouring values, or the single distinct value.
    """
    distinct, own = np.unique(values, return_inverse=True)
    if len(distinct) == 1:
        return float(distinct[0])
    bad = np.bincount(own, weights=unsupported, minlength=len(distinct))
    good = np.bincount(own, weights=~unsupported, minlength=len(distinct))
    # Cumulative fractions of both classes: their difference at a value is the gain of a cut there.
    difference = np.cumsum(bad) / max(bad.sum(), 1) - np.cumsum(good) / max(good.sum(), 1)
    gain = -difference[:-1] if low else difference[:-1]
    place = int(np.flatnonzero(gain > gain.max() - 1e-12)[0])
    below = float(distinct[place])
    above = float(distinct[place + 1])
    middle = below + (above - below) / 2
    if below < middle < above:
        return middle
    return below if low else above  # neighbours among floats


class _RankedSamples:
    """Samples sorted by a score once, so that a resample (draws per sample) needs no sorting."""

    def __init__(self, badness: Numbers, called_bad: Truths, unsupported: Truths) -> None:
        distinct, place = np.unique(badness, return_inverse=True)
        self._steps = len(distinct)
        self._place = place + self._steps * unsupported
        self._cell = 2 * ~unsupported + (called_bad == ~unsupported)

    def cells(self, weights: Numbers) -> Numbers:
        """Count true positives, false negatives, false positives, true negatives in a resample."""
        counted = np.bincount(self._cell, weights=weights, minlength=4)
        hits, misses, passes, alarms = counted
        return np.array([hits, misses, alarms, passes])

    def area(self, weights: Numbers) -> float:
        """Return a resample's area under the ROC curve; NaN without samples of both classes."""
        counted = np.bincount(self._place, weights=weights, minlength=2 * self._steps)
        good = counted[: self._steps]
        bad = counted[self._steps :]
        both = good.sum() * bad.sum()
        if not both:
            return float("nan")
        return float(bad @ (np.cumsum(good) - good / 2) / both)

    def measures(self, weights: Numbers) -> Numbers:
        """Return all measures of a resample; all are NaN without samples of both classes."""
        hits, misses, alarms, passes = self.cells(weights)
        if not (hits + misses) or not (alarms + passes):
            return np.full(len(MEASURES), np.nan)
        balanced = (hits / (hits + misses) + passes / (alarms + passes)) / 2
        bad = 2 * hits / (2 * hits + misses + alarms)
        good = 2 * passes / (2 * passes + misses + alarms)
        kappa = cohen_kappa(np.array([[hits, misses], [alarms, passes]]))
        return np.array([balanced, (bad + good) / 2, bad, self.area(weights), kappa])
