"""Merges two stored people who are the same human, and undoes the merge.

The events of both people stay. On each sample, an event ends the merged person's stream, and an
event of the type `import` adds the work, with the same ids, to the owner's stream.
"""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, bindparam, delete, exists, func, select, update

from tui_annotate.domain.annotations import has_same_content
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import (
    DISCARD,
    IMPORT,
    READ,
    Change,
    Event,
    PendingEvent,
    StreamState,
    discard_action,
    new_event,
)
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import (
    Permission,
    Person,
    PersonKind,
    require_permission,
    second_reader,
)
from tui_annotate.domain.people_directory import find_person
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import ALLOTMENTS, ASSIGNMENTS, EVENTS, PEOPLE
from tui_annotate.storage.log import events
from tui_annotate.storage.log.event_log import EventLog, LogStore
from tui_annotate.storage.log.write_plans import WritePlan, plan_event, write_planned_events
from tui_annotate.storage.people.store import (
    Merge,
    PeopleStore,
    add_person,
    find_local_ids,
    find_owner,
    read_merges,
    write_merges,
)
from tui_annotate.storage.statements import text_list

_EMPTY: Final = StreamState().assignment
_IDLE: Final = frozenset({READ, IMPORT, DISCARD})
"""Types of events that are not a person's own work in this workspace."""
_COUNT: Final = select(func.count()).where(EVENTS.c.person.in_(text_list("people")))
_END: Final = delete(ASSIGNMENTS).where(
    ASSIGNMENTS.c.person == bindparam("who"), ASSIGNMENTS.c.sample_id == bindparam("row")
)


@dataclass(slots=True)
class PersonMerge:
    """Result of a merge, or of its undo.

    Attributes:
        samples, annotations: numbers of samples and annotations that have another owner now.
        same: number of annotations that the owner had in the same form; these are stored once.
        differences: values of the owner that differ from the merged person's and were kept.
    """

    samples: int = 0
    annotations: int = 0
    same: int = 0
    differences: list[str] = field(default_factory=list)


