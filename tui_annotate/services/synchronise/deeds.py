"""What of somebody's work on a sample is worth a row, and when a row was written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.items import JUDGED
from tui_annotate.domain.records import Record
from tui_annotate.storage.work.plans import Stream


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
