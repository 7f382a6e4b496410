"""The log and its caches inside one transaction: read a stream, append to it, find what to undo.

Nobody else writes the tables `events`, `annotations`, `assignments`, `tombstones` and the tallies
of what is finished, so they move together or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.history import (
    DISCARD,
    Deed,
    Event,
    Payload,
    StreamState,
    chained,
    replay,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage import events
from tui_annotate.storage.codec import from_json, plain, to_json
from tui_annotate.storage.columns import (
    ANNOTATIONS,
    ASSIGNMENTS,
    DATASETS,
    SAMPLES,
    SETTINGS,
    TOMBSTONES,
)
from tui_annotate.storage.ranks import count_finished
from tui_annotate.storage.statements import SAMPLE_KEY, SAMPLE_ROW, add_missing, upsert

_NUMBER: Final = "last_number"

_MINE = (ASSIGNMENTS.c.person == bindparam("person"),)
_ASSIGNMENT: Final = select(ASSIGNMENTS).where(
    *_MINE, ASSIGNMENTS.c.sample_id == bindparam("sample_id")
)
_PAYLOADS: Final = select(ANNOTATIONS.c.id, ANNOTATIONS.c.payload).where(
    ANNOTATIONS.c.sample_id == bindparam("sample_id"),
    ANNOTATIONS.c.person == bindparam("person"),
)
_ANNOTATED: Final = (
    SAMPLE_KEY.join(ASSIGNMENTS, ASSIGNMENTS.c.sample_id == SAMPLES.c.id)
    .where(*_MINE, ASSIGNMENTS.c.annotations > 0)
    .order_by(DATASETS.c.name, SAMPLES.c.external)
)
_ADD: Final = insert(ANNOTATIONS)
_CHANGE: Final = update(ANNOTATIONS).where(ANNOTATIONS.c.id == bindparam("name"))
_DROP: Final = delete(ANNOTATIONS).where(ANNOTATIONS.c.id == bindparam("name"))
_BURY: Final = add_missing(TOMBSTONES)
_UNEARTH: Final = delete(TOMBSTONES).where(TOMBSTONES.c.id == bindparam("name"))
_BURIED: Final = select(TOMBSTONES.c.id).where(
    TOMBSTONES.c.id.in_(bindparam("names", expanding=True))
)
_ASSIGN: Final = upsert(ASSIGNMENTS, "person", "sample_id")
_SETTING: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == _NUMBER)
_SET: Final = upsert(SETTINGS, "name")
_OWNERS: Final = select(ANNOTATIONS.c.id, ANNOTATIONS.c.person, ANNOTATIONS.c.sample_id).where(
    ANNOTATIONS.c.id.in_(bindparam("names", expanding=True))
)
_TAKEN: Final = select(ANNOTATIONS.c.number).where(
    ANNOTATIONS.c.number.in_(bindparam("numbers", expanding=True))
)


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

    # reading -----------------------------------------------------------------------------------

    def stream(self, person: str, key: SampleKey) -> Stream:
        """A person's stream on a sample; empty where nothing was done yet.

        Raises:
            NotFound: there is no such sample.
        """
        sample_id = sample_row(self._connection, key)
        scope = {"person": person, "sample_id": sample_id}
        row = self._connection.execute(_ASSIGNMENT, scope).mappings().first()
        if row is None:
            return self._from_events(person, key, sample_id)
        payloads = self._connection.execute(_PAYLOADS, scope)
        state = StreamState(
            {name: from_json(payload) for name, payload in payloads},
            {name: row[name] for name in ("state", "rating", "comment")},
            row["seconds"],
        )
        return Stream(person, key, sample_id, state, row["seq"], row["head"], row["updated"])

    def _from_events(self, person: str, key: SampleKey, sample_id: int) -> Stream:
        """For a sample that is new, or came back after it was taken out."""
        told = list(self.events(person, key))
        if not told:
            return Stream(person, key, sample_id, StreamState())
        last = told[-1]
        return Stream(person, key, sample_id, replay(told), last.seq, last.hash, last.at)

    def annotated(self, person: str) -> list[SampleKey]:
        """The samples with annotations of a person, sorted."""
        rows = self._connection.execute(_ANNOTATED, {"person": person})
        return [SampleKey(*row) for row in rows]

    def events(self, person: str, key: SampleKey) -> Iterator[Event]:
        """The events of a stream in order, also of a sample that is gone."""
        return events.of_stream(self._connection, person, key)

    def event(self, name: str) -> Event:
        """The event with an id that is known to be there."""
        return events.by_id(self._connection, name)

    def batch(self, event: Event) -> list[Event]:
        """The events that were done as one with this, newest first, but for samples now gone."""
        return events.batch_of(self._connection, event)

    def deeds(self, person: str) -> Iterator[Deed]:
        """What a person did and took back, newest first, read as far as it is iterated."""
        return events.deeds(self._connection, person)

    def buried(self, names: Sequence[str]) -> set[str]:
        """Of some ids of annotations, those that were removed."""
        return set(self._connection.execute(_BURIED, {"names": list(names)}).scalars())

    def owners(self, names: Sequence[str]) -> dict[str, tuple[str, int]]:
        """Of some ids of annotations, those that stand: by id, the person and the sample's row."""
        rows = self._connection.execute(_OWNERS, {"names": list(names)})
        return {name: (who, row) for name, who, row in rows}

    # writing -----------------------------------------------------------------------------------

    def append(self, stream: Stream, event: Event) -> Stream:
        """Writes an event that has no place yet behind a stream, and what it changes.

        Raises:
            Conflict: the stream is not as the event's action found it, or an annotation's id is
                taken by another stream.
        """
        placed = chained(event, seq=stream.seq + 1, prev=stream.head)
        state = stream.state.applied(event.action, seconds=event.seconds)
        events.write(self._connection, placed)
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
            "note": plain(payload["note"]),
            "updated": payload["updated"],
            "payload": to_json(payload),
        }
        name = {"name": payload["id"]}
        if new:
            self._connection.execute(_ADD, values)
            self._connection.execute(_UNEARTH, name)
        else:
            self._connection.execute(_CHANGE, values | name)

    def _drop(self, name: str, key: SampleKey, *, bury: bool) -> None:
        self._connection.execute(_DROP, {"name": name})
        if bury:
            self._connection.execute(_BURY, {"id": name, "dataset": key.dataset})

    def _keep_assignment(self, before: Stream, after: Stream) -> None:
        assignment = after.assignment
        finished = assignment.state.finished
        values = {
            "person": after.person,
            "sample_id": after.sample_id,
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
        self._connection.execute(_ASSIGN, values)
        change = int(finished) - int(before.assignment.state.finished)
        if change:
            count_finished(self._connection, after.person, after.sample_id, by=change)

    def numbers(self, wanted: Sequence[int]) -> list[int]:
        """Numbers for new annotations: the wanted ones where they are free, else new ones.

        Args:
            wanted: one each; 0 for one without a wish.
        """
        last = highest = int(self._connection.execute(_SETTING).scalar() or 0)
        asked = {"numbers": [number for number in wanted if number > 0]}
        taken = (
            set(self._connection.execute(_TAKEN, asked).scalars()) if asked["numbers"] else set()
        )
        given = []
        for number in wanted:
            if number <= 0 or number in taken:
                number = highest + 1  # noqa: PLW2901  that is the point
            taken.add(number)
            highest = max(highest, number)
            given.append(number)
        if highest > last:
            self._connection.execute(_SET, {"name": _NUMBER, "value": str(highest)})
        return given


def sample_row(connection: Connection, key: SampleKey) -> int:
    """The row of a sample.

    Raises:
        NotFound: there is no such sample.
    """
    found = connection.execute(SAMPLE_ROW, {"dataset": key.dataset, "sample": key.id}).scalar()
    if found is None:
        raise NotFound(f"there is no sample {key}", "was its dataset removed meanwhile?")
    return int(found)
