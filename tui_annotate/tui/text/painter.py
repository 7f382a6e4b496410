"""Paints a line of a document with its left margin, as pieces of text with a style each."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from tui_annotate.domain.samples import Match
from tui_annotate.domain.spans import Span
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.domain.text_display import display_characters, stand_ins
from tui_annotate.editor.glyphs import (
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
from tui_annotate.tui.text.layers import DocumentLayers
from tui_annotate.tui.text.layout import TextLayout
from tui_annotate.tui.text.piece_styles import (
    EVIDENCE,
    FOCUSED_HIT,
    HINT,
    HIT,
    PLAIN,
    SELECTED,
    StyleFlag,
    style_key,
)

GUTTER: Final = 4
"""Width in cells of the margin left of a text. Its last cell never has a letter or digit."""


class PaintedText(NamedTuple):
    """A piece of text without control characters, and the number that encodes its style."""

    text: str
    key: int


def paint(layout: TextLayout, scene: DocumentLayers, *, y: int) -> tuple[list[PaintedText], int]:
    """Return the styled pieces of text of line `y`, left margin first, and their width in cells."""
    line = _Line(layout, scene, y)
    if line.is_bare:  # most lines: one piece without a search for edges keeps scrolling fast
        text = " " * GUTTER + "".join(display_characters(line.text))
        return [PaintedText(text, PLAIN)], GUTTER + line.cells
    pieces: list[PaintedText] = []
    for piece in (*line.paint_gutter(), *line.paint_body()):
        # Pieces of equal style are joined, because each piece costs an escape sequence.
        if pieces and pieces[-1].key == piece.key:
            piece = PaintedText(pieces.pop().text + piece.text, piece.key)  # noqa: PLW2901 (joined)
        pieces.append(piece)
    return pieces, GUTTER + line.cells


_BLANK = PaintedText(" ", PLAIN)


class _Line:
    """A line being painted: text at offsets `[start, content)`, line break at `[content, end)`."""

    def __init__(self, layout: TextLayout, scene: DocumentLayers, y: int) -> None:
        self.layout = layout
        self.scene = scene
        self.start, self.end = layout.line(y)
        place = (self.start, self.end)
        self.content = layout.content(y)[1]
        self.matches = scene.matches.touching(*place)
        self.marks = scene.marks.touching(*place)
        self.evidence = scene.evidence.touching(*place)
        self.hits = scene.hits.touching(*place)
        self.shared = scene.shared.touching(*place)
        self.conflicts = scene.conflicts.touching(*place)
        self.lacking = scene.lacking.touching(*place)
        self.cells = layout.cells(self.start, self.content)
        self.text = layout.text[self.start : self.content]

    @property
    def is_bare(self) -> bool:
        """Whether the line has no highlights, tags or replaced characters, and an empty margin."""
        scene = self.scene
        if self.matches or self.marks or self.evidence or self.hits or scene.tags:
            return False
        if self.shared or self.conflicts or self.lacking or len(scene.hints):
            return False
        if any(map(self._touches, (scene.selection, scene.cursor, scene.sentence))):
            return False
        return not scene.former.touching(self.start, self.end) and not stand_ins(self.text)

    # the text

    def paint_body(self) -> Iterable[PaintedText]:
        """Yield the styled pieces of the text, with hints and tags, from left to right."""
        start = self.start
        text = self.text
        strings = display_characters(text)
        dim = {start + index for index in stand_ins(text)}
        hinted: set[int] = set()
        if len(self.scene.hints):
            strings = list(strings)
            hinted = self._overlay_hints(strings)
        tagged = self._tag_offsets()
        for low, high in pairwise(self._style_edges(dim | hinted | tagged)):
            part = "".join(strings[low - start : high - start])
            if part:
                key = HINT if low in hinted else self._style_key(low, high)
                if low in dim:
                    key |= StyleFlag.STAND_IN
                yield PaintedText(part, key)
            if low in tagged:
                yield from self._paint_tag(low)
        yield from self._paint_line_end()

    def _tag_offsets(self) -> set[int]:
        tags = self.scene.tags
        return {at for at in range(self.start, self.content) if at in tags} if tags else set()

    def _paint_tag(self, offset: int) -> Iterable[PaintedText]:
        """Paint the tag after an offset, such as a citation mark; its focused part is bold."""
        tag = self.scene.tags[offset]
        focused = self.scene.focused_tag
        start = end = len(tag)
        if focused and focused[0] == offset:
            start, end = focused[1].start, focused[1].end
        yield PaintedText(tag[:start], StyleFlag.STAND_IN)
        if start < end:
            yield PaintedText(tag[start:end], StyleFlag.FOCUSED | StyleFlag.SHARED)
        if tag[end:]:
            yield PaintedText(tag[end:], StyleFlag.STAND_IN)

    def _style_edges(self, single: Iterable[int]) -> list[int]:
        # Between two edges the style is constant, so that one key describes the whole piece.
        scene = self.scene
        cuts = {self.start, self.content}
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

    def _style_key(self, low: int, high: int) -> int:
        """Return the number that encodes the style of the text `[low, high)` (see `style_key`)."""
        scene = self.scene
        lying = [mark for span, mark in self.marks if span.start <= low and high <= span.end]
        marks = [mark for mark in lying if not mark.suggested]
        # The focused mark gives the colour, else the last one.
        top = next((mark for mark in marks if mark.focused), marks[-1] if marks else None)
        ground, focused = self._find_ground(low)
        traits = StyleFlag.NONE
        if len(marks) > 1:
            traits |= StyleFlag.OVERLAP
        if len(marks) < len(lying):
            traits |= StyleFlag.SUGGESTED
        if focused or any(mark.focused for mark in lying):
            traits |= StyleFlag.FOCUSED
        if top is not None and top.draft:
            traits |= StyleFlag.DRAFT
        if self.shared or self.conflicts or self.lacking:
            traits |= self._contrast_flags(low)
        if _contains(scene.cursor, low):
            traits |= StyleFlag.CURSOR
        if scene.active and _contains(scene.sentence, low):
            traits |= StyleFlag.CURRENT
        return style_key(ground, None if top is None else top.slot, traits)

    def _contrast_flags(self, offset: int) -> int:
        traits = StyleFlag.NONE
        for layer, trait in (
            (self.shared, StyleFlag.SHARED),
            (self.conflicts, StyleFlag.CONFLICT),
            (self.lacking, StyleFlag.LACKING),
        ):
            if any(_contains(span, offset) for span, _ in layer):
                traits |= trait
        return traits

    def _find_ground(self, offset: int) -> tuple[int, bool]:
        """Return the background at an offset, and whether a focused match is there."""
        scene = self.scene
        matches = [match for span, match in self.matches if _contains(span, offset)]
        focused = any(match.rank == scene.focused_match for match in matches)
        if _contains(scene.selection, offset):
            return SELECTED, False
        hits = [number for span, number in self.hits if _contains(span, offset)]
        if hits:
            return (FOCUSED_HIT if scene.focused_hit in hits else HIT), False
        if any(_contains(span, offset) for span, _ in self.evidence):
            return EVIDENCE, focused
        return max((match.strength for match in matches), default=PLAIN), focused

    def _paint_line_end(self) -> Iterable[PaintedText]:
        """Yield a blank for a line break that is selected or under the cursor."""
        if self.end == self.content:
            return
        cursor = self.scene.cursor is not None and self.scene.cursor.start == self.content
        selected = _contains(self.scene.selection, self.content)
        if cursor or selected:
            self.cells += 1
            traits = StyleFlag.CURSOR if cursor else StyleFlag.NONE
            yield PaintedText(" ", style_key(SELECTED if selected else PLAIN, None, traits))

    def _overlay_hints(self, strings: list[str]) -> set[int]:
        """Replace the first characters of words by letters; return offsets of these characters."""
        touching = self.scene.hints.touching(self.start, self.end)
        starting = [
            (span.start, label)
            for span, label in touching
            if self.start <= span.start < self.content
        ]
        ends = [offset for offset, _ in starting[1:]] + [self.content]
        covered: set[int] = set()
        for (offset, label), limit in zip(starting, ends, strict=False):
            end = offset
            while end < limit and self.layout.cells(offset, end) < len(label):
                end += 1
            while end < limit and not self.layout.cells(end, end + 1):
                end += 1
            cells = self.layout.cells(offset, end)
            inside = range(offset - self.start, end - self.start)
            for index in inside:
                strings[index] = ""
            strings[inside.start] = make_line_visible(label)[:cells].ljust(cells)
            covered.update(range(offset, end))
        return covered

    # the gutter

    def paint_gutter(self) -> list[PaintedText]:
        """Paint the left margin: match strength or evidence, match rank, annotation, state.

        Without a match the first of the four cells marks words not in the source; without an
        annotation the third cell marks past evidence.
        """
        return [self._paint_strength(), self._paint_rank(), self._paint_mark(), self._paint_state()]

    def _paint_strength(self) -> PaintedText:
        if self.evidence:
            return PaintedText(CHOSEN, StyleFlag.FOCUSED)
        numbered = self._find_numbered_match()
        strength = max((match.strength for _, match in self.matches), default=0)
        if numbered:
            strength = numbered.strength
        if self.lacking and not strength:
            return PaintedText(LACKING, PLAIN)
        key = style_key(strength, None, StyleFlag.SIGN) if strength else PLAIN
        return PaintedText(STRENGTH_GLYPHS[strength], key)

    def _paint_rank(self) -> PaintedText:
        match = self._find_numbered_match()
        if match is None:
            return _BLANK
        focused = match.rank == self.scene.focused_match
        number = str(match.rank) if match.rank < 10 else "+"
        return PaintedText(number, StyleFlag.CURSOR if focused else PLAIN)

    def _find_numbered_match(self) -> Match | None:
        """Return the match whose number and strength are shown: the focused or best one.

        Only matches that begin on this line have a number; None if none does.
        """
        starting = [match for span, match in self.matches if span.start >= self.start]
        focused = [match for match in starting if match.rank == self.scene.focused_match]
        return min(focused or starting, key=lambda match: match.rank, default=None)

    def _paint_mark(self) -> PaintedText:
        marks = [mark for _, mark in self.marks]
        if not marks:
            former = self.scene.former.touching(self.start, self.end)
            return PaintedText(FORMER, StyleFlag.STAND_IN) if former else _BLANK
        top = next((mark for mark in marks if mark.focused), marks[0])
        if len({mark.letter for mark in marks}) > 1 and not top.focused:
            return PaintedText(SEVERAL, style_key(PLAIN, top.slot, StyleFlag.SIGN))
        if top.suggested:
            return PaintedText(SUGGESTED, StyleFlag.FOCUSED if top.focused else PLAIN)
        letter = make_line_visible(top.letter)[:1] or "?"
        traits = StyleFlag.SIGN | StyleFlag.FOCUSED if top.focused else StyleFlag.SIGN
        shown = letter.lower() if top.draft else letter
        return PaintedText(shown, style_key(PLAIN, top.slot, traits))

    def _paint_state(self) -> PaintedText:
        scene = self.scene
        if self.conflicts:
            return PaintedText(CONFLICT, StyleFlag.FOCUSED)
        focused = any(match.rank == scene.focused_match for _, match in self.matches)
        focused |= any(mark.focused for _, mark in self.marks)
        if focused or self._touches(scene.selection):
            return PaintedText(FOCUS_BAR, PLAIN)
        if scene.sentence is not None and self.start <= scene.sentence.start < self.end:
            return PaintedText(CURRENT, PLAIN)
        return PaintedText(FOUND, PLAIN) if self.hits else _BLANK

    def _touches(self, span: Span | None) -> bool:
        return span is not None and span.start < self.end and self.start < span.end


def _contains(span: Span | None, offset: int) -> bool:
    return span is not None and span.start <= offset < span.end
