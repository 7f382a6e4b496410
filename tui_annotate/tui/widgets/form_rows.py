"""Rows of a form: a field with its name, a tick, something to choose, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message

from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import Run, shown, wrapped
from tui_annotate.tui.palette import FOCUS_BAR
from tui_annotate.tui.rows import FixedRows
from tui_annotate.tui.words import Words, styled

_NAME_CELLS = 20


class FieldName(FixedRows):
    """The name of a field, with a bar while the field has the keys."""

    DEFAULT_CSS = f"FieldName {{ width: {_NAME_CELLS}; }}"

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = shown(text)
        self.lit = False

    def paint(self, cells: int) -> list[list[Run]]:
        """Bar and name."""
        del cells
        role = "strong" if self.lit else "quiet"
        bar = FOCUS_BAR if self.lit else " "
        return [styled([(f"{bar} ", "accent"), (self._text, role)], self.palette)]


class SecretInput(LineInput):
    """A line that shows dots; what is pasted loses the line end that came with it."""

    def __init__(self) -> None:
        super().__init__()
        self.password = True

    def _on_paste(self, event: events.Paste) -> None:
        event.text = event.text.rstrip(" \r\n")
        super()._on_paste(event)


class FieldRow(Horizontal):
    """A name and a line to type in; what is secret shows as dots."""

    DEFAULT_CSS = """
    FieldRow { height: 1; width: 1fr; }
    FieldRow LineInput { width: 1fr; }
    """

    def __init__(self, name: str, *, field: str, value: str = "", secret: bool = False) -> None:
        """`field` names the value for whoever reads the form; a secret one begins empty."""
        super().__init__()
        self.field = field
        self._name_row = FieldName(name)
        self.line = SecretInput() if secret else LineInput(value)

    def compose(self) -> ComposeResult:
        """Name and line."""
        yield self._name_row
        yield self.line

    def on_descendant_focus(self) -> None:
        """The line has the keys."""
        self._light(lit=True)

    def on_descendant_blur(self) -> None:
        """It has them no more."""
        self._light(lit=False)

    def _light(self, *, lit: bool) -> None:
        self._name_row.lit = lit
        self._name_row.repaint()


class ChoiceRow(FixedRows, can_focus=True):
    """Something that Enter does, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "choose", show=False),
    ]

    class Chosen(Message):
        """`choice` is wanted."""

        def __init__(self, choice: str) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, text: str, *, choice: str) -> None:
        super().__init__()
        self._text = shown(text)
        self.choice = choice

    def paint(self, cells: int) -> list[list[Run]]:
        """Bar and words."""
        del cells
        return [styled(self.words(), self.palette)]

    def words(self) -> Sequence[Words]:
        """What stands in the row."""
        focused = self.has_focus
        bar = (f"{FOCUS_BAR if focused else ' '} ", "accent")
        return [bar, (self._text, "chosen" if focused else "text")]

    def action_choose(self) -> None:
        """Enter, Space."""
        self.post_message(self.Chosen(self.choice))

    def on_click(self, event: events.Click) -> None:
        """As Enter."""
        event.stop()
        self.action_choose()

    def on_focus(self) -> None:
        """Its bar comes."""
        self.repaint()

    def on_blur(self) -> None:
        """Its bar goes."""
        self.repaint()


class TickRow(ChoiceRow):
    """A box that Space ticks; Enter goes on, as in a field."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "tick", show=False),
        Binding("enter", "go_on", "go on", show=False),
    ]

    class WentOn(Message):
        """Enter."""

    ticked = False

    def words(self) -> Sequence[Words]:
        """The box and what it means."""
        bar, text = super().words()
        return [bar, ("[x] " if self.ticked else "[ ] ", "key"), text]

    def action_choose(self) -> None:
        """Ticks, or takes the tick away."""
        self.ticked = not self.ticked
        self.repaint()

    def action_go_on(self) -> None:
        """As Enter in a field."""
        self.post_message(self.WentOn())


class Said(FixedRows):
    """Words in as many rows as they need, two at least, so that little moves when they change."""

    DEFAULT_CSS = "Said { height: auto; min-height: 2; }"

    _words: Words = ("", "quiet")

    def say(self, text: str, role: str = "quiet") -> None:
        """Shows other words."""
        if (shown(text), role) != self._words:
            self._words = (shown(text), role)
            self.repaint(layout=True)

    def paint(self, cells: int) -> list[list[Run]]:
        """The words, wrapped."""
        text, role = self._words
        return [styled([(piece, role)], self.palette) for piece in wrapped(text, cells)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002  Textual's signature
        """As many rows as the words need."""
        return len(wrapped(self._words[0], width))
