"""How many rows each of two texts gets that stand one over the other."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.text.layout import TextLayout

LEAST_ROWS: Final = 3
"""A text has so many rows at least, where there are enough for two."""


def rows_needed(text: str, width: int, *, most: int) -> int:
    """The lines of a text in `width` cells; counted no further than `most`, however long it is."""
    if len(text) > most * width:
        return most
    layout = TextLayout(text)
    layout.wrap(width)
    return min(layout.lines, most)


def upper_rows(rows: int, *, upper: int, lower: int) -> int:
    """The rows of the upper text; the lower one has the others.

    Two fifths, unless one of both needs more and the other leaves some.

    Args:
        rows: of both together.
        upper, lower: the rows that they need.
    """
    least = min(LEAST_ROWS, rows // 2)
    given = sorted((rows * 2 // 5, upper, rows - lower))[1]
    return max(least, min(given, rows - least))
