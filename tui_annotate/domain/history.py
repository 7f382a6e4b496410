"""The event log: one hash-chained event for each action; a replay restores people's work.

An event stores the changed parts of a stream before and after its action. Replay applies `after`.
Undo appends an event with the two exchanged. A writer is stale if its `before` differs from the
current state.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Final, NamedTuple

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.version import VERSION

UNDO: Final = "undo"
REDO: Final = "redo"
DONE: Final = "done"
READ: Final = "read"
"""Type of an event that records only working time; undo skips these events."""
IMPORT: Final = "import"
DISCARD: Final = "discard"
"""Type of an event for a sample's removal; earlier work on the sample cannot be undone."""
RELABEL: Final = "relabel"
"""Type of an event that applies a changed label set; a person cannot undo earlier work."""
JOIN: Final = "join"
ALLOW: Final = "allow"
"""Type of an event by which an admin allows the review of an incomplete sample."""
REOPEN: Final = "reopen"
"""Type of an event by which a reviewer reopens an adjudication."""
RETURN: Final = "return"
"""Type of an event by which a reviewer reopens a person's work; earlier work cannot be undone."""
ENDS: Final = frozenset({DISCARD, RELABEL, JOIN, RETURN})
"""Types of events after which a person's earlier work on the sample cannot be undone."""
REVIEW_VERBS: Final = frozenset({"take", "merge", "reject", "own"})
UNDOABLE: Final = REVIEW_VERBS | {
    "add",
    "edit",
    "remove",
    "rate",
    "comment",
    "done",
    "skip",
    "flag",
    "reopen",
    "clear",
    "accept",
    "refuse",
}

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """The changed parts of a person's work on a sample; None removes an annotation or answer."""

    annotations: Mapping[str, Payload | None] = field(default_factory=dict)
    assignment: Mapping[str, str] = field(default_factory=dict)
    suggestions: Mapping[str, Payload | None] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the change as JSON for storage and hashing.

        `suggestions` is present only if there are answers, so older events keep their hashes.
        """
        value = {"annotations": dict(self.annotations), "assignment": dict(self.assignment)}
        return value | ({"suggestions": dict(self.suggestions)} if self.suggestions else {})

    @classmethod
    def from_json(cls, value: Payload) -> Change:
        """Parse what `as_json` returns."""
        return cls(value["annotations"], value["assignment"], value.get("suggestions", {}))


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """A user's action that is not yet stored in the event log; `undoes` and `batch` may be empty.

    Undo reverses all events that share a `batch`.
    """

    verb: str
    before: Change
    after: Change
    undoes: str = ""
    batch: str = ""

    def inverse(self, event_id: str, *, verb: str = UNDO, batch: str = "") -> PendingEvent:
        """Return the action that undoes this action, whose stored event is `event_id`."""
        return PendingEvent(verb, self.after, self.before, undoes=event_id, batch=batch)


@dataclass(frozen=True, slots=True)
class Event:
    """A stored action of a person; a stream is the events of one person on one sample.

    Attributes:
        seq: number of the event in its stream, from 1 without gaps; defines the order of events.
        at: ISO 8601, UTC, microseconds; for display, never used to order events.
        seconds: working time since this person's last event, without pauses.
        versions: hashes of the label set and guidelines in use, and the assist's version, by name.
        prev: hash of the previous event of the stream; empty for the first event.
        hash: SHA-256 over `prev` and the canonical JSON of all other fields.
    """

    id: str
    seq: int
    person: str
    dataset: str
    sample: str
    action: PendingEvent
    at: str
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    app: str = ""
    prev: str = ""
    hash: str = ""

    @property
    def stream(self) -> tuple[str, str, str]:
        """Ids of the person, the dataset and the sample, in this order."""
        return self.person, self.dataset, self.sample


def new_event(
    stream: tuple[str, str, str],
    action: PendingEvent,
    *,
    at: str,
    event_id: str = "",
    seconds: float = 0.0,
    versions: Mapping[str, str] | None = None,
) -> Event:
    """Return the event of an action, which `chain_event` then gives its number and hashes.

    Args:
        stream: ids of the person, the dataset and the sample.
        event_id: empty for a new random id.
    """
    person, dataset, sample = stream
    return Event(
        id=event_id or str(uuid.uuid4()),
        seq=0,
        person=person,
        dataset=dataset,
        sample=sample,
        action=action,
        at=at,
        seconds=seconds,
        versions=versions or {},
        app=VERSION,
    )


def chain_event(event: Event, *, seq: int, prev: str) -> Event:
    """Return a copy of an event with its number, the previous event's hash, and its new hash."""
    placed = replace(event, seq=seq, prev=prev, hash="")
    return replace(placed, hash=hash_event(placed))


