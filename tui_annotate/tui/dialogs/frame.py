"""What all dialogs share: a box over the screen, a title, a line of keys, and what closes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import shown
from tui_annotate.tui.rows import RowList
from tui_annotate.tui.turns import Pressed, free
from tui_annotate.tui.words import Words, WordsLine

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None]):
    """A box that asks or tells one thing; it dismisses with None when it is closed.

    Where nothing can be typed, q and Backspace close as Escape does; where something can, Backspace
    does so once there is nothing left to delete.
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
    AUTO_FOCUS: ClassVar[str | None] = ""  # a hidden input must not get the keys
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "close", show=False)]

    def __init__(self, title: str) -> None:
        super().__init__()
        self.heading = shown(title)
        self.aside = ""
        self._listening = False

    def body(self) -> ComposeResult:
        """What stands between the title and the line of keys."""
        raise NotImplementedError

    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys that are told in the last line: (key, what it does)."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Title, body, keys."""
        with Vertical():
            yield WordsLine(id="title")
            yield from self.body()
            yield WordsLine(id="keys", classes="gap")

    def on_mount(self) -> None:
        """Fills the first and the last line."""
        self.tell_title()
        self.tell_keys()
        self.call_after_refresh(self._listen)

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: until the box is filled, and its input has the focus."""
        del event
        return not self._listening

    def _listen(self) -> None:
        self._listening = True
        free(self)

    def title_words(self) -> list[Words]:
        """What the first line says."""
        return [(self.heading, "title_focused")]

    def tell_title(self, aside: str | None = None) -> None:
        """Shows the first line, with a word at its right edge, which stays until another comes."""
        self.aside = self.aside if aside is None else shown(aside)
        self.query_one("#title", WordsLine).show(self.title_words(), [(self.aside, "quiet")])

    def tell_keys(self) -> None:
        """Shows the last line; to be called again where other keys do something now."""
        self.query_one("#keys", WordsLine).show(key_words(self.keys()))

    def action_close(self) -> None:
        """Closes without a result."""
        self.dismiss(None)

    def on_line_input_left_empty(self, message: LineInput.LeftEmpty) -> None:
        """Backspace, with nothing left to delete."""
        message.stop()
        self.dismiss(None)


class PickList(RowList):
    """Rows of a dialog, each of something that a click picks."""

    class Picked(Message):
        """A click on a row of the thing at `index`."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index


CLOSING: list[BindingType] = [Binding("q,backspace", "close", "close", show=False)]
"""For dialogs in which nothing is typed."""


def key_words(pairs: Sequence[tuple[str, str]]) -> list[Words]:
    """Keys and what they do, as one line."""
    words: list[Words] = []
    for key, what in pairs:
        words += [(key, "key"), (f" {what}   ", "quiet")]
    return words
