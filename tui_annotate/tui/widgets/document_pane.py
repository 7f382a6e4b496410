"""One document under the annotator's hands: a screen calls its methods, no key is bound here.

The mouse is handled in `document_mouse`, drawing in `document_view`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, zip_longest

from tui_annotate.domain.samples import Match, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.clusters import previous_edge
from tui_annotate.tui.text.layers import Mark, SpanLayer, T
from tui_annotate.tui.text.units import in_twos
from tui_annotate.tui.widgets.document_mouse import DocumentMouse

__all__ = ["DocumentPane", "Mark"]

_OVERLAP = 2  # lines of a page that the next one shows again


class DocumentPane(DocumentMouse):
    """A document with its cursor and selection, and what lies on it.

    Every change repaints the lines that it touches and no other. Until `load`, the text is empty.
    """

    def load(
        self,
        text: str,
        segments: Sequence[Segment],
        *,
        language: str = "en",
        tags: Mapping[int, str] | None = None,
        around: tuple[str, str] = ("", ""),
    ) -> None:
        """Show another document from its start; marks and selection are dropped.

        Args:
            segments: its sentences, in order; they join to `text`.
            language: of the document; words are told by their script, whatever it says.
            tags: what hangs behind the code point at an offset; never a part of the text.
            around: what stands before and after it elsewhere, shown quietly; no key goes there.
        """
        del language
        self._release()
        self._reset(text, segments, tags=tags, around=around)
        self._wrap()
        self.scroll_to(y=0, animate=False)
        self._sync()

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

    @property
    def focus_span(self) -> Span:
        """The selection, else the sentence under the cursor, without white space at its edges.

        Raises:
            InvalidSpan: the text is empty.
        """
        return self.text_cursor.focus_span

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
            self._changed(lambda: self.text_cursor.place(edge, extend=extend))
        else:
            self._changed(lambda: self.text_cursor.move(unit, step, extend=extend))
        self._goal = None

    def _move_rows(self, unit: str, step: int, *, extend: bool) -> None:
        """Keep the column that moves by lines began in; a page scrolls as far as it moves."""
        layout, height = self.text_layout, self.scrollable_content_region.height
        page = max(1, height - _OVERLAP)
        rows = step * {"line": 1, "page": page, "half-page": max(1, page // 2)}[unit]
        y, top = layout.line_of(self.cursor_offset), self.top_line
        if self._goal is None:
            self._goal = layout.x_of(self.cursor_offset)
        target = min(max(y + rows, 0), layout.lines - 1)
        offset = self.offset_in_row(self._goal, target)
        scrolls = unit != "line" and top <= y < top + height
        if scrolls:
            self._scroll_to_line(self.scroll_offset.y + target - y)
        self._changed(lambda: self.text_cursor.place(offset, extend=extend), follow=not scrolls)

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
        self._changed(lambda: self._put(offset, select), follow=reveal)

    def _put(self, offset: int, selected: Span | None) -> None:
        cursor = self.text_cursor
        if selected is None:
            cursor.place(offset)
            return
        cursor.select(selected)
        if offset <= (cursor.anchor or 0):
            cursor.swap_ends()

    def select(self, span: Span | None) -> None:
        """Select whole characters of `span`; None drops the selection and keeps the cursor."""
        self._changed(lambda: self.text_cursor.select(span))

    def swap_ends(self) -> None:
        """Let the cursor take hold of the other end of the selection."""
        self._changed(self.text_cursor.swap_ends)

    def select_word(self) -> None:
        """Select the word under the cursor, else the next one of its line."""
        self._changed(self.text_cursor.select_word)

    def grow(self, step: int) -> None:
        """Select more by sentences (1) or take the last step back (-1); see `TextCursor.grow`."""
        self._changed(lambda: self.text_cursor.grow(step))

    def words_on_screen(self) -> tuple[tuple[Span, ...], ...]:
        """The words that start in view, in order, those that touch on a line in pairs.

        Words and pairs without room for two letters are left out.
        """
        layout, view = self.text_layout, self.lines_in_view()
        if view is None:
            return ()
        words = self.text_cursor.words.within(view.start, view.end)
        lines = groupby(words, key=lambda word: layout.line_of(word.start))
        found = [pair for _, line in lines for pair in in_twos(line)]
        return tuple(
            pair
            for pair, following in zip_longest(found, found[1:])
            if self._room(pair[0], following[0] if following else None) >= len("ab")
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

    def _room(self, word: Span, following: Span | None) -> int:
        """The cells from a word's start to the next word, or to the end of its line."""
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
        changed = [*self._swap("matches", lit)]
        if focused != self.scene.focused_match:
            ranks = (focused, self.scene.focused_match)
            changed += [span for span, match in lit if match.rank in ranks]
            self.scene.focused_match = focused
        self.redraw(changed)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show these annotations, in place of those before."""
        layer = SpanLayer((mark.span, mark) for mark in marks)
        self.redraw(self._swap("marks", layer))

    def set_evidence(self, spans: Sequence[Span]) -> None:
        """Show these spans as taken, in place of those before."""
        self.redraw(self._swap("evidence", SpanLayer((span, None) for span in spans)))

    def set_former(self, spans: Sequence[Span]) -> None:
        """Show beside these spans that they were evidence before, in place of those before."""
        self.redraw(self._swap("former", SpanLayer((span, None) for span in spans)))

    def set_contrast(self, shared: Sequence[Span], conflicts: Sequence[Span]) -> None:
        """Show what these words have to do with the other text, in place of those before."""
        layers = {"shared": shared, "conflicts": conflicts}
        for name, spans in layers.items():
            self.redraw(self._swap(name, SpanLayer((span, None) for span in spans)))

    def set_lacking(self, spans: Sequence[Span]) -> None:
        """Show these as words that the other text has nowhere; there may be very many."""
        if not spans and not self.scene.lacking:
            return
        self.scene.lacking = SpanLayer((span, None) for span in spans)
        self._paint_all_anew()

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
        self._paint_all_anew()

    def set_hints(self, hints: Mapping[str, Span] | None) -> None:
        """Lay each label over the first cells of its word; None takes them away."""
        layer = SpanLayer((span, label) for label, span in (hints or {}).items())
        self.redraw(self._swap("hints", layer))

    def _paint_all_anew(self) -> None:
        """Cheaper than to find out which lines differ, where these may be thousands."""
        self._strips.clear()
        self.refresh()

    def _swap(self, name: str, layer: SpanLayer[T]) -> tuple[Span, ...]:
        """Put a layer of the scene in the place of the one before; the spans that differ."""
        before: SpanLayer[T] = getattr(self.scene, name)
        setattr(self.scene, name, layer)
        return layer.changed(before)
