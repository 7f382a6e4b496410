"""Text for one line of cells: made harmless, measured, cut and padded; the raw text is never kept.

A list or a bar needs no offsets, so clusters that terminals measure in different ways (variation
selectors, skin tones, joined emoji, flags, towers of combining marks) are shown in their simple
form, and white space in one cell. Texts under annotation are laid out in `text`, never here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_annotate.domain.visible import visible

Run = tuple[str, Style]
"""A piece of a line: text that went through `shown` (or is our own), and its style."""

ELLIPSIS = "…"

_LONGEST = 600  # code points looked at; no terminal has a line of so many cells
_MOST_MARKS = 2  # zero-width marks kept on one character
_JOINER = "\u200d"


def shown(text: str) -> str:
    """`text` as it may stand in one line: no control, no new line, no cluster of uncertain width.

    At most 600 code points are looked at. Runs of blanks and new lines become one blank.
    """
    line = visible(" ".join(text[:_LONGEST].split()))
    return line if line.isascii() else "".join(_simple(line))


def _simple(line: str) -> Iterable[str]:
    marks = 0
    joined = False
    for character in line:
        if joined or character == _JOINER:
            joined = character == _JOINER
            continue
        if get_character_cell_size(character) == 0 or "\U0001f3fb" <= character <= "\U0001f3ff":
            marks += 1
            if marks > _MOST_MARKS or not _is_mark(character):
                continue
        else:
            marks = 0
        yield _FLAGS.get(character, character)


_FLAGS = {chr(0x1F1E6 + place): chr(ord("A") + place) for place in range(26)}


def _is_mark(character: str) -> bool:
    return not ("\ufe00" <= character <= "\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff")


def width(text: str) -> int:
    """Cells of a text that went through `shown`."""
    return cell_len(text)


def cut(text: str, cells: int) -> str:
    """The start of `text` in at most `cells` cells, with an ellipsis where something is missing."""
    if cell_len(text) <= cells:
        return text
    if cells < 1:
        return ""
    room = cells - 1
    for place, character in enumerate(text):
        room -= get_character_cell_size(character)
        if room < 0:
            return text[:place].rstrip() + ELLIPSIS
    return text


def fit(text: str, cells: int) -> str:
    """`cut`, then blanks up to exactly `cells` cells."""
    kept = cut(text, cells)
    return kept + " " * (cells - cell_len(kept))


def extent(runs: Iterable[Run]) -> int:
    """Cells of all runs together."""
    return sum(cell_len(text) for text, _ in runs)


def strip_of(runs: Sequence[Run], cells: int, ground: Style) -> Strip:
    """Runs as a strip of exactly `cells` cells, each laid over `ground`, which also pads."""
    segments = [Segment(text, ground + style) for text, style in runs if text]
    return Strip(segments).adjust_cell_length(cells, ground)


def both_ends(left: Sequence[Run], right: Sequence[Run], cells: int) -> list[Run]:
    """Left runs, blanks, right runs, in `cells` cells; the left ones are cut where need be."""
    room = cells - extent(right)
    kept = clip(left, room)
    return [*kept, (" " * (room - extent(kept)), Style.null()), *right]


def clip(runs: Sequence[Run], cells: int) -> list[Run]:
    """The runs as far as they fit in `cells` cells, the one at the edge cut with an ellipsis."""
    kept: list[Run] = []
    for text, style in runs:
        if cells <= 0:
            break
        part = cut(text, cells)
        kept.append((part, style))
        cells = 0 if part != text else cells - cell_len(part)
    return kept


def paragraphs(text: str) -> list[str]:
    """The lines of a longer text, each as it may be shown; tabs are four blanks."""
    lines = text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return ["".join(_simple(visible(line))) for line in lines]


def wrapped(line: str, cells: int) -> list[str]:
    """A line that went through `shown` or `paragraphs`, in pieces of at most `cells` cells.

    Broken after a blank or between wide characters, where there is such a place, and never before
    closing punctuation; an empty line gives one empty piece.
    """
    cells = max(cells, 2)
    pieces: list[str] = []
    while cell_len(line) > cells:
        end = _break(line, cells)
        pieces.append(line[:end].rstrip(" "))
        line = line[end:].lstrip(" ")
    return [*pieces, line] if line or not pieces else pieces


_CLOSING = frozenset("。，、；：？！）」』”’》〉】,.;:?!)]}")


def _edge(line: str, cells: int) -> int:
    """How many characters of a line fit in so many cells."""
    for place, character in enumerate(line):
        cells -= get_character_cell_size(character)
        if cells < 0:
            return place
    return len(line)


def _break(line: str, cells: int) -> int:
    """The index after which to break; at least 1."""
    edge = cells if line.isascii() else _edge(line, cells)
    for place in range(edge, max(edge - 60, 0), -1):
        before, after = line[place - 1], line[place]
        if " " in (before, after):
            return place
        wide = get_character_cell_size(before) == 2 or get_character_cell_size(after) == 2
        if wide and after not in _CLOSING and before not in "（「『“‘《〈【":
            return place
    return max(edge, 1)
