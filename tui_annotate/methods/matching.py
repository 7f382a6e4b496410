"""Ranks source segments for words selected in the summary, or the reverse, by words and vectors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.samples import STRENGTHS, Match, Segment, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.methods.late_interaction import TokenBank, late_interaction
from tui_annotate.methods.lexical import LexicalIndex, Word, find_words, is_unspaced_script
from tui_annotate.methods.selection_vectors import SelectionVectors, Tokens

Vectors = NDArray[np.float32]
"""Array with a vector or a number for each sentence: (segments, dimensions) or (segments,)."""

WORDS: Final = "words"
"""Name of the score for words that the selected text and a sentence share."""
VECTORS: Final = "vectors"
"""Name of the score that is the cosine of the selected text's and a sentence's vectors."""
SENTENCES: Final = "sentences"
"""Name of the score that is the cosine of a sentence and the mean of the selected sentences."""
TOKENS: Final = "tokens"
"""Name of the score for the most similar tokens of the selected text and a sentence."""

CONTEXT = 0.25
"""Weight of an unselected word in the sentence of a selection; a selected word has 1."""

LONGEST = 2000
"""Maximum number of code points to use of a selected text; more would be slow."""

UNSPACED_BONUS = 0.5
"""Fraction by which the score by words is raised if the query's script has no spaces.

In such scripts, words are characters and pairs of characters. A reworded phrase shares few pairs
with the original, so its score would be too low.
"""

CANDIDATES = 64
"""Number of sentences whose tokens are compared: the best by words and by vectors."""

_LAST_BITS = 1e-4


@dataclass(frozen=True, slots=True)
class Query:
    """A search for matches: the selected text, its sentences, and the weight of each word.

    Attributes:
        selection: the selected text; equal to `home` if the selection has no word.
        home: the sentences that the selection touches.
        unspaced: fraction of the words' weight that is in scripts without spaces.
    """

    selection: str
    home: str
    bag: dict[str, float]
    span: Span
    words: Sequence[Word]
    unspaced: float = 0.0


def query(text: str, segments: Sequence[Segment], span: Span) -> Query | None:
    """Build the search for a span of a text with `segments`; None if its sentences have no word."""
    chosen = span.trim(text)
    if chosen is None:
        return None
    chosen = Span(chosen.start, min(chosen.end, chosen.start + LONGEST))
    touched = find_touched_segments(segments, chosen)
    start = max(segments[touched[0]].start, chosen.start - LONGEST)
    home = Span(start, min(segments[touched[-1]].end, chosen.end + LONGEST))
    found = [
        Word(word, home.start + start, home.start + end)
        for word, start, end in find_words(home.of(text))
    ]
    inside = [word.start < chosen.end and word.end > chosen.start for word in found]
    if not any(inside):
        chosen = home
        inside = [True] * len(found)
    bag: dict[str, float] = {}
    for word, own in zip(found, inside, strict=True):
        bag[word.text] = bag.get(word.text, 0.0) + (1.0 if own else CONTEXT)
    if not bag:
        return None
    unspaced = sum(weight for word, weight in bag.items() if is_unspaced_script(word))
    share = unspaced / sum(bag.values())
    return Query(
        selection=chosen.of(text),
        home=home.of(text),
        bag=bag,
        span=chosen,
        words=found,
        unspaced=share,
    )


def find_touched_segments(segments: Sequence[Segment], span: Span) -> range:
    """Return the indices of the sentences that a span touches."""
    first = bisect_right(segments, span.start, key=lambda segment: segment.start) - 1
    last = bisect_right(segments, span.end - 1, key=lambda segment: segment.start) - 1
    return range(first, last + 1)


@dataclass(frozen=True, slots=True, eq=False)
class VectorSpace:
    """The vectors of the sentences of a source or summary; zeros for a missing vector.

    Attributes:
        known: (segments,): whether the segment has a vector.
        `floor`, `token_floor`: cosine that corresponds to a similarity of 0.
    """

    vectors: Vectors
    known: NDArray[np.bool_]
    tokens: TokenBank | None = None
    floor: float = 0.0
    token_floor: float = 0.0


PRIOR: Final = 6.0
"""Log-odds that any sentence matches, to be divided by the root of the sentence count."""
LEAST_SEGMENTS: Final = 4
"""Minimum number of sentences for the log-odds that any sentence matches."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights, with sum 1, and a logistic curve that turn similarities into one score."""

    weights: Mapping[str, float]
    slope: float
    offset: float

    def scores(self, signals: Mapping[str, Vectors]) -> Vectors:
        """Compute the match score of each sentence, in [0, 1], from its similarities."""
        fused = sum(weight * signals[name] for name, weight in self.weights.items())
        prior = PRIOR / sqrt(max(LEAST_SEGMENTS, len(next(iter(signals.values())))))
        return np.asarray(1 / (1 + np.exp(-(self.slope * fused + self.offset + prior))), np.float32)


