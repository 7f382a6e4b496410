"""One document under the annotator's hands: a screen calls its methods, no key is bound here.

Drawing is in `document_view`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Self

from textual import events
from textual.message import Message
from textual.timer import Timer

from tui_annotate.domain.samples import Match, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.tui.line_text import width as cells_of
from tui_annotate.tui.text.display import next_edge, previous_edge
from tui_annotate.tui.text.layers import AnnotationMark, SpanLayer, T
from tui_annotate.tui.text.painter import GUTTER
from tui_annotate.tui.text.units import pair_words
from tui_annotate.tui.widgets.document_view import DocumentView

__all__ = ["AnnotationMark", "DocumentPane"]

_DRAG_SECONDS = 0.05  # between two lines while the mouse is held outside
_OVERLAP = 2  # lines of a page that the next one shows again


class DocumentPane(DocumentView):
    """A document with its cursor and selection, and what lies on it.

    Every change repaints the lines that it touches and no other. Until `load`, the text is empty.
    """

    @dataclass
    class SelectionChanged(Message):
        """The cursor or the selection moved, by mouse or by a method."""

        pane: DocumentPane

    @dataclass
    class MatchClicked(Message):
        """A lit match was clicked; cursor and focus stayed where they were.

        A double click posts it twice before it selects the word, so that a handler which takes and
        gives back is where it began.
        """

        pane: DocumentPane
        rank: int

    @dataclass
    class TagClicked(Message):
        """What hangs behind the character at `offset` was clicked, at a cell of it, from 0."""

        pane: DocumentPane
        offset: int
        cell: int

    _goal_column: int | None = None  # the column that moves by lines keep to
    _press_offset: int | None = None  # where the mouse went down, while it is held
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
        """Show another document from its start; marks and selection are dropped.

        Args:
            segments: its sentences, in order; they join to `text`.
            tags: what hangs behind the code point at an offset; never a part of the text.
            around: what stands before and after it elsewhere, shown quietly; no key goes there.
        """
        self._release()
        self._reset(text, segments, tags=tags, around=around)
        self._wrap()
        self.scroll_to(y=0, animate=False)
        self._update_scene()

    # where the cursor is

    @property
    def cursor_offset(self) -> int:
        """The first code point of the character under the cursor (`offset` is Textual's own)."""
        return self.text_cursor.offset

    @property
    def selection(self) -> Span | None:
        """What is selected, whole characters; None where there is a cursor only."""
        return self.text_cursor.selection

    @property
    def segment(self) -> int:
        """The index of the segment under the cursor; 0 in an empty text."""
        return self.text_cursor.segment

    def move(self, unit: str, step: int, *, extend: bool = False) -> None:
        """Move the cursor, and the view after it.

        Args:
            unit: char, word, sentence, paragraph; line, page, half-page; line-start, line-end;
                start, end (of the document).
            step: how many units, back where negative; not looked at for starts and ends.
            extend: the free end of the selection moves (from the cursor where nothing is selected);
                otherwise the selection is dropped.

        Raises:
            KeyError: there is no such unit.
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
        """Keep the column that moves by lines began in; a page scrolls as far as it moves."""
        layout, height = self.text_layout, self.scrollable_content_region.height
        page = max(1, height - _OVERLAP)
        rows = step * {"line": 1, "page": page, "half-page": max(1, page // 2)}[unit]
        y, top = layout.line_of(self.cursor_offset), self.top_line
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
            select: replaces the selection; the cursor goes to its start if that is `offset`, else
                to its end.
            reveal: scroll there, to a third of the height if it was out of view.
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
        """Select whole characters of `span`; None drops the selection and keeps the cursor."""
        self._change_cursor(lambda: self.text_cursor.select(span))

    def swap_ends(self) -> None:
        """Let the cursor take hold of the other end of the selection."""
        self._change_cursor(self.text_cursor.swap_ends)

    def select_word(self) -> None:
        """Select the word under the cursor, else the next one of its line."""
        self._change_cursor(self.text_cursor.select_word)

    def grow(self, step: int) -> None:
        """Select more by sentences (1) or take the last step back (-1); see `TextCursor.grow`."""
        self._change_cursor(lambda: self.text_cursor.grow(step))

    def words_on_screen(self) -> tuple[tuple[Span, ...], ...]:
        """The words that start in view, in order, those that touch on a line in pairs.

        Words and pairs without room for two letters are left out.
        """
        layout, view = self.text_layout, self.lines_in_view()
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
        """Since when the text is on screen, on the clock of events; None where it never was."""
        return self._views[0][0] if self._views else None

    def sentences_seen(self, time: float) -> tuple[int, ...]:
        """The sentences that could be read at a time, in order.

        That is those from end to end in the view that was painted by then, white space left out,
        and of those under the cursor or selected the ones that were in it at all: a sentence may
        be higher than the view.

        Args:
            time: of an event; later calls ask for none that is earlier.
        """
        view, cursor = self.view_at(time), self.text_cursor
        here = cursor.selection or cursor.character
        if view is None or here is None:
            return ()
        sentences = cursor.sentences
        held = range(sentences.index(here.start), sentences.index(here.end - 1) + 1)
        near = range(sentences.index(view.start), sentences.index(view.end - 1) + 1)
        found = ((at, sentences.trimmed(at)) for at in near)
        return tuple(at for at, span in found if span and (span.clip(view) == span or at in held))

    def _cells_until(self, word: Span, following: Span | None) -> int:
        layout = self.text_layout
        end = layout.content(layout.line_of(word.start))[1]
        if following is not None:
            end = min(end, following.start)
        return layout.cells(word.start, end)

    # what lies on the text

    def set_matches(self, matches: Sequence[Match], *, focused: int = 0) -> None:
        """Light these up, in place of those before; a strength of 0 is left out.

        Blank lines at the end of a sentence are not marked.

        Args:
            focused: the rank of the one that keys act on; 0 for none.
        """
        text = self.text_cursor.text
        lit = SpanLayer(
            (match.span.trim(text) or match.span, match) for match in matches if match.strength
        )
        changed = [*self._swap_layer("matches", lit)]
        if focused != self.scene.focused_match:
            ranks = (focused, self.scene.focused_match)
            changed += [span for span, match in lit if match.rank in ranks]
            self.scene.focused_match = focused
        self.redraw(changed)

    def set_marks(self, marks: Sequence[AnnotationMark]) -> None:
        """Show these annotations, in place of those before."""
        layer = SpanLayer((mark.span, mark) for mark in marks)
        self.redraw(self._swap_layer("marks", layer))

    def set_evidence(self, spans: Sequence[Span]) -> None:
        """Show these spans as taken, in place of those before."""
        self.redraw(self._swap_layer("evidence", SpanLayer((span, None) for span in spans)))

    def set_former(self, spans: Sequence[Span]) -> None:
        """Show beside these spans that they were evidence before, in place of those before."""
        self.redraw(self._swap_layer("former", SpanLayer((span, None) for span in spans)))

    def set_contrast(self, shared: Sequence[Span], conflicts: Sequence[Span]) -> None:
        """Show what these words have to do with the other text, in place of those before."""
        layers = {"shared": shared, "conflicts": conflicts}
        for name, spans in layers.items():
            self.redraw(self._swap_layer(name, SpanLayer((span, None) for span in spans)))

    def set_lacking(self, spans: Sequence[Span]) -> None:
        """Show these as words that the other text has nowhere; there may be very many."""
        if not spans and not self.scene.lacking:
            return
        self.scene.lacking = SpanLayer((span, None) for span in spans)
        self._repaint_all()

    def set_tag(self, place: tuple[int, Span] | None) -> None:
        """Show which part keys are at of what hangs behind an offset; None for none."""
        former = self.scene.focused_tag
        self.scene.focused_tag = place and (place[0], place[1].shift(1))  # behind a space
        self.redraw([Span(one[0], one[0] + 1) for one in (former, place) if one])

    def set_search(self, spans: Sequence[Span], *, focused: int = 0) -> None:
        """Show these hits of a search, in order; there may be very many.

        Args:
            focused: the number, from 1, of the one that keys act on; 0 for none.
        """
        former, self.scene.focused_hit = self.scene.focused_hit, focused
        if [span for span, _ in self.scene.hits] == list(spans):
            self.redraw(spans[number - 1] for number in (former, focused) if number)
            return
        self.scene.hits = SpanLayer((span, number) for number, span in enumerate(spans, 1))
        self._repaint_all()

    def set_hints(self, hints: Mapping[str, Span] | None) -> None:
        """Lay each label over the first cells of its word; None takes them away."""
        layer = SpanLayer((span, label) for label, span in (hints or {}).items())
        self.redraw(self._swap_layer("hints", layer))

    def _repaint_all(self) -> None:
        """Cheaper than to find out which lines differ, where these may be thousands."""
        self._strips.clear()
        self.refresh()

    def _swap_layer(self, name: str, layer: SpanLayer[T]) -> tuple[Span, ...]:
        """Put a layer of the scene in the place of the one before; the spans that differ."""
        before: SpanLayer[T] = getattr(self.scene, name)
        setattr(self.scene, name, layer)
        return layer.changed(before)

    # what follows a change, and the mouse

    def _change_cursor(self, act: Callable[[], None], *, follow: bool = True) -> None:
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
        self._update_scene()

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
        lit = self.scene.matches.touching(offset, offset + 1)
        return min((match.rank for _, match in lit), default=0)

    # the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a drag; extend with shift; put the cursor here unless a match is lit here."""
        if event.button != 1 or not self.text_layout.text:
            return
        event.stop()
        offset = self._offset_under(event)
        self._press_offset, self._has_dragged = offset, False
        self.capture_mouse()
        if event.shift:
            self.focus(scroll_visible=False)
            self._change_cursor(lambda: self.text_cursor.place(offset, extend=True))
        elif not self._match_at(offset):
            self.focus(scroll_visible=False)
            self._change_cursor(lambda: self.text_cursor.place(offset))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select from where the button went down to here."""
        if self._press_offset is None:
            return
        offset = self._offset_under(event)
        if not self._has_dragged and offset == self._press_offset:
            return
        if not self._has_dragged and not event.shift:
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
        """End a drag."""
        del event
        self._release()

    def on_click(self, event: events.Click) -> None:
        """A match is told to the screen; twice selects the word, three times the sentence."""
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
