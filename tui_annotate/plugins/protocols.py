"""Protocols that plug-ins implement, with their option and result classes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TextIO, runtime_checkable

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.keyword_names import check_field_names
from tui_annotate.domain.label_changes import FormerNames
from tui_annotate.domain.records import DatasetDescription, Problem, Record
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import Score
from tui_annotate.domain.suggestions import PersonAnswer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank


CODEPOINT: Final = "codepoint"
UTF16: Final = "utf16"
GRAPHEME: Final = "grapheme"


class SpanUse(StrEnum):
    """Whether the spans in a table's column are imported as annotations or as suggestions."""

    ANNOTATIONS = "annotations"
    SUGGESTIONS = "suggestions"


@dataclass(slots=True)
class ReadMeter:
    """Progress of an import: size of the input files, and bytes read so far."""

    total: int = 0
    done: int = 0


class PairColumns(NamedTuple):
    """Names of the columns with the texts, the group of related samples, and the sample id.

    `second_source`: column of a text that follows the source.
    """

    source: str
    summary: str
    group: str = ""
    second_source: str = ""
    id: str = ""

    @property
    def options(self) -> str:
        """The column names as command-line options, such as `--source-column text`."""
        named = zip(self._fields, self, strict=True)
        return shlex.join(
            word
            for side, name in named
            if name
            for word in (f"--{side.replace('_', '-')}-column", name)
        )

    def __str__(self) -> str:
        named = zip(self._fields, self, strict=True)
        return ", ".join(f"{side.replace('_', ' ')} {name!r}" for side, name in named if name)


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Columns that were chosen for a table.

    Attributes:
        table: file of the table, or sheet of a workbook, for messages.
        candidates: possible columns, the most likely first.
        reason: what decided, for messages.
        is_collection: whether the columns are those of a published collection.
        is_certain: whether the first candidate was chosen; otherwise the user must choose.
        spans: columns of spans, and of their labels, that the import does not read.
    """

    table: str
    candidates: tuple[PairColumns, ...]
    reason: str
    is_certain: bool = True
    is_collection: bool = False
    spans: tuple[str, ...] = ()

    @property
    def columns(self) -> PairColumns:
        """The columns that most likely contain the source and the summary."""
        return self.candidates[0]

    @property
    def question(self) -> str:
        """The message that the user must choose the columns of a table."""
        shown = "; ".join(map(str, self.candidates[:3]))
        if len(self.candidates) == 1:
            return f"the columns of {self.table} are uncertain; the only possible ones: {shown}"
        return f"the columns of {self.table} are ambiguous: {shown}"

    def __str__(self) -> str:
        return (
            f"columns of {self.table}: {self.columns} ({self.reason}; to change: "
            "--source-column, --summary-column)"
        )


_SPAN_COLUMNS = (
    "span_column",
    "span_label_column",
    "start_column",
    "end_column",
    "person_column",
)
COLUMN_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "labelstudio": frozenset({"source_column", "summary_column", "id_column", "group_column"}),
    "doccano": frozenset({"id_column"}),
    "rag": frozenset({"id_column"}),
    "generations": frozenset({"id_column"}),
}
"""Fields of `ImportOptions` with columns that a format reads; tables read all, others none."""


@check_field_names(only="topic")
@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """User options of an import; an empty value selects the default.

    Attributes:
        sheets_name: name before the sheet's name in the datasets of a workbook with several sheets;
            default: the name of the file.
        source_column, summary_column: columns of the two texts, in formats with free column names;
            default: chosen for each table by the names of its columns, else by its texts.
        second_source_column: column of a second text of the source side; default: none, except in
            known collections.
        id_column: column of the sample id; default: the row number is the id, from 1.
        row_prefix: text before the row number that is the sample id.
        group_column: column of the sample group; default: no group, except in known collections.
        delimiter: character between the cells of a CSV file; default: detected by the header.
        sheet: the only sheet to import from an Excel workbook; default: all sheets.
        span_column, span_label_column: columns of spans and of their labels; default: none.
        span_side: side of the text in which the spans are.
        start_column, end_column: columns of the offsets of one span in each row; default: none.
        offset_base: number of the first character in offsets of spans, 0 or 1.
        end_inclusive: whether the end of a span is its last character; None if the user states
            nothing: the quotes of the table decide, and without quotes the end is after it.
        ends_unclear, units_unclear: why the ends, or the unit of offsets, of spans without a quote
            are unknown; empty if they are known.
        person_column: column of the annotator of a row's spans; default: none.
        empty_marker: text of a cell without a span, in addition to `NULL` and the like.
        merge_rows: whether rows with the same texts are one sample; always with `person_column` or
            `start_column`.
        language: language of all documents; default: guessed from the proportion of Han characters
            in each document.
        about: description of the imported datasets; replaces what is stored, except in empty
            fields.
        topics: file with the topics that the texts answer, for formats that have such a file.
        topic: the only topics to read, by id; empty for all.
        documents: file with the documents that the texts cite.
        offsets: unit of the file's offsets, `CODEPOINT`, `UTF16` or `GRAPHEME`, if the quotes in
            the file show no other unit; default: the unit in which the offsets fit these quotes.
        textless: whether a question without any text is a record, for callers that store nothing;
            default: such a question is refused.
        everyone_read: whether each annotator of a file completed every sample of the file.
        former_names: whether a dataset without a name is named by the part of the file's name
            before the first dot, as in stores of earlier versions.
        stored: returns the stored sample with a key, for formats whose ids depend on earlier
            imports; None if no samples are stored.
        choose_columns: receives each choice of columns, and returns the columns to use; None
            uses certain choices, and refuses a table whose columns are ambiguous.
        list_source: whether lists of texts in the source column are read, each text as a document.
        label_studio: whether the table that is read is one that Label Studio exported.
        used_columns: columns that each dataset was imported with before, the last first; a table
            that has them is read with them. Each is a `PairColumns` and a digest of the header.
        chosen_columns: columns that this import chose, by dataset and table.
        first_rows: number of the first row in the ids of each stored dataset, if row numbers are
            ids: 0 if an earlier version began the dataset, else 1; None if it is not known.
        table_columns: columns of the table that is read, as in `used_columns`.
    """

    dataset: str = ""
    sheets_name: str = ""
    source_column: str = ""
    summary_column: str = ""
    second_source_column: str = ""
    id_column: str = ""
    row_prefix: str = ""
    group_column: str = ""
    delimiter: str = ""
    sheet: str = ""
    span_column: str = ""
    span_label_column: str = ""
    span_side: Side = Side.SUMMARY
    start_column: str = ""
    end_column: str = ""
    offset_base: int = 0
    end_inclusive: bool | None = None
    ends_unclear: str = ""
    units_unclear: str = ""
    person_column: str = ""
    empty_marker: str = ""
    merge_rows: bool = False
    spans_as: SpanUse = SpanUse.ANNOTATIONS
    language: str = ""
    about: DatasetDescription = field(default_factory=DatasetDescription)
    encoding: str = "utf-8"
    topics: Path | str | None = None
    topic: tuple[str, ...] = ()
    documents: Path | str | None = None
    offsets: str = ""
    textless: bool = False
    everyone_read: bool = False
    former_names: bool = False
    stored: Callable[[SampleKey], Sample | None] | None = field(default=None, compare=False)
    choose_columns: Callable[[ColumnChoice], PairColumns] | None = field(
        default=None, compare=False
    )
    used_columns: dict[str, list[tuple[str, ...]]] = field(default_factory=dict, compare=False)
    chosen_columns: dict[tuple[str, str], PairColumns] = field(default_factory=dict, compare=False)
    first_rows: dict[str, int | None] = field(default_factory=dict, compare=False)
    table_columns: tuple[str, ...] = field(default=(), compare=False)
    list_source: bool = field(default=False, compare=False)
    label_studio: bool = field(default=False, compare=False)
    meter: ReadMeter | None = field(default=None, compare=False)

    @property
    def named_columns(self) -> dict[str, str]:
        """The columns that the user names, by the field of these options."""
        fields = (*(f"{name}_column" for name in PairColumns._fields), *_SPAN_COLUMNS)
        named = {field: getattr(self, field) for field in fields}
        return {field: column for field, column in named.items() if column}

    @property
    def has_spans(self) -> bool:
        """Whether spans are read from columns of a table."""
        return bool(self.span_column or self.start_column)

    @property
    def merges_rows(self) -> bool:
        """Whether all rows of a table with the same texts are one sample."""
        return self.merge_rows or bool(self.person_column or self.start_column)


AnswerReader = Callable[[Sequence[SampleKey]], Mapping[SampleKey, Sequence[PersonAnswer]]]
"""A function that returns people's answers to suggestions on some samples."""


