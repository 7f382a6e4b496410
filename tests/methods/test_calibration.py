"""Calibration: bins and errors as other code computes them, and what has no value."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.bootstrap import Interval
from tui_annotate.methods.calibration import BINS, measure_calibration

CASES = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(CASES)
def test_bins_and_errors_are_those_of_other_code(cases: list[tuple[float, bool]]) -> None:
    """The expected calibration error from the definition; the Brier score by scikit-learn."""
    probabilities, outcomes = (np.array(column) for column in zip(*cases, strict=True))
    found = measure_calibration(probabilities, outcomes, [str(at) for at in range(len(cases))])
    bins: dict[int, list[tuple[float, bool]]] = {}
    for probability, outcome in cases:
        bins.setdefault(min(int(probability * 10), 9), []).append((probability, outcome))
    gaps = [
        abs(sum(p for p, _ in own) / len(own) - sum(o for _, o in own) / len(own)) * len(own)
        for own in bins.values()
    ]
    assert found.error == pytest.approx(sum(gaps) / len(cases))
    brier = import_module("sklearn.metrics").brier_score_loss
    assert found.brier == pytest.approx(brier(outcomes, probabilities, pos_label=True))
    assert [each.n for each in found.bins] == [len(bins.get(at, ())) for at in range(BINS)]


def test_a_calibrated_machine_has_no_error() -> None:
    """With .25 for four samples of which one has the outcome; 1.0 is in the last bin."""
    probabilities = np.array([0.25] * 4 + [1.0])
    outcomes = np.array([True, False, False, False, True])
    found = measure_calibration(probabilities, outcomes, list("abcde"))
    assert (found.n, found.error) == (5, 0.0)
    assert (found.bins[2].mean, found.bins[2].observed) == (0.25, 0.25)
    assert (found.bins[9].n, found.bins[9].observed) == (1, 1.0)
    assert isinstance(found.bins[2].interval, Interval)


def test_what_is_undefined_is_none() -> None:
    """Without cases no error; an empty bin has no mean; two clusters give no interval."""
    none = measure_calibration(np.array([]), np.array([], np.bool_), [])
    assert (none.n, none.error, none.brier, none.brier_interval) == (0, None, None, None)
    few = measure_calibration(np.array([0.5] * 4), np.array([True] * 4), list("aabb"))
    assert (few.bins[5].observed, few.bins[5].interval, few.brier_interval) == (1.0, None, None)
    assert (few.bins[0].mean, few.bins[0].observed, few.bins[0].interval) == (None, None, None)


def test_a_bin_of_one_outcome_has_an_interval_with_width() -> None:
    """Resampling would give none: three sources without the outcome do not show that it is 0."""
    found = measure_calibration(np.full(9, 0.5), np.zeros(9, np.bool_), list("aaabbbccc"))
    interval = found.bins[5].interval
    assert interval is not None
    assert interval.low == 0.0
    assert interval.high > 0.5
