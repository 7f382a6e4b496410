"""Two people side by side: their labels, spans and ratings, over the samples that both read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.methods import agreement
from tui_annotate.methods.agreement import Measured, Undefined, measured
from tui_annotate.methods.span_agreement import FIGURES
from tui_annotate.services.agree.figures import KAPPAS, share_of
from tui_annotate.services.agree.tallies import Pair, Tally

SEVERAL: Final = "rated on several scales"
"""Why steps between two people's ratings can not be counted."""


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Two people side by side; the figures of spans are means over `marked` samples.

    Attributes:
        people: their ids.
        samples: that both read.
        marked: of these, where one at least marked something.
        spans: by name, as in `SpanF1`.
        matched: pairs of their spans that overlap.
        rated: samples that both rated; the figures of ratings are over these.
    """

    people: tuple[str, str]
    samples: int
    percent: Measured
    kappa: Measured
    marked: int
    spans: dict[str, Measured]
    matched: int
    matched_percent: Measured
    matched_kappa: Measured
    rated: int
    rating_percent: Measured
    rating_linear: Measured
    rating_quadratic: Measured


def pair_figures(tally: Tally) -> list[PairFigures]:
    """Each two people that met, sorted by their ids."""
    words: dict[str, list[LabelPath]] = {
        name: [(word,) for word in rated.words()] for name, rated in tally.rated.items()
    }
    return [_of_pair(people, pair, words) for people, pair in sorted(tally.pairs.items())]


def _of_pair(
    people: tuple[str, str], pair: Pair, words: Mapping[str, list[LabelPath]]
) -> PairFigures:
    sums = np.array([*pair.spans, pair.marked])
    spans = {
        name: measured(share_of(place, -1)(sums), units=pair.marked)
        for place, name in enumerate(FIGURES)
    }
    both, matched = (
        _two(met, sorted({label for labels in met for label in labels}))
        for met in (pair.both, pair.matched)
    )
    ratings = sum(pair.rated.values(), Counter[tuple[LabelPath, LabelPath]]())
    rated = _two(ratings, list(dict.fromkeys(chain(*(words[name] for name in pair.rated)))))
    if len(pair.rated) > 1:
        rated |= dict.fromkeys(KAPPAS, Undefined(SEVERAL))
    return PairFigures(
        people,
        pair.both.total(),
        both["percent"],
        both["cohen_kappa"],
        pair.marked,
        spans,
        pair.matched.total(),
        matched["percent"],
        matched["cohen_kappa"],
        ratings.total(),
        rated["percent"],
        rated["kappa_linear"],
        rated["kappa_quadratic"],
    )


def _two(
    both: Counter[tuple[LabelPath, LabelPath]], labels: Sequence[LabelPath]
) -> dict[str, Measured]:
    """Percent of two people's labels, and their kappas."""
    table = np.zeros((len(labels), len(labels)))
    for (one, other), count in both.items():
        table[labels.index(one), labels.index(other)] = count
    whole = np.array([np.trace(table), table.sum()])
    values = {name: kappa(table) for name, kappa in KAPPAS.items()}
    values["percent"] = agreement.percent(whole)
    return {name: measured(value, units=both.total()) for name, value in values.items()}
