"""brat standoff: a folder for each annotator, with a text and its annotations for each sample."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, problem
from tui_annotate.plugins.formats.brat.names import ABOUT, FORMAT, SAMPLES
from tui_annotate.plugins.formats.brat.reading import FolderReader
from tui_annotate.plugins.formats.brat.writing import Writer
from tui_annotate.plugins.protocols import ExportOptions, Folder, ImportOptions, Report


class BratFormat:
    """Both texts stand in one, parted by a separator; spans over line ends are fragments."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a sample, then the doubts about it; see `Importer.read`.

        Raises:
            NotFound, InvalidInput: there is no such folder, or what it says of itself is broken.
        """
        if not path.exists():
            raise NotFound(f"there is no folder {path}")
        reader = FolderReader(path, options, dataset_name(path.resolve(), options.dataset))
        reader.open()
        with closing(Seen()) as seen:
            for where, row in reader.samples():
                if isinstance(row, Problem):
                    yield row
                    continue
                try:
                    record = reader.record(row, where)
                    name = json.dumps(record.sample.key)
                    if (before := seen.first(name, where)) != where:
                        raise InvalidInput(f"{record.sample.key} was given at {before} already")
                    yield record
                    yield from (Problem(where, each, refused=False) for each in reader.doubts)
                except NotFound as error:
                    yield Problem(where, error.message, error.hint)
                except InvalidInput as error:
                    yield problem(where, error)

    def write(self, records: Iterable[Record], target: Folder, options: ExportOptions) -> Report:
        """See `Exporter.write`."""
        del options
        with target.file(SAMPLES) as samples:
            writer = Writer(target, samples)
            for record in records:
                writer.write(record)
        writer.end()
        return writer.report