Calibrations = Mapping[frozenset[str], Calibration]
"""Weights and curve of each combination of signals."""

BUILT_IN: Final[Calibrations] = {
    frozenset(calibration.weights): calibration
    for calibration in (
        Calibration({WORDS: 1.0}, 26.0, -6.1),
        Calibration({VECTORS: 1.0}, 8.0, -6.2),
        Calibration({WORDS: 0.8, VECTORS: 0.2}, 22.0, -6.4),
        Calibration({SENTENCES: 1.0}, 8.0, -7.5),
        Calibration({WORDS: 0.8, SENTENCES: 0.2}, 20.0, -6.8),
        Calibration({VECTORS: 0.5, TOKENS: 0.5}, 12.0, -7.5),
        Calibration({WORDS: 0.6, VECTORS: 0.2, TOKENS: 0.2}, 18.0, -6.8),
    )
}


@dataclass(frozen=True, slots=True, eq=False)
class SegmentIndex:
    """Search index over the sentences of some documents.

    Attributes:
        `places`: index of the document, index of the sentence in it, and the sentence.
        space: vectors of the sentences in the order of `places`; None for a lexical search.
    """

    places: Sequence[tuple[int, int, Segment]]
    lexicon: LexicalIndex
    space: VectorSpace | None = None
    calibrations: Calibrations = field(default_factory=lambda: BUILT_IN)

    @classmethod
    def of(cls, texts: Sequence[str], segments: Sequence[Sequence[Segment]]) -> Self:
        """Build a search index without vectors from texts and the segments of each text."""
        places = [
            (document, index, segment)
            for document, own in enumerate(segments)
            for index, segment in enumerate(own)
        ]
        lexicon = LexicalIndex(
            [word.text for word in find_words(texts[document][segment.start : segment.end])]
            for document, _, segment in places
        )
        return cls(places, lexicon)

    def with_vectors(self, space: VectorSpace) -> Self:
        """Return this index with the vectors of its sentences, in the order of `places`."""
        return replace(self, space=space)

    def __len__(self) -> int:
        return len(self.places)

    def similarities(self, vector: Vectors) -> Vectors:
        """Compute the dot product of each sentence's vector with a unit vector: (segments,).

        The unit vector is rounded to half precision, as LanceDB does for half-precision vectors.

        Raises:
            ValueError: the index has no vectors.
        """
        if self.space is None:
            raise ValueError("the index has no vectors")
        # einsum instead of `@`, whose threads took 12 ms instead of 1 ms on busy cores.
        half = vector.astype(np.float16).astype(np.float32)
        return np.asarray(np.einsum("ij,j->i", self.space.vectors, half), np.float32)

    def rank(
        self,
        asked: Query,
        meaning: SelectionVectors | None = None,
        *,
        cosines: Vectors | None = None,
        top: int | None = None,
        by: Signals = Signals.FUSED,
    ) -> tuple[Match, ...]:
        """Rank the sentences for a search by score, best first, then in reading order.

        Args:
            meaning: vectors of the selection; without them, the ranking is lexical.
            cosines: cosines with each segment if already computed elsewhere; small rounding
                differences are ignored.
            top: largest number of results, all of at least the lowest strength; None for all
                segments.
            by: signals that rank; by vectors and without `meaning`, the result is empty.
        """
        signals = self.compute_signals(asked, meaning, cosines=cosines, by=by)
        if not signals:
            return ()
        scores = fuse_scores(signals, self.known, self.calibrations)
        order = find_best_indices(scores, len(self) if top is None else top)
        if top is not None:
            order = order[scores[order] >= STRENGTHS[0]]
        return tuple(
            self._to_match(int(at), rank, score=float(scores[at]), signals=signals)
            for rank, at in enumerate(order, 1)
        )

    @property
    def known(self) -> NDArray[np.bool_]:
        """Array (segments,): whether the segment has a vector."""
        return self.space.known if self.space else np.zeros(len(self), np.bool_)

    def compute_signals(
        self,
        asked: Query,
        meaning: SelectionVectors | None,
        *,
        cosines: Vectors | None = None,
        by: Signals = Signals.FUSED,
    ) -> dict[str, Vectors]:
        """Compute the similarities (segments,) of each sentence to a search, by signal name."""
        signals: dict[str, Vectors] = {}
        if by is not Signals.VECTORS:
            reached = self.lexicon.scores(asked.bag) * np.float32(
                1 + UNSPACED_BONUS * asked.unspaced
            )
            signals[WORDS] = reached.clip(0, 1)
        if by is not Signals.WORDS and meaning is not None and self.space is not None:
            own = self.similarities(meaning.vector)
            found = (
                own
                if cosines is None
                else np.where(np.abs(own - cosines) < _LAST_BITS, own, cosines)
            )
            name = SENTENCES if meaning.of_sentences else VECTORS
            signals[name] = np.where(self.space.known, _scale_cosines(found, self.space.floor), 0)
            if self.space.tokens is not None and meaning.tokens is not None:
                signals[TOKENS] = self._late_signal(self.space, meaning.tokens, signals)
        return signals

    def _late_signal(
        self, space: VectorSpace, asked: Tokens, signals: Mapping[str, Vectors]
    ) -> Vectors:
        """Compare the query's tokens with those of the best sentences; other sentences get 0."""
        reached = np.zeros(len(self), np.float32)
        if space.tokens is None:
            return reached
        first = find_best_indices(np.sum(list(signals.values()), axis=0), CANDIDATES)
        rarities = np.array([self.lexicon.rarity(word) for word in asked.words], np.float32)
        reached[first] = late_interaction(
            space.tokens,
            first,
            tokens=asked.vectors,
            weights=asked.emphasis * rarities,
            floor=space.token_floor,
        )
        return reached

    def _to_match(self, at: int, rank: int, *, score: float, signals: dict[str, Vectors]) -> Match:
        document, index, segment = self.places[at]
        known = self.space is not None and self.space.known[at]
        own = {
            name: float(values[at]) for name, values in signals.items() if known or name == WORDS
        }
        return Match(
            document=document,
            segment=index,
            span=segment.span,
            score=score,
            rank=rank,
            signals=own,
        )


def find_best_indices(values: Vectors, count: int) -> NDArray[np.intp]:
    """Return the indices of the `count` largest values, largest first, then by index."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    least = np.partition(values, -count)[-count]  # sorting all would be too slow for a key press
    above = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)
    some = np.sort(np.concatenate([above, equal[: count - len(above)]]))
    return some[np.argsort(-values[some], kind="stable")]


def _scale_cosines(cosines: Vectors, floor: float) -> Vectors:
    above = (cosines - np.float32(floor)) / np.float32(1 - floor)
    return np.asarray(above.clip(0, 1), np.float32)


def fuse_scores(
    signals: Mapping[str, Vectors],
    known: NDArray[np.bool_],
    calibrations: Calibrations = BUILT_IN,
) -> Vectors:
    """Combine the similarities of each sentence into the probability that it is a match.

    Args:
        signals: values by signal name, in a combination that has a calibration.
        known: (segments,): whether the segment has a vector; without one, its score is lexical.
    """
    whole = calibrations[frozenset(signals)].scores(signals)
    if len(signals) == 1 and WORDS in signals:
        return whole
    if WORDS not in signals:
        return np.where(known, whole, np.float32(0))
    alone = calibrations[frozenset({WORDS})].scores({WORDS: signals[WORDS]})
    return np.where(known, whole, alone)
