"""autojudge: reports of runs on topics, the documents that they cite, and judgements of both.

A report gives samples of three kinds: itself, its documents, and each sentence with each document
that it cites.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.formats.autojudge.names import ABOUT, FORMAT
from tui_annotate.plugins.formats.autojudge.reading import records
from tui_annotate.plugins.protocols import ImportOptions


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
        return records(paths, options)
