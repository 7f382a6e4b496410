"""Records: a sample with its annotations and assignments, the unit of import and export."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person
from tui_annotate.domain.samples import Sample


@dataclass(frozen=True, slots=True)
class OwnedAnnotation:
    """An annotation with the id of its owner."""

    person: str
    annotation: Annotation


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """The license, origin (such as a URL) and citation of a dataset; empty texts are unknown.

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
    """A record: a sample with its annotations, its assignments, and the people who own these.

    Attributes:
        where: `file:line` or `file, record N`; for messages only, never compared.
        about: the description of the sample's dataset.
    """

    sample: Sample
    annotations: tuple[OwnedAnnotation, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    people: tuple[Person, ...] = ()
    where: str = ""
    about: DatasetDescription = _UNDESCRIBED


@dataclass(frozen=True, slots=True)
class Problem:
    """An error or a warning about one record of an imported file.

    Attributes:
        where: `file:line` or `file, record N`.
        refused: whether the record was skipped; with a warning only, the record is imported.
        code: machine-readable cause, like the code of an error; mostly empty.
    """

    where: str
    message: str
    hint: str = ""
    refused: bool = True
    code: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """A filter of exported records and their annotations; an empty value filters nothing.

    Attributes:
        dataset, sample: the sample's key, or one part of it.
        person: id or name of a person: only this person's work, and samples with such work.
        origin: origin of annotations: `human`, `imported` (any format), or a full origin;
            `adjudicated` also selects samples adjudicated without annotations.
        state: only work of people whose assignment of the sample has this state.
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
