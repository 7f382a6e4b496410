"""Layers: whose work is written; a format that holds one person's is told, never left to guess."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from uuid import UUID, uuid5

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import MAJORITY, SETTLED, Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.methods.adjudication import Rival, groups

ADJUDICATED = "adjudicated"
ALL = "all"
CHOICES = (
    "--layer adjudicated (what review settled), --layer NAME (one person's), --layer majority"
    " (what more than half of the readers would keep), --layer all (everybody's, side by side)"
)

_IDS = UUID("b7a1d9a2-5b7e-5d0c-8f57-0f4f6f0b6c52")
_SHOWN = 20


def wanted(layer: str, *, exporter: str) -> str:
    """The layer that was asked for.

    Raises:
        InvalidInput: none was; the hint names the choices.
    """
    if not layer:
        raise InvalidInput(f"{exporter} holds one layer of annotations: say whose", CHOICES)
    return layer


def layered(records: Iterable[Record], layer: str) -> Iterator[Record]:
    """Records with one layer of their annotations; a sample that it has not read has none.

    Raises:
        NotFound: the layer is a person's, and nobody of that name or id is in any record.
        InvalidInput: several people have the name.
    """
    if layer == ALL:
        yield from map(_everybody, records)
    elif layer == MAJORITY:
        yield from map(_majority, records)
    else:
        yield from _Named(SETTLED if layer == ADJUDICATED else layer).narrowed(records)


class _Named:
    """One person's work, by id or name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._others: dict[str, None] = {}
        self._found: set[str] = set()

    def narrowed(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            for person in record.people:
                self._meet(person)
            yield _of(record, self._found)
        if not self._found and self._name != SETTLED:
            there = ", ".join(list(self._others)[:_SHOWN])
            raise NotFound(f"nobody named {self._name!r} is there", f"known: {there or 'nobody'}")

    def _meet(self, person: Person) -> None:
        if self._name not in (person.id, person.name):
            if len(self._others) <= _SHOWN:
                self._others.setdefault(person.name)
            return
        self._found.add(person.id)
        if len(self._found) > 1:
            ids = ", ".join(sorted(self._found))
            raise InvalidInput(f"several people are named {self._name!r}", f"give an id: {ids}")


def _of(record: Record, people: set[str]) -> Record:
    return replace(
        record,
        annotations=tuple(owned for owned in record.annotations if owned.person in people),
        assignments=tuple(work for work in record.assignments if work.person in people),
        people=tuple(person for person in record.people if person.id in people),
    )


def _everybody(record: Record) -> Record:
    """What everybody said; what review made of it would be the same twice."""
    return _of(record, {person.id for person in record.people} - {SETTLED})


def _majority(record: Record) -> Record:
    """What more than half of those who read a sample would keep, as one person's work."""
    again = {person.id for person in record.people if person.kind is PersonKind.AGAIN}
    said: dict[str, list[Annotation]] = {
        work.person: [] for work in record.assignments if work.state is State.DONE
    }
    for owned in record.annotations:
        said.setdefault(owned.person, []).append(owned.annotation)
    for person in {SETTLED, *again}:
        said.pop(person, None)
    kept = [rival for group in groups(record.sample, said) for rival in group.proposal]
    return replace(
        record,
        annotations=tuple(Owned(MAJORITY, _made(rival)) for rival in kept),
        assignments=(Assignment(MAJORITY, State.DONE),) if said else (),
        people=(Person(MAJORITY, MAJORITY, PersonKind.IMPORTED),) if said else (),
    )


def _made(rival: Rival) -> Annotation:
    return Annotation(
        str(uuid5(_IDS, json.dumps(rival.sources))),
        rival.claim,
        rival.evidence,
        labels=rival.labels,
        note=rival.note,
        origin="machine:majority",
    )
