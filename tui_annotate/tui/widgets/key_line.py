"""The key line: a line with the most useful keys."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.line_text import Run, align_both_ends, runs_width
from tui_annotate.tui.palette import PaintStyles
from tui_annotate.tui.row_widgets import FixedRows

Pair = tuple[str, str]
"""A key as it is displayed, and what it does in one or two words."""


class KeyLineText(ScreenMessage):
    """Names of the keys that each key line has."""

    HELP = "keys"
    QUIT = "quit"


def help_pair() -> Pair:
    """Return the key of the help, and its name."""
    return "?", KeyLineText.HELP.text()


class KeyLine(FixedRows):
    """A line that shows as many keys and names of their actions as fit, the most useful first."""

    _pairs: tuple[Pair, ...] | None = None
    _last: Pair | None = None

    def show(self, pairs: Sequence[Pair], *, last: Pair | None) -> None:
        """Replace the keys, the most useful first; `last` is the pair at the right edge."""
        new = tuple((line_text(key), line_text(what)) for key, what in pairs)
        if (new, last) != (self._pairs, self._last):
            self._pairs = new
            self._last = last
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Paint the pairs that fit, and the last one at the right edge."""
        palette = self.palette
        last = [*_render_pair(self._last, palette), (" ", palette.text)] if self._last else []
        left = cells - runs_width(last) - 2
        runs: list[Run] = [(" ", palette.text)]
        pairs = self._pairs
        if pairs is None:  # before `show` was called
            pairs = (("ctrl+q", KeyLineText.QUIT.text()),)
        for pair in pairs:
            more = [*_render_pair(pair, palette), ("  ", palette.text)]
            if runs_width(runs) + runs_width(more) > left:
                break
            runs += more
        return [align_both_ends(runs, last, cells)]


def _render_pair(pair: Pair, palette: PaintStyles) -> list[Run]:
    return [(pair[0], palette.key), (f" {pair[1]}", palette.quiet)]
