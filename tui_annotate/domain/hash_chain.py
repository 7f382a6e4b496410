"""Verification of the event log: hash chains of events, and a digest over all chains."""

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
    """The first inconsistency in the hash chain of one person's work on a sample.

    Attributes:
        seq: number of the faulty event in its stream; 0, with empty texts, if no event exists.
        arrival: the event's position among all events of the log.
    """

    person: str
    dataset: str
    sample: str
    seq: int
    id: str
    at: str
    arrival: int
    message: str


def find_contradiction(event: Event, *, seq: int, prev: str, state: StreamState) -> str:
    """Return why an event cannot follow the previous events of a hash chain; empty if it can."""
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
    """The number and the hash of the last event of one person's work on one sample."""

    person: str
    dataset: str
    sample: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """A summary of the event log: counts, and a digest of each person's and sample's last event."""

    events: int
    streams: int
    last: str
    digest: str

    @property
    def token(self) -> str:
        """The short form `COUNT:DIGEST`, which `head_from_token` parses."""
        return f"{self.events}:{self.digest}"


def digest_heads(heads: Iterable[StreamHead]) -> tuple[int, str]:
    """Return the number of the given events, and the SHA-256 of their canonical JSON lines."""
    count = 0
    hashed = hashlib.sha256()
    for count, head in enumerate(heads, start=1):  # noqa: B007  the last one counts
        hashed.update(f"{canonical_json(list(head))}\n".encode())
    return count, hashed.hexdigest()


def head_from_token(token: str) -> tuple[int, str]:
    """Parse an event log's summary COUNT:DIGEST into (event count, digest), or InvalidInput."""
    found = _TOKEN.fullmatch(token.strip())
    if found is None:
        raise InvalidInput(
            f"{token!r} is not the head of an event log in the form COUNT:DIGEST",
            "give an existing file written by tui-annotate audit head --json, or its COUNT:DIGEST",
        )
    return int(found[1]), found[2]


def head_from_json(value: Any) -> StreamHead:
    """Parse an event head as `audit head --streams` prints it; InvalidInput for another form."""
    match value:
        case [str(), str(), str(), int(), str()]:
            return StreamHead(*value)
    raise InvalidInput(
        f"{value!r} is not a list of person, dataset, sample, event number and event hash",
        "give a file written by tui-annotate audit head --json",
    )
