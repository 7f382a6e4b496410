"""Merges two copies of a person's work on a sample; the last action decides the result.

The events of both copies are kept. A stream is one person's work on one sample. A hash chain is
never rewritten. If the other copy continues the local chain, its further events are appended
unchanged. Otherwise they are appended as copies that name their original events, so repeated merges
recognize known events.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tui_annotate.domain.history import (
    JOIN,
    READ,
    RELABEL,
    RETURN,
    Change,
    Event,
    Payload,
    PendingEvent,
    StreamState,
    chain_event,
    new_event,
)
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey

COPIED: Final = "copied"
"""Name under which an event copied from another workspace stores its original hash."""

IDLE: Final = frozenset({READ, RELABEL, RETURN})
"""Types of events that are no action of the person who owns the work.

They record working time, renamed labels, and that a reviewer reopened the work.
"""

StreamName = tuple[str, SampleKey]
"""Key of one person's work on one sample: (person id, sample key)."""

_NAMESPACE: Final = uuid.UUID("0f6c4b62-6d0e-5b7a-8f43-7c1f5a9be0a4")


@dataclass(frozen=True, slots=True)
class Fork:
    """A conflict: two copies of one person's work on a sample were changed in different ways.

    Attributes:
        there_wins: whether the other copy's state applies; the log keeps both.
    """

    person: str
    dataset: str
    sample: str
    here: StreamState
    there: StreamState
    here_at: str
    there_at: str
    there_wins: bool


@dataclass(frozen=True, slots=True)
class StreamCopy:
    """Another workspace's copy of one person's work on a sample; `texts`: hash of the texts."""

    person: str
    key: SampleKey
    texts: str
    events: tuple[Event, ...]

    @property
    def name(self) -> StreamName:
        return self.person, self.key

    def origins(self) -> set[str]:
        """Return the hashes that identify events in all workspaces; merge events are excluded."""
        return {original_hash(event) for event in self.events if event.action.verb != JOIN}


@dataclass(frozen=True, slots=True)
class StreamMerge:
    """The events to append to the local copy of a person's work, and the conflict, if any."""

    events: tuple[Event, ...] = ()
    fork: Fork | None = None


def describe_state(state: StreamState) -> str:
    """Describe a sample's state, annotations, rating and comment in one line."""
    labels = {".".join(path) for each in state.annotations.values() for path in each["labels"]}
    found = format_count(len(state.annotations), "annotation")
    parts = [
        state.assignment["state"],
        f"{found} ({', '.join(sorted(labels))})" if labels else found,
    ]
    if rating := state.assignment["rating"]:
        parts.append(f"rated {rating}")
    if comment := state.assignment["comment"]:
        parts.append(f'comment "{comment}"')
    if answers := [each["answer"] for each in state.suggestions.values()]:
        counted = ", ".join(f"{answers.count(word)} {word}" for word in sorted(set(answers)))
        parts.append(f"suggestions: {counted}")
    return ", ".join(parts)


def original_hash(event: Event) -> str:
    """Return the hash that identifies an event in all copies of a person's work."""
    return event.versions.get(COPIED) or event.hash


Adapt = Callable[[Payload], Payload]
"""A function that renumbers another workspace's annotation and updates its renamed labels."""


def merge_streams(
    here: Sequence[Event], there: Sequence[Event], *, own: Adapt = lambda payload: payload
) -> StreamMerge:
    """Merge the events of another copy of one person's work on a sample into the local copy.

    The hash chain of the other copy must be valid. `own` adapts annotations to this workspace; it
    returns the same object if nothing changes.
    """
    adapted = [_adapt_event(event, own) for event in there]
    after = len(here)
    # The other copy continues ours: its events keep their hashes unless annotations must change.
    if [event.hash for event in there[:after]] == [event.hash for event in here]:
        tail = tuple(there[after:])
        if all(one is other for one, other in zip(adapted[after:], tail, strict=True)):
            return StreamMerge(tail)
    return _StreamJoiner(here).take(adapted)


def _adapt_event(event: Event, own: Adapt) -> Event:
    action = event.action
    before = _adapt_change(action.before, own)
    after = _adapt_change(action.after, own)
    if before is action.before and after is action.after:
        return event
    return replace(event, action=replace(action, before=before, after=after))


def _adapt_change(change: Change, own: Adapt) -> Change:
    found = {
        name: payload if payload is None else own(payload)
        for name, payload in change.annotations.items()
    }
    if all(found[name] is payload for name, payload in change.annotations.items()):
        return change
    return replace(change, annotations=found)


