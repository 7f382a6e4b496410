"""The widget of a document with cursor, selection, highlights and mouse, but without keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Self

from textual import events
from textual.message import Message
from textual.timer import Timer

from tui_annotate.domain.line_text import text_width as cells_of
from tui_annotate.domain.samples import Match, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.domain.text_display import next_edge, previous_edge
from tui_annotate.tui.text.layers import AnnotationMark, SpanLayer, T
from tui_annotate.tui.text.painter import GUTTER
from tui_annotate.tui.text.units import pair_words
from tui_annotate.tui.widgets.document_view import DocumentView

__all__ = ["AnnotationMark", "DocumentPane"]

_DRAG_SECONDS = 0.05  # seconds between scrolled lines during a drag outside of the pane
_OVERLAP = 2  # lines of a page that the next page repeats


class DocumentPane(DocumentView):
    """A widget that shows a document with a cursor, a selection and highlights.

    A change repaints only the affected lines. Before `load` the text is empty.
    """

    @dataclass
    class SelectionChanged(Message):
        """Message that the cursor or the selection of a text moved, by mouse or by a method."""

        pane: DocumentPane

    @dataclass
    class MatchClicked(Message):
        """Message that a match was clicked. The cursor and the focus stay unchanged.

        A double click posts the message twice before it selects the word, so that a handler that
        toggles evidence changes nothing.
        """

        pane: DocumentPane
        rank: int

    @dataclass
    class TagClicked(Message):
        """Message that a citation mark (or other inserted text) after a sentence was clicked."""

        pane: DocumentPane
        offset: int
        cell: int

    _goal_column: int | None = None  # column to which moves by lines return
    _press_offset: int | None = None  # offset of the mouse press during a drag
    _has_dragged: bool = False
    _drag_timer: Timer | None = None
    _drag_to: tuple[int, int] = (0, 0)

    def load(
        self,
        text: str,
        segments: Sequence[Segment],
        *,
        tags: Mapping[int, str] | None = None,
        around: tuple[str, str] = ("", ""),
    ) -> None:
        """Show the start of another document, without highlights and without a selection.

        Args:
            segments: sentences in order, whose concatenation is `text`.
            tags: texts shown after the code point at an offset, outside of the document.
            around: text before and after the document, dim and not reachable by the cursor.
        """
        self._release()
        self._reset(text, segments, tags=tags, around=around)
        self._wrap()
        self.scroll_to(y=0, animate=False)
        self._update_scene()

    # the cursor

    @property
    def cursor_offset(self) -> int:
        """Offset of the cursor in code points; 0 in an empty text."""
        return self.text_cursor.offset

    @property
    def selection(self) -> Span | None:
        """The selected span; None without a selection."""
        return self.text_cursor.selection

    @property
    def segment(self) -> int:
        """Index of the sentence at the cursor; 0 without sentences."""
        return self.text_cursor.segment

    def move(self, unit: str, step: int, *, extend: bool = False) -> None:
        """Move the cursor of a text, and scroll the cursor into view.

        Args:
            unit: char, word, sentence, paragraph; line, page, half-page; line-start, line-end;
                start, end (of the document).
            step: number of units, backward if negative; ignored for starts and ends.
            extend: move the free end of the selection instead of deselecting.

        Raises:
            KeyError: the unit does not exist.
        """
        if unit in ("line", "page", "half-page"):
            self._move_rows(unit, step, extend=extend)
            return
        if unit in ("line-start", "line-end"):
            edge = self._line_edge(end=unit == "line-end")
            self._change_cursor(lambda: self.text_cursor.place(edge, extend=extend))
        else:
            self._change_cursor(lambda: self.text_cursor.move(unit, step, extend=extend))
        self._goal_column = None

    def _move_rows(self, unit: str, step: int, *, extend: bool) -> None:
        """Move the cursor by lines and keep its column. A move by a page also scrolls by a page."""
        layout = self.text_layout
        height = self.scrollable_content_region.height
        page = max(1, height - _OVERLAP)
        rows = step * {"line": 1, "page": page, "half-page": max(1, page // 2)}[unit]
        y = layout.line_of(self.cursor_offset)
        top = self.top_line
        if self._goal_column is None:
            self._goal_column = layout.x_of(self.cursor_offset)
        target = min(max(y + rows, 0), layout.lines - 1)
        offset = self.offset_in_row(self._goal_column, target)
        scrolls = unit != "line" and top <= y < top + height
        if scrolls:
            self._scroll_to_line(self.scroll_offset.y + target - y)
        self._change_cursor(
            lambda: self.text_cursor.place(offset, extend=extend), follow=not scrolls
        )

    def _line_edge(self, *, end: bool) -> int:
        text = self.text_layout.text
        first, last = self.text_layout.content(self.text_layout.line_of(self.cursor_offset))
        return previous_edge(text, last) if end and last > first else first

    def go_to(self, offset: int, *, select: Span | None = None, reveal: bool = True) -> None:
        """Put the cursor on the character at `offset`, and select a span if one is given.

        Args:
            select: new selection; the cursor is at its start if that is `offset`, else at its end.
            reveal: scroll to the cursor, to a third of the height if it was out of view.
        """
        if reveal:
            self.reveal(select or Span(max(0, offset), max(0, offset) + 1))
        self._change_cursor(lambda: self._put_cursor(offset, select), follow=reveal)

    def _put_cursor(self, offset: int, selected: Span | None) -> None:
        cursor = self.text_cursor
        if selected is None:
            cursor.place(offset)
            return
        cursor.select(selected)
        if offset <= (cursor.anchor or 0):
            cursor.swap_ends()

    def select(self, span: Span | None) -> None:
        """Select the whole characters of `span`. None deselects and keeps the cursor."""
        self._change_cursor(lambda: self.text_cursor.select(span))

    def swap_ends(self) -> None:
        """Move the cursor to the other end of the selection; do nothing without a selection."""
        self._change_cursor(self.text_cursor.swap_ends)

    def select_word(self) -> None:
        """Select the word at the cursor, else the next word of its line, else the character."""
        self._change_cursor(self.text_cursor.select_word)

    def grow(self, step: int) -> None:
        """Grow the selection if `step` is 1, or undo the last growth if `step` is -1."""
        self._change_cursor(lambda: self.text_cursor.grow(step))

    def words_on_screen(self) -> tuple[tuple[Span, ...], ...]:
        """Return the words that start in view, in order; each item has one or two words.

        Two adjacent words without a space between them form one tuple (see `pair_words`). Words and
        pairs that are too narrow for two letters are skipped.
        """
        layout = self.text_layout
        view = self.lines_in_view()
        if view is None:
            return ()
        words = self.text_cursor.words.within(view.start, view.end)
        lines = groupby(words, key=lambda word: layout.line_of(word.start))
        found = [pair for _, line in lines for pair in pair_words(line)]
        return tuple(
            pair
            for pair, following in zip_longest(found, found[1:])
            if self._cells_until(pair[0], following[0] if following else None) >= len("ab")
        )

    @property
    def painted_since(self) -> float | None:
        """Event time since which the text in view was painted; None before the first frame."""
        return self._views[0][0] if self._views else None

    def sentences_seen(self, time: float) -> tuple[int, ...]:
        """Return the indices of the sentences that were readable on screen at a given time.

        A sentence is readable if it was entirely in view, apart from white space. Under the cursor
        or in the selection, part of the sentence is enough, because a sentence may be higher than
        the view. Times of successive calls must not decrease.
        """
        view = self.view_at(time)
        cursor = self.text_cursor
        here = cursor.selection or cursor.character
        if view is None or here is None:
            return ()
        sentences = cursor.sentences
        held = range(sentences.index(here.start), sentences.index(here.end - 1) + 1)
        near = range(sentences.index(view.start), sentences.index(view.end - 1) + 1)
        found = ((at, sentences.trimmed(at)) for at in near)
        return tuple(at for at, span in found if span and (span.clip(view) == span or at in held))

    def _cells_until(self, word: Span, following: Span | None) -> int:
        """Return the cells from a word to the next one, or to the end of the word's line."""
        layout = self.text_layout
        end = layout.content(layout.line_of(word.start))[1]
        if following is not None:
            end = min(end, following.start)
        return layout.cells(word.start, end)

    # layers on the text

    def set_matches(self, matches: Sequence[Match], *, focused: int = 0) -> None:
        """Highlight matches, except those of strength 0; `focused` is a rank, or 0 for none."""
        text = self.text_cursor.text
        layer = SpanLayer(
            (match.span.trim(text) or match.span, match) for match in matches if match.strength
        )
        changed = [*self._swap_layer("matches", layer)]
        if focused != self.scene.focused_match:
            ranks = (focused, self.scene.focused_match)
            changed += [span for span, match in layer if match.rank in ranks]
            self.scene.focused_match = focused
        self.redraw(changed)

    def set_marks(self, marks: Sequence[AnnotationMark]) -> None:
        """Replace the highlights of annotations, in the order in which they are painted."""
        layer = SpanLayer((mark.span, mark) for mark in marks)
        self.redraw(self._swap_layer("marks", layer))

    def set_evidence(self, spans: Sequence[Span]) -> None:
        """Highlight the spans that are evidence of the draft."""
        self._show_spans("evidence", spans)

    def set_former(self, spans: Sequence[Span]) -> None:
        """Mark in the left margin the spans that were evidence in other samples."""
        self._show_spans("former", spans)

    def set_contrast(self, shared: Sequence[Span], conflicts: Sequence[Span]) -> None:
        """Highlight words shared with the compared text, and words that may contradict it."""
        self._show_spans("shared", shared)
        self._show_spans("conflicts", conflicts)

    def _show_spans(self, name: str, spans: Sequence[Span]) -> None:
        self.redraw(self._swap_layer(name, SpanLayer((span, None) for span in spans)))

    def set_lacking(self, spans: Sequence[Span]) -> None:
        """Highlight words, possibly thousands, that summary and source do not have in common."""
        if not spans and not self.scene.lacking:
            return
        self.scene.lacking = SpanLayer((span, None) for span in spans)
        self._repaint_all()

    def set_tag(self, place: tuple[int, Span] | None) -> None:
        """Highlight a span of the text shown after an offset, such as a citation mark; or none."""
        former = self.scene.focused_tag
        self.scene.focused_tag = place and (place[0], place[1].shift(1))  # a space precedes the tag
        self.redraw([Span(one[0], one[0] + 1) for one in (former, place) if one])

    def set_search(self, spans: Sequence[Span], *, focused: int = 0) -> None:
        """Highlight the spans that a search found, perhaps thousands; `focused` counts from 1."""
        former = self.scene.focused_hit
        self.scene.focused_hit = focused
        if [span for span, _ in self.scene.hits] == list(spans):
            self.redraw(spans[number - 1] for number in (former, focused) if number)
            return
        self.scene.hits = SpanLayer((span, number) for number, span in enumerate(spans, 1))
        self._repaint_all()

    def set_hints(self, hints: Mapping[str, Span] | None) -> None:
        """Show letter codes over the first cells of words. None hides the codes."""
        layer = SpanLayer((span, label) for label, span in (hints or {}).items())
        self.redraw(self._swap_layer("hints", layer))

    def _repaint_all(self) -> None:
        self._strips.clear()
        self.refresh()

    def _swap_layer(self, name: str, layer: SpanLayer[T]) -> tuple[Span, ...]:
        """Replace a layer of highlights; return the spans that differ."""
        before: SpanLayer[T] = getattr(self.scene, name)
        setattr(self.scene, name, layer)
        return layer.changed(before)

    # consequences of a change, and the mouse

    def _change_cursor(self, act: Callable[[], None], *, follow: bool = True) -> None:
        """Call `act`; if cursor or selection changed, repaint, scroll and post a message."""
        cursor = self.text_cursor
        before = (cursor.offset, cursor.anchor)
        act()
        if (cursor.offset, cursor.anchor) == before:
            return
        self._update_scene()
        if follow:
            self._scroll_to_offset(cursor.offset)
        self.post_message(self.SelectionChanged(self))

    def _update_scene(self) -> None:
        """Copy cursor, selection and focus to the layers, and repaint what differs."""
        scene = self.scene
        cursor = self.text_cursor
        before = (scene.selection, scene.cursor, scene.sentence)
        scene.selection = cursor.selection
        scene.cursor = cursor.character if self.has_focus else None
        scene.sentence = None
        if scene.selection is None:
            scene.sentence = cursor.sentences.trimmed(cursor.segment)
        after = (scene.selection, scene.cursor, scene.sentence)
        active = scene.active
        scene.active = self.has_focus
        changed: list[Span | None] = []
        for old, new in zip(before, after, strict=True):
            if old != new:
                changed += [old, new]
        if active != scene.active:
            changed.append(scene.sentence)
        self.redraw(changed)

    def focus(self, scroll_visible: bool = True) -> Self:  # noqa: FBT001, FBT002 (as Textual's)
        """Override Textual's method: do nothing while the widget is not attached."""
        if self.is_attached:
            self.app.call_later(self.screen.set_focus, self, scroll_visible)
        return self

    def watch_has_focus(self, has_focus: bool) -> None:  # noqa: FBT001 (Textual calls it)
        """Show or hide the cursor, and end a drag when the focus is lost."""
        super().watch_has_focus(has_focus)
        if not has_focus:
            self._release()
        self._update_scene()

    def offset_in_row(self, x: int, y: int) -> int:
        """Return the code point in cell `x` of a text line; past its end, the last one.

        An empty line gives its start.
        """
        layout = self.text_layout
        offset = layout.offset_at(x, y)
        start, end = layout.content(y)
        return previous_edge(layout.text, end) if offset >= end > start else offset

    def _offset_under(self, event: events.MouseEvent) -> int:
        place = event.get_content_offset_capture(self)
        return self.offset_in_row(place.x - GUTTER, place.y + self.top_line)

    def _cell_of_tag(self, event: events.MouseEvent, offset: int) -> int:
        """Return which cell of the tag after an offset was clicked; negative if none was."""
        layout = self.text_layout
        tags = self.scene.tags
        last = next_edge(layout.text, offset) - 1  # a tag follows the last code point of a cluster
        if last not in tags:
            return -1
        end = layout.x_of(last) + layout.cells(last, last + 1)
        x = event.get_content_offset_capture(self).x - GUTTER
        return x - (end - cells_of(tags[last])) if x < end else -1

    def _match_at(self, offset: int) -> int:
        """Return the best rank of the matches at an offset; 0 if there is none."""
        found = self.scene.matches.touching(offset, offset + 1)
        return min((match.rank for _, match in found), default=0)

    # the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start a drag of the mouse, and move the cursor to the character under the mouse.

        With Shift, extend the selection to this character. Without Shift, a press on a match does
        not move the cursor.
        """
        if event.button != 1 or not self.text_layout.text:
            return
        event.stop()
        offset = self._offset_under(event)
        self._press_offset = offset
        self._has_dragged = False
        self.capture_mouse()
        if event.shift:
            self.focus(scroll_visible=False)
            self._change_cursor(lambda: self.text_cursor.place(offset, extend=True))
        elif not self._match_at(offset):
            self.focus(scroll_visible=False)
            self._change_cursor(lambda: self.text_cursor.place(offset))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection to the mouse; beyond the pane, scroll until it returns."""
        if self._press_offset is None:
            return
        offset = self._offset_under(event)
        if not self._has_dragged and offset == self._press_offset:
            return
        if not self._has_dragged and not event.shift:
            # A press on a match did not move the cursor: the selection begins at the press.
            pressed = self._press_offset
            self.focus(scroll_visible=False)
            self._change_cursor(lambda: self.text_cursor.place(pressed), follow=False)
        self._has_dragged = True
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
        self._change_cursor(lambda: self.text_cursor.place(offset, extend=True), follow=False)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        del event
        self._release()

    def on_click(self, event: events.Click) -> None:
        """Post a message about a clicked match or mark; select words and more by further clicks."""
        if event.button != 1 or event.shift or self._has_dragged or not self.text_layout.text:
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
            self._select_at(offset, self.text_cursor.select_word)
        elif event.chain >= 3:
            self._select_at(offset, lambda: self.text_cursor.grow(1))

    def _select_at(self, offset: int, select: Callable[[], None]) -> None:
        def act() -> None:
            self.text_cursor.place(offset)
            select()

        self.focus(scroll_visible=False)
        self._change_cursor(act, follow=False)

    def _release(self) -> None:
        self._stop_timer()
        if self._press_offset is not None:
            self._press_offset = None
            self.release_mouse()

    def _stop_timer(self) -> None:
        if self._drag_timer is not None:
            self._drag_timer.stop()
            self._drag_timer = None
