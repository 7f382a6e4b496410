"""Writing about a sample, to the reviewers or by one, under what was said about it so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.frame import Dialog
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import paragraphs, shown, wrapped
from tui_annotate.tui.words import Words, WordsList

Said = tuple[str, str, str]
"""Who, when, what."""


class TalkDialog(Dialog[str]):
    """Dismisses with what was typed on Enter, with None when closed."""

    DEFAULT_CSS = """
    TalkDialog > Vertical { width: 100%; max-width: 92; }
    TalkDialog RowList { max-height: 14; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "scroll_by(1)", "down", show=False),
        Binding("up", "scroll_by(-1)", "up", show=False),
    ]

    def __init__(
        self,
        said: Sequence[Said],
        *,
        text: str = "",
        title: str = "To the reviewers, about this sample",
        wanted: str = "what they should know",
    ) -> None:
        """`text`: what was typed before and not sent; `wanted`: what is to be typed."""
        super().__init__(title)
        self._said, self._text, self._wanted = tuple(said), text, wanted

    def body(self) -> ComposeResult:
        """The talk, and the line that is typed."""
        if self._said:
            yield WordsList(id="lines", classes="gap")
        yield LineInput(self._text, placeholder=self._wanted, id="line")

    def on_mount(self) -> None:
        """The input has the keys."""
        self.query_one("#line", LineInput).add_class("gap")
        self.query_one("#line", LineInput).focus()

    def on_resize(self) -> None:
        """Wraps anew."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        for listed in self.query("#lines").results(WordsList):
            cells = self.query_one("#line", LineInput).content_size.width
            listed.show(self._lines(max(cells, 20)))
            listed.scroll_to(y=listed.max_scroll_y, animate=False)

    def _lines(self, cells: int) -> list[list[Words]]:
        lines: list[list[Words]] = []
        for who, when, what in self._said:
            lines.append([(shown(who), "title"), (f"  {shown(when)}", "quiet")])
            for text in paragraphs(what):
                lines += [[(f"  {part}", "text")] for part in wrapped(text, cells - 4)]
        return lines

    def keys(self) -> Sequence[tuple[str, str]]:
        """Enter sends, Escape does not."""
        scroll = [("↑↓", "scroll")] if self._said else []
        return [("Enter", "send"), *scroll, ("Esc", "close")]

    def action_scroll_by(self, rows: int) -> None:
        """Up and Down."""
        for listed in self.query("#lines"):
            listed.scroll_relative(y=rows, animate=False)

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Enter; nothing is sent where nothing is typed."""
        event.stop()
        if event.value.strip():
            self.dismiss(event.value)
