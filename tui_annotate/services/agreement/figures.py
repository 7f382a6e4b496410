"""Computes agreement statistics: values, confidence intervals and numbers of compared units.

Each statistic is a function of an array of sums, which has one row for each sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.plural import format_count
from tui_annotate.methods import agreement
from tui_annotate.methods.agreement import Measured, Numbers, UndefinedReason, measure_value
from tui_annotate.methods.bootstrap import Interval, resample_sums
from tui_annotate.methods.span_agreement import FIGURES, EvidenceRelation
from tui_annotate.services.agreement.tallies import (
    PASSAGES,
    AgreementTally,
    PairMarks,
    PairTally,
    Ratings,
)

Statistic = Callable[[Numbers], Numbers]

_PAIR_SIZE: Final = 2
_RATING_LEVEL: Final = "rating"
_PAIRS: Final = "pairs of readings"
"""Units of measures of pairs: two people's readings of one sample, or of one of its sentences."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """Value of a measure of agreement, with its confidence interval (None: too few clusters)."""

    level: str
    measure: str
    value: Measured
    interval: Interval | None
    n: int
    of: str
    note: str = ""


class _Measure(NamedTuple):
    name: str
    n: int
    of: str
    function: Statistic
    note: str = ""


def all_figures(tally: AgreementTally) -> list[AgreementFigure]:
    """Return all agreement statistics: of samples, sentences, spans, labels, evidence, ratings.

    A level without two annotators' work has no statistics. Intervals come from bootstrap resamples
    of whole clusters of samples that share a document, the same resamples for each measure.
    """
    clusters = tally.clusters()
    labels = tally.labels()
    places = {label: place for place, label in enumerate(labels)}
    two = len(tally.people) == _PAIR_SIZE
    levels = (("sample", tally.of_samples, "samples"), ("segment", tally.of_segments, "sentences"))
    found: list[AgreementFigure] = []
    for level, ratings, of in levels:
        given = _LabelCounts(ratings, places, clusters)
        found += given.figures(level, of=of, two=two, alpha=True)
    found += _span_figures("span", tally.marks, clusters, two=two)
    if len(tally.cited):
        found += _span_figures("cited", tally.cited, clusters, two=two)
    matched = _LabelCounts(tally.of_matched, places, clusters)
    found += matched.figures("label", of="pairs of spans", two=two, alpha=False)
    found += _evidence_figures(tally, clusters)
    for name, rated in sorted(tally.rated.items()):
        level = f"{_RATING_LEVEL}: {name}" if len(tally.rated) > 1 else _RATING_LEVEL
        words: dict[LabelPath, int] = {(word,): at for at, word in enumerate(rated.words())}
        found += _LabelCounts(rated.given, words, clusters).ratings(level, two=two)
    return found


