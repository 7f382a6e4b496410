"""Streams of another workspace brought to this one's, each whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from tui_annotate.domain.admitting import misplaced
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import DISCARD, Event, Payload, StreamState
from tui_annotate.domain.merging import Fork, Own, StreamCopy, merged, moved
from tui_annotate.domain.people import OPERATOR, Actor, Person, Verb, again, require
from tui_annotate.domain.relabelling import Renames, renamed_payload
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.storage.columns import DATASETS, EVENTS, SAMPLES
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import keep_person
from tui_annotate.storage.shares.escalation import Disabled, nobody
from tui_annotate.storage.work import events
from tui_annotate.storage.work.log import Log
from tui_annotate.storage.work.plans import Stream, planned

_AT_ONCE: Final = 20
"""Streams of one transaction: others wait for the lock meanwhile."""

_OWN: Final = (
    select(EVENTS.c.person, DATASETS.c.name, SAMPLES.c.external, SAMPLES.c.digest)
    .select_from(EVENTS)
    .join(DATASETS, DATASETS.c.name == EVENTS.c.dataset)
    .join(
        SAMPLES, (SAMPLES.c.dataset_id == DATASETS.c.id) & (SAMPLES.c.external == EVENTS.c.sample)
    )
    .where(EVENTS.c.seq == 1, EVENTS.c.person.in_(bindparam("people", expanding=True)))
    .order_by(EVENTS.c.person, DATASETS.c.name, SAMPLES.c.external)
)
_TAKEN: Final = select(EVENTS.c.id).where(EVENTS.c.id.in_(bindparam("names", expanding=True)))
_DIGEST: Final = (
    select(SAMPLES.c.digest)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(DATASETS.c.name == bindparam("dataset"), SAMPLES.c.external == bindparam("sample"))
)


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one stream.

    Attributes:
        events: how many were appended.
        fork: what both sides did otherwise; None where nothing was.
        refused: why it was left as it is; empty where it was not.
    """

    person: str
    key: SampleKey
    events: int = 0
    fork: Fork | None = None
    refused: str = ""


@dataclass(slots=True)
class Merged:
    """What became of work that came in.

    Attributes:
        person: whose it is.
        streams, events: what was new.
        known: streams without anything new.
        forks: what was done otherwise on both sides; the newest stands.
        refused: streams that do not fit what is here, with the reason.
    """

    person: Person
    streams: int = 0
    events: int = 0
    known: int = 0
    forks: list[Fork] = field(default_factory=list)
    refused: list[Taken] = field(default_factory=list)

    def take(self, taken: Taken) -> None:
        """Counts one stream."""
        if taken.refused:
            self.refused.append(taken)
        elif taken.events:
            self.streams += 1
            self.events += taken.events
        else:
            self.known += 1
        if taken.fork:
            self.forks.append(taken.fork)


