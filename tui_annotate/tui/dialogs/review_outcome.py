"""Dialog that shows annotators how their sample was adjudicated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from tui_annotate.domain.line_text import line_text
from tui_annotate.tui.dialogs.message import ScrollDialog
from tui_annotate.tui.dialogs.texts import DialogText
from tui_annotate.tui.row_widgets import Words, wrap_words

_SIGNS = {"good": "✓", "warning": "✗", "accent": "≈", "text": "+"}


class OutcomeRow(NamedTuple):
    """An annotation and its outcome in review.

    Attributes:
        role: `good` if accepted, `accent` if changed, `warning` if rejected or not accepted, `text`
            for an annotation by the reviewer or other annotators.
    """

    role: str
    annotation: str
    outcome: str


class ReviewOutcomeDialog(ScrollDialog):
    """A dialog with the outcome of the annotator's own work, then annotations of others."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,L", "close", "close", show=False)]

    def __init__(self, own: Sequence[OutcomeRow], added: Sequence[OutcomeRow]) -> None:
        super().__init__(DialogText.OUTCOME_TITLE.text())
        self._own = tuple(own)
        self._added = tuple(added)

    def lines(self, cells: int) -> list[list[Words]]:
        """Return both groups with their titles; an empty group gets a line that states it."""
        lines: list[list[Words]] = []
        for title, rows, nothing in (
            (DialogText.OUTCOME_YOURS, self._own, DialogText.OUTCOME_NONE),
            (DialogText.OUTCOME_ADDED, self._added, DialogText.OUTCOME_NONE_ADDED),
        ):
            lines.append([(title.text(), "title_focused")])
            for row in rows:
                lines += _render_row(row, cells)
            if not rows:
                lines.append([(f"   {nothing.text()}", "quiet")])
            lines.append([])
        return lines


def _render_row(row: OutcomeRow, cells: int) -> list[list[Words]]:
    cells = max(cells - 1, 11)
    role, own, outcome = row
    lines = wrap_words([(f" {_SIGNS[role]} ", role)], (line_text(own), "text"), cells)
    return lines + wrap_words([("   ", role)], (line_text(outcome), role), cells)
