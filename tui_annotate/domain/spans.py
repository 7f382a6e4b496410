"""Spans of a text in code points, and operations on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tui_annotate.domain.errors import InvalidSpan


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A non-empty range of code points of a text, from `start` up to, not including, `end`.

    Raises:
        InvalidSpan: `start` is negative, or `end` is not after `start`.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 0 or self.end <= self.start:
            raise InvalidSpan(
                f"{self.start}:{self.end} is not a span",
                "write a span with a start of 0 or more and an end after the start",
            )

    def __len__(self) -> int:
        return self.end - self.start

    def __str__(self) -> str:
        return f"{self.start}:{self.end}"

    def of(self, text: str) -> str:
        """Return the part of a text that the span covers.

        Raises:
            InvalidSpan: the span ends after the end of the text.
        """
        if self.end > len(text):
            raise InvalidSpan(
                f"the span {self} ends outside a text of {len(text)} code points",
                "count offsets in code points of the exact text",
            )
        return text[self.start : self.end]

    def overlap(self, other: Span) -> int:
        """Return the number of code points that two spans share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def contains(self, other: Span) -> bool:
        """Return whether another span is equal to this one or inside it."""
        return self.start <= other.start and other.end <= self.end

    def union(self, other: Span) -> Span:
        """Return the smallest span that covers both spans and the text between them."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def clip(self, other: Span) -> Span | None:
        """Return the part that two spans share; None if they share none."""
        start = max(self.start, other.start)
        end = min(self.end, other.end)
        return Span(start, end) if start < end else None

    def shift(self, by: int) -> Span:
        """Return the span moved by a number of code points; InvalidSpan before offset 0."""
        return Span(self.start + by, self.end + by)

    def trim(self, text: str) -> Span | None:
        """Return the span without white space at its ends; None if the span is only white space."""
        part = self.of(text)
        start = self.start + len(part) - len(part.lstrip())
        end = self.end - (len(part) - len(part.rstrip()))
        return Span(start, end) if start < end else None


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Merge spans into sorted, disjoint spans; overlapping and adjacent spans become one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1].union(span)
        else:
            merged.append(span)
    return tuple(merged)
