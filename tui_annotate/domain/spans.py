"""Spans of a text: what they are and how two of them relate; never what they mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tui_annotate.domain.errors import InvalidSpan


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The code points `start` up to, not including, `end`. Never empty.

    Raises:
        InvalidSpan: `start` is negative, or `end` is not after `start`.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 0 or self.end <= self.start:
            raise InvalidSpan(
                f"{self.start}:{self.end} is not a span",
                "a span starts at 0 or later and ends after its start",
            )

    def __len__(self) -> int:
        return self.end - self.start

    def __str__(self) -> str:
        return f"{self.start}:{self.end}"

    def of(self, text: str) -> str:
        """The part of `text` that the span covers.

        Raises:
            InvalidSpan: the span ends after the text does.
        """
        if self.end > len(text):
            raise InvalidSpan(
                f"{self} ends outside a text of {len(text)} code points",
                "offsets count code points of the exact text",
            )
        return text[self.start : self.end]

    def overlap(self, other: Span) -> int:
        """How many code points the two share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def contains(self, other: Span) -> bool:
        """Whether every code point of `other` is in this span."""
        return self.start <= other.start and other.end <= self.end

    def union(self, other: Span) -> Span:
        """The smallest span that contains both, with what lies between them."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def clip(self, other: Span) -> Span | None:
        """The part of this span inside `other`; None where they share nothing."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Span(start, end) if start < end else None

    def shift(self, by: int) -> Span:
        """The same extent, `by` code points further on (back, where negative)."""
        return Span(self.start + by, self.end + by)

    def trim(self, text: str) -> Span | None:
        """The span without the white space at its edges; None where nothing else is in it."""
        part = self.of(text)
        start = self.start + len(part) - len(part.lstrip())
        end = self.end - (len(part) - len(part.rstrip()))
        return Span(start, end) if start < end else None


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same code points as disjoint spans in order; touching spans become one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1].union(span)
        else:
            merged.append(span)
    return tuple(merged)
