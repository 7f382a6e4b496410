"""The log: one event an action, chained by hash; state is what replaying it gives.

An event says what the touched parts of a stream were before and are after. So replaying is taking
`after`, undoing is an event with the two exchanged, and a stale writer is one whose `before` no
longer holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Final, NamedTuple

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict

UNDO: Final = "undo"
REDO: Final = "redo"
READ: Final = "read"
"""Time on a sample without an action: kept, never undone."""
IMPORT: Final = "import"
"""Work that came from a file: never undone, as nobody did it here."""
DISCARD: Final = "discard"
"""The sample was taken out of the corpus: what came before it in its stream is beyond undo."""
RELABEL: Final = "relabel"
"""The label set changed: what came before it in its stream is beyond undo for those who did it.

Its own undoing is another of its kind, which says by `undoes` what it takes back.
"""
JOIN: Final = "join"
"""Two copies of a stream were brought together: what came before it is beyond undo."""
ENDS: Final = frozenset({DISCARD, RELABEL, JOIN})
"""What came before one of these in its stream is beyond undo."""
_REVIEW_VERBS: Final = frozenset({"take", "merge", "reject", "own"})
"""What reviewers do besides editing and finishing."""
UNDOABLE: Final = _REVIEW_VERBS | {
    "add", "edit", "remove", "rate", "comment", "done", "skip", "flag", "reopen", "clear",
    "accept", "refuse",
}  # fmt: skip

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """The changed parts of a stream; None removes an annotation or an answer.

    Attributes:
        assignment: of `state`, `rating`, `comment`.
        suggestions: answers by suggestion id.
    """

    annotations: Mapping[str, Payload | None] = field(default_factory=dict)
    assignment: Mapping[str, str] = field(default_factory=dict)
    suggestions: Mapping[str, Payload | None] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it is stored and hashed; without answers as it was before there were any."""
        value = {"annotations": dict(self.annotations), "assignment": dict(self.assignment)}
        return value | ({"suggestions": dict(self.suggestions)} if self.suggestions else {})

    @classmethod
    def from_json(cls, value: Payload) -> Change:
        """The inverse of `as_json`."""
        return cls(value["annotations"], value["assignment"], value.get("suggestions", {}))


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """An action that is not in the log yet.

    Attributes:
        undoes: the id of the undone event.
        batch: shared by events that undo reverses as one.
    """

    verb: str
    before: Change
    after: Change
    undoes: str = ""
    batch: str = ""

    def inverse(self, event_id: str, *, verb: str = UNDO, batch: str = "") -> PendingEvent:
        """Return the action that undoes this one, logged as `event_id`; `batch` may be empty."""
        return PendingEvent(verb, self.after, self.before, undoes=event_id, batch=batch)


