"""How review came to an annotation: from whose, in which way, by whom, and why it was refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class ReviewAction(StrEnum):
    """What a reviewer did: the last of it, where it was several things."""

    TAKEN = "taken"
    MERGED = "merged"
    EDITED = "edited"
    OWN = "own"
    REJECTED = "rejected"


class RejectionReason(StrEnum):
    """Why something was refused, in the order in which it is offered; empty for words alone."""

    SLIP = "slip"
    GUIDELINE = "guideline"
    AMBIGUOUS = "ambiguous"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The origin of an adjudicated annotation.

    Attributes:
        by: the reviewer's id.
        sources: sorted ids of the candidates; empty for a new annotation.
    """

    by: str
    how: ReviewAction
    sources: tuple[str, ...] = ()
    reason: RejectionReason = RejectionReason.NONE
    note: str = ""


def adjudication_to_json(settled: Adjudication) -> dict[str, Any]:
    """As JSON values, in fixed order."""
    values = {"how": settled.how.value, "sources": list(settled.sources)}
    return asdict(settled) | values | {"reason": settled.reason.value}


def adjudication_from_json(value: Any) -> Adjudication:
    """The inverse of `adjudication_to_json`.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, Mapping):
        raise ValueError("'settled' does not tell how it was settled")
    by, note, sources = value.get("by", ""), value.get("note", ""), value.get("sources", [])
    if not isinstance(sources, list):
        raise ValueError("'settled' has no list of sources")
    if not all(isinstance(word, str) for word in (by, note, *sources)):
        raise ValueError("'settled' holds something that is no text")
    how, reason = ReviewAction(value.get("how", "")), RejectionReason(value.get("reason", ""))
    return Adjudication(by, how, tuple(sorted(set(sources))), reason, note)
