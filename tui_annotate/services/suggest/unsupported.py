"""Segments of summaries that a score holds for unsupported, as suggestions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.annotations import Anchor, LabelPath
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import Run, Score
from tui_annotate.domain.suggestions import Suggestion, proposed
from tui_annotate.storage.corpus.store import CorpusStore

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore


@dataclass(frozen=True, slots=True)
class Threshold:
    """From where on a segment is suggested, on the scale of the score; one of the two is given.

    Raises:
        InvalidInput: none is, or both are, or it is no number.
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
        """As a run keeps it."""
        return {"below": self.below} if self.below is not None else {"above": self.above}


def unsupported(
    scores: ScoreStore,
    corpus: CorpusStore,
    dataset: str,
    *,
    score: str,
    threshold: Threshold,
    labels: tuple[LabelPath, ...],
) -> tuple[Run, list[tuple[SampleKey, Suggestion]]]:
    """The run that speaks, and what it makes suggest, in the order of samples and segments.

    A sample whose segments are others than the score told of is passed over.

    Raises:
        NotFound: no run says such a score of segments.
        InvalidInput: the threshold asks for what is well supported.
    """
    for run in reversed(scores.runs(dataset)):
        said = [
            each
            for _, mine in scores.scores(dataset, names=[score], runs=[run.id])
            for each in mine
            if each.of == "segments" and not each.extra
        ]
        if said:
            if (threshold.below is not None) == (score in run.low):
                better = "a low" if score in run.low else "a high"
                raise InvalidInput(
                    f"of {score!r} {better} value is the better supported one",
                    "name the threshold at the other end: --below, or --above",
                )
            maker = f"{run.maker}:{score}"
            found = [
                (each.key, _suggestion(each.key, anchor, maker, labels=labels))
                for each in said
                for anchor in _segments(corpus, each, threshold)
            ]
            return run, found
    raise NotFound(
        f"no run says {score!r} of the segments of dataset {dataset!r}",
        "make one: tui-annotate score; see: tui-annotate score list",
    )


def _segments(corpus: CorpusStore, score: Score, threshold: Threshold) -> Iterator[Anchor]:
    """The segments of a summary that pass, without the white space around them."""
    stored = corpus.sample(score.key)
    for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
        if document.side is Side.SUMMARY and len(segments) == len(score.parts):
            for segment, value in zip(segments, score.parts, strict=True):
                span = segment.span.trim(document.text)
                if value is not None and span is not None and threshold.passes(value):
                    yield Anchor(Side.SUMMARY, 0, span)


def _suggestion(
    key: SampleKey, anchor: Anchor, maker: str, *, labels: tuple[LabelPath, ...]
) -> Suggestion:
    made = Suggestion(id="", maker=maker, run="", claim=(anchor,), labels=labels)
    return proposed(key, made)
