"""Highlights of a displayed text, by their kind, such as matches or found text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Generic, TypeVar

from tui_annotate.domain.samples import Match
from tui_annotate.domain.spans import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnnotationMark:
    """The highlight that shows an annotation in the displayed text.

    Attributes:
        letter: name of the annotation; a pane shows only the first character.
        slot: colour slot in the palette, from 0.
        focused: whether the mark is drawn bold, over other marks.
        draft: whether the annotation is incomplete, so that its letter is lower case.
        suggested: whether a machine suggested it, so that it has a background instead of a colour.
    """

    span: Span
    letter: str
    slot: int = 0
    focused: bool = False
    draft: bool = False
    suggested: bool = False


class SpanLayer(Generic[T]):
    """Highlighted spans of one kind in a text, such as all matches, each with a value.

    The spans may overlap. They are sorted, so that the spans in a line are found by binary search.

    Iteration yields (span, value) by start, then end; equal spans keep their order.
    """

    def __init__(self, items: Iterable[tuple[Span, T]] = ()) -> None:
        self._items = sorted(items, key=lambda item: (item[0].start, item[0].end))
        self._starts = [span.start for span, _ in self._items]
        self._reach = list(accumulate((span.end for span, _ in self._items), max))

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[tuple[Span, T]]:
        return iter(self._items)

    def touching(self, start: int, end: int) -> list[tuple[Span, T]]:
        """Return the highlighted spans, with values, that overlap `[start, end)`, in order."""
        if not self._items:
            return []
        first = bisect_right(self._reach, start)
        last = bisect_left(self._starts, end)
        return [item for item in self._items[first:last] if item[0].end > start]

    def changed(self, other: SpanLayer[T]) -> tuple[Span, ...]:
        """Return the spans to redraw if `other` replaces these highlights: those that differ."""
        mine = self._by_span()
        theirs = other._by_span()
        return tuple(
            span for span in mine.keys() | theirs.keys() if mine.get(span) != theirs.get(span)
        )

    def _by_span(self) -> dict[Span, list[T]]:
        values: dict[Span, list[T]] = {}
        for span, value in self._items:
            values.setdefault(span, []).append(value)
        return values


@dataclass
class DocumentLayers:
    """All highlights of a displayed document: annotations, matches, found text and others.

    Attributes:
        focused_match: rank of the focused match; 0 for none.
        former: evidence in other samples, shown in the gutter only.
        shared: words of the focused match that are also in the selection.
        conflicts: words that may contradict the other text.
        lacking: words that the other text does not contain.
        tags: sanitized texts shown after the code point at an offset, outside of the document.
        focused_tag: (offset, span in the tag) of the focused part; None if there is none.
        focused_hit: number of the focused search hit, from 1; 0 for none.
        sentence: sentence under the cursor; None while text is selected.
        cursor: span of the character under the cursor; None if no cursor is drawn.
    """

    matches: SpanLayer[Match] = field(default_factory=SpanLayer)
    focused_match: int = 0
    marks: SpanLayer[AnnotationMark] = field(default_factory=SpanLayer)
    evidence: SpanLayer[None] = field(default_factory=SpanLayer)
    former: SpanLayer[None] = field(default_factory=SpanLayer)
    shared: SpanLayer[None] = field(default_factory=SpanLayer)
    conflicts: SpanLayer[None] = field(default_factory=SpanLayer)
    lacking: SpanLayer[None] = field(default_factory=SpanLayer)
    hits: SpanLayer[int] = field(default_factory=SpanLayer)
    tags: Mapping[int, str] = field(default_factory=dict)
    focused_tag: tuple[int, Span] | None = None
    focused_hit: int = 0
    hints: SpanLayer[str] = field(default_factory=SpanLayer)
    selection: Span | None = None
    sentence: Span | None = None
    cursor: Span | None = None
    active: bool = False
