"""Dialog to find text in a document; each typed character starts a new search."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult

from tui_annotate.tui.dialogs.frame import Dialog, Keys
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_input import LineInput


class FindDialog(Dialog[str]):
    """A dialog of one line that returns the search text on Enter, and None when closed.

    `search` is called with every typed text; it highlights the found text, and returns a text such
    as "3 found".
    """

    DEFAULT_CSS = """
    FindDialog { align: center bottom; background: transparent; }
    FindDialog > Vertical { width: 100%; }
    FindDialog .gap { margin-top: 0; }
    """

    keys: Keys = (("Enter", KeyName.NEXT_HIT), ("Esc", KeyName.CLOSE))

    def __init__(self, query: str, *, search: Callable[[str], str], title: str) -> None:
        super().__init__(title)
        self._query = query
        self._search = search

    def body(self) -> ComposeResult:
        yield LineInput(self._query, placeholder=DialogText.FIND_HINT.text())

    def on_mount(self) -> None:
        """Select the last query, so that typing replaces it."""
        self.query_one(LineInput).select_all()

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Search for the typed text, and show how often it was found."""
        event.stop()
        self.show_title(self._search(event.value))

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)
