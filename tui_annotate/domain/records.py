"""Records: a sample with all that people said of it, the one unit of ingest, export and convert."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.people import Person
from tui_annotate.domain.samples import Sample


@dataclass(frozen=True, slots=True)
class OwnedAnnotation:
    """An annotation and the id of the person whose it is."""

    person: str
    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Record:
    """A sample with its annotations and assignments, and the people that they name.

    Attributes:
        where: `file:line` or `file, record N`: for messages only, never compared.
    """

    sample: Sample
    annotations: tuple[OwnedAnnotation, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    people: tuple[Person, ...] = ()
    where: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that could not be read, or a doubt about one that could.

    Attributes:
        where: `file:line` or `file, record N`.
        refused: whether the record was left out; a doubt is reported and the record is taken.
    """

    where: str
    message: str
    hint: str = ""
    refused: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records an export holds, and what of them; an empty value lets everything through.

    Attributes:
        dataset, sample: the sample's key, or either part of it.
        person: the id or name of a person: only samples with work of theirs, and only that work.
        origin: of annotations: `human`, `imported` (of any format), or an origin in full; for
            `adjudicated` also the samples that review settled with nothing found.
        state: only work of people whose assignment of the sample is in that state.
        label: a path joined by dots: annotations with it or with one under it.
        since: ISO 8601: annotations and assignments updated at that moment or later.
        practice: `with` also lets work through that was done for practice; else it is left out.
    """

    dataset: str = ""
    sample: str = ""
    person: str = ""
    origin: str = ""
    state: str = ""
    label: str = ""
    since: str = ""
    practice: str = ""