@check_keywords
class PersonMergeStore(LogStore):
    """Merges of stored people who are the same human.

    Raises:
        NotAllowed: every method, if the actor may not manage the workspace.
    """

    def merge(self, person: Person, owner: Person) -> PersonMerge:
        """Make a person's work the work of another person, in one transaction.

        If both are the same imported person, this person becomes the local person of that name.

        Raises:
            Conflict: samples are assigned to the merged person, the person who would become local
            has no unique name, or another command merged or unmerged
            either person meanwhile.
        """
        require_permission(self._actor, Permission.MANAGE)
        if person.id == owner.id:
            kind = PersonKind.LOCAL
            batch = ""
            refuse = _refuse_local
        else:
            kind = PersonKind.MERGED
            batch = str(uuid.uuid4())
            refuse = _refuse_assigned

        def prepare(connection: Connection, done: PersonMerge) -> Iterator[WritePlan]:
            refuse(connection, person)
            if batch:
                yield from self._plan_merge(connection, (person, owner), done, batch=batch)

        again = second_reader(owner)
        with self._prepared((person.id, owner.id), prepare) as (connection, plans, done):
            refuse(connection, person)  # samples may have been assigned meanwhile
            _refuse_changed(connection, person, owner)
            if any(plan.event["person"] == again.id for plan in plans):
                add_person(connection, again)
            self._write(connection, plans)
            entry = Merge(into=owner.id, kind=person.kind.value, batch=batch)
            write_merges(connection, read_merges(connection) | {person.id: entry})
            _set_kind(connection, person.id, kind)
        return done

    def find(self, who: str) -> Person:
        """Find a person who was merged into another person, by id or name.

        Raises:
            NotFound: no merged person matches, or several have the name.
        """
        with self._database.reading() as connection:
            merges = read_merges(connection)
        merged = [each for each in PeopleStore(self._database).all() if each.id in merges]
        advice = "list all people with: tui-annotate users list --all"
        return find_person(who, merged, advice=advice, kind="merged person")

    def undo(self, person: Person) -> PersonMerge:
        """Undo the merge of a person into another person; skip work on removed samples.

        Raises:
            Conflict: the owner changed the merged work, or was merged afterwards.
        """
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            entry = _find_last_merge(connection, person)

        def prepare(connection: Connection, done: PersonMerge) -> Iterator[WritePlan]:
            return self._plan_undo(connection, entry["batch"], done)

        with self._prepared((person.id, entry["into"]), prepare) as (connection, plans, done):
            if _find_last_merge(connection, person) != entry:
                raise Conflict(f"{person.name!r} was merged again", "repeat the command")
            self._write(connection, plans)
            merges = read_merges(connection)
            del merges[person.id]
            write_merges(connection, merges)
            _set_kind(connection, person.id, PersonKind(entry["kind"]))
        return done

    @contextmanager
    def _prepared(
        self,
        people: tuple[str, str],
        prepare: Callable[[Connection, PersonMerge], Iterator[WritePlan]],
    ) -> Iterator[tuple[Connection, list[WritePlan], PersonMerge]]:
        """Prepare events without the write lock, then open the transaction that writes them.

        The events are prepared again, with the lock, if the work of the people changed meanwhile.
        """
        who = {"people": [*people, *(second_reader(Person(each, "")).id for each in people)]}
        with self._database.reading() as connection:
            before = connection.execute(_COUNT, who).scalar()
            done = PersonMerge()
            plans = list(prepare(connection, done))
        with self._database.writing() as connection:
            if connection.execute(_COUNT, who).scalar() != before:
                done = PersonMerge()
                plans = list(prepare(connection, done))
            yield connection, plans, done

    def _write(self, connection: Connection, plans: Sequence[WritePlan]) -> None:
        write_planned_events(connection, plans, disabled=self._disabled)
        ended = [
            {"who": plan.event["person"], "row": plan.sample_id}
            for plan in plans
            if plan.event["verb"] == DISCARD
        ]
        if ended:
            connection.execute(_END, ended)

    def _plan_merge(
        self, connection: Connection, pair: tuple[Person, Person], done: PersonMerge, *, batch: str
    ) -> Iterator[WritePlan]:
        log = EventLog(connection)  # an operator's: a merge writes the work of other people
        again = (second_reader(pair[0]), second_reader(pair[1]))
        for one, other in (pair, again):
            owned = log.streams(other.id)
            for key, source in log.streams(one.id).items():
                target = owned.get(key) or log.stream(other.id, key)
                action = _join(source, target, done)
                done.samples += 1
                at = max(source.updated, target.updated) or utc_now()
                yield self._plan(target, action, batch, at=at, seconds=source.state.seconds)
                yield self._plan(source, discard_action(source.state), batch)

    def _plan_undo(
        self, connection: Connection, batch: str, done: PersonMerge
    ) -> Iterator[WritePlan]:
        log = EventLog(connection)
        name = str(uuid.uuid4())
        streams: dict[str, dict[SampleKey, EventStream]] = {}
        changed: list[SampleKey] = []
        removed: set[SampleKey] = set()
        for event in list(events.read_batch(connection, batch)):
            key = SampleKey(event.dataset, event.sample)
            history = list(log.events(event.person, key))
            later = history[event.seq :]
            if any(each.action.verb == DISCARD and not each.action.batch for each in later):
                removed.add(key)
            if key in removed:  # the owner's event comes first
                continue
            if event.person not in streams:
                streams[event.person] = log.streams(event.person)
            stream = streams[event.person].get(key) or log.stream(event.person, key)
            if not stream.state.matches(event.action.after):
                changed.append(key)
                continue
            action = event.action.inverse(event.id, verb=IMPORT)
            if event.action.verb == DISCARD:
                done.samples += 1
                done.annotations += len(action.after.annotations)
                yield self._plan(stream, action, name, at=_last_time(history, event))
            else:
                is_unused = _IDLE.issuperset(each.action.verb for each in history)
                if is_unused and stream.state.applied(action).alike(StreamState()):
                    action = discard_action(stream.state)
                yield self._plan(stream, action, name)
        if changed:
            raise Conflict(
                f"{format_count(len(changed), 'sample')} changed after the merge, for example"
                f" {changed[0]}",
                "undo the later changes on these samples, and run the command again",
            )

    def _plan(
        self,
        stream: EventStream,
        action: PendingEvent,
        batch: str,
        *,
        at: str = "",
        seconds: float = 0.0,
    ) -> WritePlan:
        action = PendingEvent(action.verb, action.before, action.after, action.undoes, batch)
        event = new_event(stream.name, action, at=at or utc_now(), seconds=seconds)
        return plan_event(stream, event)[0]


