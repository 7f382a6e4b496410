"""What of somebody's work on a sample is worth a row, when it was done, and how far they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.history import Event
from tui_annotate.domain.items import JUDGED
from tui_annotate.domain.merging import IDLE
from tui_annotate.domain.records import Record
from tui_annotate.storage.work.plans import Stream

KEY: Final = "worked"
"""Under it a row tells what its form has no place for: when the last deed was done, the state."""


def said(record: Record) -> bool:
    """Whether a person's record tells more than that they looked: marks, a rating, a comment.

    Of pairs also that they are finished, which is what is said of one with nothing wrong in it.
    """
    judged = record.sample.kind in JUDGED
    return bool(record.annotations) or any(
        one.rating or one.comment.strip() or (one.state.finished and not judged)
        for one in record.assignments
    )


def worked(stream: Stream) -> bool:
    """Whether more than time was spent on a sample."""
    told: Any = stream.state.assignment
    given = told["rating"] or told["comment"] or told["state"] != "new"
    return bool(stream.state.annotations or stream.state.suggestions or given)


def last_deed(events: Iterable[Event], *, since: str = "") -> str:
    """When the last deed among some events was done; empty for none.

    Args:
        since: the hash of the event behind which to look; those before it count for nothing.
    """
    last = ""
    for event in events:
        if event.action.verb not in IDLE:
            last = max(last, event.at)
        if event.hash == since:
            last = ""
    return last


def told_beside(record: Record, at: str) -> dict[str, Any]:
    """How far somebody is on a sample, and when they did something last, as a row tells it."""
    states = [one.state.value for one in record.assignments]
    return {"at": at, "state": states[0] if states else State.NEW.value}


def read_beside(value: Any) -> tuple[str, str]:
    """(moment, state) that a row tells; each empty where it does not, as other programs' rows.

    Raises:
        InvalidInput: it is no such thing.
    """
    if value is None:
        return "", ""
    if not isinstance(value, Mapping) or value.get("state") not in set(State):
        raise InvalidInput(f"its {KEY!r} names no state", "who wrote that row?")
    at = value.get("at")
    return moment(at) if isinstance(at, str) and at else "", str(value["state"])


def moment(told: str) -> str:
    """A time as a table writes it, as the store does.

    Raises:
        InvalidInput: it is none.
    """
    try:
        at = datetime.fromisoformat(told)
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"{told[:40]!r} is no time", "who wrote that row?") from error
    return at.isoformat(timespec="microseconds")
