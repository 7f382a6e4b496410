"""The status line, which shows the annotation that the next digit key saves, or a message."""

from __future__ import annotations

from typing import Final

from textual.geometry import Size

from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.glyphs import SUGGESTED
from tui_annotate.editor.messages import Kind
from tui_annotate.tui.line_text import Run, clip, wrap_line
from tui_annotate.tui.row_widgets import FixedRows

GLYPH_CELLS: Final = 3
"""Width of a message's glyph in terminal cells. The text gets the remaining cells."""

_LOOKS: dict[Kind, tuple[str, str, str]] = {
    "hint": ("·", "quiet", "quiet"),
    "draft": ("▸", "accent", "strong"),
    "offer": (SUGGESTED, "suggested", "strong"),
    "saved": ("✓", "good", "good"),
    "warning": ("!", "warning", "warning"),
    "error": ("✗", "error", "error"),
}
"""For each kind of message: its glyph, the glyph's colour in the theme, the text's colour."""

_WRAPPED: frozenset[Kind] = frozenset({"warning", "error"})
"""Kinds of messages that are wrapped to several rows, so that the hint at the end is visible."""
_MOST_ROWS = 4


class DraftLine(FixedRows):
    """The status line with the last message. Warnings and errors take up to four rows."""

    DEFAULT_CSS = "DraftLine { background: $surface; height: auto; }"

    _text = ""
    _kind: Kind = "hint"

    def show(self, text: str, *, kind: Kind) -> None:
        """Show a message. Wrap warnings and errors, and cut other messages with an ellipsis."""
        new = (line_text(text), kind)
        if new != (self._text, self._kind):
            self._text, self._kind = new
            self.repaint(layout=self._count_rows(self.size.width) != self.size.height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002  Textual's signature
        """Return the rows of the message, which may be more than one for a warning."""
        return self._count_rows(width)

    def _count_rows(self, cells: int) -> int:
        return min(len(self._wrap_text(cells)), _MOST_ROWS)

    def _wrap_text(self, cells: int) -> list[str]:
        if self._kind not in _WRAPPED or not cells:
            return [self._text]
        return wrap_line(self._text, cells - GLYPH_CELLS)

    def paint(self, cells: int) -> list[list[Run]]:
        """Paint the glyph and the message, in up to four rows; the last row may be cut."""
        glyph, *roles = _LOOKS[self._kind]
        glyph_style, text_style = map(self.palette.style, roles)
        *first, last = self._wrap_text(cells)[:_MOST_ROWS]
        if len(first) == _MOST_ROWS - 1:  # the last row takes the rest, and may be cut
            last = " ".join(self._wrap_text(cells)[_MOST_ROWS - 1 :])
        signs = [f" {glyph} ", *(" " * GLYPH_CELLS for _ in first)]
        rows = zip(signs, [*first, last], strict=True)
        return [clip([(sign, glyph_style), (piece, text_style)], cells) for sign, piece in rows]