class _LabelCounts:
    def __init__(
        self, ratings: Ratings, places: dict[LabelPath, int], clusters: Sequence[str]
    ) -> None:
        self._ratings = ratings
        self._clusters = clusters
        self._size = len(places)
        self._patterns = [[places[label] for label in each] for each in ratings.patterns]
        self._counts = agreement.count_labels(self._patterns, self._size)

    def figures(self, level: str, *, of: str, two: bool, alpha: bool) -> Iterator[AgreementFigure]:
        """Yield percent agreement, Cohen's and Fleiss' kappa, and Krippendorff's alphas."""
        yield self._percent_figure(level, of if two or not alpha else _PAIRS)
        if two:
            yield from self._cohen_figures(level, of, ["cohen_kappa"])
        yield from self._fleiss_figures(level, of)
        if alpha:
            yield from self._alpha_figures(level, of)

    def ratings(self, level: str, *, two: bool) -> Iterator[AgreementFigure]:
        """Yield percent agreement, Cohen's kappa and Krippendorff's alphas of ratings."""
        yield self._percent_figure(level, "samples" if two else _PAIRS)
        if two:
            yield from self._cohen_figures(level, "samples", list(KAPPAS))
        yield from self._alpha_figures(level, "samples")

    def _percent_figure(self, level: str, of: str) -> AgreementFigure:
        pairs = self._sum_by_sample(agreement.count_agreeing_pairs(self._counts))
        measures = _Measure("percent", int(pairs[:, 1].sum()), of, agreement.percent_agreement)
        return self._make_figures(level, pairs, [measures])[0]

    def _alpha_figures(self, level: str, of: str) -> list[AgreementFigure]:
        met = self._sum_by_sample(_flatten_tables(agreement.count_coincidences(self._counts)))
        measures = [
            _Measure("alpha_nominal", len(self._ratings), of, self._alpha_statistic()),
            _Measure("alpha_ordinal", len(self._ratings), of, self._alpha_statistic(ordinal=True)),
        ]
        return self._make_figures(level, met, measures)

    def _cohen_figures(self, level: str, of: str, names: Sequence[str]) -> list[AgreementFigure]:
        table = np.zeros((len(self._patterns), self._size, self._size))
        for place, (one, other) in enumerate(self._patterns):
            table[place, one, other] = 1
        sums = self._sum_by_sample(_flatten_tables(table))
        measures = [
            _Measure(
                name, len(self._ratings), of, partial(_apply_to_tables, KAPPAS[name], self._size)
            )
            for name in names
        ]
        return self._make_figures(level, sums, measures)

    def _fleiss_figures(self, level: str, of: str) -> Iterator[AgreementFigure]:
        """Yield Fleiss' kappa of the items that have the most common number of annotators."""
        sizes = self._ratings.sizes
        people = max(sizes, key=lambda size: (sizes[size], size), default=_PAIR_SIZE)
        fits = self._counts.sum(axis=-1) == people
        by_pattern = np.zeros((len(self._counts), 2 + self._size))
        by_pattern[fits] = agreement.fleiss_sums(self._counts[fits])
        others = len(self._ratings) - sizes[people]
        note = (
            f"only {of} with {people} annotators; excluded {of} with more or fewer: {others:,}"
            if others
            else ""
        )
        measures = _Measure("fleiss_kappa", sizes[people], of, agreement.fleiss_kappa, note)
        yield from self._make_figures(level, self._sum_by_sample(by_pattern), [measures])

    def _sum_by_sample(self, by_pattern: Numbers) -> Numbers:
        return self._ratings.summed(by_pattern, len(self._clusters))

    def _make_figures(
        self, level: str, rows: Numbers, measures: Sequence[_Measure]
    ) -> list[AgreementFigure]:
        return _make_figures(level, rows, measures, clusters=self._clusters)

    def _alpha_statistic(self, *, ordinal: bool = False) -> Statistic:
        return partial(
            _apply_to_tables, partial(agreement.krippendorff_alpha, ordinal=ordinal), self._size
        )


KAPPAS: Final[Mapping[str, Statistic]] = {
    "cohen_kappa": agreement.cohen_kappa,
    "kappa_linear": partial(agreement.ordinal_cohen_kappa, power=1),
    "kappa_quadratic": partial(agreement.ordinal_cohen_kappa, power=2),
}


def _flatten_tables(tables: Numbers) -> Numbers:
    return tables.reshape(len(tables), tables.shape[1] ** 2)


def _apply_to_tables(function: Statistic, size: int, sums: Numbers) -> Numbers:
    return function(sums.reshape(*sums.shape[:-1], size, size))


def _span_figures(
    level: str, marks: PairMarks, clusters: Sequence[str], *, two: bool
) -> list[AgreementFigure]:
    rows = marks.summed(len(clusters))
    unit = ("sample", "samples") if two else ("pair of readings", _PAIRS)
    note = (
        f"excluded, as neither annotator marked a span: {format_count(marks.neither, *unit)}"
        if marks.neither
        else ""
    )
    units = f"{unit[1]} with a span"
    measures = [
        _Measure(f"f1_{name}", int(rows[:, -1].sum()), units, column_ratio(place, -1), note)
        for place, name in enumerate(FIGURES)
    ]
    return _make_figures(level, rows, measures, clusters=clusters)


def _evidence_figures(tally: AgreementTally, clusters: Sequence[str]) -> list[AgreementFigure]:
    rows = tally.passages()
    total = dict(zip(PASSAGES, rows.sum(axis=0).astype(int).tolist(), strict=True))
    both = [EvidenceRelation.SAME, EvidenceRelation.OVERLAP, EvidenceRelation.ELSEWHERE]
    given = sum(total[each] for each in both)
    any_given = given + total[EvidenceRelation.ONE]
    neither = total[EvidenceRelation.NEITHER]
    without = format_count(neither, "pair of spans", "pairs of spans")
    note = f"excluded, as neither span has evidence: {without}" if neither else ""
    measures = [
        _Measure(
            "same_passage",
            given,
            "pairs of spans, both with evidence",
            _passage_share(both[:1], both),
        ),
        _Measure(
            "overlap",
            given,
            "pairs of spans, both with evidence",
            _passage_share(both[:2], both),
        ),
        _Measure(
            "only_one",
            any_given,
            "pairs of spans, one or both with evidence",
            _passage_share([EvidenceRelation.ONE], [*both, EvidenceRelation.ONE]),
            note,
        ),
    ]
    return _make_figures("evidence", rows, measures, clusters=clusters)


