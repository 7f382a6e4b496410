"""Units of a text: boundaries of characters, words, sentences and paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.domain.text_display import cluster_end, cluster_start, next_edge, previous_edge
from tui_annotate.methods.tokenizer import word_pattern

_WINDOW: Final = 512  # code points scanned at a time; a longer word is split


class TextUnits(Protocol):
    """The units of one kind in a text, such as its words, as ordered spans that do not overlap."""

    def after(self, offset: int) -> Iterator[Span]:
        """Yield the units of a text, such as words, that end after `offset`, in order."""

    def before(self, offset: int) -> Iterator[Span]:
        """Yield the units of a text, such as words, that start before `offset`, last first."""


class Characters:
    """The characters of a text: its grapheme clusters and line ends."""

    def __init__(self, text: str) -> None:
        self._text = text

    def after(self, offset: int) -> Iterator[Span]:
        """Yield the characters that end after `offset`, in order."""
        start = cluster_start(self._text, offset)
        while start < len(self._text):
            end = next_edge(self._text, start)
            yield Span(start, end)
            start = end

    def before(self, offset: int) -> Iterator[Span]:
        """Yield the characters that start before `offset`, last first."""
        end = cluster_end(self._text, offset)
        while end > 0:
            start = previous_edge(self._text, end)
            yield Span(start, end)
            end = start


class WordUnits:
    """The words of a text, with inner hyphens and apostrophes, and its signed numbers."""

    def __init__(self, text: str) -> None:
        self._text = text

    def within(self, start: int, end: int) -> Iterator[Span]:
        """Yield the words of a text that start in `[start, end)`."""
        for word in self.after(start):
            if word.start >= end:
                return
            if word.start >= start:
                yield word

    def after(self, offset: int) -> Iterator[Span]:
        """Yield the words that end after `offset`, in order."""
        for found in word_pattern().finditer(self._text, self._find_safe_start(offset)):
            word = self._word_span(found)
            if word.end > offset:
                yield word

    def before(self, offset: int) -> Iterator[Span]:
        """Yield the words that start before `offset`, last first."""
        stop = offset
        while stop > 0:
            start = self._find_safe_start(max(0, stop - _WINDOW))
            end = min(len(self._text), offset + _WINDOW)
            found = map(self._word_span, word_pattern().finditer(self._text, start, end))
            words = [word for word in found if word.start < stop]
            yield from reversed(words)
            stop = words[0].start if words else start

    def _find_safe_start(self, offset: int) -> int:
        """Return an offset at or before `offset` that is not inside a word."""
        lowest = max(0, offset - _WINDOW)
        for index in range(min(offset, len(self._text)) - 1, lowest - 1, -1):
            if self._text[index].isspace():
                return index + 1
        return lowest

    def _word_span(self, found: re.Match[str]) -> Span:
        start, end = found.span()
        return Span(cluster_start(self._text, start), cluster_end(self._text, end))


def pair_words(words: Iterable[Span]) -> Iterator[tuple[Span, ...]]:
    """Yield the words in order; two adjacent words without a space between them form a pair.

    Examples are two Chinese characters, or a Latin word next to a Chinese character. A letter code
    on screen covers only the first word of a pair (see `WordHints`).
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
    """The sentences of a text: its non-blank segments, without outer white space.

    Segments are trimmed on demand, because a megabyte has more than ten thousand.
    """

    def __init__(self, text: str, segments: Sequence[Segment]) -> None:
        self._text = text
        self._segments = segments
        self._starts = [segment.start for segment in segments]

    def index(self, offset: int) -> int:
        """Return the index of the last sentence that starts at or before `offset`; 0 for none."""
        return max(0, bisect_right(self._starts, offset) - 1)

    @property
    def count(self) -> int:
        """The number of sentences (segments) of a text, including blank ones."""
        return len(self._segments)

    def whole(self, index: int) -> Span:
        """Return a sentence's span with outer white space; raise InvalidSpan if it is empty."""
        return self._segments[index].span

    def trimmed(self, index: int) -> Span | None:
        """Return the span of a sentence without outer white space, or None if it is blank."""
        start, end = self._segments[index] if index < self.count else (0, 0)
        return Span(start, end).trim(self._text) if start < end else None

    def after(self, offset: int) -> Iterator[Span]:
        """Yield the sentences that end after `offset`, in order."""
        for index in range(self.index(offset), len(self._segments)):
            span = self.trimmed(index)
            if span is not None and span.end > offset:
                yield span

    def before(self, offset: int) -> Iterator[Span]:
        """Yield the sentences that start before `offset`, last first."""
        for index in range(bisect_left(self._starts, offset) - 1, -1, -1):
            span = self.trimmed(index)
            if span is not None and span.start < offset:
                yield span


class Paragraphs:
    """The paragraphs of a text: non-blank text between newlines, without outer white space."""

    def __init__(self, text: str) -> None:
        self._text = text

    def after(self, offset: int) -> Iterator[Span]:
        """Yield the paragraphs that end after `offset`, in order."""
        start = self._text.rfind("\n", 0, offset) + 1
        while start < len(self._text):
            end = self._text.find("\n", start) + 1 or len(self._text)
            span = Span(start, end).trim(self._text)
            if span is not None and span.end > offset:
                yield span
            start = end

    def before(self, offset: int) -> Iterator[Span]:
        """Yield the paragraphs that start before `offset`, last first."""
        end = self._text.find("\n", offset) + 1 or len(self._text)
        while end > 0:
            start = self._text.rfind("\n", 0, end - 1) + 1
            span = Span(start, end).trim(self._text)
            if span is not None and span.start < offset:
                yield span
            end = start
