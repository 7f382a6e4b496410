"""Imports model suggestions, creates suggestions from scores, and counts annotators' answers.

Suggestions whose spans or labels do not exist are refused. Accepting and refusing suggestions is
part of the annotation service.
"""

from __future__ import annotations

import math
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath, normalize_annotation
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.provenance import parse_score
from tui_annotate.domain.records import SPAN_REFUSED, Problem, Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import REMOVED, AnswerKind, Suggestion, with_id
from tui_annotate.methods.intervals import cluster_interval
from tui_annotate.methods.quote_location import find_meant_spans, locate_quote
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.record_validation import (
    check_span,
    describe_value,
    parse_identifier,
    shorten_quote,
)
from tui_annotate.services.suggestions.sample_results import (
    SampleResult,
    parse_sentence_scores,
    store_results,
)
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.corpus.store import CorpusStore, StoredSample, hash_texts
from tui_annotate.storage.suggestions import SuggestionListing, SuggestionStore

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore

NO_LABEL: Final = "(none)"


class AcceptanceRate(TypedDict):
    """Share of answers that accepted a suggestion and still apply, with a 95 % interval.

    Attributes:
        share: null for no answers.
        low, high: null for fewer than 3 clusters.
    """

    share: float | None
    low: float | None
    high: float | None


class AnswersToSuggestions(TypedDict):
    """Numbers of suggestions and of annotators' answers to them.

    Attributes:
        reasons: numbers of refusals by reason.
        clusters: clusters of samples that share a document.
    """

    offered: int
    seen: int
    open: int
    passed: int
    accepted: int
    changed: int
    refused: int
    removed: int
    reasons: dict[str, int]
    rate: AcceptanceRate
    clusters: int


class NamedAnswers(AnswersToSuggestions):
    """These numbers for one maker or one label."""

    name: str


class PrintedSuggestionReport(AnswersToSuggestions):
    """These numbers for all suggestions, by maker and by label."""

    by_maker: list[NamedAnswers]
    by_label: list[NamedAnswers]


@dataclass(slots=True)
class _Tally:
    """Counts of suggestions and of annotators' answers, for one model or one label."""

    offered: int = 0
    seen: int = 0
    passed: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    clusters: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Numbers of answers, and of accepting answers, by cluster of samples."""

    def take(self, listed: SuggestionListing, cluster: str) -> None:
        """Add a suggestion with all answers to it; `cluster` names the samples of one source."""
        self.offered += 1
        self.seen += listed.seen
        self.passed += listed.passed
        for each in listed.answers:
            # An accepted suggestion whose annotation was removed later counts as removed.
            self.answers[REMOVED if each.open else str(each.answer)] += 1
            if each.answer is AnswerKind.REFUSED:
                self.reasons[each.reason] += 1
            answered, taken = self.clusters.get(cluster, (0, 0))
            if not each.open and each.answer is not AnswerKind.REFUSED:
                taken += 1
            self.clusters[cluster] = (answered + 1, taken)

    def as_json(self) -> AnswersToSuggestions:
        """Return the numbers of suggestions, and of annotators' answers to them, as JSON."""
        answered = self.answers.total()
        taken = self.answers[AnswerKind.ACCEPTED] + self.answers[AnswerKind.CHANGED]
        low, high = cluster_interval(self.clusters.values()) or (None, None)
        return {
            "offered": self.offered,
            "seen": self.seen,
            "open": self.seen - answered - self.passed,
            "passed": self.passed,
            "accepted": self.answers[AnswerKind.ACCEPTED],
            "changed": self.answers[AnswerKind.CHANGED],
            "refused": self.answers[AnswerKind.REFUSED],
            "removed": self.answers[REMOVED],
            "reasons": dict(sorted(self.reasons.items(), key=lambda each: (-each[1], each[0]))),
            "rate": {"share": taken / answered if answered else None, "low": low, "high": high},
            "clusters": len(self.clusters),
        }


