"""Spans of a document in which searched words were found, and the one that was visited last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The result of a search in the current document of one side; without hits it has no effect.

    Attributes:
        words: what was searched for, as messages quote it.
        hits: where it was found, in the order of the text.
        current: index of the hit that was visited last.
    """

    words: str = ""
    side: Side = Side.SUMMARY
    hits: tuple[Span, ...] = ()
    current: int = 0

    @property
    def span(self) -> Span:
        """The hit that was visited last; there must be one."""
        return self.hits[self.current]

    def hits_on(self, side: Side) -> tuple[Span, ...]:
        """Return the hits in the document of a side; empty for the other side."""
        return self.hits if side is self.side else ()

    def start_at(self, offset: int) -> SearchHits:
        """Visit the first hit at or after an offset, else the first hit of the document."""
        after = (at for at, hit in enumerate(self.hits) if hit.start >= offset)
        return replace(self, current=next(after, 0))

    def walk(self, step: int) -> SearchHits:
        """Visit the next (+1) or previous (-1) hit, around the ends; there must be one."""
        return replace(self, current=(self.current + step) % len(self.hits))


NO_SEARCH: Final = SearchHits()
