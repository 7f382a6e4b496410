"""Mercury's dump, an array of samples with annotations, and FaithBench's release of it.

What was imported and not edited since is written back word for word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, described, identifier, problem
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.formats.mercury.names import DUMP, RELEASED, Dialect
from tui_annotate.plugins.formats.mercury.reading import SampleReader
from tui_annotate.plugins.formats.mercury.writing import DumpWriter
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class MercuryFormat:
    """Samples with one source and one summary; a label is a list of a parent and `Parent.Child`."""

    name = "mercury"
    about = DUMP.about

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a sample, then the doubts about it; see `Importer.read`.

        A sample is refused as a whole where one of its spans does not cover what it says.
        """
        dataset = dataset_name(path, options.dataset)
        with closing(Seen()) as seen:
            for value in json_values(path, encoding=options.encoding, meter=options.meter):
                if isinstance(value, Problem):
                    yield value
                    continue
                try:
                    if not isinstance(value.value, dict):
                        raise InvalidInput(f"the sample is {described(value.value)}, not an object")
                    key = identifier(
                        value.value.get("sample_id", value.number - 1), what="sample_id"
                    )
                    if (before := seen.first(key, value.where)) != value.where:
                        raise InvalidInput(f"sample_id {key} was used at {before} already")
                    reader = SampleReader(
                        value.value, dataset=dataset, key=key, language=options.language
                    )
                    yield reader.record(value.where)
                    yield from (
                        Problem(value.where, doubt, refused=False) for doubt in reader.doubts
                    )
                except InvalidInput as error:
                    yield problem(value.where, error)

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One sample a line, in one array; see `Exporter.write`."""
        del options
        return _written(DUMP, records, target, around=("[", "]"))


class FaithBenchFormat(MercuryFormat):
    """The same with meta in one object, and nulls for what an annotation does not mark.

    Either reads both.
    """

    name = "faithbench"
    about = RELEASED.about

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One sample a line, in one object; see `Exporter.write`."""
        del options
        return _written(RELEASED, records, target, around=('{"samples": [', "]}"))


def _written(
    dialect: Dialect, records: Iterable[Record], target: TextIO, *, around: tuple[str, str]
) -> Report:
    opening, end = around
    before = f"{opening}\n"
    with closing(Seen()) as seen:
        writer = DumpWriter(dialect, seen)
        for record in records:
            if (row := writer.row(record)) is not None:
                target.write(before)
                target.write(json.dumps(row, ensure_ascii=False))
                before = ",\n"
    target.write(f"\n{end}\n" if before == ",\n" else f"{opening}{end}\n")
    return writer.report