@check_field_names(unrated="include_unrated")
@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """User options of an export; a format ignores options that do not concern the format.

    Attributes:
        bom: whether CSV files begin with a byte order mark, which Excel needs to read UTF-8.
        formula_safe: whether cells that a spreadsheet would run as a formula get a leading quote.
        layer: the layer of work to write: `adjudicated`, `majority`, `all`, or the id or name of
            an annotator. The records that the format receives contain only this layer.
        offsets: unit of offsets, `CODEPOINT` or `UTF16`, in formats that allow both units.
        include_unrated: whether to include samples that were read but not rated.
        everyone_read: whether each annotator of a dataset completed every sample of the dataset.
        all_states: whether formats for training also get work that is not completed.
        sample: returns any stored sample by key, also if not exported; None without a store.
        opinions: returns the scores of some samples; None if no scores are stored.
        answers: returns people's answers to suggestions on some samples; None without a store.
        addresses: e-mail address under which a person's work was imported, by the person's id; only
            of people who continue the work of an imported person.
        former_names: returns the former names of a dataset's renamed labels, for formats that give
            labels a meaning by their names.
    """

    formula_safe: bool = True
    bom: bool = False
    layer: str = ""
    offsets: str = CODEPOINT
    include_unrated: bool = False
    everyone_read: bool = False
    all_states: bool = False
    sample: Callable[[SampleKey], Sample | None] | None = field(default=None, compare=False)
    opinions: Callable[[Sequence[SampleKey]], Mapping[SampleKey, tuple[Score, ...]]] | None = field(
        default=None, compare=False
    )
    answers: AnswerReader | None = field(default=None, compare=False)
    addresses: Mapping[str, str] = field(default_factory=dict, compare=False)
    former_names: Callable[[str], FormerNames] = field(default=lambda _dataset: (), compare=False)


