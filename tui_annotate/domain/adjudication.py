"""Origin of an adjudicated annotation: reviewer, action, source annotations, rejection reason.

Also what a reviewer must still decide before the adjudication of a sample can be completed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class ReviewAction(StrEnum):
    """What a reviewer did to make an adjudicated annotation, or to reject one."""

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


class OpenKind(StrEnum):
    """The kinds of undecided work on a sample, in the order in which a reviewer is asked.

    Attributes:
        CONFLICTS: groups of candidates without a decision.
        CHANGED: decisions on annotations or ratings that annotators changed afterwards.
        RATING: annotators' ratings that differ, without an adjudicated rating.
        COMMENTS: annotators' sample comments that differ, without an adjudicated comment.
        QUESTIONS: annotators' questions about the sample without an answer.
    """

    CONFLICTS = "conflicts"
    CHANGED = "changed"
    RATING = "rating"
    COMMENTS = "comments"
    QUESTIONS = "questions"


@dataclass(frozen=True, slots=True)
class OpenParts:
    """What is undecided on a sample, or changed after its decision, apart from open conflicts.

    Attributes:
        changed: letters of the annotators whose work is no longer the work that was adjudicated.
        stale: ids of annotators' annotations whose group changed after the decisions on it.
        stale_rating: whether annotators changed their ratings after the rating was decided.
        rating: whether ratings differ, without a decision.
        comments: letters of the annotators whose sample comments are not adjudicated.
        questions: number of annotators' questions about the sample without an answer.
    """

    changed: tuple[str, ...] = ()
    stale: frozenset[str] = frozenset()
    stale_rating: bool = False
    rating: bool = False
    comments: tuple[str, ...] = ()
    questions: int = 0


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
    """Convert an adjudication to the JSON object that an annotation has in its field `settled`."""
    values = {"how": settled.how.value, "sources": list(settled.sources)}
    return asdict(settled) | values | {"reason": settled.reason.value}


def adjudication_from_json(value: Any) -> Adjudication:
    """Parse what `adjudication_to_json` returns; ValueError for another form."""
    if not isinstance(value, Mapping):
        raise ValueError("the adjudication (field `settled`) is not a JSON object")
    by = value.get("by", "")
    note = value.get("note", "")
    sources = value.get("sources", [])
    if not isinstance(sources, list):
        raise ValueError("'sources' of the adjudication (field `settled`) is not a list")
    if not all(isinstance(word, str) for word in (by, note, *sources)):
        raise ValueError(
            "'by', 'note' and 'sources' of the adjudication (field `settled`) must be text"
        )
    how = ReviewAction(value.get("how", ""))
    reason = RejectionReason(value.get("reason", ""))
    return Adjudication(by, how, tuple(sorted(set(sources))), reason, note)
