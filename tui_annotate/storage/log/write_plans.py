"""Plans the table rows of new events, and writes them.

Clearing 58,500 annotations, or undoing that, is one action: its events are planned before the write
transaction, so that the lock is held briefly. The event of one sample is planned inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, Delete, Insert, Update, bindparam, delete, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import (
    DISCARD,
    RELABEL,
    Event,
    Payload,
    chain_event,
    later_action_time,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.assignments.escalation import Disabled, escalate, no_disabled_people
from tui_annotate.storage.assignments.pauses import pause_if_inaccurate
from tui_annotate.storage.codec import replace_unstorable, to_json
from tui_annotate.storage.columns import ANNOTATIONS, ANSWERS, ASSIGNMENTS, TOMBSTONES
from tui_annotate.storage.log import events
from tui_annotate.storage.log.adjudications import PlannedChange, refuse_locked
from tui_annotate.storage.queue_orders import count_finished
from tui_annotate.storage.statements import add_missing, upsert

_ADD: Final = insert(ANNOTATIONS)
_CHANGE: Final = update(ANNOTATIONS).where(ANNOTATIONS.c.id == bindparam("annotation_id"))
_DROP: Final = delete(ANNOTATIONS).where(ANNOTATIONS.c.id == bindparam("annotation_id"))
_ADD_TOMBSTONE: Final = add_missing(TOMBSTONES)
_DROP_TOMBSTONE: Final = delete(TOMBSTONES).where(TOMBSTONES.c.id == bindparam("annotation_id"))
_ASSIGN: Final = upsert(ASSIGNMENTS, "person", "sample_id")
_ANSWER: Final = upsert(ANSWERS, "person", "sample_id", "suggestion")
_UNANSWER: Final = delete(ANSWERS).where(
    ANSWERS.c.person == bindparam("person"),
    ANSWERS.c.sample_id == bindparam("sample_id"),
    ANSWERS.c.suggestion == bindparam("suggestion"),
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WritePlan:
    """Table rows that one event of the event log writes.

    Attributes:
        sample_id: row id of the sample.
        head: hash of the event that the new one follows; empty for the first event.
        event: the row of the event itself.
        dropped: ids of the annotations that no longer exist.
        buried: tombstones of deleted annotations, so that no import adds them again.
        added: whole rows of new annotations.
        changed: whole rows of changed annotations, with their ids.
        relabelled: annotations that only get other labels, by id: no index of the table changes.
        assignment: the person's work on the sample after the event.
        finished: change of the person's number of finished samples: 1, 0 or -1.
        answered: whole rows of new and changed answers to suggestions.
        unanswered: keys of the answers to suggestions that no longer exist.
    """

    sample_id: int
    head: str
    event: Row
    dropped: Sequence[Row]
    buried: Sequence[Row]
    added: Sequence[Row]
    changed: Sequence[Row]
    relabelled: Sequence[Row]
    assignment: Row
    finished: int
    answered: Sequence[Row]
    unanswered: Sequence[Row]


def plan_event(stream: EventStream, event: Event) -> tuple[WritePlan, EventStream]:
    """Plan the next event of a person's work; also return the work after it. Reads no database.

    Raises:
        Conflict: the event changes another state than that of `stream`, such as the undo of an
            action whose annotation was edited since.
    """
    placed = chain_event(event, seq=stream.seq + 1, prev=stream.head)
    action = event.action
    state = stream.state.applied(action, seconds=event.seconds)
    acted = later_action_time(stream.updated, placed)
    after = replace(stream, state=state, seq=placed.seq, head=placed.hash, updated=acted)

    payloads = action.after.annotations
    dropped = [name for name, payload in payloads.items() if payload is None]
    rows = [annotation_row(stream, payload) for payload in payloads.values() if payload is not None]
    new = {name for name, payload in action.before.annotations.items() if payload is None}
    changed = [{**row, "annotation_id": row["id"]} for row in rows if row["id"] not in new]
    relabelled = [
        {name: row[name] for name in ("annotation_id", "updated", "payload")} for row in changed
    ]
    # A discard ends work as a whole, and deletes none of its annotations for good: they come again
    # in the work of another person (after a merge of people), or when the sample is ingested again.
    deleted = [] if action.verb == DISCARD else dropped

    answers = action.after.suggestions
    answer_key = {"person": stream.person, "sample_id": stream.sample_id}
    plan = WritePlan(
        stream.sample_id,
        stream.head,
        event=events.event_to_row(placed),
        dropped=[{"annotation_id": name} for name in dropped],
        buried=[{"id": name, "dataset": stream.key.dataset} for name in deleted],
        added=[row for row in rows if row["id"] in new],
        changed=[] if action.verb == RELABEL else changed,
        relabelled=relabelled if action.verb == RELABEL else [],
        assignment=assignment_row(after),
        finished=int(after.assignment.state.finished) - int(stream.assignment.state.finished),
        answered=[
            answer_row(stream, name, answer)
            for name, answer in answers.items()
            if answer is not None
        ],
        unanswered=[
            {**answer_key, "suggestion": name} for name, answer in answers.items() if answer is None
        ],
    )
    return plan, after


def answer_row(stream: EventStream, name: str, payload: Payload) -> Row:
    """Return the row of the table of answers for a person's answer to a suggestion."""
    return {
        "person": stream.person,
        "sample_id": stream.sample_id,
        "suggestion": name,
        "answer": payload["answer"],
        "payload": to_json(payload),
    }


