"""Browsing a file: what it holds is gathered once, then sought and read; nothing can be changed.

Neither a workspace nor a log comes into being, and sentences are found for the sample that is
looked at alone: 200,000 samples are there in the time that reading their file takes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Final

from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment
from tui_annotate.methods.segmentation import segment
from tui_annotate.services.browse.gathering import Gather, Taken
from tui_annotate.services.browse.tree import tree_of
from tui_annotate.storage.corpus.gathered import Gathered, Gathering

__all__ = ["Browse", "Gather", "Gathered", "Looked", "Taken"]

_KEPT: Final = 2_000_000
"""Code points of texts whose sentences are kept: the next sample often has the same source."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A sample with all that the file says of it.

    Attributes:
        segments: of each document, parallel to `sample.documents`.
        annotations: everybody's, in reading order; ids are told apart where the file does not.
        people: by id, whoever did anything on it.
        position: in the file, from 1.
    """

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]
    annotations: tuple[Owned, ...]
    assignments: tuple[Assignment, ...]
    people: Mapping[str, Person]
    position: int
    total: int


@dataclass
class Browse:
    """Looks at what was gathered. Threads may share it.

    Attributes:
        known: a label set whose colours and order are taken for the labels that it has.
    """

    gathered: Gathered
    known: LabelTree
    _lock: Lock = field(default_factory=Lock)
    _cut: OrderedDict[str, tuple[Segment, ...]] = field(default_factory=OrderedDict)

    @cached_property
    def labels(self) -> LabelTree:
        """All labels that were given, as a set without rules."""
        return tree_of(self.gathered.labels, self.known)

    @cached_property
    def people(self) -> tuple[tuple[Person, int], ...]:
        """Whoever did anything, with how many annotations they made, by name."""
        counted = self.gathered.annotations
        everybody = sorted(self.gathered.people.values(), key=lambda one: (one.name, one.id))
        return tuple((person, counted[person.id]) for person in everybody)

    def open(self, key: SampleKey) -> Looked:
        """A sample with all that is said of it; its sentences are found now.

        Raises:
            NotFound: there is no such sample.
        """
        record, position = self.gathered.record(key)
        return Looked(
            record.sample,
            tuple(self._segments(document) for document in record.sample.documents),
            _in_order(record),
            record.assignments,
            {person.id: person for person in record.people},
            position,
            self.gathered.total,
        )

    def _segments(self, document: Document) -> tuple[Segment, ...]:
        with self._lock:
            if document.sha256 in self._cut:
                self._cut.move_to_end(document.sha256)
                return self._cut[document.sha256]
        found = segment(document.text, document.language)
        with self._lock:
            self._cut[document.sha256] = found
            while sum(cut[-1].end for cut in self._cut.values() if cut) > _KEPT:
                self._cut.popitem(last=False)
        return found

    def first(self, name: str = "") -> SampleKey | None:
        """Where to begin: the sample that is named, else the first; None where there is none.

        Raises:
            NotFound: `name` names none, or more than one.
        """
        return self.find(name) if name else self.gathered.key(1)

    def neighbour(self, position: int, step: int) -> SampleKey | None:
        """The sample `step` places further on, back where negative; None behind the ends."""
        return self.gathered.key(position + step)

    def find(self, text: str) -> SampleKey:
        """The sample that is meant: an id, dataset/id, or the start of one id alone.

        Raises:
            NotFound: none, or several; the hint names some.
        """
        return self.gathered.find(text.strip())

    def page(
        self,
        search: str = "",
        *,
        person: str = "",
        marked: bool | None = None,
        offset: int = 0,
        limit: int = 200,
    ) -> tuple[Sequence[Gathering], int]:
        """Samples as `Gathered.page` gives them."""
        return self.gathered.page(search, person=person, marked=marked, offset=offset, limit=limit)


def _in_order(record: Record) -> tuple[Owned, ...]:
    """By place, then by whose they are; each under an id of its own."""
    known: set[str] = set()
    return tuple(_named(owned, known) for owned in sorted(record.annotations, key=_place))


def _named(owned: Owned, known: set[str]) -> Owned:
    annotation, name, number = owned.annotation, owned.annotation.id, 1
    while name in known:
        number += 1
        name = f"{annotation.id} ({number})"
    known.add(name)
    return owned if name == annotation.id else Owned(owned.person, replace(annotation, id=name))


def _place(owned: Owned) -> tuple[bool, list[tuple[int, int, int]], str]:
    annotation = owned.annotation
    anchors = annotation.claim or annotation.evidence
    places = [(index, span.start, span.end) for _, index, span in anchors]
    return not annotation.claim, places, owned.person
