"""The fit of weights: recovers a curve, shrinks, and never sees the sources that are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.helpers.tuning_queries import DIRECTIONS, draw_queries
from tui_annotate.methods import tuning
from tui_annotate.methods.evaluation import MEASURES
from tui_annotate.methods.matching import BUILT_IN, VECTORS, WORDS, Calibration
from tui_annotate.methods.tuning import (
    FOLDS,
    Curve,
    TuningQuery,
    assign_folds,
    cross_validate,
    fit_all,
    fit_calibration,
)

BOTH = frozenset({WORDS, VECTORS})
START = BUILT_IN[BOTH]
CURVES = [(direction, BOTH) for direction in DIRECTIONS]


def _alone(queries: Sequence[TuningQuery]) -> list[TuningQuery]:
    """The same queries without unrelated texts."""
    assert len(queries[0].texts) == 2
    return [replace(each, texts=each.texts[:1]) for each in queries]


def test_without_queries_the_calibration_is_unchanged() -> None:
    """Nothing is fitted to nothing."""
    assert fit_calibration([], START) is START


def test_the_fit_recovers_the_curve_that_drew_the_evidence() -> None:
    """With many queries, the penalty has little influence on weights and curve."""
    true = Calibration({WORDS: 0.3, VECTORS: 0.7}, 14.0, -5.0)
    found = fit_calibration(_alone(draw_queries(true, sources=200, seed=1)), START)
    assert found.weights[VECTORS] == pytest.approx(0.7, abs=0.1)
    assert found.slope == pytest.approx(14, rel=0.15)
    assert found.offset == pytest.approx(-5, abs=0.6)
    assert sum(found.weights.values()) == pytest.approx(1)


def test_few_queries_stay_near_the_built_in_curve() -> None:
    """A fit to two sources moves less than one to many."""
    true = Calibration({WORDS: 0.3, VECTORS: 0.7}, 14.0, -5.0)
    few, many = (
        fit_calibration(draw_queries(true, sources=count, seed=1), START) for count in (2, 60)
    )
    assert abs(few.slope - START.slope) < abs(many.slope - START.slope)
    assert START.weights[VECTORS] < few.weights[VECTORS] < many.weights[VECTORS]


def test_no_weight_is_negative() -> None:
    """A signal that is high where the evidence is not gets the weight 0, not less."""
    queries = draw_queries(Calibration({WORDS: 1.0, VECTORS: -0.5}, 14.0, -3.0), sources=60, seed=2)
    found = fit_calibration(queries, START)
    assert found.weights[VECTORS] == 0
    assert found.weights[WORDS] == pytest.approx(1)


def test_a_fit_without_a_useful_signal_is_unchanged() -> None:
    """If no signal keeps a positive coefficient, the weights are the built-in ones, with sum 1."""
    queries = []
    for query in draw_queries(START, sources=60, seed=2):
        signals = query.texts[0].signals
        total = signals[WORDS] + signals[VECTORS]
        hits = total < np.median(total)
        queries.append(replace(query, texts=(query.texts[0]._replace(hits=hits),)))
    assert fit_calibration(queries, START) == START


def test_an_unrelated_text_lowers_the_scores() -> None:
    """Its sentences count as wrong, with less weight than the text of the evidence."""
    true = Calibration({WORDS: 0.8, VECTORS: 0.2}, 22.0, -6.4)
    queries = draw_queries(true, sources=60, seed=3)
    signals = {name: np.array([0.1, 0.15], np.float32) for name in (WORDS, VECTORS)}
    both, one = (fit_calibration(some, START) for some in (queries, _alone(queries)))
    assert (both.scores(signals) < one.scores(signals)).all()


def test_folds_are_even_and_depend_on_the_seed_alone() -> None:
    """Each source has one fold, whatever the order in which sources are given."""
    names = [f"source {at}" for at in range(13)]
    folds = assign_folds(names, 5)
    assert folds == assign_folds(names[::-1], 5)
    assert folds != assign_folds(names, 6)
    assert folds.keys() == {*names}
    assert sorted(Counter(folds.values()).values()) == [2, 2, 3, 3, 3]


def test_no_source_is_measured_by_a_fit_that_saw_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fit lacks one fold whole, and changing the evidence of a fold changes no fit of it."""
    queries = draw_queries(START, sources=15, seed=4)
    seen: list[set[str]] = []

    def spy(some: Sequence[TuningQuery], curves: Collection[Curve]) -> object:
        seen.append({query.source for query in some})
        return fit_all(some, curves)

    monkeypatch.setattr(tuning, "fit_all", spy)
    cross_validate(queries, CURVES)
    assert len(seen) == FOLDS
    for fold, sources in enumerate(seen):
        left_out = {query.source for query in queries if query.fold == fold}
        assert left_out
        assert sources == {query.source for query in queries} - left_out


def test_measures_are_counted_by_hand() -> None:
    """The columns are recall at 1, 3, 5, reciprocal rank, and the sum of squared errors."""
    queries = draw_queries(START, sources=1, seed=5)
    query = next(each for each in queries if each.texts[0].hits.any())
    found = cross_validate([query], [])
    assert found.shape == (1, 2, len(MEASURES))
    assert (found[:, 0] == found[:, 1]).all()
    text, other = query.texts
    scores = START.scores(text.signals)
    order = np.argsort(-scores, kind="stable")
    rank = int(np.flatnonzero(text.hits[order])[0]) + 1
    brier = ((scores - text.hits) ** 2).sum() + ((START.scores(other.signals)) ** 2).sum() / 2
    assert found[0, 0].tolist() == pytest.approx(
        [*(float(rank <= depth) for depth in (1, 3, 5)), 1 / rank, float(brier)]
    )
