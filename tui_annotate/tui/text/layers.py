"""What lies on a text: spans with something said of them, found by line; draws nothing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, TypeVar

from tui_annotate.domain.spans import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mark:
    """An annotation as a pane shows it.

    Attributes:
        letter: its name for the reader; one cell wide, only the first character is shown.
        slot: its colour's slot in the palette, from 0.
        focused: the one that keys act on; drawn bold, over the others.
        draft: something is still missing; its letter is drawn small.
        suggested: a machine proposes it; it has a ground of its own in the place of a colour.
    """

    span: Span
    letter: str
    slot: int = 0
    focused: bool = False
    draft: bool = False
    suggested: bool = False


class SpanLayer(Generic[T]):
    """Spans, each with a value, that may overlap; sorted once, searched by bisection.

    Iterating gives (span, value) by start, then end; equal spans in the order given.
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
        """The items that share a code point with `[start, end)`, in order."""
        if not self._items:
            return []
        first = bisect_right(self._reach, start)
        last = bisect_left(self._starts, end)
        return [item for item in self._items[first:last] if item[0].end > start]

    def changed(self, other: SpanLayer[T]) -> tuple[Span, ...]:
        """The spans whose values are not the same in both layers: what must be drawn anew."""
        mine, theirs = self._by_span(), other._by_span()
        return tuple(
            span for span in mine.keys() | theirs.keys() if mine.get(span) != theirs.get(span)
        )

    def _by_span(self) -> dict[Span, list[T]]:
        values: dict[Span, list[T]] = {}
        for span, value in self._items:
            values.setdefault(span, []).append(value)
        return values
