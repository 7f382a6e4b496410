"""What people selected on one side and chose on the other: by this an assist is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.evaluation import is_hit, kinds
from tui_annotate.methods.matching import touched
from tui_annotate.methods.segmentation import segment
from tui_annotate.services.assist.sample import side_segments

DIRECTIONS: Final = {"summary_to_source": Side.SUMMARY, "source_to_summary": Side.SOURCE}
"""By name, the side where something is selected."""

_Segments = tuple[tuple[Segment, ...], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was selected, and what people chose on the other side; both trimmed.

    Attributes:
        sample: its texts; without what else is known of it.
        segments: parallel to `sample.documents`.
    """

    sample: Sample
    segments: _Segments
    selected: Anchor
    chosen: Anchor

    @property
    def text(self) -> str:
        """What was selected."""
        return self.selected.span.of(_document(self.sample, self.selected).text)

    @property
    def texts(self) -> tuple[str, ...]:
        """The hashes of the sample's documents: equal for choices in the same texts."""
        return tuple(document.sha256 for document in self.sample.documents)

    @property
    def source(self) -> str:
        """The hashes of the source documents: choices that share them resemble each other."""
        return " ".join(document.sha256 for document in self.sample.side(Side.SOURCE))

    def places(self) -> Iterator[tuple[int, int, Segment]]:
        """The segments that are searched: index of the document, index there, the segment."""
        cuts = side_segments(self.sample, self.segments, self.chosen.side)
        for document, cut in enumerate(cuts):
            for index, own in enumerate(cut):
                yield document, index, own

    def shown(self, side: Side) -> int:
        """How many segments of a side hold more than white space."""
        cuts = side_segments(self.sample, self.segments, side)
        return sum(
            bool(document.text[own.start : own.end].strip())
            for document, cut in zip(self.sample.side(side), cuts, strict=True)
            for own in cut
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """What sort of query this is, as `methods.evaluation.kinds` says."""
        cut = side_segments(self.sample, self.segments, self.chosen.side)[self.chosen.index]
        at = touched(cut, self.chosen.span)
        whole = _document(self.sample, self.chosen).text[cut[at[0]].start : cut[at[-1]].end]
        language = _document(self.sample, self.selected).language
        return kinds(self.text, whole, segments=self.shown(Side.SOURCE), language=language)

    def rank(self, found: Iterable[tuple[int, Span]]) -> int | None:
        """The place, from 1, of the first that people chose; None without one.

        Args:
            found: index of the document and extent, best first.
        """
        hits = (
            document == self.chosen.index and is_hit(span, self.chosen.span)
            for document, span in found
        )
        return next((rank for rank, hit in enumerate(hits, 1) if hit), None)


def choices(records: Iterable[Record], *, least: int = 1) -> dict[str, list[Choice]]:
    """By direction, the distinct (texts, claim span, evidence span), in an order of their own.

    Args:
        least: segments that are searched must be so many; those of white space do not count.
    """
    distinct: dict[tuple[tuple[str, ...], Anchor, Anchor], Choice] = {}
    cut = _cutter()
    for record in records:
        pairs = list(_pairs(record))
        if not pairs:
            continue
        sample = replace(record.sample, meta={}, imported=None)
        segments = tuple(cut(each.text, each.language) for each in sample.documents)
        for claim, evidence in pairs:
            choice = Choice(sample, segments, claim, evidence)
            distinct.setdefault((choice.texts, claim, evidence), choice)
    ordered = [distinct[name] for name in sorted(distinct)]
    both = {
        Side.SUMMARY: ordered,
        Side.SOURCE: [
            replace(each, selected=each.chosen, chosen=each.selected) for each in ordered
        ],
    }
    return {
        direction: [each for each in both[side] if each.shown(side.other) >= least]
        for direction, side in DIRECTIONS.items()
    }


def _cutter() -> Callable[[str, str], tuple[Segment, ...]]:
    """Cuts each distinct text once, and forgets all when it is let go."""

    @cache
    def cut(text: str, language: str) -> tuple[Segment, ...]:
        return tuple(segment(text, language))

    return cut


def _pairs(record: Record) -> Iterator[tuple[Anchor, Anchor]]:
    for owned in record.annotations:
        claims = _trimmed(record.sample, owned.annotation.claim)
        evidence = _trimmed(record.sample, owned.annotation.evidence)
        yield from ((claim, found) for claim in claims for found in evidence)


def _trimmed(sample: Sample, anchors: Sequence[Anchor]) -> list[Anchor]:
    trimmed = [(anchor, anchor.span.trim(_document(sample, anchor).text)) for anchor in anchors]
    return [anchor._replace(span=span) for anchor, span in trimmed if span is not None]


def _document(sample: Sample, anchor: Anchor) -> Document:
    return sample.document(anchor.side, anchor.index)
