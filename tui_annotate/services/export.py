"""Export: what is stored, out in any format, streamed; it holds no lock and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tui_annotate.domain.records import RecordFilter
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.plugins.targets import output

if TYPE_CHECKING:
    from tui_annotate.storage.corpus import CorpusStore


@dataclass(frozen=True, slots=True)
class Export:
    """Writes records of a workspace."""

    corpus: CorpusStore

    def run(
        self,
        exporter: str,
        target: Path | TextIO | None,
        *,
        filters: RecordFilter | None = None,
        options: ExportOptions | None = None,
    ) -> Report:
        """Writes the records under a filter, all of one moment, by dataset, then as they came.

        Args:
            exporter: an exporter's name.
            target: a file that appears whole or not at all, an open stream, or None for standard
                output.

        Raises:
            NotFound: there is no such exporter.
            InvalidInput: the target is a folder, or its folder is not there.
            Unavailable: the target can not be written, or the store not be read.
        """
        writer = registry.load("exporters", exporter)
        records = self.corpus.records(filters or RecordFilter())
        asked = options or ExportOptions()
        if target is None or isinstance(target, Path):
            with output(target) as file, registry.guarded("exporters", exporter):
                return writer.write(records, file, asked)
        with registry.guarded("exporters", exporter):
            return writer.write(records, target, asked)
