"""The rows of a collection's tree, painted: what is open, what is done, what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.message import Message

from tui_annotate.tui.lines import Run, both_ends, cut, shown
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR
from tui_annotate.tui.rows import RowList
from tui_annotate.tui.screens.collection.folding import Row

UNFOLDED: Final = "▾"
OPEN: Final = "·"
NOTHING: Final = " "
"""In front of a row whose rows are shown; of what is not complete; of what has nothing to do."""

_INDENT: Final = 2  # cells a floor
_NAME: Final = 32  # cells of an id at most


class TreeRows(RowList):
    """The rows that are unfolded."""

    class Clicked(Message):
        """A row was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._signs: Sequence[str] = ()
        self._message = "reading…"

    def show(self, rows: Sequence[Row], signs: Sequence[str], *, focused: int, empty: str) -> None:
        """Other rows.

        Args:
            signs: in front of each: folded, unfolded, or nothing below it.
            empty: what is told where there are none.
        """
        self._rows, self._signs, self._message = rows, signs, "" if rows else empty
        self.set_rows(max(len(rows), 1), focused=focused)
        self.refresh()

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """Bar, tick, name, how it goes on, and at the right edge what is counted."""
        palette = self.palette
        if self._message:
            return [(f"  {self._message}", palette.quiet)]
        row = self._rows[index]
        style = palette.quiet if row.complete else palette.text
        tick = (CHOSEN, palette.good) if row.complete else (OPEN, palette.accent)
        tick = tick if row.total else (NOTHING, style)
        left: list[Run] = [
            (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
            (" " * (_INDENT * (len(row.path) - 1) + 1), style),
            (f"{self._signs[index]} ", palette.key),
            (f"{tick[0]} ", tick[1]),
            (cut(shown(row.path[-1]), _NAME), style if row.complete else palette.strong),
            (f"  {shown(row.text)}", palette.quiet),
        ]
        return both_ends(left, [(f" {counted(row)} ", style)], cells)

    def clicked(self, index: int) -> None:
        """Acts on the row."""
        if index < len(self._rows):
            self.post_message(self.Clicked(index))


def counted(row: Row) -> str:
    """How much is done under a row; nothing for what is one item."""
    return f"{row.done}/{row.total}" if row.total > 1 or not row.keys else ""
