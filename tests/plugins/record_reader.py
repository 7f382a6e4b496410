"""Short ways for the tests to read a file and to tell records from problems."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.services.export.writer import write_counted


def read(path: Path, importer: str = "", **options: Any) -> tuple[list[Record], list[Problem]]:
    """The records and the problems of a file, each in order."""
    reading = ImportOptions(**options)
    name = importer or detect(path, reading)
    found = list(registry.load("importers", name).read(path, reading))
    records = [item for item in found if isinstance(item, Record)]
    return records, [item for item in found if isinstance(item, Problem)]


def write(records: Iterable[Record], exporter: str, **options: Any) -> tuple[str, ExportReport]:
    """What an exporter writes, and its report."""
    target = io.StringIO(newline="")
    loaded = registry.load("exporters", exporter)
    report = write_counted(loaded, records, target, options=ExportOptions(**options))
    return target.getvalue(), report


def placeless(records: Iterable[Record]) -> list[Record]:
    """Records without where they were read."""
    return [replace(record, where="") for record in records]


def file(folder: Path, name: str, content: str | bytes) -> Path:
    """A file with exactly that content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
