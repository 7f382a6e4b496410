"""Computes the vectors of sentences that have none yet, in groups of whole documents."""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from time import monotonic
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.plugins.protocols import CostlyEmbedder, Embedder, TokenEmbedder
from tui_annotate.storage.batches import split_batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import Row, VectorStore

QUICK_ROWS = 10_000
SLOW_ROWS = 2_048
"""Number of sentences whose vectors a slow embedder computes before they are stored."""
_QUICK_TEXTS = 512
SLOW_TEXTS = 256
"""Number of sentences between two reports of progress: a few seconds of a neural model."""
_FIRST_DOCUMENTS = 4
"""Number of documents in the first batch, from which the speed of the embedder is measured."""
_FIRST_SECONDS = 1.0
"""Time for which the second batch is planned; each later batch is planned for twice the time."""
_MAX_DOCUMENTS = 4_096
_MIN_COSINE = 0.98
"""Minimum cosine of the stored and the new vector of a text; if lower, the model has changed."""

Waiting = tuple[str, str, tuple[Segment, ...]]
EmbeddingProgress = Callable[[int, float, str], None]
"""Function called with the progress of the computation of vectors.

Arguments: number of embedded documents, fraction of embedded segments in [0, 1], host to which the
embedder sends texts (empty for none).
"""
VectorSetCallback = Callable[[VectorSet], None]


@dataclass(frozen=True, slots=True)
class FailedSentence:
    """A sentence for which an embedder failed: its document's hash, its segment, and the error."""

    document: str
    segment: Segment
    reason: str


def clean_up(corpus: CorpusStore, store: VectorStore, table: str) -> None:
    """Remove the vectors of documents that are no longer stored."""
    with store.writing():  # no other process adds a document between both steps
        store.discard(table, corpus.forget_removed_documents(table))
    store.optimize(table)
    corpus.set_loose(table, loose=False)


