"""Label Studio format: tasks with two texts, annotators' submissions, and models' predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.formats.labelstudio.json_min import is_min_row, read_min_tasks
from tui_annotate.plugins.formats.labelstudio.reader import TaskReader
from tui_annotate.plugins.formats.labelstudio.results import ABOUT, FORMAT, split_task
from tui_annotate.plugins.formats.labelstudio.writer import TaskWriter
from tui_annotate.plugins.json_records import (
    Doubt,
    read_json_records,
    read_records_of,
    write_json_array,
)
from tui_annotate.plugins.offset_units import CODE_POINTS
from tui_annotate.plugins.pair_columns import STANDARD, fill_columns
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import choose_dataset_name


class LabelStudioFormat:
    """Importer and exporter of Label Studio tasks.

    A region is a span, and a relation connects a claim with its evidence. The flat rows of the
    export JSON-MIN are read too.
    """

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)
        options = fill_columns(options, STANDARD)

        def read(fields: dict[str, Any], value: JsonValue) -> tuple[Record, list[Doubt]]:
            found = split_task(fields, options, unit=CODE_POINTS)
            doubts = list(found.doubts)
            if found.was != found.unit:
                doubts.append(f"the task's offsets are counted in {found.was}")
            task = TaskReader(found, value.number, doubts)
            return task.record(dataset, value.where), doubts

        if _has_min_rows(path, options):
            return read_records_of(read_min_tasks(path, options), read, what="task")
        parts = frozenset({"annotations", "predictions", "result"})
        return read_json_records(path, options, read, what="task", parts=parts)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        writer = TaskWriter()
        tasks = (task for record in records if (task := writer.task(record)) is not None)
        write_json_array(target, tasks, report=writer.report)
        return writer.report


def _has_min_rows(path: Path, options: ImportOptions) -> bool:
    values = read_json_values(path, encoding=options.encoding)
    first = next((each.value for each in values if isinstance(each, JsonValue)), None)
    return isinstance(first, dict) and is_min_row(first)
