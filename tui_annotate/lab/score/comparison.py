"""Compares scores that machines gave to samples with the human labels of these samples.

The comparison is read-only. Each sample is one case. For intervals, summaries of the same text are
resampled together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import SETTLED, Permission, require_permission
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.domain.scores import Pooling, RunKind, ScoreRun
from tui_annotate.lab.score.detection_metrics import (
    DetectionResult,
    area,
    best_threshold,
    measure_detection,
)
from tui_annotate.lab.score.human_truths import HumanTruths, TruthOptions
from tui_annotate.services.export import ExportService

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

MAX_NAMES: Final = 20
_DOCUMENTS: Final = "documents"
"""Value of `Score.of` for a score of each document of a sample."""


class ChoiceOrigin(StrEnum):
    """How the direction or the threshold of a score was chosen."""

    GIVEN = "given"
    FOUND = "found"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class MachineValues:
    """Values of one score, or of a detector's column, by the index of the judged sample."""

    name: str
    maker: str
    run: str
    values: Mapping[int, Any]
    low: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineComparison:
    """The agreement of one score or column with human labels.

    Attributes:
        n, missing: numbers of judged samples with and without a value.
        not_numbers: number of values that are not numbers and count as missing.
        threshold: value that separates both classes; None without values.
    """

    name: str
    maker: str
    run: str
    n: int
    missing: int
    not_numbers: int
    low: bool
    direction: ChoiceOrigin
    threshold: float | None
    threshold_origin: ChoiceOrigin
    detected: DetectionResult


class JudgedSamples:
    """The samples of a dataset that have a human label, and their values in given columns."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.samples = 0
        self.places: dict[SampleKey, int] = {}
        self.unsupported: list[bool] = []
        self.clusters: list[str] = []
        self._columns: dict[str, dict[int, Any]] = {name: {} for name in columns}
        self._columns_seen: Counter[str] = Counter()

    def add(self, sample: Sample, *, unsupported: bool | None) -> None:
        """Add a sample; `unsupported` is its human label, or None if it has no human label."""
        self.samples += 1
        self._columns_seen.update(
            {name: parse_number(value) is not None for name, value in sample.meta.items()}
        )
        if unsupported is None:
            return
        place = self.places[sample.key] = len(self.unsupported)
        self.unsupported.append(unsupported)
        # The line feed distinguishes a group from the id of a sample without a group.
        self.clusters.append(f"{sample.group}\n" if sample.group else sample.id)
        for name, values in self._columns.items():
            if sample.meta.get(name) not in (None, ""):
                values[place] = sample.meta[name]

    def column_values(self, columns: Sequence[str]) -> Iterator[MachineValues]:
        """Yield the judged samples' values in each column; raise NotFound if a column has none."""
        for name in columns:
            if name not in self._columns_seen:
                raise NotFound(
                    f"no sample has a column {name!r}",
                    self.hint(suggest_word(name, self._columns_seen)),
                )
            yield MachineValues(name, "", "", self._columns[name])

    def hint(self, *words: str) -> str:
        names = [name for name, times in self._columns_seen.most_common() if times][:MAX_NAMES]
        there = f"columns of numbers: {', '.join(names)}" if names else "no column contains numbers"
        return " ".join([*(word.strip() for word in words if word), there])


def parse_number(value: Any) -> float | None:
    """Return a table cell's number, 1 or 0 for a boolean; None for NaN and infinity."""
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def disambiguate_names(machines: Iterable[MachineValues]) -> list[MachineValues]:
    """Append the scorer's name to each score name that several scores share."""
    found = list(machines)
    times = Counter(each.name for each in found)
    return [
        replace(each, name=f"{each.name} ({each.maker or 'column'})")
        if times[each.name] > 1
        else each
        for each in found
    ]


_BINARY: Final = 2
_CHANCE_AREA: Final = 0.5


