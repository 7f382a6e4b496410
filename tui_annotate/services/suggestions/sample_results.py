"""Results of a machine for whole samples of a suggestions file: that it ran, and sentence scores.

Both are stored as scores of a run of the machine: the number of its suggestions for each sample,
0 for a sample in which it found nothing, and a probability for each sentence.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.provenance import parse_score
from tui_annotate.domain.samples import Document, SampleKey, Segment
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore

SPANS: Final = "unsupported_spans"
"""Name of the score that counts a machine's suggestions for a sample; 0: it found nothing."""
SENTENCES: Final = "unsupported_sentences"
"""Name of the score with the probability that each sentence is unsupported."""
_SEGMENTS: Final = "segments"


@dataclass(frozen=True, slots=True)
class SampleResult:
    """A sample for which a machine ran.

    Attributes:
        spans: number of the sample's suggestions in the file; None if the file only scores the
            sample's sentences, which does not state that the machine found nothing.
        sentences: probability that each segment of the summary is unsupported, None for a segment
            without one; empty without sentence scores.
    """

    key: SampleKey
    maker: str
    spans: int | None
    sentences: tuple[float | None, ...] = ()


def parse_sentence_scores(
    given: Sequence[Any],
    summary: Document,
    segments: Sequence[Segment],
    *,
    where: Sequence[Span | None],
) -> tuple[float | None, ...]:
    """Return the probability of each segment from a list of scores in a suggestions file.

    A list of numbers has one for each sentence (segment that is not white space). In a list of
    objects, each has a `score` and a position (`where`, parallel to `given`); a sentence gets the
    highest score of those that share a character with it.

    Raises:
        InvalidInput: the number of scores is not that of the sentences, or a score is invalid.
    """
    spans = [segment.span.trim(summary.text) for segment in segments]
    sentences = [at for at, span in enumerate(spans) if span is not None]
    found: list[float | None] = [None] * len(segments)
    if all(place is None for place in where):
        if len(given) != len(sentences):
            counted = format_count(len(sentences), "sentence")
            raise InvalidInput(
                f"'sentence_scores' has {format_count(len(given), 'score')},"
                f" but the summary has {counted}",
                "give one score for each sentence, or objects with 'start', 'end' and 'score'",
            )
        for at, value in zip(sentences, given, strict=True):
            found[at] = _parse_probability(value)
        return tuple(found)
    for value, place in zip(given, where, strict=True):
        if place is None:
            raise InvalidInput(
                "'sentence_scores' has both numbers and objects", "use one of both forms"
            )
        score = _parse_probability(value.get("score"))
        for at in sentences:
            own = spans[at]
            if own is not None and score is not None and own.overlap(place):
                before = found[at]
                found[at] = score if before is None else max(before, score)
    return tuple(found)


def _parse_probability(value: Any) -> float | None:
    try:
        return parse_score(value)
    except ValueError as error:
        raise InvalidInput(
            f"in 'sentence_scores', {error}", "give numbers from 0 to 1, or null"
        ) from error


def store_results(
    scores: ScoreStore, results: Iterable[SampleResult], parameters: Mapping[str, Any]
) -> int:
    """Store results as a run of scores for each maker and dataset; return the number of samples.

    Results that the newest run of the maker already has are not stored again.
    """
    groups: dict[tuple[str, str], dict[SampleKey, SampleResult]] = {}
    for each in results:
        groups.setdefault((each.key.dataset, each.maker), {})[each.key] = each
    stored = 0
    for (dataset, maker), own in groups.items():
        made = list(_make_scores(list(own.values())))
        if _content(made) <= _newest_content(scores, dataset, maker):
            continue
        run = ScoreRun(
            id=str(uuid.uuid4()),
            kind=RunKind.SCORE,
            maker=maker,
            dataset=dataset,
            parameters=parameters,
            low=frozenset({SPANS, SENTENCES}),
        )
        scores.write(run, made)
        stored += len(own)
    return stored


def find_ran(scores: ScoreStore, dataset: str, maker: str) -> dict[SampleKey, int]:
    """Return the samples for which a maker ran, with the number of its suggestions at that time.

    If several runs have a sample, the newest decides. A sample without a usable result is absent.
    """
    wanted = [
        run.id
        for run in scores.runs(dataset)
        if run.maker == maker and run.kind is not RunKind.SUGGEST
    ]
    found: dict[SampleKey, int] = {}
    for run in wanted:
        for key, own in scores.scores(dataset, names=[SPANS], runs=[run]):
            for each in own:
                if each.raw is None:
                    found.pop(key, None)
                else:
                    found[key] = int(each.raw)
    return found


def _make_scores(results: Sequence[SampleResult]) -> Iterable[Score]:
    """Yield both scores of each sample, with values that are normalised over the run."""
    counts = [each.spans for each in results if each.spans is not None]
    worst = {
        each.key: max(known)
        for each in results
        if (known := [value for value in each.sentences if value is not None])
    }
    for each in results:
        if each.spans is not None:
            spans = _position(each.spans, low=min(counts), high=max(counts))
            yield Score(key=each.key, name=SPANS, raw=float(each.spans), value=spans)
        if each.sentences:
            raw = worst.get(each.key)
            value = None
            if raw is not None:
                value = _position(raw, low=min(worst.values()), high=max(worst.values()))
            yield Score(
                key=each.key,
                name=SENTENCES,
                raw=raw,
                value=value,
                parts=each.sentences,
                of=_SEGMENTS,
            )


def _position(value: float, *, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else 0.5


def _content(scores: Iterable[Score]) -> set[tuple[Any, ...]]:
    return {(each.key, each.name, each.raw, each.parts) for each in scores}


def _newest_content(scores: ScoreStore, dataset: str, maker: str) -> set[tuple[Any, ...]]:
    runs = [
        run.id for run in scores.runs(dataset) if run.maker == maker and run.kind is RunKind.SCORE
    ]
    if not runs:
        return set()
    found = scores.scores(dataset, names=[SPANS, SENTENCES], runs=runs[-1:])
    return _content(each for _, own in found for each in own)
