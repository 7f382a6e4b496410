"""Draws a document and what lies on it, only the lines that changed; moves no cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from rich.segment import Segment as RichSegment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.tui.palette import palette_of
from tui_annotate.tui.text.cursor import TextCursor
from tui_annotate.tui.text.layout import TextLayout
from tui_annotate.tui.text.looks import Looks
from tui_annotate.tui.text.painter import Scene, paint

NARROW_SCREEN: Final = 100
"""From so many columns of the whole screen on, the gutter has four cells, below it three."""

_MARGIN = 3  # lines kept between the cursor and the edge of the view
_CACHED = 4000  # painted lines that are kept
_WIDTH_UNKNOWN = 80


class DocumentView(ScrollView, can_focus=True, inherit_bindings=False):
    """A document in lines, with a gutter left of them.

    Attributes:
        text_cursor: the place in the text, and what is selected; move it by methods of the pane.
        text_layout: its lines at the present width.
        scene: what lies on it.
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

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (the name that every Textual widget gives it)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._strips: dict[int, Strip] = {}
        self._looks: Looks | None = None
        self._reset("", ())

    def _reset(self, text: str, segments: Sequence[Segment]) -> None:
        self.text_cursor = TextCursor(text, segments)
        self.text_layout = TextLayout(text)
        self.scene = Scene(sentences=self.text_cursor.sentences)
        self._to_reveal: Span | None = None

    # size

    @property
    def gutter_cells(self) -> int:
        """The cells left of the text."""
        return 4 if self.app.size.width >= NARROW_SCREEN else 3

    def _wrap(self) -> None:
        """Break the text for the present width; one cell is kept for what hangs behind a line."""
        width = self.scrollable_content_region.width or _WIDTH_UNKNOWN
        self.text_layout.wrap(width - self.gutter_cells - 1)
        self._strips.clear()
        self.virtual_size = Size(width, self.text_layout.lines)
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Keep the first line's text at the top."""
        del event
        top, _ = self.text_layout.line(self.scroll_offset.y)
        self._wrap()
        self._scroll_to_line(self.text_layout.line_of(top))
        if self._to_reveal is not None:
            self.reveal(self._to_reveal)

    def notify_style_update(self) -> None:
        """Take the new theme's colours."""
        super().notify_style_update()
        if self._looks is not None and self._looks.palette is not palette_of(self.app):
            self._looks = None
            self._strips.clear()

    # drawing

    def render_line(self, y: int) -> Strip:
        """Line `y` of the view, painted anew only after a change."""
        line = y + self.scroll_offset.y
        strip = self._strips.get(line)
        if strip is None:
            if len(self._strips) >= _CACHED:
                self._strips.clear()
            strip = self._strips[line] = self._paint(line)
        return strip

    def _paint(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y >= self.text_layout.lines:
            return Strip.blank(width, self._ground())
        if self._looks is None:
            self._looks = Looks(palette_of(self.app), ground=self._ground())
        looks = self._looks
        pieces, cells = paint(self.text_layout, self.scene, y=y, gutter=self.gutter_cells)
        segments = [RichSegment(text, looks[key]) for text, key in pieces]
        if cells < width:
            segments.append(RichSegment(" " * (width - cells), looks.ground))
        strip = Strip(segments, max(cells, width))
        return strip if cells <= width else strip.crop(0, width)

    def _ground(self) -> Style:
        """The colours of plain text; none where they are the terminal's own."""
        app = self.app
        return Style.null() if app.native_ansi_color else self.rich_style + palette_of(app).text

    def redraw(self, spans: Iterable[Span | None]) -> None:
        """Paint the lines of these spans anew; None counts for nothing."""
        top, height = self.scroll_offset.y, self.size.height
        regions = []
        for first, last in self._rows(spans):
            if last - first < len(self._strips):
                for line in range(first, last + 1):
                    self._strips.pop(line, None)
            else:
                for line in [line for line in self._strips if first <= line <= last]:
                    del self._strips[line]
            seen_first, seen_last = max(first, top), min(last, top + height - 1)
            if seen_first <= seen_last:
                rows = seen_last - seen_first + 1
                regions.append(Region(0, seen_first - top, self.size.width, rows))
        if regions:
            self.refresh(*regions)

    def _rows(self, spans: Iterable[Span | None]) -> list[tuple[int, int]]:
        """First and last lines, in order; no line twice."""
        line_of = self.text_layout.line_of
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

    def _follow(self, offset: int) -> None:
        """Scroll as little as keeps the line of `offset` and some lines around it in view."""
        y, height = self.text_layout.line_of(offset), self.scrollable_content_region.height
        if height <= 0:
            self.reveal(Span(offset, offset + 1))
            return
        margin = min(_MARGIN, (height - 1) // 2)
        top = self.scroll_offset.y
        if y - margin < top:
            self._scroll_to_line(y - margin)
        elif y + margin >= top + height:
            self._scroll_to_line(y + margin + 1 - height)

    def reveal(self, span: Span) -> None:
        """Scroll `span` into view, to a third of the height; not at all where it is in view.

        Before the view has its size, the last span asked for is remembered until it has.
        """
        height = self.scrollable_content_region.height
        self._to_reveal = span if height <= 0 else None
        first = self.text_layout.line_of(span.start)
        last = self.text_layout.line_of(span.end - 1)
        top = self.scroll_offset.y
        if height > 0 and not (top <= first and last < top + height):
            self._scroll_to_line(first - height // 3)