class ReferenceLabels(StrEnum):
    """Kind of human labels for a comparison: those of all annotators, or adjudicated ones."""

    PEOPLE = "people"
    ADJUDICATED = "adjudicated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """Options for comparing scores with human labels.

    Attributes:
        scores: names or makers of scores; empty: all scores, or none if columns are named.
        against: a value of `ReferenceLabels`, or an annotator.
        unwanted: labels of unsupported samples; empty for all labels but Benign.
        pool: rule that combines the labels of several readers.
        unmarked_clean: count samples that no annotator marked as supported.
        thresholds: threshold by name of the score; the name "" is for all other scores.
        low, high: scores whose low or high values mean better supported.
    """

    dataset: str
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    against: str = ReferenceLabels.PEOPLE
    unwanted: tuple[str, ...] = ()
    pool: Pooling = Pooling.WORST
    unmarked_clean: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    low: frozenset[str] = frozenset()
    high: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of comparing scores with human labels.

    Attributes:
        without_values: names of scores that no judged sample has a value of; they are not compared.
    """

    options: ComparisonOptions
    samples: int
    unsupported: int
    supported: int
    unjudged: Mapping[str, int]
    ignored_readings: Mapping[str, int]
    machines: tuple[MachineComparison, ...]
    without_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonService:
    machines: MachineServices

    def report(self, options: ComparisonOptions) -> Comparison:
        """Evaluate all requested scores and columns against human labels.

        Raises:
            NotAllowed: this user may not report on all annotators.
            InvalidInput, NotFound: a name or column is unknown, or there is nothing to compare.
        """
        require_permission(self.machines.actor, Permission.REPORT)
        options = self._check_options(options)
        runs = self._newest_runs(options)
        truths = HumanTruths(self._truth_options(options))
        cases = JudgedSamples(options.columns)
        for record in self.machines.corpus.records(RecordFilter(dataset=options.dataset)):
            cases.add(record.sample, unsupported=truths.label(record))
        scored = list(self._score_values(options, runs, cases))
        valued = [each for each in scored if each.values]
        empty = {each.name for each in scored} - {each.name for each in valued}
        machines = disambiguate_names([*valued, *cases.column_values(options.columns)])
        if not machines:
            raise _nothing_to_compare(options, runs, cases)
        _check_names(options, [each.name for each in machines])
        return Comparison(
            options=options,
            samples=cases.samples,
            unsupported=sum(cases.unsupported),
            supported=len(cases.unsupported) - sum(cases.unsupported),
            unjudged=dict(sorted(truths.unjudged.items())),
            ignored_readings=dict(sorted(truths.ignored_readings.items())),
            machines=tuple(_compare_machine(each, options, cases) for each in machines),
            without_values=tuple(sorted(empty)),
        )

    # request ------------------------------------------------------------------------------------

    def _check_options(self, options: ComparisonOptions) -> ComparisonOptions:
        machines = self.machines
        check = ExportService(machines.corpus, machines.people, machines.log).checked
        check(RecordFilter(dataset=options.dataset))
        labels = (check(RecordFilter(label=each)).label for each in options.unwanted)
        if options.against not in list(ReferenceLabels):
            check(RecordFilter(person=options.against))
        return replace(options, unwanted=tuple(labels))

    def _truth_options(self, options: ComparisonOptions) -> TruthOptions:
        people = {
            person.id
            for person in self.machines.people.all()
            if options.against in (person.id, person.name)
        }
        named = {ReferenceLabels.PEOPLE.value: set(), ReferenceLabels.ADJUDICATED.value: {SETTLED}}
        return TruthOptions(
            people=frozenset(named.get(options.against, people)),
            unwanted=tuple(tuple(each.split(JOINER)) for each in options.unwanted),
            pool=options.pool,
            unmarked_clean=options.unmarked_clean,
        )

    def _newest_runs(self, options: ComparisonOptions) -> list[ScoreRun]:
        runs = self.machines.scores.runs(options.dataset)
        newest = {(run.kind, run.maker): run for run in runs if run.kind is not RunKind.SUGGEST}
        makers = {name for _, maker in newest for name in _maker_names(maker)}
        known = {*self.machines.scores.names(options.dataset), *makers}
        for name in options.scores:
            if name not in known:
                there = (
                    ", ".join(sorted(known)[:MAX_NAMES])
                    or "no scores; compute scores with: tui-annotate scores compute"
                )
                hint = f"{suggest_word(name, known)}existing scores: {there}"
                raise InvalidInput(f"dataset {options.dataset!r} has no score {name!r}", hint)
        return list(newest.values())

    def _score_values(
        self, options: ComparisonOptions, runs: Iterable[ScoreRun], cases: JudgedSamples
    ) -> Iterator[MachineValues]:
        if options.columns and not options.scores:
            return
        for run in runs:
            found: dict[str, dict[int, float]] = {}
            for key, scores in self.machines.scores.scores(options.dataset, runs=[run.id]):
                for score in scores if key in cases.places else ():
                    if score.extra:
                        continue
                    # A category of a ranker and an order of documents have no number by nature.
                    if score.raw is None and (run.kind is RunKind.RANK or score.of == _DOCUMENTS):
                        continue
                    values = found.setdefault(score.name, {})
                    if score.raw is not None:
                        values[cases.places[key]] = score.raw
            for name, values in found.items():
                if not options.scores or {name, *_maker_names(run.maker)} & {*options.scores}:
                    yield MachineValues(name, run.maker, run.id, values, low=name in run.low)


