"""The mouse over a document, and the messages when its cursor moves; paints nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from textual import events
from textual.message import Message
from textual.timer import Timer

from tui_annotate.tui.lines import width as cells_of
from tui_annotate.tui.text.clusters import next_edge, previous_edge
from tui_annotate.tui.text.painter import GUTTER
from tui_annotate.tui.widgets.document_view import DocumentView

_DRAG_SECONDS = 0.05  # between two lines while the mouse is held outside


class DocumentMouse(DocumentView):
    """A document that the mouse can act on."""

    class SelectionChanged(Message, namespace="document_pane"):
        """The cursor or the selection moved, by mouse or by a method."""

        def __init__(self, pane: DocumentMouse) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> DocumentMouse:
            """The pane, for `on`."""
            return self.pane

    class MatchClicked(Message, namespace="document_pane"):
        """A lit match was clicked; cursor and focus stayed where they were.

        A double click posts it twice before it selects the word, so that a handler which takes and
        gives back is where it began.
        """

        def __init__(self, pane: DocumentMouse, rank: int) -> None:
            super().__init__()
            self.pane = pane
            self.rank = rank

        @property
        def control(self) -> DocumentMouse:
            """The pane, for `on`."""
            return self.pane

    class TagClicked(Message, namespace="document_pane"):
        """What hangs behind the character at `offset` was clicked, at a cell of it, from 0."""

        def __init__(self, pane: DocumentMouse, offset: int, cell: int) -> None:
            super().__init__()
            self.pane = pane
            self.offset, self.cell = offset, cell

        @property
        def control(self) -> DocumentMouse:
            """The pane, for `on`."""
            return self.pane

    _goal: int | None = None  # the column that moves by lines keep to
    _pressed: int | None = None  # where the mouse went down, while it is held
    _dragged: bool = False
    _drag_timer: Timer | None = None
    _drag_to: tuple[int, int] = (0, 0)

    # cursor and selection

    def _changed(self, act: Callable[[], None], *, follow: bool = True) -> None:
        """Do what moves the cursor; paint and tell where it did."""
        cursor = self.text_cursor
        before = (cursor.offset, cursor.anchor)
        act()
        if (cursor.offset, cursor.anchor) == before:
            return
        self._sync()
        if follow:
            self._follow(cursor.offset)
        self.post_message(self.SelectionChanged(self))

    def _sync(self) -> None:
        """Bring the scene's cursor, selection and sentence up to date, and paint what differs."""
        scene, cursor = self.scene, self.text_cursor
        before = (scene.selection, scene.cursor, scene.sentence)
        scene.selection = cursor.selection
        scene.cursor = cursor.character if self.has_focus else None
        scene.sentence = None
        if scene.selection is None:
            scene.sentence = cursor.sentences.trimmed(cursor.segment)
        after = (scene.selection, scene.cursor, scene.sentence)
        active = scene.active
        scene.active = self.has_focus
        changed = [
            span for pair in zip(before, after, strict=True) if pair[0] != pair[1] for span in pair
        ]
        if active != scene.active:
            changed.append(scene.sentence)
        self.redraw(changed)

    def focus(self, scroll_visible: bool = True) -> Self:  # noqa: FBT001, FBT002 (as Textual's)
        """Textual's own, without painting a text anew that has the keys already."""
        if self.is_attached:
            self.app.call_later(self.screen.set_focus, self, scroll_visible)
        return self

    def watch_has_focus(self, has_focus: bool) -> None:  # noqa: FBT001 (Textual calls it)
        """Show the cursor; without the focus hide it, and let the mouse go."""
        super().watch_has_focus(has_focus)
        if not has_focus:
            self._release()
        self._sync()

    def offset_in_row(self, x: int, y: int) -> int:
        """The character at cell `x` of line `y`; a line end only where the line is empty."""
        layout = self.text_layout
        offset = layout.offset_at(x, y)
        start, end = layout.content(y)
        return previous_edge(layout.text, end) if offset >= end > start else offset

    def _offset_under(self, event: events.MouseEvent) -> int:
        place = event.get_content_offset_capture(self)
        return self.offset_in_row(place.x - GUTTER, place.y + self.top_line)

    def _cell_of_tag(self, event: events.MouseEvent, offset: int) -> int:
        """The cell, from 0, of what hangs behind a character; negative where another is meant."""
        layout, tags = self.text_layout, self.scene.tags
        last = next_edge(layout.text, offset) - 1  # tags hang behind the last of a cluster
        if last not in tags:
            return -1
        end = layout.x_of(last) + layout.cells(last, last + 1)
        x = event.get_content_offset_capture(self).x - GUTTER
        return x - (end - cells_of(tags[last])) if x < end else -1

    def _match_at(self, offset: int) -> int:
        """The rank of the match on the character at `offset`; 0 where none is lit."""
        lit = self.scene.matches.touching(offset, offset + 1)
        return min((match.rank for _, match in lit), default=0)

    # the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a drag; extend with shift; put the cursor here unless a match is lit here."""
        if event.button != 1 or not self.text_layout.text:
            return
        event.stop()
        offset = self._offset_under(event)
        self._pressed, self._dragged = offset, False
        self.capture_mouse()
        if event.shift:
            self.focus(scroll_visible=False)
            self._changed(lambda: self.text_cursor.place(offset, extend=True))
        elif not self._match_at(offset):
            self.focus(scroll_visible=False)
            self._changed(lambda: self.text_cursor.place(offset))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select from where the button went down to here."""
        if self._pressed is None:
            return
        offset = self._offset_under(event)
        if not self._dragged and offset == self._pressed:
            return
        if not self._dragged and not event.shift:
            pressed = self._pressed
            self.focus(scroll_visible=False)
            self._changed(lambda: self.text_cursor.place(pressed), follow=False)
        self._dragged = True
        place = event.get_content_offset_capture(self)
        self._drag_to = (place.x, place.y)
        self._drag()
        outside = not 0 <= place.y < self.scrollable_content_region.height
        if outside and self._drag_timer is None:
            self._drag_timer = self.set_interval(_DRAG_SECONDS, self._drag)
        elif not outside:
            self._stop_timer()

    def _drag(self) -> None:
        x, y = self._drag_to
        height = self.scrollable_content_region.height
        if y < 0 or y >= height:
            self._scroll_to_line(self.scroll_offset.y + (-1 if y < 0 else 1))
        row = self.top_line + min(max(y, 0), height - 1)
        offset = self.offset_in_row(x - GUTTER, min(max(row, 0), self.text_layout.lines - 1))
        self._changed(lambda: self.text_cursor.place(offset, extend=True), follow=False)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag."""
        del event
        self._release()

    def on_click(self, event: events.Click) -> None:
        """A match is told to the screen; twice selects the word, three times the sentence."""
        if event.button != 1 or event.shift or self._dragged or not self.text_layout.text:
            return
        event.stop()
        offset = self._offset_under(event)
        if (cell := self._cell_of_tag(event, offset)) >= 0:
            self.post_message(self.TagClicked(self, offset, cell))
            return
        rank = self._match_at(offset)
        if rank and event.chain <= 2:
            self.post_message(self.MatchClicked(self, rank))
        if event.chain == 2:
            self._take(offset, self.text_cursor.select_word)
        elif event.chain >= 3:
            self._take(offset, lambda: self.text_cursor.grow(1))

    def _take(self, offset: int, select: Callable[[], None]) -> None:
        def act() -> None:
            self.text_cursor.place(offset)
            select()

        self.focus(scroll_visible=False)
        self._changed(act, follow=False)

    def _release(self) -> None:
        self._stop_timer()
        if self._pressed is not None:
            self._pressed = None
            self.release_mouse()

    def _stop_timer(self) -> None:
        if self._drag_timer is not None:
            self._drag_timer.stop()
            self._drag_timer = None
