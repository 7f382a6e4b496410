"""How well scores tell unsupported samples from supported ones; a measure without a value says why.

Every interval is of whole clusters that are drawn anew, the threshold and the direction held.
Sources: K. Brodersen and others, "The balanced accuracy and its posterior distribution", ICPR 2010;
J. Hanley and B. McNeil, "The meaning and use of the area under a receiver operating characteristic
curve", Radiology 143 (1982), the area with ties as halves; C. van Rijsbergen, "Information
Retrieval", 1979, chapter 7 (F1); J. Cohen 1960 (`methods.agreement`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.agreement import Measured, Undefined, between, cohen
from tui_annotate.methods.bootstrap import DRAWS, FEWEST, SEED, Interval

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]

MEASURES: Final = ("balanced_accuracy", "f1_macro", "f1_unsupported", "auc", "kappa")
ONE_KIND: Final = "all samples are of one kind: nothing is told apart"


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure's value, and between which values it lies; None where draws do not say."""

    value: Measured
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """How well one score tells.

    Attributes:
        hits, misses: unsupported samples that the score calls so, and those that it does not.
        alarms, passes: supported samples that it calls unsupported, and those that it does not.
        figures: by the names of `MEASURES`, in their order.
    """

    hits: int
    misses: int
    alarms: int
    passes: int
    figures: Mapping[str, Figure]


def detected(
    values: Numbers,
    unsupported: Truths,
    *,
    low: bool,
    threshold: float,
    clusters: Sequence[str],
    draws: int = DRAWS,
    seed: int = SEED,
) -> Detected:
    """All measures of a score against what people say.

    Args:
        values: (samples,), finite.
        unsupported: (samples,): whether people call it so.
        low: a low value is the better supported one.
        threshold: as `called` takes it.
        clusters: (samples,): what is drawn together, as summaries of one text.
    """
    score = _Ranked(values if low else -values, called(values, low=low, at=threshold), unsupported)
    once = score.cells(np.ones(len(values)))
    whole = score.measures(np.ones(len(values))) if len(values) else np.full(len(MEASURES), np.nan)
    drawn = [score.measures(weights) for weights in _weights(clusters, draws, seed)]
    table = np.stack(drawn, axis=-1) if drawn else [None] * len(MEASURES)
    hits, misses, alarms, passes = (int(each) for each in once)
    figures = {
        name: Figure(Undefined(ONE_KIND))
        if np.isnan(value)
        else Figure(float(value), between(draws_of))
        for name, value, draws_of in zip(MEASURES, whole, table, strict=True)
    }
    return Detected(hits=hits, misses=misses, alarms=alarms, passes=passes, figures=figures)


def called(values: Numbers, *, low: bool, at: float) -> Truths:
    """(samples,): which a score calls unsupported; a value at the threshold is supported."""
    return values > at if low else values < at


def area(values: Numbers, unsupported: Truths, *, low: bool) -> float:
    """How often an unsupported sample scores worse than a supported one, in [0, 1]; ties are half.

    NaN where all samples are of one kind.
    """
    score = _Ranked(values if low else -values, np.zeros(len(values), np.bool_), unsupported)
    return score.area(np.ones(len(values)))


def best_threshold(values: Numbers, unsupported: Truths, *, low: bool) -> float:
    """The threshold with the best balanced accuracy on these samples; of equals the lowest.

    It lies in the middle between two values that occur; of one value alone it is that value.

    Args:
        values: (samples,), one at least.
    """
    distinct, own = np.unique(values, return_inverse=True)
    if len(distinct) == 1:
        return float(distinct[0])
    bad = np.bincount(own, weights=unsupported, minlength=len(distinct))
    good = np.bincount(own, weights=~unsupported, minlength=len(distinct))
    # Of each kind, the share up to each value: how far they lie apart is what a cut there gains.
    apart = np.cumsum(bad) / max(bad.sum(), 1) - np.cumsum(good) / max(good.sum(), 1)
    gain = -apart[:-1] if low else apart[:-1]
    place = int(np.flatnonzero(gain > gain.max() - 1e-12)[0])
    below, above = float(distinct[place]), float(distinct[place + 1])
    middle = below + (above - below) / 2
    if below < middle < above:
        return middle
    return below if low else above  # neighbours among floats


def _weights(clusters: Sequence[str], draws: int, seed: int) -> Iterator[Numbers]:
    """(samples,) for each draw: how often each comes; none with fewer than 3 clusters."""
    names, own = np.unique(np.asarray(clusters, np.str_), return_inverse=True)
    if len(names) < FEWEST:
        return
    chance = np.random.default_rng(seed)
    for _ in range(draws):
        drawn = np.bincount(chance.integers(0, len(names), len(names)), minlength=len(names))
        yield drawn[own].astype(np.float64)


class _Ranked:
    """A score's samples, sorted once, so that each draw takes sums alone."""

    def __init__(self, badness: Numbers, called_bad: Truths, unsupported: Truths) -> None:
        distinct, place = np.unique(badness, return_inverse=True)
        self._steps = len(distinct)
        self._place = place + self._steps * unsupported
        self._cell = 2 * ~unsupported + (called_bad == ~unsupported)

    def cells(self, weights: Numbers) -> Numbers:
        """(4,): hits, misses, alarms, passes."""
        counted = np.bincount(self._cell, weights=weights, minlength=4)
        hits, misses, passes, alarms = counted
        return np.array([hits, misses, alarms, passes])

    def area(self, weights: Numbers) -> float:
        """See `area`."""
        counted = np.bincount(self._place, weights=weights, minlength=2 * self._steps)
        good, bad = counted[: self._steps], counted[self._steps :]
        both = good.sum() * bad.sum()
        if not both:
            return float("nan")
        return float(bad @ (np.cumsum(good) - good / 2) / both)

    def measures(self, weights: Numbers) -> Numbers:
        """(measures,): NaN where all samples are of one kind."""
        hits, misses, alarms, passes = self.cells(weights)
        if not (hits + misses) or not (alarms + passes):
            return np.full(len(MEASURES), np.nan)
        balanced = (hits / (hits + misses) + passes / (alarms + passes)) / 2
        bad = 2 * hits / (2 * hits + misses + alarms)
        good = 2 * passes / (2 * passes + misses + alarms)
        kappa = cohen(np.array([[hits, misses], [alarms, passes]]))
        return np.array([balanced, (bad + good) / 2, bad, self.area(weights), kappa])
