"""From sums over samples to figures: each with its interval, its n, and what that counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.methods import agreement
from tui_annotate.methods.agreement import Measured, Numbers, Undefined, measured
from tui_annotate.methods.bootstrap import Interval, resampled_sums
from tui_annotate.methods.span_agreement import FIGURES, Passage
from tui_annotate.services.agree.tallies import PASSAGES, Marks, Ratings, Tally

Statistic = Callable[[Numbers], Numbers]

_TWO: Final = 2
_RATING: Final = "rating"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure at one level.

    Attributes:
        interval: None where the measure has no value, or too few draws have one.
        n: over how many `of` it goes.
        note: what else is to be known of it; may be empty.
    """

    level: str
    measure: str
    value: Measured
    interval: Interval | None
    n: int
    of: str
    note: str = ""


class _Asked(NamedTuple):
    """A measure, as a function of sums."""

    name: str
    n: int
    of: str
    function: Statistic
    note: str = ""


def all_figures(tally: Tally) -> list[Figure]:
    """All figures: of samples, segments, spans, labels of matched spans, evidence, ratings.

    What no two people did has no figures: spans of what citations cite, and ratings. Where these
    are on several scales, each has a level of its own.

    Intervals are of whole samples drawn anew, the same draws for each measure.
    """
    labels = tally.labels()
    places = {label: place for place, label in enumerate(labels)}
    two = len(tally.people) == _TWO
    levels = (
        ("sample", tally.of_samples, "samples"),
        ("segment", tally.of_segments, "sentences"),
    )
    found: list[Figure] = []
    for level, ratings, of in levels:
        given = _Given(ratings, places, tally.samples)
        found += given.figures(level, of=of, two=two, alpha=True)
    found += _spans("span", tally.marks, tally.samples)
    found += _spans("cited", tally.cited, tally.samples) if len(tally.cited) else ()
    matched = _Given(tally.of_matched, places, tally.samples)
    found += matched.figures("label", of="pairs of spans", two=two, alpha=False)
    found += _evidence(tally)
    for name, rated in sorted(tally.rated.items()):
        level = f"{_RATING}: {name}" if len(tally.rated) > 1 else _RATING
        words: dict[LabelPath, int] = {(word,): at for at, word in enumerate(rated.words())}
        found += _Given(rated.given, words, tally.samples).ratings(level, two=two)
    return found


class _Given:
    """The labels of a level's units, as sums over samples."""

    def __init__(self, ratings: Ratings, places: dict[LabelPath, int], samples: int) -> None:
        self._ratings = ratings
        self._samples = samples
        self._size = len(places)
        self._patterns = [[places[label] for label in each] for each in ratings.patterns]
        self._counts = agreement.counts(self._patterns, self._size)

    def figures(self, level: str, *, of: str, two: bool, alpha: bool) -> Iterator[Figure]:
        """Percent, Cohen for two people, Fleiss, alpha in both its forms."""
        yield self._percent(level, "pairs of people" if alpha else of)
        yield from self._cohen(level, of, ["cohen_kappa"]) if two else ()
        yield from self._fleiss(level, of)
        yield from self._alphas(level, of) if alpha else ()

    def ratings(self, level: str, *, two: bool) -> Iterator[Figure]:
        """Percent, kappa as it is and weighted for two people, alpha in both its forms."""
        yield self._percent(level, "pairs of people")
        yield from self._cohen(level, "samples", list(KAPPAS)) if two else ()
        yield from self._alphas(level, "samples")

    def _percent(self, level: str, of: str) -> Figure:
        pairs = self._summed(agreement.pairs(self._counts))
        asked = _Asked("percent", int(pairs[:, 1].sum()), of, agreement.percent)
        return _found(level, pairs, [asked])[0]

    def _alphas(self, level: str, of: str) -> list[Figure]:
        met = self._summed(_rows(agreement.coincidences(self._counts)))
        asked = [
            _Asked("alpha_nominal", len(self._ratings), of, self._alpha()),
            _Asked("alpha_ordinal", len(self._ratings), of, self._alpha(ordinal=True)),
        ]
        return _found(level, met, asked)

    def _cohen(self, level: str, of: str, names: Sequence[str]) -> list[Figure]:
        table = np.zeros((len(self._patterns), self._size, self._size))
        for place, (one, other) in enumerate(self._patterns):
            table[place, one, other] = 1
        sums = self._summed(_rows(table))
        asked = [
            _Asked(name, len(self._ratings), of, partial(_squared, KAPPAS[name], self._size))
            for name in names
        ]
        return _found(level, sums, asked)

    def _fleiss(self, level: str, of: str) -> Iterator[Figure]:
        """Of the units that the most usual number of people judged: it has to be one number."""
        sizes = self._ratings.sizes
        people = max(sizes, key=lambda size: (sizes[size], size), default=_TWO)
        fits = self._counts.sum(axis=-1) == people
        by_pattern = np.zeros((len(self._counts), 2 + self._size))
        by_pattern[fits] = agreement.fleiss_sums(self._counts[fits])
        others = len(self._ratings) - sizes[people]
        note = f"of {people} people each; {others:,} of other numbers left out" if others else ""
        asked = _Asked("fleiss_kappa", sizes[people], of, agreement.fleiss, note)
        yield from _found(level, self._summed(by_pattern), [asked])

    def _summed(self, by_pattern: Numbers) -> Numbers:
        return self._ratings.summed(by_pattern, self._samples)

    def _alpha(self, *, ordinal: bool = False) -> Statistic:
        return partial(_squared, partial(agreement.alpha, ordinal=ordinal), self._size)


