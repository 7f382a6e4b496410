"""The promises that plug-ins keep, and the values that they are given; nothing of how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO, runtime_checkable

from tui_annotate.domain.records import Problem, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class Meter:
    """Bytes of the input as they lie on disk: how many there are, how many have been read."""

    total: int = 0
    done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What a user may say about a file; an empty value asks for the default rule.

    Attributes:
        dataset: default: the file's name up to its first dot.
        source_column, summary_column: where the two texts stand in formats that name their columns.
        id_column: default: the 0-based row.
        group_column: default: no group.
        language: of all documents; default: by the share of Han characters of each.
        encoding: of text files.
        meter: told of every byte that is read.
    """

    dataset: str = ""
    source_column: str = "source"
    summary_column: str = "summary"
    id_column: str = ""
    group_column: str = ""
    language: str = ""
    encoding: str = "utf-8"
    meter: Meter | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What a user may say about an export; a format ignores what does not concern it.

    Attributes:
        formula_safe: cells that a spreadsheet would take for a formula get a leading quote.
    """

    formula_safe: bool = True


@dataclass(slots=True)
class Report:
    """What an exporter wrote.

    Attributes:
        records: samples written.
        annotations: annotations written, each once, however many rows it took.
        lost: kind of thing that the format could not carry -> how many of them.
    """

    records: int = 0
    annotations: int = 0
    lost: dict[str, int] = field(default_factory=dict)

    def lose(self, kind: str, count: int = 1) -> None:
        """Counts things of one kind that are not in the output; 0 leaves no trace."""
        if count:
            self.lost[kind] = self.lost.get(kind, 0) + count


@runtime_checkable
class Importer(Protocol):
    """A format that can be read. It is made without arguments."""

    name: str

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """The records of a file in its order, in constant memory.

        What is wrong with one record, or with the file from some place on, is a Problem; the good
        records are given.

        Raises:
            NotFound, InvalidInput, Unavailable: the file can not be opened at all.
        """
        ...


@runtime_checkable
class Exporter(Protocol):
    """A format that can be written. It is made without arguments."""

    name: str

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """Writes records in their order, in constant memory: same input, same bytes."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors.

    Attributes:
        version: changes whenever the vectors of a text would.
        dimensions: of each vector.
    """

    name: str
    version: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions), rows of unit length; a row of zeros where nothing is known of a text."""
        ...
