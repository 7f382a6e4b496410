"""Detection: what scikit-learn computes, what always holds, and what has no value."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tui_annotate.lab.score.detection_metrics import (
    MEASURES,
    NO_VALUES,
    ONE_KIND,
    DetectionResult,
    area,
    best_threshold,
    call_unsupported,
    measure_detection,
)
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.methods.bootstrap import Interval

metrics = import_module("sklearn.metrics")
CASES = st.lists(
    st.tuples(st.integers(-3, 3).map(lambda each: each / 4), st.booleans()), min_size=2, max_size=30
)


def _arrays(cases: Sequence[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    values, unsupported = zip(*cases, strict=True)
    return np.array(values, np.float64), np.array(unsupported, np.bool_)


def _found(values: np.ndarray, unsupported: np.ndarray, *, low: bool, at: float) -> DetectionResult:
    clusters = [str(place) for place in range(len(values))]
    return measure_detection(
        values, unsupported, low=low, threshold=at, clusters=clusters, draws=20
    )


@settings(max_examples=example_limit(60), deadline=None)
@given(CASES, st.booleans(), st.integers(-3, 3).map(lambda each: each / 4 + 0.1))
def test_the_figures_are_those_of_scikit_learn(
    cases: list[tuple[float, bool]], low: bool, at: float
) -> None:
    """With the unsupported samples as the positive ones, in either direction, ties and all."""
    values, unsupported = _arrays(cases)
    assume(0 < unsupported.sum() < len(unsupported))
    found = _found(values, unsupported, low=low, at=at)
    report = call_unsupported(values, low=low, at=at)
    expected = {
        "balanced_accuracy": metrics.balanced_accuracy_score(unsupported, report),
        "f1_macro": metrics.f1_score(unsupported, report, average="macro"),
        "f1_unsupported": metrics.f1_score(unsupported, report),
        "auc": metrics.roc_auc_score(unsupported, values if low else -values),
        "kappa": metrics.cohen_kappa_score(unsupported, report),
    }
    assert tuple(found.figures) == MEASURES
    assert {name: one.value for name, one in found.figures.items()} == pytest.approx(expected)
    assert (found.hits + found.misses, found.alarms + found.passes) == (
        unsupported.sum(),
        (~unsupported).sum(),
    )
    assert found.hits + found.alarms == report.sum()


@given(CASES)
def test_the_other_direction_mirrors(cases: list[tuple[float, bool]]) -> None:
    """Values with their sign turned, and the threshold's, tell the same; the area is the rest."""
    values, unsupported = _arrays(cases)
    assume(0 < unsupported.sum() < len(unsupported))
    one = _found(values, unsupported, low=False, at=0.1)
    assert _found(-values, unsupported, low=True, at=-0.1) == one
    whole = area(values, unsupported, low=False) + area(values, unsupported, low=True)
    assert whole == pytest.approx(1)


@given(CASES, st.booleans())
def test_no_threshold_is_better_than_the_best(cases: list[tuple[float, bool]], low: bool) -> None:
    """It parts the values that occur, and none that parts them is better; it is the lowest such."""
    values, unsupported = _arrays(cases)
    best = best_threshold(values, unsupported, low=low)
    distinct = np.unique(values)
    if len(distinct) == 1:
        assert best == distinct[0]
        return
    assert best in (distinct[1:] + distinct[:-1]) / 2

    def gained(at: float) -> float:
        report = call_unsupported(values, low=low, at=at)
        return float(report[unsupported].sum() / max(unsupported.sum(), 1)) - float(
            report[~unsupported].sum() / max((~unsupported).sum(), 1)
        )

    others = {at: gained(at) for at in (distinct[1:] + distinct[:-1]) / 2}
    assert gained(best) == pytest.approx(max(others.values()))
    assert best == min(at for at, gain in others.items() if gain > max(others.values()) - 1e-9)


@pytest.mark.parametrize("low", [True, False])
def test_neighbours_among_floats_are_parted(low: bool) -> None:
    """Also two values between which there is none."""
    above = np.nextafter(1.0, 2.0)
    values, unsupported = np.array([1.0, above]), np.array([not low, low])
    at = best_threshold(values, unsupported, low=low)
    assert call_unsupported(values, low=low, at=at).tolist() == unsupported.tolist()


def test_a_value_at_the_threshold_is_supported() -> None:
    """In either direction."""
    assert not call_unsupported(np.array([0.5]), low=False, at=0.5).any()
    assert not call_unsupported(np.array([0.5]), low=True, at=0.5).any()


@pytest.mark.parametrize("unsupported", [[True] * 4, [False] * 4, []])
def test_samples_of_one_kind_give_no_figures(unsupported: list[bool]) -> None:
    """And say why; what was counted is there."""
    values = np.linspace(0, 1, len(unsupported))
    found = _found(values, np.array(unsupported, np.bool_), low=False, at=0.5)
    assert np.isnan(area(values, np.array(unsupported, np.bool_), low=False))
    for figure in found.figures.values():
        assert figure.value == UndefinedReason(ONE_KIND if unsupported else NO_VALUES)
        assert figure.interval is None
    assert found.hits + found.misses == sum(unsupported)


def test_intervals_hold_the_value_and_come_again() -> None:
    """The same seed gives the same; another one others; all lie inside the measure's range."""
    chance = np.random.default_rng(0)
    unsupported = chance.random(80) < 0.4
    values = chance.random(80) - 0.4 * unsupported
    names = [str(place) for place in range(80)]
    first, second, other = (
        measure_detection(
            values, unsupported, low=False, threshold=0.4, clusters=names, draws=300, seed=each
        )
        for each in (7, 7, 8)
    )
    assert first == second != other
    for figure in first.figures.values():
        assert isinstance(figure.value, float)
        assert isinstance(figure.interval, Interval)
        assert -1 <= figure.interval.low < figure.value < figure.interval.high <= 1


def test_samples_that_share_a_text_are_drawn_together() -> None:
    """Copies of a sample tell nothing more; with fewer than three clusters there is no interval."""
    values = np.repeat([0.1, 0.2, 0.9, 0.8, 0.3, 0.7], 10)
    unsupported = np.repeat([True, True, False, False, False, True], 10)
    clusters = np.repeat(list("abcdef"), 10).tolist()
    apart = [str(place) for place in range(60)]
    wide, narrow = (
        measure_detection(values, unsupported, low=False, threshold=0.5, clusters=each, draws=500)
        .figures["auc"]
        .interval
        for each in (clusters, apart)
    )
    assert narrow is not None
    assert wide is None or wide.high - wide.low > narrow.high - narrow.low
    two = ["a"] * 30 + ["b"] * 30
    found = measure_detection(values, unsupported, low=False, threshold=0.5, clusters=two)
    assert {figure.interval for figure in found.figures.values()} == {None}
