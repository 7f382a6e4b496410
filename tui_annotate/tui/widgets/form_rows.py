"""The rows of a form, which is one widget, so that no key overtakes another on a slow line.

With a widget for each field, a password that is typed quickly behind an address could land in the
address: a key goes to what has the focus when it arrives, not when the Tab before it is done.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from textual import events
from textual.geometry import Size
from textual.message import Message

from tui_annotate.tui.line_input import typed
from tui_annotate.tui.lines import Run, clip, shown, wrapped
from tui_annotate.tui.palette import FOCUS_BAR
from tui_annotate.tui.rows import FixedRows
from tui_annotate.tui.text.typed_line import TypedLine
from tui_annotate.tui.words import Words, styled

_NAME_CELLS: Final = 20
_LONGEST: Final = 1000  # code points of a line


class Row:
    """A row: something to type where there is a line, to tick, or to choose.

    Attributes:
        name: of its value, or of the choice.
        ticked: None where there is no box.
    """

    def __init__(
        self, name: str, words: str, *, line: TypedLine | None = None, ticked: bool | None = None
    ) -> None:
        self.name, self.words, self.line, self.ticked = name, shown(words), line, ticked

    @property
    def choice(self) -> bool:
        """Whether Enter does it."""
        return self.line is None and self.ticked is None

    @property
    def value(self) -> str:
        """What was typed; "yes" for a tick."""
        return self.line.text if self.line else "yes" if self.ticked else ""


class FormRows(FixedRows, can_focus=True):
    """Fields, a tick, and choices behind a gap; one of the rows has the keys."""

    DEFAULT_CSS = "FormRows { height: auto; }"

    class Entered(Message):
        """Enter in a field or on a tick, with all fields filled."""

    class Chosen(Message):
        """Enter on a choice, or a click."""

        def __init__(self, choice: str) -> None:
            super().__init__()
            self.choice = choice

    class Refused(Message):
        """A key that means nothing here."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, rows: Sequence[Row]) -> None:
        super().__init__()
        self.rows = tuple(rows)
        self.at = 0
        gap = next((place for place, row in enumerate(rows) if row.choice), len(rows))
        self._lines = [*range(gap), *([-1] if 0 < gap < len(rows) else []), *range(gap, len(rows))]
        self.to_the_empty()

    # where one is

    def to_the_empty(self) -> bool:
        """Goes to the first field that is empty; False where none is."""
        empty = [at for at, row in enumerate(self.rows) if row.line and not row.line.text]
        if empty:
            self.go(empty[0])
        return bool(empty)

    def anew(self, names: Collection[str]) -> None:
        """Empties what is secret among these fields, or all where none is named; goes there."""
        secret = [
            row.line
            for row in self.rows
            if row.line and row.line.secret and (not names or row.name in names)
        ]
        for line in secret:
            line.cut(0, len(line.text))
        self.to_the_empty()

    def go(self, at: int) -> None:
        """Another row has the keys; around the ends."""
        self.at = at % len(self.rows)
        self.repaint()

    # keys

    def on_key(self, event: events.Key) -> None:
        """Every key but those of the app."""
        event.stop()
        event.prevent_default()
        row = self.rows[self.at]
        match event.key:
            case "down" | "tab":
                self.go(self.at + 1)
            case "up" | "shift+tab":
                self.go(self.at - 1)
            case "enter" if row.choice:
                self.post_message(self.Chosen(row.name))
            case "enter":
                if not self.to_the_empty():
                    self.post_message(self.Entered())
            case _ if row.line:
                self._type(row.line, event)
            case "space":
                self._act(row)
            case key:
                self.post_message(self.Refused(key))

    def _type(self, line: TypedLine, event: events.Key) -> None:
        if event.is_printable and event.character:
            if len(line.text) < _LONGEST:
                line.insert(typed(event.character))
        elif not line.edit(event.key):
            self.post_message(self.Refused(event.key))
        self.repaint()

    def _act(self, row: Row) -> None:
        if row.ticked is None:
            self.post_message(self.Chosen(row.name))
        else:
            row.ticked = not row.ticked
            self.repaint()

    def on_paste(self, event: events.Paste) -> None:
        """Into a field, without the blanks and the line end that came with it."""
        event.stop()
        line = self.rows[self.at].line
        if line:
            line.insert(typed(event.text).strip()[: _LONGEST - len(line.text)])
            self.repaint()

    def on_click(self, event: events.Click) -> None:
        """The row that was clicked has the keys; a tick or a choice acts."""
        event.stop()
        offset = event.get_content_offset(self)
        at = self._lines[offset.y] if offset and 0 <= offset.y < len(self._lines) else -1
        if at >= 0:
            self.go(at)
            if self.rows[at].line is None:
                self._act(self.rows[at])

    # painting

    def paint(self, cells: int) -> list[list[Run]]:
        """Each row with its name, and a bar in front of the one that has the keys."""
        return [self._row(at, cells) if at >= 0 else [] for at in self._lines]

    def _row(self, at: int, cells: int) -> list[Run]:
        row, here, palette = self.rows[at], at == self.at, self.palette
        bar: Words = (f"{FOCUS_BAR if here else ' '} ", "accent")
        if row.line is None:
            box: list[Words] = []
            if row.ticked is not None:
                box = [("[x] " if row.ticked else "[ ] ", "key")]
            role = "chosen" if here else "text"
            return clip(styled([bar, *box, (row.words, role)], palette), cells)
        name = f"{row.words:<{_NAME_CELLS}}"
        before, under, behind = row.line.window(max(cells - _NAME_CELLS - 3, 2))
        field = [(before, "text"), (under, "cursor" if here else "text"), (behind, "text")]
        return clip(styled([bar, (name, "strong" if here else "quiet"), *field], palette), cells)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002  Textual's signature
        """The rows and the gap."""
        return len(self._lines)


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
