"""Translates code point offsets at the edge: UTF-16 units, UTF-8 bytes, lines and columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from tui_annotate.domain.errors import InvalidSpan


def _utf16_units(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


def _utf8_bytes(character: str) -> int:
    code = ord(character)
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    return 3 if code < 0x10000 else 4


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Code points of one text against another unit; made by `utf16_map` or `utf8_map`.

    Attributes:
        ends: the unit offset behind each code point; None where each counts one.
        length: the text's length in code points.
    """

    ends: tuple[int, ...] | None
    length: int

    def to_units(self, offset: int) -> int:
        """The unit offset of a code point offset in [0, length].

        Raises:
            InvalidSpan: the offset is outside the text.
        """
        if not 0 <= offset <= self.length:
            raise InvalidSpan(f"offset {offset} is outside a text of {self.length} code points")
        if self.ends is None or offset == 0:
            return offset
        return self.ends[offset - 1]

    def to_code_points(self, units: int) -> int:
        """The code point offset of a unit offset.

        Raises:
            InvalidSpan: it is outside the text, or inside a character.
        """
        if self.ends is None:
            return self.to_units(units)
        if units == 0:
            return 0
        index = bisect_left(self.ends, units)
        if units < 0 or index == len(self.ends) or self.ends[index] != units:
            raise InvalidSpan(f"unit offset {units} is outside the text or inside a character")
        return index + 1


def _map(text: str, width: Callable[[str], int]) -> OffsetMap:
    ends = tuple(accumulate(width(character) for character in text))
    same = not ends or ends[-1] == len(text)
    return OffsetMap(None if same else ends, len(text))


def utf16_map(text: str) -> OffsetMap:
    """Offsets against UTF-16 code units, as JavaScript, Java and UIMA count."""
    return _map(text, _utf16_units)


def utf8_map(text: str) -> OffsetMap:
    """Offsets against bytes of UTF-8."""
    return _map(text, _utf8_bytes)


@dataclass(frozen=True, slots=True)
class LineMap:
    """Lines of one text, parted at U+000A; counted from 1, columns in code points."""

    starts: tuple[int, ...]
    length: int

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a code point offset in [0, length].

        Raises:
            InvalidSpan: the offset is outside the text.
        """
        if not 0 <= offset <= self.length:
            raise InvalidSpan(f"offset {offset} is outside a text of {self.length} code points")
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The code point offset of a line and column.

        Raises:
            InvalidSpan: there is no such line or column.
        """
        if not 1 <= line <= len(self.starts):
            raise InvalidSpan(f"line {line} is outside a text of {len(self.starts)} lines")
        end = self.starts[line] if line < len(self.starts) else self.length + 1
        offset = self.starts[line - 1] + column - 1
        if column < 1 or offset >= end:
            raise InvalidSpan(f"column {column} is outside line {line}")
        return offset


def line_map(text: str) -> LineMap:
    """The lines of a text; an empty text has one line."""
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return LineMap(tuple(starts), len(text))
