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
        """Paint the rows again; `layout` also asks for their new height."""
        self._painted = None
        if layout:
            self.refresh(layout=True)
        else:
            self.refresh(self.size.region)

    def rows_of_runs(self) -> list[list[Run]]:
        """Return the painted rows, which are kept until size, theme or content changes."""
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
        """Indices of the rows in view; one row before the list has a size."""
        top = self.scroll_offset.y
        return range(top, min(top + max(self.window.height, 1), self.count))

    @property
    def window(self) -> Size:
        """Size of the list without the scroll bar, in cells and rows."""
        return self.scrollable_content_region.size

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """Return the styled pieces of text of a row that is in view."""
        raise NotImplementedError

    def clicked(self, index: int) -> None:
        """Handle a click on a row, counted from 0; by default, ignore it."""

    def set_rows(self, count: int, *, focused: int = -1) -> None:
        """Set the number of rows of a list, paint them again, and scroll to the focused row."""
        rows = max(self.count, count)
        top = self.scroll_offset.y
        self.count = count
        self.focused_row = focused if 0 <= focused < count else -1
        set_extent(self, Size(1, count))
        self.reveal()
        # Without scrolling, rows below the old and the new list stay empty and need no paint.
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
        """Paint a row again, if it is in view."""
        if index in self.seen:
            self.refresh(Region(0, index - self.scroll_offset.y, self.window.width, 1))

    def reveal(self) -> None:
        """Scroll to the focused row, with up to two rows above and below it."""
        height = self.window.height
        if self.focused_row < 0 or not height:
            return
        top = self.scroll_offset.y
        around = min(_AROUND, (height - 1) // 3)
        # Scroll as little as possible: down if the row is below the window, up if it is above.
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
        """Call `clicked` for the row under the mouse; a click below the last row is ignored."""
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
    """Return pieces of text with the styles that the palette has for their roles."""
    return [(text, palette.style(role)) for text, role in words]


def wrap_words(head: Sequence[Words], words: Words, cells: int) -> list[list[Words]]:
    """Wrap words into lines of `cells` terminal cells, after `head` and indented by its width."""
    text, role = words
    indent = sum(text_width(piece) for piece, _ in head)
    first, *rest = wrap_line(text, cells - indent)
    lines = [[*head, (first, role)]]
    lines += [[(" " * indent + piece, role)] for piece in rest]
    return lines


class WordsLine(FixedRows):
    """A line with pieces of text at its left and right end."""

    _left: tuple[Words, ...] = ()
    _right: tuple[Words, ...] = ()

    def show(self, left: Sequence[Words], right: Sequence[Words] = ()) -> None:
        """Replace the pieces of text."""
        if (tuple(left), tuple(right)) != (self._left, self._right):
            self._left = tuple(left)
            self._right = tuple(right)
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Paint both ends; the right one is dropped if both do not fit."""
        left = styled(self._left, self.palette)
        right = styled(self._right, self.palette)
        if runs_width(left) + runs_width(right) > cells:
            return [clip(left, cells)]
        return [align_both_ends(left, right, cells)]


class WordsList(RowList):
    """A list of lines of styled text; the focused line is scrolled into view."""

    _lines: tuple[tuple[Words, ...], ...] = ()

    def show(self, lines: Sequence[Sequence[Words]], *, focused: int = -1) -> None:
        """Replace the lines, from the top, and scroll to the line `focused`; -1 for none."""
        self._lines = tuple(tuple(line) for line in lines)
        self.scroll_to(y=0, animate=False, immediate=True)
        self.set_rows(len(self._lines), focused=focused)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        return clip(styled(self._lines[index], self.palette), cells)
