"""Fast rendering of lines and scroll bars for widgets without border and padding.

Textual looks up border, padding and opacity for each line, copies the line three times and stores
it twice. With two texts on screen, this took half of the time of handling a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Background
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from tui_annotate.tui.palette import PaintStyles, styles_of


class WholeStrip(Strip):
    """A strip (a styled line) that is not copied when it would be cut only at its end.

    A plain `Strip` would store itself among its pieces. The garbage collector would stop every
    tenth page for 4 ms to remove these reference cycles.
    """

    __slots__ = ()

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Cut a styled line at some cells; return the line itself if the only cut is at its end."""
        within = [cut for cut in cuts if cut <= self.cell_length]
        return [self] if within == [self.cell_length] else super().divide(within)


def set_extent(view: ScrollView, size: Size) -> None:
    """Set the virtual size of a scroll view; lay the screen out again only if a widget moves.

    Textual lays the screen out for each new text, which takes a fifth of the time of a frame.
    """
    held = view.container_size
    bar = view.styles.overflow_y == "scroll" or size.height > held.height
    if not held or bar != view.show_vertical_scrollbar or view.styles.auto_dimensions:
        view.virtual_size = size
        return
    view.set_reactive(ScrollView.virtual_size, size)
    if bar:
        view.vertical_scrollbar.window_virtual_size = size.height
    view.scroll_y = view.validate_scroll_y(view.scroll_y)


def filter_segments(segments: list[Segment], widget: Widget) -> list[Segment]:
    """Apply Textual's line filters, such as that for colours, to the pieces of a line."""
    return _apply_filters(segments, widget.get_line_filters(), widget.background_colors[1])


def _apply_filters(
    segments: list[Segment], filters: Iterable[LineFilter], background: Background
) -> list[Segment]:
    for line_filter in filters:
        segments = line_filter.apply(segments, background)
    return segments


class LineWidget(Widget):
    """A widget without border and padding that caches its lines until they are refreshed.

    The widget's style is looked up once, because the lookup is slower than painting most lines.
    """

    _base: Style | None = None
    _cached_for: tuple[Size, Sequence[LineFilter]] | None = None

    @property
    def base(self) -> Style:
        """Style of the widget, looked up once per theme."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    @property
    def palette(self) -> PaintStyles:
        """Styles of the current theme."""
        return styles_of(self.app)

    def notify_style_update(self) -> None:
        """Override Textual's hook: look the style up again."""
        self._base = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Override Textual's hook: draw only the lines that are not cached."""
        now = (self.size, self.get_line_filters())
        if self._cached_for != now:
            self._cached_for = now
            self._cached_lines: dict[int, WholeStrip] = {}
            self._background = self.background_colors[1]
        return [self._cached_line(y).crop(*crop.column_span) for y in crop.line_range]

    def _cached_line(self, y: int) -> WholeStrip:
        line = self._cached_lines.get(y)
        if line is None:
            drawn = self.render_line(y)
            segments = _apply_filters(list(drawn), self.get_line_filters(), self._background)
            line = self._cached_lines[y] = WholeStrip(segments, drawn.cell_length)
        return line

    def refresh(self, *regions: Region, **how: bool) -> Self:
        """Override Textual's hook: redraw the given regions, or all lines if no region is given."""
        if not regions:
            self._cached_for = None
        elif self._cached_for is not None:
            for y in {y for region in regions for y in region.line_range}:
                self._cached_lines.pop(y, None)
        return super().refresh(*regions, **how)


class FastScrollBar(ScrollBar):
    """A vertical scroll bar that is drawn only after a change.

    The bar has at most four different lines. Textual creates scroll bars itself, so set the
    `__class__` of an existing bar to this class.
    """

    _bar_state: tuple[object, ...] = ()
    _lines: Sequence[WholeStrip] = ()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Override Textual's hook: draw the bar only if it has changed."""
        bar = self.render()
        if not isinstance(bar, ScrollBarRender):  # possible in later releases of Textual
            return super().render_lines(crop)
        drawn = (vars(bar), self.size, self.get_line_filters())
        if drawn != self._bar_state:
            self._bar_state = drawn
            self._lines = self._draw_bar(bar)
        return [line.crop(*crop.column_span) for line in self._lines[crop.y : crop.bottom]]

    def _draw_bar(self, bar: ScrollBarRender) -> list[WholeStrip]:
        cells, height = self.size
        base = self.rich_style
        style = self.app.console.get_style(bar.style)
        segments = bar.render_bar(
            size=height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=cells,
            back_color=style.bgcolor or Color.default(),
            bar_color=style.color or Color.default(),
        ).segments
        lines = {
            id(segment): WholeStrip(
                filter_segments([Segment(segment.text, base + segment.style)], self), cells
            )
            for segment in {id(segment): segment for segment in segments}.values()
        }
        return [lines[id(segment)] for segment in segments]