def _maker_names(maker: str) -> tuple[str, str]:
    """Return the names by which a maker can be selected: with its model, and without."""
    return maker, maker.partition(":")[0]


def _nothing_to_compare(
    options: ComparisonOptions, runs: Sequence[ScoreRun], cases: JudgedSamples
) -> InvalidInput:
    if not runs:
        hint = cases.hint(
            "compute scores with: tui-annotate scores compute, or pass --column NAME;"
        )
        return InvalidInput(f"dataset {options.dataset!r} has no scores", hint, code="no-scores")
    if not cases.places:
        hint = (
            "let annotators complete samples first, or pass --unmarked-clean to count samples"
            " without annotations as supported"
        )
        message = f"dataset {options.dataset!r} has no sample that annotators judged"
        return InvalidInput(message, hint, code="no-judged-sample")
    named = ", ".join(options.scores) or "any score"
    hint = "list all scores with: tui-annotate scores list"
    message = f"no sample with a human label has a numeric value of: {named}"
    return InvalidInput(message, hint, code="no-numbers")


def _check_names(options: ComparisonOptions, names: Sequence[str]) -> None:
    for name in sorted({*options.thresholds, *options.low, *options.high} - {*names, ""}):
        hint = f"{suggest_word(name, names)}compared scores: {', '.join(names[:MAX_NAMES])}"
        raise InvalidInput(f"score {name!r} is not part of the comparison", hint)
    for name in sorted(options.low & options.high):
        raise InvalidInput(
            f"score {name!r} is named in both --lower-is-better and --higher-is-better",
            "name the score in only one of the two options",
        )


def _compare_machine(
    machine: MachineValues, options: ComparisonOptions, cases: JudgedSamples
) -> MachineComparison:
    numbers = {place: parse_number(value) for place, value in machine.values.items()}
    places = sorted(place for place, value in numbers.items() if value is not None)
    values = np.array([numbers[place] for place in places], np.float64)
    unsupported = np.array([cases.unsupported[place] for place in places], np.bool_)
    low, direction = machine.low, ChoiceOrigin.GIVEN
    if machine.name in options.low | options.high:
        low = machine.name in options.low
    elif low is None:
        low, direction = area(values, unsupported, low=False) < _CHANCE_AREA, ChoiceOrigin.FOUND
    threshold = options.thresholds.get(machine.name, options.thresholds.get(""))
    origin = ChoiceOrigin.GIVEN
    if threshold is None and places:
        origin = ChoiceOrigin.FOUND if len(np.unique(values)) > _BINARY else ChoiceOrigin.ONLY
        threshold = best_threshold(values, unsupported, low=low)
    return MachineComparison(
        name=machine.name,
        maker=machine.maker,
        run=machine.run,
        n=len(places),
        missing=len(cases.unsupported) - len(places),
        not_numbers=len(numbers) - len(places),
        low=low,
        direction=direction,
        threshold=threshold,
        threshold_origin=origin,
        detected=measure_detection(
            values,
            unsupported,
            low=low,
            threshold=threshold or 0.0,
            clusters=[cases.clusters[place] for place in places],
        ),
    )
