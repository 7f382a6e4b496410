"""One line of a document, gutter first, as pieces of text with the keys of their looks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from tui_annotate.domain.spans import Span
from tui_annotate.domain.visible import visible_line
from tui_annotate.tui.palette import (
    CHOSEN,
    CONFLICT,
    CURRENT,
    FOCUS_BAR,
    FORMER,
    FOUND,
    LACKING,
    SEVERAL,
    STRENGTH_GLYPHS,
    SUGGESTED,
)
from tui_annotate.tui.text.display import shown, stand_ins
from tui_annotate.tui.text.layout import TextLayout
from tui_annotate.tui.text.looks import (
    EVIDENCE,
    FOCUSED_HIT,
    HINT,
    HIT,
    PLAIN,
    SELECTED,
    Trait,
    look,
)
from tui_annotate.tui.text.scene import Scene

__all__ = ["Piece", "Scene", "paint"]

GUTTER: Final = 4
"""Cells left of the text; the last one holds no letter and no digit, so that none joins a word."""


class Piece(NamedTuple):
    """Text that may be sent to a terminal, and the key of its look (see `looks`)."""

    text: str
    key: int


def paint(layout: TextLayout, scene: Scene, *, y: int) -> tuple[list[Piece], int]:
    """The pieces of line `y`, its gutter first, and the cells they take."""
    line = _Line(layout, scene, y)
    if line.is_bare:
        return [Piece(" " * GUTTER + "".join(shown(line.text)), PLAIN)], GUTTER + line.cells
    pieces: list[Piece] = []
    for piece in (*line.gutter(), *line.body()):
        if pieces and pieces[-1].key == piece.key:
            piece = Piece(pieces.pop().text + piece.text, piece.key)  # noqa: PLW2901 (joined)
        pieces.append(piece)
    return pieces, GUTTER + line.cells


_BLANK = Piece(" ", PLAIN)


class _Line:
    """One line of a scene while it is painted: `[start, content)`, and the line end up to `end`."""

    def __init__(self, layout: TextLayout, scene: Scene, y: int) -> None:
        self.layout, self.scene = layout, scene
        self.start, self.end = layout.line(y)
        self.content = layout.content(y)[1]
        self.matches = scene.matches.touching(self.start, self.end)
        self.marks = scene.marks.touching(self.start, self.end)
        self.evidence = scene.evidence.touching(self.start, self.end)
        self.hits = scene.hits.touching(self.start, self.end)
        self.shared = scene.shared.touching(self.start, self.end)
        self.conflicts = scene.conflicts.touching(self.start, self.end)
        self.lacking = scene.lacking.touching(self.start, self.end)
        self.cells = layout.cells(self.start, self.content)
        self.text = layout.text[self.start : self.content]

    @property
    def is_bare(self) -> bool:
        """Whether nothing is to be seen of it but its text: most lines of a page are so."""
        scene = self.scene
        if self.matches or self.marks or self.evidence or self.hits or scene.tags:
            return False
        if self.shared or self.conflicts or self.lacking or len(scene.hints):
            return False
        if any(map(self._begins_or_goes_on, (scene.selection, scene.cursor, scene.sentence))):
            return False
        return not scene.former.touching(self.start, self.end) and not stand_ins(self.text)

    # the text

    def body(self) -> Iterable[Piece]:
        """The text in pieces of one look, and a cell for the line end where that is to be seen."""
        start, text = self.start, self.text
        strings = shown(text)
        dim = {start + index for index in stand_ins(text)}
        hinted: set[int] = set()
        if len(self.scene.hints):
            strings = list(strings)
            hinted = self._lay_hints(strings)
        tagged = self._tagged()
        for low, high in pairwise(self._cuts(dim | hinted | tagged)):
            part = "".join(strings[low - start : high - start])
            if part:
                key = look(HINT, None, Trait.NONE) if low in hinted else self._key(low, high)
                yield Piece(part, key | Trait.STAND_IN if low in dim else key)
            if low in tagged:
                yield from self._tag(low)
        yield from self._line_end()

    def _tagged(self) -> set[int]:
        """The offsets on this line that something hangs behind."""
        tags = self.scene.tags
        if not tags:
            return set()
        return {offset for offset in range(self.start, self.content) if offset in tags}

    def _tag(self, offset: int) -> Iterable[Piece]:
        """What hangs behind a place; what keys are at is bold and underlined, of the same width."""
        tag, focused = self.scene.tags[offset], self.scene.focused_tag
        if focused is None or focused[0] != offset:
            yield Piece(tag, Trait.STAND_IN)
            return
        start, end = focused[1].start, focused[1].end
        yield Piece(tag[:start], Trait.STAND_IN)
        yield Piece(tag[start:end], Trait.FOCUSED | Trait.SHARED)
        if tag[end:]:
            yield Piece(tag[end:], Trait.STAND_IN)

    def _cuts(self, single: Iterable[int]) -> list[int]:
        """Where the look may change, ends of the line included."""
        scene, cuts = self.scene, {self.start, self.content}
        nameless = (self.evidence, self.shared, self.conflicts, self.lacking)
        for layer in (self.matches, self.marks, self.hits, *nameless):
            for span, _ in layer:
                cuts.update((span.start, span.end))
        for edge in (scene.selection, scene.cursor, scene.sentence):
            if edge is not None:
                cuts.update((edge.start, edge.end))
        for offset in single:
            cuts.update((offset, offset + 1))
        return sorted(cut for cut in cuts if self.start <= cut <= self.content)

    def _key(self, low: int, high: int) -> int:
        """The look of `[low, high)`, inside which no span begins or ends."""
        scene = self.scene
        lying = [mark for span, mark in self.marks if span.start <= low and high <= span.end]
        marks = [mark for mark in lying if not mark.suggested]
        top = next((mark for mark in marks if mark.focused), marks[-1] if marks else None)
        ground, focused = self._ground(low)
        traits = Trait.NONE
        if len(marks) > 1:
            traits |= Trait.OVERLAP
        if len(marks) < len(lying):
            traits |= Trait.SUGGESTED
        if focused or any(mark.focused for mark in lying):
            traits |= Trait.FOCUSED
        if top is not None and top.draft:
            traits |= Trait.DRAFT
        if self.shared or self.conflicts or self.lacking:
            traits |= self._said(low)
        if _at(scene.cursor, low):
            traits |= Trait.CURSOR
        if scene.active and _at(scene.sentence, low):
            traits |= Trait.CURRENT
        return look(ground, None if top is None else top.slot, traits)

    def _said(self, offset: int) -> int:
        """What the words at a place have to do with the other text, as traits."""
        traits = Trait.NONE
        for layer, trait in (
            (self.shared, Trait.SHARED),
            (self.conflicts, Trait.CONFLICT),
            (self.lacking, Trait.LACKING),
        ):
            if any(_at(span, offset) for span, _ in layer):
                traits |= trait
        return traits

    def _ground(self, offset: int) -> tuple[int, bool]:
        """The ground at a place, and whether the focused match lies there."""
        scene = self.scene
        matches = [match for span, match in self.matches if _at(span, offset)]
        focused = any(match.rank == scene.focused_match for match in matches)
        if _at(scene.selection, offset):
            return SELECTED, False
        hits = [number for span, number in self.hits if _at(span, offset)]
        if hits:
            return (FOCUSED_HIT if scene.focused_hit in hits else HIT), False
        if any(_at(span, offset) for span, _ in self.evidence):
            return EVIDENCE, focused
        return max((match.strength for match in matches), default=PLAIN), focused

    def _line_end(self) -> Iterable[Piece]:
        """A blank cell where the cursor or the selection is on the line end."""
        if self.end == self.content:
            return
        cursor = self.scene.cursor is not None and self.scene.cursor.start == self.content
        selected = _at(self.scene.selection, self.content)
        if cursor or selected:
            self.cells += 1
            traits = Trait.CURSOR if cursor else Trait.NONE
            yield Piece(" ", look(SELECTED if selected else PLAIN, None, traits))

    def _lay_hints(self, strings: list[str]) -> set[int]:
        """Put labels in the place of the first cells of their words; the offsets they cover."""
        touching = self.scene.hints.touching(self.start, self.end)
        starting = [(span.start, label) for span, label in touching if self._starts_here(span)]
        ends = [offset for offset, _ in starting[1:]] + [self.content]
        covered: set[int] = set()
        for (offset, label), room in zip(starting, ends, strict=False):
            end = offset
            while end < room and self.layout.cells(offset, end) < len(label):
                end += 1
            while end < room and not self.layout.cells(end, end + 1):
                end += 1
            cells = self.layout.cells(offset, end)
            inside = range(offset - self.start, end - self.start)
            for index in inside:
                strings[index] = ""
            strings[inside.start] = visible_line(label)[:cells].ljust(cells)
            covered.update(range(offset, end))
        return covered

    def _starts_here(self, span: Span) -> bool:
        return self.start <= span.start < self.content

    # the gutter

    def gutter(self) -> list[Piece]:
        """Strength of the matches or ✓ for evidence, rank, annotation, state.

        A digit is a rank, always. Words that are lacking have the cell of strengths where nothing
        is lit, former evidence that of annotations where there is none.
        """
        return [self._strength(), self._rank(), self._mark(), self._state()]

    def _strength(self) -> Piece:
        if self.evidence:
            return Piece(CHOSEN, Trait.FOCUSED)
        strength = max((match.strength for _, match in self.matches), default=0)
        if self.lacking and not strength:
            return Piece(LACKING, PLAIN)
        return Piece(STRENGTH_GLYPHS[strength], look(strength, None, Trait.SIGN) if strength else 0)

    def _rank(self) -> Piece:
        ranks = [match.rank for span, match in self.matches if span.start >= self.start]
        if not ranks:
            return _BLANK
        focused = self.scene.focused_match in ranks
        rank = self.scene.focused_match if focused else min(ranks)
        return Piece(_digit(rank), Trait.CURSOR if focused else PLAIN)

    def _mark(self) -> Piece:
        marks = [mark for _, mark in self.marks]
        if not marks:
            former = self.scene.former.touching(self.start, self.end)
            return Piece(FORMER, Trait.STAND_IN) if former else _BLANK
        top = next((mark for mark in marks if mark.focused), marks[0])
        if len({mark.letter for mark in marks}) > 1 and not top.focused:
            return Piece(SEVERAL, look(PLAIN, top.slot, Trait.SIGN))
        if top.suggested:
            return Piece(SUGGESTED, Trait.FOCUSED if top.focused else PLAIN)
        letter = visible_line(top.letter)[:1] or "?"
        traits = Trait.SIGN | Trait.FOCUSED if top.focused else Trait.SIGN
        return Piece(letter.lower() if top.draft else letter, look(PLAIN, top.slot, traits))

    def _state(self) -> Piece:
        scene = self.scene
        if self.conflicts:
            return Piece(CONFLICT, Trait.FOCUSED)
        focused = any(match.rank == scene.focused_match for _, match in self.matches)
        focused |= any(mark.focused for _, mark in self.marks)
        if focused or self._begins_or_goes_on(scene.selection):
            return Piece(FOCUS_BAR, PLAIN)
        if scene.sentence is not None and self.start <= scene.sentence.start < self.end:
            return Piece(CURRENT, PLAIN)
        return Piece(FOUND, PLAIN) if self.hits else _BLANK

    def _begins_or_goes_on(self, span: Span | None) -> bool:
        return span is not None and span.start < self.end and self.start < span.end


def _digit(number: int) -> str:
    return str(number) if number < 10 else "+"


def _at(span: Span | None, offset: int) -> bool:
    return span is not None and span.start <= offset < span.end
