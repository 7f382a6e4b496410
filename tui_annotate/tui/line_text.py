"""Text for one line of cells: made harmless, measured, cut and padded.

Characters look as in documents, see `text.display`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, get_character_cell_size, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_annotate.tui.text.display import display_characters

Run = tuple[str, Style]
"""A piece of a line: text that went through `line_text` (or is our own), and its style."""

ELLIPSIS = "…"

_LONGEST = 600  # code points looked at; no terminal has a line of so many cells


def line_text(text: str) -> str:
    """`text` as one line without controls and clusters of uncertain width.

    Only the first 600 code points are used. Runs of white space become one blank.
    """
    return "".join(display_characters(" ".join(text[:_LONGEST].split())))


def text_width(text: str) -> int:
    """Cells of a text that went through `line_text`."""
    return cell_len(text)


def cut(text: str, cells: int) -> str:
    """The start of `text` in at most `cells` cells, with an ellipsis if it was cut."""
    if cell_len(text) <= cells:
        return text
    if cells < 1:
        return ""
    return set_cell_size(text, cells - 1).rstrip() + ELLIPSIS


def fit(text: str, cells: int) -> str:
    """`cut`, then blanks up to exactly `cells` cells."""
    kept = cut(text, cells)
    return kept + " " * (cells - cell_len(kept))


def runs_width(runs: Iterable[Run]) -> int:
    """Cells of all runs together."""
    return sum(cell_len(text) for text, _ in runs)


def strip_of(runs: Sequence[Run], cells: int, ground: Style) -> Strip:
    """Runs as a strip of exactly `cells` cells, each laid over `ground`, which also pads."""
    segments = [Segment(text, ground + style) for text, style in runs if text]
    return Strip(segments).adjust_cell_length(cells, ground)


def align_both_ends(left: Sequence[Run], right: Sequence[Run], cells: int) -> list[Run]:
    """Left runs, blanks, right runs, in `cells` cells; the left ones are cut if necessary."""
    left_cells = cells - runs_width(right)
    kept = clip(left, left_cells)
    return [*kept, (" " * (left_cells - runs_width(kept)), Style.null()), *right]


def clip(runs: Sequence[Run], cells: int) -> list[Run]:
    """The runs that fit in `cells` cells, the last one cut with an ellipsis."""
    kept: list[Run] = []
    for text, style in runs:
        if cells <= 0:
            break
        part = cut(text, cells)
        kept.append((part, style))
        cells = 0 if part != text else cells - cell_len(part)
    return kept


def split_paragraphs(text: str) -> list[str]:
    """The lines of a longer text, made harmless; tabs are four blanks."""
    return ["".join(display_characters(line)) for line in text.replace("\r\n", "\n").split("\n")]


def wrap_line(line: str, cells: int) -> list[str]:
    """A harmless line in pieces of at most `cells` cells; one empty piece for an empty line.

    Broken after a blank or between wide characters if possible, not before closing punctuation.
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
    """The number of characters of a line that fit in so many cells."""
    for at, character in enumerate(line):
        cells -= get_character_cell_size(character)
        if cells < 0:
            return at
    return len(line)


def _break(line: str, cells: int) -> int:
    """The index after which to break; at least 1."""
    edge = cells if line.isascii() else _edge(line, cells)
    for at in range(edge, max(edge - 60, 0), -1):
        before, after = line[at - 1], line[at]
        if " " in (before, after):
            return at
        wide = get_character_cell_size(before) == 2 or get_character_cell_size(after) == 2
        if wide and after not in _CLOSING and before not in "（「『“‘《〈【":
            return at
    return max(edge, 1)
