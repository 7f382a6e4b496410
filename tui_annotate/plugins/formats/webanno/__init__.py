"""W3C web annotations as JSON-LD: a list of collections, one a sample, with its texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.errors import InvalidInput as InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen as Seen
from tui_annotate.plugins.admission import described as described
from tui_annotate.plugins.admission import problem as problem
from tui_annotate.plugins.files.json_values import Value
from tui_annotate.plugins.formats.webanno.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.webanno.reading import CollectionReader
from tui_annotate.plugins.formats.webanno.writing import collection
from tui_annotate.plugins.json_records import json_records
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class WebAnnotationFormat:
    """Targets are claim and evidence, by position and by quote; bodies are labels and the note.

    What the model has no word for stands under `tui:`. It reads what it writes.
    """

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a collection; an asked-for dataset replaces the file's."""

        def read(fields: dict[str, Any], value: Value) -> tuple[Record, Sequence[str]]:
            made = CollectionReader(fields, dataset=options.dataset, language=options.language)
            return made.record(value.where), made.doubts

        return json_records(path, options, read, what="record")

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One collection a line, in one array; see `Exporter.write`."""
        del options
        report = Report()
        tally = Tally(ABOUT, report)
        before = "[\n"
        for record in records:
            tally.count(record)
            report.records += 1
            report.annotations += len(record.annotations)
            target.write(before)
            target.write(json.dumps(collection(record), ensure_ascii=False))
            before = ",\n"
        target.write("[]\n" if before == "[\n" else "\n]\n")
        return report
