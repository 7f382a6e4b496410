"""Converts offsets in code points to offsets in UTF-16 code units, and back."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate

from tui_annotate.domain.errors import InvalidSpan


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """A mapping between the code points of one text and UTF-16 code units; made by `utf16_map`.

    Attributes:
        ends: the unit offset after each code point; None if every code point is one unit.
    """

    ends: tuple[int, ...] | None
    length: int

    def to_units(self, offset: int) -> int:
        """Convert a code point offset in [0, length] to UTF-16 units; InvalidSpan outside."""
        if not 0 <= offset <= self.length:
            raise InvalidSpan(f"offset {offset} is outside a text of {self.length} code points")
        if self.ends is None or offset == 0:
            return offset
        return self.ends[offset - 1]

    def to_code_points(self, units: int) -> int:
        """Convert UTF-16 units to a code point offset; InvalidSpan outside, or in a character."""
        if self.ends is None:
            return self.to_units(units)
        if units == 0:
            return 0
        index = bisect_left(self.ends, units)
        if units < 0 or index == len(self.ends) or self.ends[index] != units:
            raise InvalidSpan(f"UTF-16 offset {units} is outside the text or inside a character")
        return index + 1


def utf16_map(text: str) -> OffsetMap:
    """Return the mapping between a text's code points and UTF-16 units (JavaScript, Java, UIMA)."""
    ends = tuple(accumulate(2 if ord(character) > 0xFFFF else 1 for character in text))
    same = not ends or ends[-1] == len(text)
    return OffsetMap(None if same else ends, len(text))
