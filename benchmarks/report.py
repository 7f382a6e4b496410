"""Rows of the benchmark table, and the table as text; knows nothing of what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure beside its bound.

    Attributes:
        what: what was measured, in words that docs/performance.md uses too.
        value: the figure.
        bound: what it may be at most or must be at least; None for a figure without promise.
        unit: "ms", "MB", "bytes", "times", "a second"; empty for a bare number.
        kind: whether the bound is the most or the least allowed.
    """

    what: str
    value: float
    bound: float | None = None
    unit: str = ""
    kind: Literal["at most", "at least"] = "at most"

    @property
    def kept(self) -> bool:
        """Whether the figure keeps its bound; true without one."""
        if self.bound is None:
            return True
        return self.value <= self.bound if self.kind == "at most" else self.value >= self.bound


def figure(value: float, unit: str = "") -> str:
    """A figure with three significant digits, thousands parted, and its unit."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    number = f"{value:,.{digits}f}"
    return f"{number} {unit}".rstrip()


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned lines: what, measured, bound, and whether it was kept."""
    cells = [("what", "measured", "bound", "")]
    for row in rows:
        bound = "" if row.bound is None else f"{row.kind} {figure(row.bound, row.unit)}"
        verdict = "" if row.bound is None else "kept" if row.kept else "MISSED"
        cells.append((row.what, figure(row.value, row.unit), bound, verdict))
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )
