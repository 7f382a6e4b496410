"""Prepares samples for the assist out of the stores; refuses vectors of other versions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import Match, Sample, Segment, Side
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.services.assist.sample import WORDS_ONLY, SampleAssist, prepared, side_segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.domain.annotations import Anchor
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.storage.corpus import CorpusStore
    from tui_annotate.storage.vectors import VectorStore

_REBUILD = "tui-annotate index rebuild"

Segments = Sequence[Sequence[Segment]]


@dataclass(frozen=True, slots=True)
class Found:
    """What the assist found, and the signals that ranked it, in words for people."""

    matches: tuple[Match, ...]
    signals: str


class Assist:
    """Finds the segments that belong to a selection. Threads may share it.

    Args:
        corpus: says which embedder and which table of vectors are in use.
        vectors: gives the vector store; called where vectors are asked for, as it may load much.
        load: makes an embedder by name.
    """

    def __init__(
        self,
        corpus: CorpusStore,
        *,
        vectors: Callable[[], VectorStore],
        load: Callable[[str], Embedder],
    ) -> None:
        self._corpus = corpus
        self._vectors = vectors
        self._load = load
        self._embedders: dict[str, Embedder] = {}
        self._lock = threading.Lock()

    def prepare(self, sample: Sample, segments: Segments, *, vectors: bool) -> SampleAssist:
        """A sample made ready for selections.

        Args:
            segments: as stored, parallel to `sample.documents`.
            vectors: whether to fetch the vectors too; without them it is quick, and ranks by words.

        Raises:
            Unavailable: vectors were asked for and can not be had, or know too little of these
                texts; the message says why.
        """
        if not vectors:
            return prepared(sample, segments)
        embedder, table = self._in_use()
        rows = self._rows(table, sample, segments)
        ready = prepared(sample, segments, embedder=embedder, vectors=rows)
        if ready.blind == frozenset(Side):
            raise Unavailable(
                f"{embedder.name} vectors lack these words",
                "words find what they can",
            )
        return ready

    def match(
        self, sample: Sample, segments: Segments, anchor: Anchor, *, top: int | None = 5
    ) -> Found:
        """The same ranking as on the screen; the vectors are searched by LanceDB itself.

        Raises:
            NotFound: the anchor names a document that is not there.
        """
        try:
            ready = self.prepare(sample, segments, vectors=True)
        except Unavailable as error:
            words = self.prepare(sample, segments, vectors=False)
            return Found(words.match(anchor, top=top), f"{WORDS_ONLY}: {error.message}")
        side = anchor.side.other
        asked = ready.query(anchor)
        vector = ready.vector(asked, side) if asked else None
        if asked is None or vector is None or side not in ready.sides:
            return Found(ready.match(anchor, top=top), ready.signals)
        names = [document.sha256 for document in sample.side(side)]
        cosines = self._searched(names, side_segments(sample, segments, side), vector)
        return Found(ready.sides[side].rank(asked, cosines, top=top), ready.signals)

    def _searched(
        self, names: Sequence[str], segments: Segments, vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The cosine of each segment of some documents, as LanceDB's filtered search tells it."""
        import numpy as np

        _, table = self._in_use()
        nearest = self._vectors().search(table, names, vector, top=sum(map(len, segments)))
        found = {(name, index): cosine for name, index, cosine in nearest}
        return np.array(
            [
                found.get((name, index), 0.0)
                for name, own in zip(names, segments, strict=True)
                for index in range(len(own))
            ],
            np.float32,
        )

    def _in_use(self) -> tuple[Embedder, str]:
        """The workspace's embedder, and the table that holds its vectors."""
        name, table = self._corpus.setting("embedder"), self._corpus.setting("vectors")
        if not name or not table:
            raise Unavailable("this workspace has no vectors", f"{_REBUILD} --embedder static")
        with self._lock:
            if name not in self._embedders:
                self._embedders[name] = self._load(name)
            embedder = self._embedders[name]
        if self._vectors().table_name(embedder.name, embedder.version, SEGMENTER) != table:
            raise Unavailable(
                f"the stored vectors are of another version of {name} or of the segmenter",
                _REBUILD,
            )
        return embedder, table

    def _rows(
        self, table: str, sample: Sample, segments: Segments
    ) -> dict[Side, NDArray[np.float32]]:
        """The vectors of the segments of each side that has documents."""
        import numpy as np

        kept = self._vectors().fetch(table, [document.sha256 for document in sample.documents])
        rows: dict[Side, NDArray[np.float32]] = {}
        for side in Side:
            documents = sample.side(side)
            for document, own in zip(documents, side_segments(sample, segments, side), strict=True):
                if len(kept.get(document.sha256, ())) != len(own):
                    raise Unavailable("this sample has no vectors yet", _REBUILD)
            if documents:
                rows[side] = np.concatenate([kept[document.sha256] for document in documents])
        return rows
