"""Precision, recall and F1 of marked spans against people's, by character, span, sentence, sample.

All measures are micro-averages: ratios of sums over samples, so that intervals resample clusters of
sums. The order of spans and duplicates do not matter. Source: C. van Rijsbergen, "Information
Retrieval", 1979, chapter 7.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tui_annotate.domain.scores import Pooling
from tui_annotate.domain.spans import Span, merge
from tui_annotate.methods.agreement import Measured, UndefinedReason, draw_interval
from tui_annotate.methods.bootstrap import Interval, Numbers, resample_sums

WHOLE_SAMPLES: Final = "sample"
LEVELS: Final = ("character", "span", "sentence", WHOLE_SAMPLES)
MEASURES: Final = ("precision", "recall", "f1")
_UNDEFINED: Final = {
    "precision": "the machine marked nothing",
    "recall": "people marked nothing",
    "f1": "neither the machine nor people marked anything",
}
_UNDEFINED_DIFFERENCE: Final = {
    "precision": "one of the two machines marked nothing",
    "recall": "people marked nothing",
    "f1": "one of the two machines marked nothing, and people marked nothing",
}
NOTHING_COMPARED: Final = "there is no sample to compare"
SENTENCE_LEVELS: Final = ("sentence", WHOLE_SAMPLES)
"""Levels at which scores of sentences are measured."""
COUNTS: Final = 4
"""Numbers for each level: marked by the machine, of these right; marked by people, of these found.
"""


@dataclass(frozen=True, slots=True)
class SpanFigure:
    """Value of a measure at a level, with its interval or None."""

    level: str
    measure: str
    value: Measured
    interval: Interval | None


def pool_spans(
    readings: Sequence[Collection[Span]], pooling: Pooling, *, length: int
) -> tuple[Span, ...]:
    """Return the spans of a text that one, more than half, or all readers marked, in order.

    Spans that overlap or touch are one. `length`: number of code points of the text.
    """
    votes = np.zeros(length + 1, np.int64)
    for spans in readings:
        for span in merge(spans):
            votes[span.start] += 1
            votes[span.end] -= 1
    needed = {
        Pooling.WORST: 1,
        Pooling.MAJORITY: len(readings) // 2 + 1,
        Pooling.BEST: max(len(readings), 1),
    }
    marked = np.cumsum(votes)[:length] >= needed[pooling]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    bounds = edges.reshape(-1, 2).tolist()
    return tuple(Span(start, end) for start, end in bounds)


def count_hits(
    machine: Sequence[Span],
    people: Sequence[Span],
    *,
    sentences: Sequence[Span],
    flagged: bool,
    unsupported: bool,
) -> list[float]:
    """Return the `COUNTS` of one sample for each level, in the order of `LEVELS`.

    Args:
        machine, people: disjoint spans, in order, of one text.
        flagged, unsupported: what the machine and people say of the whole sample.
    """
    shared = sum(one.overlap(other) for one in machine for other in people)
    said = [touches(sentence, machine) for sentence in sentences]
    meant = [touches(sentence, people) for sentence in sentences]
    both = sum(one and other for one, other in zip(said, meant, strict=True))
    right = sum(touches(span, people) for span in machine)
    found = sum(touches(span, machine) for span in people)
    agreed = flagged and unsupported
    counts = [
        (sum(map(len, machine)), shared, sum(map(len, people)), shared),
        (len(machine), right, len(people), found),
        (sum(said), both, sum(meant), both),
        (flagged, agreed, unsupported, agreed),
    ]
    return [float(number) for level in counts for number in level]


def count_sentence_hits(
    called: Sequence[bool], meant: Sequence[bool], *, unsupported: bool
) -> list[float]:
    """Return the `COUNTS` of one sample for each of `SENTENCE_LEVELS`.

    Args:
        called: whether the machine calls each sentence unsupported; it calls the sample unsupported
            if it does so for any sentence.
        meant: whether people marked a part of each sentence.
        unsupported: whether people call the sample unsupported.
    """
    both = sum(one and other for one, other in zip(called, meant, strict=True))
    agreed = any(called) and unsupported
    counts = (
        (sum(called), both, sum(meant), both),
        (any(called), agreed, unsupported, agreed),
    )
    return [float(number) for level in counts for number in level]


def touches(span: Span, others: Collection[Span]) -> bool:
    """Return whether a span shares a code point with one of several spans."""
    return any(span.overlap(other) for other in others)


def measure_spans(
    rows: Numbers, clusters: Sequence[str], *, levels: Sequence[str] = LEVELS
) -> list[SpanFigure]:
    """Compute all measures of samples from their counts, with intervals.

    `rows`: (samples, levels * COUNTS), `clusters`: cluster of each sample.
    """
    return _make_figures(
        _measures(rows.sum(axis=0)),
        _draw(rows, clusters),
        count=len(rows),
        levels=levels,
        undefined=_UNDEFINED,
    )


def subtract_spans(
    one: Numbers, other: Numbers, clusters: Sequence[str], *, levels: Sequence[str] = LEVELS
) -> list[SpanFigure]:
    """Compute the measures of one machine minus those of another, on the same samples."""
    ours = _draw(one, clusters)
    theirs = _draw(other, clusters)
    drawn = None if ours is None or theirs is None else ours - theirs
    whole = _measures(one.sum(axis=0)) - _measures(other.sum(axis=0))
    return _make_figures(
        whole, drawn, count=len(one), levels=levels, undefined=_UNDEFINED_DIFFERENCE
    )


def _draw(rows: Numbers, clusters: Sequence[str]) -> Numbers | None:
    sums = resample_sums(rows, clusters)
    return None if sums is None else _measures(sums)


def _measures(sums: Numbers) -> Numbers:
    """Compute (..., levels, measures) from sums (..., levels * COUNTS); NaN if undefined."""
    levels = sums.reshape(*sums.shape[:-1], sums.shape[-1] // COUNTS, COUNTS)
    said, right, meant, found = np.moveaxis(levels, -1, 0)
    precision = _divide(right, said)
    recall = _divide(found, meant)
    total = np.nan_to_num(precision) + np.nan_to_num(recall)
    f1 = 2 * np.nan_to_num(precision) * np.nan_to_num(recall) / np.where(total > 0, total, 1)
    f1 = np.where(said + meant > 0, f1, np.nan)
    return np.stack([precision, recall, f1], axis=-1)


def _divide(part: Numbers, whole: Numbers) -> Numbers:
    found: Numbers = np.where(whole > 0, part, np.nan) / np.where(whole > 0, whole, 1)
    return found


def _make_figures(
    values: Numbers,
    drawn: Numbers | None,
    *,
    count: int,
    levels: Sequence[str],
    undefined: Mapping[str, str],
) -> list[SpanFigure]:
    """Build the measures of `count` samples; `undefined`: why a measure has no value, by name."""
    figures = []
    for row, level in enumerate(levels):
        for column, measure in enumerate(MEASURES):
            value = values[row, column]
            if np.isnan(value):
                reason = UndefinedReason(undefined[measure] if count else NOTHING_COMPARED)
                figures.append(SpanFigure(level, measure, reason, None))
            else:
                own = None if drawn is None else drawn[:, row, column]
                figures.append(SpanFigure(level, measure, float(value), draw_interval(own)))
    return figures
