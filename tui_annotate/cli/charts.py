"""Prints charts of bars, and of values with intervals, as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.cli import output
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.domain.work_statistics import draw_bar

LONGEST_BAR: Final = 60  # maximum length of a bar, in terminal cells
_LEAST: Final = 12  # minimum length of a scale, in terminal cells


def print_bars(rows: Sequence[tuple[str, float]], *, unit: str, full: float) -> None:
    """Print a bar for each (name, value), with the value in `unit`; at least one row.

    `full`: smallest value of a bar of full length, so that no small value fills the line.
    """
    from rich.text import Text

    console = output.make_console(sys.stdout)
    names = max(len(make_line_visible(name)) for name, _ in rows)
    values = [f"{value:,.1f} {unit}" for _, value in rows]
    numbers = max(map(len, values))
    most = max(full, *(value for _, value in rows))
    longest = max(min(console.width - names - numbers - 2 * output.GAP, LONGEST_BAR), 1)
    for (name, value), text in zip(rows, values, strict=True):
        filled = draw_bar(value, most, longest)
        plain = console.color_system is None
        shown = "#" * len(filled) if plain else filled
        head = f"{make_line_visible(name):<{names}}  {text:>{numbers}}  "
        console.print(Text(head.rstrip() if not shown else head) + Text(shown, style="cyan"))


@dataclass(frozen=True, slots=True)
class ValueInterval:
    """A named value with its interval, for a chart; None if it has none."""

    name: str
    figures: str
    value: float | None
    low: float | None = None
    high: float | None = None


def print_intervals(
    rows: Sequence[ValueInterval], *, least: float, most: float, chance: float | None
) -> None:
    """Print values and their intervals on one scale; a vertical line marks `chance`, if given."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    console = output.make_console(sys.stdout)
    figures = max(len(row.figures) for row in rows)
    widest = max(console.width - figures - 2 * output.GAP - _LEAST, _LEAST)
    shown = [make_line_visible(row.name) for row in rows]
    names = min(max(map(cell_len, shown)), widest)
    width = max(min(console.width - names - figures - 2 * output.GAP, LONGEST_BAR), _LEAST)
    plain = console.color_system is None
    for row, name in zip(rows, shown, strict=True):
        line = Text(f"{set_cell_size(name, names)}  {row.figures:<{figures}}  ")
        drawn = _draw_interval(row, least=least, most=most, width=width, chance=chance, plain=plain)
        console.print(line + Text(drawn, style="cyan"), soft_wrap=True)
    ends = f"{least:g}".ljust(width - len(f"{most:g}")) + f"{most:g}"
    margin = " " * (names + figures + 2 * output.GAP)
    console.print(Text(margin + ends, style="dim"), soft_wrap=True)


def _draw_interval(
    row: ValueInterval, *, least: float, most: float, width: int, chance: float | None, plain: bool
) -> str:
    def cell(value: float) -> int:
        share = (min(max(value, least), most) - least) / (most - least)
        return round(share * (width - 1))

    track, line, left, right, point, guess = ".-[]*|" if plain else "·─├┤●┊"
    cells = [track] * width
    if chance is not None:
        cells[cell(chance)] = guess
    if row.low is not None and row.high is not None:
        low = cell(row.low)
        high = cell(row.high)
        cells[low : high + 1] = line * (high - low + 1)
        cells[low] = left
        cells[high] = right
    if row.value is not None:
        cells[cell(row.value)] = point
    return "".join(cells)
