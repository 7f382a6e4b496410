"""One line of a document as pieces of text with the key of their look, and its gutter; no widget."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tui_annotate.domain.samples import Match
from tui_annotate.domain.spans import Span
from tui_annotate.domain.visible import visible_line
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR, STRENGTH_GLYPHS, UNVISITED
from tui_annotate.tui.text.display import shown, stand_ins
from tui_annotate.tui.text.layers import Mark, SpanLayer
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
from tui_annotate.tui.text.units import Sentences

CURRENT_SIGN: Final = "▶"
HIT_SIGN: Final = "/"


class Piece(NamedTuple):
    """Text that may be sent to a terminal, and the key of its look (see `looks`)."""

    text: str
    key: int


@dataclass
class Scene:
    """All that lies on one document; spans are of its text.

    Attributes:
        focused_match: the rank of the match that keys act on; 0 for none.
        focused_hit: the number of the search hit that keys act on, from 1; 0 for none.
        sentences, visited: which of the text's sentences were visited; None where that is not asked.
        sentence: the one under the cursor; None while something is selected.
        cursor: the character under it; None where no cursor is drawn.
        active: the document is the one that keys go to.
    """

    matches: SpanLayer[Match] = field(default_factory=SpanLayer)
    focused_match: int = 0
    marks: SpanLayer[Mark] = field(default_factory=SpanLayer)
    evidence: SpanLayer[None] = field(default_factory=SpanLayer)
    hits: SpanLayer[int] = field(default_factory=SpanLayer)
    focused_hit: int = 0
    hints: SpanLayer[str] = field(default_factory=SpanLayer)
    sentences: Sentences | None = None
    visited: Collection[int] | None = None
    selection: Span | None = None
    sentence: Span | None = None
    cursor: Span | None = None
    active: bool = False


@dataclass
class _Line:
    """What touches one line of a scene."""

    start: int
    content: int
    matches: list[tuple[Span, Match]]
    marks: list[tuple[Span, Mark]]
    evidence: list[tuple[Span, None]]
    hits: list[tuple[Span, int]]

    @classmethod
    def of(cls, layout: TextLayout, scene: Scene, y: int) -> _Line:
        start, end = layout.line(y)
        return cls(
            start,
            layout.content(y)[1],
            scene.matches.touching(start, end),
            scene.marks.touching(start, end),
            scene.evidence.touching(start, end),
            scene.hits.touching(start, end),
        )

    def spans(self) -> Iterable[Span]:
        for layer in (self.matches, self.marks, self.evidence, self.hits):
            for span, _ in layer:
                yield span


def paint(layout: TextLayout, scene: Scene, y: int) -> tuple[list[Piece], int]:
    """The pieces of line `y` and the cells they take: the layout's width at most, and one more."""
    line = _Line.of(layout, scene, y)
    start, content = line.start, line.content
    text = layout.text[start:content]
    strings = shown(text)
    dim = stand_ins(text)
    hinted: list[tuple[int, int]] = []
    if len(scene.hints):
        strings, hinted = _with_hints(layout, scene, line, list(strings))
    pieces: list[Piece] = []
    for low, high in _cuts(line, scene, dim, hinted):
        key = _key(line, scene, low, high)
        if dim and low - start in dim:
            key |= Trait.STAND_IN
        if hinted and any(a <= low < b for a, b in hinted):
            key = look(HINT, None, Trait.NONE)
        _append(pieces, "".join(strings[low - start : high - start]), key)
    cells = layout.cells(start, content)
    end_key = _end_key(scene, content, layout.line(y)[1])
    if end_key != PLAIN:
        _append(pieces, " ", end_key)
        cells += 1
    return pieces, cells


def _append(pieces: list[Piece], text: str, key: int) -> None:
    if not text:
        return
    if pieces and pieces[-1].key == key:
        text = pieces.pop().text + text
    pieces.append(Piece(text, key))


