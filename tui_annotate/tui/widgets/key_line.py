"""The line of the most useful keys; it always ends in the key that shows all of them."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.tui.lines import Run, both_ends, extent, shown
from tui_annotate.tui.palette import Palette
from tui_annotate.tui.rows import FixedRows

_ALL = ("?", "keys")


class KeyLine(FixedRows):
    """Keys and what they do, the most useful first, as many as fit."""

    _pairs: tuple[tuple[str, str], ...] = ()

    def show(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Shows other keys: (key, what it does in a word or two), the most useful first."""
        new = tuple((shown(key), shown(what)) for key, what in pairs)
        if new != self._pairs:
            self._pairs = new
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """As many pairs as fit, then `? keys` at the right edge."""
        palette = self.palette
        last = [*_pair(_ALL, palette), (" ", palette.text)]
        room = cells - extent(last) - 2
        runs: list[Run] = [(" ", palette.text)]
        for pair in self._pairs:
            more = [*_pair(pair, palette), ("  ", palette.text)]
            if extent(runs) + extent(more) > room:
                break
            runs += more
        return [both_ends(runs, last, cells)]


def _pair(pair: tuple[str, str], palette: Palette) -> list[Run]:
    return [(pair[0], palette.key), (f" {pair[1]}", palette.quiet)]
