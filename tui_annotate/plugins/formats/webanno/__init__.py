"""W3C web annotations as JSON-LD: a list of collections, one a sample, with its texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, described, problem
from tui_annotate.plugins.formats.webanno.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.webanno.reading import CollectionReader
from tui_annotate.plugins.formats.webanno.writing import collection
from tui_annotate.plugins.json_values import json_values
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
        with closing(Seen()) as seen:
            for value in json_values(path, encoding=options.encoding, meter=options.meter):
                if isinstance(value, Problem):
                    yield value
                    continue
                try:
                    if not isinstance(value.value, dict):
                        raise InvalidInput(f"the record is {described(value.value)}, not an object")
                    reader = CollectionReader(
                        value.value, dataset=options.dataset, language=options.language
                    )
                    record = reader.record(value.where)
                    name = json.dumps(record.sample.key)
                    if (before := seen.first(name, value.where)) != value.where:
                        raise InvalidInput(f"{record.sample.key} was given at {before} already")
                    yield record
                except InvalidInput as error:
                    yield problem(value.where, error)

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
