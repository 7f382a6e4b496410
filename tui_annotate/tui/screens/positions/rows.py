"""The bars of a position study, painted: what is counted, its interval, how many fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.message import Message

from tui_annotate.tui.lines import Run, cut, fit, shown
from tui_annotate.tui.palette import FOCUS_BAR
from tui_annotate.tui.rows import FixedRows, RowList

if TYPE_CHECKING:
    from tui_annotate.methods.position import Bar
    from tui_annotate.services.position.evaluating import Evaluation, Place

SURE, LIKELY, UNLIKELY = "█", "▓", "░"
"""Up to the interval's low end, from there to the mean, from there to its high end."""

_NAME: Final = 14  # cells of what a bar is by, at most
_AT: Final = 5  # cells of a number
_COUNTS: Final = 30
"""Cells of what is counted: n, mean, interval, and those that fail."""


def widths(found: Evaluation) -> tuple[int, ...]:
    """Cells of each column that a bar is by."""
    columns = zip(*(where for where, _ in found.groups), strict=True)
    told = [[_told(value) for value in column] for column in columns]
    return tuple(
        min(max(_AT, len(head), *(len(each) for each in column)), _NAME)
        for head, column in zip(heads(found), told, strict=True)
    )


def heads(found: Evaluation) -> tuple[str, ...]:
    """What the columns are called."""
    return tuple("at" if by.value == "gold-position" else by.value for by in found.by)


def _told(value: int | str | None) -> str:
    return "-" if value is None else shown(str(value))


def drawn(bar: Bar, cells: int) -> str:
    """A bar of at most `cells` cells; nothing for no rows."""
    if bar.mean is None or bar.interval is None:
        return ""
    low, mean, high = (
        round(share * cells) for share in (bar.interval[0], bar.mean, bar.interval[1])
    )
    return SURE * low + LIKELY * (mean - low) + UNLIKELY * (high - mean)


class BarHeads(FixedRows):
    """What the columns hold."""

    _found: Evaluation | None = None

    def show(self, found: Evaluation) -> None:
        """Those of an evaluation."""
        self._found = found
        self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """One row."""
        if self._found is None:
            return []
        quiet = self.palette.quiet
        columns = zip(heads(self._found), widths(self._found), strict=True)
        names = "".join(f"{fit(name, room)} " for name, room in columns)
        counts = f"{'n':>5} {'mean':>6} {'95 %':>9} {'fail':>6} "
        scale = cells - len(names) - len(counts) - 2
        ends = f"0{' ' * max(scale - 2, 0)}1" if scale > 1 else ""
        return [[(f"  {names}{counts}{ends}", quiet)]]


class BarRows(RowList):
    """A bar a group."""

    class Clicked(Message):
        """A bar was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[tuple[Place, Bar]] = ()
        self._widths: tuple[int, ...] = ()
        self._message = "counting…"

    def show(self, found: Evaluation, *, focused: int) -> None:
        """Other bars."""
        self._groups, self._widths, self._message = found.groups, widths(found), ""
        self.set_rows(len(found.groups), focused=focused)
        self.refresh()

    def say(self, words: str) -> None:
        """Words in place of bars."""
        self._groups, self._message = (), words
        self.set_rows(1, focused=0)
        self.refresh()

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """What it is by, n, mean, interval, how many fail, the bar."""
        palette = self.palette
        if self._message:
            return [(f"  {cut(shown(self._message), cells - 2)}", palette.quiet)]
        where, bar = self._groups[index]
        here = index == self.focused_row
        columns = zip(where, self._widths, strict=True)
        names = "".join(f"{fit(_told(value), room)} " for value, room in columns)
        counts = _counts(bar)
        room = cells - 2 - len(names) - len(counts)
        return [
            (FOCUS_BAR if here else " ", palette.accent),
            (f" {names}", palette.strong if here else palette.text),
            (counts, palette.text),
            (drawn(bar, max(room - 1, 0)), palette.accent),
        ]

    def clicked(self, index: int) -> None:
        """Tells which."""
        if index < len(self._groups):
            self.post_message(self.Clicked(index))


def _counts(bar: Bar) -> str:
    if bar.mean is None or bar.interval is None:
        return f"{bar.n:>5} {'':>6} {'':>9} {bar.fails:>6} "
    low, high = (f"{share:.2f}"[1 if share < 0.995 else 0 :] for share in bar.interval)
    return f"{bar.n:>5} {bar.mean:>6.3f} {f'{low}-{high}':>9} {bar.fails:>6} "


def named(found: Evaluation, index: int) -> str:
    """What a bar is of."""
    where, _ = found.groups[index]
    both = zip(found.by, where, strict=True)
    return ", ".join(f"{by.value} {_told(value)}" for by, value in both)


def in_words(found: Evaluation, index: int) -> str:
    """A bar in words, for the draft line."""
    (_, bar), names = found.groups[index], named(found, index)
    if bar.mean is None or bar.interval is None:
        return f"{names}: no answers yet"
    low, high = bar.interval
    missing = f", {bar.unanswered} without an answer" if bar.unanswered else ""
    return f"{names}: {bar.hits}/{bar.n} correct, 95 % {low:.3f} to {high:.3f}{missing}"
