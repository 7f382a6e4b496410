"""Converts offsets in code points to UTF-16 code units or grapheme clusters, and back."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from unicodedata import category

from tui_annotate.domain.errors import InvalidSpan


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """A mapping between the code points of one text and the units of another way of counting.

    `utf16_map` and `grapheme_map` make it.

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
        """Convert units to a code point offset; InvalidSpan outside, or in a character."""
        if self.ends is None:
            return self.to_units(units)
        if units == 0:
            return 0
        index = bisect_left(self.ends, units)
        if units < 0 or index == len(self.ends) or self.ends[index] != units:
            raise InvalidSpan(f"offset {units} is outside the text or inside a character")
        return index + 1


def utf16_map(text: str) -> OffsetMap:
    """Return the mapping between a text's code points and UTF-16 units (JavaScript, Java, UIMA)."""
    ends = tuple(accumulate(2 if ord(character) > 0xFFFF else 1 for character in text))
    same = not ends or ends[-1] == len(text)
    return OffsetMap(None if same else ends, len(text))


_JOINED = r"\u200d\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_PICTURE = (
    r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    r"\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    r"\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_HANGUL = r"[\u1100-\u115f\ua960-\ua97c]*(?:[\uac00-\ud7a3]|[\u1160-\u11a7\ud7b0-\ud7c6])"


def _find_marks() -> str:
    """Return a class of characters for the code points that extend a cluster: all marks."""
    marks = (code for code in range(0x300, 0x1F000) if category(chr(code))[0] == "M")
    return "".join(f"\\U{code:08x}" for code in marks)


@cache
def _cluster_pattern() -> re.Pattern[str]:
    tail = f"[{_JOINED}{_find_marks()}]*"
    picture = f"[{_PICTURE}]{tail}(?:(?<=\u200d)[{_PICTURE}]{tail})*"
    flag = f"[\U0001f1e6-\U0001f1ff]{{2}}{tail}"
    hangul = f"{_HANGUL}[\u1160-\u11ff\ud7b0-\ud7fb]*{tail}"
    return re.compile(f"\r\n|[\r\n]|{flag}|{picture}|{hangul}|.{tail}", re.DOTALL)


def grapheme_map(text: str) -> OffsetMap:
    """Return the mapping between a text's code points and its grapheme clusters (UAX 29)."""
    if text.isascii() and "\r" not in text:
        return OffsetMap(None, len(text))
    clusters = (found.end() - found.start() for found in _cluster_pattern().finditer(text))
    # A cluster counts as one unit at its last code point, and its other code points as none.
    widths = [width for size in clusters for width in (*[0] * (size - 1), 1)]
    ends = tuple(accumulate(widths))
    return OffsetMap(ends if ends and ends[-1] < len(text) else None, len(text))