@dataclass(frozen=True, slots=True)
class Event:
    """An action in the log. A stream is one person's work on one sample.

    Attributes:
        id: a uuid made by the writer.
        seq: the event's place in its stream, from 1, without gaps: the only order that counts.
        person, dataset, sample: the stream: the person's id, and the sample's key.
        at: ISO 8601, UTC, microseconds: for people, never used to order.
        seconds: time of work since this person's last event, pauses taken out.
        versions: hashes of label set and guidelines in force, assist in use, by name.
        prev: the hash of the event before it in the stream; empty for the first.
        hash: SHA-256 over `prev` and the canonical JSON of all else.
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
        """(person, dataset, sample)."""
        return self.person, self.dataset, self.sample


def chain_event(event: Event, *, seq: int, prev: str) -> Event:
    """The event as number `seq` of its stream, behind the one whose hash is `prev`."""
    placed = replace(event, seq=seq, prev=prev, hash="")
    return replace(placed, hash=hash_event(placed))


def hash_event(event: Event) -> str:
    """SHA-256 over `prev` and the event's canonical JSON (sorted keys, ASCII), in hex."""
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
    """JSON values as the one text that stands for them: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class StreamState:
    """One person's work on one sample, as the log tells it."""

    annotations: Mapping[str, Payload] = field(default_factory=dict)
    assignment: Mapping[str, str] = field(
        default_factory=lambda: {"state": State.NEW.value, "rating": "", "comment": ""}
    )
    seconds: float = 0.0
    suggestions: Mapping[str, Payload] = field(default_factory=dict)

    def applied(self, action: PendingEvent, *, seconds: float = 0.0) -> StreamState:
        """The state after an action.

        Raises:
            Conflict: what the action found before it is not what stands here.
        """
        if not self.matches(action.before):
            raise Conflict(
                f"the sample changed since {action.verb!r} was prepared",
                "look at it as it is now, and do it again",
            )
        after = action.after
        return StreamState(
            _merge(self.annotations, after.annotations),
            {**self.assignment, **after.assignment},
            self.seconds + seconds,
            _merge(self.suggestions, after.suggestions),
        )

    def matches(self, change: Change) -> bool:
        """Whether the touched parts stand here exactly as `change` says."""
        return (
            _same_values(self.annotations, change.annotations)
            and _same_values(self.assignment, change.assignment)
            and _same_values(self.suggestions, change.suggestions)
        )

    def same(self, other: StreamState) -> bool:
        """Whether two states say the same; `==` holds a NaN of a foreign record for different."""
        return self.alike(other) and self.seconds == other.seconds

    def alike(self, other: StreamState) -> bool:
        """Whether the same work stands, time aside."""
        return (
            self.annotations.keys() == other.annotations.keys()
            and self.suggestions.keys() == other.suggestions.keys()
            and self.matches(Change(other.annotations, other.assignment, other.suggestions))
        )


def _merge(old: Mapping[str, Payload], new: Mapping[str, Payload | None]) -> dict[str, Payload]:
    return {key: value for key, value in {**old, **new}.items() if value is not None}


def _same_values(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether JSON values are the same; also with a NaN in them, as foreign records have."""
    pairs = ((there.get(key), value) for key, value in wanted.items())
    return all(one == other or canonical_json(one) == canonical_json(other) for one, other in pairs)


def replay(events: Iterable[Event]) -> StreamState:
    """The state of one stream from its events in order.

    Raises:
        Conflict: an event does not follow from those before it: order, hash or content.
    """
    state = StreamState()
    prev = ""
    for seq, event in enumerate(events, start=1):
        if event != chain_event(event, seq=seq, prev=prev):
            raise Conflict(
                f"event {event.id} does not follow number {seq - 1} of its stream",
                "the log was altered, or two copies of it diverged",
            )
        state = state.applied(event.action, seconds=event.seconds)
        prev = event.hash
    return state


def last_action_time(events: Iterable[Event]) -> str:
    """When the annotator last acted in a stream; a change of the labels is not their action.

    Args:
        events: of the stream, in order; with nothing else in it, the first says when.
    """
    return reduce(later_action_time, events, "")


def later_action_time(last: str, event: Event) -> str:
    """The last action time with one more event; `last` is the time before it, or empty."""
    return last if last and event.action.verb == RELABEL else event.at


class LoggedAction(NamedTuple):
    """What undo and redo must know of an event; the rest need not be read to find their target."""

    id: str
    verb: str
    undoes: str
    stream: tuple[str, str, str]


def find_undo_target(newest_first: Iterable[LoggedAction]) -> LoggedAction | None:
    """The action of one person that undo would reverse; None where there is nothing left."""
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
        elif action.verb in UNDOABLE and action.id not in undone and action.stream not in gone:
            return action
    return None


def find_redo_target(newest_first: Iterable[LoggedAction]) -> LoggedAction | None:
    """The undo of one person that redo would reverse; None after any newer action."""
    redone: set[str] = set()
    gone: set[tuple[str, str, str]] = set()
    for action in newest_first:
        if action.verb == REDO:
            redone.add(action.undoes)
        elif action.verb in ENDS:
            gone.add(action.stream)
        elif action.verb == UNDO:
            if action.id not in redone and action.stream not in gone:
                return action
        elif action.verb in UNDOABLE and action.stream not in gone:
            return None
    return None
