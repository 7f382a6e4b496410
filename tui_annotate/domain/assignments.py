"""Assignments: one person's work on one sample, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

IDLE_CAP = 60.0
"""Seconds of a gap between two actions that count as work; the rest of a longer gap is a pause."""


class State(StrEnum):
    """How far a person is with a sample."""

    NEW = "new"
    DRAFT = "draft"
    DONE = "done"
    SKIPPED = "skipped"
    FLAGGED = "flagged"
    REOPENED = "reopened"

    @property
    def finished(self) -> bool:
        """Whether the queue passes over it."""
        return self in (State.DONE, State.SKIPPED, State.FLAGGED)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One person's work on one sample.

    Attributes:
        comment: on the whole sample, also the reason of a flag or skip.
        seconds: without pauses.
        updated: ISO 8601, UTC, microseconds; may be empty.
    """

    person: str
    state: State = State.NEW
    rating: str = ""
    comment: str = ""
    seconds: float = 0.0
    updated: str = ""

    @property
    def begun(self) -> bool:
        """Whether it tells of anything but time."""
        return self.state is not State.NEW or bool(self.rating or self.comment)


def working_seconds(gap: float) -> float:
    """The part of a gap between two actions that counts as work, in seconds: [0, 60]."""
    return float(min(max(gap, 0.0), IDLE_CAP))
