"""The cursor and the selection of a text, which move by words, sentences and other units.

The cursor is on a character, like a block cursor, and a selection includes the characters at both
ends. Therefore a selection is never empty, and always contains the cursor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.spans import Span
from tui_annotate.domain.text_display import cluster_start, next_edge, previous_edge, snap
from tui_annotate.tui.text.units import Characters, Paragraphs, SentenceUnits, TextUnits, WordUnits


class TextCursor:
    """The cursor and the selection of one text.

    Attributes:
        offset: offset of the character under the cursor in code points; 0 for an empty text.
        anchor: offset of the character at the fixed end of the selection; None for no selection.
    """

    def __init__(self, text: str, segments: Sequence[Segment]) -> None:
        self.text = text
        self.sentences = SentenceUnits(text, segments)
        self.words = WordUnits(text)
        self.offset = 0
        self.anchor: int | None = None
        self._grow_steps: list[tuple[int, int | None]] = []
        self._units: Mapping[str, TextUnits] = {
            "char": Characters(text),
            "word": self.words,
            "sentence": self.sentences,
            "paragraph": Paragraphs(text),
        }

    @property
    def selection(self) -> Span | None:
        """The selected span, which contains the cursor; None without a selection."""
        if self.anchor is None:
            return None
        low, high = sorted((self.anchor, self.offset))
        return Span(low, max(low + 1, next_edge(self.text, high)))

    @property
    def character(self) -> Span | None:
        """Span of the character under the cursor; None in an empty text."""
        if not self.text:
            return None
        return Span(self.offset, next_edge(self.text, self.offset))

    @property
    def segment(self) -> int:
        """The index of the sentence under the cursor; 0 if the text has no sentences."""
        return self.sentences.index(self.offset)

    def place(self, offset: int, *, extend: bool = False) -> None:
        """Move the cursor to the character nearest to `offset`; `extend` extends the selection."""
        last = previous_edge(self.text, len(self.text))
        offset = min(max(offset, 0), last)
        if extend and self.anchor is None:
            self.anchor = self.offset
        elif not extend:
            self.anchor = None
        self.offset = cluster_start(self.text, offset)
        self._grow_steps.clear()

    def select(self, span: Span | None) -> None:
        """Select the characters of `span`, with the cursor on the last; None deselects.

        Raises:
            InvalidSpan: the span is outside of the text.
        """
        self._grow_steps.clear()
        if span is None:
            self.anchor = None
            return
        whole = snap(self.text, span)
        self.anchor = whole.start
        self.offset = previous_edge(self.text, whole.end)

    def swap_ends(self) -> None:
        """Swap the free and the fixed end of the selection; steps of `grow` can still be undone."""
        if self.anchor is not None:
            self.anchor, self.offset = self.offset, self.anchor
            self._grow_steps = [
                (offset, None) if anchor is None else (anchor, offset)
                for offset, anchor in self._grow_steps
            ]

    def select_word(self) -> None:
        """Select the word under the cursor, else the next word in its line, else the character."""
        word = next(self.words.after(self.offset), self.character)
        if word is None:
            return
        if "\n" in self.text[self.offset : word.start]:
            word = self.character
        self.select(word)

    def move(self, unit: str, step: int, *, extend: bool = False) -> None:
        """Move the cursor of a text by `step` units, backward if negative; stay if no unit is left.

        Without `extend` the cursor goes to the start of a unit and the text is deselected. With
        `extend` the free end adds whole units, or removes units until one is left and then adds
        units at the other end.

        Args:
            unit: char, word, sentence, paragraph; start, end (of the text; `step` is ignored).

        Raises:
            KeyError: the unit does not exist.
        """
        if unit in ("start", "end"):
            self.place(0 if unit == "start" else len(self.text), extend=extend)
            return
        units = self._units[unit]
        for _ in range(abs(step)):
            if not extend:
                self.place(self._find_start(unit, forward=step > 0))
            elif step > 0:
                self._extend_forward(units)
            else:
                self._extend_backward(units)

    def grow(self, step: int) -> None:
        """Extend the selection by a sentence (1), or undo the last such extension (-1).

        Growing selects the sentence if nothing is selected, the rest of a partly selected sentence,
        or the next sentence. Shrinking another selection removes one sentence, or the last one.
        """
        if step > 0:
            steps = [*self._grow_steps, (self.offset, self.anchor)]
            wanted = self._grown_span()
            if wanted is not None and wanted != self.selection:
                self.select(wanted)
                self._grow_steps = steps
        elif self._grow_steps:
            self.offset, self.anchor = self._grow_steps.pop()
        elif self.selection is not None:
            self._shrink(self.selection)

    def _grown_span(self) -> Span | None:
        selected = self.selection
        if selected is None:
            return self.sentences.trimmed(self.segment)
        following = next(self.sentences.after(selected.end), None)
        return None if following is None else Span(selected.start, following.end)

    def _shrink(self, selected: Span) -> None:
        for sentence in self.sentences.before(selected.end):
            if selected.start < sentence.end < selected.end:
                self.select(Span(selected.start, sentence.end))
                return
        self.place(selected.start)

    def _find_start(self, unit: str, *, forward: bool) -> int:
        """Return where the next or previous unit starts; the sentence at the cursor is skipped."""
        units = self._units[unit]
        offset = self.offset
        if unit == "sentence" and self.sentences.count:
            whole = self.sentences.whole(self.segment)
            offset = whole.end - 1 if forward else whole.start
        if forward:
            return next((u.start for u in units.after(offset) if u.start > offset), self.offset)
        return next((u.start for u in units.before(offset)), self.offset)

    def _extend_forward(self, units: TextUnits) -> None:
        selected = self.selection
        if selected is not None and self.anchor is not None and self.offset < self.anchor:
            start = next((u.start for u in units.after(self.offset) if u.start > self.offset), None)
            if start is not None and start <= self.anchor:
                self.place(start, extend=True)
                return
        reached = self.offset if selected is None else selected.end
        unit = next(units.after(reached), None)
        if unit is not None:
            if selected is not None:
                self.anchor = selected.start
            self.place(unit.end - 1, extend=True)

    def _extend_backward(self, units: TextUnits) -> None:
        selected = self.selection
        if selected is not None and self.anchor is not None and self.offset > self.anchor:
            end = next((u.end for u in units.before(selected.end) if u.end < selected.end), 0)
            if end > self.anchor:
                self.place(end - 1, extend=True)
                return
        reached = next_edge(self.text, self.offset) if selected is None else selected.start
        unit = next(units.before(reached), None)
        if unit is not None:
            if selected is not None:
                self.anchor = previous_edge(self.text, selected.end)
            self.place(unit.start, extend=True)
