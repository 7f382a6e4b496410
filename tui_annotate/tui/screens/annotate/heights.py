"""How the two texts share the rows where one stands over the other, and what is too few of them."""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.screens.annotate.drawing import AnnotateDrawing
from tui_annotate.tui.text.heights import rows_needed, upper_rows
from tui_annotate.tui.widgets.around import FRAME_LINES
from tui_annotate.tui.widgets.document_view import text_columns
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.label_bar import LabelBar

_LINES = 5  # header, two titles, draft line, keys

# What a window has at least, so that each text shows a line above two rows of options.
_COLUMNS: Final = 30
_STACKED: Final = 9  # rows, where one text stands over the other
_ONE: Final = 7  # rows, where they stand side by side, or one alone


class AnnotateHeights(AnnotateDrawing):
    """Decides once for each sample and size, so that nothing jumps while somebody works."""

    def __init__(self) -> None:
        super().__init__()
        self._heights_for: tuple[SampleKey, int, int, int] | None = None

    @property
    def least(self) -> tuple[int, int]:
        """(columns, rows) in which every text of the layout shows a line."""
        return _COLUMNS, _ONE if self._apart else _STACKED

    @property
    def too_small(self) -> bool:
        """Whether somebody could save what they can not read."""
        (width, height), (columns, rows) = self.app.size, self.least
        return width < columns or height < rows

    @property
    def _apart(self) -> bool:
        return self.has_class("-beside") or self.has_class("-one")

    def show_draft(self) -> None:
        """Also: how tall the texts are, once it is known how many rows the options take."""
        super().show_draft()
        if self.draft is None:
            return
        if self.too_small:
            columns, rows = self.least
            self.query_one(LabelBar).show((), title="", asleep=True)
            told = f"too small: {columns} x {rows} at least"
            self.query_one(DraftLine).show(told, kind=WARNING)
        if self._apart:
            if self._heights_for:  # to set it to what it is lays all out anew
                self._heights_for = self.styles.grid_rows = None
            return
        bar = 3 if self.has_class("-three") else 2 if self.has_class("-two") else 1
        where = (self.draft.sample.key, *self.app.size, bar)
        if where != self._heights_for:
            self._heights_for = where
            rows = max(self.app.size.height - _LINES - bar, 0)
            upper = self._upper_rows(self.draft, rows)
            lower = max(rows - upper, 1)
            self.styles.grid_rows = f"1 1 {max(upper, 1)}fr 1 {lower}fr auto {bar} 1"

    def _upper_rows(self, draft: Draft, rows: int) -> int:
        width = text_columns(self.app.size.width)
        upper, lower = (
            max(
                (rows_needed(one.text, width, most=rows) for one in draft.sample.side(side)),
                default=1,
            )
            for side in (Side.SUMMARY, Side.SOURCE)
        )
        framed = 2 * FRAME_LINES if draft.tabs else 0
        return upper_rows(rows, upper=upper + framed, lower=lower)
