"""Imports annotations, assignments and questions from files; never overwrites work done here.

State, rating and comment are those of the last import until a person works on the sample here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import Connection

from tui_annotate.domain.annotations import (
    HUMAN,
    Annotation,
    annotation_from_json,
    annotation_to_json,
    has_same_content,
)
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import DISCARD, IMPORT, Change, PendingEvent, new_event
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import IDLE
from tui_annotate.storage.codec import from_json, replace_unstorable, to_json
from tui_annotate.storage.log.comments import merge_comments
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.people.store import Merge, add_person, find_namesake, find_owner

_NAMESPACE: Final = uuid.UUID("6c1c6a0e-6a4f-5b0e-9d57-7a7f3f0c2b11")
_LABEL_STUDIO: Final = "imported:labelstudio"
_EMPTY_VALUES: Final = {"state": State.NEW.value}
_IDLE_VERBS: Final = IDLE | {IMPORT}
"""Types of events that do not count as a person's work in this workspace."""


@dataclass(slots=True)
class ImportCounts:
    """Counts of annotations, states, ratings and comments that an import stored or skipped.

    Attributes:
        buried: annotations that had been removed here, and stay removed.
        changed: samples whose state, rating or comment differs from that of an earlier import.
        doubts: values that were not imported because the person worked on the sample here.
    """

    added: int = 0
    known: int = 0
    buried: int = 0
    changed: int = 0
    doubts: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class _PersonWork:
    annotations: list[Annotation]
    assignment: Assignment | None = None


@dataclass(frozen=True, slots=True)
class WorkImport:
    """An import of annotations and assignments in one transaction.

    Attributes:
        clock: returns the time for work that has no time of its own.
        merges: the merges of people by the id of the merged person.
    """

    connection: Connection
    clock: Callable[[], str]
    counts: ImportCounts
    merges: Mapping[str, Merge] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """Store the people, annotations and assignments of a stored sample; else NotFound."""
        log = EventLog(self.connection)
        given = {person.id: person for person in record.people}
        for name, work in _group_by_person(record).items():
            person = given.get(name, Person(name, name))
            if self._is_own_export(log, person, work, key=record.sample.key):
                self.counts.known += len(work.annotations)
                continue
            kind = PersonKind.SETTLED if name == SETTLED else PersonKind.IMPORTED
            add_person(self.connection, replace(person, kind=kind))
            stream = log.stream(find_owner(self.merges, name), record.sample.key)
            self._import_work(log, stream, work, where=record.where)
        for key, reason in merge_comments(self.connection, record.questions).refused:
            hint = "nothing to do: the other parts of the sample were imported"
            where = record.where or str(key)
            self.counts.doubts.append(Problem(where, reason, hint, refused=False))

    def _is_own_export(
        self, log: EventLog, person: Person, work: _PersonWork, *, key: SampleKey
    ) -> bool:
        """Return whether imported work is work that a local person of the same name did here.

        Formats without ids of people name the person of an export only by name. Some of these
        formats have no states, and their samples are read as completed.
        """
        owner = find_namesake(self.connection, person)
        if owner is None:
            return False
        stream = log.stream(owner, key)
        parts = _extract_parts(work.assignment)
        there = stream.annotations
        if work.annotations or len(parts) > 1:
            parts = {name: value for name, value in parts.items() if name != "state"}
        if any(stream.state.assignment[name] != value for name, value in parts.items()):
            return False
        return all(any(has_same_content(new, one) for one in there) for new in work.annotations)

    def _import_work(
        self, log: EventLog, stream: EventStream, work: _PersonWork, *, where: str
    ) -> None:
        new = self._select_new(log, stream, work.annotations)
        after = self._select_changes(log, stream, work.assignment, where=where)
        if not new and not after:
            return
        assignment = work.assignment if after else None
        before = {name: stream.state.assignment[name] for name in after}
        payloads = {each.id: from_json(to_json(annotation_to_json(each))) for each in new}
        action = PendingEvent(
            IMPORT, Change(dict.fromkeys(payloads), before), Change(payloads, after)
        )
        at = ""
        seconds = 0.0
        if assignment:
            at = assignment.updated
            # Imported seconds are a total, an event's seconds an increment.
            seconds = max(assignment.seconds - stream.state.seconds, 0.0)
        at = at or self.clock()
        log.append(stream, new_event(stream.name, action, at=at, seconds=seconds))
        self.counts.added += len(new)

    def _select_changes(
        self, log: EventLog, stream: EventStream, assignment: Assignment | None, *, where: str
    ) -> Mapping[str, str]:
        imported = _extract_parts(assignment)
        if not stream.seq:
            return imported
        stored = stream.state.assignment
        news = {
            name: value
            for name, value in imported.items()
            if value != stored[name] and value != _EMPTY_VALUES.get(name)
        }
        if not news:
            return {}
        if _is_worked_on(log, stream):
            self.counts.doubts.append(_describe_doubt(stream, news, where=where))
            return {}
        self.counts.changed += any(
            stored[name] not in ("", _EMPTY_VALUES.get(name)) for name in news
        )
        return news

    def _select_new(
        self, log: EventLog, stream: EventStream, annotations: Sequence[Annotation]
    ) -> list[Annotation]:
        """Return annotations that were never stored; replace ids that other annotations use."""
        if not annotations:
            return []
        mine = (stream.person, stream.sample_id)
        owners = log.owners([new.id for new in annotations])
        named = {}
        for new in annotations:
            name = new.id
            if owners.get(name, mine) != mine:  # uuid5: the same input gets the same id
                parts = (stream.person, *stream.key, name)
                name = str(uuid.uuid5(_NAMESPACE, "\0".join(parts)))
            named[name] = replace(new, id=name)
        there = named.keys() & stream.state.annotations.keys()
        buried = log.find_removed(list(named))
        rest = {name: new for name, new in named.items() if name not in there | buried}
        # Other formats than the native one give an annotation that was made here another id.
        if rest:
            own = [one for one in stream.annotations if one.origin == HUMAN]
            there |= {
                name for name, new in rest.items() if any(has_same_content(new, one) for one in own)
            }
            rest = {name: new for name, new in rest.items() if name not in there}
        if rest and stream.seq:
            others = _find_other_forms(log, stream, rest, except_ids=named.keys())
            removed = log.find_removed(list(others.values()))
            buried |= {name for name, other in others.items() if other in removed}
            there |= others.keys() - buried
            rest = {name: new for name, new in rest.items() if name not in others}
        fresh = list(rest.values())
        self.counts.known += len(there)
        self.counts.buried += len(buried)
        numbers = log.numbers([new.number for new in fresh])
        return [replace(new, number=number) for new, number in zip(fresh, numbers, strict=True)]


