"""The rows of a form: fields, check boxes, choices; the focused row has a bar in front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message

from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.line_text import Run, clip, line_text, wrap_line
from tui_annotate.tui.palette import FOCUS_BAR
from tui_annotate.tui.row_widgets import FixedRows, Words, WordsLine, styled

_NAME_CELLS: Final = 20
_LONGEST: Final = 1000  # code points of a line


class FormInput(LineInput):
    """The line of a field; pasted text is stripped."""

    DEFAULT_CSS = "FormInput { width: 1fr; }"

    def _on_paste(self, event: events.Paste) -> None:
        event.text = event.text.strip()
        super()._on_paste(event)


class FormField(Horizontal):
    """A name, and a line to type in; `field` is the key of its value."""

    DEFAULT_CSS = f"""
    FormField {{ height: 1; }}
    FormField WordsLine {{ width: {_NAME_CELLS + 2}; }}
    """

    def __init__(self, field: str, words: str, *, value: str = "", secret: bool = False) -> None:
        super().__init__()
        self.field = field
        self.line = FormInput(value, password=secret, max_length=_LONGEST)
        self._words = line_text(words)

    def compose(self) -> ComposeResult:
        """Name and line."""
        yield WordsLine()
        yield self.line

    def on_mount(self) -> None:
        """Show the name, with a bar if the line has the focus."""
        focused = self.line.has_focus
        bar: Words = (f"{FOCUS_BAR if focused else ' '} ", "accent")
        name: Words = (self._words, "strong" if focused else "quiet")
        self.query_one(WordsLine).show([bar, name])

    on_descendant_focus = on_descendant_blur = on_mount

    def on_click(self) -> None:
        """A click on the name focuses the line."""
        self.line.focus()


class FormChoice(FixedRows, can_focus=True):
    """A choice, or a check box.

    Attributes:
        choice: key of the choice, or of the value.
        ticked: None for a choice.
    """

    @dataclass
    class Chosen(Message):
        """Enter on a choice, or Space or a click."""

        choice: str

    def __init__(self, choice: str, words: str, *, ticked: bool | None = None) -> None:
        super().__init__()
        self.choice, self.ticked = choice, ticked
        self._words = line_text(words)

    def watch_has_focus(self, has_focus: bool) -> None:  # noqa: FBT001  Textual calls it
        """Textual's hook: the bar comes or goes."""
        super().watch_has_focus(has_focus)
        self.repaint()

    def on_key(self, event: events.Key) -> None:
        """Space, and on a choice Enter; on a check box Enter is for the form."""
        if event.key == "space" or (event.key == "enter" and self.ticked is None):
            event.stop()
            self._act()

    def on_click(self) -> None:
        """A click does what Space does."""
        self._act()

    def _act(self) -> None:
        if self.ticked is None:
            self.post_message(self.Chosen(self.choice))
        else:
            self.ticked = not self.ticked
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Bar, box, words."""
        words: list[Words] = [(f"{FOCUS_BAR if self.has_focus else ' '} ", "accent")]
        if self.ticked is not None:
            words.append(("[x] " if self.ticked else "[ ] ", "key"))
        words.append((self._words, "chosen" if self.has_focus else "text"))
        return [clip(styled(words, self.palette), cells)]


class FormMessage(FixedRows):
    """A message in at least two rows, so that little moves when it changes."""

    DEFAULT_CSS = "FormMessage { height: auto; min-height: 2; }"

    _words: Words = ("", "quiet")

    def say(self, text: str, role: str = "quiet") -> None:
        """Shows other words."""
        if (line_text(text), role) != self._words:
            self._words = (line_text(text), role)
            self.repaint(layout=True)

    def paint(self, cells: int) -> list[list[Run]]:
        """The words, wrapped."""
        text, role = self._words
        return [styled([(piece, role)], self.palette) for piece in wrap_line(text, cells)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002  Textual's signature
        """As many rows as the words need."""
        return len(wrap_line(self._words[0], width))
