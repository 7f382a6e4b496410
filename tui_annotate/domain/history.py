"""The log: one event an action, chained by hash; state is what replaying it gives.

An event says what the touched parts of a stream were before and are after. So replaying is taking
`after`, undoing is an event with the two exchanged, and a stale writer is one whose `before` no
longer holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict

UNDO: Final = "undo"
REDO: Final = "redo"
READ: Final = "read"
"""Time on a sample without an action: kept, never undone."""
IMPORT: Final = "import"
UNDOABLE: Final = frozenset(
    {"add", "edit", "remove", "rate", "comment", "done", "skip", "flag", "reopen", "clear"}
)
VERBS: Final = UNDOABLE | {UNDO, REDO, READ, IMPORT}

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """The touched parts of a stream at one moment, as JSON values.

    Attributes:
        annotations: by id; None where there is no such annotation.
        assignment: the touched ones of `state`, `rating`, `comment`.
    """

    annotations: Mapping[str, Payload | None] = field(default_factory=dict)
    assignment: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it is stored and hashed."""
        return {"annotations": dict(self.annotations), "assignment": dict(self.assignment)}

    @classmethod
    def from_json(cls, value: Payload) -> Change:
        """The inverse of `as_json`."""
        return cls(value["annotations"], value["assignment"])


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody does, before it has a place in the log."""

    verb: str
    before: Change
    after: Change
    undoes: str = ""
    batch: str = ""

    def inverse(self, event_id: str, *, verb: str = UNDO) -> Action:
        """The action that takes this one back, once it stands in the log as `event_id`."""
        return Action(verb, self.after, self.before, undoes=event_id, batch=self.batch)


@dataclass(frozen=True, slots=True)
class Event:
    """An action in the log. A stream is one person's work on one sample.

    Attributes:
        id: a uuid made by the writer.
        seq: the event's place in its stream, from 1, without gaps: the only order that counts.
        person, dataset, sample: the stream: the person's id, and the sample's key.
        at: ISO 8601, UTC, microseconds: told, never used to order.
        seconds: time of work since this person's last event, pauses taken out.
        versions: hashes of label set and guidelines in force, assist in use, by name.
        app: the version of tui-annotate that wrote it.
        prev: the hash of the event before it in the stream; empty for the first.
        hash: SHA-256 over `prev` and the canonical JSON of all else.
    """

    id: str
    seq: int
    person: str
    dataset: str
    sample: str
    action: Action
    at: str
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    app: str = ""
    prev: str = ""
    hash: str = ""

    @property
    def stream(self) -> tuple[str, str, str]:
        """(person, dataset, sample)."""
        return self.person, self.dataset, self.sample


def chained(event: Event, previous: Event | None) -> Event:
    """The event with its place and hash behind `previous`, the last of its stream."""
    seq = previous.seq + 1 if previous else 1
    prev = previous.hash if previous else ""
    placed = _with(event, seq=seq, prev=prev, hash="")
    return _with(placed, hash=digest(placed))


def _with(event: Event, **changes: Any) -> Event:
    values = {name: getattr(event, name) for name in Event.__dataclass_fields__}
    return Event(**{**values, **changes})


def digest(event: Event) -> str:
    """SHA-256 over `prev` and the event's canonical JSON (sorted keys, UTF-8), in hex."""
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
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(event.prev.encode() + b"\n" + canonical.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StreamState:
    """One person's work on one sample, as the log tells it."""

    annotations: Mapping[str, Payload] = field(default_factory=dict)
    assignment: Mapping[str, str] = field(
        default_factory=lambda: {"state": State.NEW.value, "rating": "", "comment": ""}
    )
    seconds: float = 0.0

    def applied(self, action: Action, *, seconds: float = 0.0) -> StreamState:
        """The state after an action.

        Raises:
            Conflict: what the action found before it is not what stands here.
        """
        if not self.matches(action.before):
            raise Conflict(
                f"the sample changed since {action.verb!r} was prepared",
                "look at it as it is now, and do it again",
            )
        annotations = {**self.annotations, **action.after.annotations}
        return StreamState(
            {key: value for key, value in annotations.items() if value is not None},
            {**self.assignment, **action.after.assignment},
            self.seconds + seconds,
        )

    def matches(self, change: Change) -> bool:
        """Whether the touched parts stand here exactly as `change` says."""
        return all(
            self.annotations.get(key) == value for key, value in change.annotations.items()
        ) and all(self.assignment.get(key) == value for key, value in change.assignment.items())


def replay(events: Iterable[Event]) -> StreamState:
    """The state of one stream from its events in order.

    Raises:
        Conflict: an event does not follow from those before it: order, hash or content.
    """
    state = StreamState()
    previous: Event | None = None
    for event in events:
        if event != chained(event, previous):
            raise Conflict(
                f"event {event.id} (number {event.seq} of its stream) does not follow the last",
                "the log was altered, or two copies of it diverged",
            )
        state = state.applied(event.action, seconds=event.seconds)
        previous = event
    return state


def undo_target(newest_first: Iterable[Event]) -> Event | None:
    """The event of this person that undo would take back; None where there is nothing left."""
    undone: set[str] = set()
    redone: set[str] = set()
    for event in newest_first:
        verb, undoes = event.action.verb, event.action.undoes
        if verb == REDO:
            redone.add(undoes)
        elif verb == UNDO:
            if event.id not in redone:
                undone.add(undoes)
        elif verb in UNDOABLE and event.id not in undone:
            return event
    return None


def redo_target(newest_first: Iterable[Event]) -> Event | None:
    """The undo of this person that redo would take back; None after any newer action."""
    redone: set[str] = set()
    for event in newest_first:
        verb = event.action.verb
        if verb == REDO:
            redone.add(event.action.undoes)
        elif verb == UNDO:
            if event.id not in redone:
                return event
        elif verb in UNDOABLE:
            return None
    return None
