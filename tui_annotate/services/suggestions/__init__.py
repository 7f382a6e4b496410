"""Suggestions of machines, for admins: import them, make them of scores, and report on them.

Refuses what is not in the texts or in the label set; what annotators do with suggestions is
no business of this service.
"""

from __future__ import annotations

import math
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath, normalize_annotation
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.provenance import parse_score
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.suggestions import AnswerKind, Suggestion, with_id
from tui_annotate.methods.intervals import wilson_interval
from tui_annotate.methods.quote_location import locate_quote
from tui_annotate.plugins.files.json_values import read_json_values
from tui_annotate.plugins.record_validation import check_span, describe_value, parse_identifier
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.suggestions import SuggestionListing, SuggestionStore

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore

NO_LABEL: Final = "(none)"
_REMOVED: Final = "removed"
_KINDS: Final = (*(each.value for each in AnswerKind), _REMOVED)


@dataclass(slots=True)
class _Tally:
    """Counts of a maker or label; all but `offered` count each person separately."""

    offered: int = 0
    seen: int = 0
    passed: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def take(self, listed: SuggestionListing) -> None:
        """Count a suggestion with all answers to it."""
        self.offered += 1
        self.seen += listed.seen
        self.passed += listed.passed
        for each in listed.answers:
            # What was taken and removed afterwards is not taken.
            self.answers[_REMOVED if each.open else str(each.answer)] += 1
            if each.answer is AnswerKind.REFUSED:
                self.reasons[each.reason] += 1

    def as_json(self) -> dict[str, Any]:
        """As values of JSON, in fixed order; reasons by how often they were given.

        `rate` is the share of answers that took the suggestion, and its 95 % interval.
        """
        answered = self.answers.total()
        taken = self.answers[AnswerKind.ACCEPTED] + self.answers[AnswerKind.CHANGED]
        low, high = wilson_interval(taken, answered)
        return {
            "offered": self.offered,
            "seen": self.seen,
            "open": self.seen - answered - self.passed,
            "passed": self.passed,
            **{kind: self.answers[kind] for kind in _KINDS},
            "reasons": dict(sorted(self.reasons.items(), key=lambda each: (-each[1], each[0]))),
            "rate": {"share": taken / answered if answered else None, "low": low, "high": high},
        }


@dataclass(frozen=True, slots=True)
class ScoreThreshold:
    """From where on a segment is suggested, on the scale of the score.

    Raises:
        InvalidInput: none or both are given, or it is no number.
    """

    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        given = [each for each in (self.below, self.above) if each is not None]
        if len(given) != 1 or not math.isfinite(given[0]):
            raise InvalidInput("give one threshold", "as --below 0.3, or --above 0.7")

    def passes(self, value: float) -> bool:
        """Whether a segment of that score is suggested."""
        if self.below is not None:
            return value < self.below
        return self.above is not None and value > self.above

    def as_json(self) -> dict[str, Any]:
        """Return the parameters of a run."""
        return {"below": self.below} if self.below is not None else {"above": self.above}


def _passing_segments(
    corpus: CorpusStore, score: Score, threshold: ScoreThreshold
) -> Iterator[Anchor]:
    """Yield the segments of a summary that pass, trimmed."""
    stored = corpus.sample(score.key)
    for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
        if document.side is Side.SUMMARY and len(segments) == len(score.parts):
            for segment, value in zip(segments, score.parts, strict=True):
                span = segment.span.trim(document.text)
                if value is not None and span is not None and threshold.passes(value):
                    yield Anchor(Side.SUMMARY, 0, span)


_MAX_PROBLEMS: Final = 20
"""Problems of a file that are reported one by one."""


@dataclass(frozen=True, slots=True)
class SuggestionCounts:
    """How many imported suggestions were new or known."""

    added: int
    known: int


