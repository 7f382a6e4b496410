"""open-qa: rows of position studies; questions over passages, keys over pairs, and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name
from tui_annotate.plugins.files.json_values import Value
from tui_annotate.plugins.formats.open_qa.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.open_qa.reading import RowReader
from tui_annotate.plugins.formats.open_qa.writing import Writer
from tui_annotate.plugins.json_records import json_records
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class OpenQaFormat:
    """Questions in, also with a model's answers; scored rows out, with people's verdicts."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a row; see `Importer.read`."""
        with closing(Seen()) as names:
            rows = RowReader(dataset_name(path, options.dataset), options, names)

            def read(fields: dict[str, Any], value: Value) -> tuple[Record, list[str]]:
                return rows.record(fields, value.where)

            yield from json_records(path, options, read, what="row")

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One row a sample, read or not; see `Exporter.write`."""
        del options
        writer = Writer()
        for record in records:
            writer.write(record, target)
        return writer.report
