"""Merges event streams from another workspace into this one, each completely or not at all.

An event stream has the events of one person on one sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import Connection, bindparam, select, text

from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import DISCARD, Event, Payload, StreamState
from tui_annotate.domain.label_changes import Renames, rename_payload
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Permission,
    Person,
    require_permission,
    second_reader,
)
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.domain.stream_merge import (
    Adapt,
    Fork,
    StreamCopy,
    merge_streams,
    transition_event,
)
from tui_annotate.domain.stream_validation import find_anchor_problem
from tui_annotate.storage.assignments.escalation import Disabled, no_disabled_people
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.columns import DATASETS, EVENTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.log import events
from tui_annotate.storage.log.log import EventLog, LogStore
from tui_annotate.storage.log.write_plans import EventStream
from tui_annotate.storage.people.store import add_person
from tui_annotate.storage.statements import known_digests

_AT_ONCE: Final = 20
"""Maximum number of streams in one transaction; other writers wait until the transaction ends."""

_OWN: Final = text(
    "SELECT e.person, d.name, s.external, s.digest FROM events e"
    " JOIN datasets d ON d.name = e.dataset"
    " JOIN samples s ON s.dataset_id = d.id AND s.external = e.sample"
    " WHERE e.seq = 1 AND e.person IN :people ORDER BY e.person, d.name, s.external"
).bindparams(bindparam("people", expanding=True))
_KNOWN_IDS: Final = select(EVENTS.c.id).where(EVENTS.c.id.in_(bindparam("names", expanding=True)))


@dataclass(frozen=True, slots=True)
class MergedStream:
    """The result of merging one event stream, the events of one person on one sample.

    Attributes:
        events: number of appended events.
        fork: the states that differ between both workspaces; None if there are none.
        refused: reason why nothing of the stream was merged; empty otherwise.
    """

    person: str
    key: SampleKey
    events: int = 0
    fork: Fork | None = None
    refused: str = ""


@dataclass(slots=True)
class StreamMergeReport:
    """The result of importing all event streams of a person.

    Attributes:
        streams, events: number of streams with new events, and of new events.
        known: number of streams without new events.
        forks: streams that differ between both workspaces; the newest state is used.
    """

    person: Person
    streams: int = 0
    events: int = 0
    known: int = 0
    forks: list[Fork] = field(default_factory=list)
    refused: list[MergedStream] = field(default_factory=list)

    def take(self, taken: MergedStream) -> None:
        """Add the result of one merged event stream to the report."""
        if taken.refused:
            self.refused.append(taken)
        elif taken.events:
            self.streams += 1
            self.events += taken.events
        else:
            self.known += 1
        if taken.fork:
            self.forks.append(taken.fork)


class MergeStore(LogStore):
    """Exchange of a person's event streams with another workspace.

    Args:
        sample: loads a stored sample, to validate work from elsewhere.

    Raises:
        NotAllowed: both methods, if the actor may not read or write the work.
    """

    def __init__(
        self,
        database: Database,
        sample: Callable[[SampleKey], Sample],
        *,
        actor: Actor = OPERATOR,
        disabled: Disabled = no_disabled_people,
    ) -> None:
        super().__init__(database, actor=actor, disabled=disabled)
        self._sample = sample

    def datasets(self) -> frozenset[str]:
        """Return the names of the datasets in this workspace."""
        with self._database.reading() as connection:
            return frozenset(connection.execute(select(DATASETS.c.name)).scalars())

    def copies(self, person: str) -> Iterator[StreamCopy]:
        """Yield copies of a person's event streams (events on one sample) in this workspace.

        They are sorted by person, dataset and sample.
        The streams of the person's second readings are included.
        """
        require_permission(self._actor, Permission.READ, person)
        people = {"people": [person, second_reader(Person(person, "")).id]}
        with self._database.reading() as connection:
            for who, dataset, sample, texts in connection.execute(_OWN, people).all():
                key = SampleKey(dataset, sample)
                history = tuple(events.read_stream(connection, who, key))
                if history[-1].action.verb != DISCARD:
                    yield StreamCopy(who, key, texts, history)

    def take(self, person: Person, copies: Iterable[StreamCopy]) -> Iterator[MergedStream]:
        """Merge copies of a person's event streams; yield each result once it is committed.

        The copies must be valid. A repeated merge changes nothing. A stream that does not fit the
        samples here is refused, the others are merged. The person is stored if the id is new.
        """
        require_permission(self._actor, Permission.WRITE, person.id)
        for some in split_batches(copies, _AT_ONCE):
            with self._database.writing() as connection:
                add_person(connection, person)
                log = EventLog(connection, self._actor, disabled=self._disabled)
                done = [self._merge_stream(connection, log, copy, person=person) for copy in some]
            yield from done  # once they are committed

    def merge(self, person: Person, copies: Iterable[StreamCopy]) -> StreamMergeReport:
        """Merge copies of a person's event streams; return a report on the results."""
        done = StreamMergeReport(person)
        for taken in self.take(person, copies):
            done.take(taken)
        return done

    def apply_state(
        self,
        person: str,
        key: SampleKey,
        other: Callable[[EventStream], StreamState],
        *,
        head: str,
        at: str,
        stays: bool,
    ) -> bool:
        """Apply the state of a person's work on a sample from another workspace.

        Returns whether the state was applied.

        Args:
            other: returns the other state for the local stream; annotation numbers are ignored.
            head: hash of the last event that the caller knows; nothing is done if the stream has
                another.
            at: time of the work in the other workspace.
            stays: False restores the local state afterwards, so that the log has both states.

        Raises:
            Conflict: a local annotation in another stream has the same id.
        """
        require_permission(self._actor, Permission.WRITE, person)
        with self._database.writing() as connection:
            log = EventLog(connection, self._actor, disabled=self._disabled)
            stream = log.stream(person, key)
            if stream.head != head:
                return False
            steps = [(_renumber(log, stream, other(stream)), at)]
            steps += [] if stays else [(stream.state, stream.updated)]
            for to, when in steps:
                if not stream.state.alike(to):
                    name = (person, *key)
                    event = transition_event(name, stream.state, to, head=stream.head, at=when)
                    stream = log.append(stream, event)
        return True

    def _merge_stream(
        self, connection: Connection, log: EventLog, copy: StreamCopy, *, person: Person
    ) -> MergedStream:
        texts = known_digests(connection, [copy.key]).get(copy.key)
        nothing = MergedStream(copy.person, copy.key)
        if texts is None:
            return replace(nothing, refused="this workspace does not have the sample")
        if texts != copy.texts:
            return replace(nothing, refused="the sample has other texts in this workspace")
        here = tuple(log.events(copy.person, copy.key))
        known = here[: len(copy.events)]
        if len(known) == len(copy.events) and known[-1].hash == copy.events[-1].hash:
            return nothing
        if problem := find_anchor_problem(copy, self._sample(copy.key)):
            return replace(nothing, refused=problem)
        stream = log.stream(copy.person, copy.key)
        names = {name for event in copy.events for name in event.action.after.annotations}
        for name, owner in log.owners(sorted(names)).items():
            if owner != (copy.person, stream.sample_id):
                return replace(nothing, refused=_describe_used_id("annotation", name))
        if copy.person != person.id:
            add_person(connection, second_reader(person))
        merge = merge_streams(here, copy.events, own=_adapt_payloads(log, here, copy))
        ids = {"names": [event.id for event in merge.events]}
        if (taken := connection.execute(_KNOWN_IDS, ids).scalar()) is not None:
            return replace(nothing, refused=_describe_used_id("event", taken))
        for event in merge.events:
            stream = log.append(stream, event)
        return replace(nothing, events=len(merge.events), fork=merge.fork)


