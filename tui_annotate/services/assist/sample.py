"""What finds related segments in one sample: memory alone, no file, no import, no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tui_annotate.domain.samples import Match, Sample, Segment, Side, Signals
from tui_annotate.methods.matching import Query, Searched, query, touched
from tui_annotate.methods.meaning import Meaning, blended, in_context, of_sentences
from tui_annotate.services.assist.vectors import SampleVectors, spaces

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import Anchor

WORDS_ONLY = "words only"
NO_VECTORS = "no vectors"


@dataclass(frozen=True, slots=True)
class SampleAssist:
    """A sample whose two sides are ready to be searched. Threads may share it.

    Attributes:
        sample: as it was opened.
        segments: parallel to `sample.documents`.
        signals: what ranks, in words for people.
        vectors: what gives a selection its own; None without any.
        sides: what is searched; a side without documents is absent.
    """

    sample: Sample
    segments: Sequence[Sequence[Segment]]
    signals: str = WORDS_ONLY
    vectors: SampleVectors | None = None
    sides: dict[Side, Searched] = field(default_factory=dict)

    @property
    def blind(self) -> frozenset[Side]:
        """The sides without vectors."""
        return frozenset(
            side for side in Side if side not in self.sides or self.sides[side].space is None
        )

    def match(
        self, anchor: Anchor, *, top: int | None = 5, by: Signals = Signals.FUSED
    ) -> tuple[Match, ...]:
        """The related segments of the side opposite, best first, over all its documents.

        Args:
            anchor: the selection; one without any word gives ().
            top: at most so many, and only those of some strength; None for every segment.
            by: what ranks; by vectors, where there are none, nothing is found.

        Raises:
            NotFound: the anchor names a document that is not there.
        """
        searched = self.sides.get(anchor.side.other)
        asked = self.query(anchor)
        if searched is None or asked is None:
            return ()
        meaning = None if by is Signals.WORDS else self.meaning(asked, anchor)
        return searched.rank(asked, meaning, top=top, by=by)

    def told(self, by: Signals) -> str:
        """What ranks when asked for by these signals, in words for people."""
        if by is Signals.FUSED:
            return self.signals
        if by is Signals.WORDS:
            return WORDS_ONLY
        return f"{self.vectors.label} only" if self.vectors else NO_VECTORS

    def query(self, anchor: Anchor) -> Query | None:
        """The selection as it is looked for; None where it and its sentences hold no word."""
        document = self.sample.document(anchor.side, anchor.index)
        return query(document.text, self._segments(anchor.side)[anchor.index], anchor.span)

    def meaning(self, asked: Query, anchor: Anchor) -> Meaning | None:
        """What the selection means to the side opposite; None where nothing is known of either."""
        vectors, own = self.vectors, self.sides[anchor.side]
        if vectors is None or own.space is None or anchor.side.other in self.blind:
            return None
        segments = self._segments(anchor.side)
        here = segments[anchor.index]
        at = touched(here, asked.span)
        before = sum(map(len, segments[: anchor.index]))
        first, last = before + at.start, before + at.stop
        if not own.space.known[first:last].any():
            return None
        if vectors.embedder:
            return blended(*vectors.embedder.embed([asked.selection, asked.home]))
        found = None
        if own.space.tokens is not None:
            part = own.space.tokens.part(first, last)
            starts = [here[index].start for index in at]
            found = in_context(part, starts, selection=asked.span, words=asked.words)
        if found:
            return replace(found, vector=vectors.lifted(found.vector))
        return of_sentences(own.space.vectors[first:last])

    def _segments(self, side: Side) -> list[Sequence[Segment]]:
        return side_segments(self.sample, self.segments, side)


def side_segments(
    sample: Sample, segments: Sequence[Sequence[Segment]], side: Side
) -> list[Sequence[Segment]]:
    """The segments of the documents of one side, in order."""
    pairs = zip(sample.documents, segments, strict=True)
    return [own for document, own in pairs if document.side is side]


def prepared(
    sample: Sample, segments: Sequence[Sequence[Segment]], vectors: SampleVectors | None = None
) -> SampleAssist:
    """A sample made ready, with vectors as `with_vectors` takes them, or by words alone."""
    sides = {
        side: Searched.of(
            [document.text for document in sample.side(side)],
            side_segments(sample, segments, side),
        )
        for side in Side
        if sample.side(side)
    }
    words = SampleAssist(sample, segments, sides=sides)
    return with_vectors(words, vectors) if vectors else words


def with_vectors(ready: SampleAssist, vectors: SampleVectors) -> SampleAssist:
    """The same sample with vectors; it shares what is known of the words.

    Args:
        vectors: documents of which the model knows too little are ranked by words alone.
    """
    sample, segments = ready.sample, ready.segments
    cuts = {side: side_segments(sample, segments, side) for side in vectors.rows}
    made, unknown = spaces(vectors, cuts)
    if not made:
        return ready
    sides = {
        side: searched.having(made[side]) if side in made else searched
        for side, searched in ready.sides.items()
    }
    signals = f"words + {vectors.label}"
    if unknown:
        signals += f", which lacks the words of {unknown} of {len(sample.documents)} texts"
    # What is known of them is held by the sides.
    return SampleAssist(sample, segments, signals, replace(vectors, rows={}, tokens={}), sides)
