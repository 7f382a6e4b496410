"""Where characters, words, sentences and paragraphs of a text begin and end; keeps no place in it.

Han and kana are taken character by character: a dictionary of words takes a second to load and a
megabyte to ship, and a claim of a few characters is as quickly selected without one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Protocol

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.clusters import cluster_start, next_edge, previous_edge

_SINGLE = (
    r"\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0e7f"
_FIRST = rf"[^\W_{_SINGLE}]"
_LETTER = rf"(?:{_FIRST}|[{_MARKS}])"
_MORE = rf"(?:[-‐’'\u200d]{_FIRST}{_LETTER}*)"
_WINDOW: Final = 512  # code points looked through at a time; a longer word is cut there


@cache
def _word() -> re.Pattern[str]:
    """Made at the first use: it takes as long as all else here that the first frame needs."""
    return re.compile(
        rf"[$€£¥￥]?\d+(?:[.,:]\d+)*(?:[%‰％]|{_LETTER}*{_MORE}*)"  # $4.2, 40%, 15-year-old
        r"|(?:[^\W\d_]\.){2,}"  # U.S.
        rf"|{_FIRST}{_LETTER}*{_MORE}*"
        rf"|[{_SINGLE}]"
    )


class Units(Protocol):
    """One kind of unit: spans in order that do not overlap."""

    def after(self, offset: int) -> Iterator[Span]:
        """The units that end after `offset`, forward; the first may hold it."""

    def before(self, offset: int) -> Iterator[Span]:
        """The units that start before `offset`, backward; the first may hold it."""


class Characters:
    """Every cluster is a unit, line ends too."""

    def __init__(self, text: str) -> None:
        self._text = text

    def after(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        start = cluster_start(self._text, offset)
        while start < len(self._text):
            end = next_edge(self._text, start)
            yield Span(start, end)
            start = end

    def before(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        end = (
            offset if cluster_start(self._text, offset) == offset else next_edge(self._text, offset)
        )
        while end > 0:
            start = previous_edge(self._text, end)
            yield Span(start, end)
            end = start


class Words:
    """Words with their inner hyphens and apostrophes, numbers with their sign; no punctuation."""

    def __init__(self, text: str) -> None:
        self._text = text

    def within(self, start: int, end: int) -> Iterator[Span]:
        """The words that start in `[start, end)`."""
        for word in self.after(start):
            if word.start >= end:
                return
            if word.start >= start:
                yield word

    def after(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        for found in _word().finditer(self._text, self._safe_start(offset)):
            word = self._whole(found)
            if word.end > offset:
                yield word

    def before(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        stop = offset
        while stop > 0:
            start = self._safe_start(max(0, stop - _WINDOW))
            end = min(len(self._text), offset + _WINDOW)
            found = map(self._whole, _word().finditer(self._text, start, end))
            words = [word for word in found if word.start < stop]
            yield from reversed(words)
            stop = words[0].start if words else start

    def _safe_start(self, offset: int) -> int:
        """A place at or before `offset` where no word is cut."""
        lowest = max(0, offset - _WINDOW)
        for index in range(min(offset, len(self._text)) - 1, lowest - 1, -1):
            if self._text[index].isspace():
                return index + 1
        return lowest

    def _whole(self, found: re.Match[str]) -> Span:
        end = found.end()
        return Span(
            cluster_start(self._text, found.start()),
            end if cluster_start(self._text, end) == end else next_edge(self._text, end),
        )


class Sentences:
    """The segments of a text without the white space at their edges; blank ones are left out.

    Trimmed when they are asked for: a megabyte has more than ten thousand.
    """

    def __init__(self, text: str, segments: Sequence[Segment]) -> None:
        self._text = text
        self._segments = segments
        self._starts = [segment.start for segment in segments]

    def index(self, offset: int) -> int:
        """The segment that holds `offset`; the last where the text ends there, 0 without any."""
        return max(0, bisect_right(self._starts, offset) - 1)

    @property
    def count(self) -> int:
        """How many segments there are, blank ones too."""
        return len(self._segments)

    def whole(self, index: int) -> Span:
        """Segment `index` as it is.

        Raises:
            InvalidSpan: the segment is empty.
        """
        return self._segments[index].span

    def trimmed(self, index: int) -> Span | None:
        """Segment `index` without white space at its edges; None if it is blank or not there."""
        start, end = self._segments[index] if index < self.count else (0, 0)
        return Span(start, end).trim(self._text) if start < end else None

    def after(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        for index in range(self.index(offset), len(self._segments)):
            span = self.trimmed(index)
            if span is not None and span.end > offset:
                yield span

    def before(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        for index in range(bisect_left(self._starts, offset) - 1, -1, -1):
            span = self.trimmed(index)
            if span is not None and span.start < offset:
                yield span


class Paragraphs:
    """What stands between newlines, without white space at its edges; blank ones are left out."""

    def __init__(self, text: str) -> None:
        self._text = text

    def after(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        start = self._text.rfind("\n", 0, offset) + 1
        while start < len(self._text):
            end = self._text.find("\n", start) + 1 or len(self._text)
            span = Span(start, end).trim(self._text)
            if span is not None and span.end > offset:
                yield span
            start = end

    def before(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        end = self._text.find("\n", offset) + 1 or len(self._text)
        while end > 0:
            start = self._text.rfind("\n", 0, end - 1) + 1
            span = Span(start, end).trim(self._text)
            if span is not None and span.start < offset:
                yield span
            end = start
