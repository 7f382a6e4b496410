"""From one format to another without a workspace, streamed; what is lost is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.detection import detect
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
from tui_annotate.plugins.taking import taken
from tui_annotate.services.export.pseudonyms import Pseudonyms
from tui_annotate.services.export.writing import Writing

_BY_NAME = {".csv": "csv", ".xlsx": "xlsx"}


@dataclass(slots=True)
class Converted:
    """What a conversion did.

    Attributes:
        read, written: the two formats.
        refused, doubts: records that were left out, and doubts about others.
    """

    read: str
    written: str
    report: Report = field(default_factory=Report)
    refused: int = 0
    doubts: int = 0


@dataclass(slots=True)
class Conversion:
    """One file to another.

    Attributes:
        source_format, target_format: empty for what is certain by content, and by name.
        told: called with every problem of the input.
        names: what stands for people; None for their names.
    """

    source_format: str = ""
    target_format: str = ""
    reading: ImportOptions = field(default_factory=ImportOptions)
    writing: ExportOptions = field(default_factory=ExportOptions)
    told: Callable[[Problem], None] | None = None
    names: Pseudonyms | None = None

    def run(self, source: Path, target: Path | None) -> Converted:
        """Reads, and writes to a file or folder that appears whole or not at all.

        Where no record can be taken, what stands there stays.

        Args:
            target: None for standard output.

        Raises:
            NotFound, InvalidInput, Unavailable: one of the two can not be opened, is of no certain
                form, or there is no such format; or no record could be taken.
        """
        name = self.source_format or detect(source, self.reading, option="--from")
        done = Converted(name, self.target_format or form_of(target))
        registry.load("importers", name)  # before anything of the target is made
        writing = Writing(done.written, self.writing, names=self.names)
        if target is not None and target.exists() and target.samefile(source):
            raise InvalidInput(f"{target} is read and written", "name another file to write")

        def records() -> Iterator[Record]:
            for item in taken(name, self.reading, source):
                if isinstance(item, Record):
                    yield item
                else:
                    self._note(item, done)

        found = records()
        first = next(found, None)
        if first is None:
            raise InvalidInput(f"{source} holds no record that can be taken", "nothing was written")
        done.report = writing.run(chain([first], found), target)
        return done

    def _note(self, problem: Problem, done: Converted) -> None:
        done.refused += problem.refused
        done.doubts += not problem.refused
        if self.told is not None:
            self.told(problem)


def form_of(target: Path | None) -> str:
    """The exporter that a file's name asks for.

    Raises:
        InvalidInput: its name says none.
    """
    suffixes = plain_suffixes(target) if target else []
    if suffixes and suffixes[-1] in _BY_NAME:
        return _BY_NAME[suffixes[-1]]
    shown = target or "standard output"
    there = ", ".join(registry.names("exporters"))
    raise InvalidInput(
        f"the format of {shown} is not certain", f"name it with --to, one of: {there}"
    )