def _describe_used_id(kind: str, name: str) -> str:
    return f"another sample or person in this workspace already has the {kind} id {name}"


def _renumber(log: EventLog, stream: EventStream, to: StreamState) -> StreamState:
    """Return a state from another workspace with annotation numbers that are free in this one."""
    for name, place in log.owners(sorted(to.annotations)).items():
        if place != (stream.person, stream.sample_id):
            raise Conflict(
                _describe_used_id("annotation", name),
                "check who wrote this row of the shared table",
            )
    had = {name: each["number"] for name, each in stream.state.annotations.items()}
    fresh = [name for name in to.annotations if name not in had]
    numbers = had | dict(zip(fresh, log.numbers([0] * len(fresh)), strict=True))
    payloads = {name: {**each, "number": numbers[name]} for name, each in to.annotations.items()}
    return replace(to, annotations=payloads)


def _adapt_payloads(log: EventLog, here: Sequence[Event], copy: StreamCopy) -> Adapt:
    """Return a function that adapts annotations from another workspace to this workspace.

    It gives an annotation the number that it has here, and the current names of its labels.
    """
    had, wanted = _read_numbers(here), _read_numbers(copy.events)
    fresh = [name for name in wanted if name not in had]
    given = log.numbers([wanted[name] for name in fresh])
    numbers = had | dict(zip(fresh, given, strict=True))
    became: dict[str, Renames] = {}

    def own(payload: Payload) -> Payload:
        version = payload["label_set"]
        if version not in became:
            became[version] = log.label_renames(copy.key.dataset, version) if version else {}
        found = rename_payload(payload, became[version])
        number = numbers[payload["id"]]
        return found if found["number"] == number else {**found, "number": number}

    return own


def _read_numbers(history: Sequence[Event]) -> dict[str, int]:
    return {
        name: payload["number"]
        for event in history
        for name, payload in event.action.after.annotations.items()
        if payload is not None
    }