@dataclass(frozen=True, slots=True)
class ScoreThreshold:
    """Limit for the scores of sentences, beyond which a sentence becomes a suggestion.

    Raises:
        InvalidInput: none or both of the thresholds are given, or the threshold is not finite.
    """

    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        given = [each for each in (self.below, self.above) if each is not None]
        if len(given) != 1 or not math.isfinite(given[0]):
            raise InvalidInput(
                "give exactly one threshold", "pass for example --below 0.3, or --above 0.7"
            )

    def passes(self, value: float) -> bool:
        """Return whether a sentence with this score becomes a suggestion."""
        if self.below is not None:
            return value < self.below
        return self.above is not None and value > self.above

    def as_json(self) -> dict[str, Any]:
        return {"below": self.below} if self.below is not None else {"above": self.above}


def _passing_segments(
    corpus: CorpusStore, score: Score, threshold: ScoreThreshold
) -> list[tuple[Anchor, float]] | None:
    """Return the sentences of a summary that pass a threshold, with their scores.

    None if no sentence has a score, or if the scores belong to other sentences than those stored.
    """
    stored = corpus.sample(score.key)
    for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
        if document.side is Side.SUMMARY and len(segments) == len(score.parts):
            spans = [segment.span.trim(document.text) for segment in segments]
            known = [
                (Anchor(Side.SUMMARY, 0, span), value)
                for span, value in zip(spans, score.parts, strict=True)
                if value is not None and span is not None
            ]
            passing = [(anchor, value) for anchor, value in known if threshold.passes(value)]
            return passing if known else None
    return None


def _find_confidence(value: float, *, low: bool) -> float | None:
    """Return how sure a sentence's score is that the source does not support the sentence.

    `low`: whether low values are better. None if the value is not between 0 and 1.
    """
    if not 0 <= value <= 1:
        return None
    return value if low else 1 - value


_BATCH_CHARACTERS: Final = 200_000


def _count_characters(record: Record) -> int:
    return sum(len(document.text) for document in record.sample.documents)


def _suggest_annotations(
    records: Iterable[Record], labels: LabelTree, problem: Callable[[Problem], None]
) -> Iterator[tuple[SampleKey, Suggestion]]:
    for record in records:
        sample = record.sample
        for owned in record.annotations:
            try:
                made = normalize_annotation(owned.annotation, sample)
                labels.check(made)
            except InvalidInput as error:
                message = f"a span is not suggested: {error.message}"
                problem(
                    Problem(record.where, message, error.hint, refused=False, code=SPAN_REFUSED)
                )
                continue
            yield (
                sample.key,
                Suggestion(
                    id="",
                    maker="",
                    run="",
                    claim=made.claim,
                    evidence=made.evidence,
                    labels=made.labels,
                    note=made.note,
                    score=owned.score,
                ),
            )


_MAX_PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True)
class EarlierSuggestions:
    """Number of a maker's suggestions that its newer complete lists for the samples lack.

    They stay stored, are shown to annotators, and count in comparisons.
    """

    dataset: str
    maker: str
    count: int


def find_earlier(
    store: SuggestionStore,
    complete: Collection[tuple[SampleKey, str]],
    found: Iterable[tuple[SampleKey, Suggestion]],
) -> tuple[EarlierSuggestions, ...]:
    """Count stored suggestions that are not in `found`, by dataset and maker.

    `complete`: samples of which `found` has all suggestions of a maker.
    """
    new = {suggestion.id for _, suggestion in found}
    earlier = []
    for dataset, maker in sorted({(key.dataset, maker) for key, maker in complete}):
        count = sum(
            (each.key, maker) in complete and each.suggestion.id not in new
            for each in store.list_suggestions(dataset=dataset, maker=maker)
        )
        if count:
            earlier.append(EarlierSuggestions(dataset, maker, count))
    return tuple(earlier)


