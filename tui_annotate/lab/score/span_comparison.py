"""Compares the suggestions of machines with the spans that people marked.

A machine is compared on the samples that people judged and for which it is known to have run: it
has suggestions for the sample, or its run states that it found nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import Sample, SampleKey, Segment, Side
from tui_annotate.domain.scores import Pooling
from tui_annotate.domain.spans import Span, merge
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.lab.score.detection_metrics import ChoiceOrigin, Numbers
from tui_annotate.lab.score.human_truths import SampleTruth
from tui_annotate.methods.bootstrap import count_clusters
from tui_annotate.methods.calibration import CalibrationResult, measure_calibration
from tui_annotate.methods.span_agreement import trim_spans
from tui_annotate.methods.span_detection import (
    COUNTS,
    LEVELS,
    SENTENCE_LEVELS,
    SpanFigure,
    count_hits,
    count_sentence_hits,
    measure_spans,
    pool_spans,
    subtract_spans,
    touches,
)
from tui_annotate.services.suggestions.sample_results import SENTENCES, find_ran

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore
    from tui_annotate.storage.suggestions import SuggestionStore

DEFAULT_THRESHOLD: Final = 0.5
"""Probability above which a sentence counts as called unsupported, unless a threshold is given."""
Counts = Mapping[str, tuple[int, int, int, int]]
"""By level: marked by the machine, of these right; marked by people, of these found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceResult:
    """The comparison of sentence scores, above a threshold, on some samples.

    Attributes:
        n: number of samples with a score of at least one sentence.
        unplaced: number of these samples that are compared only as whole samples.
        sentences: number of sentences with a score, in all other samples.
        clusters: number of clusters of the samples.
    """

    threshold: float
    n: int
    unplaced: int
    sentences: int
    clusters: int
    counts: Counts
    figures: Sequence[SpanFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanResult:
    """The comparison of spans, and of scores, on some samples.

    Attributes:
        n: number of samples with known suggestions; scores of sentences may have other samples.
        unplaced: number of these samples that are compared only as whole samples.
        calibration: calibration of the suggestions' scores, as probabilities that people marked a
            part of the suggested span; None without scores.
        sentence_calibration: the same for scores of sentences.
        sentence_scores: scores of sentences as decisions; None without scores.
    """

    n: int
    unplaced: int
    clusters: int
    counts: Counts
    figures: Sequence[SpanFigure]
    calibration: CalibrationResult | None
    sentence_calibration: CalibrationResult | None
    sentence_scores: SentenceResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanDifference:
    """The measures of a maker minus those of the baseline, on samples that both have.

    Attributes:
        unplaced: number of the samples that are compared only as whole samples.
        only_one: number of samples that only one of both has, which are excluded.
        sentences: number of compared sentences, for scores of sentences; else 0.
    """

    baseline: str
    n: int
    unplaced: int
    clusters: int
    only_one: int
    figures: Sequence[SpanFigure]
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Number of samples, suggestions or sentences that are not compared, with the reason."""

    what: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanComparison:
    """The agreement of a maker's suggestions with the spans that people marked.

    Attributes:
        clean: number of compared samples in which the maker found nothing.
        without_summary: number of judged samples without a summary.
        not_run: number of judged samples for which the maker is not known to have run.
        deleted: number of judged samples whose suggestions were deleted.
        left_out: all that is not compared, with the counts above; counts are positive.
        suggested, independent: results on samples whose human label rests on answers to the maker's
            suggestions, and on all others; None without such samples.
        sentence_difference: difference of scores of sentences.
    """

    maker: str
    result: SpanResult
    clean: int
    without_summary: int
    not_run: int
    deleted: int
    left_out: tuple[LeftOut, ...]
    threshold_origin: ChoiceOrigin
    suggested: SpanResult | None
    independent: SpanResult | None
    difference: SpanDifference | None
    sentence_difference: SpanDifference | None

    @property
    def calibration(self) -> CalibrationResult | None:
        return self.result.calibration

    @property
    def sentence_calibration(self) -> CalibrationResult | None:
        return self.result.sentence_calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCase:
    """A judged sample: the spans of its summary that people marked, and its sentences.

    `text`: the summary; `segments`: all of its segments; `sentences`: those that are not white
    space, trimmed.
    """

    key: SampleKey
    cluster: str
    makers: frozenset[str]
    unsupported: bool
    text: str
    marked: tuple[Span, ...]
    segments: Sequence[Span | None]

    @property
    def sentences(self) -> list[Span]:
        """The segments that are not white space, trimmed."""
        return [each for each in self.segments if each is not None]

    @property
    def is_unplaced(self) -> bool:
        """Whether people call the sample unsupported, but no span of it.

        They marked no span, or too few of them marked the same one. It is unknown which of the
        machine's spans are right, so that the sample is compared only as a whole.
        """
        return self.unsupported and not self.marked


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
    """Return the span of each segment without white space at its ends; None for an empty one."""
    return [segment.span.trim(text) for segment in segments]


@dataclass(frozen=True, slots=True)
class _ScoredSentences:
    """The scores of a sample's sentences, with whether people marked a part of each."""

    case: SpanCase
    scores: tuple[float | None, ...]
    marked: tuple[bool, ...]

    def pairs(self) -> list[tuple[float, bool]]:
        """Return the score and the outcome of each sentence with a score."""
        both = zip(self.scores, self.marked, strict=True)
        return [(score, marked) for score, marked in both if score is not None]

    def placed_pairs(self) -> list[tuple[float, bool]]:
        """Return the same pairs; none for a sample that is compared only as a whole."""
        return [] if self.case.is_unplaced else self.pairs()

    def count(self, threshold: float) -> list[float]:
        """Return the counts of `count_sentence_hits` for scores above a threshold."""
        pairs = self.pairs()
        counts = count_sentence_hits(
            [score > threshold for score, _ in pairs],
            [marked for _, marked in pairs],
            unsupported=self.case.unsupported,
        )
        return _keep_sample_level(counts) if self.case.is_unplaced else counts


@dataclass(frozen=True, slots=True, eq=False)
class _MakerCases:
    """The samples for which a maker ran, with its suggestions and the counts (samples, 16) of each.

    Attributes:
        scored: samples with scores of sentences, also of a maker that makes no suggestions.
        clean, not_run, deleted, left_out: as in `SpanComparison`.
    """

    maker: str
    cases: Sequence[SpanCase]
    suggestions: Mapping[SampleKey, Sequence[Suggestion]]
    rows: Numbers
    scored: Sequence[_ScoredSentences]
    threshold: float
    clean: int
    not_run: int
    deleted: int
    left_out: Sequence[LeftOut]

    def is_own_work(self, case: SpanCase) -> bool:
        """Return whether a sample's human label rests on answers to the maker's suggestions."""
        return self.maker in case.makers

    def is_other_work(self, case: SpanCase) -> bool:
        return not self.is_own_work(case)

    @property
    def is_circular(self) -> bool:
        every = [*self.cases, *(each.case for each in self.scored)]
        return any(map(self.is_own_work, every))

    def result(self, chosen: Callable[[SpanCase], bool] = lambda _: True) -> SpanResult:
        at = [place for place, case in enumerate(self.cases) if chosen(case)]
        cases = [self.cases[place] for place in at]
        rows = self.rows[at]
        clusters = [case.cluster for case in cases]
        scored = [each for each in self.scored if chosen(each.case)]
        return SpanResult(
            n=len(cases),
            unplaced=_count_unplaced(cases),
            clusters=count_clusters(clusters),
            counts=_sum_counts(rows, LEVELS),
            figures=measure_spans(rows, clusters),
            calibration=_calibrate_suggestions(cases, self.suggestions),
            sentence_calibration=_calibrate(
                [
                    (score, marked, each.case.cluster)
                    for each in scored
                    for score, marked in each.placed_pairs()
                ]
            ),
            sentence_scores=_measure_sentences(scored, self.threshold),
        )


def _count_unplaced(cases: Iterable[SpanCase]) -> int:
    return sum(case.is_unplaced for case in cases)


def _keep_sample_level(counts: Sequence[float]) -> list[float]:
    """Set the counts of a sample to 0 at all levels but the last one, which is that of samples."""
    return [0.0] * (len(counts) - COUNTS) + [*counts[-COUNTS:]]


def _sum_counts(rows: Numbers, levels: Sequence[str]) -> Counts:
    totals = rows.sum(axis=0).reshape(len(levels), COUNTS).astype(int).tolist()
    return dict(zip(levels, map(tuple, totals), strict=True))


def _count_sentences(scored: Sequence[_ScoredSentences], threshold: float) -> Numbers:
    """Return the counts (samples, 8) of sentence scores above a threshold."""
    rows = [each.count(threshold) for each in scored]
    return np.array(rows, np.float64).reshape(len(scored), len(SENTENCE_LEVELS) * COUNTS)


def _measure_sentences(
    scored: Sequence[_ScoredSentences], threshold: float
) -> SentenceResult | None:
    if not scored:
        return None
    rows = _count_sentences(scored, threshold)
    clusters = [each.case.cluster for each in scored]
    return SentenceResult(
        threshold=threshold,
        n=len(scored),
        unplaced=_count_unplaced(each.case for each in scored),
        sentences=sum(len(each.placed_pairs()) for each in scored),
        clusters=count_clusters(clusters),
        counts=_sum_counts(rows, SENTENCE_LEVELS),
        figures=measure_spans(rows, clusters, levels=SENTENCE_LEVELS),
    )


@dataclass(frozen=True, slots=True)
class SpanComparer:
    """Compares makers of suggestions in one dataset; `counts` selects labels of suggestions.

    `thresholds`: threshold of the sentence scores of a maker, by its name; "" is for all others.
    """

    suggestions: SuggestionStore
    scores: ScoreStore
    dataset: str
    counts: Callable[[Sequence[LabelPath]], bool]
    thresholds: Mapping[str, float] = field(default_factory=dict)

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
        self,
        makers: Sequence[str],
        cases: Sequence[SpanCase],
        *,
        without_summary: int = 0,
        baseline: str = "",
    ) -> list[SpanComparison]:
        """Compare each maker with people.

        Args:
            cases: the judged samples with a summary.
            without_summary: number of the judged samples without one.
            baseline: maker whose measures are subtracted from those of the others; or empty.

        Raises:
            InvalidInput: the threshold of sentence scores is not between 0 and 1.
        """
        found = {maker: self._read_maker(maker, cases) for maker in makers}
        return [
            self._compare(own, without_summary=without_summary, baseline=found.get(baseline))
            for own in found.values()
        ]

    def _read_maker(self, maker: str, cases: Sequence[SpanCase]) -> _MakerCases:
        stated = find_ran(self.scores, self.dataset, maker)
        suggested = self._list_suggestions(maker)
        kept = [case for case in cases if case.key in suggested or stated.get(case.key) == 0]
        own = {case.key: self._select(suggested.get(case.key, ())) for case in kept}
        rows = np.array([_count_case(case, own[case.key]) for case in kept], np.float64)
        parts = self._list_parts(maker)
        scored = _match_sentences(cases, parts)
        deleted = sum(case.key not in suggested and stated.get(case.key, 0) > 0 for case in cases)
        not_run = len(cases) - len(kept) - deleted
        left_out = [
            LeftOut(
                "samples",
                "no suggestions, and the machine is not known to have found none",
                not_run,
            ),
            LeftOut("samples", "the suggestions were deleted", deleted),
            *_list_unplaced_left_out(kept, scored),
            *_list_suggestions_left_out(own, suggested),
            *_list_sentences_left_out(cases, scored, parts),
        ]
        return _MakerCases(
            maker=maker,
            cases=kept,
            suggestions=own,
            rows=rows.reshape(len(kept), len(LEVELS) * COUNTS),
            scored=scored,
            threshold=self._choose_threshold(maker, has_scores=bool(scored)),
            clean=sum(case.key not in suggested for case in kept),
            not_run=not_run,
            deleted=deleted,
            left_out=[each for each in left_out if each.count],
        )

    def _choose_threshold(self, maker: str, *, has_scores: bool) -> float:
        """Return the threshold of a maker's sentence scores; refuse one that is no probability."""
        threshold = self.thresholds.get(maker, self.thresholds.get("", DEFAULT_THRESHOLD))
        if has_scores and not 0 <= threshold <= 1:
            raise InvalidInput(
                f"the sentence scores of {maker!r} are probabilities, and the threshold"
                f" {threshold:g} is not between 0 and 1",
                f"pass a threshold from 0 to 1: --threshold {shlex.quote(maker)}=0.5",
            )
        return threshold

    def _list_suggestions(self, maker: str) -> dict[SampleKey, list[Suggestion]]:
        found: dict[SampleKey, list[Suggestion]] = {}
        for listed in self.suggestions.list_suggestions(dataset=self.dataset, maker=maker):
            found.setdefault(listed.key, []).append(listed.suggestion)
        return found

    def _select(self, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
        return [each for each in suggestions if not each.labels or self.counts(each.labels)]

    def _list_parts(self, maker: str) -> dict[SampleKey, tuple[float | None, ...]]:
        parts: dict[SampleKey, tuple[float | None, ...]] = {}
        for run in self.scores.runs(self.dataset):
            if run.maker == maker:
                for key, scores in self.scores.scores(
                    self.dataset, names=[SENTENCES], runs=[run.id]
                ):
                    parts[key] = scores[0].parts
        return parts

    def _compare(
        self, own: _MakerCases, *, without_summary: int, baseline: _MakerCases | None
    ) -> SpanComparison:
        given = own.maker in self.thresholds or "" in self.thresholds
        difference = None
        sentence_difference = None
        if baseline is not None and baseline is not own:
            difference = _subtract(own, baseline)
            sentence_difference = _subtract_sentences(own, baseline)
        left_out = own.left_out
        if without_summary:
            left_out = [LeftOut("samples", "no summary", without_summary), *left_out]
        return SpanComparison(
            maker=own.maker,
            result=own.result(),
            clean=own.clean,
            without_summary=without_summary,
            not_run=own.not_run,
            deleted=own.deleted,
            left_out=tuple(left_out),
            threshold_origin=ChoiceOrigin.GIVEN if given else ChoiceOrigin.DEFAULT,
            suggested=own.result(own.is_own_work) if own.is_circular else None,
            independent=own.result(own.is_other_work) if own.is_circular else None,
            difference=difference,
            sentence_difference=sentence_difference,
        )


def _match_sentences(
    cases: Iterable[SpanCase], parts: Mapping[SampleKey, Sequence[float | None]]
) -> list[_ScoredSentences]:
    """Return the samples in which a sentence has a score; `parts`: the score of each segment."""
    found = []
    for case in cases:
        own = parts.get(case.key, ())
        if len(own) != len(case.segments):
            continue
        both = zip(own, case.segments, strict=True)
        scores = tuple(score for score, sentence in both if sentence is not None)
        if any(score is not None for score in scores):
            marked = tuple(touches(each, case.marked) for each in case.sentences)
            found.append(_ScoredSentences(case, scores, marked))
    return found


def _list_unplaced_left_out(
    kept: Sequence[SpanCase], scored: Sequence[_ScoredSentences]
) -> list[LeftOut]:
    # A machine may have scores of sentences for a sample without suggestions.
    compared = {case.key: case for case in [*kept, *(each.case for each in scored)]}
    return [
        LeftOut(
            "samples",
            "people marked no span, or not the same one: counted only as unsupported samples",
            _count_unplaced(compared.values()),
        )
    ]


def _list_suggestions_left_out(
    own: Mapping[SampleKey, Sequence[Suggestion]],
    suggested: Mapping[SampleKey, Sequence[Suggestion]],
) -> list[LeftOut]:
    """Count a maker's suggestions that are not compared; `own` has those that are."""
    elsewhere = sum(len(each) for key, each in suggested.items() if key not in own)
    kept = [each for suggestions in own.values() for each in suggestions]
    others = sum(map(len, suggested.values())) - elsewhere - len(kept)
    without_span = sum(not each.claim for each in kept)
    left_out = [
        LeftOut("suggestions", "the sample has no human label", elsewhere),
        LeftOut("suggestions", "the label does not mean that a claim is unsupported", others),
        LeftOut(
            "suggestions", "no span of the summary: counted only for whole samples", without_span
        ),
    ]
    without_score = sum(each.score is None for each in kept)
    if without_score < len(kept):  # Without any score, there is no calibration.
        left_out.append(LeftOut("suggestions", "no score: not calibrated", without_score))
    return left_out


def _list_sentences_left_out(
    cases: Sequence[SpanCase],
    scored: Sequence[_ScoredSentences],
    parts: Mapping[SampleKey, Sequence[float | None]],
) -> list[LeftOut]:
    """Count the samples and sentences without a usable score, if a maker has such scores."""
    if not parts:
        return []
    others = sum(len(parts.get(case.key, ())) not in (0, len(case.segments)) for case in cases)
    without_score = sum(each.scores.count(None) for each in scored)
    return [
        LeftOut("samples", "no scores of sentences", len(cases) - len(scored) - others),
        LeftOut("samples", "the scores belong to other sentences than those stored now", others),
        LeftOut("sentences", "no score", without_score),
    ]


def _count_case(case: SpanCase, suggestions: Collection[Suggestion]) -> list[float]:
    # White space at the ends of people's spans does not count either. Untrimmed, two sentences with
    # the white space between them would be one span.
    spans = trim_spans((anchor.span for each in suggestions for anchor in each.claim), case.text)
    counts = count_hits(
        merge(spans),
        case.marked,
        sentences=case.sentences,
        flagged=bool(suggestions),
        unsupported=case.unsupported,
    )
    return _keep_sample_level(counts) if case.is_unplaced else counts


def _calibrate_suggestions(
    cases: Sequence[SpanCase], suggestions: Mapping[SampleKey, Sequence[Suggestion]]
) -> CalibrationResult | None:
    found = []
    for case in cases:
        if case.is_unplaced:
            continue
        for each in suggestions[case.key]:
            if each.score is None or not each.claim:
                continue
            spans = trim_spans((anchor.span for anchor in each.claim), case.text)
            marked = any(touches(span, case.marked) for span in spans)
            found.append((each.score, marked, case.cluster))
    return _calibrate(found)


def _calibrate(cases: Sequence[tuple[float, bool, str]]) -> CalibrationResult | None:
    """Calibrate (probability, outcome, cluster) of each case; None without cases."""
    if not cases:
        return None
    return measure_calibration(
        np.array([probability for probability, _, _ in cases], np.float64),
        np.array([outcome for _, outcome, _ in cases], np.bool_),
        [cluster for _, _, cluster in cases],
    )


def _subtract(own: _MakerCases, baseline: _MakerCases) -> SpanDifference:
    theirs = {case.key: at for at, case in enumerate(baseline.cases)}
    both = [at for at, case in enumerate(own.cases) if case.key in theirs]
    clusters = [own.cases[at].cluster for at in both]
    other = baseline.rows[[theirs[own.cases[at].key] for at in both]]
    return SpanDifference(
        baseline=baseline.maker,
        n=len(both),
        unplaced=_count_unplaced(own.cases[at] for at in both),
        clusters=count_clusters(clusters),
        only_one=len(own.cases) + len(baseline.cases) - 2 * len(both),
        figures=subtract_spans(own.rows[both], other, clusters),
    )


def _subtract_sentences(own: _MakerCases, baseline: _MakerCases) -> SpanDifference | None:
    """Compare two makers on the sentences that have a score of both; None without any."""
    theirs = {each.case.key: each for each in baseline.scored}
    pairs = [
        _keep_common(each, theirs[each.case.key]) for each in own.scored if each.case.key in theirs
    ]
    both = [(ours, other) for ours, other in pairs if ours.pairs()]
    if not both:
        return None
    clusters = [ours.case.cluster for ours, _ in both]
    return SpanDifference(
        baseline=baseline.maker,
        n=len(both),
        unplaced=_count_unplaced(ours.case for ours, _ in both),
        clusters=count_clusters(clusters),
        only_one=len(own.scored) + len(baseline.scored) - 2 * len(both),
        figures=subtract_spans(
            _count_sentences([ours for ours, _ in both], own.threshold),
            _count_sentences([other for _, other in both], baseline.threshold),
            clusters,
            levels=SENTENCE_LEVELS,
        ),
        sentences=sum(len(ours.placed_pairs()) for ours, _ in both),
    )


def _keep_common(
    one: _ScoredSentences, other: _ScoredSentences
) -> tuple[_ScoredSentences, _ScoredSentences]:
    """Remove the scores of sentences that only one of two machines scored."""
    pairs = [
        (None, None) if ours is None or theirs is None else (ours, theirs)
        for ours, theirs in zip(one.scores, other.scores, strict=True)
    ]
    return (
        replace(one, scores=tuple(ours for ours, _ in pairs)),
        replace(other, scores=tuple(theirs for _, theirs in pairs)),
    )
