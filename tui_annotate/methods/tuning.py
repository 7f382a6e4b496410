"""Refits the weights of the assist's signals and the score curves on queries with known evidence.

The fit is a logistic regression with coefficients of at least 0 and a penalty on the squared
distance from the built-in coefficients. Source: S. le Cessie and J. C. van Houwelingen, "Ridge
Estimators in Logistic Regression", Applied Statistics 41, 1992.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.evaluation import figures_by_query
from tui_annotate.methods.matching import (
    BUILT_IN,
    LEAST_SEGMENTS,
    PRIOR,
    WORDS,
    Calibration,
    Calibrations,
    Vectors,
    find_best_indices,
    fuse_scores,
)

FOLDS: Final = 5
PENALTY: Final = 10.0
"""Factor of half the squared distance from the built-in coefficients, in log likelihood."""
UNRELATED: Final = 0.5
"""Weight of an unrelated text, in which no sentence is evidence; the text with evidence has 1."""
_STEPS = 50
_PRECISION = 1e-6

Numbers = NDArray[np.float64]
Curve = tuple[str, frozenset[str]]
"""A direction of the search, and the combination of signals whose weights are fitted."""


class SearchedText(NamedTuple):
    """The signals of the sentences of a text, as arrays (sentences,) by name.

    `known`, `hits`: whether a sentence has a vector, and evidence; `weight`: weight in the fit.
    """

    signals: Mapping[str, Vectors]
    known: NDArray[np.bool_]
    hits: NDArray[np.bool_]
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class TuningQuery:
    """A query with known evidence; all queries of one `source` are in the same fold.

    `texts`: the text with the evidence, then an unrelated text, if any.
    """

    direction: str
    source: str
    fold: int
    texts: tuple[SearchedText, ...]

    @property
    def curve(self) -> Curve:
        """The direction of the query, and the signals whose weights it helps to fit."""
        return self.direction, frozenset(self.texts[0].signals)


def assign_folds(sources: Collection[str], seed: int) -> dict[str, int]:
    """Assign each source to a fold at random; the folds have about the same number of sources."""
    order = np.random.default_rng(seed).permutation(sorted(sources)).tolist()
    return {source: at % FOLDS for at, source in enumerate(order)}


def cross_validate(queries: Sequence[TuningQuery], curves: Collection[Curve]) -> Numbers:
    """Measure the built-in weights and weights that were fitted without the query's fold.

    Returns an array (queries, 2, measures): built-in, then fitted; the measures are `MEASURES`.
    """
    old = np.array([measure(query, BUILT_IN) for query in queries], np.float64)
    new = old.copy()
    for fold in range(FOLDS):
        fitted = fit_all([query for query in queries if query.fold != fold], curves)
        for at, query in enumerate(queries):
            if query.fold == fold:
                new[at] = measure(query, fitted.get(query.direction, BUILT_IN))
    return np.stack([old, new], axis=1)


def fit_all(
    queries: Sequence[TuningQuery], curves: Collection[Curve]
) -> dict[str, dict[frozenset[str], Calibration]]:
    """Fit the calibrations of `curves`; return all calibrations of each direction that has any."""
    fitted: dict[str, dict[frozenset[str], Calibration]] = {}
    for direction, signals in curves:
        own = [query for query in queries if query.curve == (direction, signals)]
        new = fit_calibration(own, BUILT_IN[signals])
        fitted.setdefault(direction, {**BUILT_IN})[signals] = new
    return fitted


def measure(query: TuningQuery, calibrations: Calibrations) -> Numbers:
    """Return the measures (`MEASURES`) of one query, which is ranked with some calibrations."""
    first, *others = [fuse_scores(each.signals, each.known, calibrations) for each in query.texts]
    brier = sum(
        text.weight * float(((scores - text.hits) ** 2).sum())
        for text, scores in zip(query.texts, (first, *others), strict=True)
    )
    ranked = np.flatnonzero(query.texts[0].hits[find_best_indices(first, len(first))])
    figures = figures_by_query([int(ranked[0]) + 1 if len(ranked) else None])
    return np.append(figures[0], brier)


def fit_calibration(queries: Sequence[TuningQuery], start: Calibration) -> Calibration:
    """Fit the weights and the score curve of one combination of signals; else return `start`."""
    names = list(start.weights)
    parts = [_rows(text, names) for query in queries for text in query.texts]
    if not parts:
        return start
    origin = np.array([*(start.slope * start.weights[name] for name in names), start.offset])
    found = _minimise(tuple(map(np.concatenate, zip(*parts, strict=True))), origin)
    slope = float(found[:-1].sum())
    if slope < _PRECISION:  # no signal is useful
        return start
    shares = (found[:-1] / slope).tolist()
    return Calibration(dict(zip(names, shares, strict=True)), slope, float(found[-1]))


def _rows(text: SearchedText, names: Sequence[str]) -> tuple[Numbers, ...]:
    """Return the values (sentences, signals + 1), evidence, priors and weights of sentences."""
    count = len(text.hits)
    used = np.ones(count, np.bool_) if names == [WORDS] else text.known
    values = np.stack([*(text.signals[name] for name in names), np.ones(count)], axis=1)[used]
    ones = np.ones(len(values), np.float64)
    prior = PRIOR / sqrt(max(LEAST_SEGMENTS, count))
    return values, ones * text.hits[used], ones * prior, ones * text.weight


def _minimise(rows: tuple[Numbers, ...], origin: Numbers) -> Numbers:
    """Minimise the penalised loss by Newton steps that keep all but the last number at least 0."""
    values, hits, priors, weights = rows
    least = np.append(np.zeros(len(origin) - 1), -np.inf)

    def loss(point: Numbers) -> float:
        odds = values @ point + priors
        distance = ((point - origin) ** 2).sum()
        return float(weights @ (np.logaddexp(0, odds) - hits * odds) + PENALTY / 2 * distance)

    point = origin
    for _ in range(_STEPS):
        scores = 1 / (1 + np.exp(-(values @ point + priors)))
        slope = values.T @ (weights * (scores - hits)) + PENALTY * (point - origin)
        spread = (weights * scores * (1 - scores))[:, None]
        bend = (values * spread).T @ values + PENALTY * np.eye(len(origin))
        free = (point > least) | (slope < 0)
        step = np.zeros(len(origin))
        step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        size = 1.0
        before = loss(point)
        while loss(near := np.maximum(point - size * step, least)) > before and size > _PRECISION:
            size /= 2
        moved = float(np.abs(near - point).max())
        point = near
        if moved < _PRECISION:
            break
    return point
