"""What is new since one was last here: notices, answers, changed guidelines; read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.message import ScrollDialog
from tui_annotate.tui.line_text import line_text, paragraphs, wrap_line
from tui_annotate.tui.row_widgets import Words

if TYPE_CHECKING:
    from tui_annotate.domain.comments import NewsItem

_ROLES = {"+": "good", "-": "warning", " ": "text"}


class NoticesDialog(ScrollDialog):
    """Items one under another; lines that came begin with `+`, those that went with `-`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", "close", show=False)]

    keys: Keys = (("↑↓", "scroll"), ("Enter", "to work"))

    def __init__(self, items: Sequence[NewsItem]) -> None:
        super().__init__("New since you were last here")
        self._items = tuple(items)

    def lines(self, cells: int) -> list[list[Words]]:
        """Each item under its title, wrapped."""
        lines: list[list[Words]] = []
        for place, item in enumerate(self._items):
            marked = any(piece.mark != " " for piece in item.lines)
            lines += [[]] if place else []
            lines += [[(part, "title")] for part in wrap_line(line_text(item.title), cells - 1)]
            for piece in item.lines:
                sign = f"{piece.mark} " if marked else "  "
                for text in paragraphs(piece.text):
                    for part in wrap_line(text, cells - 3):
                        lines.append([(sign + part, _ROLES[piece.mark])])
                        sign = "  "
        return lines
