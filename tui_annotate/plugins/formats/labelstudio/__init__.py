"""Label Studio: tasks with two texts, submissions of several annotators, and predictions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.errors import InvalidInput as InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen as Seen
from tui_annotate.plugins.admission import dataset_name
from tui_annotate.plugins.admission import described as described
from tui_annotate.plugins.admission import problem as problem
from tui_annotate.plugins.covered import CODE_POINTS
from tui_annotate.plugins.files.json_values import Value
from tui_annotate.plugins.formats.labelstudio.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.labelstudio.parting import parted
from tui_annotate.plugins.formats.labelstudio.reading import TaskReader
from tui_annotate.plugins.formats.labelstudio.writing import TaskWriter
from tui_annotate.plugins.json_records import json_records
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class LabelStudioFormat:
    """Regions are spans; a relation leads from a claim to its evidence."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a task, then the doubts about it; see `Importer.read`."""
        dataset = dataset_name(path, options.dataset)

        def read(fields: dict[str, Any], value: Value) -> tuple[Record, list[str]]:
            found = parted(fields, options, unit=CODE_POINTS)
            task = TaskReader(found.fields, value.number, found.options, found.unit)
            doubts = [f"the offsets are {found.was}"] if found.was != found.unit else []
            return task.record(dataset, value.where), [*doubts, *task.doubts]

        return json_records(path, options, read, what="task")

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One task a line, in one array; see `Exporter.write`."""
        del options
        writer = TaskWriter()
        before = "[\n"
        for record in records:
            if (task := writer.task(record)) is not None:
                target.write(before)
                target.write(json.dumps(task, ensure_ascii=False))
                before = ",\n"
        target.write("[]\n" if before == "[\n" else "\n]\n")
        return writer.report
