"""Finds the matches of selected text in stored samples; refuses outdated vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import UNKNOWN_WORDS, NotAllowed, Unavailable, VectorsPending
from tui_annotate.domain.samples import Match, Sample, SampleKey, Segment, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.services.assist.sample import (
    SampleAssist,
    SampleVectors,
    add_vectors,
    prepare_sample,
    side_segments,
)
from tui_annotate.services.assist.weights import use_weights, weights_in_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore

Segments = Sequence[Sequence[Segment]]
_Kept = TypeVar("_Kept", "NDArray[np.float32]", TokenBank)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Matches of a selection, best first; `signals` names what ranked them."""

    matches: tuple[Match, ...]
    signals: str


@dataclass(frozen=True, slots=True)
class SpanMatches:
    """Matches of a selected span (related sentences of the other text), best first."""

    sample: Sample
    text: str
    matches: tuple[Match, ...]
    signals: str


@dataclass(frozen=True, eq=False)
class AssistService:
    """Finds the sentences related to a selected span; safe to share between threads.

    `vectors` opens the vector store; `load` loads an embedder if it is fast enough.
    """

    corpus: CorpusStore
    vectors: Callable[[], VectorStore]
    load: Callable[[str], Embedder]
    _embedders: dict[str, Embedder] = field(default_factory=dict)
    _axes: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def prepare(
        self,
        sample: Sample,
        segments: Segments,
        *,
        vectors: bool,
        words: SampleAssist | None = None,
    ) -> SampleAssist:
        """Prepare a sample, so that the matches of selected text are found quickly.

        Args:
            vectors: whether to load vectors; else preparation is fast and only words are compared.
            words: the same sample as prepared before; its word counts are reused.

        Raises:
            VectorsPending: the vectors of the sample are not computed yet.
            Unavailable: vectors are missing, or the model does not know the words of these texts.
        """
        ready = use_weights(words or prepare_sample(sample, segments), weights_in_use(self.corpus))
        if not vectors:
            return ready
        used = self._vector_set_in_use()
        full = add_vectors(ready, self._fetch_vectors(used, sample, segments))
        if full.blind & full.sides.keys():
            raise Unavailable(
                f"the model {used.label} does not know the words of these texts",
                "use the lexical ranking (words only)",
                code=UNKNOWN_WORDS,
            )
        return full

    def prepare_available(
        self, sample: Sample, segments: Segments, *, vectors: bool
    ) -> tuple[SampleAssist, str]:
        """Prepare a sample; if it has no vectors, also return the reason, after a colon."""
        try:
            return self.prepare(sample, segments, vectors=vectors), ""
        except (Unavailable, NotAllowed) as error:
            return self.prepare(sample, segments, vectors=False), f": {error.message}"

    def match(
        self,
        sample: Sample,
        segments: Segments,
        anchor: Anchor,
        *,
        top: int | None = 5,
        by: Signals = Signals.FUSED,
    ) -> SearchResult:
        """Return the matches of selected text, the same as the screen would show.

        A lexical ranking (words only) needs no vector store.

        Raises:
            NotFound: the document of the anchor does not exist.
        """
        ready, reason = self.prepare_available(sample, segments, vectors=by is not Signals.WORDS)
        signals = ready.describe_signals(by) + reason
        side = anchor.side.other
        asked = ready.query(anchor)
        meaning = ready.selection_vectors(asked, anchor) if asked else None
        if asked is None or meaning is None or side not in ready.sides:
            return SearchResult(ready.match(anchor, top=top, by=by), signals)
        names = [document.sha256 for document in sample.side(side)]
        cosines = self._search_cosines(names, side_segments(sample, segments, side), meaning.vector)
        return SearchResult(
            ready.sides[side].rank(asked, meaning, cosines=cosines, top=top, by=by), signals
        )

    def find(
        self,
        key: SampleKey,
        *,
        side: Side,
        span: Span,
        document: str = "",
        top: int = 5,
        by: Signals = Signals.FUSED,
    ) -> SpanMatches:
        """Return the matches of a span: related sentences of the other text, best first.

        Raises:
            NotFound: the sample or document does not exist.
            InvalidInput: the side has several documents, and none is named.
            InvalidSpan: the span is outside the document.
        """
        stored = self.corpus.sample(key)
        index = stored.sample.index(side, document)
        text = span.of(stored.sample.document(side, index).text)
        anchor = Anchor(side, index, span)
        found = self.match(stored.sample, stored.segments, anchor, top=top, by=by)
        return SpanMatches(stored.sample, text, found.matches, found.signals)

    def _search_cosines(
        self, names: Sequence[str], segments: Segments, vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        table = self._vector_set_in_use().table
        nearest = self.vectors().search(table, names, vector, top=sum(map(len, segments)))
        found = {(name, index): cosine for name, index, cosine in nearest}
        places = (
            (name, index)
            for name, own in zip(names, segments, strict=True)
            for index in range(len(own))
        )
        return np.array([found.get(place, 0.0) for place in places], np.float32)

    def _vector_set_in_use(self) -> VectorSet:
        used = self.corpus.vector_set()
        if used is None and not self.corpus.vectors_decided():
            raise self._pending_error("")
        if used is None:
            raise Unavailable(
                "this workspace has no vectors",
                f"compute vectors with: {self.vectors().command()} --embedder static",
            )
        if used.segmenter not in {SEGMENTER, ""}:  # older databases do not store it; see `_made_by`
            raise self._version_error("the segmenter")
        return used

    def embedder(self, used: VectorSet) -> Embedder | None:
        """Return the embedder for selected text; None if the embedder is too slow for this.

        Raises:
            Unavailable: the embedder cannot be loaded, or its version is not that of the vectors.
        """
        if not used.instant:
            return None
        with self._lock:
            if used.embedder not in self._embedders:
                self._embedders[used.embedder] = self.load(used.embedder)
            embedder = self._embedders[used.embedder]
        if not _made_by(used, embedder):
            raise self._version_error(used.label)
        return embedder

    def _fetch_vectors(self, used: VectorSet, sample: Sample, segments: Segments) -> SampleVectors:
        embedder = self.embedder(used)
        try:
            return self._read_vectors(used, sample, segments, embedder=embedder)
        except Unavailable as error:
            # The first vectors of a set are written after the set is in use.
            if isinstance(error, VectorsPending) or self.corpus.find_embedded_document(used.table):
                raise
            raise self._pending_error(used.table) from error

    def _read_vectors(
        self, used: VectorSet, sample: Sample, segments: Segments, *, embedder: Embedder | None
    ) -> SampleVectors:
        store = self.vectors()
        names = [document.sha256 for document in sample.documents]
        rows = self._group_by_side(sample, segments, store.fetch(used.table, names))
        whole = {side: np.concatenate(own) for side, own in rows.items()}
        if not used.token_dimensions:
            return SampleVectors(
                label=used.label, rows=whole, embedder=embedder, version=used.version
            )
        tokens = self._group_by_side(sample, segments, store.fetch_tokens(used.table, names))
        banks = {side: TokenBank.joined(own) for side, own in tokens.items()}
        if used.table not in self._axes:
            self._axes[used.table] = store.fetch_axes(used.table)
        return SampleVectors(
            label=used.label,
            rows=whole,
            embedder=embedder,
            tokens=banks,
            axes=self._axes[used.table],
            version=used.version,
        )

    def _group_by_side(
        self, sample: Sample, segments: Segments, kept: Mapping[str, _Kept]
    ) -> dict[Side, list[_Kept]]:
        for document, own in zip(sample.documents, segments, strict=True):
            if document.sha256 not in kept or len(kept[document.sha256]) != len(own):
                raise self._pending_error(self._vector_set_in_use().table)
        return {
            side: [kept[document.sha256] for document in sample.side(side)]
            for side in Side
            if sample.side(side)
        }

    def _pending_error(self, table: str) -> VectorsPending:
        embedded, _ = self.corpus.embedded(table)
        waiting, _ = self.corpus.waiting(table)
        percent = min(100 * embedded // max(embedded + waiting, 1), 99)
        hint = (
            f"compute the vectors with: {self.vectors().command('lab vectors rebuild --missing')}"
        )
        return VectorsPending(percent, hint)

    def _version_error(self, of: str) -> Unavailable:
        message = f"the stored vectors were computed with a different version of {of}"
        return Unavailable(message, f"compute the vectors again with: {self.vectors().command()}")


def _made_by(used: VectorSet, embedder: Embedder) -> bool:
    from tui_annotate.storage.vectors.store import is_table_of

    if used.version:
        return used.version == embedder.version
    made = {"embedder": embedder.name, "version": embedder.version, "segmenter": SEGMENTER}
    return is_table_of(used.table, **made)
