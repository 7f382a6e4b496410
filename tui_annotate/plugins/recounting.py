"""Annotations whose spans a file may have counted otherwise, in code points; a text at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.covered import CODE_POINTS, Quoted, reading


class Said(NamedTuple):
    """An annotation with its anchors as the file counts them.

    Attributes:
        quotes: what each of its anchors covers, claim first; None where the file does not say.
        name: what it is called in messages.
    """

    annotation: Annotation
    quotes: Sequence[str | None]
    name: str


def recounted(said: Sequence[Said], sample: Sample) -> tuple[list[Annotation], list[str]]:
    """The annotations, and for each text that was counted otherwise a doubt that says how.

    Raises:
        InvalidInput: no way of counting fits all spans of a text, or several do and they differ;
            or a span is of a document that the sample does not have.
    """
    quoted: dict[tuple[Side, int], list[Quoted]] = {}
    for annotation, quotes, name in said:
        for (side, index, span), quote in zip(annotation.anchors, quotes, strict=True):
            one = Quoted(span.start, span.end, quote, f"{side} span of {name}")
            quoted.setdefault((side, index), []).append(one)
    doubts: list[str] = []
    found: dict[tuple[Side, int], Iterator[Span]] = {}
    for (side, index), spans in quoted.items():
        read = reading(_text(sample, side, index, what=spans[0].what), spans)
        found[side, index] = iter(read.spans)
        if read.unit != CODE_POINTS:
            doubts.append(f"the offsets of the {side} are {read.unit}")

    def moved(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
        return tuple(Anchor(side, index, next(found[side, index])) for side, index, _ in anchors)

    annotations = [one.annotation for one in said]
    if not doubts:
        return annotations, doubts
    return [
        replace(one, claim=moved(one.claim), evidence=moved(one.evidence)) for one in annotations
    ], doubts


def _text(sample: Sample, side: Side, index: int, *, what: str) -> str:
    try:
        return sample.document(side, index).text
    except NotFound as error:
        raise InvalidInput(f"{what}: {error.message}") from error
