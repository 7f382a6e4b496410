"""Dialog with a thread about a sample, and an input line for a new message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.domain.line_text import line_text
from tui_annotate.tui.dialogs.frame import Dialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.line_text import split_paragraphs
from tui_annotate.tui.row_widgets import Words, WordsList, wrap_words

ThreadLine = tuple[str, str, str]


class CommentDialog(Dialog[str]):
    """A dialog that shows a thread, the latest message in view, and returns a new message."""

    DEFAULT_CSS = """
    CommentDialog > Vertical { width: 100%; max-width: 92; }
    CommentDialog RowList { max-height: 14; }
    CommentDialog LineInput { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "scroll_by(1)", "down", show=False),
        Binding("up", "scroll_by(-1)", "up", show=False),
    ]

    def __init__(
        self,
        lines: Sequence[ThreadLine],
        *,
        text: str = "",
        title: str = "",
        wanted: str = "",
    ) -> None:
        """Create a dialog that returns the message on Enter.

        Args:
            text: what was typed before and not sent.
            title: title of the dialog; empty for that of a question about the sample.
            wanted: hint in the empty input line; empty for that of a question.
        """
        super().__init__(title or DialogText.ASK_TITLE.text())
        self._comments = tuple(lines)
        self._text = text
        self._hint = wanted or DialogText.ASK_HINT.text()
        scroll = [("↑↓", KeyName.SCROLL)] if lines else []
        self.keys = (("Enter", KeyName.SEND), *scroll, ("Esc", KeyName.CLOSE))

    def body(self) -> ComposeResult:
        if self._comments:
            yield WordsList(classes="gap")
        yield LineInput(self._text, placeholder=self._hint)

    def on_resize(self) -> None:
        """Wrap the messages again, once the new width is known."""
        self.call_after_refresh(self._show_comments)

    def _show_comments(self) -> None:
        for listed in self.query(WordsList):
            cells = self.query_one(LineInput).content_size.width
            listed.show(self._render_comments(max(cells, 20)))
            listed.scroll_to(y=listed.max_scroll_y, animate=False)

    def _render_comments(self, cells: int) -> list[list[Words]]:
        lines: list[list[Words]] = []
        for who, when, what in self._comments:
            lines.append([(line_text(who), "title"), (f"  {line_text(when)}", "quiet")])
            for text in split_paragraphs(what):
                lines += wrap_words([("  ", "text")], (text, "text"), cells - 2)
        return lines

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Return the typed message; blank text keeps the dialog open."""
        event.stop()
        if event.value.strip():
            self.dismiss(event.value)
