"""The log and its caches inside one transaction: read a stream, append to it, find what to undo.

Nobody else writes the tables `events`, `annotations`, `assignments`, `tombstones` and the tallies of
what is finished, so they move together or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.history import (
    DISCARD,
    READ,
    Action,
    Change,
    Deed,
    Event,
    Payload,
    StreamState,
    chained,
    replay,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.ranks import count_finished
from tui_annotate.storage.tables import (
    ANNOTATIONS,
    ASSIGNMENTS,
    DATASETS,
    EVENTS,
    SAMPLES,
    SETTINGS,
    TOMBSTONES,
)

_NUMBER: Final = "last_number"


def utc_now() -> str:
    """This moment, ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True, slots=True)
class Stream:
    """One person's work on one sample, and where the next event goes.

    Attributes:
        sample_id: the sample's row.
        seq, head: number and hash of the last event; 0 and empty before the first.
        updated: when the last event was; empty before the first.
    """

    person: str
    key: SampleKey
    sample_id: int
    state: StreamState
    seq: int = 0
    head: str = ""
    updated: str = ""

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """As they stand: claims in reading order, then those without a claim."""
        values = map(annotation_from_json, self.state.annotations.values())
        return tuple(sorted(values, key=_reading_order))

    @property
    def assignment(self) -> Assignment:
        """How far the person is."""
        parts = self.state.assignment
        return Assignment(
            self.person,
            State(parts["state"]),
            parts["rating"],
            parts["comment"],
            self.state.seconds,
            self.updated,
        )


def _reading_order(annotation: Annotation) -> Any:
    anchors = annotation.claim or annotation.evidence
    return not annotation.claim, anchors, annotation.number, annotation.id