@dataclass(frozen=True, slots=True)
class SuggestionCounts:
    """Numbers of suggestions of an import.

    Attributes:
        known: suggestions that the same maker made before, including the `updated` ones, whose
            score is new.
        samples: samples for which it is new that the maker ran, or has sentence scores.
        earlier: suggestions stored before that contradict the lists of samples in the import.
    """

    added: int
    known: int
    updated: int = 0
    samples: int = 0
    earlier: tuple[EarlierSuggestions, ...] = ()


class QuotedSuggestion(NamedTuple):
    """A suggestion with annotators' answers, and the words of the text that it marks first."""

    listing: SuggestionListing
    words: str


@check_keywords
@dataclass(frozen=True, slots=True)
class SuggestionService:
    """Imports suggestions for annotators, and counts how annotators answered them.

    Raises:
        NotAllowed: every method, if the user may not see others' work or change suggestions.
    """

    corpus: CorpusStore
    store: SuggestionStore
    scores: ScoreStore
    labels: Callable[[str], LabelTree]

    @earlier_keywords(only_open="open")
    def list_suggestions(
        self,
        *,
        dataset: str = "",
        maker: str = "",
        open: bool = False,  # noqa: A002  the word of the command line
    ) -> Iterator[QuotedSuggestion]:
        """Yield each suggestion with annotators' answers and its text.

        Args:
            open: whether to leave out suggestions with an answer that is in effect.
        """
        for each in self.store.list_suggestions(dataset=dataset, maker=maker):
            if open and not each.open:
                continue
            anchor = (each.suggestion.claim or each.suggestion.evidence)[0]
            sample = self.corpus.sample(each.key).sample
            words = anchor.span.of(sample.document(anchor.side, anchor.index).text)
            yield QuotedSuggestion(each, words)

    def report(self, *, dataset: str = "", maker: str = "") -> PrintedSuggestionReport:
        """Count how annotators answered suggestions, by maker (model) and by label."""
        whole = _Tally()
        makers: dict[str, _Tally] = {}
        labels: dict[str, _Tally] = {}
        clusters = self.corpus.clusters()
        for each in self.store.list_suggestions(dataset=dataset, maker=maker):
            cluster = clusters[each.key]
            whole.take(each, cluster)
            makers.setdefault(each.suggestion.maker, _Tally()).take(each, cluster)
            for name in [JOINER.join(path) for path in each.suggestion.labels] or [NO_LABEL]:
                labels.setdefault(name, _Tally()).take(each, cluster)
        return {
            **whole.as_json(),
            "by_maker": [{"name": name, **one.as_json()} for name, one in sorted(makers.items())],
            "by_label": [{"name": name, **one.as_json()} for name, one in sorted(labels.items())],
        }

    def read(
        self,
        path: Path | str,
        *,
        dataset: str = "",
        maker: str = "",
        problem: Callable[[Problem], None] | None = None,
    ) -> SuggestionCounts:
        """Import suggestions from a JSON file, all or none.

        `dataset` and `maker` apply to lines without these fields; the default maker is `import:`
        and the file's name. `problem` is called for at most 20 invalid lines; without it, the hint
        of the error describes the first one.

        Raises:
            NotFound, InvalidInput, Unavailable: the file cannot be opened, or a line is invalid.
        """
        path = Path(path)
        reader = SuggestionReader(self.corpus, self.labels, dataset, maker or f"import:{path.stem}")
        items = reader.read(read_json_values(path))
        return self._store_items(items, str(path), {"file": path.name}, problem=problem)

    def add(
        self,
        suggestions: Iterable[Mapping[str, Any]],
        *,
        maker: str,
        dataset: str = "",
        problem: Callable[[Problem], None] | None = None,
    ) -> SuggestionCounts:
        """Store suggestions of a model, all or none.

        Args:
            suggestions: dictionaries with the fields of a line of a suggestion file, such as
                `{"sample": "1", "quote": "15 million", "label": "Intrinsic"}`; docs/suggestions.md
                lists the fields.
            maker: the name of the model, for suggestions without the field `maker`.
            dataset: the dataset of suggestions without the field `dataset`.
            problem: called for at most 20 invalid suggestions; without it, the hint of the error
                describes the first one.

        Raises:
            InvalidInput: a suggestion is invalid.
        """
        reader = SuggestionReader(self.corpus, self.labels, dataset, maker)
        values = (
            JsonValue(number, f"suggestion {number}", value)
            for number, value in enumerate(suggestions, start=1)
        )
        return self._store_items(reader.read(values), "the list", {}, problem=problem)

    def _store_items(
        self,
        items: Iterable[tuple[SampleKey, Suggestion] | ListedSample | Problem],
        source: str,
        parameters: Mapping[str, Any],
        *,
        problem: Callable[[Problem], None] | None,
    ) -> SuggestionCounts:
        found: list[tuple[SampleKey, Suggestion]] = []
        listed: dict[tuple[SampleKey, str], ListedSample] = {}
        wrong = 0
        first = ""
        for each in items:
            if isinstance(each, ListedSample):
                name = (each.key, each.maker)
                listed[name] = each.merge(listed.get(name))
            elif isinstance(each, Problem):
                wrong += 1
                if problem is None:
                    first = first or f"; the first: {each} ({each.hint})"
                elif wrong <= _MAX_PROBLEMS:
                    problem(each)
            else:
                found.append(each)
        if wrong:
            raise InvalidInput(
                f"{source} has {format_count(wrong, 'invalid suggestion')}; nothing was imported",
                f"fix or remove the invalid suggestions{first}",
            )
        counts = self._store_runs(found, parameters)
        stated = store_results(self.scores, _sample_results(found, listed), parameters)
        complete = {name for name, line in listed.items() if line.has_list}
        return replace(counts, samples=stated, earlier=find_earlier(self.store, complete, found))

    def from_records(
        self, records: Iterable[Record | Problem], *, problem: Callable[[Problem], None]
    ) -> int:
        """Store imported annotations as suggestions; return how many suggestions are new.

        Samples that are not stored with the same texts are skipped. `problem` is called for each
        annotation that the label set does not permit.
        """
        added = 0
        for dataset, mine in groupby(
            self._select_stored(records), key=lambda each: each.sample.dataset
        ):
            maker = f"import:{dataset}"
            run = ScoreRun(id=str(uuid.uuid4()), kind=RunKind.SUGGEST, maker=maker, dataset=dataset)
            suggested = _suggest_annotations(mine, self.labels(dataset), problem)
            added += self.store.add(run, suggested)
        return added

    def _select_stored(self, items: Iterable[Record | Problem]) -> Iterator[Record]:
        annotated = (each for each in items if isinstance(each, Record) and each.annotations)
        for batch in split_batches(annotated, _BATCH_CHARACTERS, weight=_count_characters):
            known = self.corpus.known([each.sample.key for each in batch])
            for record in batch:
                if known.get(record.sample.key) == hash_texts(record.sample):
                    yield record

    def from_scores(
        self, dataset: str, score: str, *, threshold: ScoreThreshold, label: str
    ) -> SuggestionCounts:
        """Suggest the sentences of summaries that a score rates as unsupported.

        Raises:
            NotFound: no run has computed this score for segments, or the dataset does not exist.
            InvalidInput: the label (`A.B`) is not in the label set of the dataset, or the threshold
            selects supported segments.
        """
        labels = SuggestionReader(self.corpus, self.labels, dataset, "").labelled(dataset, label)
        run, scores = self._newest_run(dataset, score)
        if (threshold.below is not None) == (score in run.low):
            better, option = ("low", "--above") if score in run.low else ("high", "--below")
            raise InvalidInput(
                f"a {better} value of the score {score!r} means that the source supports a segment",
                f"to suggest unsupported segments, use {option}",
            )
        maker = f"{run.maker}:{score}"
        found = []
        results = []
        for each in scores:
            passing = _passing_segments(self.corpus, each, threshold)
            if passing is None:
                continue
            for anchor, value in passing:
                made = Suggestion(
                    id="",
                    maker=maker,
                    run="",
                    claim=(anchor,),
                    labels=labels,
                    score=_find_confidence(value, low=score in run.low),
                )
                found.append((each.key, with_id(each.key, made)))
            results.append(SampleResult(each.key, maker, len(passing)))
        parameters = {"score": score, "run": run.id, **threshold.as_json()}
        counts = self._store_runs(found, parameters)
        # Without this, a sample in which no sentence passes would count as one that was not run.
        stated = store_results(self.scores, results, parameters)
        complete = {(each.key, maker) for each in results}
        return replace(counts, samples=stated, earlier=find_earlier(self.store, complete, found))

    def _newest_run(self, dataset: str, score: str) -> tuple[ScoreRun, list[Score]]:
        for run in reversed(self.scores.runs(dataset)):
            scores = [
                each
                for _, mine in self.scores.scores(dataset, names=[score], runs=[run.id])
                for each in mine
                if each.of == "segments" and not each.extra
            ]
            if scores:
                return run, scores
        raise NotFound(
            f"no run has computed the score {score!r} of each sentence in dataset {dataset!r}",
            f"{suggest_word(score, self.scores.names(dataset))}compute scores with: tui-annotate"
            " lab scores compute; list runs with: tui-annotate lab scores list",
        )

    def _store_runs(
        self, found: Sequence[tuple[SampleKey, Suggestion]], parameters: Mapping[str, Any]
    ) -> SuggestionCounts:
        groups: defaultdict[tuple[str, str], list[tuple[SampleKey, Suggestion]]] = defaultdict(list)
        for key, suggestion in found:
            groups[key.dataset, suggestion.maker].append((key, suggestion))
        added = 0
        updated = 0
        for (dataset, maker), mine in groups.items():
            updated += self.store.update_scores(mine)
            run = ScoreRun(
                id=str(uuid.uuid4()),
                kind=RunKind.SUGGEST,
                maker=maker,
                dataset=dataset,
                parameters=parameters,
            )
            added += self.store.add(run, mine)
        return SuggestionCounts(added, len(found) - added, updated)


