"""How review came to an annotation: from whose, in which way, by whom, and why it was refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class How(StrEnum):
    """What a reviewer did: the last of it, where it was several things."""

    TAKEN = "taken"
    MERGED = "merged"
    EDITED = "edited"
    OWN = "own"
    REJECTED = "rejected"


class Reason(StrEnum):
    """Why something was refused, in the order in which it is offered; empty for words alone."""

    SLIP = "slip"
    GUIDELINE = "guideline"
    AMBIGUOUS = "ambiguous"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """Where a settled annotation comes from.

    Attributes:
        by: the reviewer's id.
        how: what they did.
        sources: ids of the annotations that it was made from, sorted; empty for one of their own.
        reason, note: why it was refused; both may be empty for what was not.
    """

    by: str
    how: How
    sources: tuple[str, ...] = ()
    reason: Reason = Reason.NONE
    note: str = ""


def settled_to_json(settled: Settled) -> dict[str, Any]:
    """As JSON values, in fixed order."""
    return {
        "by": settled.by,
        "how": settled.how.value,
        "sources": list(settled.sources),
        "reason": settled.reason.value,
        "note": settled.note,
    }


def settled_from_json(value: Any) -> Settled:
    """The inverse of `settled_to_json`.

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
    how, reason = How(value.get("how", "")), Reason(value.get("reason", ""))
    return Settled(by, how, tuple(sorted(set(sources))), reason, note)
