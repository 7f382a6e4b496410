"""Machines' words in a row of a list: a small bar a score, its digits where there is room, a badge.

A full bar is well supported, whichever way its score goes. Bars tell by their height, badges by
their letters: nothing here is told by colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.glances import Glance, Glances
from tui_annotate.tui.lines import Run, fit, shown
from tui_annotate.tui.palette import Palette

BARS: Final = "▁▂▃▄▅▆▇█"
"""One glyph an eighth of what is between 0 and 1."""

_WORDY, _EXACT = 100, 120  # columns of the screen from which labels are words, and values digits
_DIGITS: Final = len(".92 ")
_BADGE: Final = len("undecided")
_HEAD: Final = "score"


def bar(value: float | None) -> str:
    """A value in [0, 1] as one glyph; a blank for none."""
    return " " if value is None else BARS[min(int(value * len(BARS)), len(BARS) - 1)]


def digits(value: float | None) -> str:
    """A value in [0, 1] in three cells; blanks for none."""
    if value is None:
        return "   "
    return "1.0" if value >= 0.995 else f"{value:.2f}"[1:]


@dataclass(frozen=True, slots=True)
class GlanceCells:
    """The cells that a list gives to machines' words; none where nothing is said.

    Attributes:
        names: of the scores, in order.
        labelled: a ranking gave samples labels.
    """

    names: tuple[str, ...] = ()
    labelled: bool = False

    @classmethod
    def of(cls, said: Glances) -> GlanceCells:
        """Those of what was read."""
        return cls(said.names, said.labelled)

    def _score(self, width: int) -> int:
        return 1 + _DIGITS if width >= _EXACT else 1

    def cells(self, width: int) -> int:
        """How many there are on a screen that is so wide, with what parts them from the next."""
        if not self.names and not self.labelled:
            return 0
        badge = (1 + (_BADGE if width >= _WORDY else 1)) if self.labelled else 0
        scores = len(self.names) * self._score(width)
        if width >= _EXACT:  # the last digit parts the scores from the badge already
            return max(scores + badge, len(_HEAD)) + 1
        return max(scores + badge, len(_HEAD)) + 2

    def head(self, width: int) -> str:
        """What stands over them: how the names begin, where there is room; else one word."""
        if width < _EXACT:
            return fit(_HEAD, self.cells(width))
        names = "".join(fit(shown(name)[:4], 5) for name in self.names)
        return fit(f"{names}{' machine' if self.labelled else ''}", self.cells(width))

    def in_words(self, glance: Glance | None) -> str:
        """What machines say of a sample, for a line; raw; empty for nothing."""
        if glance is None:
            return ""
        told = [f"machine: {glance.label}"] if glance.label else []
        values = zip(self.names, glance.values, strict=False)
        told += [f"{name} {digits(value)}" for name, value in values if value is not None]
        return " · ".join(told)

    def runs(self, glance: Glance | None, width: int, palette: Palette) -> list[Run]:
        """Those of one sample."""
        room = self.cells(width)
        if glance is None or not room:
            return [(" " * room, palette.quiet)]
        runs: list[Run] = []
        for value in glance.values:
            runs.append((bar(value), palette.accent))
            if width >= _EXACT:
                runs.append((f"{digits(value)} ", palette.quiet))
        badge = glance.label if width >= _WORDY else glance.label[:1]
        taken = len(glance.values) * self._score(width)
        return [*runs, (fit(f" {badge}", room - taken), palette.asleep)]
