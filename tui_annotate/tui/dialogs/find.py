"""Find within a text: what is typed is searched at once, under the dialog's single line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult

from tui_annotate.tui.dialogs.frame import Dialog
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

    def __init__(
        self, query: str = "", *, search: Callable[[str], str] | None = None, title: str = "Find"
    ) -> None:
        super().__init__(title)
        self._query = query
        self._search = search

    def body(self) -> ComposeResult:
        """The input."""
        yield LineInput(self._query, placeholder="words as they stand in the text")

    def on_mount(self) -> None:
        """The input has the keys; what was looked for last gives way to what is typed."""
        line = self.query_one(LineInput)
        line.focus()
        line.select_all()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Enter keeps the hits lit, Escape does not."""
        return [("Enter", "to the hits, then n N"), ("Esc", "close")]

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Searches."""
        event.stop()
        if self._search is not None:
            self.tell_title(self._search(event.value))

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Enter."""
        event.stop()
        self.dismiss(event.value)
