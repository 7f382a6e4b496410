"""Label Studio: tasks with two texts, submissions of several annotators, and predictions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, described, problem
from tui_annotate.plugins.formats.labelstudio.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.labelstudio.reading import TaskReader
from tui_annotate.plugins.formats.labelstudio.writing import TaskWriter
from tui_annotate.plugins.json_values import json_values
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class LabelStudioFormat:
    """Regions are spans; a relation leads from a claim to its evidence."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a task, then the doubts about it; see `Importer.read`."""
        dataset = dataset_name(path, options.dataset)
        with closing(Seen()) as seen:
            for value in json_values(path, encoding=options.encoding, meter=options.meter):
                if isinstance(value, Problem):
                    yield value
                    continue
                try:
                    if not isinstance(value.value, dict):
                        raise InvalidInput(f"the task is {described(value.value)}, not an object")
                    reader = TaskReader(value.value, value.number, options)
                    record = reader.record(dataset, value.where)
                    name = json.dumps(record.sample.key)
                    if (before := seen.first(name, value.where)) != value.where:
                        raise InvalidInput(f"{record.sample.key} was given at {before} already")
                    yield record
                    yield from (Problem(value.where, each, refused=False) for each in reader.doubts)
                except InvalidInput as error:
                    yield problem(value.where, error)

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
