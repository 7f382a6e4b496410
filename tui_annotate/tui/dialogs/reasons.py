"""Why: one of a few reasons by its digit, or one's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.frame import CLOSING, Dialog
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import shown
from tui_annotate.tui.words import Words, WordsLine, WordsList

_MOST = 9
_OWN = "0"


class ReasonDialog(Dialog[str]):
    """Dismisses with the text of a reason; at most nine are offered, 0 is for one's own words.

    Args:
        optional: Enter before anything is chosen dismisses with "": no reason.
    """

    DEFAULT_CSS = "ReasonDialog LineInput { display: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("enter", "none", "no reason", show=False),
    ]

    def __init__(self, title: str, reasons: Sequence[str], *, optional: bool = False) -> None:
        super().__init__(title)
        self._reasons = tuple(reasons[:_MOST])
        self._optional = optional

    def body(self) -> ComposeResult:
        """The reasons, and an input that shows when it is asked for."""
        yield WordsList(classes="gap")
        yield LineInput(placeholder="your own words, then Enter")

    def on_mount(self) -> None:
        """Lists the reasons."""
        lines: list[list[Words]] = [
            [(f" {digit} ", "key"), (f" {shown(reason)}", "text")]
            for digit, reason in enumerate(self._reasons, 1)
        ]
        lines.append([(f" {_OWN} ", "key"), (" your own words…", "quiet")])
        self.query_one(WordsList).show(lines)

    def keys(self) -> Sequence[tuple[str, str]]:
        """What ends it."""
        none = [("Enter", "no reason")] if self._optional else []
        return [
            (f"1-{len(self._reasons)}" if self._reasons else _OWN, "reason"),
            *none,
            ("Esc", "close"),
        ]

    def on_key(self, event: events.Key) -> None:
        """A digit; the input takes its own keys before they come here."""
        if event.key == _OWN:
            self._ask()
        elif event.key.isdecimal() and 0 < int(event.key) <= len(self._reasons):
            self.dismiss(self._reasons[int(event.key) - 1])
        else:
            return
        event.stop()

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """One's own words."""
        event.stop()
        if text := event.value.strip():
            self.dismiss(text)

    def action_none(self) -> None:
        """Enter, where nothing was chosen."""
        if self._optional:
            self.dismiss("")

    def _ask(self) -> None:
        line = self.query_one(LineInput)
        line.display = True
        line.focus()
        self.query_one("#keys", WordsLine).show(
            [("Enter", "key"), (" save   ", "quiet"), ("Esc", "key"), (" close", "quiet")]
        )
