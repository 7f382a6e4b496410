"""Dialog with news since the last session: announcements, answers, changed guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.line_text import line_text
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.message import ScrollDialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_text import split_paragraphs
from tui_annotate.tui.row_widgets import Words, wrap_words

if TYPE_CHECKING:
    from tui_annotate.domain.comments import NewsItem

_ROLES = {"+": "good", "-": "warning", " ": "text"}


class NewsDialog(ScrollDialog):
    """A dialog with news items; added lines begin with `+`, deleted lines with `-`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", "close", show=False)]

    keys: Keys = (("↑↓", KeyName.SCROLL), ("Enter", KeyName.CONTINUE))

    def __init__(self, items: Sequence[NewsItem]) -> None:
        super().__init__(DialogText.NEWS_TITLE.text())
        self._items = tuple(items)

    def lines(self, cells: int) -> list[list[Words]]:
        """Return the items one after the other, separated by blank lines."""
        lines: list[list[Words]] = []
        for place, item in enumerate(self._items):
            marked = any(piece.mark != " " for piece in item.lines)
            if place > 0:
                lines.append([])
            lines += wrap_words([], (line_text(item.title), "title"), cells - 1)
            for piece in item.lines:
                sign = f"{piece.mark} " if marked else "  "
                role = _ROLES[piece.mark]
                for text in split_paragraphs(piece.text):
                    lines += wrap_words([(sign, role)], (text, role), cells - 1)
                    sign = "  "
        return lines