def annotation_row(stream: EventStream, payload: Payload) -> Row:
    """Return the row of the table of annotations for an annotation's payload."""
    return {
        "id": payload["id"],
        "person": stream.person,
        "sample_id": stream.sample_id,
        "number": payload["number"],
        "origin": payload["origin"],
        "note": replace_unstorable(payload["note"]),
        "updated": payload["updated"],
        "payload": to_json(payload),
    }


def assignment_row(stream: EventStream) -> Row:
    """Return the row of the table of assignments for a person's work on a sample."""
    assignment = stream.assignment
    return {
        "person": stream.person,
        "sample_id": stream.sample_id,
        "state": assignment.state.value,
        "finished": assignment.state.finished,
        "rating": assignment.rating,
        "comment": assignment.comment,
        "seconds": assignment.seconds,
        "updated": assignment.updated,
        "annotations": len(stream.state.annotations),
        "seq": stream.seq,
        "head": stream.head,
    }


def write_planned_events(
    connection: Connection,
    plans: Sequence[WritePlan],
    *,
    disabled: Disabled = no_disabled_people,
    arriving: bool = False,
) -> None:
    """Write planned events of the event log, with all table rows that they change.

    The rows are written table by table, for all plans together, and annotations are removed before
    others are added: a merge of people moves annotations, with their ids, from one plan to another.
    So at most one plan may be of the same person's work on the same sample.

    Samples that are finished now can get further annotators, and pause the person's work at the end
    of a block of gold samples.

    Args:
        arriving: whether the events are copies from another workspace. They are written even if
            the sample is adjudicated here, so that no work is lost. They pause no work; that
            follows when all copies are merged.

    Raises:
        NotAllowed: a plan changes an annotator's own work on an adjudicated sample.
        Conflict: an event's id or position, or an annotation's id, is in use; raised where the
            transaction ends.
    """
    if not arriving:
        refuse_locked(connection, [_planned_change(plan) for plan in plans])
    _execute_many(connection, events.INSERT, (plan.event for plan in plans))
    _execute_many(connection, _DROP, (row for plan in plans for row in plan.dropped))
    _execute_many(connection, _ADD_TOMBSTONE, (row for plan in plans for row in plan.buried))
    added = [row for plan in plans for row in plan.added]
    _execute_many(connection, _ADD, added)
    _execute_many(connection, _DROP_TOMBSTONE, ({"annotation_id": row["id"]} for row in added))
    _execute_many(connection, _CHANGE, (row for plan in plans for row in plan.changed))
    # With all columns, SQLite would rewrite each index: 58,000 rows took three times as long.
    _execute_many(connection, _CHANGE, (row for plan in plans for row in plan.relabelled))
    _execute_many(connection, _ASSIGN, (plan.assignment for plan in plans))
    _execute_many(connection, _UNANSWER, (row for plan in plans for row in plan.unanswered))
    _execute_many(connection, _ANSWER, (row for plan in plans for row in plan.answered))
    count_finished(
        connection,
        [
            (plan.assignment["person"], plan.sample_id, plan.finished)
            for plan in plans
            if plan.finished
        ],
    )
    newly_finished = [plan for plan in plans if plan.finished > 0]
    for plan in newly_finished:
        escalate(connection, plan.sample_id, disabled=disabled)
    if not arriving:
        # Once for each person and dataset, because all samples of the action are counted already.
        names = {(plan.event["person"], plan.event["dataset"]) for plan in newly_finished}
        for person, dataset in sorted(names):
            pause_if_inaccurate(connection, person, dataset, at_block_end_only=True)


def _planned_change(plan: WritePlan) -> PlannedChange:
    event = plan.event
    key = SampleKey(event["dataset"], event["sample"])
    return PlannedChange(plan.sample_id, event["person"], key, event["verb"])


def _execute_many(
    connection: Connection, statement: Insert | Update | Delete, rows: Iterable[Row]
) -> None:
    if found := list(rows):
        connection.execute(statement, found)
