"""What a log can prove: that each event follows its predecessor, and what it ended in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.history import Event, StreamState, canonical, digest

_TOKEN: Final = re.compile(r"([0-9]{1,15}):([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Break:
    """The first thing of a stream that does not fit.

    Attributes:
        person, dataset, sample: the stream; empty where no single one is meant.
        seq, id, at: of the event, `at` as it says itself; 0 and empty where there is none.
        arrival: the event's place among all events, as the store counts them.
        says: what does not fit.
    """

    person: str
    dataset: str
    sample: str
    seq: int
    id: str
    at: str
    arrival: int
    says: str


def contradiction(event: Event, *, seq: int, prev: str, state: StreamState) -> str:
    """Why an event can not be number `seq` of its stream; empty where it fits.

    Args:
        prev, state: the hash of the event before it, and the state that it left.
    """
    if event.seq != seq:
        return f"number {seq} of its stream is missing before it"
    if event.hash != digest(event):
        return "its content is not what its hash says"
    if event.prev != prev:
        return "the event before it is not the one that it was written behind"
    if not state.matches(event.action.before):
        return "it changes what did not stand there"
    return ""


class Head(NamedTuple):
    """Where a stream ends: number and hash of its last event."""

    person: str
    dataset: str
    sample: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """What all streams of a log end in, as one digest.

    Attributes:
        events: how many there are.
        streams: how many streams they stand in.
        last: what the event that came last says of its time; empty for an empty log.
    """

    events: int
    streams: int
    last: str
    digest: str

    @property
    def token(self) -> str:
        """Count and digest as one word: enough to find this head in a log that grew since."""
        return f"{self.events}:{self.digest}"


def heads_digest(heads: Iterable[Head]) -> tuple[int, str]:
    """How many heads, and SHA-256 over them: a line of canonical JSON each, sorted by stream.

    Args:
        heads: sorted by person, dataset, sample.
    """
    count, hashed = 0, hashlib.sha256()
    for count, head in enumerate(heads, start=1):  # noqa: B007  the last one counts
        hashed.update(f"{canonical(list(head))}\n".encode())
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


def head_from_json(value: Any) -> Head:
    """One of the heads in the JSON of `audit head --streams`.

    Raises:
        InvalidInput: it is none.
    """
    match value:
        case [str(), str(), str(), int(), str()]:
            return Head(*value)
    raise InvalidInput(
        f"{value!r} is no head of a stream", "give a file of tui-annotate audit head --json"
    )