@dataclass(frozen=True, slots=True)
class SuggestionService:
    """Imports, derives and reports suggestions; `labels` gives the set in force in a dataset.

    Raises:
        NotAllowed: every method, where the actor may not report on others, or change suggestions.
    """

    corpus: CorpusStore
    store: SuggestionStore
    scores: ScoreStore
    labels: Callable[[str], LabelTree]

    def list_suggestions(
        self,
        *,
        dataset: str = "",
        maker: str = "",
        waiting: Callable[[SuggestionListing], bool] | None = None,
    ) -> Iterator[tuple[SuggestionListing, str]]:
        """Return suggestions with people's answers, each with its text; empty filters pass all."""
        for each in self.store.list_suggestions(dataset=dataset, maker=maker):
            if waiting is None or waiting(each):
                anchor = (each.suggestion.claim or each.suggestion.evidence)[0]
                sample = self.corpus.sample(each.key).sample
                yield each, anchor.span.of(sample.document(anchor.side, anchor.index).text)

    def report(self, *, dataset: str = "", maker: str = "") -> dict[str, Any]:
        """Count answers in all, by maker and by label, as docs/json.md says.

        A suggestion with several labels counts for each.
        """
        whole, makers, labels = _Tally(), dict[str, _Tally](), dict[str, _Tally]()
        for each in self.store.list_suggestions(dataset=dataset, maker=maker):
            whole.take(each)
            makers.setdefault(each.suggestion.maker, _Tally()).take(each)
            for name in [JOINER.join(path) for path in each.suggestion.labels] or [NO_LABEL]:
                labels.setdefault(name, _Tally()).take(each)
        return {
            **whole.as_json(),
            "by_maker": [{"name": name, **one.as_json()} for name, one in sorted(makers.items())],
            "by_label": [{"name": name, **one.as_json()} for name, one in sorted(labels.items())],
        }

    def read(
        self,
        path: Path,
        *,
        dataset: str = "",
        maker: str = "",
        problem: Callable[[Problem], None] = lambda _: None,
    ) -> SuggestionCounts:
        """Read suggestions from a JSON file, all or none.

        `dataset` and `maker` are those of lines without one; the default maker is `import:` and the
        file's name. `problem` is called for up to 20 invalid lines.

        Raises:
            NotFound, InvalidInput, Unavailable: the file can not be opened, or a line is invalid.
        """
        reading = SuggestionFileReader(
            self.corpus, self.labels, dataset, maker or f"import:{path.stem}"
        )
        found: list[tuple[SampleKey, Suggestion]] = []
        wrong = 0
        for each in reading.read(path):
            if not isinstance(each, Problem):
                found.append(each)
                continue
            wrong += 1
            if wrong <= _MAX_PROBLEMS:
                problem(each)
        if wrong:
            raise InvalidInput(
                f"{format_count(wrong, 'suggestion')} of {path} can not be taken; nothing was",
                "mend these lines, or take them out",
            )
        return self._store_runs(found, {"file": path.name})

    def from_scores(
        self, dataset: str, score: str, *, threshold: ScoreThreshold, label: str
    ) -> SuggestionCounts:
        """Suggest the segments of summaries that the newest run of a score calls unsupported.

        Raises:
            NotFound: no run has such a score of segments, or there is no such dataset.
            InvalidInput: the label (`A.B`) is not in the label set of the dataset, or the threshold
                selects supported segments.
        """
        labels = SuggestionFileReader(self.corpus, self.labels, dataset, "").labelled(
            dataset, label
        )
        run, scores = self._newest_run(dataset, score)
        if (threshold.below is not None) == (score in run.low):
            better = "a low" if score in run.low else "a high"
            raise InvalidInput(
                f"of {score!r} {better} value is the better supported one",
                "name the threshold at the other end: --below, or --above",
            )
        maker = f"{run.maker}:{score}"
        found = []
        for each in scores:
            for anchor in _passing_segments(self.corpus, each, threshold):
                made = Suggestion(id="", maker=maker, run="", claim=(anchor,), labels=labels)
                found.append((each.key, with_id(each.key, made)))
        return self._store_runs(found, {"score": score, "run": run.id, **threshold.as_json()})

    def _newest_run(self, dataset: str, score: str) -> tuple[ScoreRun, list[Score]]:
        """The newest run with such scores of segments, and these scores."""
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
            f"no run says {score!r} of the segments of dataset {dataset!r}",
            "make one: tui-annotate score; see: tui-annotate score list",
        )

    def _store_runs(
        self, found: Sequence[tuple[SampleKey, Suggestion]], parameters: Mapping[str, Any]
    ) -> SuggestionCounts:
        groups: defaultdict[tuple[str, str], list[tuple[SampleKey, Suggestion]]] = defaultdict(list)
        for key, suggestion in found:
            groups[key.dataset, suggestion.maker].append((key, suggestion))
        added = 0
        for (dataset, maker), mine in groups.items():
            run = ScoreRun(
                id=str(uuid.uuid4()),
                kind=RunKind.SUGGEST,
                maker=maker,
                dataset=dataset,
                parameters=parameters,
            )
            added += self.store.add(run, mine)
        return SuggestionCounts(added, len(found) - added)


_FIELDS: Final = frozenset(
    {
        "dataset", "sample", "maker", "label", "labels", "quote", "start", "end", "evidence",
        "reason", "score",
    }
)  # fmt: skip
_ANCHOR_FIELDS: Final = frozenset({"quote", "start", "end", "document"})
_FORM_HINT: Final = "docs/suggestions.md has the form"
_MAX_QUOTE: Final = 60
_CACHED_SAMPLES: Final = 100  # lines of one sample are mostly neighbours


