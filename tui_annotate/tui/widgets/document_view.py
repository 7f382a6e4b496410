"""The widget that draws a document with its highlights, and repaints only changed lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment as RichSegment
from rich.style import Style
from textual import events
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui_annotate.domain.line_text import line_text
from tui_annotate.domain.line_text import text_width as cells_of
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.tui.fast_render import (
    FastScrollBar,
    LineWidget,
    WholeStrip,
    filter_segments,
    set_extent,
)
from tui_annotate.tui.line_text import wrap_line
from tui_annotate.tui.palette import PaintStyles
from tui_annotate.tui.text.cursor import TextCursor
from tui_annotate.tui.text.layers import DocumentLayers
from tui_annotate.tui.text.layout import LEAST_WIDTH, TextLayout
from tui_annotate.tui.text.painter import GUTTER, PaintedText, paint
from tui_annotate.tui.text.piece_styles import PLAIN, PieceStyles, StyleFlag

_MARGIN = 3  # minimum lines between the cursor and the edge of the view
_CACHED = 200  # cached painted lines; freeing thousands of lines at once takes milliseconds
_VIEWS = 64  # remembered views; keys are rarely handled more than one frame later
_WIDTH_UNKNOWN = 80
_BAR = 1  # width of the scroll bar in cells


def text_columns(width: int) -> int:
    """Return the width of text lines in a widget. One cell stays free for a trailing space."""
    return width - _BAR - GUTTER - 1


@dataclass(frozen=True, slots=True)
class _PaintOptions:
    style_table: PieceStyles = field(compare=False)
    palette: PaintStyles
    ground: Style
    filters: Sequence[LineFilter]
    width: int


class DocumentView(ScrollView, LineWidget, can_focus=True, inherit_bindings=False):
    """A widget that shows a document in wrapped lines, with a margin on the left.

    `text_cursor` may be changed only by methods of the pane.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    FOCUS_ON_CLICK: ClassVar[bool] = False
    DEFAULT_CSS: ClassVar[str] = """
    DocumentView {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(id=id)
        self._strips: dict[int, WholeStrip] = {}
        self._last_options: _PaintOptions | None = None
        self._height = 0
        self._row_count = 0  # number of rows, as painted last or to be painted
        self._views: deque[tuple[float, Span]] = deque(maxlen=_VIEWS)
        self._reset("", ())

    def _reset(
        self,
        text: str,
        segments: Sequence[Segment],
        *,
        tags: Mapping[int, str] | None = None,
        around: tuple[str, str] = ("", ""),
    ) -> None:
        self.text_cursor = TextCursor(text, segments)
        tags = {offset: f" {line_text(tag)}" for offset, tag in (tags or {}).items()}
        self.text_layout = TextLayout(text, {at: cells_of(tag) for at, tag in tags.items()})
        self.scene = DocumentLayers(tags=tags)
        before, after = around
        self._surroundings = SurroundingText((before,), (after,))
        self._wrapped = SurroundingText()
        self._revealed: Span | None = None
        self._views.clear()

    def on_mount(self) -> None:
        """Use the scroll bar that draws its lines once, not at each frame."""
        self.vertical_scrollbar.__class__ = FastScrollBar

    # size

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width or _WIDTH_UNKNOWN
        self.text_layout.wrap(text_columns(width + _BAR))
        self._wrapped = self._surroundings.wrap_line(text_columns(width + _BAR))
        self._strips.clear()
        rows = len(self._wrapped.before) + self.text_layout.lines + len(self._wrapped.after)
        seen = max(self._row_count, rows)
        self._row_count = rows
        set_extent(self, Size(width, rows))
        if seen < self.size.height:  # nothing scrolls, and the rows below the text stay empty
            self.refresh(Region(0, 0, self.size.width, seen))
        else:
            self.refresh()

    def row_of(self, offset: int) -> int:
        """Return the row of the code point at `offset`, counted from the document's first row."""
        return self.text_layout.line_of(offset) + len(self._wrapped.before)

    @property
    def top_line(self) -> int:
        """The index of the first text line in view; negative if rows above the text are in view."""
        return self.scroll_offset.y - len(self._wrapped.before)

    def on_resize(self, event: events.Resize) -> None:
        """After a resize, keep the top line at the top, and the last shown span of text in view."""
        del event
        top, _ = self.text_layout.line(self.top_line)
        span = self._revealed
        seen = span is not None and (not self._height or self._in_view(span, self._height))
        self._height = self.scrollable_content_region.height
        framed = self.top_line < 0
        self._wrap()
        self._scroll_to_line(0 if framed else self.row_of(top))
        if span is not None and seen:
            self.reveal(span)

    # drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Override Textual's hook: paint lines, and remember which text is in view since when."""
        options = self._paint_options()
        top = self.scroll_offset.y
        columns = crop.column_span
        self._remember_view()
        return [self._painted_line(top + y, options).crop(*columns) for y in crop.line_range]

    def render_line(self, y: int) -> Strip:
        return self._painted_line(y + self.scroll_offset.y, self._paint_options())

    def lines_in_view(self) -> Span | None:
        """Return the span of the text that is in view, or None if no text is in view."""
        layout = self.text_layout
        top = max(self.top_line, 0)
        last = min(self.top_line + self.scrollable_content_region.height, layout.lines) - 1
        if last < top or not layout.text:
            return None
        return Span(layout.line(top)[0], layout.line(last)[1])

    def _remember_view(self) -> None:
        """Record the event time at which another part of the text came into view."""
        view = self.lines_in_view()
        if view is not None and (not self._views or self._views[-1][1] != view):
            self._views.append((events.Event().time, view))

    def view_at(self, time: float) -> Span | None:
        """Return the span in view at an event time, or None; times must not decrease."""
        views = self._views
        while len(views) > 1 and views[1][0] <= time:
            views.popleft()
        return views[0][1] if views and views[0][0] <= time else None

    def _paint_options(self) -> _PaintOptions:
        """Return what painted lines depend on; if it changed, drop the painted lines."""
        app = self.app
        palette = self.palette
        ground = Style.null() if app.native_ansi_color else self.base + palette.text
        options = _PaintOptions(
            PieceStyles(palette, ground=ground, sent=self._filter_style),
            palette,
            ground,
            self.get_line_filters(),
            self.scrollable_content_region.width,
        )
        if self._last_options is None or self._last_options != options:
            self._last_options = options
            self._strips.clear()
        return self._last_options

    def _filter_style(self, style: Style) -> Style | None:
        return filter_segments([RichSegment("", style)], self)[0].style

    def _painted_line(self, y: int, options: _PaintOptions) -> WholeStrip:
        y = min(y, self._row_count)  # all rows below the text are equal
        strip = self._strips.get(y)
        if strip is None:
            if len(self._strips) >= _CACHED:
                self._strips.clear()
            strip = self._strips[y] = self._paint(y, options)
        return strip

    def _paint(self, y: int, options: _PaintOptions) -> WholeStrip:
        """Paint a row: of the text, of the text around it, or a blank one below."""
        style_table = options.style_table
        width = options.width
        pieces: list[PaintedText] = []
        cells = 0
        before, after = self._wrapped
        own = y - len(before)
        behind = own - self.text_layout.lines
        if own >= 0 > behind:
            pieces, cells = paint(self.text_layout, self.scene, y=own)
        elif own < 0 or behind < len(after):
            text = " " * GUTTER + (before[y] if own < 0 else after[behind])
            pieces = [PaintedText(text, StyleFlag.STAND_IN)]
            cells = cells_of(text)
        if cells < width:
            text = pieces.pop().text if pieces and pieces[-1].key == PLAIN else ""
            pieces.append(PaintedText(text + " " * (width - cells), PLAIN))
        line = WholeStrip(
            [RichSegment(text, style_table[key]) for text, key in pieces], max(cells, width)
        )
        return line if cells <= width else WholeStrip(line.crop(0, width), width)

    def redraw(self, spans: Iterable[Span | None]) -> None:
        """Repaint the lines of the text that contain the given spans. None stands for no span."""
        rows = self._rows(spans)
        if not rows:
            return
        top = self.scroll_offset.y
        height = self.size.height
        regions = []
        for first, last in rows:
            # Iterate over the smaller set: a span may cover thousands of lines never painted.
            if last - first < len(self._strips):
                for line in range(first, last + 1):
                    self._strips.pop(line, None)
            else:
                for line in [line for line in self._strips if first <= line <= last]:
                    del self._strips[line]
            seen_first, seen_last = max(first, top), min(last, top + height - 1)
            if seen_first <= seen_last:
                seen = seen_last - seen_first + 1
                regions.append(Region(0, seen_first - top, self.size.width, seen))
        if regions:
            self.refresh(*regions)

    def _rows(self, spans: Iterable[Span | None]) -> list[tuple[int, int]]:
        """Return the first and last row of some spans, sorted, with adjacent ones joined."""
        line_of = self.row_of
        rows: list[tuple[int, int]] = []
        found = {(line_of(span.start), line_of(span.end - 1)) for span in spans if span is not None}
        for first, last in sorted(found):
            if rows and first <= rows[-1][1] + 1:
                rows[-1] = (rows[-1][0], max(last, rows[-1][1]))
            else:
                rows.append((first, last))
        return rows

    # scrolling

    def _scroll_to_line(self, y: int) -> None:
        self.scroll_to(y=max(0, y), animate=False)

    def _scroll_to_offset(self, offset: int) -> None:
        """Scroll as little as possible to show the line of `offset` and some lines around it."""
        y = self.row_of(offset)
        height = self.scrollable_content_region.height
        self._revealed = Span(offset, offset + 1)
        if height <= 0:
            return
        margin = min(_MARGIN, (height - 1) // 2)
        top = self.scroll_offset.y
        if y - margin < top:
            self._scroll_to_line(y - margin)
        elif y + margin >= top + height:
            self._scroll_to_line(y + margin + 1 - height)

    def reveal(self, span: Span) -> None:
        """Scroll a span of the text to a third of the height, unless it is already in view.

        Before the view has a size, the last span is stored until the first layout.
        """
        height = self.scrollable_content_region.height
        self._revealed = span
        if height > 0 and not self._in_view(span, height):
            self._scroll_to_line(self.row_of(span.start) - height // 3)

    def _in_view(self, span: Span, height: int) -> bool:
        top = self.scroll_offset.y
        line_of = self.row_of
        return top <= line_of(span.start) and line_of(span.end - 1) < top + height


FRAME_LINES: Final = 2
"""Maximum number of lines of text shown before an excerpt of a document, and after it."""


class SurroundingText(NamedTuple):
    """The texts before and after a displayed excerpt of a document, as raw or wrapped lines."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def wrap_line(self, cells: int) -> SurroundingText:
        """Return the text around an excerpt, wrapped to lines of at most `cells` cells.

        These are the last lines of the text before the document, and the first lines of the text
        after it, without control characters.
        """
        # Maximum number of characters; one line more, because a line may break early.
        most = (FRAME_LINES + 1) * max(cells, LEAST_WIDTH)
        ends = (line_text(part[-most:]) for part in self.before if part)
        starts = (line_text(part[:most]) for part in self.after if part)
        before = [piece for end in ends for piece in wrap_line(end, cells)]
        after = [piece for start in starts for piece in wrap_line(start, cells)]
        return SurroundingText(tuple(before[-FRAME_LINES:]), tuple(after[:FRAME_LINES]))
