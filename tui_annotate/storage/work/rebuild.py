"""A copy of a store taken back to what it was: its log cut short, its tables made of the log anew.

For copies alone: what stands in a store of people is never undone this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, text

from tui_annotate.domain.chains import Head
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import DISCARD, Event, acted, replay
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import ANNOTATIONS, ANSWERS, ASSIGNMENTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import SAMPLE_ROW
from tui_annotate.storage.work import events
from tui_annotate.storage.work.plans import (
    Stream,
    annotation_row,
    answer_row,
    assignment_row,
)

_STREAM: Final = itemgetter("person", "dataset", "sample")
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


def take_back(copy: Database, heads: Iterable[Head]) -> list[Head]:
    """Cuts each stream of a copied store to where it ended; gives those that it has no more.

    Streams of which no head is given are gone then.
    """
    with copy.writing() as connection, _cutting(connection):
        for batch in _batches(head._asdict() for head in heads):
            connection.execute(_KEEP, batch)
        return [Head(*row) for row in connection.execute(_LOST)]


def take_back_to(copy: Database, at: str) -> None:
    """Cuts each stream of a copied store before its first event that says a later time.

    Args:
        at: ISO 8601, UTC.
    """
    with copy.writing() as connection, _cutting(connection):
        connection.execute(_LATER, {"at": at})


@contextmanager
def _cutting(connection: Connection) -> Iterator[None]:
    """A table for where streams are to end; at the end of this they do."""
    connection.exec_driver_sql("DROP TRIGGER IF EXISTS events_refuse_delete")
    connection.exec_driver_sql(
        "CREATE TEMP TABLE kept_heads (person TEXT, dataset TEXT, sample TEXT, seq INTEGER,"
        " hash TEXT, PRIMARY KEY (person, dataset, sample)) WITHOUT ROWID"
    )
    yield
    connection.execute(_CUT)
    connection.exec_driver_sql("DROP TABLE kept_heads")


def tables_from_log(copy: Database) -> int:
    """Makes annotations, assignments and answers of a copied store anew, from its log alone.

    Returns:
        How many streams were replayed.

    Raises:
        Conflict: an event does not follow from those before it.
    """
    count = 0
    with copy.reading() as reading, copy.writing() as connection:
        for table in (ANNOTATIONS, ANSWERS, ASSIGNMENTS):
            connection.execute(delete(table))
        for batch in _batches(_streams(reading, connection)):
            count += len(batch)
            _write(connection, [each for each in batch if each is not None])
    return count


def _write(connection: Connection, streams: Iterable[Stream]) -> None:
    found = list(streams)
    if assignments := [assignment_row(each) for each in found]:
        connection.execute(insert(ASSIGNMENTS), assignments)
    rows = [annotation_row(each, p) for each in found for p in each.state.annotations.values()]
    if rows:
        connection.execute(insert(ANNOTATIONS), rows)
    answers = [answer_row(each, *one) for each in found for one in each.state.suggestions.items()]
    if answers:
        connection.execute(insert(ANSWERS), answers)


def _streams(reading: Connection, connection: Connection) -> Iterator[Stream | None]:
    """Each stream as its log ends; None where its sample is gone, or was taken out last."""
    for (person, dataset, sample), rows in groupby(events.rows(reading), key=_STREAM):
        told = [_event(row) for row in rows]
        state, last = replay(told), told[-1]
        scope = {"dataset": dataset, "sample": sample}
        sample_id = connection.execute(SAMPLE_ROW, scope).scalar()
        if sample_id is None or last.action.verb == DISCARD:
            yield None
            continue
        key = SampleKey(dataset, sample)
        yield Stream(person, key, sample_id, state, last.seq, last.hash, acted(told))


def _event(row: Any) -> Event:
    try:
        return events.from_row(row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Conflict(
            f"event {row['id']} can not be read", "see: tui-annotate audit verify"
        ) from error


def _batches(values: Iterable[Any]) -> Iterator[list[Any]]:
    batch = []
    for value in values:
        batch.append(value)
        if len(batch) >= _ROWS:
            yield batch
            batch = []
    if batch:
        yield batch
