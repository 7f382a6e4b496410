"""Base of all dialogs: a box over the screen with a title, a body and a line of keys."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.key_queue import KeyOrPaste, free
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.row_widgets import RowList, Words, WordsLine

Result = TypeVar("Result")
Keys = tuple[tuple[str, ScreenMessage], ...]
"""The line of keys of a dialog: pairs of a key and the name of its action."""


class Dialog(ModalScreen[Result | None]):
    """A dialog in a box over the screen; closing the dialog returns None.

    Escape closes a dialog. In a dialog without an input line, q and Backspace close it, too; in
    others, Backspace closes the dialog if the input line is empty.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $primary; padding: 0 1;
    }
    Dialog WordsLine { background: $surface; }
    Dialog RowList { background: $surface; height: auto; max-height: 100%; }
    Dialog .gap { margin-top: 1; }
    """
    AUTO_FOCUS: ClassVar[str | None] = ""  # a hidden input must not get the focus
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "close", show=False)]
    keys: Keys = ()

    def __init__(self, title: str) -> None:
        super().__init__()
        self.heading = line_text(title)
        self.aside = ""
        self._listening = False

    def body(self) -> ComposeResult:
        """Return the widgets of the dialog between its title and its line of keys."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Vertical():
            yield WordsLine(id="title")
            yield from self.body()
            yield WordsLine(id="keys", classes="gap")

    def on_mount(self) -> None:
        """Show title and keys, focus the input line if there is one, and then accept keys."""
        self.show_title()
        self.show_keys()
        for line in self.query(LineInput):
            line.focus()
        self.call_after_refresh(self._listen)

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait until the dialog has opened and accepts keys."""
        del event
        return not self._listening

    def _listen(self) -> None:
        self._listening = True
        free(self)

    def title_words(self) -> list[Words]:
        """Return the pieces of the title, with the names of their styles."""
        return [(self.heading, "title_focused")]

    def show_title(self, aside: str | None = None) -> None:
        """Show the title again, with a new text at its right; None keeps the text."""
        if aside is not None:
            self.aside = line_text(aside)
        self.query_one("#title", WordsLine).show(self.title_words(), [(self.aside, "quiet")])

    def show_keys(self, keys: Keys | None = None) -> None:
        """Show the line of keys again; None keeps the keys."""
        if keys is not None:
            self.keys = keys
        self.query_one("#keys", WordsLine).show(key_words(self.keys))

    def action_scroll_by(self, rows: int) -> None:
        """Scroll the lists by rows, upward if negative."""
        for listed in self.query(RowList):
            listed.scroll_relative(y=rows, animate=False)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll the lists by pages; one row of the previous page stays visible."""
        for listed in self.query(RowList):
            listed.scroll_relative(y=pages * max(listed.window.height - 1, 1), animate=False)

    def action_scroll_edge(self, edge: int) -> None:
        """Scroll the lists to their start (-1) or end (1)."""
        for listed in self.query(RowList):
            listed.scroll_to(y=0 if edge < 0 else listed.max_scroll_y, animate=False)

    def action_close(self) -> None:
        self.dismiss(None)

    def on_line_input_left_empty(self, message: LineInput.LeftEmpty) -> None:
        """Close the dialog by Backspace in an empty input line."""
        message.stop()
        self.dismiss(None)


CLOSING: list[BindingType] = [Binding("q,backspace", "close", "close", show=False)]
PAGING: list[BindingType] = [
    Binding("pagedown,space,ctrl+d", "scroll_page(1)", "page down", show=False),
    Binding("pageup,ctrl+u", "scroll_page(-1)", "page up", show=False),
    Binding("home", "scroll_edge(-1)", "top", show=False),
    Binding("end", "scroll_edge(1)", "end", show=False),
]


def key_words(keys: Keys) -> list[Words]:
    """Return the pieces of the line of keys, with the names of their styles."""
    return [
        words for key, name in keys for words in ((key, "key"), (f" {name.text()}   ", "quiet"))
    ]