_SAMPLE_FIELDS: Final = frozenset({"dataset", "sample", "maker", "suggestions", "sentence_scores"})
"""Fields of a line about a whole sample: all of its suggestions, and a score of each sentence."""
_FIELDS: Final = frozenset(
    {
        "dataset",
        "sample",
        "maker",
        "label",
        "labels",
        "quote",
        "start",
        "end",
        "context",
        "occurrence",
        "evidence",
        "reason",
        "score",
    }
)
_ANCHOR_FIELDS: Final = frozenset({"quote", "start", "end", "context", "occurrence", "document"})
_SENTENCE_FIELDS: Final = frozenset({"quote", "start", "end", "context", "occurrence", "score"})
_FORM_HINT: Final = "follow the format in docs/suggestions.md"
_CACHED_SAMPLES: Final = 100  # lines of one sample are usually adjacent


@dataclass(frozen=True, slots=True)
class ListedSample:
    """A sample for which a suggestions file states that a maker ran; see `SampleResult`.

    `has_list`: whether the line lists the suggestions of the sample, which may be none.
    """

    key: SampleKey
    maker: str
    sentences: tuple[float | None, ...] = ()
    has_list: bool = True

    def merge(self, earlier: ListedSample | None) -> ListedSample:
        """Join a line with an earlier one of the sample, of which only one may have scores."""
        if earlier is None:
            return self
        return replace(
            self,
            sentences=self.sentences or earlier.sentences,
            has_list=self.has_list or earlier.has_list,
        )


