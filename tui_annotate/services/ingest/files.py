"""The records of files, one file after another; can be read again from the start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.methods.segmentation import languages
from tui_annotate.plugins.detection import detect
from tui_annotate.plugins.protocols import ImportOptions, Meter
from tui_annotate.plugins.taking import taken


@dataclass(slots=True)
class Files:
    """Files with what the user said about them; iterating reads them.

    Attributes:
        format: an importer's name; empty for the one that each file's content asks for.
        stored: gives a sample that is there already by its key; whoever stores the records sets it.
    """

    paths: Sequence[Path]
    format: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)
    stored: Callable[[SampleKey], Sample | None] | None = None
    _meter: Meter = field(default_factory=Meter, init=False)

    def __iter__(self) -> Iterator[Record | Problem]:
        """Records and problems in the order of the files.

        Raises:
            NotFound, InvalidInput, Unavailable: a file can not be opened, its form is not certain,
                or there is no such format or language; before anything of any file is given.
        """
        _refuse_unknown(self.options.language)
        named = [(path, self._importer(path)) for path in self.paths]
        self._meter = Meter(sum(map(_size, self.paths)))
        options = replace(self.options, meter=self._meter, stored=self.stored)
        for name, group in groupby(named, itemgetter(1)):
            yield from taken(name, options, *(path for path, _ in group))

    def _importer(self, path: Path) -> str:
        detected = detect(path, self.options) if not self.format else ""
        return self.format or detected

    def share(self) -> float:
        """How much of the bytes has been read, in [0, 1]."""
        return min(self._meter.done / self._meter.total, 1.0) if self._meter.total else 1.0


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(_size(each) for each in path.iterdir())
    return path.stat().st_size


def _refuse_unknown(language: str) -> None:
    if language and language not in languages():
        raise InvalidInput(
            f"no language {language!r} is known", f"there are: {', '.join(languages())}"
        )