def _find_other_forms(
    log: EventLog,
    stream: EventStream,
    new: Mapping[str, Annotation],
    *,
    except_ids: Collection[str],
) -> dict[str, str]:
    """Return the id of the imported annotation that each new one repeats, by the new id.

    Label Studio's tables have no ids, so that the same annotation has another id than in the export
    JSON. Spans, labels and note must be equal, and each stored annotation is repeated once at most.
    An annotation that was changed or removed here is found as it was imported.

    Args:
        except_ids: ids of annotations that the file contains with these ids.
    """
    stored = {
        name: annotation_from_json(payload)
        for event in log.events(stream.person, stream.key)
        if event.action.verb == IMPORT
        for name, payload in event.action.after.annotations.items()
        if payload is not None and name not in except_ids
    }
    found = {}
    for name, one in new.items():
        for other_name, other in stored.items():
            if _are_forms_of_one_export(one, other) and has_same_content(one, other):
                found[name] = other_name
                del stored[other_name]
                break
    return found


def _are_forms_of_one_export(one: Annotation, other: Annotation) -> bool:
    """Return whether one of two annotations is of Label Studio, and the other perhaps, too.

    The export JSON of our own work keeps the origin of the annotations, and its table does not.
    """
    origins = {one.origin, other.origin}
    return _LABEL_STUDIO in origins and origins <= {_LABEL_STUDIO, HUMAN}


def _group_by_person(record: Record) -> dict[str, _PersonWork]:
    work = {each.person: _PersonWork([], each) for each in record.assignments}
    for owned in record.annotations:
        work.setdefault(owned.person, _PersonWork([])).annotations.append(owned.annotation)
    return work


def _extract_parts(assignment: Assignment | None) -> Mapping[str, str]:
    if assignment is None:
        return {}
    parts = {
        "state": assignment.state.value,
        "rating": replace_unstorable(assignment.rating),
        "comment": replace_unstorable(assignment.comment),
    }
    return {name: value for name, value in parts.items() if value}


def _is_worked_on(log: EventLog, stream: EventStream) -> bool:
    """Return whether a person worked on a sample here since the last import."""
    verbs = [event.action.verb for event in log.events(stream.person, stream.key)]
    last = len(verbs) - verbs[::-1].index(DISCARD) if DISCARD in verbs else 0
    return not _IDLE_VERBS.issuperset(verbs[last:])


def _describe_doubt(stream: EventStream, news: Mapping[str, str], *, where: str) -> Problem:
    stored = stream.state.assignment
    differences = "; ".join(
        f"{name} is {stored[name]!r:.50} in this workspace, but {value!r:.50} in the file"
        for name, value in news.items()
    )
    message = f"{stream.person!r} worked on {stream.key} in this workspace: {differences}"
    hint = "if the file is correct, change the stored work with: tui-annotate annotate"
    return Problem(where or str(stream.key), message, hint, refused=False)
