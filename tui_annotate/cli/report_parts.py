"""Parts of the text that a command prints: lines, notes, and tables with their columns.

A command describes its report as parts, which `output.show` prints, or prints JSON in their place.
A column states its title and the value of a row at once. Every command imports these classes: to
create immutable ones with comparisons would take three times as long (5 ms).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Row = TypeVar("Row")
Cell = str | float | None
"""Content of a table's cell; None is printed as `-`."""


@dataclass(eq=False, slots=True)
class Column(Generic[Row]):
    """A column of a table that a command prints.

    Attributes:
        value: function that returns a row's cell, or the name of the row's attribute; by default,
            the attribute has the column's title as its name, with `_` for spaces.
        number: whether cells are aligned at the right, and never cut.
        flexible: whether the column is cut before other columns if the terminal is narrow.
        whole: whether cells are never cut, because users copy them into other commands.
        rare: whether the column is omitted if all its cells are 0, None or empty.
    """

    title: str
    value: Callable[[Row], Cell] | str = ""
    number: bool = False
    flexible: bool = False
    whole: bool = False
    rare: bool = False

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row: the result of `value`, or the attribute that it names."""
        if callable(self.value):
            return self.value(row)
        found: Cell = getattr(row, self.value or self.title.replace(" ", "_"))
        return found


Columns = Sequence[Column[Row]]


def number_column(title: str, value: Callable[[Row], Cell] | str = "") -> Column[Row]:
    """Return a column of numbers, which are aligned at the right and never cut."""
    return Column(title, value, number=True)


def rare_column(title: str, value: Callable[[Row], Cell] | str = "") -> Column[Row]:
    """Return a column of numbers that is omitted if all of them are 0."""
    return Column(title, value, number=True, rare=True)


def flexible_column(title: str, value: Callable[[Row], Cell] | str = "") -> Column[Row]:
    """Return a column that is cut before other columns if the terminal is narrow."""
    return Column(title, value, flexible=True)


def whole_column(title: str, value: Callable[[Row], Cell] | str = "") -> Column[Row]:
    """Return a column that is never cut, because users copy its cells into other commands."""
    return Column(title, value, whole=True)


@dataclass(eq=False, slots=True)
class Table(Generic[Row]):
    """Part of a report: a table with one line for each of the rows.

    Attributes:
        below: whether the table is below another part, after an empty line, and is omitted
            if there are no rows.
    """

    rows: Sequence[Row]
    columns: Columns[Row]
    below: bool = False

    def grid(self) -> Grid:
        """Return the cells of all rows, without rare columns that have no value."""
        columns = [
            each
            for each in self.columns
            if not each.rare or any(each.cell(row) not in {0, "", None} for row in self.rows)
        ]
        cells = [[each.cell(row) for each in columns] for row in self.rows]
        return Grid(columns, cells, below=self.below)


@dataclass(eq=False, slots=True)
class Grid:
    """Part of a report: a table of ready cells, for example with a column for each measure.

    Attributes:
        columns: the columns, or their titles.
        below: as in `Table`.
    """

    columns: Sequence[Column[Any] | str]
    cells: Sequence[Sequence[Cell]]
    below: bool = False


@dataclass(eq=False, slots=True)
class Facts:
    """Part of a report: lines of a name and its value."""

    values: Mapping[str, Cell]


@dataclass(eq=False, slots=True)
class Text:
    """Part of a report: a text that a user wrote, or a page in another format."""

    text: str


@dataclass(eq=False, slots=True)
class ResultPart:
    """Part of a report: a line that confirms what the command did.

    Attributes:
        always: whether `--quiet` prints the line, too, such as that of a dry run.
    """

    text: str
    always: bool = False


@dataclass(eq=False, slots=True)
class NotePart:
    """Part of a report: a confirmation or next step, on standard error.

    `is_complete`: commands in the text get no `-w`, such as those about a bundle.
    """

    text: str
    is_complete: bool = False


@dataclass(eq=False, slots=True)
class MessagePart:
    """Part of a report: a warning or important result, on standard error, with its hint."""

    text: str
    hint: str = ""


Part = (
    str
    | Table[Any]
    | Grid
    | Facts
    | Text
    | ResultPart
    | NotePart
    | MessagePart
    | Callable[[], None]
    | None
)
"""A part of the text of a report.

A `str` is a line of data. A function prints what is no line, such as a chart. None is nothing.
"""
