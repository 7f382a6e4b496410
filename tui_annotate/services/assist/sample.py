"""Searches one sample, in memory, for sentences that are related to a selection."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Match, Sample, Segment, Side, Signals
from tui_annotate.methods.late_interaction import TokenBank, normalise_rows
from tui_annotate.methods.matching import (
    Query,
    SegmentIndex,
    VectorSpace,
    find_touched_segments,
    query,
)
from tui_annotate.methods.selection_vectors import (
    SelectionVectors,
    average_sentences,
    blend_with_sentence,
    find_least_cosine,
    has_enough_vectors,
    pool_tokens,
)
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder

_SAMPLED_TOKENS = 256
"""Approximate number of tokens per document in the estimate of the minimum cosine similarity."""


@dataclass(frozen=True, slots=True)
class SampleVectors:
    """Vectors of a sample's sentences; `axes` (dimensions, token dimensions) map token vectors."""

    label: str
    rows: Mapping[Side, NDArray[np.float32]]
    embedder: Embedder | None = None
    tokens: Mapping[Side, TokenBank] = field(default_factory=dict)
    axes: NDArray[np.float32] | None = None
    version: str = ""


def build_spaces(
    vectors: SampleVectors, segments: Mapping[Side, Sequence[Sequence[Segment]]]
) -> tuple[dict[Side, VectorSpace], int]:
    """Return the vectors of summary and source; count the documents without vectors."""
    made: dict[Side, VectorSpace] = {}
    unknown = 0
    halves = {
        side: rows.astype(np.float16).astype(np.float32) for side, rows in vectors.rows.items()
    }
    least, least_token = _least_cosines(replace(vectors, rows=halves))
    for side, rows in halves.items():
        known, strangers = _known_segments(rows, segments[side])
        unknown += strangers
        if known.any():
            own = rows if known.all() else rows * known[:, None]
            made[side] = VectorSpace(
                vectors=own,
                known=known,
                tokens=vectors.tokens.get(side),
                floor=least,
                token_floor=least_token,
            )
    return made, unknown


def _known_segments(
    rows: NDArray[np.float32], documents: Sequence[Sequence[Segment]]
) -> tuple[NDArray[np.bool_], int]:
    """Return which sentences have usable vectors; count the documents without any."""
    known = np.array(rows.any(axis=1), np.bool_)
    lengths = np.array([segment.end - segment.start for own in documents for segment in own])
    strangers = 0
    for first, last in pairwise(accumulate(map(len, documents), initial=0)):
        part = slice(first, last)
        if not has_enough_vectors(known[part], lengths[part]):
            known[part] = False
            strangers += 1
    return known, strangers


