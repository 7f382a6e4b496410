"""A question that is answered by yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.frame import CLOSING, Dialog
from tui_annotate.tui.lines import paragraphs, wrapped
from tui_annotate.tui.words import Words, WordsList

_CELLS = 70  # of a line of the detail


class ConfirmDialog(Dialog[bool]):
    """Dismisses with True for y, False for n; Enter takes `default`; closing it is None, so no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n", "answer(False)", "no", show=False),
        Binding("enter", "default", "the usual answer", show=False),
    ]

    def __init__(
        self,
        question: str,
        detail: str = "",
        *,
        yes: str = "yes",
        no: str = "no",
        default: bool = False,
    ) -> None:
        super().__init__(question)
        self._detail = detail
        self._yes, self._no, self._default = yes, no, default

    def body(self) -> ComposeResult:
        """The detail, where there is one."""
        if self._detail:
            yield WordsList(classes="gap")

    def on_mount(self) -> None:
        """Wraps the detail."""
        if self._detail:
            pieces = [piece for line in paragraphs(self._detail) for piece in wrapped(line, _CELLS)]
            lines: list[list[Words]] = [[(piece, "text")] for piece in pieces]
            self.query_one(WordsList).show(lines)

    def keys(self) -> Sequence[tuple[str, str]]:
        """Both answers; the usual one says that Enter takes it."""
        yes, no = ("y Enter", "n") if self._default else ("y", "n Enter")
        return [(yes, self._yes), (no, self._no)]

    def action_answer(self, answer: bool) -> None:  # noqa: FBT001  Textual passes it by place
        """Y or n."""
        self.dismiss(answer)

    def action_default(self) -> None:
        """Enter."""
        self.dismiss(self._default)
