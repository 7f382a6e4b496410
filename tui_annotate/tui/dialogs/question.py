"""One question with one answer that does something: Enter."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.frame import CLOSING, Dialog
from tui_annotate.tui.row_widgets import WordsLine


class QuestionDialog(Dialog[bool]):
    """Dismisses with True by Enter, with None otherwise.

    Args:
        text: a line that says what Enter does.
        yes, no: a word or two each, for the line of keys.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("enter", "accept", "yes", show=False),
    ]

    def __init__(self, title: str, text: str, *, yes: str, no: str) -> None:
        super().__init__(title)
        self._text = text
        self.keys = (("Enter", yes), ("q", no))

    def body(self) -> ComposeResult:
        """The text."""
        yield WordsLine(id="text", classes="gap")

    def on_mount(self) -> None:
        """The text."""
        self.query_one("#text", WordsLine).show([(self._text, "text")])

    def action_accept(self) -> None:
        """Enter."""
        self.dismiss(result=True)
