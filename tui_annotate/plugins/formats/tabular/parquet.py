"""Tables as parquet: two files in a folder, with types that data frames keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tui_annotate.domain.records import Record
from tui_annotate.plugins.files.columnar import parquet_table
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

_INTEGERS: Final = {"source_document", "version", "annotations"}
_TIMES: Final = {"created", "updated"}
_NAMES: Final = {
    "dataset", "annotator", "annotator_name", "label_1", "label_2", "label_path", "origin", "state",
    "rating", "labels_version", "guidelines_version", "settled_how", "settled_by", "settled_reason",
}  # fmt: skip
"""Columns whose values repeat."""


class ParquetFormat:
    """Offsets are int32 code points, times are in UTC, names are dictionaries.

    What a row lacks is null.
    """

    name = "parquet"
    about = About(
        title="two parquet tables: annotations, and who read what",
        place=Place.FILES,
        files=("annotations.parquet", "reviews.parquet"),
        carried=CARRIED,
    )

    def write(self, records: Iterable[Record], target: Folder, options: ExportOptions) -> Report:
        """See `FolderExporter.write`."""
        del options
        report = Report()
        first, second = self.about.files
        with (
            target.file(first) as annotations,
            target.file(second) as work,
            parquet_table(annotations.buffer, _typed(COLUMNS), report) as table,
            parquet_table(work.buffer, _typed(REVIEWS), report) as beside,
        ):
            for record in records:
                count(record, report)
                table.add(rows(record))
                beside.add(reviews(record))
        return report


def _typed(columns: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, _kind(name)) for name in columns]


def _kind(name: str) -> str:
    if name in _INTEGERS or name.endswith(("_start", "_end")):
        return "integer"
    if name in _TIMES:
        return "time"
    if name == "seconds":
        return "number"
    return "names" if name in _NAMES else "text"
