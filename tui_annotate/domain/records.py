"""A sample with its annotations and assignments, the unit of import and export."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Self, TypedDict, Unpack

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.comments import PersonComment
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person
from tui_annotate.domain.samples import Sample, SampleKey


@dataclass(frozen=True, slots=True)
class OwnedAnnotation:
    """An annotation with its annotator's id.

    `score`: probability that a machine gives to the annotation; only suggestions keep it.
    `sample`: key of the annotated sample, if the annotation comes without its record.
    """

    person: str
    annotation: Annotation
    score: float | None = field(default=None, compare=False)
    sample: SampleKey | None = field(default=None, compare=False)


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """The license, origin (such as a URL) and citation of a dataset; each is empty if unknown.

    Raises:
        InvalidInput: a text contains NUL or an unpaired surrogate.
    """

    license: str = ""
    origin: str = ""
    citation: str = ""

    def __post_init__(self) -> None:
        """Refuse characters that the store cannot hold."""
        for name in self.__slots__:
            if _UNSTORABLE.search(text := getattr(self, name)):
                message = f"the {name} {text!r} contains NUL or an unpaired surrogate"
                raise InvalidInput(message, "remove this character")

    def __bool__(self) -> bool:
        return self != _UNDESCRIBED

    def completed(self, other: DatasetDescription) -> DatasetDescription:
        """Return this description, with unknown fields taken from another one."""
        values = {name: getattr(self, name) or getattr(other, name) for name in self.__slots__}
        return DatasetDescription(**values)


_UNDESCRIBED = DatasetDescription()


@dataclass(frozen=True, slots=True)
class Record:
    """A sample with its annotations, assignments and people, as it is imported or exported.

    Attributes:
        about: the description of the sample's dataset.
        columns: the columns of the table that contains the sample, as a workspace keeps them.
        first_row: number of the table's first row, if the sample's id is a row number.
        questions: questions of annotators about the sample with the replies, in order of time.
    """

    sample: Sample
    annotations: tuple[OwnedAnnotation, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    people: tuple[Person, ...] = ()
    where: str = ""
    about: DatasetDescription = _UNDESCRIBED
    columns: tuple[str, ...] = field(default=(), compare=False)
    questions: tuple[PersonComment, ...] = ()
    first_row: int | None = field(default=None, compare=False)


SPAN_REFUSED = "span-refused"
FIELD_REFUSED = "field-refused"
"""Code of a problem of a part of a record: an annotation, or the span of one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error or a warning about one record of an imported file.

    Attributes:
        refused: whether the record was skipped; with a warning only, the record is imported.
        whole_file: whether a whole file was skipped, which counts as no record.
        code: begins with `span-` if the record was imported without one of its annotations;
            `FIELD_REFUSED` if without the value of another field, such as a rating.
    """

    where: str
    message: str
    hint: str = ""
    refused: bool = True
    code: str = ""
    whole_file: bool = False

    def __post_init__(self) -> None:
        """Shorten values that the message quotes to 200 characters."""
        short = _LONG_QUOTE.sub(r"\1\2...\1", self.message)
        object.__setattr__(self, "message", short)  # the class allows no assignment

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"

    @property
    def refuses_part(self) -> bool:
        """Whether the record was imported without an annotation, or without a field's value."""
        return not self.refused and is_part(self.code)

    @property
    def kind(self) -> str:
        """The message without the values that differ between problems of one kind."""
        return _SEVERAL.sub("...", _VALUE.sub(lambda found: found[1] or "...", self.message))


def is_part(code: str) -> bool:
    """Return whether a code of a problem or error is that of a refused part of a record."""
    return code == FIELD_REFUSED or code.startswith("span-")


_QUOTE = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUE = re.compile(rf"(\b(?:column|field) (?:{_QUOTE}))|{_QUOTE}|\d[\d,.]*")
_SEVERAL = re.compile(r"\.\.\.(?:, \.\.\.)+")
_LONG_QUOTE = re.compile(r"""(?s)(['"])((?:(?!\1)[^\\]|\\.){200})(?:(?!\1)[^\\]|\\.)+\1""")
_MOST_KINDS = 100


def count_kind(kinds: dict[str, int], problem: Problem) -> None:
    """Add a problem to the totals by kind; after 100 kinds, further kinds are counted together."""
    kind = problem.kind if problem.kind in kinds or len(kinds) < _MOST_KINDS else "other problems"
    kinds[kind] = kinds.get(kind, 0) + 1


class RecordFilters(TypedDict, total=False):
    """Keyword arguments that filter records; see `RecordFilter`."""

    dataset: str
    sample: str
    person: str
    origin: str
    state: str
    label: str
    since: str
    practice: str
    gold: str


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """A filter of exported records and their annotations; an empty value filters nothing.

    Attributes:
        dataset, sample: the sample's key, or one part of it.
        origin: origin of annotations: `human`, `imported` (any format), or a full origin;
            `adjudicated` also selects samples adjudicated without annotations.
        state: state of the work; `all` is for formats for training, which write completed work if
            the state is empty.
        label: label path joined by dots: annotations with the label or a descendant of it.
        since: ISO 8601: only annotations and assignments updated at this time or later.
        practice: `with` includes practice work; otherwise practice work is excluded.
        gold: `with` includes gold checks; otherwise gold checks are excluded, except for a reader
            who sees only their own work.
    """

    dataset: str = ""
    sample: str = ""
    person: str = ""
    origin: str = ""
    state: str = ""
    label: str = ""
    since: str = ""
    practice: str = ""
    gold: str = ""

    @classmethod
    def of(cls, **filters: Unpack[RecordFilters]) -> Self:
        """Return a filter of records with the given conditions, such as `dataset="news"`.

        Raises:
            InvalidInput: no field has the name of a keyword, or a value is not text.
        """
        known = list(RecordFilters.__annotations__)
        for name, value in filters.items():
            if name not in known:
                hint = f"{suggest_word(name, known)}filters: {', '.join(known)}"
                raise InvalidInput(f"unknown filter {name!r}", hint)
            if not isinstance(value, str | None):
                parts = value if isinstance(value, list | tuple) else ()
                path = ".".join(map(str, parts)) if name == "label" else ""
                hint = f"pass the path with dots: {path!r}" if path else "pass text"
                raise InvalidInput(f"the filter {name} is {value!r}, which is not text", hint)
        return cls(**filters)