@dataclass(slots=True)
class ExportReport:
    """Numbers of samples and annotations that an exporter wrote, and of data that it lost.

    An annotation with several rows counts once. `answers` counts answers to suggestions, for a
    format that has these in place of annotations. `lost` maps a kind of loss to their number.
    `adjudicated` counts the annotations of reviewers' adjudication that were given to the exporter,
    and `left_out` the work that a format for training does not get, by state: an annotator and a
    sample count once. The exporter does not set these numbers.
    """

    records: int = 0
    annotations: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    adjudicated: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    answers: int = 0

    def count_loss(self, kind: str, count: int = 1) -> None:
        """Add to the number of lost values of a kind; a count of 0 adds no kind."""
        if count:
            self.lost[kind] = self.lost.get(kind, 0) + count


@runtime_checkable
class Importer(Protocol):
    """Protocol of importers, which read a file format. The constructor takes no arguments.

    An importer may have an attribute `about` with its description, a `traits.FormatTraits`.
    """

    name: str

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Yield the samples and work in an input file in file order, in constant memory.

        Yield a Problem for each invalid record, and for a file that cannot be read any further. The
        valid records are still yielded.

        Raises:
            NotFound, InvalidInput, Unavailable: the file cannot be opened at all.
        """
        ...


@runtime_checkable
class JointImporter(Importer, Protocol):
    """Protocol of importers that read files together, as a sample may refer to other files."""

    def read_all(self, paths: Sequence[Path], options: ImportOptions) -> Iterator[Record | Problem]:
        """Yield the samples of several files or folders as if they were one file; see `read`."""
        ...


@runtime_checkable
class CompanionImporter(Importer, Protocol):
    """Protocol of importers that also read files that the user does not name."""

    def list_companions(self, path: Path, options: ImportOptions) -> Iterable[Path]:
        """Return the files that `read` reads in addition to the path and to files directly in it.

        Raises:
            NotFound, InvalidInput, Unavailable: as `read`.
        """
        ...


@runtime_checkable
class TableImporter(Importer, Protocol):
    """Protocol of importers that choose the columns of the tables that they read."""

    def choose_columns(self, path: Path, options: ImportOptions) -> None:
        """Choose the columns of all tables in a file or folder, as `read` does for each table.

        Raises:
            NotFound, InvalidInput, Unavailable: the file cannot be opened at all, or the columns of
                a table are ambiguous.
        """
        ...


@runtime_checkable
class Exporter(Protocol):
    """Protocol of exporters, which write a file format. The constructor takes no arguments.

    An exporter whose `about.place` is FILES or FOLDER receives a Folder as the target of `write`.
    """

    name: str

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write samples with their work in order, in constant memory; equal input, equal bytes."""
        ...


