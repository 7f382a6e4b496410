"""Vectors of documents that have none: SQL knows which, LanceDB gets them in large batches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Conflict, Unavailable
from tui_annotate.domain.samples import Segment
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins.protocols import Embedder

if TYPE_CHECKING:
    from tui_annotate.storage.corpus import CorpusStore
    from tui_annotate.storage.vectors import Row, VectorStore

NONE = "none"
AUTO = "auto"
DEFAULT = "static"
EMBEDDER = "embedder"
"""The setting that names the workspace's embedder."""
TABLE = "vectors"
"""The setting that names the table of vectors in use."""
LOOSE = "vectors_loose"
"""The setting that names a table which was written to and not yet put in order."""

ROWS = 10_000
"""Segments of one write to the table at least, but for the last."""
_TEXTS = 512
"""Segments that are embedded at a time."""

Waiting = tuple[str, str, tuple[Segment, ...]]


class Vectors:
    """Brings a workspace's vectors up to its documents.

    Args:
        stores: opens the vector store; called at the first need, as it loads LanceDB.
        load: makes an embedder by name.
        wanted: an embedder's name, `auto` or `none`.

    Raises:
        Conflict: the workspace began with another embedder.
        NotFound, Unavailable: the embedder that is asked for by name can not be had.

    Attributes:
        name: the embedder in use; `auto` until it is needed for the first time.
        embedded: documents that got vectors.
        notes: why vectors are missing, for people.
    """

    def __init__(
        self,
        corpus: CorpusStore,
        *,
        stores: Callable[[], VectorStore],
        load: Callable[[str], Embedder],
        wanted: str,
    ) -> None:
        self._corpus = corpus
        self._stores = stores
        self._load = load
        self._embedder: Embedder | None = None
        self._table = ""
        self.name = _agreed(corpus.setting(EMBEDDER), wanted)
        self.embedded = 0
        self.notes: list[str] = []
        if corpus.setting(EMBEDDER) is None and wanted not in {AUTO, NONE}:
            self._embedder = load(wanted)

    def due(self, segments: int) -> bool:
        """Whether that many new segments are worth a write."""
        return segments >= ROWS

    def catch_up(self, told: Callable[[int], None], *, documents: int = 0) -> None:
        """Embeds what has no vectors.

        Args:
            told: called with the number of documents embedded so far.
            documents: how many at most; 0 for all, then the table is put in order as well.
        """
        if not self._ready() or self._embedder is None:
            return
        try:
            self._embed(self._stores(), self._embedder, told, documents=documents)
        except Unavailable as error:  # the texts are safe, and SQL knows what is missing
            note = f"vectors are missing: {error.message}; the next ingest goes on with them"
            self.notes = [*dict.fromkeys([*self.notes, note])]

    def _embed(
        self, store: VectorStore, embedder: Embedder, told: Callable[[int], None], *, documents: int
    ) -> None:
        limit = documents or 256
        loose = self._corpus.setting(LOOSE) == self._table
        while waiting := self._corpus.unembedded(self._table, limit):
            if not loose:
                self._corpus.set_setting(LOOSE, self._table)
                loose = True
            rows = store.add(self._table, _rows(embedder, waiting))
            store.sync()
            if not self.embedded:
                # By now half a million objects of libraries live, and will not die: a full
                # collection took 200 ms, at times with the store's lock held.
                gc.freeze()
            self._corpus.mark_embedded(self._table, [name for name, _, _ in waiting])
            self.embedded += len(waiting)
            told(self.embedded)
            if documents:
                return
            limit = min(max(len(waiting) * ROWS // max(rows, 1), 16), 4096)
        if loose:
            store.optimize(self._table)
            self._corpus.set_setting(LOOSE, "")

    def _ready(self) -> bool:
        """Whether there is an embedder and a table for it; notes why not."""
        if self._table:
            return True
        if self.name == NONE:
            self._keep(NONE, "")
            return False
        kept = self._corpus.setting(TABLE)
        idle = kept and self._corpus.setting(LOOSE) != kept
        if kept and idle and not self._corpus.unembedded(kept, 1):
            return False  # nothing to do, so nothing heavy is loaded
        try:
            self._embedder = self._embedder or self._load(
                DEFAULT if self.name == AUTO else self.name
            )
        except Unavailable as error:
            if self.name == AUTO:
                self.name = NONE
                self._keep(NONE, "")
            self.notes.append(f"no vectors: {error.message}")
            return False
        self.name = self._embedder.name
        table = self._stores().table_name(self._embedder.name, self._embedder.version, SEGMENTER)
        if kept and kept != table:
            self.notes.append(
                "new documents have no vectors yet, as embedder or segmenter are of another "
                "version: tui-annotate index rebuild"
            )
            return False
        self._keep(self.name, table)
        self._table = table
        return True

    def _keep(self, name: str, table: str) -> None:
        if self._corpus.setting(EMBEDDER) != name or (self._corpus.setting(TABLE) or "") != table:
            self._corpus.set_setting(TABLE, table)
            self._corpus.set_setting(EMBEDDER, name)


def rebuild(
    corpus: CorpusStore,
    *,
    stores: Callable[[], VectorStore],
    load: Callable[[str], Embedder],
    wanted: str,
    told: Callable[[int], None],
) -> Vectors:
    """Makes all vectors anew, with the workspace's embedder or another."""
    before = corpus.setting(TABLE) or ""
    name = wanted if wanted != AUTO else corpus.setting(EMBEDDER) or AUTO
    embedder = None if name == NONE else load(DEFAULT if name == AUTO else name)
    store = stores()
    table = ""
    if embedder is not None:
        table = store.table_name(embedder.name, embedder.version, SEGMENTER)
        corpus.forget_embedded(table)
        store.drop(table)
    if before and before != table:
        corpus.forget_embedded(before)
    corpus.set_setting(TABLE, table)
    corpus.set_setting(EMBEDDER, embedder.name if embedder else NONE)
    if before and before != table:
        store.drop(before)
    vectors = Vectors(corpus, stores=stores, load=load, wanted=AUTO)
    vectors.catch_up(told)
    return vectors


def _agreed(kept: str | None, wanted: str) -> str:
    if kept is not None and wanted not in {AUTO, kept}:
        raise Conflict(
            f"the workspace's embedder is {kept!r}, not {wanted!r}",
            f"to change it: tui-annotate index rebuild --embedder {wanted}",
        )
    return kept or wanted


def _rows(embedder: Embedder, waiting: Sequence[Waiting]) -> Iterator[Row]:
    """(hash, segment, start, end, vector) of every segment of some documents."""
    places = [
        (name, index, segment, text)
        for name, text, segments in waiting
        for index, segment in enumerate(segments)
    ]
    for first in range(0, len(places), _TEXTS):
        part = places[first : first + _TEXTS]
        vectors = embedder.embed([text[segment.start : segment.end] for *_, segment, text in part])
        for (name, index, segment, _), vector in zip(part, vectors, strict=True):
            yield name, index, segment.start, segment.end, vector
