"""Prepares samples for the assist out of the stores; refuses vectors of other versions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import Match, Sample, SampleKey, Segment, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.services.assist.sample import (
    SampleAssist,
    prepared,
    side_segments,
    with_vectors,
)
from tui_annotate.services.assist.vectors import SampleVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore

Segments = Sequence[Sequence[Segment]]
_Kept = TypeVar("_Kept", "NDArray[np.float32]", TokenBank)


@dataclass(frozen=True, slots=True)
class Found:
    """What the assist found, and the signals that ranked it, in words for people."""

    matches: tuple[Match, ...]
    signals: str


@dataclass(frozen=True, slots=True)
class Matched:
    """What the assist found for a span.

    Attributes:
        text: under the span.
        matches: of the other side, the best first.
        signals: what ranked them, in words.
    """

    sample: Sample
    text: str
    matches: tuple[Match, ...]
    signals: str


class Assist:
    """Finds the segments that belong to a selection. Threads may share it.

    Args:
        corpus: says which vectors are in use.
        vectors: gives the vector store; called where vectors are asked for, as it may load much.
        load: makes an embedder by name; asked for those alone that embed selections at once.
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
        self._axes: dict[str, NDArray[np.float32]] = {}
        self._lock = threading.Lock()

    def prepare(
        self,
        sample: Sample,
        segments: Segments,
        *,
        vectors: bool,
        words: SampleAssist | None = None,
    ) -> SampleAssist:
        """A sample made ready for selections.

        Args:
            segments: as stored, parallel to `sample.documents`.
            vectors: whether to fetch the vectors too; without them it is quick, and ranks by words.
            words: the same sample made ready before; its words are not counted again.

        Raises:
            Unavailable: vectors were asked for and can not be had, or know too little of these
                texts; the message says why.
        """
        ready = words or prepared(sample, segments)
        if not vectors:
            return ready
        used = self._in_use()
        full = with_vectors(ready, self._fetched(used, sample, segments))
        if full.blind & full.sides.keys():
            raise Unavailable(f"{used.label} lacks these words", "words find what they can")
        return full

    def match(
        self,
        sample: Sample,
        segments: Segments,
        anchor: Anchor,
        *,
        top: int | None = 5,
        by: Signals = Signals.FUSED,
    ) -> Found:
        """The same ranking as on the screen; the vectors are searched by LanceDB itself.

        Args:
            by: as `SampleAssist.match` takes it; words alone need no vector store.

        Raises:
            NotFound: the anchor names a document that is not there.
        """
        reason = ""
        try:
            ready = self.prepare(sample, segments, vectors=by is not Signals.WORDS)
        except Unavailable as error:
            ready, reason = self.prepare(sample, segments, vectors=False), f": {error.message}"
        told = ready.told(by) + reason
        side = anchor.side.other
        asked = ready.query(anchor)
        meaning = ready.meaning(asked, anchor) if asked else None
        if asked is None or meaning is None or side not in ready.sides:
            return Found(ready.match(anchor, top=top, by=by), told)
        names = [document.sha256 for document in sample.side(side)]
        cosines = self._searched(names, side_segments(sample, segments, side), meaning.vector)
        return Found(ready.sides[side].rank(asked, meaning, cosines=cosines, top=top, by=by), told)

    def find(
        self,
        key: SampleKey,
        *,
        side: Side,
        span: Span,
        document: str = "",
        top: int = 5,
        by: Signals = Signals.FUSED,
    ) -> Matched:
        """What `match` finds for a span of a stored sample.

        Args:
            side: where the span lies.
            document: key of the document of that side; needed where it has several.

        Raises:
            NotFound: there is no such sample or document.
            InvalidInput: the side has several documents, and none is named.
            InvalidSpan: the span is outside the document.
        """
        stored = self._corpus.sample(key)
        index = stored.sample.index(side, document)
        text = span.of(stored.sample.document(side, index).text)
        anchor = Anchor(side, index, span)
        found = self.match(stored.sample, stored.segments, anchor, top=top, by=by)
        return Matched(stored.sample, text, found.matches, found.signals)

    def _searched(
        self, names: Sequence[str], segments: Segments, vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The cosine of each segment of some documents, as LanceDB's filtered search tells it."""
        import numpy as np

        table = self._in_use().table
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

    def _in_use(self) -> VectorSet:
        used = self._corpus.vector_set()
        if used is None:
            raise Unavailable(
                "this workspace has no vectors", f"{self._vectors().command()} --embedder static"
            )
        if used.segmenter not in {SEGMENTER, ""}:  # older stores do not say; see `_is_of`
            raise self._of_another_version("the segmenter")
        return used

    def embedder(self, used: VectorSet) -> Embedder | None:
        """What embeds selections at once; None where what is stored stands in for it.

        Raises:
            Unavailable: it can not be had, or its vectors are others than those of the set.
        """
        if not used.instant:
            return None
        with self._lock:
            if used.embedder not in self._embedders:
                self._embedders[used.embedder] = self._load(used.embedder)
            embedder = self._embedders[used.embedder]
        if not _is_of(used, embedder):
            raise self._of_another_version(used.label)
        return embedder

    def _fetched(self, used: VectorSet, sample: Sample, segments: Segments) -> SampleVectors:
        """The vectors of the segments of each side that has documents, their tokens too."""
        import numpy as np

        embedder = self.embedder(used)
        store = self._vectors()
        names = [document.sha256 for document in sample.documents]
        rows = self._by_side(sample, segments, store.fetch(used.table, names))
        whole = {side: np.concatenate(own) for side, own in rows.items()}
        if not used.token_dimensions:
            return SampleVectors(used.label, whole, embedder, version=used.version)
        tokens = self._by_side(sample, segments, store.fetch_tokens(used.table, names))
        banks = {side: TokenBank.joined(own) for side, own in tokens.items()}
        if used.table not in self._axes:
            self._axes[used.table] = store.fetch_axes(used.table)
        axes = self._axes[used.table]
        return SampleVectors(used.label, whole, embedder, banks, axes, used.version)

    def _by_side(
        self, sample: Sample, segments: Segments, kept: Mapping[str, _Kept]
    ) -> dict[Side, list[_Kept]]:
        """What is kept of each document of the sides that have some.

        Raises:
            Unavailable: there is nothing of a document, or of other segments.
        """
        for document, own in zip(sample.documents, segments, strict=True):
            if document.sha256 not in kept or len(kept[document.sha256]) != len(own):
                raise Unavailable("this sample has no vectors yet", self._vectors().command())
        return {
            side: [kept[document.sha256] for document in sample.side(side)]
            for side in Side
            if sample.side(side)
        }

    def _of_another_version(self, of: str) -> Unavailable:
        told = f"the stored vectors are of another version of {of}"
        return Unavailable(told, self._vectors().command())


def _is_of(used: VectorSet, embedder: Embedder) -> bool:
    """Whether an embedder made a set; where an older store does not say, the table's name does."""
    from tui_annotate.storage.vectors.store import is_of

    if used.version:
        return used.version == embedder.version
    made = {"embedder": embedder.name, "version": embedder.version, "segmenter": SEGMENTER}
    return is_of(used.table, **made)
