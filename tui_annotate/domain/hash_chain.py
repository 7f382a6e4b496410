"""What a log can prove: that each event follows its predecessor, and what it ended in."""

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
    """The first inconsistency of a stream; `seq` 0 and empty texts where there is no event.

    Attributes:
        at: the event's own time.
        arrival: its position among all events.
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
    """Return why an event can not follow `prev` and `state` as number `seq`; else empty."""
    if event.seq != seq:
        return f"number {seq} of its stream is missing before it"
    if event.hash != hash_event(event):
        return "its content is not what its hash says"
    if event.prev != prev:
        return "the event before it is not the one that it was written behind"
    if not state.matches(event.action.before):
        return "it changes what did not stand there"
    return ""


class StreamHead(NamedTuple):
    """Where a stream ends: number and hash of its last event."""

    person: str
    dataset: str
    sample: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """A digest of the ends of all streams; `last` is the time of the newest event, may be empty."""

    events: int
    streams: int
    last: str
    digest: str

    @property
    def token(self) -> str:
        """Count and digest as one word: enough to find this head in a log that grew since."""
        return f"{self.events}:{self.digest}"


def digest_heads(heads: Iterable[StreamHead]) -> tuple[int, str]:
    """Return the number of sorted heads, and SHA-256 over their lines of canonical JSON."""
    count, hashed = 0, hashlib.sha256()
    for count, head in enumerate(heads, start=1):  # noqa: B007  the last one counts
        hashed.update(f"{canonical_json(list(head))}\n".encode())
    return count, hashed.hexdigest()


def head_from_token(token: str) -> tuple[int, str]:
    """The count of events and the digest of a `LogHead.token`.

    Raises:
        InvalidInput: it is none.
    """
    found = _TOKEN.fullmatch(token.strip())
    if found is None:
        raise InvalidInput(
            f"{token!r} is no head of a log",
            "give a file of tui-annotate audit head --json that is there, or its COUNT:DIGEST",
        )
    return int(found[1]), found[2]


def head_from_json(value: Any) -> StreamHead:
    """One of the heads in the JSON of `audit head --streams`.

    Raises:
        InvalidInput: it is none.
    """
    match value:
        case [str(), str(), str(), int(), str()]:
            return StreamHead(*value)
    raise InvalidInput(
        f"{value!r} is no head of a stream", "give a file of tui-annotate audit head --json"
    )