class Folder(Protocol):
    """Protocol of an output folder that appears only when all of its files are written."""

    def file(self, name: str) -> AbstractContextManager[TextIO]:
        """Open a new UTF-8 file in the output folder; a `/` in the name creates subfolders."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderOptions:
    """User options of an embedder; each embedder ignores the options that it does not need.

    Attributes:
        model: the text after the colon of the embedder's name: a model name or a folder.
        dimensions: number of dimensions of a vector, for models with a choice; 0 for the default.
        timeout: time limit of a request in seconds; None for the default of the embedder.
        max_retries: maximum number of repetitions of a request after temporary failures; None for
            the default of the embedder.
        keeps_vectors: whether the caller stores vectors at once, so that a repeated run continues.
        trust: the endpoints that may receive texts; None if the user named `base_url`.
    """

    model: str = ""
    base_url: str = ""
    dimensions: int = 0
    timeout: float | None = None
    max_retries: int | None = None
    keeps_vectors: bool = True
    trust: EndpointTrust | None = None


@runtime_checkable
class Embedder(Protocol):
    """Protocol of embedders, which convert texts to vectors. The constructor takes EmbedderOptions.

    An embedder may also have an attribute `failed`: a mapping of the texts of the last call that
    have no vector because of an error, to the error. Their vectors are computed again later.

    Attributes:
        version: changes whenever the vector of any text would change.
        dimensions: number of dimensions of a vector; 0 before the first reply of an endpoint.
        instant: whether the embedder is fast enough to embed a selection at a key press; vectors
            of other embedders are computed only at ingest.
    """

    name: str
    label: str
    version: str
    dimensions: int
    instant: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array (n, dimensions) with one vector of length 1 for each text.

        A text that the embedder cannot represent has a row of zeros.
        """
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """Estimated cost of embedding texts, without retries; `tokens` is a rough estimate."""

    calls: int = 0
    characters: int = 0
    tokens: int = 0

    def __add__(self, other: EmbeddingCost) -> EmbeddingCost:
        return EmbeddingCost(
            self.calls + other.calls,
            self.characters + other.characters,
            self.tokens + other.tokens,
        )


@runtime_checkable
class CostlyEmbedder(Protocol):
    """Protocol of embedders whose vectors cost money, or computing time on another machine."""

    def cost(self, texts: Iterable[str]) -> EmbeddingCost:
        """Estimate the cost of embedding the distinct texts, without sending any request."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """Protocol of embedders that also compute a vector for each token (word piece) of a text.

    Attributes:
        token_dimensions: number of dimensions of a token vector, at most `dimensions`.
        axes: (dimensions, token_dimensions) matrix with orthonormal columns; projects vectors of
            texts into the space of token vectors.
    """

    token_dimensions: int
    axes: NDArray[np.float32]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """Return the vectors of texts as `embed` does, and the vectors of the texts' tokens."""
        ...