class Log:
    """The log as one transaction sees it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def stream(self, person: str, key: SampleKey) -> Stream:
        """A person's stream on a sample; empty where nothing was done yet.

        Raises:
            NotFound: there is no such sample.
        """
        sample_id = sample_row(self._connection, key)
        query = select(ASSIGNMENTS).where(
            ASSIGNMENTS.c.person == person, ASSIGNMENTS.c.sample_id == sample_id
        )
        row = self._connection.execute(query).mappings().first()
        if row is None:
            return self._from_events(person, key, sample_id)
        payloads = select(ANNOTATIONS.c.id, ANNOTATIONS.c.payload).where(
            ANNOTATIONS.c.sample_id == sample_id, ANNOTATIONS.c.person == person
        )
        state = StreamState(
            {name: from_json(payload) for name, payload in self._connection.execute(payloads)},
            {name: row[name] for name in ("state", "rating", "comment")},
            row["seconds"],
        )
        return Stream(person, key, sample_id, state, row["seq"], row["head"], row["updated"])

    def _from_events(self, person: str, key: SampleKey, sample_id: int) -> Stream:
        """For a sample that is new, or came back after it was taken out."""
        events = list(self.events(person, key))
        if not events:
            return Stream(person, key, sample_id, StreamState())
        last = events[-1]
        return Stream(person, key, sample_id, replay(events), last.seq, last.hash, last.at)

    def append(self, stream: Stream, event: Event) -> Stream:
        """Writes an event that has no place yet behind a stream, and what it changes.

        Raises:
            Conflict: the stream is not as the event's action found it, or an annotation's id is
                taken by another stream.
        """
        placed = chained(event, seq=stream.seq + 1, prev=stream.head)
        state = stream.state.applied(event.action, seconds=event.seconds)
        self._connection.execute(insert(EVENTS).values(_event_row(placed)))
        for name, payload in event.action.after.annotations.items():
            if payload is None:
                self._drop(name, stream.key, bury=event.action.verb != DISCARD)
            else:
                self._keep(stream, payload, new=event.action.before.annotations[name] is None)
        after = Stream(
            stream.person, stream.key, stream.sample_id, state, placed.seq, placed.hash, event.at
        )
        self._keep_assignment(stream, after)
        return after

    def _keep(self, stream: Stream, payload: Payload, *, new: bool) -> None:
        values = {
            "id": payload["id"],
            "person": stream.person,
            "sample_id": stream.sample_id,
            "number": payload["number"],
            "origin": payload["origin"],
            "note": payload["note"].encode("utf-8", "replace").decode(),
            "updated": payload["updated"],
            "payload": to_json(payload),
        }
        if new:
            self._connection.execute(insert(ANNOTATIONS).values(values))
            mine = delete(TOMBSTONES).where(TOMBSTONES.c.id == payload["id"])
            self._connection.execute(mine)
        else:
            mine = ANNOTATIONS.c.id == payload["id"]
            self._connection.execute(update(ANNOTATIONS).where(mine).values(values))

    def _drop(self, name: str, key: SampleKey, *, bury: bool) -> None:
        self._connection.execute(delete(ANNOTATIONS).where(ANNOTATIONS.c.id == name))
        if bury:
            values = {"id": name, "dataset": key.dataset}
            self._connection.execute(insert(TOMBSTONES).values(values).on_conflict_do_nothing())

    def _keep_assignment(self, before: Stream, after: Stream) -> None:
        assignment = after.assignment
        finished = assignment.state.finished
        values = {
            "state": assignment.state.value,
            "finished": finished,
            "rating": assignment.rating,
            "comment": assignment.comment,
            "seconds": assignment.seconds,
            "updated": assignment.updated,
            "annotations": len(after.state.annotations),
            "seq": after.seq,
            "head": after.head,
        }
        statement = insert(ASSIGNMENTS).values(
            person=after.person, sample_id=after.sample_id, **values
        )
        keys = ["person", "sample_id"]
        self._connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=values))
        change = int(finished) - int(before.assignment.state.finished)
        if change:
            count_finished(self._connection, after.person, after.sample_id, by=change)

    def annotated(self, person: str) -> list[SampleKey]:
        """The samples with annotations of a person, sorted."""
        query = (
            select(DATASETS.c.name, SAMPLES.c.external)
            .join(SAMPLES, SAMPLES.c.dataset_id == DATASETS.c.id)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.sample_id == SAMPLES.c.id)
            .where(ASSIGNMENTS.c.person == person, ASSIGNMENTS.c.annotations > 0)
            .order_by(DATASETS.c.name, SAMPLES.c.external)
        )
        return [SampleKey(*row) for row in self._connection.execute(query)]

    def numbers(self, count: int) -> range:
        """That many numbers for annotations which nobody has or had."""
        first = self.last_number() + 1
        self.keep_last_number(first + count - 1)
        return range(first, first + count)

    def last_number(self) -> int:
        """The highest number that was ever given to an annotation; 0 at first."""
        query = select(SETTINGS.c.value).where(SETTINGS.c.name == _NUMBER)
        return int(self._connection.execute(query).scalar() or 0)

    def keep_last_number(self, number: int) -> None:
        """Remembers that numbers up to this one are given."""
        statement = insert(SETTINGS).values(name=_NUMBER, value=str(number))
        changed = {"value": str(number)}
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=["name"], set_=changed)
        )

    def events(self, person: str, key: SampleKey) -> Iterator[Event]:
        """The events of a stream in order, also of a sample that is gone."""
        query = select(EVENTS).where(
            EVENTS.c.person == person, EVENTS.c.dataset == key.dataset, EVENTS.c.sample == key.id
        )
        return self._events(query.order_by(EVENTS.c.seq))

    def event(self, name: str) -> Event:
        """The event with an id that is known to be there."""
        return next(self._events(select(EVENTS).where(EVENTS.c.id == name)))

    def batch(self, event: Event) -> list[Event]:
        """The events that were done as one with this, newest first; without a batch: itself alone.

        Those whose sample was taken out since are left out.
        """
        if not event.action.batch:
            return [event]
        later = EVENTS.alias()
        gone = (
            select(later.c.id)
            .where(
                later.c.person == EVENTS.c.person,
                later.c.dataset == EVENTS.c.dataset,
                later.c.sample == EVENTS.c.sample,
                later.c.seq > EVENTS.c.seq,
                later.c.verb == DISCARD,
            )
            .exists()
        )
        query = select(EVENTS).where(EVENTS.c.batch == event.action.batch, ~gone)
        mates = self._events(query.order_by(EVENTS.c.arrival.desc()))
        return [mate for mate in mates if mate.person == event.person]

    def deeds(self, person: str) -> Iterator[Deed]:
        """What a person did and took back, newest first, read as far as it is iterated."""
        columns = (EVENTS.c.id, EVENTS.c.verb, EVENTS.c.undoes, EVENTS.c.dataset, EVENTS.c.sample)
        query = (
            select(*columns)
            .where(EVENTS.c.person == person, EVENTS.c.verb != READ)
            .order_by(EVENTS.c.arrival.desc())
            .execution_options(yield_per=100)
        )
        for name, verb, undoes, dataset, sample in self._connection.execute(query):
            yield Deed(name, verb, undoes, (person, dataset, sample))

    def _events(self, query: Select[Any]) -> Iterator[Event]:
        rows = self._connection.execute(query.execution_options(yield_per=100))
        return (_event(row) for row in rows.mappings())

    def buried(self, names: list[str]) -> set[str]:
        """Of some ids of annotations, those that were removed."""
        query = select(TOMBSTONES.c.id).where(TOMBSTONES.c.id.in_(names))
        return set(self._connection.execute(query).scalars())

    def owners(self, names: list[str]) -> dict[str, tuple[str, int]]:
        """Of some ids of annotations, those that stand: by id, the person and the sample's row."""
        columns = (ANNOTATIONS.c.id, ANNOTATIONS.c.person, ANNOTATIONS.c.sample_id)
        query = select(*columns).where(ANNOTATIONS.c.id.in_(names))
        return {name: (who, row) for name, who, row in self._connection.execute(query)}

    def number_taken(self, number: int) -> bool:
        """Whether an annotation stands that has the number."""
        query = select(func.count()).where(ANNOTATIONS.c.number == number)
        return bool(self._connection.execute(query).scalar())


