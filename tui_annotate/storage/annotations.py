"""What people did: the log appended and its state kept in one transaction, and work read from files."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import func, select

from tui_annotate.domain.annotations import Annotation, annotation_to_json
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.history import IMPORT, Action, Change, Event, StreamState
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.database import Database
from tui_annotate.storage.log import Log, Stream, utc_now
from tui_annotate.storage.people import keep_person
from tui_annotate.storage.tables import ANNOTATIONS, EVENTS

_NAMESPACE: Final = uuid.UUID("6c1c6a0e-6a4f-5b0e-9d57-7a7f3f0c2b11")
_BATCH: Final = 50
"""Records of one transaction of an import: about 50 ms with the lock held."""


@dataclass(slots=True)
class ImportCounts:
    """What became of annotations that came with records.

    Attributes:
        added: stored now.
        known: were there already.
        buried: had been removed here, and stay removed.
    """

    added: int = 0
    known: int = 0
    buried: int = 0


class AnnotationStore:
    """The log of all people, and the annotations and assignments that follow from it."""

    def __init__(self, database: Database, *, clock: Callable[[], str] = utc_now) -> None:
        self._database = database
        self._clock = clock

    @contextmanager
    def writing(self) -> Iterator[Log]:
        """The log in a transaction that holds the write lock; kept only if nothing is raised."""
        with self._database.writing() as connection:
            yield Log(connection)

    @contextmanager
    def reading(self) -> Iterator[Log]:
        """The log in a transaction that only reads."""
        with self._database.reading() as connection:
            yield Log(connection)

    def stream(self, person: str, key: SampleKey) -> Stream:
        """One person's work on one sample.

        Raises:
            NotFound: there is no such sample.
        """
        with self.reading() as log:
            return log.stream(person, key)

    def state(self, person: str, key: SampleKey) -> StreamState:
        """As `stream`, the state alone."""
        return self.stream(person, key).state

    def events(self, person: str, key: SampleKey) -> tuple[Event, ...]:
        """The events of one stream, in order."""
        with self.reading() as log:
            return tuple(log.events(person, key))

    def streams(self) -> Iterator[tuple[str, SampleKey]]:
        """Every stream that the log knows, as (person, sample), sorted; also of samples now gone."""
        columns = (EVENTS.c.person, EVENTS.c.dataset, EVENTS.c.sample)
        query = select(*columns).where(EVENTS.c.seq == 1).order_by(*columns)
        with self._database.reading() as connection:
            for person, dataset, sample in connection.execute(query):
                yield person, SampleKey(dataset, sample)

    def past_notes(self, person: str, *, limit: int = 200) -> tuple[str, ...]:
        """A person's own notes, once each: the most frequent first, then the most recent."""
        query = (
            select(ANNOTATIONS.c.note)
            .where(ANNOTATIONS.c.person == person, ANNOTATIONS.c.note != "")
            .group_by(ANNOTATIONS.c.note)
            .order_by(func.count().desc(), func.max(ANNOTATIONS.c.updated).desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            return tuple(connection.execute(query).scalars())

    def import_record(self, record: Record) -> ImportCounts:
        """`import_records` for one."""
        return self.import_records([record])

    def import_records(self, records: Sequence[Record]) -> ImportCounts:
        """Stores people, annotations and assignments of records whose samples are stored.

        Once more adds nothing; what was removed here stays removed; the assignment of a person who
        did anything on the sample already is left alone. Short transactions, each all or nothing.

        Raises:
            NotFound: a sample is not stored.
        """
        counts = ImportCounts()
        for start in range(0, len(records), _BATCH):
            with self._database.writing() as connection:
                log = Log(connection)
                for record in records[start : start + _BATCH]:
                    given = {person.id: person for person in record.people}
                    for name, (annotations, assignment) in _by_person(record).items():
                        person = given.get(name, Person(name, name))
                        keep_person(connection, replace(person, kind=PersonKind.IMPORTED))
                        stream = log.stream(name, record.sample.key)
                        self._import(log, stream, annotations, assignment, counts)
        return counts

    def _import(
        self,
        log: Log,
        stream: Stream,
        annotations: Sequence[Annotation],
        assignment: Assignment | None,
        counts: ImportCounts,
    ) -> None:
        fresh = _fresh(log, stream, annotations, counts)
        before, after = {}, {}
        if assignment is not None and not stream.seq:
            wanted = {
                "state": assignment.state.value,
                "rating": assignment.rating,
                "comment": assignment.comment,
            }
            after = {name: _plain(value) for name, value in wanted.items() if value}
            before = {name: stream.state.assignment[name] for name in after}
        if not fresh and not after:
            return
        payloads = {new.id: from_json(to_json(annotation_to_json(new))) for new in fresh}
        action = Action(IMPORT, Change(dict.fromkeys(payloads), before), Change(payloads, after))
        event = Event(
            id=str(uuid.uuid4()),
            seq=0,
            person=stream.person,
            dataset=stream.key.dataset,
            sample=stream.key.id,
            action=action,
            at=(assignment.updated if assignment and after else "") or self._clock(),
            seconds=assignment.seconds if assignment and after else 0.0,
        )
        log.append(stream, event)
        counts.added += len(fresh)


def _plain(value: str) -> str:
    """A text that a column can hold: lone surrogates, which a file may bring, become "?"."""
    return value.encode("utf-8", "replace").decode()


def _by_person(record: Record) -> dict[str, tuple[list[Annotation], Assignment | None]]:
    work: dict[str, tuple[list[Annotation], Assignment | None]] = {
        assignment.person: ([], assignment) for assignment in record.assignments
    }
    for owned in record.annotations:
        work.setdefault(owned.person, ([], None))[0].append(owned.annotation)
    return work


def _fresh(
    log: Log, stream: Stream, annotations: Sequence[Annotation], counts: ImportCounts
) -> list[Annotation]:
    """What is neither here nor was removed, each with an id and a number that are free."""
    mine = (stream.person, stream.sample_id)
    elsewhere = {
        name for name, owner in log.owners([new.id for new in annotations]).items() if owner != mine
    }
    renamed = {
        new.id: replace(new, id=_other_id(stream, new.id)) if new.id in elsewhere else new
        for new in annotations
    }
    there = {new.id for new in renamed.values()} & stream.state.annotations.keys()
    buried = log.buried([new.id for new in renamed.values()])
    fresh = [new for new in renamed.values() if new.id not in there | buried]
    counts.known += len(there)
    counts.buried += len(buried)
    return _numbered(log, fresh)


def _other_id(stream: Stream, name: str) -> str:
    """An id for an annotation whose own stands in another stream: same input, same id."""
    return str(uuid.uuid5(_NAMESPACE, "\0".join((stream.person, *stream.key, name))))


def _numbered(log: Log, annotations: Sequence[Annotation]) -> list[Annotation]:
    """With their own numbers where these are free, else with new ones."""
    last = log.last_number()
    given: set[int] = set()
    numbered = []
    for annotation in annotations:
        number = annotation.number
        if number <= 0 or number in given or log.number_taken(number):
            number = max(last, *given, 0) + 1
        given.add(number)
        numbered.append(replace(annotation, number=number))
    if given and max(given) > last:
        log.keep_last_number(max(given))
    return numbered
