"""What finds related segments in one sample: memory alone, no file, no import, no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui_annotate.domain.samples import Match, Sample, Segment, Side
from tui_annotate.methods.matching import Query, Searched, blend, query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.domain.annotations import Anchor
    from tui_annotate.plugins.protocols import Embedder

WORDS_ONLY = "words only"
_MOST_UNKNOWN = 0.1
"""Share of a side's segments that may be without a vector; above it, words alone are better."""


@dataclass(frozen=True, slots=True)
class SampleAssist:
    """A sample whose two sides are ready to be searched. Threads may share it.

    Attributes:
        sample: as it was opened.
        segments: parallel to `sample.documents`.
        signals: what ranks, in words for people.
        embedder: makes a selection's vector; None for words alone.
        sides: what is searched; a side without documents is absent.
        blind: sides without vectors.
    """

    sample: Sample
    segments: Sequence[Sequence[Segment]]
    signals: str = WORDS_ONLY
    embedder: Embedder | None = None
    sides: dict[Side, Searched] = field(default_factory=dict)
    blind: frozenset[Side] = frozenset(Side)

    def match(self, anchor: Anchor, *, top: int | None = 5) -> tuple[Match, ...]:
        """The related segments of the side opposite, best first, over all its documents.

        Args:
            anchor: the selection; one without any word gives ().
            top: at most so many, and only those of some strength; None for every segment.

        Raises:
            NotFound: the anchor names a document that is not there.
        """
        searched = self.sides.get(anchor.side.other)
        asked = self.query(anchor)
        if searched is None or asked is None:
            return ()
        vector = self.vector(asked, anchor.side.other)
        cosines = None if vector is None else searched.similarities(vector)
        return searched.rank(asked, cosines, top=top)

    def query(self, anchor: Anchor) -> Query | None:
        """The selection as it is looked for; None where it and its sentences hold no word."""
        document = self.sample.document(anchor.side, anchor.index)
        return query(document.text, self._segments(anchor.side)[anchor.index], anchor.span)

    def vector(self, asked: Query, side: Side) -> NDArray[np.float32] | None:
        """The query's unit vector for a side that has vectors; None without, or if all zeros."""
        if self.embedder is None or side in self.blind:
            return None
        selection, home = self.embedder.embed([asked.selection, asked.home])
        return blend(selection, home) if selection.any() else None

    def _segments(self, side: Side) -> list[Sequence[Segment]]:
        return side_segments(self.sample, self.segments, side)


def side_segments(
    sample: Sample, segments: Sequence[Sequence[Segment]], side: Side
) -> list[Sequence[Segment]]:
    """The segments of the documents of one side, in order."""
    pairs = zip(sample.documents, segments, strict=True)
    return [own for document, own in pairs if document.side is side]


def prepared(
    sample: Sample,
    segments: Sequence[Sequence[Segment]],
    *,
    embedder: Embedder | None = None,
    vectors: Mapping[Side, NDArray[np.float32]] | None = None,
) -> SampleAssist:
    """A sample made ready.

    Args:
        vectors: one row a segment, over all documents of a side in order. A side without rows, or
            whose segments are mostly unknown to the embedder, is ranked by words alone.
    """
    rows = {side: own for side, own in (vectors or {}).items() if _is_known(own)}
    sides = {
        side: Searched(
            [document.text for document in sample.side(side)],
            side_segments(sample, segments, side),
            rows.get(side),
        )
        for side in Side
        if sample.side(side)
    }
    signals = f"words + {embedder.name} vectors" if embedder and rows else WORDS_ONLY
    return SampleAssist(
        sample, segments, signals, embedder, sides, frozenset(set(Side) - set(rows))
    )


def _is_known(rows: NDArray[np.float32]) -> bool:
    return len(rows) > 0 and float((~rows.any(axis=1)).mean()) <= _MOST_UNKNOWN
