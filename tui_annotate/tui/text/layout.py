"""Line breaks of a text at a width, and conversion between code point offsets and cells.

A text is measured once; wrapping the text again costs about 10 ms per megabyte. Paragraphs in which
every code point is one cell wide have no table: a column there is a difference of offsets.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import accumulate
from types import MappingProxyType
from typing import Final, NamedTuple

from tui_annotate.domain.text_display import (
    cells_of,
    cluster_start,
    find_unplain,
    is_edge,
    next_edge,
    widths,
)

LEAST_WIDTH: Final = 4
"""Minimum width of a line in cells, so that a tab fits into the line."""

MOST_POINTS: Final = 4096
"""Maximum number of code points in a line, including code points of width 0.

The maximum bounds the time to paint a line.
"""

_NO_TAGS: Final[Mapping[int, int]] = MappingProxyType({})
_LOOK_BACK = 40  # code points searched backward for a line break
_NEVER_FIRST = frozenset(
    "。，、．：；？！）］｝〉》」』】〕〗’”…—·～%‰℃ヽヾーァィゥェォッャュョヮ々,.:;?!)]}"
)
_NEVER_LAST = frozenset("（［｛〈《「『【〔〖‘“([{$£￥¥#")
_BREAK_AFTER = frozenset(" \t\u2002\u2003\u2009\u200a\u3000-\u2010\u2013\u2014")
_HANGING = frozenset(" \u2002\u2003\u2009\u200a")


class _Block(NamedTuple):
    """A measured paragraph: `sums[i]` is the width in cells of its first `i` code points."""

    start: int
    end: int
    sums: array[int]


class TextLayout:
    """The layout of one measured text; call `wrap` before all methods about lines.

    Lines are spans `[start, end)` whose concatenation is the text. A newline belongs to the line
    that it ends, and adds no empty line at the end of the text. A single space may exceed the width
    by one cell. An empty text has one empty line.
    """

    def __init__(self, text: str, tags: Mapping[int, int] = _NO_TAGS) -> None:
        """Measure a text; `tags` are widths in cells by the offset after which a tag is shown."""
        self.text = text
        self.width = 0
        self._blocks = _measure(text, tags)
        self._block_starts = array("I", [block.start for block in self._blocks])
        self._starts = array("I", [0])

    @property
    def lines(self) -> int:
        """Number of lines, at least 1."""
        return len(self._starts)

    def wrap(self, width: int) -> None:
        """Break the text into lines of at most `width` cells; the minimum width is `LEAST_WIDTH`.

        No line begins with a code point of width 0, unless `MOST_POINTS` of them precede it.
        """
        width = max(width, LEAST_WIDTH)
        if width == self.width:
            return
        self.width = width
        wrapper = _Wrapper(self.text, width)
        done = 0
        for block in self._blocks:
            wrapper.plain(done, block.start)
            wrapper.block(block)
            done = block.end
        wrapper.plain(done, len(self.text))
        if len(wrapper.starts) > 1:  # the last start is the end of the text
            wrapper.starts.pop()
        self._starts = wrapper.starts

    def line(self, y: int) -> tuple[int, int]:
        """Return start and end of line `y` of the text, or of the nearest line that exists."""
        y = min(max(y, 0), self.lines - 1)
        end = self._starts[y + 1] if y + 1 < self.lines else len(self.text)
        return self._starts[y], end

    def content(self, y: int) -> tuple[int, int]:
        """Return start and end of line `y` of the text without its line end (LF or CR LF)."""
        start, end = self.line(y)
        if end > start and self.text[end - 1] == "\n":
            end -= 1
            if end > start and self.text[end - 1] == "\r":
                end -= 1
        return start, end

    def line_of(self, offset: int) -> int:
        """Return the line of the code point at `offset`; the text's end is in the last line."""
        return bisect_right(self._starts, offset) - 1

    def x_of(self, offset: int) -> int:
        """Return the number of terminal cells before the code point at `offset` in its line."""
        return self.cells(self._starts[self.line_of(offset)], offset)

    def cells(self, start: int, end: int) -> int:
        """Return the width in cells of `[start, end)` in one paragraph, without its line end."""
        block = self._block(start)
        if block is None:
            return end - start
        return block.sums[end - block.start] - block.sums[start - block.start]

    def offset_at(self, x: int, y: int) -> int:
        """Return the offset of the character that is displayed at cell `x` of line `y`.

        To the right of the last character, return the line end, or the last character if the line
        was wrapped.
        """
        start, end = self.line(y)
        block = self._block(start)
        if block is None:
            found = min(start + max(x, 0), max(start, end - 1))
        else:
            low, high = start - block.start, end - block.start
            at = block.sums[low] + max(x, 0)
            found = block.start + bisect_right(block.sums, at, low, high) - 1
        return max(start, cluster_start(self.text, found))

    def _block(self, offset: int) -> _Block | None:
        """Return the measured paragraph that contains an offset; None in plain paragraphs."""
        index = bisect_right(self._block_starts, offset) - 1
        if index < 0 or offset > self._blocks[index].end:
            return None
        block = self._blocks[index]
        if offset == block.end and offset < len(self.text):
            return None  # a plain paragraph begins here
        return block


