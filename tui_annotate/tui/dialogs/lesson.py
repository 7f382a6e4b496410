"""How review settled a sample, for one who annotated it: what became of theirs, what was added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.message import Reader
from tui_annotate.tui.lines import shown, wrapped
from tui_annotate.tui.words import Words

_SIGNS = {"good": "✓", "warning": "✗", "accent": "≈", "text": "+"}


class Told(NamedTuple):
    """One annotation, and what became of it.

    Attributes:
        role: `good` where it was taken, `accent` where it was changed, `warning` where it was not
            taken, `text` where the reviewer or others marked it.
        said: its labels and words.
        became: what became of it.
    """

    role: str
    said: str
    became: str


class LessonDialog(Reader):
    """One's own first, then what was added."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,L", "close", "close", show=False)]

    def __init__(self, own: Sequence[Told], added: Sequence[Told]) -> None:
        super().__init__("How this sample was settled")
        self._own, self._added = tuple(own), tuple(added)

    def lines(self, cells: int) -> list[list[Words]]:
        """Each annotation with what became of it."""
        lines: list[list[Words]] = []
        for title, told, nothing in (
            ("Yours", self._own, "You marked nothing."),
            ("What you did not mark", self._added, "Nothing was added."),
        ):
            lines.append([(title, "title_focused")])
            for one in told:
                lines += _lines(one, cells)
            if not told:
                lines.append([(f"   {nothing}", "quiet")])
            lines.append([])
        return lines

    def keys(self) -> Sequence[tuple[str, str]]:
        """How to scroll and close."""
        return [("↑↓", "scroll"), ("q", "close")]


def _lines(told: Told, cells: int) -> list[list[Words]]:
    room = max(cells - 4, 8)
    first, *more = wrapped(shown(told.said), room)
    lines: list[list[Words]] = [[(f" {_SIGNS[told.role]} ", told.role), (first, "text")]]
    lines += [[(f"   {piece}", "text")] for piece in more]
    lines += [[(f"   {piece}", told.role)] for piece in wrapped(shown(told.became), room)]
    return lines