def _find_last_merge(connection: Connection, person: Person) -> Merge:
    """Return a person's merge; Conflict if the owner was merged afterwards."""
    merges = read_merges(connection)
    if person.id not in merges:
        hint = "list all people with: tui-annotate users list --all"
        raise Conflict(f"{person.name!r} is not merged", hint)
    entry = merges[person.id]
    later = merges.get(entry["into"])
    if later and entry["into"] not in (person.id, later["into"]):
        raise Conflict(
            f"the owner of the work of {person.name!r} was merged afterwards",
            f"first run: tui-annotate users unmerge {entry['into']}",
        )
    return entry


def _join(source: EventStream, owner: EventStream, done: PersonMerge) -> PendingEvent:
    target = owner.state
    new = {
        one.id: source.state.annotations[one.id]
        for one in source.annotations
        if not any(has_same_content(one, mine) for mine in owner.annotations)
    }
    done.annotations += len(new)
    done.same += len(source.state.annotations) - len(new)
    after = {}
    for name, value in source.state.assignment.items():
        mine = target.assignment[name]
        if value != mine and mine == _EMPTY[name]:
            after[name] = value
        elif value not in (mine, _EMPTY[name]):
            done.differences.append(
                f"{source.key}: the {name} {mine!r:.50} was kept, and {value!r:.50} was not merged"
            )
    answers = {
        name: answer
        for name, answer in source.state.suggestions.items()
        if name not in target.suggestions
    }
    before = {name: target.assignment[name] for name in after}
    return PendingEvent(
        IMPORT,
        Change(dict.fromkeys(new), before, dict.fromkeys(answers)),
        Change(new, after, answers),
    )


def _last_time(history: Iterable[Event], end: Event) -> str:
    return max((event.at for event in history if event.seq < end.seq), default="")


def _refuse_assigned(connection: Connection, person: Person) -> None:
    if connection.execute(select(exists().where(ALLOTMENTS.c.person == person.id))).scalar():
        raise Conflict(
            f"samples are assigned to {person.name!r}, so the person cannot be merged",
            "merge in the other direction, or first run: tui-annotate assignments undo",
        )


def _refuse_local(connection: Connection, person: Person) -> None:
    same = find_local_ids(connection, person.name)
    if same:
        merge = shlex.join(["tui-annotate", "users", "merge", person.id, same[0]])
        hint = f"name this person as the owner: {merge}"
        if person.id in same:
            hint = "name two people: tui-annotate users merge PERSON OWNER"
        raise Conflict(f"{person.name!r} is already the name of a local person", hint)


def _refuse_changed(connection: Connection, person: Person, owner: Person) -> None:
    kind = connection.execute(select(PEOPLE.c.kind).where(PEOPLE.c.id == person.id)).scalar()
    if kind != person.kind.value or find_owner(read_merges(connection), owner.id) != owner.id:
        raise Conflict(
            f"another command merged or unmerged {person.name!r} or {owner.name!r} meanwhile",
            "repeat the command",
            code="merged-meanwhile",
        )


def _set_kind(connection: Connection, person: str, kind: PersonKind) -> None:
    connection.execute(update(PEOPLE).where(PEOPLE.c.id == person).values(kind=kind.value))
