"""Restores a copy of a database to an earlier state by cutting its event log.

Only copies are changed in this way, never the store that annotators work with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, text, update

from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.event_streams import EventStream, build_stream
from tui_annotate.domain.hash_chain import StreamHead
from tui_annotate.domain.history import DISCARD, Event
from tui_annotate.domain.people import Person
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.columns import ANNOTATIONS, ANSWERS, ASSIGNMENTS, PEOPLE
from tui_annotate.storage.log import events
from tui_annotate.storage.log.write_plans import annotation_row, answer_row, assignment_row
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.statements import SAMPLE_ROW

_KEEP: Final = text(
    "INSERT INTO kept_heads (person, dataset, sample, seq, hash)"
    " VALUES (:person, :dataset, :sample, :seq, :hash)"
)
_LOST: Final = text(
    "SELECT h.person, h.dataset, h.sample, h.seq, h.hash FROM kept_heads h"
    " LEFT JOIN events e USING (person, dataset, sample, seq)"
    " WHERE e.hash IS NOT h.hash ORDER BY 1, 2, 3"
)
_CUT: Final = text(
    "DELETE FROM events WHERE seq > coalesce((SELECT h.seq FROM kept_heads h"
    "   WHERE h.person = events.person AND h.dataset = events.dataset"
    "   AND h.sample = events.sample), 0)"
)
_LATER: Final = text(
    "INSERT INTO kept_heads SELECT person, dataset, sample,"
    " coalesce(min(CASE WHEN at > :at THEN seq END), max(seq) + 1) - 1, ''"
    " FROM events GROUP BY person, dataset, sample"
)
_ROWS: Final = 1000


def cut_to_heads(copy: SqliteDatabase, heads: Iterable[StreamHead]) -> list[StreamHead]:
    """In a copy of a database, remove all events that came after the given events.

    Each is a person's last event on a sample; other people's work and other samples are removed
    entirely. Returns the given events that the copy lacks.
    """
    with copy.writing() as connection, _cut_streams(connection):
        for batch in split_batches((head._asdict() for head in heads), _ROWS):
            connection.execute(_KEEP, batch)
        return [StreamHead(*row) for row in connection.execute(_LOST)]


def cut_to_time(copy: SqliteDatabase, at: str) -> None:
    """In a copy of a database, remove people's events on each sample after a time (ISO 8601)."""
    with copy.writing() as connection, _cut_streams(connection):
        connection.execute(_LATER, {"at": at})


def rename_people(copy: SqliteDatabase, people: Iterable[Person]) -> None:
    """In a copy of a database, give people the names and kinds of an earlier time."""
    with copy.writing() as connection:
        for person in people:
            mine = update(PEOPLE).where(PEOPLE.c.id == person.id)
            connection.execute(mine.values(name=person.name, kind=person.kind.value))


@contextmanager
def _cut_streams(connection: Connection) -> Iterator[None]:
    connection.exec_driver_sql("DROP TRIGGER IF EXISTS events_refuse_delete")
    connection.exec_driver_sql(
        "CREATE TEMP TABLE kept_heads (person TEXT, dataset TEXT, sample TEXT, seq INTEGER,"
        " hash TEXT, PRIMARY KEY (person, dataset, sample)) WITHOUT ROWID"
    )
    yield
    connection.execute(_CUT)
    connection.exec_driver_sql("DROP TABLE kept_heads")


def rebuild_tables(copy: SqliteDatabase) -> int:
    """Rebuild annotations and assignments from the event log; raise Conflict for invalid events."""
    count = 0
    with copy.reading() as reading, copy.writing() as connection:
        for table in (ANNOTATIONS, ANSWERS, ASSIGNMENTS):
            connection.execute(delete(table))
        for batch in split_batches(_replay_streams(reading, connection), _ROWS):
            count += len(batch)
            _write_streams(connection, [each for each in batch if each is not None])
    return count


def _write_streams(connection: Connection, streams: Sequence[EventStream]) -> None:
    rows = {
        ASSIGNMENTS: [assignment_row(each) for each in streams],
        ANNOTATIONS: [
            annotation_row(each, one) for each in streams for one in each.state.annotations.values()
        ],
        ANSWERS: [
            answer_row(each, *one) for each in streams for one in each.state.suggestions.items()
        ],
    }
    for table, found in rows.items():
        if found:
            connection.execute(insert(table), found)


def _replay_streams(reading: Connection, connection: Connection) -> Iterator[EventStream | None]:
    """Yield the final state of each person's work on each sample; None if the sample is missing."""
    for person, key, rows in events.streams(reading):
        history = [_read_event(row) for row in rows]
        row = connection.execute(SAMPLE_ROW, {"dataset": key.dataset, "sample": key.id}).scalar()
        # Replay the stream even if it is dropped: an inconsistent log must always raise.
        stream = build_stream(person, key, sample_id=row or 0, history=history)
        yield None if row is None or history[-1].action.verb == DISCARD else stream


def _read_event(row: Any) -> Event:
    try:
        return events.row_to_event(row)
    except events.UNREADABLE as error:
        raise Conflict(
            f"event {row['id']} cannot be read",
            "verify the event log with: tui-annotate audit verify",
        ) from error