def _measure(text: str, tags: Mapping[int, int]) -> list[_Block]:
    """Measure the paragraphs that have a tag or a code point that is not one cell wide."""
    blocks: list[_Block] = []
    tagged = sorted(tags)
    found = _first_offset(find_unplain(text), tagged, 0)
    while found >= 0:
        start = text.rfind("\n", 0, found) + 1
        end = text.find("\n", found) + 1 or len(text)
        cells = list(widths(text[start:end]))
        for offset in tagged[bisect_left(tagged, start) : bisect_left(tagged, end)]:
            cells[offset - start] += tags[offset]
        blocks.append(_Block(start, end, array("I", accumulate(cells, initial=0))))
        found = _first_offset(find_unplain(text, end), tagged, end)
    return blocks


def _first_offset(found: int, tagged: list[int], start: int) -> int:
    """Return the least of `found` and the offsets `tagged` from `start` on; -1 if there is none.

    A negative `found` means that there is no such offset.
    """
    at = bisect_left(tagged, start)
    return min([offset for offset in (found, *tagged[at : at + 1]) if offset >= 0], default=-1)


class _Wrapper:
    """A collector of the offsets at which the lines of a text start, paragraph by paragraph."""

    def __init__(self, text: str, width: int) -> None:
        self.text = text
        self.width = width
        self.starts = array("I", [0])

    def plain(self, start: int, end: int) -> None:
        """Add the lines of plain paragraphs, in which each code point is one cell wide."""
        text = self.text
        width = self.width
        append = self.starts.append
        find = text.find
        rfind = text.rfind
        while start < end:
            after = find("\n", start, end) + 1 or end
            content = after  # end of the paragraph without LF or CR LF
            if text[content - 1] == "\n":
                content -= 1
            if content > start and text[content - 1] == "\r":
                content -= 1
            while content - start > width:
                space = rfind(" ", start, start + width + 1)
                start = space + 1 if space > start else start + width
                if start < content:
                    append(start)
            append(after)
            start = after

    def block(self, block: _Block) -> None:
        """Add the lines of a measured paragraph."""
        start, end, sums = block
        base = start
        line = start
        while True:
            most = min(end, line + MOST_POINTS) - base
            reach = bisect_right(sums, sums[line - base] + self.width, line - base + 1, most + 1)
            limit = base + reach - 1  # end of the longest line that fits
            line = end if limit >= end else _break(self.text, line, limit)
            self.starts.append(line)
            if line >= end:
                return


def _break(text: str, start: int, limit: int) -> int:
    """Return the offset at which to break a line that starts at `start` and can end at `limit`."""
    if text[limit] in _HANGING and is_edge(text, limit + 1):
        return limit + 1
    # A word without a break in reach is broken at any cluster edge, so that no line is too wide.
    for is_break in (_can_break, is_edge):
        for offset in range(limit, max(start, limit - _LOOK_BACK), -1):
            if is_break(text, offset):
                return offset
    return limit if limit - start >= MOST_POINTS else next_edge(text, limit)


def _can_break(text: str, offset: int) -> bool:
    """Return whether a line may end before an offset, in Latin or East Asian text."""
    before, here = text[offset - 1], text[offset]
    if here in _NEVER_FIRST or before in _NEVER_LAST or here in _HANGING:
        return False
    if before in _BREAK_AFTER or _is_wide(before) or _is_wide(here):
        return is_edge(text, offset)
    return False


def _is_wide(character: str) -> bool:
    return character >= "\u1100" and cells_of(character) == 2


LEAST_ROWS: Final = 3
"""Minimum number of rows for each of the two texts on the screen; fewer in a tiny window."""


def rows_needed(text: str, width: int, *, most: int) -> int:
    """Return how many lines a text needs if it is wrapped to `width` cells, up to `most` lines."""
    if len(text) > most * width:
        return most
    layout = TextLayout(text)
    layout.wrap(width)
    return min(layout.lines, most)


def upper_rows(rows: int, *, upper: int, lower: int) -> int:
    """Return how many of `rows` screen rows the upper of two texts gets; the lower gets the rest.

    The upper text gets two fifths, unless one text needs more (`upper` and `lower` rows) and the
    other less.
    """
    least = min(LEAST_ROWS, rows // 2)
    # The median: two fifths, but no more or less than both texts allow.
    given = sorted((rows * 2 // 5, upper, rows - lower))[1]
    return max(least, min(given, rows - least))
