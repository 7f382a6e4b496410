"""What people did: the log and all that follows from it, each change in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sqlalchemy import func, select

from tui_annotate.domain.history import Event, StreamState
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import ANNOTATIONS, EVENTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.importing import ImportCounts, Importing
from tui_annotate.storage.log import Log, Stream, utc_now

_BATCH: Final = 100
"""Annotations and assignments of one transaction of an import: about 40 ms with the lock held."""


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
        """Every stream of the log as (person, sample), sorted; also those of samples now gone."""
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
        for batch in _batches(records):
            with self._database.writing() as connection:
                importing = Importing(connection, self._clock, counts)
                for record in batch:
                    importing.take(record)
        return counts


def _batches(records: Sequence[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.annotations) + len(record.assignments)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