def _sample_results(
    found: Iterable[tuple[SampleKey, Suggestion]],
    listed: Mapping[tuple[SampleKey, str], ListedSample],
) -> Iterator[SampleResult]:
    """Yield the results of makers that list samples, also for samples with single suggestions.

    A file of single suggestions alone does not state for which samples its makers ran, and scores
    of sentences alone do not state that nothing was found.
    """
    names: dict[tuple[SampleKey, str], set[str]] = {name: set() for name in listed}
    makers = {(key.dataset, maker) for key, maker in listed}
    for key, suggestion in found:
        if (key.dataset, suggestion.maker) in makers:
            names.setdefault((key, suggestion.maker), set()).add(suggestion.id)
    for (key, maker), ids in names.items():
        line = listed.get((key, maker))
        has_list = bool(ids) or (line is not None and line.has_list)
        yield SampleResult(
            key, maker, len(ids) if has_list else None, line.sentences if line else ()
        )


@dataclass(frozen=True)
class SuggestionReader:
    """Reads suggestions of one machine from JSON values, such as the lines of a file."""

    corpus: CorpusStore
    labels_of: Callable[[str], LabelTree]
    dataset: str
    maker: str

    def read(
        self, values: Iterable[JsonValue | Problem]
    ) -> Iterator[tuple[SampleKey, Suggestion] | ListedSample | Problem]:
        """Yield the suggestions and listed samples in values, and a Problem for an invalid one."""
        sample_of = lru_cache(_CACHED_SAMPLES)(self._find_sample)
        for value in values:
            if isinstance(value, Problem):
                yield value
                continue
            try:
                yield from self._parse_line(value.value, sample_of)
            except TuiAnnotateError as error:
                yield Problem(value.where, error.message, error.hint)

    def _parse_line(
        self, value: Any, sample_of: Callable[[str, str], StoredSample]
    ) -> list[tuple[SampleKey, Suggestion] | ListedSample]:
        if not isinstance(value, dict):
            raise InvalidInput(
                f"a suggestion is {describe_value(value)}, not a JSON object", _FORM_HINT
            )
        if value.keys().isdisjoint(("suggestions", "sentence_scores")):
            return [self._parse_suggestion(value, sample_of)]
        _check_fields(value, _SAMPLE_FIELDS)
        given = value.get("suggestions", [])
        if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            raise InvalidInput(
                "'suggestions' is not a list of JSON objects",
                "for a sample without suggestions, write an empty list",
            )
        common = {name: value[name] for name in ("dataset", "sample", "maker") if name in value}
        for each in given:
            if repeated := sorted(each.keys() & {"dataset", "sample", "maker"}):
                raise InvalidInput(
                    f"a suggestion of a list has the field {repeated[0]!r}",
                    "name dataset, sample and maker once, next to 'suggestions'",
                )
        stored = self._read_sample(value, sample_of)
        maker = self._read_maker(value)
        sentences = _parse_sentences(value, stored) if "sentence_scores" in value else ()
        return [
            *(self._parse_suggestion(common | each, sample_of) for each in given),
            ListedSample(stored.sample.key, maker, sentences, has_list="suggestions" in value),
        ]

    def _read_sample(
        self, value: Mapping[str, Any], sample_of: Callable[[str, str], StoredSample]
    ) -> StoredSample:
        named = "dataset" in value
        dataset = parse_identifier(value["dataset"], what="dataset") if named else self.dataset
        return sample_of(dataset, parse_identifier(value.get("sample"), what="sample"))

    def _read_maker(self, value: Mapping[str, Any]) -> str:
        return check_storable(
            parse_identifier(value.get("maker", self.maker), what="maker"), "maker"
        )

    def _parse_suggestion(
        self, value: Mapping[str, Any], sample_of: Callable[[str, str], StoredSample]
    ) -> tuple[SampleKey, Suggestion]:
        _check_fields(value, _FIELDS)
        sample = self._read_sample(value, sample_of).sample
        has_claim = not value.keys().isdisjoint(("quote", "start", "end"))
        made = Suggestion(
            id="",
            maker=self._read_maker(value),
            run="",
            claim=(_parse_anchor(value, sample, Side.SUMMARY),) if has_claim else (),
            evidence=tuple(_parse_evidence(value, sample)),
            labels=self._parse_labels(sample.dataset, value),
            note=check_storable(_text_field(value, "reason").strip(), "reason"),
            score=_parse_score(value),
        )
        # A suggestion must pass the same checks as an annotation, so that it can be accepted.
        whole = normalize_annotation(
            Annotation("x", made.claim, made.evidence, made.labels), sample
        )
        self.labels_of(sample.dataset).check(whole)
        return sample.key, with_id(sample.key, made)

    def _find_sample(self, dataset: str, name: str) -> StoredSample:
        key = SampleKey(dataset, name) if dataset else self.corpus.find(name)
        if name not in (key.id, str(key)):
            raise NotFound(
                f"there is no sample {name!r}", f"did you mean {str(key)!r}? Give the whole id"
            )
        return self.corpus.sample(key)

    def _parse_labels(self, dataset: str, value: Mapping[str, Any]) -> tuple[LabelPath, ...]:
        given = value.get("labels", [value["label"]] if "label" in value else [])
        if not isinstance(given, list) or ("label" in value and "labels" in value):
            raise InvalidInput("give 'label', or 'labels' as a list", _FORM_HINT)
        paths = []
        for each in given:
            if isinstance(each, list) and all(isinstance(part, str) for part in each):
                paths.append(JOINER.join(each))
            elif isinstance(each, str):
                paths.append(each)
            else:
                raise InvalidInput(f"a label is {describe_value(each)}, not text", _FORM_HINT)
        return tuple(path for name in paths for path in self.labelled(dataset, name))

    def labelled(self, dataset: str, name: str) -> tuple[LabelPath, ...]:
        """Return the path of a named label, empty for an empty name; InvalidInput if unknown."""
        return self.labels_of(dataset).resolve([name]) if name else ()


