"""Two copies of a stream brought together: nothing of either is lost, and the newest work stands.

A chain is never written anew. What another copy has more is appended as it is, where it follows;
else behind what is here, as copies that name the events they come from. By these names both sides
know what they have of each other already, however often they are brought together.
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
    Action,
    Change,
    Event,
    Payload,
    StreamState,
    chained,
)
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.version import VERSION

COPIED: Final = "copied"
"""Among the versions of an event: the hash of the event that it is a copy of."""

IDLE: Final = frozenset({READ, RELABEL})
"""Verbs of what is no deed: time alone, and that labels are called otherwise."""

_NAMESPACE: Final = uuid.UUID("0f6c4b62-6d0e-5b7a-8f43-7c1f5a9be0a4")


@dataclass(frozen=True, slots=True)
class Fork:
    """Two copies of a stream in which different things were done.

    Attributes:
        person, dataset, sample: the stream.
        here, there: what stood on each side before.
        here_at, there_at: when each side last did something of its own.
        there_wins: whose work stands now; the other's is in the log.
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
    """One person's work on one sample as another workspace has it.

    Attributes:
        texts: one hash for the texts that it was done on, as `storage.corpus.text_digest` gives it.
        events: all of the stream, in order; at least one.
    """

    person: str
    key: SampleKey
    texts: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """What bringing another copy of a stream here comes to.

    Attributes:
        events: to be appended here, placed and chained; empty where all of it was known.
        fork: what is to be told; None where one side only went on from the other.
    """

    events: tuple[Event, ...] = ()
    fork: Fork | None = None


def in_words(state: StreamState) -> str:
    """One person's work on one sample on a line, for people: state, annotations by their labels."""
    labels = {".".join(path) for each in state.annotations.values() for path in each["labels"]}
    found = many(len(state.annotations), "annotation")
    parts = [
        state.assignment["state"],
        f"{found} ({', '.join(sorted(labels))})" if labels else found,
    ]
    if rating := state.assignment["rating"]:
        parts.append(f"rated {rating}")
    if comment := state.assignment["comment"]:
        parts.append(f'comment "{comment}"')
    if answers := [each["answer"] for each in state.suggestions.values()]:
        told = ", ".join(f"{answers.count(word)} {word}" for word in sorted(set(answers)))
        parts.append(f"suggestions: {told}")
    return ", ".join(parts)


def origin(event: Event) -> str:
    """What names an event in all copies of its stream: the hash that it was written with."""
    return event.versions.get(COPIED) or event.hash


Own = Callable[[Payload], Payload]
"""Gives an annotation of another copy as it stands here: its number, what its labels are called."""


def merged(
    here: Sequence[Event], there: Sequence[Event], *, own: Own = lambda payload: payload
) -> Merge:
    """Brings one copy of a stream to another.

    Args:
        here: all events of the stream as they stand here.
        there: all of the other copy, in order, a sound chain.
        own: gives the same object back where nothing is to be changed.
    """
    adapted = [_adapted(event, own) for event in there]
    after = len(here)
    if [event.hash for event in there[:after]] == [event.hash for event in here]:
        tail = tuple(there[after:])
        if all(one is other for one, other in zip(adapted[after:], tail, strict=True)):
            return Merge(tail)
    return _Joining(here).take(adapted)


def _adapted(event: Event, own: Own) -> Event:
    """The event as it would have been written here; itself where that is the same."""
    action = event.action
    before, after = (_owned(part, own) for part in (action.before, action.after))
    if before is action.before and after is action.after:
        return event
    return replace(event, action=replace(action, before=before, after=after))


def _owned(change: Change, own: Own) -> Change:
    found = {
        name: payload if payload is None else own(payload)
        for name, payload in change.annotations.items()
    }
    if all(found[name] is payload for name, payload in change.annotations.items()):
        return change
    return replace(change, annotations=found)


class _Joining:
    """What is done here with a copy that does not simply go on from it."""

    def __init__(self, here: Sequence[Event]) -> None:
        self._here = here
        self._state = StreamState()
        for event in here:
            self._state = self._state.applied(event.action, seconds=event.seconds)
        self._before = self._state
        self._ids = {origin(event): event.id for event in here if event.action.verb != JOIN}
        self._out: list[Event] = []

    def take(self, there: Sequence[Event]) -> Merge:
        """All that is not known here, and then what is the newest of both."""
        theirs, ids, new = StreamState(), dict[str, str](), list[Event]()
        for event in there:
            before, theirs = theirs, theirs.applied(event.action, seconds=event.seconds)
            if event.action.verb == JOIN:
                continue
            name = origin(event)
            if name not in self._ids:
                if not self._state.matches(event.action.before):
                    self._move(event, to=before)
                self._ids[name] = self._copy(event, ids)
                new.append(event)
            ids[event.id] = self._ids[name]
        if not new:
            return Merge()
        known = {origin(event) for event in there}
        own = [event for event in self._here if event.action.verb != JOIN]
        mine = _newest(event for event in own if origin(event) not in known)
        other = _newest(new)
        wins = other > mine
        final = theirs if wins else self._before
        if not self._state.alike(final):
            self._move(new[-1], to=final, at=max(mine[0], other[0]))
        forked = all((mine[0], other[0])) and not self._before.alike(theirs)
        fork = Fork(*new[0].stream, self._before, theirs, mine[0], other[0], there_wins=wins)
        return Merge(tuple(self._out), fork if forked else None)

    def _copy(self, event: Event, ids: Mapping[str, str]) -> str:
        """Appends a copy of an event, and gives the name that it has here."""
        name = str(uuid.uuid5(_NAMESPACE, origin(event)))
        action = replace(event.action, undoes=ids.get(event.action.undoes, event.action.undoes))
        versions = {**event.versions, COPIED: origin(event)}
        self._append(replace(event, id=name, action=action, versions=versions))
        return name

    def _move(self, near: Event, *, to: StreamState, at: str = "") -> None:
        """Makes what stands here what stands in another state."""
        self._append(moved(near.stream, self._state, to, head=self._head, at=at or near.at))

    def _append(self, event: Event) -> None:
        seq = len(self._here) + len(self._out) + 1
        self._out.append(chained(event, seq=seq, prev=self._head))
        self._state = self._state.applied(event.action, seconds=event.seconds)

    @property
    def _head(self) -> str:
        last = self._out or self._here
        return last[-1].hash if last else ""


def moved(
    stream: tuple[str, str, str], state: StreamState, to: StreamState, *, head: str, at: str
) -> Event:
    """What makes a stream that stands in one state stand in another; it has no place yet.

    Args:
        head: the hash of the stream's last event; same head, same event.
    """
    person, dataset, sample = stream
    return Event(
        id=str(uuid.uuid5(_NAMESPACE, "\n".join((*stream, head)))),
        seq=0,
        person=person,
        dataset=dataset,
        sample=sample,
        action=Action(JOIN, *_difference(state, to)),
        at=at,
        app=VERSION,
    )


def _newest(events: Iterable[Event]) -> tuple[str, str]:
    """When the last deed was done, and what decides between two of one moment; empty for none."""
    deeds = ((event.at, origin(event)) for event in events if event.action.verb not in IDLE)
    return max(deeds, default=("", ""))


def _difference(one: StreamState, other: StreamState) -> tuple[Change, Change]:
    """What must change for the first state to become the second: as it is, and as it will be."""
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
