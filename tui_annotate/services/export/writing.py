"""One call of an exporter: its layer, its place, and what it may raise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.files.targets import folder, output
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.plugins.traits import Place, said_by
from tui_annotate.services.export.layers import layered, wanted
from tui_annotate.services.export.pseudonyms import Pseudonyms, pseudonymised


class Writing:
    """Writes records in a format, once.

    Args:
        names: what stands for people; None for their names.

    Raises:
        InvalidInput: there is no such exporter; or it holds one layer, and none is asked for.
    """

    def __init__(
        self,
        exporter: str,
        options: ExportOptions | None = None,
        *,
        names: Pseudonyms | None = None,
    ) -> None:
        self._name = exporter
        self._names = names
        self._options = options or ExportOptions()
        self._exporter: Any = registry.load("exporters", exporter)
        about = said_by(self._exporter)
        self._place = about.place if about else Place.STREAM
        self._layer = self._options.layer
        if about and about.layered:
            self._layer = wanted(self._layer, exporter=exporter)

    def run(self, records: Iterable[Record], target: Path | TextIO | None) -> Report:
        """Writes to a file or folder that appears whole or not at all, or to an open stream.

        Raises:
            InvalidInput: the target can not hold the format.
            Unavailable: the target can not be written.
        """
        met = records if self._names is None else self._names.meeting(records)
        chosen = layered(met, self._layer) if self._layer else met
        if self._names is not None:  # once the layer is chosen, by true names
            chosen = pseudonymised(chosen, self._names)
        if self._place is not Place.STREAM:
            if not isinstance(target, Path):
                raise InvalidInput(f"{self._name} is written to a folder", "name a new one")
            with folder(target) as several:
                return self._written(chosen, several)
        if target is not None and not isinstance(target, Path):
            return self._written(chosen, target)
        with output(target) as file:
            return self._written(chosen, file)

    def _written(self, records: Iterable[Record], target: Any) -> Report:
        with registry.guarded("exporters", self._name):
            report = self._exporter.write(records, target, self._options)
            if not isinstance(report, Report):
                raise TypeError(f"it gave {type(report).__name__}, no Report")
        return report
