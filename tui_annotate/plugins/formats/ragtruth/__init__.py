"""RAGTruth: sources in one file of JSON lines, responses with labelled spans in another.

What was imported and not edited since is written back word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.nouns import many
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, problem
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.formats.ragtruth.names import ABOUT, FORMAT, RESPONSES, SOURCES
from tui_annotate.plugins.formats.ragtruth.reading import ResponseReader, Sources, both_files
from tui_annotate.plugins.formats.ragtruth.writing import Writer
from tui_annotate.plugins.protocols import ExportOptions, Folder, ImportOptions, Report


class RagTruthFormat:
    """A response is the summary of its source; its spans are those of one gold annotator."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a response, in their order; see `Importer.read`.

        Args:
            path: the folder of both files, or the file of responses beside that of sources; the
                dataset is called as the folder is.
            options: for the dataset's name, the language, the encoding.

        Raises:
            NotFound, InvalidInput, Unavailable: one of them can not be opened.
        """
        of_sources, of_responses = both_files(path)
        dataset = dataset_name(of_responses.resolve().parent, options.dataset)
        with closing(Seen()) as rows, closing(Seen()) as seen:
            sources = Sources(of_sources, options, rows)
            yield from sources.read()
            reader = ResponseReader(sources, dataset=dataset, language=options.language)
            for value in json_values(of_responses, encoding=options.encoding, meter=options.meter):
                if isinstance(value, Problem):
                    yield value
                    continue
                try:
                    record, doubts = reader.record(value.value, value.where)
                    if (before := seen.first(record.sample.id, value.where)) != value.where:
                        raise InvalidInput(f"id {record.sample.id} was given at {before} already")
                    yield record
                    yield from (Problem(value.where, doubt, refused=False) for doubt in doubts)
                except InvalidInput as error:
                    yield problem(value.where, error)
            if idle := sources.idle():
                message = f"{many(idle, 'source')} without a response left out"
                yield Problem(str(of_sources), message, refused=False)

    def write(self, records: Iterable[Record], target: Folder, options: ExportOptions) -> Report:
        """Both files; see `Exporter.write`."""
        del options
        with (
            closing(Seen()) as seen,
            target.file(SOURCES) as sources,
            target.file(RESPONSES) as responses,
        ):
            writer = Writer(sources, responses, seen)
            for record in records:
                writer.write(record)
        return writer.report
