"""Compares the suggestions of machines with the spans that people marked.

A machine is compared on the samples that people judged and for which it is known to have run: it
has suggestions for the sample, or its run states that it found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import Sample, SampleKey, Segment, Side
from tui_annotate.domain.scores import Pooling
from tui_annotate.domain.spans import Span, merge
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.lab.score.detection_metrics import Numbers
from tui_annotate.lab.score.human_truths import SampleTruth
from tui_annotate.methods.bootstrap import count_clusters
from tui_annotate.methods.calibration import CalibrationResult, measure_calibration
from tui_annotate.methods.span_agreement import trim_spans
from tui_annotate.methods.span_detection import (
    COUNTS,
    LEVELS,
    SpanFigure,
    count_hits,
    measure_spans,
    pool_spans,
    subtract_spans,
    touches,
)
from tui_annotate.services.suggestions.sample_results import SENTENCES, find_ran

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore
    from tui_annotate.storage.suggestions import SuggestionStore

Counts = Mapping[str, tuple[int, int, int, int]]
"""By level: marked by the machine, of these right; marked by people, of these found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanResult:
    """The comparison on some samples."""

    n: int
    clusters: int
    counts: Counts
    figures: Sequence[SpanFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanDifference:
    """The measures of a maker minus those of the baseline, on samples for which both ran."""

    baseline: str
    n: int
    clusters: int
    figures: Sequence[SpanFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanComparison:
    """The agreement of a maker's suggestions with the spans that people marked.

    Attributes:
        clean: number of compared samples in which the maker found nothing.
        not_run: number of judged samples for which the maker is not known to have run.
        deleted: number of judged samples whose suggestions were deleted.
        suggested, independent: results on samples whose human label rests on answers to the maker's
            suggestions, and on all others; None without such samples.
        calibration: calibration of the suggestions' scores, as probabilities that people marked a
            part of the suggested span; None without scores.
        sentence_calibration: the same for scores of sentences.
    """

    maker: str
    result: SpanResult
    clean: int
    not_run: int
    deleted: int
    suggested: SpanResult | None
    independent: SpanResult | None
    difference: SpanDifference | None
    calibration: CalibrationResult | None
    sentence_calibration: CalibrationResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCase:
    """A judged sample: the spans of its summary that people marked, and its sentences.

    `text`: the summary; `segments`: all of its segments; `sentences`: those that are not white
    space, trimmed.
    """

    key: SampleKey
    text: str
    cluster: str
    makers: frozenset[str]
    unsupported: bool
    marked: tuple[Span, ...]
    segments: Sequence[Span | None]

    @property
    def sentences(self) -> list[Span]:
        return [each for each in self.segments if each is not None]


def find_marked_spans(
    sample: Sample, truth: SampleTruth, *, pooling: Pooling, counts: Callable[[Annotation], bool]
) -> tuple[Span, ...]:
    """Return the spans of the summary that people marked; `counts` selects annotations."""
    text = sample.document(Side.SUMMARY).text
    readings = [
        trim_spans((anchor.span for each in own if counts(each) for anchor in each.claim), text)
        for own in truth.readings
    ]
    return pool_spans(readings, pooling, length=len(text))


def trim_segments(text: str, segments: Sequence[Segment]) -> list[Span | None]:
    return [segment.span.trim(text) for segment in segments]


@dataclass(frozen=True, slots=True, eq=False)
class _MakerCases:
    """The samples for which a maker ran, with the counts (samples, 16) of each."""

    maker: str
    cases: Sequence[SpanCase]
    rows: Numbers
    clean: int
    not_run: int
    deleted: int
    calibration: CalibrationResult | None
    sentence_calibration: CalibrationResult | None

    def result(self, chosen: Callable[[SpanCase], bool] = lambda _: True) -> SpanResult:
        at = [place for place, case in enumerate(self.cases) if chosen(case)]
        rows = self.rows[at]
        clusters = [self.cases[place].cluster for place in at]
        totals = rows.sum(axis=0).reshape(len(LEVELS), COUNTS).astype(int).tolist()
        return SpanResult(
            n=len(at),
            clusters=count_clusters(clusters),
            counts=dict(zip(LEVELS, map(tuple, totals), strict=True)),
            figures=measure_spans(rows, clusters),
        )


@dataclass(frozen=True, slots=True)
class SpanComparer:
    """Compares makers of suggestions in one dataset; `counts` selects labels of suggestions."""

    suggestions: SuggestionStore
    scores: ScoreStore
    dataset: str
    counts: Callable[[Sequence[LabelPath]], bool]

    def check(self, makers: Iterable[str]) -> None:
        """Raise NotFound for a maker that never ran in the dataset."""
        runs = [*self.suggestions.runs(), *self.scores.runs(self.dataset)]
        known = {run.maker for run in runs if run.dataset == self.dataset}
        for maker in makers:
            if maker not in known:
                raise NotFound(
                    f"dataset {self.dataset!r} has no suggestions of {maker!r}",
                    f"{suggest_word(maker, known)}list makers with: tui-annotate suggestions list",
                )

    def compare(
        self, makers: Sequence[str], cases: Sequence[SpanCase], *, baseline: str = ""
    ) -> list[SpanComparison]:
        found = {maker: self._read_maker(maker, cases) for maker in makers}
        return [_compare(each, found.get(baseline)) for each in found.values()]

    def _read_maker(self, maker: str, cases: Sequence[SpanCase]) -> _MakerCases:
        ran = find_ran(self.scores, self.dataset, maker)
        suggested: dict[SampleKey, list[Suggestion]] = {}
        for listed in self.suggestions.list_suggestions(dataset=self.dataset, maker=maker):
            suggested.setdefault(listed.key, []).append(listed.suggestion)
        kept = [case for case in cases if case.key in suggested or ran.get(case.key) == 0]
        own = {case.key: self._select(suggested.get(case.key, ())) for case in kept}
        rows = np.array([_count_case(case, own[case.key]) for case in kept], np.float64).reshape(
            len(kept), len(LEVELS) * COUNTS
        )
        deleted = sum(case.key not in suggested and ran.get(case.key, 0) > 0 for case in cases)
        return _MakerCases(
            maker,
            kept,
            rows,
            sum(case.key not in suggested for case in kept),
            len(cases) - len(kept) - deleted,
            deleted,
            _calibrate_suggestions(kept, own),
            self._calibrate_sentences(maker, cases),
        )

    def _select(self, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
        return [each for each in suggestions if not each.labels or self.counts(each.labels)]

    def _calibrate_sentences(
        self, maker: str, cases: Sequence[SpanCase]
    ) -> CalibrationResult | None:
        runs = [run.id for run in self.scores.runs(self.dataset) if run.maker == maker]
        parts: dict[SampleKey, tuple[float | None, ...]] = {}
        for run in runs:
            for key, scores in self.scores.scores(self.dataset, names=[SENTENCES], runs=[run]):
                parts[key] = scores[0].parts
        pairs = [
            (probability, touches(sentence, case.marked), case.cluster)
            for case in cases
            if len(own := parts.get(case.key, ())) == len(case.segments)
            for probability, sentence in zip(own, case.segments, strict=True)
            if probability is not None and sentence is not None
        ]
        return _calibrate(pairs) if parts else None


def _count_case(case: SpanCase, suggestions: Collection[Suggestion]) -> list[float]:
    spans = (anchor.span for each in suggestions for anchor in each.claim)
    return count_hits(
        # Untrimmed, two sentences with the white space between them would be one span.
        merge(trim_spans(spans, case.text)),
        case.marked,
        sentences=case.sentences,
        flagged=bool(suggestions),
        unsupported=case.unsupported,
    )


def _calibrate_suggestions(
    cases: Sequence[SpanCase], suggestions: Mapping[SampleKey, Sequence[Suggestion]]
) -> CalibrationResult | None:
    pairs = [
        (each.score, any(touches(anchor.span, case.marked) for anchor in each.claim), case.cluster)
        for case in cases
        for each in suggestions[case.key]
        if each.score is not None and each.claim
    ]
    return _calibrate(pairs) if pairs else None


def _calibrate(pairs: Sequence[tuple[float, bool, str]]) -> CalibrationResult:
    return measure_calibration(
        np.array([probability for probability, _, _ in pairs], np.float64),
        np.array([outcome for _, outcome, _ in pairs], np.bool_),
        [cluster for _, _, cluster in pairs],
    )


def _compare(own: _MakerCases, baseline: _MakerCases | None) -> SpanComparison:
    is_circular = any(own.maker in case.makers for case in own.cases)
    return SpanComparison(
        maker=own.maker,
        result=own.result(),
        clean=own.clean,
        not_run=own.not_run,
        deleted=own.deleted,
        suggested=own.result(lambda case: own.maker in case.makers) if is_circular else None,
        independent=own.result(lambda case: own.maker not in case.makers) if is_circular else None,
        difference=_subtract(own, baseline),
        calibration=own.calibration,
        sentence_calibration=own.sentence_calibration,
    )


def _subtract(own: _MakerCases, baseline: _MakerCases | None) -> SpanDifference | None:
    if baseline is None or baseline is own:
        return None
    theirs = {case.key: at for at, case in enumerate(baseline.cases)}
    both = [at for at, case in enumerate(own.cases) if case.key in theirs]
    clusters = [own.cases[at].cluster for at in both]
    other = baseline.rows[[theirs[own.cases[at].key] for at in both]]
    return SpanDifference(
        baseline=baseline.maker,
        n=len(both),
        clusters=count_clusters(clusters),
        figures=subtract_spans(own.rows[both], other, clusters),
    )
