"""Display of code points: the displayed strings, their cells, and edges of grapheme clusters.

Terminals and libraries disagree on the width of emoji sequences, so only the first part of a
sequence is drawn: rich, wcwidth, tmux and xterm then count the same cells. Offsets never change.
Clusters are nearly the grapheme clusters of Unicode (UAX 29); a cursor is only at their edges.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from tui_annotate.domain.spans import Span
from tui_annotate.domain.terminal_text import make_visible

TAB: Final = "    "
"""A tab is displayed as four spaces. Tab stops would need the column of every character."""

MARKS_PER_CELL: Final = 4
"""Maximum number of combining marks shown on a character; other marks are not sent."""

ZERO_WIDTH_JOINER: Final = "\u200d"

_HIDDEN = r"\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef"
_PICTURE = (
    r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    r"\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    r"\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001fbff"
)
_EXTENDER = r"[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\u20e3]"

# code points of one cell that are shown unchanged and begin a cluster: most characters of texts
_PLAIN = (
    r"\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u0391-\u03a1\u03a3-\u03ce\u0400-\u0482"
    r"\u2010-\u2015\u2018-\u201f\u2020-\u2022\u2026\u20ac"
)
_not_plain = re.compile(f"[^\n{_PLAIN}]").search
# code points that are shown unchanged in any context, but not in one cell
_WIDE = (
    r"\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3"
    r"\uff01-\uff60"
)
_not_as_it_is = re.compile(f"[^{_PLAIN}{_WIDE}]").search
_not_plain_nor_line_end = re.compile(f"[^\n\r{_PLAIN}]|\r(?!\n)").search

_is_hidden = re.compile(f"[{_HIDDEN}]").match
_is_picture = re.compile(f"[{_PICTURE}]").match
_joined_pictures = re.compile(
    f"[{_PICTURE}]{_EXTENDER}*(?:\u200d[{_PICTURE}]{_EXTENDER}*)+"
).finditer
_ends_with_picture = re.compile(f"[{_PICTURE}]{_EXTENDER}*\\Z").search

# wide or narrow, depending on the library, or blank: a box in their place keeps rows aligned
_is_disputed = re.compile(
    r"[\u115f\u302e\u302f\u3164\uffa0\u2630-\u2637\u268a-\u268f\u3248-\u324f\u4dc0-\u4dff"
    r"\U00016ff0\U00016ff1\U0001d300-\U0001d356\U0001d360-\U0001d378]"
).match
_BOX: Final = make_visible("\u200b")
_BOXES: Final = frozenset({_BOX, "\ufffd"})

# medial vowels and finals of Korean syllables: drawn over the consonant before
_is_overlaid = re.compile(r"[\u1160-\u11ff\ud7b0-\ud7c6\ud7cb-\ud7fb]").match

_FIRST_FLAG, _LAST_FLAG = "\U0001f1e6", "\U0001f1ff"
FLAG_LETTERS: Final = "".join(map(chr, range(ord(_FIRST_FLAG), ord(_LAST_FLAG) + 1)))
_FLAGS_COUNTED = 64  # maximum regional indicators in a row that are paired
_LOOK_BACK = 32  # maximum extenders between two joined pictures of an emoji


def find_unplain(text: str, start: int = 0) -> int:
    """Return the offset of a text's first code point that may not be one cell wide; -1 for none.

    Other code points are shown unchanged in one cell, except line ends (LF or CR LF).
    """
    found = (_not_plain_nor_line_end if "\r" in text else _not_plain)(text, start)
    return -1 if found is None else found.start()


def is_flag_letter(character: str) -> bool:
    """Return whether a character is a regional indicator; two of these form a flag."""
    return _FIRST_FLAG <= character <= _LAST_FLAG


def is_joined(text: str, offset: int) -> bool:
    """Return whether an emoji at `offset` is joined to the emoji before, as in a family emoji."""
    if not offset or text[offset - 1] != ZERO_WIDTH_JOINER or not _is_picture(text[offset]):
        return False
    before = text[max(0, offset - 1 - _LOOK_BACK) : offset - 1]
    return _ends_with_picture(before) is not None


@cache
def character_width(character: str) -> int:
    """Return the number of terminal cells that rich counts for a displayable code point: 0 to 2."""
    category = unicodedata.category(character)
    if category in ("Cc", "Mc", "Me", "Mn") or _is_overlaid(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("F", "W") else 1


@cache
def _display_of(character: str) -> tuple[str, int]:
    if character == "\t":
        return TAB, len(TAB)
    if character == "\n" or _is_hidden(character):
        return "", 0
    if is_flag_letter(character):
        return chr(ord("A") + ord(character) - ord(_FIRST_FLAG)), 1
    shown = _BOX if _is_disputed(character) else make_visible(character)
    cells = character_width(shown)
    category = unicodedata.category(shown)
    if category == "Zs":
        return " " * cells, cells
    # tmux, xterm and the C library give a spacing mark a cell; rich does not
    return shown, 1 if category == "Mc" else cells


@cache
def cells_of(character: str) -> int:
    """Return how many terminal cells one code point takes alone: 0, 1, 2, or 4 for a tab."""
    return _display_of(character)[1]


@cache
def is_extender(character: str) -> bool:
    """Return whether a code point is drawn on the character before, such as a combining mark."""
    spacing = unicodedata.category(character) == "Mc"
    return spacing or (character != "\n" and not cells_of(character))


def _hidden_by_context(text: str) -> Iterator[int]:
    if ZERO_WIDTH_JOINER in text:
        for joined in _joined_pictures(text):
            yield from range(joined.start() + 1, joined.end())
    end = text.find("\r\n")
    while end >= 0:
        yield end
        end = text.find("\r\n", end + 1)


def widths(text: str) -> bytearray:
    """Return the number of terminal cells of each code point in a whole paragraph, in order."""
    found = bytearray(map(cells_of, text))
    for hidden in _hidden_by_context(text):
        found[hidden] = 0
    return found


def display_characters(text: str) -> Sequence[str]:
    """Return the string to send for each code point; empty for newline and later parts of emoji.

    At most `MARKS_PER_CELL` combining marks follow one base.
    """
    if _not_as_it_is(text) is None:
        return text
    strings = [_display_of(character)[0] for character in text]
    for hidden in _hidden_by_context(text):
        strings[hidden] = ""
    marks = 0
    for index, character in enumerate(text):
        if cells_of(character) or character == "\n":
            marks = 0
        elif strings[index]:
            marks += 1
            if marks > MARKS_PER_CELL:
                strings[index] = ""
    return strings


def stand_ins(text: str) -> tuple[int, ...]:
    """Return the indices at which a line shows a substitute for an undisplayable code point."""
    if _not_as_it_is(text) is None:
        return ()
    looks = ((index, character, _display_of(character)[0]) for index, character in enumerate(text))
    return tuple(
        index
        for index, character, shown in looks
        if shown != character and (shown in _BOXES or "\u2400" <= shown <= "\u2426")
    )


def is_edge(text: str, offset: int) -> bool:
    """Return whether a grapheme cluster begins, or the text ends, at an offset in [0, length]."""
    if offset <= 0 or offset >= len(text):
        return True
    before, here = text[offset - 1], text[offset]
    if before == "\n" or here == "\n":
        return before != "\r"
    if here == "\r" and text[offset + 1 : offset + 2] == "\n":
        return True
    if is_extender(here):
        return False
    if is_flag_letter(here) and is_flag_letter(before):
        letters = text[max(0, offset - _FLAGS_COUNTED) : offset]
        return (len(letters) - len(letters.rstrip(FLAG_LETTERS))) % 2 == 0
    return not is_joined(text, offset)


def next_edge(text: str, offset: int) -> int:
    """Return the first boundary between grapheme clusters after `offset`, or the text's end."""
    offset += 1
    while not is_edge(text, offset):
        offset += 1
    return min(offset, len(text))


def previous_edge(text: str, offset: int) -> int:
    """Return the last boundary between grapheme clusters before `offset`, or 0."""
    offset -= 1
    while not is_edge(text, offset):
        offset -= 1
    return max(offset, 0)


def cluster_start(text: str, offset: int) -> int:
    """Return the nearest boundary between grapheme clusters at or before `offset`."""
    return offset if is_edge(text, offset) else previous_edge(text, offset)


def cluster_end(text: str, offset: int) -> int:
    """Return the nearest boundary between grapheme clusters at or after `offset`."""
    return offset if is_edge(text, offset) else next_edge(text, offset)


def snap(text: str, span: Span) -> Span:
    """Return the smallest span of whole grapheme clusters that contains `span`, within the text.

    Raises:
        InvalidSpan: the span is outside of the text.
    """
    start, end = (min(offset, len(text)) for offset in (span.start, span.end))
    return Span(cluster_start(text, start), cluster_end(text, end))