def _parse_sentences(value: Mapping[str, Any], stored: StoredSample) -> tuple[float | None, ...]:
    """Return the probability of each segment of the summary from the field `sentence_scores`."""
    given = value["sentence_scores"]
    if not isinstance(given, list):
        raise InvalidInput(f"'sentence_scores' is {describe_value(given)}, not a list", _FORM_HINT)
    where: list[Span | None] = []
    for each in given:
        if isinstance(each, dict):
            _check_fields(each, _SENTENCE_FIELDS)
            where.append(_parse_anchor(each, stored.sample, Side.SUMMARY).span)
        else:
            where.append(None)
    summary = stored.sample.document(Side.SUMMARY)
    segments = stored.segments[stored.sample.documents.index(summary)]
    return parse_sentence_scores(given, summary, segments, where=where)


def _parse_evidence(value: Mapping[str, Any], sample: Sample) -> Iterator[Anchor]:
    given = value.get("evidence", [])
    quotes = given if isinstance(given, list) else [given]
    for each in quotes:
        place = {"quote": each} if isinstance(each, str) else each
        if not isinstance(place, dict):
            raise InvalidInput(
                f"evidence is {describe_value(place)}, not a quote or an object", _FORM_HINT
            )
        _check_fields(place, _ANCHOR_FIELDS)
        yield _parse_anchor(place, sample, Side.SOURCE)


def _parse_anchor(value: Mapping[str, Any], sample: Sample, side: Side) -> Anchor:
    documents = sample.side(side)
    named = value.get("document") if side is Side.SOURCE else None
    chosen = [
        (index, each)
        for index, each in enumerate(documents)
        if named is None or named in (each.key, index)
    ]
    if not chosen:
        there = ", ".join(repr(each.key) for each in documents)
        raise NotFound(
            f"the {side} side has no document {named!r}", f"use one of the documents: {there}"
        )
    quote = value.get("quote")
    start = value.get("start")
    end = value.get("end")
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"the quote is {describe_value(quote)}, not text", _FORM_HINT)
    if end is not None:
        index, document = _only_document(chosen, side)
        return Anchor(side, index, check_span(document.text, start, end, quote=quote, what="span"))
    if quote is None or not (start is None or type(start) is int):
        raise InvalidInput("a position needs a quote, or start and end", _FORM_HINT)
    meant = [
        Anchor(side, index, span)
        for index, document in chosen
        for span in _find_quote(value, quote, start, text=document.text)
    ]
    if len(meant) > 1:
        in_documents = {each.index for each in meant}
        fields = (
            "the field 'document'"
            if len(in_documents) > 1
            else "'start', 'context' or 'occurrence'"
        )
        raise InvalidInput(
            f"the {side} of sample {sample.key} contains the text {shorten_quote(quote)}"
            f" {len(meant)} times",
            f"quote more words, or add {fields}",
            code="span-ambiguous",
        )
    if not meant:
        texts = [document.text for _, document in chosen]
        raise _explain_missing(value, quote, texts, where=f"the {side} of sample {sample.key}")
    return meant[0]


