"""One export, reading or ingest in a process of its own: how many a second, how much memory.

Seconds are processor time, of the process and those that it began, so that a busy machine counts
little. The child prints what it counted, the seconds, and the most memory that it had (Linux).
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_annotate.services.ingest import IngestFiles

LAYER = "all"
"""Whose work goes into formats that hold one person's."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a child did.

    Attributes:
        count: annotations written, or samples read.
        seconds: of processor time, without the start of the process.
        megabytes: the most memory that it had.
    """

    count: int
    seconds: float
    megabytes: float

    @property
    def rate(self) -> float:
        """How many a second."""
        return self.count / self.seconds


def measured(what: str, *arguments: object) -> Measured:
    """Runs one of the functions below in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.measured", what, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    count, seconds, megabytes = done.stdout.split()
    return Measured(int(count), float(seconds), float(megabytes))


def _export(store: str, exporter: str, *places: str) -> int:
    from tui_annotate.domain.records import RecordFilter
    from tui_annotate.plugins import registry
    from tui_annotate.plugins.protocols import ExportOptions
    from tui_annotate.plugins.traits import get_traits
    from tui_annotate.services.export import ExportService
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore
    from tui_annotate.storage.people.store import PeopleStore
    from tui_annotate.storage.sqlite_database import SqliteDatabase

    dataset, target = places
    database = SqliteDatabase.open(Path(store))
    export = ExportService(CorpusStore(database), PeopleStore(database), AnnotationStore(database))
    about = get_traits(registry.load("exporters", exporter))
    options = ExportOptions(layer=LAYER if about and about.layered else "")
    filters = RecordFilter(dataset=dataset)
    report = export.run(exporter, Path(target), filters=filters, options=options)
    return report.annotations or report.records  # a table of verdicts has no annotations


def _read(importer: str, source: str) -> int:
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins import registry
    from tui_annotate.plugins.protocols import ImportOptions

    count = 0
    for item in registry.load("importers", importer).read(Path(source), ImportOptions()):
        if isinstance(item, Problem) and item.refused:
            raise ValueError(str(item))
        count += not isinstance(item, Problem)
    return count


def _ingest(importer: str, source: str, store: str) -> int:
    from tui_annotate.services.ingest import IngestFiles

    return _taken(IngestFiles([Path(source)], format=importer), store)


def _taken(files: IngestFiles, store: str) -> int:
    from tui_annotate.services.ingest import IngestService
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore
    from tui_annotate.storage.sqlite_database import SqliteDatabase
    from tui_annotate.storage.vectors.store import VectorStore

    database = SqliteDatabase.create(Path(store))
    ingest = IngestService(
        CorpusStore(database),
        AnnotationStore(database),
        lambda: VectorStore(Path(store).with_suffix(".vectors")),
    )
    return ingest.run(files, embedder="none").added


def _collection(source: str, store: str = "") -> int:
    """The samples of a made collection, read; stored as well where a store is named."""
    from benchmarks.collected import reading
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins import registry
    from tui_annotate.services.ingest import IngestFiles

    runs, options = reading(Path(source))
    if store:
        return _taken(IngestFiles([runs], format="autojudge", options=options), store)
    items = registry.load("importers", "autojudge").read(runs, options)
    return sum(not isinstance(item, Problem) for item in items)


_DEEDS: dict[str, Callable[..., int]] = {
    "export": _export,
    "read": _read,
    "ingest": _ingest,
    "collection": _collection,
}


def main(what: str, *arguments: str) -> None:
    """Does one thing and prints the three figures."""
    gc.freeze()  # as the command does
    began = _processor_time()
    count = _DEEDS[what](*arguments)
    seconds = _processor_time() - began
    # What the parent had counts into ru_maxrss, but not into this.
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text("ascii"))
    assert found
    print(count, seconds, int(found[1]) / 1024)


def _processor_time() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main(*sys.argv[1:])
