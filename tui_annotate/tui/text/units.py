"""The units of a text: where characters, words, sentences and paragraphs begin and end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.methods.tokenizer import word_pattern
from tui_annotate.tui.text.display import cluster_end, cluster_start, next_edge, previous_edge

_WINDOW: Final = 512  # code points looked through at a time; a longer word is cut there


class TextUnits(Protocol):
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
        """See `TextUnits`."""
        start = cluster_start(self._text, offset)
        while start < len(self._text):
            end = next_edge(self._text, start)
            yield Span(start, end)
            start = end

    def before(self, offset: int) -> Iterator[Span]:
        """See `TextUnits`."""
        end = cluster_end(self._text, offset)
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
        """See `TextUnits`."""
        for found in word_pattern().finditer(self._text, self._find_safe_start(offset)):
            word = self._word_span(found)
            if word.end > offset:
                yield word

    def before(self, offset: int) -> Iterator[Span]:
        """See `TextUnits`."""
        stop = offset
        while stop > 0:
            start = self._find_safe_start(max(0, stop - _WINDOW))
            end = min(len(self._text), offset + _WINDOW)
            found = map(self._word_span, word_pattern().finditer(self._text, start, end))
            words = [word for word in found if word.start < stop]
            yield from reversed(words)
            stop = words[0].start if words else start

    def _find_safe_start(self, offset: int) -> int:
        """An offset at or before `offset` that is not inside a word."""
        lowest = max(0, offset - _WINDOW)
        for index in range(min(offset, len(self._text)) - 1, lowest - 1, -1):
            if self._text[index].isspace():
                return index + 1
        return lowest

    def _word_span(self, found: re.Match[str]) -> Span:
        start, end = found.span()
        return Span(cluster_start(self._text, start), cluster_end(self._text, end))


def pair_words(words: Iterable[Span]) -> Iterator[tuple[Span, ...]]:
    """Words in order, two that touch as a pair, so that a letter over one leaves one readable.

    Chinese characters touch, and numbers and Latin words among them.
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
    """The segments of a text without white space at their edges, and without blank ones.

    They are trimmed on demand: a megabyte has more than ten thousand.
    """

    def __init__(self, text: str, segments: Sequence[Segment]) -> None:
        self._text = text
        self._segments = segments
        self._starts = [segment.start for segment in segments]

    def index(self, offset: int) -> int:
        """The index of the segment at `offset`; the last for the end of the text, 0 for none."""
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
        """Segment `index` without white space at its edges; None if it is blank or missing."""
        start, end = self._segments[index] if index < self.count else (0, 0)
        return Span(start, end).trim(self._text) if start < end else None

    def after(self, offset: int) -> Iterator[Span]:
        """See `TextUnits`."""
        for index in range(self.index(offset), len(self._segments)):
            span = self.trimmed(index)
            if span is not None and span.end > offset:
                yield span

    def before(self, offset: int) -> Iterator[Span]:
        """See `TextUnits`."""
        for index in range(bisect_left(self._starts, offset) - 1, -1, -1):
            span = self.trimmed(index)
            if span is not None and span.start < offset:
                yield span


class Paragraphs:
    """The text between newlines, without white space at its edges, and without blank ones."""

    def __init__(self, text: str) -> None:
        self._text = text

    def after(self, offset: int) -> Iterator[Span]:
        """See `TextUnits`."""
        start = self._text.rfind("\n", 0, offset) + 1
        while start < len(self._text):
            end = self._text.find("\n", start) + 1 or len(self._text)
            span = Span(start, end).trim(self._text)
            if span is not None and span.end > offset:
                yield span
            start = end

    def before(self, offset: int) -> Iterator[Span]:
        """See `TextUnits`."""
        end = self._text.find("\n", offset) + 1 or len(self._text)
        while end > 0:
            start = self._text.rfind("\n", 0, end - 1) + 1
            span = Span(start, end).trim(self._text)
            if span is not None and span.start < offset:
                yield span
            end = start
