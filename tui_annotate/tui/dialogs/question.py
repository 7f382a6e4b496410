"""Dialog that asks for a confirmation with Enter."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.dialogs.frame import CLOSING, Dialog
from tui_annotate.tui.row_widgets import WordsLine


class QuestionDialog(Dialog[bool]):
    """A dialog that shows the effect of Enter; it returns True on Enter, and None when closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("enter", "accept", "yes", show=False),
    ]

    def __init__(self, title: str, text: str, *, yes: ScreenMessage, no: ScreenMessage) -> None:
        super().__init__(title)
        self._text = text
        self.keys = (("Enter", yes), ("q", no))

    def body(self) -> ComposeResult:
        yield WordsLine(id="text", classes="gap")

    def on_mount(self) -> None:
        self.query_one("#text", WordsLine).show([(self._text, "text")])

    def action_accept(self) -> None:
        """Return True (Enter)."""
        self.dismiss(result=True)
