"""A file's records, gathered in one pass; what can not be shown is told, and left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.detection import detect
from tui_annotate.plugins.protocols import ImportOptions, Meter
from tui_annotate.storage.corpus.gathered import Gathered

_BATCH_RECORDS: Final = 500
_BATCH_CHARACTERS: Final = 2_000_000


@dataclass(slots=True)
class Taken:
    """What became of a file's records.

    Attributes:
        taken: how many can be looked at.
        refused, doubts: records that were left out, and doubts about others.
    """

    taken: int = 0
    refused: int = 0
    doubts: int = 0


@dataclass(frozen=True, slots=True)
class Gather:
    """Reads one file.

    Attributes:
        format: an importer's name; empty for the one that its content asks for.
        problem: called with every problem.
        progress: called now and then.
    """

    format: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)
    problem: Callable[[Problem], None] = lambda _: None
    progress: Callable[[Progress], None] = lambda _: None

    def run(self, source: Path, gathered: Gathered) -> Taken:
        """Takes in all that can be looked at.

        Raises:
            NotFound, InvalidInput, Unavailable: the file can not be opened, is of no certain form,
                or there is no such format.
        """
        name = self.format or detect(source, self.options, option="--from")
        meter, done, began = Meter(_size(source)), Taken(), time.monotonic()
        importer = registry.load("importers", name)
        with registry.guarded("importers", name):
            read = importer.read(source, replace(self.options, meter=meter))
            for batch in self._batches(read, done):
                for record, error in gathered.add(batch):
                    self._note(Problem(record.where, error.message, error.hint), done)
                done.taken = gathered.total
                share = min(meter.done / meter.total, 1.0) if meter.total else None
                seconds = time.monotonic() - began
                self.progress(Progress("reading", done.taken, share=share, seconds=seconds))
        return done

    def _batches(self, items: Iterator[Record | Problem], done: Taken) -> Iterator[list[Record]]:
        batch: list[Record] = []
        size = 0
        for item in items:
            if isinstance(item, Problem):
                self._note(item, done)
            elif misfit := _misfit(item):
                self._note(Problem(item.where, misfit.message, misfit.hint), done)
            else:
                batch.append(item)
                size += sum(len(document.text) for document in item.sample.documents)
            if len(batch) >= _BATCH_RECORDS or size >= _BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
        yield batch

    def _note(self, problem: Problem, done: Taken) -> None:
        done.refused += problem.refused
        done.doubts += not problem.refused
        self.problem(problem)


def _misfit(record: Record) -> TuiAnnotateError | None:
    """Why a record can not be drawn; a stranger's importer may not have looked."""
    try:
        for owned in record.annotations:
            for side, index, span in owned.annotation.anchors:
                span.of(record.sample.document(side, index).text)
    except TuiAnnotateError as error:
        return error
    return None if record.sample.documents else InvalidInput("the sample has no documents")


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(_size(each) for each in path.iterdir())
    return path.stat().st_size
