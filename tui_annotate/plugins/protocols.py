"""The promises that plug-ins keep, and the values that they are given; nothing of how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TextIO, runtime_checkable

from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.domain.scores import Score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank


CODEPOINT: Final = "codepoint"
UTF16: Final = "utf16"
"""What offsets are counted in, for formats in which it may be either."""


@dataclass(slots=True)
class ReadMeter:
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
        topics: the file of what the texts answer, for formats that have one.
        only: ids of the topics that are wanted; none for all.
        documents: a file of documents that the texts cite.
        offsets: what a file counts in, `CODEPOINT` or `UTF16`; default: what its quotes show.
        stored: gives a sample that is there already by its key, for formats whose ids depend on
            what came before; None where nothing is stored.
        meter: counts every byte that is read.
    """

    dataset: str = ""
    source_column: str = "source"
    summary_column: str = "summary"
    id_column: str = ""
    group_column: str = ""
    language: str = ""
    encoding: str = "utf-8"
    topics: Path | None = None
    only: tuple[str, ...] = ()
    documents: Path | None = None
    offsets: str = ""
    stored: Callable[[SampleKey], Sample | None] | None = field(default=None, compare=False)
    meter: ReadMeter | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What a user may say about an export; a format ignores what does not concern it.

    Attributes:
        formula_safe: cells that a spreadsheet would take for a formula get a leading quote.
        layer: whose work alone is written: `adjudicated`, `majority`, `all`, or the id or name of
            a person; the records that a format is given hold no other.
        offsets: what is counted in, `CODEPOINT` or `UTF16`, where the format lets one choose.
        unrated: also samples that were read without a rating.
        sample: returns a sample by its key, whatever is written; None for no lookup.
        opinions: returns the scores of some samples; None where none is stored.
    """

    formula_safe: bool = True
    layer: str = ""
    offsets: str = CODEPOINT
    unrated: bool = False
    sample: Callable[[SampleKey], Sample | None] | None = field(default=None, compare=False)
    opinions: Callable[[Sequence[SampleKey]], Mapping[SampleKey, tuple[Score, ...]]] | None = field(
        default=None, compare=False
    )


@dataclass(slots=True)
class ExportReport:
    """What an exporter wrote.

    Attributes:
        records: samples written.
        annotations: annotations written, each once, however many rows it took.
        lost: kind of thing that the format could not carry -> how many of them.
    """

    records: int = 0
    annotations: int = 0
    lost: dict[str, int] = field(default_factory=dict)

    def count_loss(self, kind: str, count: int = 1) -> None:
        """Counts things of one kind that are not in the output; 0 leaves no trace."""
        if count:
            self.lost[kind] = self.lost.get(kind, 0) + count


@runtime_checkable
class Importer(Protocol):
    """A format that can be read. It is made without arguments.

    Its description may be an attribute `about`, as `traits.FormatTraits`.
    """

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
class JointImporter(Importer, Protocol):
    """A format whose files mean something together: what is in one may name what is in another."""

    def read_all(self, paths: Sequence[Path], options: ImportOptions) -> Iterator[Record | Problem]:
        """The records of several files or folders as those of one; else as `read`."""
        ...


@runtime_checkable
class Exporter(Protocol):
    """A format that can be written. It is made without arguments.

    One that says of itself that its place is several files or a folder is given a Folder.
    """

    name: str

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Writes records in their order, in constant memory: same input, same bytes."""
        ...


class Folder(Protocol):
    """A folder that is being filled, and appears as a whole."""

    def file(self, name: str) -> AbstractContextManager[TextIO]:
        """A new UTF-8 file in it; parts of the name before a `/` are folders, made as needed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderOptions:
    """What a user may say about an embedder; each takes what concerns it.

    Attributes:
        model: what follows the colon of its name: a model's name or a folder.
        base_url: of an endpoint.
        dimensions: of each vector, where the maker of the model lets one choose; 0 for its own.
    """

    model: str = ""
    base_url: str = ""
    dimensions: int = 0


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. It is made with EmbedderOptions.

    Attributes:
        label: the model's name, for people.
        version: changes whenever the vectors of a text would.
        dimensions: of each vector; 0 while that is not known, before an endpoint's first answer.
        instant: whether it is so quick and light that selections may be embedded at a key press;
            the vectors of others are made at ingest alone.
    """

    name: str
    label: str
    version: str
    dimensions: int
    instant: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions), rows of unit length; a row of zeros where nothing is known of a text."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """What it takes to embed some texts.

    Attributes:
        calls: requests, at best.
        characters: code points that are sent.
        tokens: about how many that may be: a guess.
    """

    calls: int = 0
    characters: int = 0
    tokens: int = 0

    def __add__(self, other: EmbeddingCost) -> EmbeddingCost:
        """What both take."""
        characters, tokens = self.characters + other.characters, self.tokens + other.tokens
        return EmbeddingCost(self.calls + other.calls, characters, tokens)


@runtime_checkable
class CostlyEmbedder(Protocol):
    """An embedder whose vectors cost time on somebody's machine, or money."""

    def cost(self, texts: Iterable[str]) -> EmbeddingCost:
        """What it would take to embed some texts, each counted once; asks nobody."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also tells the vectors of a text's tokens, each in its context.

    Attributes:
        token_dimensions: of each token's vector, at most `dimensions`.
        axes: (dimensions, token_dimensions), orthonormal columns: how vectors of texts are brought
            to where those of tokens lie.
    """

    token_dimensions: int
    axes: NDArray[np.float32]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """What `embed` gives, and the tokens of the same texts; none of a text that is unknown."""
        ...