KAPPAS: Final[Mapping[str, Statistic]] = {
    "cohen_kappa": agreement.cohen,
    "kappa_linear": partial(agreement.cohen_by_steps, power=1),
    "kappa_quadratic": partial(agreement.cohen_by_steps, power=2),
}


def _rows(tables: Numbers) -> Numbers:
    """(tables, columns) of square tables."""
    return tables.reshape(len(tables), tables.shape[1] ** 2)


def _squared(function: Statistic, size: int, sums: Numbers) -> Numbers:
    """A function of square tables, of tables as rows."""
    return function(sums.reshape(*sums.shape[:-1], size, size))


def _spans(level: str, marks: Marks, samples: int) -> list[Figure]:
    rows = marks.summed(samples)
    note = f"neither marked anything in {marks.neither:,} more" if marks.neither else ""
    asked = [
        _Asked(f"f1_{name}", int(rows[:, -1].sum()), "pairs of people", share_of(place, -1), note)
        for place, name in enumerate(FIGURES)
    ]
    return _found(level, rows, asked)


def _evidence(tally: Tally) -> list[Figure]:
    """Of pairs of spans that overlap: whether evidence was given, and whether it is the same."""
    rows = tally.passages()
    total = dict(zip(PASSAGES, rows.sum(axis=0).astype(int).tolist(), strict=True))
    both = [Passage.SAME, Passage.OVERLAP, Passage.ELSEWHERE]
    given = sum(total[each] for each in both)
    any_given = given + total[Passage.ONE]
    neither = total[Passage.NEITHER]
    note = f"neither gave any in {neither:,} more" if neither else ""
    asked = [
        _Asked("same_passage", given, "pairs, both gave", _passages(both[:1], both)),
        _Asked("overlap", given, "pairs, both gave", _passages(both[:2], both)),
        _Asked(
            "only_one",
            any_given,
            "pairs, any gave",
            _passages([Passage.ONE], [*both, Passage.ONE]),
            note,
        ),
    ]
    return _found("evidence", rows, asked)


def _passages(part: Sequence[Passage], whole: Sequence[Passage]) -> Statistic:
    ours, all_of = ([PASSAGES.index(each) for each in some] for some in (part, whole))

    def share(sums: Numbers) -> Numbers:
        columns = (sums[..., ours].sum(axis=-1), sums[..., all_of].sum(axis=-1))
        return agreement.percent(np.stack(columns, axis=-1))

    return share


def share_of(part: int, whole: int) -> Statistic:
    """One column of sums as a share of another; both by their places."""
    return lambda sums: agreement.percent(sums[..., [part, whole]])


def _found(level: str, rows: Numbers, asked: Sequence[_Asked]) -> list[Figure]:
    """Measures of the sums of some columns, with intervals from one set of draws."""
    total, draws = rows.sum(axis=0), resampled_sums(rows)
    found = []
    for name, n, of, function, note in asked:
        value = measured(function(total), units=n)
        drawn = None if draws is None or isinstance(value, Undefined) else function(draws)
        interval = agreement.between(drawn)
        found.append(Figure(level, name, value, interval, n, of, note))
    return found
