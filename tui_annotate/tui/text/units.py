"""Where characters, words, sentences and paragraphs of a text begin and end; keeps no place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.methods.tokenizer import word_pattern
from tui_annotate.tui.text.display import cluster_start, next_edge, previous_edge

_WINDOW: Final = 512  # code points looked through at a time; a longer word is cut there


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


class WordUnits:
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
        for found in word_pattern().finditer(self._text, self._find_safe_start(offset)):
            word = self._word_span(found)
            if word.end > offset:
                yield word

    def before(self, offset: int) -> Iterator[Span]:
        """See `Units`."""
        stop = offset
        while stop > 0:
            start = self._find_safe_start(max(0, stop - _WINDOW))
            end = min(len(self._text), offset + _WINDOW)
            found = map(self._word_span, word_pattern().finditer(self._text, start, end))
            words = [word for word in found if word.start < stop]
            yield from reversed(words)
            stop = words[0].start if words else start

    def _find_safe_start(self, offset: int) -> int:
        """A place at or before `offset` where no word is cut."""
        lowest = max(0, offset - _WINDOW)
        for index in range(min(offset, len(self._text)) - 1, lowest - 1, -1):
            if self._text[index].isspace():
                return index + 1
        return lowest

    def _word_span(self, found: re.Match[str]) -> Span:
        end = found.end()
        return Span(
            cluster_start(self._text, found.start()),
            end if cluster_start(self._text, end) == end else next_edge(self._text, end),
        )


def pair_words(words: Iterable[Span]) -> Iterator[tuple[Span, ...]]:
    """Words in order, those that touch in pairs: a letter over the first leaves the second to read.

    Chinese characters touch, and the numbers and Latin words among them; what is left over of an
    odd row, and a word that touches none, stand alone.
    """
    pair: tuple[Span, ...] = ()
    for word in words:
        if len(pair) == 1 and pair[0].end == word.start:
            pair = (*pair, word)
            continue
        if pair:
            yield pair
        pair = (word,)
    if pair:
        yield pair


class SentenceUnits:
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
