"""Widgets that paint lines of cells: a few fixed rows, or a list of any length painted where seen.

They hold no text of their own: a subclass gives the runs of a row. Nothing moves or blinks, and
what did not change is not painted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui_annotate.tui.lines import Run, strip_of
from tui_annotate.tui.palette import Palette, palette_of
from tui_annotate.tui.quick import QuickLines, set_extent

_AROUND = 2  # rows kept in view above and below the focused one


class FixedRows(QuickLines):
    """A few rows, painted together; a subclass gives them in `paint` and calls `repaint`."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = "FixedRows { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(id=id, classes=classes)
        self._painted: tuple[Size, Palette, list[list[Run]]] | None = None

    @property
    def palette(self) -> Palette:
        """The styles of the theme in use."""
        return palette_of(self.app)

    def paint(self, cells: int) -> list[list[Run]]:
        """The runs of each row, for this many cells; fewer rows than there are leave blanks."""
        raise NotImplementedError

    def repaint(self, *, layout: bool = False) -> None:
        """What is shown has changed; `layout` where the number of rows may have, too."""
        self._painted = None
        self.refresh(*([] if layout else [self.size.region]), layout=layout)

    def rows_of_runs(self) -> list[list[Run]]:
        """What is painted now; painted first where need be."""
        size, palette = self.size, self.palette
        if self._painted is None or self._painted[:2] != (size, palette):
            self._painted = (size, palette, self.paint(size.width))
        return self._painted[2]

    def render_line(self, y: int) -> Strip:
        """Textual's hook: row `y` of the widget."""
        ground = self.base + self.palette.text
        rows = self.rows_of_runs()
        return strip_of(rows[y] if y < len(rows) else [], self.size.width, ground)


class RowList(ScrollView, QuickLines, can_focus=False):
    """A list of rows of one line, one of which may be focused; only rows that are seen are painted.

    A subclass gives `runs_of_row` and, if a click means something, `clicked`.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    RowList { width: 1fr; height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(id=id, classes=classes)
        self._count = 0
        self._focused = -1

    @property
    def palette(self) -> Palette:
        """The styles of the theme in use."""
        return palette_of(self.app)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    @property
    def focused_row(self) -> int:
        """The index of the focused row; -1 where none is."""
        return self._focused

    @property
    def seen(self) -> range:
        """Indices of the rows inside the window."""
        top = self.scroll_offset.y
        return range(top, min(top + max(self.window.height, 1), self._count))

    @property
    def window(self) -> Size:
        """Cells and rows inside the scrollbar."""
        return self.scrollable_content_region.size

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """The runs of a row, for this many cells."""
        raise NotImplementedError

    def clicked(self, index: int) -> None:
        """A row was clicked; nothing happens unless a subclass says so."""

    def set_rows(self, count: int, *, focused: int = -1) -> None:
        """New rows; those are painted again that are or were there, and the focused one sought."""
        rows, top = max(self._count, count), self.scroll_offset.y
        self._count = count
        self._focused = focused if 0 <= focused < count else -1
        set_extent(self, Size(1, count))
        self.reveal()
        window = self.window
        unscrolled = top == self.scroll_offset.y == 0
        seen = min(rows, window.height) if unscrolled else window.height
        self.refresh(Region(0, 0, window.width, seen))

    def focus_row(self, index: int) -> None:
        """Focuses another row, clamped to the list; repaints two rows, or all after a scroll."""
        index = max(0, min(index, self._count - 1))
        old, self._focused = self._focused, index
        if old == index:
            return
        top = self.scroll_offset.y
        self.reveal()
        if self.scroll_offset.y == top:
            self.refresh_row(old)
            self.refresh_row(index)

    def refresh_row(self, index: int) -> None:
        """Paints one row again if it is seen."""
        if index in self.seen:
            self.refresh(Region(0, index - self.scroll_offset.y, self.window.width, 1))

    def reveal(self) -> None:
        """Scrolls as little as needed to have the focused row and some rows around it in view."""
        height = self.window.height
        if self._focused < 0 or not height:
            return
        top = self.scroll_offset.y
        around = min(_AROUND, (height - 1) // 3)
        wanted = min(max(top, self._focused + around - height + 1), self._focused - around)
        wanted = max(0, min(wanted, self._count - height))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, immediate=True, force=True)

    def render_line(self, y: int) -> Strip:
        """Textual's hook: row `y` of the window."""
        index = y + self.scroll_offset.y
        cells = self.window.width
        ground = self.base + self.palette.text
        if index >= self._count:
            return Strip.blank(cells, ground)
        if index == self._focused:
            ground += self.palette.row
        return strip_of(self.runs_of_row(index, cells), cells, ground)

    def on_resize(self) -> None:
        """The focused row stays in the window."""
        self.reveal()

    def on_click(self, event: events.Click) -> None:
        """Turns the place of a click into a row."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if 0 <= index < self._count:
            event.stop()
            self.clicked(index)
