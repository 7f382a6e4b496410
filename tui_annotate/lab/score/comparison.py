"""Compares scores, and columns of detectors, with human labels.

Read-only. A sample is one case; summaries of one text are resampled together for intervals.
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


class ChoiceOrigin(StrEnum):
    """The origin of a direction or threshold: run or user, or these samples.

    ONLY is the threshold between the two values that there are: nothing was chosen.
    """

    GIVEN = "given"
    FOUND = "found"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class MachineValues:
    """The values of one score or column, parallel to the judged samples.

    Attributes:
        maker, run: empty for a column.
        low: low values are better supported; None if unknown.
    """

    name: str
    maker: str
    run: str
    values: Mapping[int, Any]
    low: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineComparison:
    """How well one score or column agrees with human labels; see `MachineValues`.

    Attributes:
        n, missing: judged samples with and without a value.
        not_numbers: values that count as missing.
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
    """The judged samples of a dataset, in their order."""

    def __init__(self, columns: Sequence[str]) -> None:
        """Start without cases; the values of these columns are collected."""
        self.samples = 0
        self.places: dict[SampleKey, int] = {}
        self.unsupported: list[bool] = []
        self.clusters: list[str] = []
        self._columns: dict[str, dict[int, Any]] = {name: {} for name in columns}
        self._columns_seen: Counter[str] = Counter()

    def add(self, sample: Sample, *, unsupported: bool | None) -> None:
        """Add a sample; `unsupported` is None without a human label."""
        self.samples += 1
        self._columns_seen.update(
            {name: parse_number(value) is not None for name, value in sample.meta.items()}
        )
        if unsupported is None:
            return
        place = self.places[sample.key] = len(self.unsupported)
        self.unsupported.append(unsupported)
        # The sign keeps a group from being taken for a sample without one.
        self.clusters.append(f"{sample.group}\n" if sample.group else sample.id)
        for name, values in self._columns.items():
            if sample.meta.get(name) not in (None, ""):
                values[place] = sample.meta[name]

    def column_values(self, columns: Sequence[str]) -> Iterator[MachineValues]:
        """Yield the values of columns.

        Raises:
            NotFound: no sample has one of them.
        """
        for name in columns:
            if name not in self._columns_seen:
                raise NotFound(
                    f"no sample has a column {name!r}",
                    self.hint(suggest_word(name, self._columns_seen)),
                )
            yield MachineValues(name, "", "", self._columns[name])

    def hint(self, *words: str) -> str:
        """Return a hint of some words and the columns that hold numbers."""
        names = [name for name, times in self._columns_seen.most_common() if times][:MAX_NAMES]
        there = f"columns with numbers: {', '.join(names)}" if names else "no column holds numbers"
        return " ".join([*(word.strip() for word in words if word), there])


def parse_number(value: Any) -> float | None:
    """Return a cell as a finite number; None if it is not one. Booleans are 1 and 0."""
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def disambiguate_names(machines: Iterable[MachineValues]) -> list[MachineValues]:
    """Append the maker to names that several scores share."""
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
    """Whose labels count if no person is named."""

    PEOPLE = "people"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """Options of a comparison.

    Attributes:
        scores: names or makers; all if no columns are named.
        against: a value of `ReferenceLabels`, or a person.
        unwanted: labels of unsupported samples; empty for all but Benign.
        thresholds: by name, "" for the others.
        low, high: scores whose low or high values are better supported.
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
    """The result of a comparison.

    Attributes:
        unjudged: reasons why samples have no human label, with counts.
        ignored_readings: reasons why readings do not count, with counts.
    """

    options: ComparisonOptions
    samples: int
    unsupported: int
    supported: int
    unjudged: Mapping[str, int]
    ignored_readings: Mapping[str, int]
    machines: tuple[MachineComparison, ...]


@dataclass(frozen=True, slots=True)
class ComparisonService:
    """Compares scores and detectors with human labels."""

    machines: MachineServices

    def report(self, options: ComparisonOptions) -> Comparison:
        """Return all figures.

        Raises:
            NotAllowed: this actor may not report on everyone.
            InvalidInput, NotFound: an unknown name or column, or nothing to compare.
        """
        require_permission(self.machines.actor, Permission.REPORT)
        options = self._check_options(options)
        runs = self._newest_runs(options)
        truths = HumanTruths(self._truth_options(options))
        cases = JudgedSamples(options.columns)
        for record in self.machines.corpus.records(RecordFilter(dataset=options.dataset)):
            cases.add(record.sample, unsupported=truths.label(record))
        machines = disambiguate_names(
            [*self._score_values(options, runs, cases), *cases.column_values(options.columns)]
        )
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
        )

    # what is asked for --------------------------------------------------------------------------

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
        named = {ReferenceLabels.PEOPLE.value: set(), ReferenceLabels.SETTLED.value: {SETTLED}}
        return TruthOptions(
            people=frozenset(named.get(options.against, people)),
            unwanted=tuple(tuple(each.split(JOINER)) for each in options.unwanted),
            pool=options.pool,
            unmarked_clean=options.unmarked_clean,
        )

    def _newest_runs(self, options: ComparisonOptions) -> list[ScoreRun]:
        runs = self.machines.scores.runs(options.dataset)
        newest = {(run.kind, run.maker): run for run in runs if run.kind is not RunKind.SUGGEST}
        known = {*self.machines.scores.names(options.dataset), *(maker for _, maker in newest)}
        for name in options.scores:
            if name not in known:
                there = (
                    ", ".join(sorted(known)[:MAX_NAMES]) or "none; make some: tui-annotate score"
                )
                hint = f"{suggest_word(name, known)}there are: {there}"
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
                    if score.extra == 0 and score.raw is not None:
                        found.setdefault(score.name, {})[cases.places[key]] = score.raw
            for name, values in found.items():
                if not options.scores or {name, run.maker} & {*options.scores}:
                    yield MachineValues(name, run.maker, run.id, values, low=name in run.low)


def _nothing_to_compare(
    options: ComparisonOptions, runs: Sequence[ScoreRun], cases: JudgedSamples
) -> InvalidInput:
    if not runs:
        hint = cases.hint("make some, or name a detector's --column;")
        return InvalidInput(f"dataset {options.dataset!r} has no scores", hint, code="no-scores")
    if not cases.places:
        hint = "people annotate and finish samples first, or --unmarked-clean"
        message = f"dataset {options.dataset!r} has no sample that people judged"
        return InvalidInput(message, hint, code="no-judged-sample")
    named = ", ".join(options.scores) or "the scores"
    hint = "see what each holds: tui-annotate score list"
    message = f"{named}: no number of any sample that people judged"
    return InvalidInput(message, hint, code="no-numbers")


def _check_names(options: ComparisonOptions, names: Sequence[str]) -> None:
    for name in sorted({*options.thresholds, *options.low, *options.high} - {*names, ""}):
        hint = f"{suggest_word(name, names)}there are: {', '.join(names[:MAX_NAMES])}"
        raise InvalidInput(f"{name!r} is not compared", hint)
    for name in sorted(options.low & options.high):
        raise InvalidInput(f"{name!r} can not be better both low and high", "say one of them")


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
