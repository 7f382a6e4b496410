"""Tables as a workbook (xlsx): two sheets, written with the standard library, always the same."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from typing import BinaryIO, Final, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Record
from tui_annotate.plugins.files.sheets import CUT, LONGEST_CELL, Sheets, pack
from tui_annotate.plugins.formats.tabular.rows import (
    CARRIED,
    COLUMNS,
    REVIEWS,
    count,
    reviews,
    rows,
)
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.plugins.traits import About

_LOST: Final = f"texts beyond {LONGEST_CELL:,} signs of a cell, named in the column {CUT}"


class WorkbookFormat:
    """Cells are text or numbers, never formulas; texts that are too long for a cell are cut.

    They are counted, and `cut`, the last column, says which of a row they are. Text
    that looks like a formula is marked as text, so that it stays such when it is edited.
    """

    name = "xlsx"
    about = About(title="a workbook of two sheets: annotations, and who read what", carried=CARRIED)

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """See `Exporter.write`.

        Raises:
            InvalidInput: the target takes text alone.
        """
        report = Report()
        with ExitStack() as stack:
            sheets = [
                Sheets(
                    stack,
                    name,
                    columns=columns,
                    marked=options.formula_safe,
                    lost=partial(report.lose, _LOST),
                )
                for name, columns in (("annotations", COLUMNS), ("reviews", REVIEWS))
            ]
            for record in records:
                count(record, report)
                sheets[0].add(rows(record))
                sheets[1].add(reviews(record))
            pack(_bytes(target), [sheet for each in sheets for sheet in each.ended()])
        return report


def _bytes(target: TextIO) -> BinaryIO:
    buffer: BinaryIO | None = getattr(target, "buffer", None)
    if buffer is None or target.isatty():
        raise InvalidInput("a workbook is no text", "name a file with -o")
    target.flush()
    return buffer
