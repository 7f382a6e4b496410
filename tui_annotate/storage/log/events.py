"""The table of the event log, which is read and appended, but never changed.

The domain defines what events mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, func, select, text
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.history import ENDS, READ, Change, Event, LoggedAction, PendingEvent
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import EVENTS

_LATER = EVENTS.alias()
_ENDED_LATER = (
    select(_LATER.c.id)
    .where(
        _LATER.c.person == EVENTS.c.person,
        _LATER.c.dataset == EVENTS.c.dataset,
        _LATER.c.sample == EVENTS.c.sample,
        _LATER.c.seq > EVENTS.c.seq,
        _LATER.c.verb.in_(sorted(ENDS)),
    )
    .exists()
)
INSERT: Final = insert(EVENTS)

_EVENT: Final = select(EVENTS).execution_options(yield_per=100)
_OF_STREAM: Final = _EVENT.where(
    EVENTS.c.person == bindparam("person"),
    EVENTS.c.dataset == bindparam("dataset"),
    EVENTS.c.sample == bindparam("sample"),
).order_by(EVENTS.c.seq)
_OF_STREAMS: Final = text(
    "SELECT e.* FROM json_each(:scopes) r CROSS JOIN events e"
    " WHERE e.person = json_extract(r.value, '$[0]')"
    " AND e.dataset = json_extract(r.value, '$[1]') AND e.sample = json_extract(r.value, '$[2]')"
    " ORDER BY e.dataset, e.sample, e.arrival"
)
_ALL: Final = _EVENT.order_by(EVENTS.c.person, EVENTS.c.dataset, EVENTS.c.sample, EVENTS.c.seq)
_BY_ID: Final = _EVENT.where(EVENTS.c.id == bindparam("id"))
_BATCH: Final = _EVENT.where(
    EVENTS.c.person == bindparam("person"), EVENTS.c.batch == bindparam("batch"), ~_ENDED_LATER
).order_by(EVENTS.c.arrival)
_WHOLE_BATCH: Final = _EVENT.where(EVENTS.c.batch == bindparam("batch")).order_by(EVENTS.c.arrival)
BY: Final = "by"
"""JSON key for the user who acted on the work of a person, in events of the event log."""

REASON: Final = "reason"
"""JSON key for a user's reason for an action, in events of the event log."""

_WHO: Final = func.json_extract(EVENTS.c.versions, f"$.{BY}")
_ACTIONS: Final = (
    select(
        EVENTS.c.id,
        EVENTS.c.verb,
        EVENTS.c.undoes,
        EVENTS.c.dataset,
        EVENTS.c.sample,
        EVENTS.c.at,
    )
    .where(EVENTS.c.person == bindparam("person"), EVENTS.c.verb != READ)
    .order_by(EVENTS.c.arrival.desc())
    .execution_options(yield_per=100)
)


def event_to_row(event: Event) -> dict[str, Any]:
    """Return the table row of an event that already has its number and hash."""
    action = event.action
    return {name: getattr(event, name) for name in _PLAIN_FIELDS} | {
        "verb": action.verb,
        "before": to_json(action.before.as_json()),
        "after": to_json(action.after.as_json()),
        "undoes": action.undoes,
        "batch": action.batch,
        "versions": to_json(dict(event.versions)),
    }


_PLAIN_FIELDS: Final = (
    "id", "seq", "person", "dataset", "sample", "at", "seconds", "app", "prev", "hash",
)  # fmt: skip


def read_stream(connection: Connection, person: str, key: SampleKey) -> Iterator[Event]:
    """Yield a person's events on a sample in order; none for an unknown sample."""
    return _load_events(connection, _OF_STREAM, person=person, dataset=key.dataset, sample=key.id)


def read_arrivals(
    connection: Connection, people: Iterable[str], key: SampleKey
) -> list[tuple[int, Event]]:
    """Return all events of several people on a sample with the numbers of their arrival."""
    scopes = [{"person": each, "dataset": key.dataset, "sample": key.id} for each in people]
    found = [
        (int(row["arrival"]), row_to_event(row))
        for scope in scopes
        for row in connection.execute(_OF_STREAM, scope).mappings()
    ]
    return sorted(found, key=itemgetter(0))


def read_arrivals_by_sample(
    connection: Connection, people: Mapping[SampleKey, Collection[str]]
) -> Iterator[tuple[SampleKey, list[tuple[int, Event]]]]:
    """Yield what `read_arrivals` returns for each of many samples, with one query.

    `people`: whose events to read, by sample. Samples without events are left out.
    """
    scopes = [[person, *key] for key, wanted in people.items() for person in wanted]
    rows = connection.execute(_OF_STREAMS, {"scopes": to_json(scopes)}).mappings()
    for place, found in groupby(rows, key=itemgetter("dataset", "sample")):
        yield SampleKey(*place), [(int(row["arrival"]), row_to_event(row)) for row in found]


def read_event(connection: Connection, name: str) -> Event:
    """Return the event with an id, which must exist."""
    return next(_load_events(connection, _BY_ID, id=name))


def read_batch_of(connection: Connection, event: Event) -> Iterator[Event]:
    """Yield an action's events in order, without removed or since relabelled samples."""
    if not event.action.batch:
        return iter([event])
    scope = {"person": event.person, "batch": event.action.batch}
    return _load_events(connection, _BATCH, **scope)


def read_batch(connection: Connection, batch: str) -> Iterator[Event]:
    """Yield all events that one action wrote for any person; `batch` is the action's id."""
    return _load_events(connection, _WHOLE_BATCH, batch=batch) if batch else iter(())


def streams(connection: Connection) -> Iterator[tuple[str, SampleKey, Iterator[Any]]]:
    """Yield each person's work on each sample as (person, sample, rows of events), sorted."""
    rows = connection.execute(_ALL).mappings()
    for (person, *key), own in groupby(rows, key=itemgetter("person", "dataset", "sample")):
        yield person, SampleKey(*key), own


def read_actions(connection: Connection, person: str, *, by: str = "") -> Iterator[LoggedAction]:
    """Yield the actions and undos on a person's work, newest first; `by` limits the users."""
    ended = EVENTS.c.verb.in_(sorted(ENDS))  # these events end undo for every actor
    query = _ACTIONS.where(ended | (by == _WHO)) if by else _ACTIONS
    for name, verb, undoes, dataset, sample, at in connection.execute(query, {"person": person}):
        yield LoggedAction(name, verb, undoes, (person, dataset, sample), at)


def _load_events(connection: Connection, query: Select[Any], **scope: str) -> Iterator[Event]:
    return (row_to_event(row) for row in connection.execute(query, scope).mappings())


UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError)
"""Exceptions that `row_to_event` raises if the table row was altered outside the program."""


def row_to_event(row: Any) -> Event:
    """Return the event that is stored in a row of the event log; see `UNREADABLE` for errors."""
    action = PendingEvent(
        row["verb"],
        Change.from_json(from_json(row["before"])),
        Change.from_json(from_json(row["after"])),
        row["undoes"],
        row["batch"],
    )
    values = {name: row[name] for name in _PLAIN_FIELDS}
    return Event(action=action, versions=from_json(row["versions"]), **values)
