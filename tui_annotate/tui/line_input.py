"""One line of typed text: pasted lines become one, nothing invisible gets in, nothing blinks."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import Input

from tui_annotate.domain.visible import visible_line

_BREAKS = re.compile("\r\n|[\t\n\v\f\r\x85\u2028\u2029]")


def typed(text: str) -> str:
    """`text` as it may stand in an input: breaks and tabs are blanks, other controls pictures."""
    return visible_line(_BREAKS.sub(" ", text))


class LineInput(Input):
    """An input of one line without a frame."""

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
        """Backspace was pressed where there was nothing to delete."""

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        spared: Collection[str] = (),
        id: str | None = None,  # noqa: A002  Textual's name
    ) -> None:
        """Keys in `spared` are not text: a binding of the screen with priority may have them."""
        super().__init__(typed(value), placeholder=typed(placeholder), select_on_focus=False, id=id)
        self.cursor_blink = False
        self._spared = frozenset(spared)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Textual's hook: whether the key is text for this input."""
        return key not in self._spared and super().check_consume_key(key, character)

    def insert_text_at_cursor(self, text: str) -> None:
        """What is typed or pasted, made fit for one line."""
        super().insert_text_at_cursor(typed(text))

    def replace(self, text: str, start: int, end: int) -> None:
        """What replaces a selection, made fit for one line."""
        super().replace(typed(text), start, end)

    def action_delete_left(self) -> None:
        """Deletes, or says that there is nothing left to delete."""
        if self.value:
            super().action_delete_left()
        else:
            self.post_message(self.LeftEmpty())

    def _on_paste(self, event: events.Paste) -> None:
        """The whole of what was pasted; Textual would take its first line only."""
        event.stop()
        event.prevent_default()
        selection = self.selection
        if selection.is_empty:
            self.insert_text_at_cursor(event.text)
        else:
            self.replace(event.text, *sorted(selection))
