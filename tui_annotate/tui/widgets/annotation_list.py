"""The list of annotations of the sample on screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from textual.message import Message

from tui_annotate.domain.line_text import cut, line_text, text_width
from tui_annotate.editor.glyphs import FOCUS_BAR, NOTED, PLACES, SUGGESTED
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.line_text import Run, align_both_ends, clip
from tui_annotate.tui.row_widgets import RowList


class AnnotationListText(ScreenMessage):
    """Texts of the list of annotations."""

    NOTHING = "no annotations yet"


_LABEL_SHARE = 0.4  # maximum fraction of the cells for labels
_INDENT = "   "
_MAKER_CELLS = 20
_TEXTS = ("letter", "labels", "claim", "note", "draft_reason", "maker")


@dataclass(frozen=True, slots=True)
class ListedAnnotation:
    """The values of an annotation that a row of the annotation list shows.

    Attributes:
        evidence: number of evidence spans.
        draft_reason: missing parts of an incomplete annotation; else empty.
        maker: name and score of the machine that suggested the annotation; empty if there is none.
    """

    letter: str
    labels: str
    claim: str
    evidence: int
    note: str
    draft_reason: str
    focused: bool
    colour_slot: int
    maker: str = ""


class AnnotationList(RowList):
    """A list of annotations in reading order. An extra row shows the focused annotation's note."""

    @dataclass
    class Picked(Message):
        """Message that an annotation was clicked. `index` counts from 0 in display order."""

        index: int

    _rows: tuple[ListedAnnotation, ...] = ()
    _sanitized: Mapping[ListedAnnotation, ListedAnnotation] = MappingProxyType({})  # by raw row
    _lines: tuple[tuple[int, str], ...] = ()

    def show(self, rows: Sequence[ListedAnnotation]) -> None:
        """Replace the rows; texts are cleaned for the terminal here, once for each row."""
        made = {row: self._sanitized.get(row) or _sanitize(row) for row in rows}
        self._sanitized = made
        new = tuple(made[row] for row in rows)
        if new == self._rows and self.count:
            return
        self._rows = new
        lines: list[tuple[int, str]] = []
        focused = -1
        for index, row in enumerate(new):
            if row.focused:
                focused = len(lines)
            lines.append((index, ""))
            if row.focused and row.note:
                lines.append((index, row.note))
        self._lines = tuple(lines)
        self.set_rows(max(len(lines), 1), focused=focused)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """Return a row: an annotation, or the note of the annotation above."""
        palette = self.palette
        if not self._rows:
            return [(cut(f"{_INDENT}{AnnotationListText.NOTHING.text()}", cells), palette.quiet)]
        which, note = self._lines[index]
        if note:
            sign = SUGGESTED if self._rows[which].letter == SUGGESTED else NOTED
            return [(cut(f"{_INDENT}{sign} {note}", cells), palette.quiet)]
        return self._render_annotation(self._rows[which], cells)

    def clicked(self, index: int) -> None:
        """Post the index of the clicked annotation; a click on its note counts, too."""
        if self._rows:
            self.post_message(self.Picked(self._lines[index][0]))

    def _render_annotation(self, row: ListedAnnotation, cells: int) -> list[Run]:
        palette = self.palette
        label = palette.label(row.colour_slot)
        letter = palette.letter
        if row.letter == SUGGESTED:
            label = letter = palette.suggested
        left: list[Run] = [
            (FOCUS_BAR if row.focused else " ", palette.accent),
            (row.letter, label + letter),
            (" ", palette.text),
            (cut(row.labels, int(cells * _LABEL_SHARE)), label),
            (" ", palette.text),
        ]
        right: list[Run] = [(_render_details(row), palette.quiet)]
        if row.draft_reason:
            right = [(f" ! {row.draft_reason} ", palette.warning)]
        used = sum(text_width(text) for text, _ in (*left, *right))
        if cells - used > len('""') + 2:
            left.append((f'"{cut(row.claim, cells - used - 2)}"', palette.text))
        return clip(align_both_ends(left, right, cells), cells)


def _sanitize(row: ListedAnnotation) -> ListedAnnotation:
    texts: dict[str, Any] = {name: line_text(getattr(row, name)) for name in _TEXTS}
    return replace(row, **texts)


def _render_details(row: ListedAnnotation) -> str:
    parts = []
    if row.evidence:
        parts.append(f"{PLACES}{row.evidence}")
    # The note of a machine's open suggestion is not marked.
    if row.note and not (row.maker and row.letter == SUGGESTED):
        parts.append(NOTED)
    if row.maker:
        parts.append(cut(row.maker, _MAKER_CELLS))
    return f" {' '.join(parts)} " if parts else " "