def hash_event(event: Event) -> str:
    """Return the SHA-256, in hex, of the previous event's hash and an event's canonical JSON."""
    content = {
        "id": event.id,
        "seq": event.seq,
        "stream": list(event.stream),
        "verb": event.action.verb,
        "before": event.action.before.as_json(),
        "after": event.action.after.as_json(),
        "undoes": event.action.undoes,
        "batch": event.action.batch,
        "at": event.at,
        "seconds": event.seconds,
        "versions": dict(event.versions),
        "app": event.app,
    }
    return hashlib.sha256(f"{event.prev}\n{canonical_json(content)}".encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """Return JSON values as canonical text: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class StreamState:
    """One person's annotations, rating, comment and state of one sample after some events."""

    annotations: Mapping[str, Payload] = field(default_factory=dict)
    assignment: Mapping[str, str] = field(
        default_factory=lambda: {"state": State.NEW.value, "rating": "", "comment": ""}
    )
    seconds: float = 0.0
    suggestions: Mapping[str, Payload] = field(default_factory=dict)

    def applied(self, action: PendingEvent, *, seconds: float = 0.0) -> StreamState:
        """Return the state after one more action; Conflict if its `before` is not this state."""
        if not self.matches(action.before):
            raise Conflict(
                f"the sample changed after the action {action.verb!r} was prepared",
                "check the sample's current state and repeat the action",
                code="sample-changed",
            )
        return self.changed(action.after, seconds=seconds)

    def changed(self, after: Change, *, seconds: float = 0.0) -> StreamState:
        """Return the state with the values of a change, whatever the values were before."""
        return StreamState(
            _merge(self.annotations, after.annotations),
            {**self.assignment, **after.assignment},
            self.seconds + seconds,
            _merge(self.suggestions, after.suggestions),
        )

    def matches(self, change: Change) -> bool:
        """Return whether a person's work on a sample contains all values of a change."""
        return (
            _same_values(self.annotations, change.annotations)
            and _same_values(self.assignment, change.assignment)
            and _same_values(self.suggestions, change.suggestions)
        )

    def same(self, other: StreamState) -> bool:
        """Return whether two states of a person's work are equal, working time included."""
        return self.alike(other) and self.seconds == other.seconds

    def alike(self, other: StreamState) -> bool:
        """Return whether two states of a person's work are equal, ignoring working time."""
        return (
            self.annotations.keys() == other.annotations.keys()
            and self.suggestions.keys() == other.suggestions.keys()
            and self.matches(Change(other.annotations, other.assignment, other.suggestions))
        )


def discard_action(state: StreamState) -> PendingEvent:
    """Return the action that removes all of one person's work on one sample."""
    return PendingEvent(
        DISCARD,
        Change(state.annotations, state.assignment, state.suggestions),
        Change(
            dict.fromkeys(state.annotations),
            StreamState().assignment,
            dict.fromkeys(state.suggestions),
        ),
    )


def _merge(old: Mapping[str, Payload], new: Mapping[str, Payload | None]) -> dict[str, Payload]:
    return {key: value for key, value in {**old, **new}.items() if value is not None}


def _same_values(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether two JSON values are equal; NaN, possible in imports, equals NaN."""
    pairs = ((there.get(key), value) for key, value in wanted.items())
    return all(one == other or canonical_json(one) == canonical_json(other) for one, other in pairs)


def replay(events: Iterable[Event]) -> StreamState:
    """Return the state after a person's events on a sample; Conflict if they do not fit."""
    state = StreamState()
    prev = ""
    for seq, event in enumerate(events, start=1):
        if event != chain_event(event, seq=seq, prev=prev):
            raise Conflict(
                f"event {event.id} (expected number: {seq}) has a wrong number or hash",
                "the event log was altered, or two copies of the event log diverged",
                code="event-broken",
            )
        state = state.applied(event.action, seconds=event.seconds)
        prev = event.hash
    return state


def last_action_time(events: Iterable[Event]) -> str:
    """Return the time of a person's last action on a sample, apart from label set changes."""
    return reduce(later_action_time, events, "")


def later_action_time(last: str, event: Event) -> str:
    """Return an event's time, or `last` if it is known and the event only changes the label set."""
    return last if last and event.action.verb == RELABEL else event.at


class LoggedAction(NamedTuple):
    """The fields of a stored event that undo and redo need."""

    id: str
    verb: str
    undoes: str
    stream: tuple[str, str, str]
    at: str = ""


def find_undo_target(
    newest_first: Iterable[LoggedAction],
    is_closed: Callable[[LoggedAction], bool] = lambda _action: False,
) -> LoggedAction | None:
    """Return the action that a person's next undo reverses; None if there is nothing to undo.

    `is_closed`: whether the work that an action changed cannot be changed now; undo passes over it.
    """
    # Newest first, so that undo and redo events come before the events that they name.
    undone: set[str] = set()
    redone: set[str] = set()
    gone: set[tuple[str, str, str]] = set()
    for action in newest_first:
        if action.verb == REDO:
            redone.add(action.undoes)
        elif action.verb == UNDO:
            if action.id not in redone:
                undone.add(action.undoes)
        elif action.verb in ENDS:
            gone.add(action.stream)
        elif (
            action.verb in UNDOABLE
            and action.id not in undone
            and action.stream not in gone
            and not is_closed(action)
        ):
            return action
    return None


def find_redo_target(
    newest_first: Iterable[LoggedAction],
    is_closed: Callable[[LoggedAction], bool] = lambda _action: False,
) -> LoggedAction | None:
    """Return the undo that a person's next redo reverses; None if there is nothing to redo.

    `is_closed` as for `find_undo_target`.
    """
    redone: set[str] = set()
    gone: set[tuple[str, str, str]] = set()
    for action in newest_first:
        if action.verb == REDO:
            redone.add(action.undoes)
        elif action.verb in ENDS:
            gone.add(action.stream)
        elif action.verb == UNDO:
            if action.id not in redone and action.stream not in gone and not is_closed(action):
                return action
        elif action.verb in UNDOABLE and action.stream not in gone:
            return None
    return None
