"""Functions that pad, align, cut and wrap styled text for terminal lines.

The texts were cleaned by `domain/line_text.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_annotate.domain.line_text import cut, text_width
from tui_annotate.domain.text_display import character_width, display_characters

Run = tuple[str, Style]
"""A piece of text and its style. The text is a constant or a result of `line_text`."""


def fit(text: str, cells: int) -> str:
    """Cut a text, or pad it with blanks, to exactly `cells` terminal cells."""
    kept = cut(text, cells)
    return kept + " " * (cells - text_width(kept))


def runs_width(runs: Iterable[Run]) -> int:
    """Return the width of pieces of text in terminal cells."""
    return sum(text_width(text) for text, _ in runs)


def strip_of(runs: Sequence[Run], cells: int, ground: Style) -> Strip:
    """Build a line of exactly `cells` terminal cells from pieces of text on a background."""
    segments = [Segment(text, ground + style) for text, style in runs if text]
    return Strip(segments).adjust_cell_length(cells, ground)


def align_both_ends(left: Sequence[Run], right: Sequence[Run], cells: int) -> list[Run]:
    """Align pieces of text left and right in `cells` cells; cut the left ones if necessary."""
    left_cells = cells - runs_width(right)
    kept = clip(left, left_cells)
    return [*kept, (" " * (left_cells - runs_width(kept)), Style.null()), *right]


def clip(runs: Sequence[Run], cells: int) -> list[Run]:
    """Cut pieces of styled text after `cells` cells in total, with an ellipsis for cut text."""
    kept: list[Run] = []
    for text, style in runs:
        if cells <= 0:
            break
        part = cut(text, cells)
        kept.append((part, style))
        cells = 0 if part != text else cells - text_width(part)
    return kept


def split_paragraphs(text: str) -> list[str]:
    """Split a text at line breaks; drop what a terminal cannot show, and turn tabs into blanks."""
    return ["".join(display_characters(line)) for line in text.replace("\r\n", "\n").split("\n")]


def wrap_line(line: str, cells: int) -> list[str]:
    """Wrap a cleaned line of text into pieces of at most `cells` terminal cells.

    Lines break at a blank or next to a wide character if possible, and not between a wide character
    and closing punctuation. An empty line is one empty piece.
    """
    cells = max(cells, 2)
    pieces: list[str] = []
    while text_width(line) > cells:
        end = _break(line, cells)
        pieces.append(line[:end].rstrip(" "))
        line = line[end:].lstrip(" ")
    return [*pieces, line] if line or not pieces else pieces


_CLOSING = frozenset("。，、；：？！）」』”’》〉】,.;:?!)]}")


def _edge(line: str, cells: int) -> int:
    """Return the number of characters of a line that fit in `cells` terminal cells."""
    for at, character in enumerate(line):
        cells -= character_width(character)
        if cells < 0:
            return at
    return len(line)


def _break(line: str, cells: int) -> int:
    """Return how many characters of a line come before its line break, at least 1."""
    edge = cells if line.isascii() else _edge(line, cells)
    for at in range(edge, max(edge - 60, 0), -1):
        before, after = line[at - 1], line[at]
        if " " in (before, after):
            return at
        wide = character_width(before) == 2 or character_width(after) == 2
        if wide and after not in _CLOSING and before not in "（「『“‘《〈【":
            return at
    return max(edge, 1)
