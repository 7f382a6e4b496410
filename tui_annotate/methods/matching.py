"""Which segments of the other side belong to a selection: words and vectors, fused and calibrated.

Each signal is bounded by itself, and the calibration is one fixed monotone curve, so a score says
the same in every sample. Rank never makes a score. What was measured, and on what, stands in
docs/decisions; the weights are round numbers on purpose.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.samples import STRENGTHS, Match, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.methods.lexical import LexicalIndex, words

CONTEXT = 0.25
"""Weight of a word of the sentence that is not selected, beside 1 for the selected."""

VECTOR_CONTEXT = 0.1
"""Weight of the sentence's vector, beside 1 for the selection's."""

WORDS = 0.8
"""Weight of the words' score; the vectors' cosine has the rest."""

LONGEST = 2000
"""Code points of a selection that are looked at: more would be felt at the keys."""

_FUSED = (21.0, -4.7)
_WORDS_ALONE = (22.0, -4.2)
"""Slope and offset of the logistic curves by which a score of .8 is right four times in five."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for.

    Attributes:
        selection: the selected text; the whole of `home` where it holds no word.
        home: the sentences that the selection touches.
        bag: the words with their weights.
    """

    selection: str
    home: str
    bag: dict[str, float] = field(default_factory=dict)


def query(text: str, segments: Sequence[Segment], span: Span) -> Query | None:
    """The query for a span of a text; None where its sentences hold no word.

    Args:
        segments: of the text, in order, covering it.
        span: white space at its edges does not matter.
    """
    chosen = span.trim(text)
    if chosen is None:
        return None
    chosen = Span(chosen.start, min(chosen.end, chosen.start + LONGEST))
    home = _home(segments, chosen)
    found = [(word.text, word.start, word.end) for word in words(home.of(text))]
    inside = [
        home.start + start < chosen.end and home.start + end > chosen.start
        for _, start, end in found
    ]
    if not any(inside):
        chosen, inside = home, [True] * len(found)
    bag: dict[str, float] = {}
    for (word, _, _), own in zip(found, inside, strict=True):
        bag[word] = bag.get(word, 0.0) + (1.0 if own else CONTEXT)
    return Query(chosen.of(text), home.of(text), bag) if bag else None


def _home(segments: Sequence[Segment], span: Span) -> Span:
    """The union of the segments that a span touches, within reach of it."""
    first = bisect_right(segments, span.start, key=lambda segment: segment.start) - 1
    last = bisect_right(segments, span.end - 1, key=lambda segment: segment.start) - 1
    start = max(segments[first].start, span.start - LONGEST)
    return Span(start, min(segments[last].end, span.end + LONGEST))


def blend(selection: Vectors, home: Vectors) -> Vectors:
    """The unit vector of a query: the selection's with some of its sentence's; zeros stay zeros."""
    mixed = selection + np.float32(VECTOR_CONTEXT) * home
    length = np.linalg.norm(mixed)
    return mixed / length if length else mixed


class Searched:
    """The segments of all documents of one side, ready to be ranked.

    Args:
        texts: of the documents, in order.
        segments: parallel to `texts`.
        vectors: one unit row a segment, over all documents in order; None without vectors.
    """

    def __init__(
        self,
        texts: Sequence[str],
        segments: Sequence[Sequence[Segment]],
        vectors: Vectors | None = None,
    ) -> None:
        self._places = [
            (document, index, segment)
            for document, own in enumerate(segments)
            for index, segment in enumerate(own)
        ]
        self._words = LexicalIndex(
            [word.text for word in words(texts[document][segment.start : segment.end])]
            for document, _, segment in self._places
        )
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self._places)

    def similarities(self, vector: Vectors) -> Vectors:
        """(segments,): the cosine of each segment's vector with a unit vector.

        Raises:
            ValueError: there are no vectors.
        """
        if self._vectors is None:
            raise ValueError("there are no vectors")
        # Not `@`: its threads, where others keep the cores busy, made 1 ms into 12.
        return np.asarray(np.einsum("ij,j->i", self._vectors, vector), np.float32)

    def rank(
        self, asked: Query, cosines: Vectors | None = None, *, top: int | None = None
    ) -> tuple[Match, ...]:
        """The segments, best first; equal scores in reading order.

        Args:
            cosines: one for each segment; None to rank by words alone.
            top: at most so many, and none under the least strength; None for all.
        """
        lexical = self._words.scores(asked.bag)
        signals = {"words": lexical}
        if cosines is None:
            scores = _calibrated(lexical, _WORDS_ALONE)
        else:
            # Rounded, so that the last bits of two ways to a cosine make no two orders.
            signals["vectors"] = np.clip(cosines, 0, 1).round(4).astype(np.float32)
            fused = WORDS * lexical + (1 - WORDS) * signals["vectors"]
            scores = _calibrated(fused, _FUSED)
        order = np.argsort(-scores, kind="stable")
        if top is not None:
            order = order[:top][scores[order[:top]] >= STRENGTHS[0]]
        return tuple(
            self._match(int(at), rank, scores=scores, signals=signals)
            for rank, at in enumerate(order, 1)
        )

    def _match(self, at: int, rank: int, *, scores: Vectors, signals: dict[str, Vectors]) -> Match:
        document, index, segment = self._places[at]
        own = {name: float(values[at]) for name, values in signals.items()}
        return Match(document, index, segment.span, float(scores[at]), rank, own)


def _calibrated(signal: Vectors, curve: tuple[float, float]) -> Vectors:
    """A logistic curve over the signal: in [0, 1], and in the same order."""
    slope, offset = curve
    return np.asarray(1 / (1 + np.exp(-(slope * signal + offset))), np.float32)
