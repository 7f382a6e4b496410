"""Compares scores that machines gave to samples with the human labels of these samples.

The comparison is read-only. Each sample is one case. For intervals, samples that share a document
are resampled together (`domain.sample_clusters`).
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.keyword_names import check_field_names, check_keywords
from tui_annotate.domain.label_changes import find_labels_once_named
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import SETTLED, Permission, require_permission
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.sample_clusters import join_clusters, shared_names
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import GENERATED_TEXTS, Pooling, RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggested_work import SuggestedReadings
from tui_annotate.lab.score.detection_metrics import (
    ChoiceOrigin,
    DetectionDraws,
    DetectionFigure,
    DetectionResult,
    Numbers,
    Truths,
    area,
    best_threshold,
    draw_detection,
    measure_detection,
    subtract_detection,
)
from tui_annotate.lab.score.human_truths import (
    BENIGN,
    HumanTruths,
    SampleTruth,
    TruthOptions,
)
from tui_annotate.lab.score.span_comparison import (
    SpanCase,
    SpanComparer,
    SpanComparison,
    find_marked_spans,
    trim_segments,
)
from tui_annotate.methods.bootstrap import count_clusters
from tui_annotate.methods.calibration import CalibrationResult, measure_calibration
from tui_annotate.services.export import ExportService
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.corpus.store import SegmentStore

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

MAX_NAMES: Final = 20
_DOCUMENTS: Final = "documents"
"""Value of `Score.of` for a score of each document of a sample."""


@dataclass(frozen=True, slots=True)
class MachineValues:
    """Values of one score, or of a detector's column, by the index of the judged sample."""

    name: str
    maker: str
    run: str
    values: Mapping[int, Any]
    low: bool | None = None

    def is_maker(self, maker: str) -> bool:
        """Return whether suggestions of a maker come from this score or its machine.

        The machine of a column is unknown: suggestions with the name of the column are its own.
        """
        name = self.name.removesuffix(_name_suffix(self))
        if self.maker:
            return maker in (self.maker, f"{self.maker}:{name}")
        return maker in (name, f"import:{name}", f"judge:{name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitComparison:
    """A comparison on two parts of the samples, by whether people used the machine's suggestions.

    Attributes:
        suggested: on samples whose human label rests on answers to the machine's suggestions.
        independent: on all other samples.
        suggested_calibration, independent_calibration: if the score's values are probabilities.
    """

    suggested: DetectionResult
    independent: DetectionResult
    suggested_calibration: CalibrationResult | None = None
    independent_calibration: CalibrationResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineDifference:
    """The measures of a score minus those of another one, on the `n` samples that have both.

    `only_one`: number of judged samples that have only one of both, which are excluded.
    """

    baseline: str
    n: int
    clusters: int
    only_one: int
    figures: Mapping[str, DetectionFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineComparison:
    """The agreement of one score or column with human labels.

    Attributes:
        n, missing: numbers of judged samples with and without a value.
        not_numbers: number of values that are not numbers and count as missing.
        threshold: value that separates both classes; None without values.
        split: the measures with and without work that began with the machine's own suggestions;
            None without such work.
        difference: the difference to the baseline; None without a baseline, and for itself.
        calibration: calibration of the score, if its values are probabilities.
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
    split: SplitComparison | None = None
    difference: BaselineDifference | None = None
    calibration: CalibrationResult | None = None


class JudgedSamples:
    """The samples of a dataset that have a human label, and their values in given columns."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.samples = 0
        self.places: dict[SampleKey, int] = {}
        self.unsupported: list[bool] = []
        self.makers: list[frozenset[str]] = []
        self.readings: Counter[int] = Counter()
        self._shared: list[tuple[str, ...]] = []
        self._columns: dict[str, dict[int, Any]] = {name: {} for name in columns}
        self._columns_seen: Counter[str] = Counter()

    @cached_property
    def clusters(self) -> list[str]:
        """The cluster of each judged sample; complete after the last sample was added."""
        return join_clusters(self._shared)

    def add(self, sample: Sample, truth: SampleTruth) -> None:
        """Add a sample with its human label; without a label, only its columns are counted."""
        self.samples += 1
        self._columns_seen.update(
            {name: parse_number(value) is not None for name, value in sample.meta.items()}
        )
        if truth.unsupported is None:
            return
        place = self.places[sample.key] = len(self.unsupported)
        self.unsupported.append(truth.unsupported)
        self.makers.append(truth.makers)
        self.readings[len(truth.readings)] += 1
        self._shared.append(shared_names(sample))
        for name, values in self._columns.items():
            if sample.meta.get(name) not in (None, ""):
                values[place] = sample.meta[name]

    def truths(self, places: Sequence[int]) -> Truths:
        """Return whether people call the judged samples with these indices unsupported."""
        return np.array([self.unsupported[place] for place in places], np.bool_)

    def column_values(self, columns: Sequence[str]) -> Iterator[MachineValues]:
        """Yield the judged samples' values in each column; raise NotFound if a column has none."""
        for name in columns:
            if name not in self._columns_seen:
                raise NotFound(
                    f"no sample has a column {name!r}",
                    self.hint(suggest_word(name, self._columns_seen)),
                )
            yield MachineValues(name=name, maker="", run="", values=self._columns[name])

    def hint(self, *words: str) -> str:
        """Return a hint of some words, without empty ones, and the columns that hold numbers."""
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
        replace(each, name=f"{each.name}{_name_suffix(each)}") if times[each.name] > 1 else each
        for each in found
    ]


def _name_suffix(machine: MachineValues) -> str:
    return f" ({machine.maker or 'column'})"


_BINARY: Final = 2
_PAGE: Final = 500
_CHANCE_AREA: Final = 0.5


class ReferenceLabels(StrEnum):
    """Kind of human labels for a comparison: those of all annotators, or adjudicated ones."""

    PEOPLE = "people"
    ADJUDICATED = "adjudicated"


@check_field_names(
    unwanted="unsupported_labels", pool="aggregate", low="lower_is_better", high="higher_is_better"
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """Options for comparing scores with human labels.

    Attributes:
        scores: names or makers of scores; empty: all scores, or none if columns are named.
        against: a value of `ReferenceLabels`, or an annotator.
        unsupported_labels: labels of unsupported samples; empty for all labels but Benign.
        aggregate: rule that combines the labels of several readers.
        unmarked_clean: count samples that no annotator marked as supported.
        thresholds: threshold by name of the score; the name "" is for all other scores.
        lower_is_better, higher_is_better: scores whose low or high values mean better supported.
        probabilities: scores whose values are probabilities, so that they are calibrated.
        baseline: score whose measures are subtracted from those of all others; empty for none.
        without_suggested_work: exclude the work of people who answered a machine's suggestion.
        suggestions: makers whose suggestions are compared with the spans that people marked.
    """

    dataset: str
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    against: str = ReferenceLabels.PEOPLE
    unsupported_labels: tuple[str, ...] = ()
    aggregate: Pooling = Pooling.WORST
    unmarked_clean: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    higher_is_better: frozenset[str] = frozenset()
    probabilities: frozenset[str] = frozenset()
    baseline: str = ""
    without_suggested_work: bool = False
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of comparing scores with human labels.

    Attributes:
        benign: top-level labels of the label set that mean supported: Benign, or the labels that
            were named Benign before; empty if the set has none, so that all labels mean
            unsupported.
        clusters: number of clusters of judged samples, which intervals resample.
        suggested: the work that began with suggestions, by maker.
        readings: numbers of judged samples by the number of readings that their label rests on.
        without_values: names of scores that no judged sample has a value of; they are not compared.
        unused_threshold: whether the threshold for all other scores applies to none.
    """

    options: ComparisonOptions
    samples: int
    unsupported: int
    supported: int
    clusters: int
    unjudged: Mapping[str, int]
    ignored_readings: Mapping[str, int]
    machines: tuple[MachineComparison, ...]
    without_values: tuple[str, ...] = ()
    suggested: Mapping[str, SuggestedReadings] = field(default_factory=dict)
    spans: tuple[SpanComparison, ...] = ()
    benign: tuple[str, ...] = ()
    readings: Mapping[int, int] = field(default_factory=dict)
    unused_threshold: bool = False


@check_keywords
@dataclass(frozen=True, slots=True)
class ComparisonService:
    """Compares machines' scores and columns of the data with human labels."""

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
        answers = self.machines.suggestions.answers(options.dataset)
        truth_options = self._truth_options(options)
        truths = HumanTruths(truth_options, answers)
        comparer = SpanComparer(
            suggestions=self.machines.suggestions,
            scores=self.machines.scores,
            dataset=options.dataset,
            counts=truths.marks_unsupported,
            thresholds=options.thresholds,
        )
        comparer.check(options.suggestions)
        cases = JudgedSamples(options.columns)
        marked = _MarkedSamples(options, truths)
        for record in self.machines.corpus.records(RecordFilter(dataset=options.dataset)):
            truth = truths.judge(record)
            cases.add(record.sample, truth)
            marked.add(record.sample, truth)
        truths.leave_out_checked(self.machines.log.checked_readings(options.dataset))
        scored = list(self._score_values(options, runs, cases))
        valued = [each for each in scored if each.values]
        empty = {each.name for each in scored} - {each.name for each in valued}
        machines = disambiguate_names([*valued, *cases.column_values(options.columns)])
        if not machines and not options.suggestions:
            raise _nothing_to_compare(options, runs, cases)
        _check_names(options, [each.name for each in machines])
        readings = [_ReadScore.of(each, options, cases) for each in machines]
        baseline = next((each for each in readings if each.machine.name == options.baseline), None)
        spans = comparer.compare(
            options.suggestions,
            marked.cases(cases, SegmentStore(self.machines.database)),
            without_summary=marked.without_summary,
            baseline=options.baseline,
        )
        with_threshold = {each.name for each in machines}
        with_threshold |= {each.maker for each in spans if each.result.sentence_scores}
        _check_thresholds(options.thresholds, with_threshold)
        return Comparison(
            options=options,
            samples=cases.samples,
            unsupported=sum(cases.unsupported),
            supported=len(cases.unsupported) - sum(cases.unsupported),
            clusters=count_clusters(cases.clusters),
            unjudged=dict(sorted(truths.unjudged.items())),
            ignored_readings=dict(sorted(truths.ignored_readings.items())),
            readings=dict(sorted(cases.readings.items())),
            machines=tuple(
                _compare_machine(each, options, cases, baseline=baseline) for each in readings
            ),
            without_values=tuple(sorted(empty)),
            suggested=dict(sorted(truths.suggested.items())),
            spans=tuple(spans),
            unused_threshold="" in options.thresholds and with_threshold <= {*options.thresholds},
            benign=self._benign_labels(options.dataset, truth_options.benign),
        )

    # request ------------------------------------------------------------------------------------

    def _check_options(self, options: ComparisonOptions) -> ComparisonOptions:
        machines = self.machines
        check = ExportService(
            machines.corpus, machines.people, machines.log, lambda: self._label_paths(options)
        ).checked
        check(RecordFilter(dataset=options.dataset))
        labels = (
            check(RecordFilter(dataset=options.dataset, label=each)).label
            for each in options.unsupported_labels
        )
        if options.against not in list(ReferenceLabels):
            check(RecordFilter(person=options.against))
        return replace(options, unsupported_labels=tuple(labels))

    def _truth_options(self, options: ComparisonOptions) -> TruthOptions:
        people = {person.id for person in self.machines.people.find_named(options.against)}
        named = {ReferenceLabels.PEOPLE.value: set(), ReferenceLabels.ADJUDICATED.value: {SETTLED}}
        return TruthOptions(
            people=frozenset(named.get(options.against, people)),
            unwanted=tuple(tuple(each.split(JOINER)) for each in options.unsupported_labels),
            benign=find_labels_once_named(
                [BENIGN], self.machines.log.former_label_names(options.dataset)
            ),
            pool=options.aggregate,
            unmarked_clean=options.unmarked_clean,
            without_suggested_work=options.without_suggested_work,
        )

    def _label_paths(self, options: ComparisonOptions) -> list[LabelPath]:
        try:
            return [label.path for label in self.machines.labels(options.dataset).walk()]
        except NotFound:
            return []

    def _benign_labels(self, dataset: str, names: Collection[str]) -> tuple[str, ...]:
        try:
            labels = self.machines.labels(dataset)
        except NotFound:
            return ()
        return tuple(root.name for root in labels.roots if root.name.casefold() in names)

    def _newest_runs(self, options: ComparisonOptions) -> list[ScoreRun]:
        runs = self.machines.scores.runs(options.dataset)
        newest = {(run.kind, run.maker): run for run in runs if run.kind is not RunKind.SUGGEST}
        makers = {name for _, maker in newest for name in _maker_names(maker)}
        names = {*self.machines.scores.names(options.dataset)} - GENERATED_TEXTS
        known = names | makers
        for name in options.scores:
            if name not in known:
                there = (
                    ", ".join(sorted(known)[:MAX_NAMES])
                    or "no scores; compute scores with: tui-annotate lab scores compute"
                )
                hint = f"{suggest_word(name, known)}existing scores: {there}"
                raise InvalidInput(f"dataset {options.dataset!r} has no score {name!r}", hint)
        return list(newest.values())

    def _score_values(
        self, options: ComparisonOptions, runs: Iterable[ScoreRun], cases: JudgedSamples
    ) -> Iterator[MachineValues]:
        if (options.columns or options.suggestions) and not options.scores:
            return
        for run in runs:
            found: dict[str, dict[int, float]] = {}
            for key, scores in self.machines.scores.scores(options.dataset, runs=[run.id]):
                if key not in cases.places:
                    continue
                for score in scores:
                    if score.extra or score.name in GENERATED_TEXTS:
                        continue
                    # A category of a ranker and an order of documents have no number by nature.
                    if score.raw is None and (run.kind is RunKind.RANK or score.of == _DOCUMENTS):
                        continue
                    values = found.setdefault(score.name, {})
                    if score.raw is not None:
                        values[cases.places[key]] = score.raw
            for name, values in found.items():
                if not options.scores or {name, *_maker_names(run.maker)} & {*options.scores}:
                    yield MachineValues(
                        name=name, maker=run.maker, run=run.id, values=values, low=name in run.low
                    )


def _maker_names(maker: str) -> tuple[str, str]:
    """Return the names by which a maker can be selected: with its model, and without."""
    return maker, maker.partition(":")[0]


class _MarkedSamples:
    """The judged samples with a summary, and the spans of it that people marked."""

    def __init__(self, options: ComparisonOptions, truths: HumanTruths) -> None:
        self._options = options
        self._truths = truths
        self._found: list[tuple[SampleKey, Document, tuple[Span, ...]]] = []
        self.without_summary = 0
        """Number of judged samples without a summary."""

    def add(self, sample: Sample, truth: SampleTruth) -> None:
        if not self._options.suggestions or truth.unsupported is None:
            return
        summary = sample.side(Side.SUMMARY)
        if not summary:
            self.without_summary += 1
            return
        spans = find_marked_spans(
            sample,
            truth,
            pooling=self._options.aggregate,
            counts=lambda each: self._truths.marks_unsupported(each.labels),
        )
        # The text is needed for its sentences, which are read page by page at the end.
        self._found.append((sample.key, summary[0], spans))

    def cases(self, judged: JudgedSamples, segments: SegmentStore) -> list[SpanCase]:
        made = []
        for some in split_batches(self._found, _PAGE):
            stored = segments.of({each.sha256: len(each.text) for _, each, _ in some})
            for key, summary, spans in some:
                place = judged.places[key]
                made.append(
                    SpanCase(
                        key=key,
                        cluster=judged.clusters[place],
                        makers=judged.makers[place],
                        unsupported=judged.unsupported[place],
                        text=summary.text,
                        marked=spans,
                        segments=trim_segments(summary.text, stored[summary.sha256]),
                    )
                )
        return made


def _nothing_to_compare(
    options: ComparisonOptions, runs: Sequence[ScoreRun], cases: JudgedSamples
) -> InvalidInput:
    if not runs:
        hint = cases.hint(
            "compute scores with: tui-annotate lab scores compute, or pass --column NAME;"
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
    hint = "list all scores with: tui-annotate lab scores list"
    message = f"no sample with a human label has a numeric value of: {named}"
    return InvalidInput(message, hint, code="no-numbers")


def _check_names(options: ComparisonOptions, names: Sequence[str]) -> None:
    # Sentence scores of a maker have a threshold, too; direction and scale are those of their file.
    either = {*options.thresholds, options.baseline} - {*names, *options.suggestions, ""}
    scores = {*options.lower_is_better, *options.higher_is_better, *options.probabilities} - {
        *names
    }
    for name in sorted(either | scores):
        known = names if name in scores else [*names, *options.suggestions]
        there = ", ".join(known[:MAX_NAMES]) or "none; add scores with --score or --column"
        hint = f"{suggest_word(name, known)}compared scores: {there}"
        raise InvalidInput(f"score {name!r} is not part of the comparison", hint)
    for name in sorted(options.lower_is_better & options.higher_is_better):
        raise InvalidInput(
            f"score {name!r} is named in both --lower-is-better and --higher-is-better",
            "name the score in only one of the two options",
        )


def _check_thresholds(thresholds: Mapping[str, float], with_threshold: Collection[str]) -> None:
    """Refuse the threshold of a maker that has no sentence scores, and is no score or column."""
    for name, value in thresholds.items():
        if name and name not in with_threshold:
            raise InvalidInput(
                f"{name!r} has no sentence scores of judged samples, so that the threshold"
                f" {value:g} applies to nothing",
                f"remove --threshold {shlex.quote(name)}={value:g}; suggestions have no threshold",
            )


@dataclass(frozen=True, slots=True, eq=False)
class _ReadScore:
    """A score as numbers of judged samples, with its direction and threshold.

    `places`: indices of the judged samples that have a number.
    """

    machine: MachineValues
    places: list[int]
    values: Numbers
    not_numbers: int
    low: bool
    direction: ChoiceOrigin
    threshold: float | None
    threshold_origin: ChoiceOrigin

    @classmethod
    def of(cls, machine: MachineValues, options: ComparisonOptions, cases: JudgedSamples) -> Self:
        numbers = {place: parse_number(value) for place, value in machine.values.items()}
        places = sorted(place for place, value in numbers.items() if value is not None)
        values = np.array([numbers[place] for place in places], np.float64)
        unsupported = cases.truths(places)
        low = machine.low
        direction = ChoiceOrigin.GIVEN
        if machine.name in options.lower_is_better | options.higher_is_better:
            low = machine.name in options.lower_is_better
        elif low is None:
            low = area(values, unsupported, low=False) < _CHANCE_AREA
            direction = ChoiceOrigin.FOUND
        threshold = options.thresholds.get(machine.name, options.thresholds.get(""))
        origin = ChoiceOrigin.GIVEN
        if threshold is None and places:
            origin = ChoiceOrigin.FOUND if len(np.unique(values)) > _BINARY else ChoiceOrigin.ONLY
            threshold = best_threshold(values, unsupported, low=low)
        return cls(
            machine=machine,
            places=places,
            values=values,
            not_numbers=len(numbers) - len(places),
            low=low,
            direction=direction,
            threshold=threshold,
            threshold_origin=origin,
        )

    def detect(self, cases: JudgedSamples, chosen: Collection[int] | None = None) -> DetectionDraws:
        """Measure the score on its samples, or on some of them (by index)."""
        return draw_detection(**self._arguments(cases, chosen))

    def measure(
        self, cases: JudgedSamples, chosen: Collection[int] | None = None
    ) -> DetectionResult:
        return measure_detection(**self._arguments(cases, chosen))

    def _arguments(self, cases: JudgedSamples, chosen: Collection[int] | None) -> dict[str, Any]:
        kept = [at for at, place in enumerate(self.places) if chosen is None or place in chosen]
        places = [self.places[at] for at in kept]
        return {
            "values": self.values[kept],
            "unsupported": cases.truths(places),
            "low": self.low,
            "threshold": self.threshold or 0.0,
            "clusters": [cases.clusters[place] for place in places],
        }


def _compare_machine(
    score: _ReadScore,
    options: ComparisonOptions,
    cases: JudgedSamples,
    *,
    baseline: _ReadScore | None,
) -> MachineComparison:
    machine = score.machine
    return MachineComparison(
        name=machine.name,
        maker=machine.maker,
        run=machine.run,
        n=len(score.places),
        missing=len(cases.unsupported) - len(score.places),
        not_numbers=score.not_numbers,
        low=score.low,
        direction=score.direction,
        threshold=score.threshold,
        threshold_origin=score.threshold_origin,
        detected=score.measure(cases),
        split=_split_comparison(score, options, cases),
        difference=_subtract_baseline(score, baseline, cases),
        calibration=_calibrate(score, cases) if machine.name in options.probabilities else None,
    )


def _split_comparison(
    score: _ReadScore, options: ComparisonOptions, cases: JudgedSamples
) -> SplitComparison | None:
    own = {place for place in score.places if any(map(score.machine.is_maker, cases.makers[place]))}
    if not own:
        return None
    others = {*score.places} - own
    is_probability = score.machine.name in options.probabilities
    return SplitComparison(
        suggested=score.measure(cases, own),
        independent=score.measure(cases, others),
        suggested_calibration=_calibrate(score, cases, own) if is_probability else None,
        independent_calibration=_calibrate(score, cases, others) if is_probability else None,
    )


def _subtract_baseline(
    score: _ReadScore, baseline: _ReadScore | None, cases: JudgedSamples
) -> BaselineDifference | None:
    if baseline is None or baseline is score:
        return None
    both = {*score.places} & {*baseline.places}
    return BaselineDifference(
        baseline=baseline.machine.name,
        n=len(both),
        clusters=count_clusters([cases.clusters[place] for place in both]),
        only_one=len(score.places) + len(baseline.places) - 2 * len(both),
        figures=subtract_detection(score.detect(cases, both), baseline.detect(cases, both)),
    )


def _calibrate(
    score: _ReadScore, cases: JudgedSamples, chosen: Collection[int] | None = None
) -> CalibrationResult:
    """Calibrate probabilities of what high values mean: supported, or unsupported.

    `chosen`: indices of the judged samples to use; None for all with a value.
    """
    outside = [value for value in score.values.tolist() if not 0 <= value <= 1]
    if outside:
        raise InvalidInput(
            f"the score {score.machine.name!r} has the value {outside[0]:g}, which is not a"
            " probability",
            "name only scores with values from 0 to 1 in --probability",
        )
    kept = [at for at, place in enumerate(score.places) if chosen is None or place in chosen]
    places = [score.places[at] for at in kept]
    unsupported = cases.truths(places)
    outcomes = unsupported if score.low else ~unsupported
    clusters = [cases.clusters[place] for place in places]
    return measure_calibration(score.values[kept], outcomes, clusters)
