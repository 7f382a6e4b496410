"""Label Studio format: tasks with two texts, annotators' submissions, and models' predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.formats.labelstudio.writer import TaskWriter
from tui_annotate.plugins.json_records import (
    Doubt,
    read_json_records,
    write_json_array,
)
from tui_annotate.plugins.label_studio.flat_rows import FlatRow, is_flat_row, read_flat_rows
from tui_annotate.plugins.label_studio.reader import read_task
from tui_annotate.plugins.label_studio.results import ABOUT, FORMAT
from tui_annotate.plugins.pair_columns import STANDARD, fill_columns, refuse_shared_column
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import NameRegister, choose_dataset_name


class LabelStudioFormat:
    """Importer and exporter of Label Studio tasks.

    A region is a span, and a relation connects a claim with its evidence. The flat rows of the
    export JSON-MIN are read too.
    """

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)
        refuse_shared_column(options, STANDARD)
        options = fill_columns(options, STANDARD)
        if _has_flat_rows(path, options):
            return _read_flat_rows(path, options, dataset)

        def read(fields: dict[str, Any], value: JsonValue) -> tuple[Record, list[Doubt]]:
            return read_task(
                fields, options, dataset=dataset, where=value.where, number=value.number
            )

        parts = frozenset({"annotations", "predictions", "result"})
        return read_json_records(path, options, read, what="task", parts=parts)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        writer = TaskWriter(options.addresses)
        tasks = (task for record in records if (task := writer.task(record)) is not None)
        write_json_array(target, tasks, report=writer.report)
        return writer.report


def _has_flat_rows(path: Path, options: ImportOptions) -> bool:
    values = read_json_values(path, encoding=options.encoding)
    first = next((each.value for each in values if isinstance(each, JsonValue)), None)
    return isinstance(first, dict) and is_flat_row(first)


def _read_flat_rows(path: Path, options: ImportOptions, dataset: str) -> Iterator[Record | Problem]:
    values = read_json_values(path, encoding=options.encoding, meter=options.meter)
    rows = (
        value if isinstance(value, Problem) else FlatRow(value.where, value.value)
        for value in values
    )
    with closing(NameRegister()) as seen:
        yield from read_flat_rows(rows, options, dataset=dataset, seen=seen)