@dataclass(slots=True)
class EmbedJob:
    """Computes all missing vectors.

    Attributes:
        documents: number of documents whose vectors were computed completely.
        unknown_documents: number of documents without a word that the model knows.
        failed: the sentences for which the embedder failed. The vectors of their documents' other
            sentences are stored, and the next run computes only the missing ones.
    """

    corpus: CorpusStore
    store: VectorStore
    embedder: Embedder
    target: VectorSet
    report_progress: EmbeddingProgress
    on_first_vectors: VectorSetCallback
    documents: int = 0
    unknown_documents: int = 0
    failed: list[FailedSentence] = field(default_factory=list)
    _segments: int = 0
    _total: int = 0
    _loose: bool = field(default=False)

    def all(self) -> None:
        """Compute and store the vectors of all documents without vectors, batch by batch.

        A run that ends early keeps the batches that it stored.

        Raises:
            Unavailable: the embedder or the store failed, or the model has changed.
        """
        table = self.target.table
        _, left = self.corpus.waiting(table)
        self._total = self._segments + left
        if left and isinstance(self.embedder, CostlyEmbedder):
            self._report_progress(self.documents)
            self._check_model()
        limit = _FIRST_DOCUMENTS
        planned = _FIRST_SECONDS
        while waiting := self._next_documents(limit):
            began = monotonic()
            for group in split_batches(waiting, self._rows, weight=lambda each: len(each[2])):
                self._write(group)
            segments = max(sum(len(own) for _, _, own in waiting), 1)
            rows = self._rows
            if not isinstance(self.embedder, CostlyEmbedder):  # its requests are priced by rows
                # Small batches first: a process that ends early keeps about half of its work.
                rows = min(rows, round(segments / max(monotonic() - began, 0.001) * planned))
            limit = min(max(len(waiting) * rows // segments, 1), _MAX_DOCUMENTS)
            planned *= 2
        if self._loose or self.corpus.is_loose(table):
            clean_up(self.corpus, self.store, table)
            self._loose = False
        dimensions = self.embedder.dimensions  # an endpoint reports them with its first vectors
        if dimensions and dimensions != self.target.dimensions:
            self.target = replace(self.target, dimensions=dimensions)
            self.corpus.keep_vector_set(self.target)

    def _next_documents(self, limit: int) -> list[Waiting]:
        failed = {each.document for each in self.failed}
        return self.corpus.unembedded(self.target.table, limit, without=failed)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the user should know of the vectors: documents without a word known to the model."""
        if not self.unknown_documents:
            return ()
        texts = format_count(self.unknown_documents, "text")
        model = self.target.label
        why = f"the model {model} does not know their words"
        return (f"matches are lexical (words only) in {texts}: {why}",)

    @property
    def _rows(self) -> int:
        return QUICK_ROWS if self.embedder.instant else SLOW_ROWS

    @property
    def _texts_at_once(self) -> int:
        if isinstance(self.embedder, CostlyEmbedder):
            return SLOW_ROWS  # smaller pieces would need more requests than the price states
        return _QUICK_TEXTS if self.embedder.instant else SLOW_TEXTS

    def _write(self, group: Sequence[Waiting]) -> None:
        table = self.target.table
        vectors, banks = self._embed_group(group)
        if vectors:
            self._set_dimensions(vectors[0].shape[1])
        with self.store.writing():  # a concurrent cleanup must not see a set without its table
            if not self._loose:
                self.on_first_vectors(self.target)
                self.corpus.set_loose(table, loose=True)
                self._loose = True
            if vectors:
                self._store_vectors(group, vectors, banks)
        failed = {each.document for each in self.failed}
        complete = [name for name, _, _ in group if name not in failed]
        unknown = list_unknown_documents(_known_segments(group, vectors)) - failed
        # A document with a sentence that failed stays listed as missing, for the next run.
        self.corpus.mark_embedded(table, complete, unknown=unknown)
        self.documents += len(complete)
        self.unknown_documents += len(unknown)
        self._report_progress(self.documents)

    def _check_model(self) -> None:
        """Compute a stored vector again; Unavailable if it differs, as the model is another one."""
        known = self.corpus.find_embedded_document(self.target.table)
        if known is None or not known[2]:
            return
        name, text, segments = known
        at = max(range(len(segments)), key=lambda at: segments[at].end - segments[at].start)
        stored = self.store.fetch(self.target.table, [name]).get(name)
        (asked,) = self.embedder.embed([text[slice(*segments[at])]])
        if stored is None or not stored[at].any():
            return
        self._set_dimensions(len(asked))
        alike = float(stored[at] @ asked)
        if alike < _MIN_COSINE:
            raise Unavailable(
                f"the model of {self.target.embedder} has changed: its vectors differ from the"
                f" stored ones (cosine {alike:.2f})",
                f"compute all vectors again with: {self.store.command()}",
            )

    def _set_dimensions(self, dimensions: int) -> None:
        """Set the dimensions of the target, or raise Unavailable if it has others."""
        if self.target.dimensions == dimensions:
            return
        if self.target.dimensions:
            raise Unavailable(
                f"the model of {self.target.embedder} has changed: its vectors have"
                f" {dimensions:,} dimensions, not {self.target.dimensions:,}",
                f"compute all vectors again with: {self.store.command()}",
            )
        self.target = replace(self.target, dimensions=dimensions)

    def _store_vectors(
        self,
        group: Sequence[Waiting],
        vectors: Sequence[NDArray[np.float32]],
        banks: Sequence[TokenBank],
    ) -> None:
        table = self.target.table
        self.store.add(table, _rows(group, vectors))
        if isinstance(self.embedder, TokenEmbedder):
            named = zip((name for name, _, _ in group), banks, strict=True)
            self.store.add_tokens(table, named, axes=self.embedder.axes)
        if not self.documents:
            # At this point half a million objects of libraries are alive and stay alive: a full
            # garbage collection took 200 ms, sometimes with the store's lock held.
            gc.freeze()

    def _embed_group(
        self, group: Sequence[Waiting]
    ) -> tuple[list[NDArray[np.float32]], list[TokenBank]]:
        places = [(name, each) for name, _, segments in group for each in segments]
        texts = [text[start:end] for _, text, segments in group for start, end in segments]
        ends = list(accumulate(len(segments) for _, _, segments in group))
        size = self._texts_at_once
        vectors: list[NDArray[np.float32]] = []
        banks: list[TokenBank] = []
        known = self._stored_vectors(group)
        for first in range(0, len(texts), size):
            part = texts[first : first + size]
            if isinstance(self.embedder, TokenEmbedder):
                made, bank = self.embedder.embed_tokens(part)
                banks.append(bank)
                self._note_failed(part, places[first : first + size])
            elif known is not None:
                made = self._complete(
                    part, places[first : first + size], known[first : first + size]
                )
            else:
                made = self.embedder.embed(part)
                self._note_failed(part, places[first : first + size])
            vectors.append(made)
            self._segments += len(part)
            self._report_progress(self.documents + bisect_right(ends, first + len(part)))
        return vectors, _split_by_document(group, banks) if banks else []

    def _stored_vectors(self, group: Sequence[Waiting]) -> NDArray[np.float32] | None:
        """Return the vectors of a group that are stored, with zeros for others; None without any.

        They are of documents of which a sentence failed before. Only vectors that cost something
        are looked up.
        """
        import numpy as np

        table = self.target.table
        dimensions = self.target.dimensions
        if not isinstance(self.embedder, CostlyEmbedder) or table not in self.store.tables():
            return None
        stored = self.store.fetch(table, [name for name, _, _ in group])
        if not stored:
            return None
        rows = [
            stored[name]
            if name in stored and stored[name].shape == (len(segments), dimensions)
            else np.zeros((len(segments), dimensions), np.float32)
            for name, _, segments in group
        ]
        return np.concatenate(rows)

    def _complete(
        self,
        texts: Sequence[str],
        places: Sequence[tuple[str, Segment]],
        known: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Return the known vectors of texts, and new ones for those that are zero."""
        missing = [at for at, vector in enumerate(known) if not vector.any()]
        rows = known.copy()
        if missing:
            wanted = [texts[at] for at in missing]
            made = self.embedder.embed(wanted)
            self._set_dimensions(made.shape[1])
            self._note_failed(wanted, [places[at] for at in missing])
            rows[missing] = made
        return rows

    def _note_failed(self, texts: Sequence[str], places: Sequence[tuple[str, Segment]]) -> None:
        failed = getattr(self.embedder, "failed", None) or {}
        self.failed += [
            FailedSentence(document, segment, str(failed[text]))
            for text, (document, segment) in zip(texts, places, strict=True)
            if text in failed
        ]

    def _report_progress(self, documents: int) -> None:
        self.report_progress(
            documents,
            min(self._segments / self._total, 1.0) if self._total else 1.0,
            str(getattr(self.embedder, "host", "")),
        )


def _rows(group: Sequence[Waiting], vectors: Sequence[NDArray[np.float32]]) -> Iterator[Row]:
    """Yield (document hash, sentence index, start, end, vector) for each sentence of documents."""
    rows = (row for part in vectors for row in part)
    for name, _, segments in group:
        for index, (segment, vector) in enumerate(zip(segments, rows, strict=False)):
            yield name, index, segment.start, segment.end, vector


def list_unknown_documents(
    documents: Iterable[tuple[str, Sequence[Segment], NDArray[np.bool_]]],
) -> set[str]:
    """Return the hashes of documents of which too few sentences have vectors."""
    from tui_annotate.methods.selection_vectors import has_enough_vectors

    return {
        name
        for name, segments, known in documents
        if not has_enough_vectors(known, [segment.end - segment.start for segment in segments])
    }


def _known_segments(
    group: Sequence[Waiting], vectors: Sequence[NDArray[np.float32]]
) -> Iterator[tuple[str, Sequence[Segment], NDArray[np.bool_]]]:
    import numpy as np

    known = np.concatenate([np.zeros(0, np.bool_), *(part.any(axis=1) for part in vectors)])
    for (name, _, segments), (first, last) in zip(group, _row_ranges(group), strict=True):
        yield name, segments, known[first:last]


def _split_by_document(group: Sequence[Waiting], banks: Sequence[TokenBank]) -> list[TokenBank]:
    whole = banks[0].joined(banks)
    return [whole.part(first, last) for first, last in _row_ranges(group)]


def _row_ranges(group: Sequence[Waiting]) -> Iterator[tuple[int, int]]:
    """Yield the rows (first, end) of each document in an array of several documents' vectors."""
    return pairwise(accumulate((len(segments) for _, _, segments in group), initial=0))
