"""The line that says in words what the next digit would save, or what has just happened."""

from __future__ import annotations

from typing import Final, Literal

from tui_annotate.tui.lines import Run, clip, shown
from tui_annotate.tui.rows import FixedRows

Kind = Literal["hint", "draft", "saved", "warning", "error"]

GLYPH_CELLS: Final = 3
"""Cells of the line that its glyph takes; the text has the others."""

_GLYPHS: dict[Kind, str] = {
    "hint": "·",
    "draft": "▸",
    "saved": "✓",
    "warning": "!",
    "error": "✗",
}


class DraftLine(FixedRows):
    """One line, always on screen; a glyph in front tells the kind."""

    DEFAULT_CSS = "DraftLine { background: $surface; }"

    _text = ""
    _kind: Kind = "hint"

    def show(self, text: str, *, kind: Kind) -> None:
        """Shows another text; one too long is cut with an ellipsis."""
        new = (shown(text), kind)
        if new != (self._text, self._kind):
            self._text, self._kind = new
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Glyph and text."""
        palette = self.palette
        glyph, text = {
            "hint": (palette.quiet, palette.quiet),
            "draft": (palette.accent, palette.strong),
            "saved": (palette.good, palette.good),
            "warning": (palette.warning, palette.warning),
            "error": (palette.error, palette.error),
        }[self._kind]
        runs = [(f" {_GLYPHS[self._kind]} ", glyph), (self._text, text)]
        return [clip(runs, cells)]
