"""Find within a text: what is typed is searched at once, under the dialog's single line."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult

from tui_annotate.tui.dialogs.frame import Dialog, Keys
from tui_annotate.tui.line_input import LineInput


class FindDialog(Dialog[str]):
    """Dismisses with the query on Enter, with None when closed; it leaves the text in view.

    `search` is called with every query that is typed (the first one too, and the empty one), lights
    up what it finds, and returns what to say of it, such as "3 found".
    """

    DEFAULT_CSS = """
    FindDialog { align: center bottom; background: transparent; }
    FindDialog > Vertical { width: 100%; }
    FindDialog .gap { margin-top: 0; }
    """

    keys: Keys = (("Enter", "to the hits, then n N"), ("Esc", "close"))

    def __init__(self, query: str, *, search: Callable[[str], str], title: str) -> None:
        super().__init__(title)
        self._query, self._search = query, search

    def body(self) -> ComposeResult:
        """The input."""
        yield LineInput(self._query, placeholder="words as they stand in the text")

    def on_mount(self) -> None:
        """What was looked for last gives way to what is typed."""
        self.query_one(LineInput).select_all()

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Searches."""
        event.stop()
        self.show_title(self._search(event.value))

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Enter."""
        event.stop()
        self.dismiss(event.value)
