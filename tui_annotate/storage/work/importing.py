"""Work that comes with records: into the log as it is, once, never against what was done here.

Of a state, rating and comment the last import tells, until somebody works on the sample here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import Connection

from tui_annotate.domain.annotations import Annotation, annotation_to_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.history import DISCARD, IMPORT, Action, Change, Event
from tui_annotate.domain.merging import IDLE
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import Problem, Record
from tui_annotate.storage.codec import from_json, plain, to_json
from tui_annotate.storage.people.store import keep_person
from tui_annotate.storage.work.log import Log, Stream

_NAMESPACE: Final = uuid.UUID("6c1c6a0e-6a4f-5b0e-9d57-7a7f3f0c2b11")
_NOTHING: Final = {"state": State.NEW.value}
"""What says as little of a part as the empty text does."""
_NOBODYS: Final = IDLE | {IMPORT}
"""What stands in a stream in which nobody worked here."""


@dataclass(slots=True)
class ImportCounts:
    """What became of annotations, states, ratings and comments that came with records.

    Attributes:
        added: stored now.
        known: were there already.
        buried: had been removed here, and stay removed.
        changed: samples of which somebody's state, rating or comment is another now than an
            import before had it.
        doubts: where what came can not stand, as somebody worked on the sample here.
    """

    added: int = 0
    known: int = 0
    buried: int = 0
    changed: int = 0
    doubts: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class _Work:
    """What one person did on the sample of a record."""

    annotations: list[Annotation]
    assignment: Assignment | None = None


@dataclass(frozen=True, slots=True)
class Importing:
    """Imports in one transaction.

    Attributes:
        clock: gives this moment, for work that does not say when it was done.
        counts: grow with every record.
    """

    connection: Connection
    clock: Callable[[], str]
    counts: ImportCounts

    def take(self, record: Record) -> None:
        """Stores the people, annotations and assignments of a record whose sample is stored.

        Raises:
            NotFound: the sample is not stored.
        """
        log = Log(self.connection)
        given = {person.id: person for person in record.people}
        for name, work in _by_person(record).items():
            person = given.get(name, Person(name, name))
            kind = PersonKind.SETTLED if name == SETTLED else PersonKind.IMPORTED
            keep_person(self.connection, replace(person, kind=kind))
            self._take(log, log.stream(name, record.sample.key), work, where=record.where)

    def _take(self, log: Log, stream: Stream, work: _Work, *, where: str) -> None:
        fresh = self._fresh(log, stream, work.annotations)
        after = self._news(log, stream, work.assignment, where=where)
        if not fresh and not after:
            return
        assignment = work.assignment if after else None
        before = {name: stream.state.assignment[name] for name in after}
        payloads = {new.id: from_json(to_json(annotation_to_json(new))) for new in fresh}
        action = Action(IMPORT, Change(dict.fromkeys(payloads), before), Change(payloads, after))
        event = Event(
            id=str(uuid.uuid4()),
            seq=0,
            person=stream.person,
            dataset=stream.key.dataset,
            sample=stream.key.id,
            action=action,
            at=(assignment.updated if assignment else "") or self.clock(),
            # An import tells all the time that was worked, not what was added to it.
            seconds=max(assignment.seconds - stream.state.seconds, 0.0) if assignment else 0.0,
        )
        log.append(stream, event)
        self.counts.added += len(fresh)

    def _news(
        self, log: Log, stream: Stream, assignment: Assignment | None, *, where: str
    ) -> Mapping[str, str]:
        """The state, rating and comment that are to stand; what can not stand is a doubt."""
        told = _assigned(assignment)
        if not stream.seq:
            return told
        stands = stream.state.assignment
        news = {
            name: value
            for name, value in told.items()
            if value != stands[name] and value != _NOTHING.get(name)
        }
        if not news:
            return {}
        if _is_worked_on(log, stream):
            self.counts.doubts.append(_doubt(stream, news, where=where))
            return {}
        self.counts.changed += any(stands[name] not in ("", _NOTHING.get(name)) for name in news)
        return news

    def _fresh(
        self, log: Log, stream: Stream, annotations: Sequence[Annotation]
    ) -> list[Annotation]:
        """What is neither here nor was removed, each with an id and a number that are free."""
        if not annotations:
            return []
        mine = (stream.person, stream.sample_id)
        owners = log.owners([new.id for new in annotations])
        named = {
            name: replace(new, id=name)
            for new in annotations
            for name in [new.id if owners.get(new.id, mine) == mine else _other_id(stream, new.id)]
        }
        there = named.keys() & stream.state.annotations.keys()
        buried = log.buried(list(named))
        fresh = [new for name, new in named.items() if name not in there | buried]
        self.counts.known += len(there)
        self.counts.buried += len(buried)
        numbers = log.numbers([new.number for new in fresh])
        return [replace(new, number=number) for new, number in zip(fresh, numbers, strict=True)]


def _by_person(record: Record) -> dict[str, _Work]:
    work = {each.person: _Work([], each) for each in record.assignments}
    for owned in record.annotations:
        work.setdefault(owned.person, _Work([])).annotations.append(owned.annotation)
    return work


def _assigned(assignment: Assignment | None) -> Mapping[str, str]:
    if assignment is None:
        return {}
    state, rating, comment = assignment.state.value, assignment.rating, assignment.comment
    parts = {"state": state, "rating": plain(rating), "comment": plain(comment)}
    return {name: value for name, value in parts.items() if value}


def _is_worked_on(log: Log, stream: Stream) -> bool:
    """Whether there is more in a stream than imports, since its sample came last."""
    verbs = [event.action.verb for event in log.events(stream.person, stream.key)]
    last = len(verbs) - verbs[::-1].index(DISCARD) if DISCARD in verbs else 0
    return not _NOBODYS.issuperset(verbs[last:])


def _doubt(stream: Stream, news: Mapping[str, str], *, where: str) -> Problem:
    stands = stream.state.assignment
    told = "; ".join(
        f"{name} {stands[name]!r:.50} stands, the file has {value!r:.50}"
        for name, value in news.items()
    )
    message = f"{stream.person!r} worked on {stream.key} here: {told}"
    hint = "where the file is right, it is changed as any work: tui-annotate annotate"
    return Problem(where or str(stream.key), message, hint, refused=False)


def _other_id(stream: Stream, name: str) -> str:
    """An id for an annotation whose own stands in another stream: same input, same id."""
    return str(uuid.uuid5(_NAMESPACE, "\0".join((stream.person, *stream.key, name))))
