"""Cells for scores and machine-made labels in a list of samples: bars, digits and a badge.

A full bar means "well supported", whatever the direction of the score. Digits are shown only if
there is room.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tui_annotate.domain.line_text import line_text, text_width
from tui_annotate.domain.scores import ScoreSummaries, ScoreSummary
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.line_text import Run, fit
from tui_annotate.tui.palette import PaintStyles

BARS: Final = "▁▂▃▄▅▆▇█"
"""Glyphs of bars for a score in [0, 1], in steps of one eighth."""

# Minimum screen widths in cells: for whole labels, for digits, for longer names of scores.
_LABEL_COLUMNS = 100
_DIGIT_COLUMNS = 120
_WIDE_COLUMNS = 140
# Maximum cells of a score's name over its column.
_NAME = 7
_WIDE_NAME = 9
_DIGITS: Final = len(".92 ")
_BADGE: Final = len("undecided")


class ScoreText(ScreenMessage):
    """Heads of the columns of scores, and the description of a machine's label."""

    SCORE = "score"
    MACHINE = "machine"
    LABEL = "machine: {label}"


def draw_bar(value: float | None) -> str:
    """Return the glyph that shows a value in [0, 1] as a bar; a blank for None."""
    return " " if value is None else BARS[min(int(value * len(BARS)), len(BARS) - 1)]


def format_score(value: float | None) -> str:
    """Format a value in [0, 1] in three cells; three blanks for None."""
    if value is None:
        return "   "
    return "1.0" if value >= 0.995 else f"{value:.2f}"[1:]


def shorten_names(names: Sequence[str], *, cells: int) -> list[str]:
    """Shorten the names of scores by dropping words that other names contain, too.

    Of the remaining words, the first is always kept, and further words up to a width of `cells`.
    """
    split = [[word for word in re.split(r"[\W_]+", line_text(name)) if word] for name in names]
    shortened = []
    for name, words in zip(names, split, strict=True):
        own = [word for word in words if sum(word in other for other in split) == 1]
        short, *more = own or words or [line_text(name)]
        for word in more:
            if text_width(f"{short} {word}") > cells:
                break
            short = f"{short} {word}"
        shortened.append(short)
    return shortened


@lru_cache(maxsize=8)  # called for every row
def _column_heads(names: tuple[str, ...], columns: int) -> tuple[str, ...]:
    if columns < _DIGIT_COLUMNS:
        return (" ",) * len(names)
    most = _WIDE_NAME if columns >= _WIDE_COLUMNS else _NAME
    short = shorten_names(names, cells=most)
    return tuple(f"{fit(name, min(max(text_width(name), _DIGITS), most))} " for name in short)


@dataclass(frozen=True, slots=True)
class ScoreCells:
    """The columns of a sample list that show scores and machine-made labels, if there are any."""

    names: tuple[str, ...] = ()
    labelled: bool = False

    @classmethod
    def of(cls, scores: ScoreSummaries) -> ScoreCells:
        """Return the columns for the scores of a list of samples."""
        return cls(scores.names, scores.labelled)

    def cells(self, columns: int) -> int:
        """Return the total width of the score columns in cells, on a screen of `columns` cells."""
        if not self.names and not self.labelled:
            return 0
        badge = 0
        if self.labelled:
            badge = 1 + (_BADGE if columns >= _LABEL_COLUMNS else 1)
        scores = sum(text_width(head) for head in _column_heads(self.names, columns))
        gap = 1 if columns >= _DIGIT_COLUMNS else 2  # digits end in a blank
        return max(scores + badge, text_width(ScoreText.SCORE.text())) + gap

    def head(self, columns: int) -> str:
        """Return the heading of the score columns: short names if there is room, else "score"."""
        if columns < _DIGIT_COLUMNS:
            return fit(ScoreText.SCORE.text(), self.cells(columns))
        names = "".join(_column_heads(self.names, columns))
        if self.labelled:
            names = f"{names} {ScoreText.MACHINE.text()}"
        return fit(names, self.cells(columns))

    def describe(self, summary: ScoreSummary | None) -> str:
        """Return a line with the label and scores of a sample, not cleaned for a terminal."""
        if summary is None:
            return ""
        parts = [ScoreText.LABEL.text(label=summary.label)] if summary.label else []
        values = zip(self.names, summary.values, strict=False)
        parts += [f"{name} {format_score(value)}" for name, value in values if value is not None]
        return " · ".join(parts)

    def runs(self, summary: ScoreSummary | None, columns: int, palette: PaintStyles) -> list[Run]:
        """Return the score columns of a row; blank for a sample without scores."""
        cells = self.cells(columns)
        if summary is None or not cells:
            return [(" " * cells, palette.quiet)]
        runs: list[Run] = []
        heads = _column_heads(self.names, columns)
        for head, value in zip(heads, summary.values, strict=False):
            runs.append((draw_bar(value), palette.accent))
            if columns >= _DIGIT_COLUMNS:
                runs.append((f"{format_score(value):<{text_width(head) - 1}}", palette.quiet))
        badge = summary.label if columns >= _LABEL_COLUMNS else summary.label[:1]
        used = sum(text_width(head) for head in heads[: len(summary.values)])
        return [*runs, (fit(f" {badge}", cells - used), palette.disabled)]
