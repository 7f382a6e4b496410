"""Tables as CSV: one file or stream, or two files in a folder."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TextIO

from tui_annotate.domain.records import Record
from tui_annotate.plugins.files.sheets import FORMULA
from tui_annotate.plugins.formats.tabular.rows import (
    CARRIED,
    COLUMNS,
    REVIEWS,
    count,
    reviews,
    rows,
)
from tui_annotate.plugins.protocols import ExportOptions, Folder, Report
from tui_annotate.plugins.traits import About, Place

_ESCAPED: Final = "escaped"
_OURS: Final = {"source_document", "seconds", "version", "state", "annotations"}


def foreign(columns: Sequence[str]) -> list[str]:
    """The columns that may hold what somebody else wrote; the others: numbers and words of ours."""
    ends = ("_start", "_end", "_sha256")
    return [name for name in columns if name not in _OURS and not name.endswith(ends)]


class CsvFormat:
    """RFC 4180 with line feeds; `meta` is JSON, offsets are code points, the end is not included.

    A cell that a spreadsheet would run as a formula gets a leading `'`, and its column's name
    stands in `escaped`, so that it can be taken off again.
    """

    name = "csv"
    about = About(title="a table, one row for each pair of spans", carried=CARRIED)

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """See `Exporter.write`."""
        report = Report()
        table = _Table(target, COLUMNS, formula_safe=options.formula_safe)
        for record in records:
            count(record, report)
            table.add(rows(record))
        return report


class CsvTablesFormat:
    """The same table, and beside it who read what: a row for each sample and person."""

    name = "csv-tables"
    about = About(
        title="two tables: annotations, and who read what",
        place=Place.FILES,
        files=("annotations.csv", "reviews.csv"),
        carried=CARRIED,
    )

    def write(self, records: Iterable[Record], target: Folder, options: ExportOptions) -> Report:
        """See `FolderExporter.write`."""
        report = Report()
        first, second = self.about.files
        with target.file(first) as annotations, target.file(second) as work:
            table = _Table(annotations, COLUMNS, formula_safe=options.formula_safe)
            beside = _Table(work, REVIEWS, formula_safe=options.formula_safe)
            for record in records:
                count(record, report)
                table.add(rows(record))
                beside.add(reviews(record))
        return report


class _Table:
    """One table that is being written."""

    def __init__(self, target: TextIO, columns: Sequence[str], *, formula_safe: bool) -> None:
        self._writer = csv.writer(_Lines(target))
        self._columns = columns
        self._foreign = foreign(columns) if formula_safe else []
        self._writer.writerow([*columns, _ESCAPED])

    def add(self, several: Iterable[Mapping[str, Any]]) -> None:
        for row in several:
            cells = dict(row)
            if "seconds" in cells:
                cells["seconds"] = f"{cells['seconds']:.3f}"
            escaped = [name for name in self._foreign if (cells.get(name) or " ")[0] in FORMULA]
            cells |= {name: f"'{cells[name]}" for name in escaped}
            values = [cells.get(name) for name in self._columns]
            self._writer.writerow([*values, " ".join(escaped)])


class _Lines:
    r"""Ends rows with \n; Python's writer, told to do so itself, leaves a lone \r unquoted."""

    def __init__(self, target: TextIO) -> None:
        self._target = target

    def write(self, row: str) -> int:
        """One row with its ending."""
        return self._target.write(row.removesuffix("\r\n") + "\n")