@dataclass(frozen=True)
class SuggestionFileReader:
    """Parses a file; `labels_of` is the label set in force in a dataset."""

    corpus: CorpusStore
    labels_of: Callable[[str], LabelTree]
    dataset: str
    maker: str

    def read(self, path: Path) -> Iterator[tuple[SampleKey, Suggestion] | Problem]:
        """Yield the suggestions of a file in order; a Problem for each wrong one.

        Raises:
            NotFound, InvalidInput, Unavailable: the file can not be opened.
        """
        sample_of = lru_cache(_CACHED_SAMPLES)(self._find_sample)
        for value in read_json_values(path):
            if isinstance(value, Problem):
                yield value
                continue
            try:
                yield self._parse_suggestion(value.value, sample_of)
            except TuiAnnotateError as error:
                yield Problem(value.where, error.message, error.hint)

    def _parse_suggestion(
        self, value: Any, sample_of: Callable[[str, str], Sample]
    ) -> tuple[SampleKey, Suggestion]:
        if not isinstance(value, dict):
            raise InvalidInput(
                f"a suggestion is {describe_value(value)}, not an object", _FORM_HINT
            )
        _check_fields(value, _FIELDS)
        named = "dataset" in value
        dataset = parse_identifier(value["dataset"], what="dataset") if named else self.dataset
        sample = sample_of(dataset, parse_identifier(value.get("sample"), what="sample"))
        has_claim = not value.keys().isdisjoint(("quote", "start", "end"))
        made = Suggestion(
            id="",
            maker=check_storable(
                parse_identifier(value.get("maker", self.maker), what="maker"), "maker"
            ),
            run="",
            claim=(_parse_anchor(value, sample, Side.SUMMARY),) if has_claim else (),
            evidence=tuple(_parse_evidence(value, sample)),
            labels=self._parse_labels(sample.dataset, value),
            note=check_storable(_text_field(value, "reason").strip(), "reason"),
            score=_parse_score(value),
        )
        # Held to the rules of work by hand, so that it can be taken.
        whole = normalize_annotation(
            Annotation("x", made.claim, made.evidence, made.labels), sample
        )
        self.labels_of(sample.dataset).check(whole)
        return sample.key, with_id(sample.key, made)

    def _find_sample(self, dataset: str, name: str) -> Sample:
        key = SampleKey(dataset, name) if dataset else self.corpus.find(name)
        if name not in (key.id, str(key)):
            raise NotFound(f"there is no sample {name!r}", f"if {str(key)!r} is it, write so")
        return self.corpus.sample(key).sample

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
        """Return the label path of a name in a dataset; () for an empty name.

        Raises:
            InvalidInput: the label set has none of that name.
        """
        if not name:
            return ()
        tree = self.labels_of(dataset)
        path = tuple(name.split(JOINER))
        if tree.find(path) is None:
            there = ", ".join(JOINER.join(each.path) for each in tree.walk())
            raise InvalidInput(f"no label {name!r} in the set", f"the set has: {there}")
        return (path,)


def _parse_evidence(value: Mapping[str, Any], sample: Sample) -> Iterator[Anchor]:
    given = value.get("evidence", [])
    for each in given if isinstance(given, list) else [given]:
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
        raise NotFound(f"the {side} side has no document {named!r}", f"there are: {there}")
    quote, start, end = (value.get(name) for name in ("quote", "start", "end"))
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"the quote is {describe_value(quote)}, not text", _FORM_HINT)
    if end is not None:
        index, document = _only_document(chosen, side)
        return Anchor(side, index, check_span(document.text, start, end, quote=quote, what="span"))
    if quote is None or not (start is None or type(start) is int):
        raise InvalidInput("a place is a quote, or start and end", _FORM_HINT)
    for index, document in chosen:
        if (span := locate_quote(quote, document.text, near=start)) is not None:
            return Anchor(side, index, span)
    short = quote if len(quote) <= _MAX_QUOTE else f"{quote[: _MAX_QUOTE - 1]}…"
    raise InvalidInput(f"{short!r} does not stand in the {side} of {sample.key}", "quote exactly")


def _only_document(chosen: list[tuple[int, Document]], side: Side) -> tuple[int, Document]:
    if len(chosen) > 1:
        raise InvalidInput(f"the {side} side has {len(chosen)} documents", "name one: 'document'")
    return chosen[0]


def _parse_score(value: Mapping[str, Any]) -> float | None:
    try:
        return parse_score(value.get("score"))
    except ValueError as error:
        raise InvalidInput(str(error), "give a number from 0 to 1, or none") from error


def _text_field(value: Mapping[str, Any], name: str) -> str:
    word = value.get(name) or ""
    if not isinstance(word, str):
        raise InvalidInput(f"{name!r} is {describe_value(word)}, not text", _FORM_HINT)
    return word


def _check_fields(value: Mapping[str, Any], known: frozenset[str]) -> None:
    if more := sorted(map(str, value.keys() - known)):
        there = ", ".join(sorted(known))
        raise InvalidInput(f"no field {more[0]!r} is known", f"there are: {there}")
