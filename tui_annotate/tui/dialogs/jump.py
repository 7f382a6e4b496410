"""Dialog to go to a sample by its id; an unknown id is reported in the open dialog."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from textual import work
from textual.app import ComposeResult

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.screen_message import error_texts
from tui_annotate.tui.dialogs.frame import Dialog, Keys
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.key_queue import KeyOrPaste, forget_keys, free
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.row_widgets import WordsLine

Found = TypeVar("Found")


class JumpDialog(Dialog[Found], Generic[Found]):
    """A dialog that asks for the id of a sample, and returns the result of `find` for it.

    `find` runs in a thread; its `TuiAnnotateError` is shown with the hint.
    """

    keys: Keys = (("Enter", KeyName.GO), ("Esc", KeyName.CLOSE))

    def __init__(self, find: Callable[[str], Found]) -> None:
        super().__init__(DialogText.JUMP_TITLE.text())
        self._find = find
        self._is_searching = False

    def body(self) -> ComposeResult:
        yield LineInput(placeholder=DialogText.JUMP_HINT.text())
        yield WordsLine(id="error")

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Look the typed id up in a thread; blank text is ignored."""
        event.stop()
        if text := event.value.strip():
            self._is_searching = True
            self._look_up(text)

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait until the typed id is found or refused."""
        return self._is_searching or super().holds(event)

    @work(thread=True, exclusive=True)
    def _look_up(self, text: str) -> None:
        try:
            found = self._find(text)
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._show_error, error)
        else:
            self.app.call_from_thread(self.dismiss, found)

    def _show_error(self, error: TuiAnnotateError) -> None:
        self._is_searching = False
        forget_keys(self, but_text=False)  # the waiting keys were meant for the sample
        free(self)
        message, hint = error_texts(error)
        words = [(f"✗ {line_text(message)}", "error")]
        if hint:
            words.append((f"  {line_text(hint)}", "quiet"))
        self.query_one("#error", WordsLine).show(words)