def _explain_missing(
    value: Mapping[str, Any], quote: str, texts: Sequence[str], *, where: str
) -> InvalidInput:
    """Return the error for a quote without any occurrence that its fields mean."""
    shown = shorten_quote(quote)
    context = _text_field(value, "context")
    occurrence = value.get("occurrence")
    counts = [len(find_meant_spans(quote, text, context=context)) for text in texts]
    inside = f" inside the context {shorten_quote(context)}" if context else ""
    if occurrence is not None and any(counts):
        times = format_count(max(counts), "time")
        return InvalidInput(
            f"{where} contains the text {shown} {times}{inside}, so there is no occurrence"
            f" {occurrence:,}",
            f"set 'occurrence' to a number from 1 to {max(counts):,}",
        )
    if context and any(find_meant_spans(quote, text) for text in texts):
        return InvalidInput(
            f"{where} contains the text {shown}, but not{inside}",
            "quote a longer passage that contains the text as 'context', or omit 'context'",
        )
    return InvalidInput(f"{where} does not contain the text {shown}", "quote the text exactly")


def _find_quote(value: Mapping[str, Any], quote: str, near: int | None, *, text: str) -> list[Span]:
    """Return the spans of a text that a quote may mean; the nearest one to a given start."""
    context = _text_field(value, "context")
    occurrence = value.get("occurrence")
    if not (occurrence is None or type(occurrence) is int):
        raise InvalidInput(
            f"'occurrence' is {describe_value(occurrence)}, not a whole number", _FORM_HINT
        )
    if near is None:
        return find_meant_spans(quote, text, context=context, occurrence=occurrence)
    if context or occurrence is not None:
        raise InvalidInput("'start' selects the occurrence of the quote already", _FORM_HINT)
    span = locate_quote(quote, text, near=near)
    return [] if span is None else [span]


def _only_document(chosen: list[tuple[int, Document]], side: Side) -> tuple[int, Document]:
    if len(chosen) > 1:
        raise InvalidInput(
            f"the suggestion does not name one of the {len(chosen)} documents of the {side}",
            "set the field 'document' to the key or index of one document",
        )
    return chosen[0]


def _parse_score(value: Mapping[str, Any]) -> float | None:
    try:
        return parse_score(value.get("score"))
    except ValueError as error:
        raise InvalidInput(str(error), "give a number from 0 to 1, or no score") from error


def _text_field(value: Mapping[str, Any], name: str) -> str:
    word = value.get(name) or ""
    if not isinstance(word, str):
        raise InvalidInput(f"{name!r} is {describe_value(word)}, not text", _FORM_HINT)
    return word


def _check_fields(value: Mapping[str, Any], known: frozenset[str]) -> None:
    if more := sorted(map(str, value.keys() - known)):
        there = ", ".join(sorted(known))
        raise InvalidInput(f"unknown field {more[0]!r}", f"use only: {there}")
