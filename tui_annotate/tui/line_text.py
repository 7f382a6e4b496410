"""Functions that pad, align, cut and wrap styled text for terminal lines.

The texts were cleaned by `domain/line_text.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_annotate.domain.line_text import ELLIPSIS, cut, first_cells, text_width
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


def strip_of(runs: Sequence[Run], cells: int, background: Style) -> Strip:
    """Build a line of exactly `cells` terminal cells from pieces of text on a background."""
    segments = [Segment(text, background + style) for text, style in runs if text]
    return Strip(segments).adjust_cell_length(cells, background)


def align_both_ends(left: Sequence[Run], right: Sequence[Run], cells: int) -> list[Run]:
    """Align pieces of text left and right in `cells` cells; cut the left ones if necessary.

    `right` is never cut: the result is wider than `cells` if `right` is.
    """
    left_cells = cells - runs_width(right)
    kept = clip(left, left_cells)
    return [*kept, (" " * (left_cells - runs_width(kept)), Style.null()), *right]


def clip(runs: Sequence[Run], cells: int) -> list[Run]:
    """Cut pieces of styled text to at most `cells` cells in total, with an ellipsis if text is cut.

    The result is empty if `cells` is less than 1.
    """
    if runs_width(runs) <= cells:
        return list(runs)
    if cells < 1:
        return []
    free = cells - text_width(ELLIPSIS)
    kept: list[Run] = []
    for text, style in runs:
        width = text_width(text)
        if width > free:
            kept.append((first_cells(text, free).rstrip() + ELLIPSIS, style))
            break
        kept.append((text, style))
        free -= width
    return kept


def split_paragraphs(text: str) -> list[str]:
    """Split a text at line breaks, and replace or leave out what a terminal cannot show.

    A tab becomes four blanks.
    """
    return ["".join(display_characters(line)) for line in text.replace("\r\n", "\n").split("\n")]


def wrap_line(line: str, cells: int) -> list[str]:
    """Wrap a cleaned line of text into pieces of at most `cells` terminal cells.

    Lines break at a blank or next to a wide character if possible, and not between a wide character
    and punctuation that belongs to it. Blanks at a break are left out. A line without words is one
    piece. Fewer than 2 cells count as 2, the width of a wide character.
    """
    cells = max(cells, 2)
    pieces: list[str] = []
    # Only the start of the line is measured: the rest of a long line costs its length each time.
    while len(first_cells(line, cells)) < len(line):
        end = _find_break(line, cells)
        piece = line[:end].rstrip(" ")
        if piece:  # it is empty if the line begins with blanks and its first word needs all cells
            pieces.append(piece)
        line = line[end:].lstrip(" ")
        if line and character_width(line[0]) == 0:  # a combining mark is drawn on the last blank
            line = f" {line}"
    return [*pieces, line] if line or not pieces else pieces


_LONGEST_WORD = 60
"""Maximum number of characters that are moved to the next line to keep a word in one piece."""
# Rules of Chinese and Japanese typesetting: closing punctuation does not begin a line, and opening
# punctuation does not end one.
_CLOSING = frozenset("。，、；：？！）」』”’》〉】,.;:?!)]}")
_OPENING = frozenset("（「『“‘《〈【")


def _find_break(line: str, cells: int) -> int:
    """Return how many characters of a line come before its line break, at least 1."""
    edge = len(first_cells(line, cells))
    for at in range(edge, max(edge - _LONGEST_WORD, 0), -1):
        before = line[at - 1]
        after = line[at]
        if character_width(after) == 0:  # a combining mark is drawn on the character before
            continue
        if " " in (before, after):
            return at
        is_wide = character_width(before) == 2 or character_width(after) == 2
        if is_wide and after not in _CLOSING and before not in _OPENING:
            return at
    return max(edge, 1)
