"""Machines' words in a row of a list: a small bar a score, its digits where there is room, a badge.

A full bar is well supported, whichever way its score goes. Bars tell by their height, badges by
their letters: nothing here is told by colour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tui_annotate.domain.scores import ScoreSummaries, ScoreSummary
from tui_annotate.tui.line_text import Run, fit, line_text, width
from tui_annotate.tui.palette import Palette

BARS: Final = "▁▂▃▄▅▆▇█"
"""One glyph an eighth of what is between 0 and 1."""

_WORDY, _EXACT = 100, 120  # columns of the screen from which labels are words, and values digits
_ROOMY = 140  # and from which names have room
_NAME, _ROOMY_NAME = 7, 9  # cells of a name over its column, at most
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


def shorten_names(names: Sequence[str], *, cells: int) -> list[str]:
    """Names in a few cells: as many of their words as go in, of those that no other name has."""
    parted = [[word for word in re.split(r"[\W_]+", line_text(name)) if word] for name in names]
    told = []
    for name, words in zip(names, parted, strict=True):
        own = [word for word in words if sum(word in other for other in parted) == 1]
        first, *more = own or words or [line_text(name)]
        for word in more:
            if width(f"{first} {word}") > cells:
                break
            first = f"{first} {word}"
        told.append(first)
    return told


@lru_cache(maxsize=8)  # every row asks
def _column_heads(names: tuple[str, ...], columns: int) -> tuple[str, ...]:
    if columns < _EXACT:
        return (" ",) * len(names)
    most = _ROOMY_NAME if columns >= _ROOMY else _NAME
    told = shorten_names(names, cells=most)
    return tuple(f"{fit(name, min(max(width(name), _DIGITS), most))} " for name in told)


@dataclass(frozen=True, slots=True)
class ScoreCells:
    """The cells that a list gives to machines' words; none where nothing is said.

    Attributes:
        names: of the scores, in order.
        labelled: a ranking gave samples labels.
    """

    names: tuple[str, ...] = ()
    labelled: bool = False

    @classmethod
    def of(cls, said: ScoreSummaries) -> ScoreCells:
        """Those of what was read."""
        return cls(said.names, said.labelled)

    def cells(self, columns: int) -> int:
        """How many there are on a screen that is so wide, with what parts them from the next."""
        if not self.names and not self.labelled:
            return 0
        badge = (1 + (_BADGE if columns >= _WORDY else 1)) if self.labelled else 0
        scores = sum(width(head) for head in _column_heads(self.names, columns))
        if columns >= _EXACT:  # the last digit parts the scores from the badge already
            return max(scores + badge, len(_HEAD)) + 1
        return max(scores + badge, len(_HEAD)) + 2

    def head(self, columns: int) -> str:
        """What stands over them: short names, where there is room; else one word."""
        if columns < _EXACT:
            return fit(_HEAD, self.cells(columns))
        names = "".join(_column_heads(self.names, columns))
        return fit(f"{names}{' machine' if self.labelled else ''}", self.cells(columns))

    def in_words(self, glance: ScoreSummary | None) -> str:
        """What machines say of a sample, for a line; raw; empty for nothing."""
        if glance is None:
            return ""
        told = [f"machine: {glance.label}"] if glance.label else []
        values = zip(self.names, glance.values, strict=False)
        told += [f"{name} {digits(value)}" for name, value in values if value is not None]
        return " · ".join(told)

    def runs(self, glance: ScoreSummary | None, columns: int, palette: Palette) -> list[Run]:
        """Those of one sample."""
        room = self.cells(columns)
        if glance is None or not room:
            return [(" " * room, palette.quiet)]
        runs: list[Run] = []
        heads = _column_heads(self.names, columns)
        for head, value in zip(heads, glance.values, strict=False):
            runs.append((bar(value), palette.accent))
            if columns >= _EXACT:
                runs.append((f"{digits(value):<{width(head) - 1}}", palette.quiet))
        badge = glance.label if columns >= _WORDY else glance.label[:1]
        taken = sum(width(head) for head in heads[: len(glance.values)])
        return [*runs, (fit(f" {badge}", room - taken), palette.asleep)]
