"""Origin of an adjudicated annotation: reviewer, action, source annotations, rejection reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class ReviewAction(StrEnum):
    TAKEN = "taken"
    MERGED = "merged"
    EDITED = "edited"
    OWN = "own"
    REJECTED = "rejected"


class RejectionReason(StrEnum):
    """A reason for which a reviewer rejects an annotation; the members are in display order.

    The empty reason means that only a note explains the rejection.
    """

    SLIP = "slip"
    GUIDELINE = "guideline"
    AMBIGUOUS = "ambiguous"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The origin of an adjudicated annotation: who adjudicated, how, and from which candidates.

    Attributes:
        sources: sorted ids of the candidate annotations; empty for a new annotation.
    """

    by: str
    how: ReviewAction
    sources: tuple[str, ...] = ()
    reason: RejectionReason = RejectionReason.NONE
    note: str = ""


def adjudication_to_json(settled: Adjudication) -> dict[str, Any]:
    values = {"how": settled.how.value, "sources": list(settled.sources)}
    return asdict(settled) | values | {"reason": settled.reason.value}


def adjudication_from_json(value: Any) -> Adjudication:
    """Parse what `adjudication_to_json` returns; ValueError for another form."""
    if not isinstance(value, Mapping):
        raise ValueError("the adjudication (field `settled`) is not a JSON object")
    by, note, sources = value.get("by", ""), value.get("note", ""), value.get("sources", [])
    if not isinstance(sources, list):
        raise ValueError("'sources' of the adjudication (field `settled`) is not a list")
    if not all(isinstance(word, str) for word in (by, note, *sources)):
        raise ValueError(
            "'by', 'note' and 'sources' of the adjudication (field `settled`) must be text"
        )
    how, reason = ReviewAction(value.get("how", "")), RejectionReason(value.get("reason", ""))
    return Adjudication(by, how, tuple(sorted(set(sources))), reason, note)
