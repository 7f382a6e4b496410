"""Spans of a machine against people's: what scikit-learn computes, and what has no value."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tui_annotate.domain.scores import Pooling
from tui_annotate.domain.spans import Span, merge
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.methods.bootstrap import Interval
from tui_annotate.methods.span_detection import (
    LEVELS,
    MEASURES,
    count_hits,
    measure_spans,
    pool_spans,
    subtract_spans,
)

LENGTH = 30
SENTENCES = [Span(0, 9), Span(10, 19), Span(20, 30)]
SPANS = st.lists(
    st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 8)).map(
        lambda each: Span(each[0], min(each[0] + each[1], LENGTH))
    ),
    max_size=4,
)
SAMPLES = st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=8)


def _row(machine: list[Span], people: list[Span]) -> list[float]:
    return count_hits(
        merge(machine),
        merge(people),
        sentences=SENTENCES,
        flagged=bool(machine),
        unsupported=bool(people),
    )


def _characters(spans: list[Span]) -> list[bool]:
    return [any(span.start <= at < span.end for span in spans) for at in range(LENGTH)]


def _touched(spans: list[Span]) -> list[bool]:
    marked = _characters(spans)
    return [any(marked[each.start : each.end]) for each in SENTENCES]


@settings(max_examples=example_limit(60), deadline=None)
@given(SAMPLES)
def test_precision_recall_and_f1_are_those_of_scikit_learn(
    samples: list[tuple[list[Span], list[Span]]],
) -> None:
    """By characters, sentences and samples, over all samples together."""
    rows = np.array([_row(machine, people) for machine, people in samples])
    found = measure_spans(rows, [str(at) for at in range(len(samples))])
    values = {(each.level, each.measure): each.value for each in found}
    units = {
        "character": [(_characters(one), _characters(other)) for one, other in samples],
        "sentence": [(_touched(one), _touched(other)) for one, other in samples],
        "sample": [([bool(one)], [bool(other)]) for one, other in samples],
    }
    metrics = import_module("sklearn.metrics")
    for level, pairs in units.items():
        said = np.concatenate([np.array(one) for one, _ in pairs])
        meant = np.concatenate([np.array(other) for _, other in pairs])
        expected = metrics.precision_recall_fscore_support(
            meant, said, average="binary", zero_division=np.nan
        )
        for measure, value in zip(MEASURES, expected, strict=False):
            own = values[level, measure]
            defined = {"precision": said.any(), "recall": meant.any()}.get(
                measure, (said | meant).any()
            )
            assert isinstance(own, UndefinedReason) is not defined
            if defined:
                assert own == pytest.approx(value)


def test_spans_match_if_they_overlap() -> None:
    """Of three spans of the machine two touch one of people's, which leaves one unfound."""
    machine = [Span(0, 4), Span(6, 9), Span(20, 22)]
    rows = np.array([_row(machine, [Span(2, 7), Span(12, 14)])])
    found = {(each.level, each.measure): each.value for each in measure_spans(rows, ["a"])}
    assert found["span", "precision"] == pytest.approx(2 / 3)
    assert found["span", "recall"] == 0.5
    assert found["span", "f1"] == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))


def test_intervals_resample_clusters() -> None:
    """As other code computes them, also for the difference of two machines."""
    chance = np.random.default_rng(3)
    rows, other, clusters = [], [], []
    for cluster in range(8):
        for _ in range(int(chance.integers(2, 9))):
            people = [Span(0, 10)] if chance.random() < 0.6 else []
            right = cluster % 3 > 0
            rows.append(_row([Span(0, 10)] if right else [Span(12, 15)], people))
            other.append(_row([Span(5, 13)], people))
            clusters.append(str(cluster))
    one, two = np.array(rows), np.array(other)
    place = 4 * LEVELS.index("character")
    drawn, apart = [], []
    names = sorted(set(clusters))
    for _ in range(4000):
        picked = [
            at
            for name in chance.choice(names, len(names))
            for at, own in enumerate(clusters)
            if own == name
        ]
        shares = [
            table[picked, place + 1].sum() / table[picked, place].sum() for table in (one, two)
        ]
        drawn.append(shares[0])
        apart.append(shares[0] - shares[1])
    figures = measure_spans(one, clusters), subtract_spans(one, two, clusters)
    for found, expected in zip(figures, (drawn, apart), strict=True):
        figure = next(
            each for each in found if (each.level, each.measure) == ("character", "precision")
        )
        assert figure.interval == pytest.approx(
            tuple(np.quantile(expected, [0.025, 0.975])), abs=0.04
        )
    assert {each.interval for each in subtract_spans(one, one, clusters)} == {Interval(0.0, 0.0)}
    assert {each.interval for each in measure_spans(one[:3], clusters[:3])} == {None}


def test_what_is_undefined_says_so() -> None:
    """Nothing marked: no precision; nothing meant: no recall; neither: no F1; else F1 may be 0."""
    cases = {
        (): {"precision", "recall", "f1"},
        ("machine",): {"recall"},
        ("people",): {"precision"},
        ("machine", "people"): set(),
    }
    for marked, undefined in cases.items():
        row = _row(
            [Span(0, 2)] if "machine" in marked else [], [Span(5, 7)] if "people" in marked else []
        )
        for figure in measure_spans(np.array([row]), ["a"]):
            assert isinstance(figure.value, UndefinedReason) == (figure.measure in undefined)
            if figure.level != "sample" and not isinstance(figure.value, UndefinedReason):
                assert figure.value == (
                    1.0 if figure.level == "sentence" and len(marked) > 1 else 0
                )


@given(st.lists(SPANS, min_size=1, max_size=4), st.sampled_from(Pooling))
def test_pooled_spans_are_those_of_enough_readers(
    readings: list[list[Span]], pooling: Pooling
) -> None:
    """Character by character: one reader, more than half of them, or all of them."""
    votes = [sum(column) for column in zip(*map(_characters, readings), strict=True)]
    least = {
        Pooling.WORST: 1,
        Pooling.MAJORITY: next(count for count in range(9) if 2 * count > len(readings)),
        Pooling.BEST: len(readings),
    }
    found = pool_spans(readings, pooling, length=LENGTH)
    assert _characters(list(found)) == [count >= least[pooling] for count in votes]
    assert found == merge(found)
