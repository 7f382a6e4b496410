"""autojudge: reports of runs on topics, the documents that they cite, and judgements of both.

A report gives samples of three kinds: itself, its documents, and each sentence with each document
that it cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO

from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen
from tui_annotate.plugins.formats.autojudge import reading
from tui_annotate.plugins.formats.autojudge.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.autojudge.writing import Writer
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class AutojudgeFormat:
    """Runs in; judgements out and back in."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """The samples of one file or folder of runs; see `Importer.read`."""
        return self.read_all([path], options)

    def read_all(self, paths: Sequence[Path], options: ImportOptions) -> Iterator[Record | Problem]:
        """The samples of several; see `Together.read_all`.

        Args:
            options: for the topics, those of them that are wanted, documents of their own, the
                dataset's name, the language, the encoding.
        """
        return reading.records(paths, options)

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """What was said of each sample, a line a person; see `Exporter.write`.

        Args:
            options: for the offsets, whether what was only looked at is written, and reports by
                key; without that, a report must come before its citations.
        """
        with closing(Seen()) as reports:
            writer = Writer(options, reports)
            for record in records:
                writer.write(record, target)
        return writer.report