class MergeStore:
    """The streams of a workspace, out for another one and in from it.

    Args:
        sample: gives a sample that is stored, to hold work from elsewhere against.

    Raises:
        NotAllowed: both methods, where the work is not the actor's to read or write.
    """

    def __init__(
        self,
        database: Database,
        sample: Callable[[SampleKey], Sample],
        *,
        actor: Actor = OPERATOR,
        disabled: Disabled = nobody,
    ) -> None:
        self._database = database
        self._sample = sample
        self._actor = actor
        self._disabled = disabled

    def datasets(self) -> frozenset[str]:
        """The names of the datasets that are here."""
        with self._database.reading() as connection:
            return frozenset(connection.execute(select(DATASETS.c.name)).scalars())

    def copies(self, person: str) -> Iterator[StreamCopy]:
        """What somebody did, at both readings, on samples that are here; sorted, of one moment."""
        require(self._actor, Verb.READ, person)
        people = {"people": [person, again(Person(person, "")).id]}
        with self._database.reading() as connection:
            for who, dataset, sample, texts in connection.execute(_OWN, people).all():
                key = SampleKey(dataset, sample)
                told = tuple(events.of_stream(connection, who, key))
                if told[-1].action.verb != DISCARD:
                    yield StreamCopy(who, key, texts, told)

    def take(self, person: Person, copies: Iterable[StreamCopy]) -> Iterator[Taken]:
        """Brings copies, which must be sound, to the streams that are here; told once they are in.

        Once more changes nothing. What does not fit the samples that are here is refused alone.

        Args:
            person: whose they are; stored if nobody here has the id.
        """
        require(self._actor, Verb.WRITE, person.id)
        waiting: list[StreamCopy] = []
        for copy in copies:
            waiting.append(copy)
            if len(waiting) == _AT_ONCE:
                yield from self._take(person, waiting)
                waiting = []
        if waiting:
            yield from self._take(person, waiting)

    def become(
        self,
        person: str,
        key: SampleKey,
        other: Callable[[Stream], StreamState],
        *,
        head: str,
        at: str,
        stays: bool,
    ) -> bool:
        """Makes somebody's work on a sample what it is elsewhere, where its state alone is known.

        Args:
            other: gives that state; a number that an annotation has in it counts for nothing.
            head: the last event that the caller knows of; with another one nothing is done.
            at: when it was done there.
            stays: False goes back to what stands here right after, so that the log has both.

        Returns:
            Whether it was done.

        Raises:
            Conflict: an annotation stands in another stream here.
        """
        require(self._actor, Verb.WRITE, person)
        with self._database.writing() as connection:
            log = Log(connection, self._actor, disabled=self._disabled)
            stream = log.stream(person, key)
            if stream.head != head:
                return False
            steps = [(_counted(log, stream, other(stream)), at)]
            steps += [] if stays else [(stream.state, stream.updated)]
            for to, when in steps:
                if not stream.state.alike(to):
                    name = (person, *key)
                    event = moved(name, stream.state, to, head=stream.head, at=when)
                    plan, stream = planned(stream, event)
                    log.write([plan])
        return True

    def _take(self, person: Person, copies: Sequence[StreamCopy]) -> list[Taken]:
        with self._database.writing() as connection:
            keep_person(connection, person)
            log = Log(connection, self._actor, disabled=self._disabled)
            return [self._taken(connection, log, copy, person=person) for copy in copies]

    def _taken(
        self, connection: Connection, log: Log, copy: StreamCopy, *, person: Person
    ) -> Taken:
        scope = {"dataset": copy.key.dataset, "sample": copy.key.id}
        texts = connection.execute(_DIGEST, scope).scalar()
        nothing = Taken(copy.person, copy.key)
        if texts is None:
            return replace(nothing, refused="there is no such sample here")
        if texts != copy.texts:
            return replace(nothing, refused="the sample has other texts here")
        here = tuple(log.events(copy.person, copy.key))
        if (
            len(copy.events) <= len(here)
            and here[len(copy.events) - 1].hash == copy.events[-1].hash
        ):
            return nothing
        if says := misplaced(copy, self._sample(copy.key)):
            return replace(nothing, refused=says)
        stream = log.stream(copy.person, copy.key)
        if says := _theirs(log, copy, sample_id=stream.sample_id):
            return replace(nothing, refused=says)
        if copy.person != person.id:
            keep_person(connection, again(person))
        merge = merged(here, copy.events, own=_owning(log, here, copy))
        names = {"names": [event.id for event in merge.events]}
        if (taken := connection.execute(_TAKEN, names).scalar()) is not None:
            return replace(nothing, refused=f"event {taken} stands elsewhere here")
        for event in merge.events:
            plan, stream = planned(stream, event)
            log.write([plan])
        return replace(nothing, events=len(merge.events), fork=merge.fork)


def _counted(log: Log, stream: Stream, to: StreamState) -> StreamState:
    """A state from elsewhere with the numbers that its annotations have, or get, here."""
    for name, place in log.owners(sorted(to.annotations)).items():
        if place != (stream.person, stream.sample_id):
            raise Conflict(f"annotation {name} stands elsewhere here", "who wrote that row?")
    had = {name: each["number"] for name, each in stream.state.annotations.items()}
    fresh = [name for name in to.annotations if name not in had]
    numbers = had | dict(zip(fresh, log.numbers([0] * len(fresh)), strict=True))
    payloads = {name: {**each, "number": numbers[name]} for name, each in to.annotations.items()}
    return replace(to, annotations=payloads)


def _theirs(log: Log, copy: StreamCopy, *, sample_id: int) -> str:
    """Which annotation stands in another stream already, in words; empty for none."""
    for name, place in log.owners(_named(copy.events)).items():
        if place != (copy.person, sample_id):
            return f"annotation {name} stands elsewhere here"
    return ""


def _owning(log: Log, here: Sequence[Event], copy: StreamCopy) -> Own:
    """What an annotation of a copy is here: its number, and its labels as they are called now."""
    numbers = _numbers(log, here, copy.events)
    became: dict[str, Renames] = {}

    def own(payload: Payload) -> Payload:
        version = payload["label_set"]
        if version not in became:
            became[version] = log.became(copy.key.dataset, version) if version else {}
        found = renamed_payload(payload, became[version])
        number = numbers[payload["id"]]
        return found if found["number"] == number else {**found, "number": number}

    return own


def _named(told: Sequence[Event]) -> list[str]:
    return sorted({name for event in told for name in event.action.after.annotations})


def _numbers(log: Log, here: Sequence[Event], there: Sequence[Event]) -> Mapping[str, int]:
    """The numbers that the annotations of a copy have here: those that they had, else new ones."""
    had, wanted = _had(here), _had(there)
    fresh = [name for name in wanted if name not in had]
    given = log.numbers([wanted[name] for name in fresh])
    return had | dict(zip(fresh, given, strict=True))


def _had(told: Sequence[Event]) -> dict[str, int]:
    payloads: Iterator[tuple[str, Any]] = (
        each for event in told for each in event.action.after.annotations.items()
    )
    return {name: payload["number"] for name, payload in payloads if payload is not None}
