"""Rows of a form: fields, check boxes and choices. A bar marks the focused row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message

from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.glyphs import FOCUS_BAR
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.line_text import Run, clip, wrap_line
from tui_annotate.tui.row_widgets import FixedRows, Words, WordsLine, styled

_NAME_CELLS: Final = 20
_LONGEST: Final = 1000  # maximum code points of a field


class FormInput(LineInput):
    """The input line of a form field. It strips white space around pasted text."""

    DEFAULT_CSS = "FormInput { width: 1fr; }"

    def _on_paste(self, event: events.Paste) -> None:
        event.text = event.text.strip()
        super()._on_paste(event)


class FormField(Horizontal):
    """A field of a form, with a name and an input line. `field` is the key of the field's value."""

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
        yield WordsLine()
        yield self.line

    def on_mount(self) -> None:
        focused = self.line.has_focus
        bar: Words = (f"{FOCUS_BAR if focused else ' '} ", "accent")
        name: Words = (self._words, "strong" if focused else "quiet")
        self.query_one(WordsLine).show([bar, name])

    on_descendant_focus = on_descendant_blur = on_mount

    def on_click(self) -> None:
        self.line.focus()


class FormChoice(FixedRows, can_focus=True):
    """A row with a choice or a check box; `ticked` is None for a choice."""

    @dataclass
    class Chosen(Message):
        """Message that a row of a form was chosen by Enter, Space or a click."""

        choice: str

    def __init__(self, choice: str, words: str, *, ticked: bool | None = None) -> None:
        super().__init__()
        self.choice = choice
        self.ticked = ticked
        self._words = line_text(words)

    def watch_has_focus(self, has_focus: bool) -> None:  # noqa: FBT001  Textual calls it
        super().watch_has_focus(has_focus)
        self.repaint()

    def on_key(self, event: events.Key) -> None:
        """Handle the key Space, and Enter on a choice. The form handles Enter on a check box."""
        if event.key == "space" or (event.key == "enter" and self.ticked is None):
            event.stop()
            self._act()

    def on_click(self) -> None:
        """Choose the row, or change the tick of its box."""
        self._act()

    def _act(self) -> None:
        if self.ticked is None:
            self.post_message(self.Chosen(self.choice))
        else:
            self.ticked = not self.ticked
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        words: list[Words] = [(f"{FOCUS_BAR if self.has_focus else ' '} ", "accent")]
        if self.ticked is not None:
            words.append(("[x] " if self.ticked else "[ ] ", "key"))
        words.append((self._words, "chosen" if self.has_focus else "text"))
        return [clip(styled(words, self.palette), cells)]


class FormMessage(FixedRows):
    """A message of at least two rows, so that the form moves little when the message changes."""

    DEFAULT_CSS = "FormMessage { height: auto; min-height: 2; }"

    _words: Words = ("", "quiet")

    def say(self, text: str, role: str = "quiet") -> None:
        """Replace the message; the form is laid out again, as the message may take more rows."""
        if (line_text(text), role) != self._words:
            self._words = (line_text(text), role)
            self.repaint(layout=True)

    def paint(self, cells: int) -> list[list[Run]]:
        text, role = self._words
        return [styled([(piece, role)], self.palette) for piece in wrap_line(text, cells)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002  Textual's signature
        return len(wrap_line(self._words[0], width))
