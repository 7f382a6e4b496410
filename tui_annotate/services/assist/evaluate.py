"""How well the assist finds what people chose, in records with spans on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Match, Sample, Side
from tui_annotate.methods.evaluation import Figures, figures, is_hit
from tui_annotate.methods.segmentation import SEGMENTER, segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, ImportOptions
from tui_annotate.services.assist.sample import SampleAssist, prepared

_AUTO = "static"
DIRECTIONS = {"summary_to_source": Side.SUMMARY, "source_to_summary": Side.SOURCE}


@dataclass(frozen=True, slots=True)
class _Pair:
    """A claim and its evidence, trimmed."""

    claim: Anchor
    evidence: Anchor

    def sides(self, side: Side) -> tuple[Anchor, Anchor]:
        """What is selected on a side, and what is to be found on the other."""
        both = self.claim, self.evidence
        return both if side is Side.SUMMARY else both[::-1]


def evaluate(
    files: Sequence[Path], *, min_segments: int = 1, embedder: str = "auto"
) -> dict[str, Any]:
    """The figures over Mercury dumps, taken together; JSON values.

    Args:
        min_segments: queries count whose searched texts have so many non-blank segments.
        embedder: a name; "none" for words alone; "auto" for static vectors where they can be had.

    Raises:
        NotFound, Unavailable: a file can not be opened; the named embedder can not be had.
        InvalidInput: a record can not be taken; the message gives its place.
    """
    chosen = _embedder(embedder)
    found = evaluate_records(_records(files), min_segments=min_segments, embedder=chosen)
    named: dict[str, Any] = {name: asdict(value) for name, value in found.items()}
    return named | {
        "segmenter": SEGMENTER,
        "embedder": f"{chosen.name} {chosen.version}" if chosen else "none",
        "min_segments": min_segments,
    }


def evaluate_records(
    records: Iterable[Record], *, min_segments: int = 1, embedder: Embedder | None = None
) -> dict[str, Figures]:
    """By direction, how high the segments stand that people chose.

    A query is a distinct (texts, claim span, evidence span), trimmed; every segment is ranked.
    """
    ranks: dict[str, list[int | None]] = {direction: [] for direction in DIRECTIONS}
    seen: set[tuple[tuple[str, ...], _Pair]] = set()
    for record in records:
        pairs = [pair for pair in _pairs(record) if (_texts(record.sample), pair) not in seen]
        if not pairs:
            continue
        seen.update((_texts(record.sample), pair) for pair in pairs)
        ready = _ready(record.sample, embedder)
        for direction, side in DIRECTIONS.items():
            if _shown(ready, side.other) >= min_segments:
                ranks[direction] += [
                    _rank(ready, *pair.sides(side)) for pair in dict.fromkeys(pairs)
                ]
    return {direction: figures(found) for direction, found in ranks.items()}


def _embedder(name: str) -> Embedder | None:
    if name == "none":
        return None
    try:
        return registry.load("embedders", _AUTO if name == "auto" else name)
    except Unavailable:
        if name == "auto":
            return None
        raise


def _records(files: Sequence[Path]) -> Iterator[Record]:
    importer = registry.load("importers", "mercury")
    for file in files:
        for item in importer.read(file, ImportOptions()):
            if isinstance(item, Record):
                yield item
            elif item.refused:
                raise _refused(item)


def _refused(problem: Problem) -> InvalidInput:
    return InvalidInput(str(problem), problem.hint or "mend the file, or leave the record out")


def _texts(sample: Sample) -> tuple[str, ...]:
    return tuple(document.sha256 for document in sample.documents)


def _pairs(record: Record) -> Iterator[_Pair]:
    for owned in record.annotations:
        claims = _trimmed(record.sample, owned.annotation.claim)
        evidence = _trimmed(record.sample, owned.annotation.evidence)
        yield from (_Pair(claim, found) for claim in claims for found in evidence)


def _trimmed(sample: Sample, anchors: Iterable[Anchor]) -> list[Anchor]:
    trimmed = [
        (anchor, anchor.span.trim(sample.document(anchor.side, anchor.index).text))
        for anchor in anchors
    ]
    return [anchor._replace(span=span) for anchor, span in trimmed if span is not None]


def _ready(sample: Sample, embedder: Embedder | None) -> SampleAssist:
    segments = [segment(document.text, document.language) for document in sample.documents]
    if embedder is None:
        return prepared(sample, segments)
    import numpy as np

    rows: dict[Side, np.ndarray[Any, np.dtype[np.float32]]] = {}
    for side in Side:
        parts = [
            document.text[own.start : own.end]
            for document, cut in zip(sample.documents, segments, strict=True)
            if document.side is side
            for own in cut
        ]
        if parts:
            rows[side] = embedder.embed(parts)
    return prepared(sample, segments, embedder=embedder, vectors=rows)


def _shown(ready: SampleAssist, side: Side) -> int:
    """Segments of a side that hold more than white space."""
    return sum(
        bool(document.text[own.start : own.end].strip())
        for document, cut in zip(ready.sample.documents, ready.segments, strict=True)
        if document.side is side
        for own in cut
    )


def _rank(ready: SampleAssist, selected: Anchor, chosen: Anchor) -> int | None:
    def hit(match: Match) -> bool:
        return match.document == chosen.index and is_hit(match.span, chosen.span)

    return next((match.rank for match in ready.match(selected, top=None) if hit(match)), None)
