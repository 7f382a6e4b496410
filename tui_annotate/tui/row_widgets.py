"""Widgets that paint rows of cells: a few fixed rows, or a list that paints only visible rows.

A subclass returns the styled texts of a row. Rows that did not change are not painted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui_annotate.domain.line_text import text_width
from tui_annotate.tui.fast_render import LineWidget, set_extent
from tui_annotate.tui.line_text import Run, align_both_ends, clip, runs_width, strip_of, wrap_line
from tui_annotate.tui.palette import PaintStyles

_AROUND = 2  # rows kept in view above and below the focused one


class FixedRows(LineWidget):
    """Widget of a few rows that are painted together; subclasses override `paint`."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = "FixedRows { height: 1; width: 1fr; }"

    _painted: tuple[Size, PaintStyles, list[list[Run]]] | None = None

    def paint(self, cells: int) -> list[list[Run]]:
        """Return the styled pieces of text of each row, `cells` wide; missing rows are blank."""
        raise NotImplementedError

    def repaint(self, *, layout: bool = False) -> None:
        self._painted = None
        self.refresh(*([] if layout else [self.size.region]), layout=layout)

    def rows_of_runs(self) -> list[list[Run]]:
        size = self.size
        palette = self.palette
        if self._painted is None or self._painted[:2] != (size, palette):
            self._painted = (size, palette, self.paint(size.width))
        return self._painted[2]

    def render_line(self, y: int) -> Strip:
        ground = self.base + self.palette.text
        rows = self.rows_of_runs()
        return strip_of(rows[y] if y < len(rows) else [], self.size.width, ground)


class RowList(ScrollView, LineWidget, can_focus=False):
    """A list of one-line rows, which paints only visible rows; `focused_row` is -1 for none."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    RowList { width: 1fr; height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
    """

    count = 0
    focused_row = -1

    @dataclass
    class Picked(Message):
        """Message that a row of a list was clicked."""

        index: int

    @property
    def seen(self) -> range:
        top = self.scroll_offset.y
        return range(top, min(top + max(self.window.height, 1), self.count))

    @property
    def window(self) -> Size:
        return self.scrollable_content_region.size

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        raise NotImplementedError

    def clicked(self, index: int) -> None: ...

    def set_rows(self, count: int, *, focused: int = -1) -> None:
        """Set the number of rows of a list, paint them again, and scroll to the focused row."""
        rows = max(self.count, count)
        top = self.scroll_offset.y
        self.count = count
        self.focused_row = focused if 0 <= focused < count else -1
        set_extent(self, Size(1, count))
        self.reveal()
        window = self.window
        unscrolled = top == self.scroll_offset.y == 0
        seen = min(rows, window.height) if unscrolled else window.height
        self.refresh(Region(0, 0, window.width, seen))

    def focus_row(self, index: int) -> None:
        """Focus another row of the list; an index beyond the list means its first or last row."""
        index = max(0, min(index, self.count - 1))
        old = self.focused_row
        self.focused_row = index
        if old == index:
            return
        top = self.scroll_offset.y
        self.reveal()
        if self.scroll_offset.y == top:
            self.refresh_row(old)
            self.refresh_row(index)

    def refresh_row(self, index: int) -> None:
        if index in self.seen:
            self.refresh(Region(0, index - self.scroll_offset.y, self.window.width, 1))

    def reveal(self) -> None:
        height = self.window.height
        if self.focused_row < 0 or not height:
            return
        top = self.scroll_offset.y
        around = min(_AROUND, (height - 1) // 3)
        wanted = min(max(top, self.focused_row + around - height + 1), self.focused_row - around)
        wanted = max(0, min(wanted, self.count - height))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, immediate=True, force=True)

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        cells = self.window.width
        ground = self.base + self.palette.text
        if index >= self.count:
            return Strip.blank(cells, ground)
        if index == self.focused_row:
            ground += self.palette.row
        return strip_of(self.runs_of_row(index, cells), cells, ground)

    def on_resize(self) -> None:
        self.reveal()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if 0 <= index < self.count:
            event.stop()
            self.clicked(index)


Words = tuple[str, str]
"""A text and the name of its style. The text is a constant or a result of `line_text`."""


def styled(words: Sequence[Words], palette: PaintStyles) -> list[Run]:
    return [(text, palette.style(role)) for text, role in words]


def wrap_words(head: Sequence[Words], words: Words, cells: int) -> list[list[Words]]:
    """Wrap words into lines of `cells` terminal cells, after `head` and indented by its width."""
    text, role = words
    indent = sum(text_width(piece) for piece, _ in head)
    first, *rest = wrap_line(text, cells - indent)
    return [[*head, (first, role)], *([(" " * indent + piece, role)] for piece in rest)]


class WordsLine(FixedRows):
    _left: tuple[Words, ...] = ()
    _right: tuple[Words, ...] = ()

    def show(self, left: Sequence[Words], right: Sequence[Words] = ()) -> None:
        if (tuple(left), tuple(right)) != (self._left, self._right):
            self._left = tuple(left)
            self._right = tuple(right)
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        left = styled(self._left, self.palette)
        right = styled(self._right, self.palette)
        if runs_width(left) + runs_width(right) > cells:
            return [clip(left, cells)]
        return [align_both_ends(left, right, cells)]


class WordsList(RowList):
    _lines: tuple[tuple[Words, ...], ...] = ()

    def show(self, lines: Sequence[Sequence[Words]], *, focused: int = -1) -> None:
        self._lines = tuple(tuple(line) for line in lines)
        self.scroll_to(y=0, animate=False, immediate=True)
        self.set_rows(len(self._lines), focused=focused)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        return clip(styled(self._lines[index], self.palette), cells)