def sample_row(connection: Connection, key: SampleKey) -> int:
    """The row of a sample.

    Raises:
        NotFound: there is no such sample.
    """
    query = (
        select(SAMPLES.c.id)
        .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
        .where(DATASETS.c.name == key.dataset, SAMPLES.c.external == key.id)
    )
    found = connection.execute(query).scalar()
    if found is None:
        raise NotFound(f"there is no sample {key}", "was its dataset removed meanwhile?")
    return int(found)


def _event_row(event: Event) -> dict[str, Any]:
    action = event.action
    return {
        "id": event.id,
        "person": event.person,
        "dataset": event.dataset,
        "sample": event.sample,
        "seq": event.seq,
        "verb": action.verb,
        "before": to_json(action.before.as_json()),
        "after": to_json(action.after.as_json()),
        "undoes": action.undoes,
        "batch": action.batch,
        "at": event.at,
        "seconds": event.seconds,
        "versions": to_json(dict(event.versions)),
        "app": event.app,
        "prev": event.prev,
        "hash": event.hash,
    }


def _event(row: Any) -> Event:
    action = Action(
        row["verb"],
        Change.from_json(from_json(row["before"])),
        Change.from_json(from_json(row["after"])),
        row["undoes"],
        row["batch"],
    )
    names = ("id", "seq", "person", "dataset", "sample", "at", "seconds", "app", "prev", "hash")
    values = {name: row[name] for name in names}
    return Event(action=action, versions=from_json(row["versions"]), **values)