def _passage_share(
    part: Sequence[EvidenceRelation], whole: Sequence[EvidenceRelation]
) -> Statistic:
    ours = [PASSAGES.index(each) for each in part]
    all_of = [PASSAGES.index(each) for each in whole]

    def share(sums: Numbers) -> Numbers:
        columns = (sums[..., ours].sum(axis=-1), sums[..., all_of].sum(axis=-1))
        return agreement.percent_agreement(np.stack(columns, axis=-1))

    return share


def column_ratio(part: int, whole: int) -> Statistic:
    """Return a function that divides column `part` of an array of sums by column `whole`."""
    return lambda sums: agreement.percent_agreement(sums[..., [part, whole]])


def _make_figures(
    level: str, rows: Numbers, measures: Sequence[_Measure], *, clusters: Sequence[str]
) -> list[AgreementFigure]:
    """Compute agreement measures of samples (rows), and their intervals by the bootstrap."""
    total = rows.sum(axis=0)
    draws = resample_sums(rows, clusters)
    found = []
    for name, n, of, function, note in measures:
        value = measure_value(function(total), units=n)
        drawn = None if draws is None or isinstance(value, UndefinedReason) else function(draws)
        interval = agreement.draw_interval(drawn)
        found.append(
            AgreementFigure(
                level=level, measure=name, value=value, interval=interval, n=n, of=of, note=note
            )
        )
    return found


def find_quoted_figure(figures: Iterable[AgreementFigure]) -> AgreementFigure | None:
    """Return the value to quote if only one is quoted; None if it is undefined.

    It is alpha of sentences, since most readers ask whether annotators judge the same sentence in
    the same way; if that is undefined, as in work that only rates samples, alpha of the ratings.
    """
    defined = {
        (each.level, each.measure): each
        for each in figures
        if not isinstance(each.value, UndefinedReason)
    }
    ratings = (_RATING_LEVEL, "alpha_ordinal")
    return defined.get(("segment", "alpha_nominal")) or defined.get(ratings)


SEVERAL: Final = "the samples were rated on several scales"


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Agreement statistics of two annotators; `spans` has mean F1 values of marked spans."""

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


def pair_figures(tally: AgreementTally) -> list[PairFigures]:
    """Return the statistics of each pair of annotators, sorted by their ids."""
    words: dict[str, list[LabelPath]] = {
        name: [(word,) for word in rated.words()] for name, rated in tally.rated.items()
    }
    return [_figures_of_pair(people, pair, words) for people, pair in sorted(tally.pairs.items())]


def _figures_of_pair(
    people: tuple[str, str], pair: PairTally, words: Mapping[str, list[LabelPath]]
) -> PairFigures:
    sums = np.array([*pair.spans, pair.marked])
    spans = {
        name: measure_value(column_ratio(place, -1)(sums), units=pair.marked)
        for place, name in enumerate(FIGURES)
    }
    both = _measure_two(pair.both, _labels_of(pair.both))
    matched = _measure_two(pair.matched, _labels_of(pair.matched))
    ratings = sum(pair.rated.values(), Counter[tuple[LabelPath, LabelPath]]())
    # The weighted kappas need the words of all scales in the order of the scales.
    ordered = dict.fromkeys(word for name in pair.rated for word in words[name])
    rated = _measure_two(ratings, list(ordered))
    if len(pair.rated) > 1:
        rated |= dict.fromkeys(KAPPAS, UndefinedReason(SEVERAL))
    return PairFigures(
        people=people,
        samples=pair.both.total(),
        percent=both["percent"],
        kappa=both["cohen_kappa"],
        marked=pair.marked,
        spans=spans,
        matched=pair.matched.total(),
        matched_percent=matched["percent"],
        matched_kappa=matched["cohen_kappa"],
        rated=ratings.total(),
        rating_percent=rated["percent"],
        rating_linear=rated["kappa_linear"],
        rating_quadratic=rated["kappa_quadratic"],
    )


def _labels_of(pairs: Iterable[tuple[LabelPath, LabelPath]]) -> list[LabelPath]:
    return sorted({label for labels in pairs for label in labels})


def _measure_two(
    both: Counter[tuple[LabelPath, LabelPath]], labels: Sequence[LabelPath]
) -> dict[str, Measured]:
    table = np.zeros((len(labels), len(labels)))
    for (one, other), count in both.items():
        table[labels.index(one), labels.index(other)] = count
    whole = np.array([np.trace(table), table.sum()])
    values = {name: kappa(table) for name, kappa in KAPPAS.items()}
    values["percent"] = agreement.percent_agreement(whole)
    return {name: measure_value(value, units=both.total()) for name, value in values.items()}