def _least_cosines(vectors: SampleVectors) -> tuple[float, float]:
    if vectors.embedder:  # its cosines start at 0, and every millisecond counts here
        return 0.0, 0.0
    texts = find_least_cosine(*vectors.rows.values())
    # A sample of the tokens: all tokens of a long text would take as long as to load them.
    sampled = [
        normalise_rows(bank.vectors[:: max(1, len(bank.vectors) // _SAMPLED_TOKENS)])
        for bank in vectors.tokens.values()
    ]
    return texts, find_least_cosine(*sampled) if sampled else 0.0


@dataclass(frozen=True, slots=True)
class DocumentVectors:
    """Vectors of one document: one for each sentence, and for each token if available."""

    rows: NDArray[np.float32]
    tokens: TokenBank | None = None


def embed_documents(
    documents: Sequence[Sequence[str]], embedder: Embedder
) -> list[DocumentVectors]:
    """Compute the vectors of documents, each given as the texts of its sentences, in order."""
    texts = list(chain.from_iterable(documents))
    bounds = pairwise(accumulate(map(len, documents), initial=0))
    if isinstance(embedder, TokenEmbedder):
        rows, tokens = embedder.embed_tokens(texts)
        return [
            DocumentVectors(rows[first:last], tokens.part(first, last)) for first, last in bounds
        ]
    rows = embedder.embed(texts)
    return [DocumentVectors(rows[first:last]) for first, last in bounds]


def join_documents(
    sample: Sample, made: Sequence[DocumentVectors], embedder: Embedder
) -> SampleVectors:
    """Join the vectors of a sample's documents by side; `made` is in the order of the documents."""
    rows: dict[Side, NDArray[np.float32]] = {}
    tokens: dict[Side, TokenBank] = {}
    for side in Side:
        pairs = zip(sample.documents, made, strict=True)
        own = [each for document, each in pairs if document.side is side and len(each.rows)]
        if not own:
            continue
        rows[side] = np.concatenate([each.rows for each in own])
        banks = [each.tokens for each in own if each.tokens is not None]
        if banks:
            tokens[side] = TokenBank.joined(banks)
    return SampleVectors(
        label=embedder.label,
        rows=rows,
        embedder=embedder if embedder.instant else None,
        tokens=tokens,
        axes=embedder.axes if isinstance(embedder, TokenEmbedder) else None,
        version=embedder.version,
    )


WORDS_ONLY = "words only"
NO_VECTORS = "no vectors"


@dataclass(frozen=True, slots=True)
class SampleAssist:
    """Sample prepared to find matches; `weights`: version of its weights, empty: built-in ones."""

    sample: Sample
    segments: Sequence[Sequence[Segment]]
    signals: str = WORDS_ONLY
    vectors: SampleVectors | None = None
    sides: dict[Side, SegmentIndex] = field(default_factory=dict)
    weights: str = ""

    @property
    def blind(self) -> frozenset[Side]:
        """Sides of the sample (summary or source) whose sentences have no vectors."""
        return frozenset(
            side for side in Side if side not in self.sides or self.sides[side].space is None
        )

    def match(
        self, anchor: Anchor, *, top: int | None = 5, by: Signals = Signals.FUSED
    ) -> tuple[Match, ...]:
        """Return the sentences of the other text that are related to a selection, best first.

        Args:
            top: maximum number of matches, of which only strong ones are returned; None for every
            segment.

        Raises:
            NotFound: the document of the anchor does not exist.
        """
        searched = self.sides.get(anchor.side.other)
        asked = self.query(anchor)
        if searched is None or asked is None:
            return ()
        meaning = None if by is Signals.WORDS else self.selection_vectors(asked, anchor)
        return searched.rank(asked, meaning, top=top, by=by)

    def describe_signals(self, by: Signals) -> str:
        """Return what ranks the matches of this sample, in words for the screen."""
        if by is Signals.FUSED:
            return self.signals
        if by is Signals.WORDS:
            return WORDS_ONLY
        return f"{self.vectors.label} only" if self.vectors else NO_VECTORS

    def query(self, anchor: Anchor) -> Query | None:
        """Build the search for a selection; None if the selection's sentences have no word."""
        document = self.sample.document(anchor.side, anchor.index)
        return query(document.text, self._segments(anchor.side)[anchor.index], anchor.span)

    def selection_vectors(self, asked: Query, anchor: Anchor) -> SelectionVectors | None:
        """Return the vectors of selected text; None if vectors are missing."""
        vectors = self.vectors
        own = self.sides[anchor.side]
        if vectors is None or own.space is None or anchor.side.other in self.blind:
            return None
        segments = self._segments(anchor.side)
        here = segments[anchor.index]
        at = find_touched_segments(here, asked.span)
        before = sum(map(len, segments[: anchor.index]))
        first = before + at.start
        last = before + at.stop
        if not own.space.known[first:last].any():
            return None
        if vectors.embedder:
            return blend_with_sentence(*vectors.embedder.embed([asked.selection, asked.home]))
        found = None
        if own.space.tokens is not None:
            part = own.space.tokens.part(first, last)
            starts = [here[index].start for index in at]
            found = pool_tokens(part, starts, selection=asked.span, words=asked.words)
        if found:
            axes = vectors.axes
            return found if axes is None else replace(found, vector=axes @ found.vector)
        return average_sentences(own.space.vectors[first:last])

    def _segments(self, side: Side) -> list[Sequence[Segment]]:
        return side_segments(self.sample, self.segments, side)


def side_segments(
    sample: Sample, segments: Sequence[Sequence[Segment]], side: Side
) -> list[Sequence[Segment]]:
    """Return the sentences of each document on one side; `segments` has those of all documents."""
    pairs = zip(sample.documents, segments, strict=True)
    return [own for document, own in pairs if document.side is side]


def prepare_sample(
    sample: Sample, segments: Sequence[Sequence[Segment]], vectors: SampleVectors | None = None
) -> SampleAssist:
    """Prepare a sample for finding the matches of selected text, with or without vectors."""
    sides = {
        side: SegmentIndex.of(
            [document.text for document in sample.side(side)], side_segments(sample, segments, side)
        )
        for side in Side
        if sample.side(side)
    }
    words = SampleAssist(sample, segments, sides=sides)
    return add_vectors(words, vectors) if vectors else words


def add_vectors(ready: SampleAssist, vectors: SampleVectors) -> SampleAssist:
    """Add the vectors of sentences to a sample that was prepared without vectors."""
    sample = ready.sample
    cuts = {side: side_segments(sample, ready.segments, side) for side in vectors.rows}
    made, unknown = build_spaces(vectors, cuts)
    if not made:
        return ready
    sides = {
        side: searched.with_vectors(made[side]) if side in made else searched
        for side, searched in ready.sides.items()
    }
    signals = f"words + {vectors.label}"
    if unknown:
        signals += f"; no vectors for {unknown} of {len(sample.documents)} texts"
    # The sides already contain the usable vectors.
    kept = replace(vectors, rows={}, tokens={})
    return replace(ready, signals=signals, vectors=kept, sides=sides)


def settle() -> None:
    """Exclude loaded objects from garbage collection, which would delay key presses.

    Also returns freed memory to the operating system, about 50 MB after loading vectors.
    """
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