def _cuts(
    line: _Line, scene: Scene, dim: tuple[int, ...], hinted: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    start, end = line.start, line.content
    cuts = {start, end}
    for span in (*line.spans(), scene.selection, scene.cursor, scene.sentence):
        if span is not None:
            cuts.add(span.start)
            cuts.add(span.end)
    for index in dim:
        cuts.update((start + index, start + index + 1))
    for pair in hinted:
        cuts.update(pair)
    edges = sorted(cut for cut in cuts if start <= cut <= end)
    return list(zip(edges, edges[1:], strict=False))


def _key(line: _Line, scene: Scene, low: int, high: int) -> int:
    """The look of `[low, high)`, which no span begins or ends inside."""
    marks = [mark for span, mark in line.marks if span.start <= low and high <= span.end]
    top = next((mark for mark in marks if mark.focused), marks[-1] if marks else None)
    traits = Trait.NONE
    if len(marks) > 1:
        traits |= Trait.OVERLAP
    if top is not None and top.focused:
        traits |= Trait.FOCUSED
    if top is not None and top.draft:
        traits |= Trait.DRAFT
    if _holds(scene.cursor, low, high):
        traits |= Trait.CURSOR
    if scene.active and _holds(scene.sentence, low, high):
        traits |= Trait.CURRENT
    ground, focused = _ground(line, scene, low, high)
    if focused:
        traits |= Trait.FOCUSED
    return look(ground, None if top is None else top.slot, traits)


def _ground(line: _Line, scene: Scene, low: int, high: int) -> tuple[int, bool]:
    if _holds(scene.selection, low, high):
        return SELECTED, False
    hits = [number for span, number in line.hits if _holds(span, low, high)]
    if hits:
        return (FOCUSED_HIT if scene.focused_hit in hits else HIT), False
    matches = [match for span, match in line.matches if _holds(span, low, high)]
    focused = any(match.rank == scene.focused_match for match in matches)
    if any(_holds(span, low, high) for span, _ in line.evidence):
        return EVIDENCE, focused
    return max((match.strength for match in matches), default=PLAIN), focused


def _holds(span: Span | None, low: int, high: int) -> bool:
    return span is not None and span.start <= low and high <= span.end


def _end_key(scene: Scene, content: int, end: int) -> int:
    """The look of the cell behind a line: seen where its line end is selected or has the cursor."""
    selected = (
        scene.selection is not None
        and end > content
        and (scene.selection.start <= content < scene.selection.end)
    )
    cursor = scene.cursor is not None and end > content and scene.cursor.start == content
    return look(SELECTED if selected else PLAIN, None, Trait.CURSOR if cursor else Trait.NONE)


def _with_hints(
    layout: TextLayout, scene: Scene, line: _Line, strings: list[str]
) -> tuple[list[str], list[tuple[int, int]]]:
    """The strings with labels laid over the words that start on the line, and where they lie."""
    start, content = line.start, line.content
    hints = [
        (s.start, label) for s, label in scene.hints.touching(start, content) if s.start >= start
    ]
    laid = []
    for index, (offset, label) in enumerate(hints):
        room = min(content, hints[index + 1][0] if index + 1 < len(hints) else content)
        end, cells = offset, 0
        while end < room and (cells < len(label) or layout.cells(end, end + 1) == 0):
            cells += layout.cells(end, end + 1)
            strings[end - start] = ""
            end += 1
        strings[offset - start] = visible_line(label)[:cells].ljust(cells)
        laid.append((offset, end))
    return strings, laid


def gutter(layout: TextLayout, scene: Scene, y: int, width: int) -> list[Piece]:
    """The signs left of line `y`, `width` cells (3 or 4): strength or ✓, rank, annotation, state.

    With 3 cells the annotation takes the rank's cell, and where both are there, the state's.
    """
    line = _Line.of(layout, scene, y)
    strength, rank = _strength(line), _rank(line, scene)
    mark, state = _mark(line), _state(line, scene)
    cells = [strength, rank, mark, state]
    if width < len(cells):
        cells = [strength, rank, mark if mark.text != " " else state]
        if rank.text == " ":
            cells = [strength, mark, state]
    pieces: list[Piece] = []
    for piece in cells:
        _append(pieces, piece.text, piece.key)
    return pieces


_BLANK = Piece(" ", PLAIN)


def _strength(line: _Line) -> Piece:
    if line.evidence:
        return Piece(CHOSEN, Trait.FOCUSED)
    strength = max((match.strength for _, match in line.matches), default=0)
    return Piece(STRENGTH_GLYPHS[strength], PLAIN)


def _rank(line: _Line, scene: Scene) -> Piece:
    ranks = [match.rank for span, match in line.matches if span.start >= line.start]
    if not ranks:
        return _BLANK
    rank = scene.focused_match if scene.focused_match in ranks else min(ranks)
    key = look(PLAIN, None, Trait.CURSOR if rank == scene.focused_match else Trait.NONE)
    return Piece(str(rank) if rank < 10 else "+", key)


def _mark(line: _Line) -> Piece:
    marks = [mark for _, mark in line.marks]
    if not marks:
        return _BLANK
    top = next((mark for mark in marks if mark.focused), None)
    if top is None and len(marks) > 1:
        return Piece(str(len(marks)) if len(marks) < 10 else "+", look(PLAIN, 0, Trait.OVERLAP))
    top = top or marks[0]
    letter = visible_line(top.letter)[:1] or "?"
    traits = Trait.FOCUSED if top.focused else Trait.NONE
    return Piece(letter.lower() if top.draft else letter, look(PLAIN, top.slot, traits))


def _state(line: _Line, scene: Scene) -> Piece:
    end = max(line.content, line.start + 1)
    bars = [span for span, match in line.matches if match.rank == scene.focused_match]
    bars += [span for span, mark in line.marks if mark.focused]
    if bars or (scene.selection is not None and _touches(scene.selection, line.start, end)):
        return Piece(FOCUS_BAR, PLAIN)
    if scene.sentence is not None and line.start <= scene.sentence.start < end:
        return Piece(CURRENT_SIGN, PLAIN)
    if line.hits:
        return Piece(HIT_SIGN, PLAIN)
    return Piece(UNVISITED, Trait.STAND_IN) if _unvisited(scene, line.start, end) else _BLANK


def _unvisited(scene: Scene, start: int, end: int) -> bool:
    """Whether a sentence begins in `[start, end)` that was never visited."""
    if scene.sentences is None or scene.visited is None:
        return False
    for sentence in scene.sentences.after(start):
        if sentence.start >= end:
            return False
        if sentence.start >= start and scene.sentences.index(sentence.start) not in scene.visited:
            return True
    return False


def _touches(span: Span, start: int, end: int) -> bool:
    return span.start < end and start < span.end
