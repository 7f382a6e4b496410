"""How review settled a sample, for one who annotated it: what became of theirs, what was added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.message import ScrollDialog
from tui_annotate.tui.line_text import line_text, wrap_line
from tui_annotate.tui.row_widgets import Words

_SIGNS = {"good": "✓", "warning": "✗", "accent": "≈", "text": "+"}


class OutcomeRow(NamedTuple):
    """One annotation, and what became of it.

    Attributes:
        role: `good` where it was taken, `accent` where it was changed, `warning` where it was not
            taken, `text` where the reviewer or others marked it.
        said: its labels and words.
        became: what became of it.
    """

    role: str
    said: str
    became: str


class ReviewOutcomeDialog(ScrollDialog):
    """One's own first, then what was added."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,L", "close", "close", show=False)]

    def __init__(self, own: Sequence[OutcomeRow], added: Sequence[OutcomeRow]) -> None:
        super().__init__("How this sample was settled")
        self._own, self._added = tuple(own), tuple(added)

    def lines(self, cells: int) -> list[list[Words]]:
        """Each annotation with what became of it."""
        lines: list[list[Words]] = []
        for title, told, nothing in (
            ("Yours", self._own, "You marked nothing."),
            ("What you did not mark", self._added, "Nothing was added."),
        ):
            lines.append([(title, "title_focused")])
            for one in told:
                lines += _render_annotation(one, cells)
            if not told:
                lines.append([(f"   {nothing}", "quiet")])
            lines.append([])
        return lines


def _render_annotation(told: OutcomeRow, cells: int) -> list[list[Words]]:
    room = max(cells - 4, 8)
    first, *more = wrap_line(line_text(told.said), room)
    lines: list[list[Words]] = [[(f" {_SIGNS[told.role]} ", told.role), (first, "text")]]
    lines += [[(f"   {piece}", "text")] for piece in more]
    lines += [[(f"   {piece}", told.role)] for piece in wrap_line(line_text(told.became), room)]
    return lines
