"""Verification of the event log: the hash chain of each stream, and a digest of all heads."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.history import Event, StreamState, canonical_json, hash_event

_TOKEN: Final = re.compile(r"([0-9]{1,15}):([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class ChainFault:
    """The first inconsistency of a stream's hash chain.

    Attributes:
        seq: number of the faulty event in its stream; 0, with empty texts, if no event exists.
        at: the event's own time.
        arrival: the event's position among all events of the log.
        `says`: what is inconsistent.
    """

    person: str
    dataset: str
    sample: str
    seq: int
    id: str
    at: str
    arrival: int
    says: str


def find_contradiction(event: Event, *, seq: int, prev: str, state: StreamState) -> str:
    """Return why an event cannot follow its stream's previous events; empty if it can.

    `seq`: expected number. `prev`, `state`: hash and state after the previous event.
    """
    if event.seq != seq:
        return f"event {seq} is missing before this event"
    if event.hash != hash_event(event):
        return "the event's content does not match its hash"
    if event.prev != prev:
        return "the event's `prev` is not the hash of the previous event"
    if not state.matches(event.action.before):
        return "the old values stored in the event differ from the state before the event"
    return ""


class StreamHead(NamedTuple):
    """The head of a stream: number and hash of its last event."""

    person: str
    dataset: str
    sample: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """The head of the event log: event and stream counts, and a digest of all stream heads.

    Attributes:
        last: time of the newest event; empty for an empty log.
    """

    events: int
    streams: int
    last: str
    digest: str

    @property
    def token(self) -> str:
        """The head of the event log in the short form COUNT:DIGEST.

        With the head, the same log can be verified later, when it is longer.
        """
        return f"{self.events}:{self.digest}"


def digest_heads(heads: Iterable[StreamHead]) -> tuple[int, str]:
    """Return the number of sorted stream heads, and the SHA-256 of their canonical JSON lines."""
    count, hashed = 0, hashlib.sha256()
    for count, head in enumerate(heads, start=1):  # noqa: B007  the last one counts
        hashed.update(f"{canonical_json(list(head))}\n".encode())
    return count, hashed.hexdigest()


def head_from_token(token: str) -> tuple[int, str]:
    """Parse the head of an event log in the form COUNT:DIGEST into (event count, digest).

    Raises:
        InvalidInput: the token is not COUNT:DIGEST.
    """
    found = _TOKEN.fullmatch(token.strip())
    if found is None:
        raise InvalidInput(
            f"{token!r} is not the head of an event log in the form COUNT:DIGEST",
            "give an existing file written by tui-annotate audit head --json, or its COUNT:DIGEST",
        )
    return int(found[1]), found[2]


def head_from_json(value: Any) -> StreamHead:
    """Parse the head (last event) of one event stream, as `audit head --streams` prints it.

    Raises:
        InvalidInput: the value has another form.
    """
    match value:
        case [str(), str(), str(), int(), str()]:
            return StreamHead(*value)
    raise InvalidInput(
        f"{value!r} is not a stream head (person, dataset, sample, number, hash)",
        "give a file written by tui-annotate audit head --json",
    )
