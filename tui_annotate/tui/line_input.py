"""A text input of one line without invisible characters."""

from __future__ import annotations

import re
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import Input

from tui_annotate.domain.terminal_text import make_line_visible

_BREAKS = re.compile("\r\n|[\t\n\v\f\r\x85\u2028\u2029]")


def clean_line(text: str) -> str:
    """Replace line breaks and tabs of a text by blanks, and other control characters by symbols."""
    return make_line_visible(_BREAKS.sub(" ", text))


class LineInput(Input):
    """A text input of one line, without the border and the blinking cursor of Textual."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    LineInput, LineInput:focus {
        border: none; height: 1; padding: 0; background: $surface; background-tint: transparent;
        &:ansi {
            background: ansi_default;
            & > .input--cursor, & > .input--selection {
                background: ansi_default; color: ansi_default; text-style: reverse;
            }
        }
    }
    """

    class LeftEmpty(Message):
        """Message that Backspace was pressed in an empty input."""

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        password: bool = False,
        max_length: int = 0,
        id: str | None = None,  # noqa: A002  Textual's name
    ) -> None:
        super().__init__(
            clean_line(value),
            placeholder=clean_line(placeholder),
            select_on_focus=False,
            password=password,
            max_length=max_length,
            id=id,
        )
        self.cursor_blink = False

    def insert_text_at_cursor(self, text: str) -> None:
        """Override Textual's method: clean typed and pasted text first."""
        super().insert_text_at_cursor(clean_line(text))

    def replace(self, text: str, start: int, end: int) -> None:
        """Override Textual's method: clean text that replaces a selection first."""
        super().replace(clean_line(text), start, end)

    def action_delete_left(self) -> None:
        """Delete a character; in an empty input, post `LeftEmpty`."""
        if self.value:
            super().action_delete_left()
        else:
            self.post_message(self.LeftEmpty())

    def _on_paste(self, event: events.Paste) -> None:
        """Insert all lines of a pasted text; Textual would insert only the first line."""
        event.stop()
        event.prevent_default()
        selection = self.selection
        if selection.is_empty:
            self.insert_text_at_cursor(event.text)
        else:
            self.replace(event.text, *sorted(selection))