class _StreamJoiner:
    def __init__(self, here: Sequence[Event]) -> None:
        self._here = here
        self._state = StreamState()
        for event in here:
            self._state = self._state.applied(event.action, seconds=event.seconds)
        self._before = self._state
        self._ids = {original_hash(event): event.id for event in here if event.action.verb != JOIN}
        self._out: list[Event] = []

    def take(self, there: Sequence[Event]) -> StreamMerge:
        """Append another workspace's new events, and an event with its latest state."""
        theirs = StreamState()
        ids = dict[str, str]()
        new = list[Event]()
        for event in there:
            before = theirs
            theirs = theirs.applied(event.action, seconds=event.seconds)
            if event.action.verb == JOIN:
                continue
            name = original_hash(event)
            if name not in self._ids:
                # A copied event needs the state it was made on: first move to that state.
                if not self._state.matches(event.action.before):
                    self._append_transition(event, to=before)
                self._ids[name] = self._append_copy(event, ids)
                new.append(event)
            ids[event.id] = self._ids[name]
        if not new:
            return StreamMerge()
        known = {original_hash(event) for event in there}
        own = [event for event in self._here if event.action.verb != JOIN]
        mine = _newest_action(event for event in own if original_hash(event) not in known)
        other = _newest_action(new)
        # Both workspaces must choose the same state: the later action wins, the hash breaks ties.
        wins = other > mine
        final = theirs if wins else self._before
        if not self._state.alike(final):
            self._append_transition(new[-1], to=final, at=max(mine[0], other[0]))
        both_acted = mine[0] != "" and other[0] != ""
        if not both_acted or self._before.alike(theirs):
            return StreamMerge(tuple(self._out))
        person, dataset, sample = new[0].stream
        fork = Fork(
            person=person,
            dataset=dataset,
            sample=sample,
            here=self._before,
            there=theirs,
            here_at=mine[0],
            there_at=other[0],
            there_wins=wins,
        )
        return StreamMerge(tuple(self._out), fork)

    def _append_copy(self, event: Event, ids: Mapping[str, str]) -> str:
        name = str(uuid.uuid5(_NAMESPACE, original_hash(event)))
        action = replace(event.action, undoes=ids.get(event.action.undoes, event.action.undoes))
        versions = {**event.versions, COPIED: original_hash(event)}
        self._append(replace(event, id=name, action=action, versions=versions))
        return name

    def _append_transition(self, near: Event, *, to: StreamState, at: str = "") -> None:
        self._append(
            transition_event(near.stream, self._state, to, head=self._head, at=at or near.at)
        )

    def _append(self, event: Event) -> None:
        seq = len(self._here) + len(self._out) + 1
        self._out.append(chain_event(event, seq=seq, prev=self._head))
        self._state = self._state.applied(event.action, seconds=event.seconds)

    @property
    def _head(self) -> str:
        last = self._out or self._here
        return last[-1].hash if last else ""


def transition_event(
    stream: tuple[str, str, str], state: StreamState, to: StreamState, *, head: str, at: str
) -> Event:
    """Return a merge event that changes a person's work on a sample from one state to another."""
    # Not random: a repeated merge of the same copies must give the same event.
    event_id = str(uuid.uuid5(_NAMESPACE, "\n".join((*stream, head))))
    before, after = _difference(state, to)
    action = PendingEvent(JOIN, before, after)
    return new_event(stream, action, at=at, event_id=event_id)


def _newest_action(events: Iterable[Event]) -> tuple[str, str]:
    actions = (
        (event.at, original_hash(event)) for event in events if event.action.verb not in IDLE
    )
    return max(actions, default=("", ""))


def _difference(one: StreamState, other: StreamState) -> tuple[Change, Change]:
    names = sorted({*one.annotations, *other.annotations})
    moved = [name for name in names if not one.matches(Change({name: other.annotations.get(name)}))]
    parts = [name for name, value in other.assignment.items() if one.assignment[name] != value]
    answers = sorted(
        name
        for name in {*one.suggestions, *other.suggestions}
        if one.suggestions.get(name) != other.suggestions.get(name)
    )

    def of(state: StreamState) -> Change:
        payloads: dict[str, Any] = {name: state.annotations.get(name) for name in moved}
        assigned = {name: state.assignment[name] for name in parts}
        return Change(payloads, assigned, {name: state.suggestions.get(name) for name in answers})

    return of(one), of(other)
