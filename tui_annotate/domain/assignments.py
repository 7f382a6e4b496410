"""Assignments: one person's work on one sample, with its state and working time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

IDLE_CAP = 60.0
"""Longest gap between two actions that counts as work, in seconds; any excess is a pause."""


class State(StrEnum):
    """The state of a person's work on a sample."""

    NEW = "new"
    DRAFT = "draft"
    DONE = "done"
    SKIPPED = "skipped"
    FLAGGED = "flagged"
    REOPENED = "reopened"

    @property
    def finished(self) -> bool:
        """Whether the queue skips a sample in this state."""
        return self in (State.DONE, State.SKIPPED, State.FLAGGED)


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment: one person's work on one sample.

    Attributes:
        comment: sample comment; also the reason of a flag or a skip.
        seconds: working time without pauses.
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
        """Whether the person did anything on the sample, apart from spending time on it."""
        return self.state is not State.NEW or bool(self.rating or self.comment)


def working_seconds(gap: float) -> float:
    """Return the working time, in [0, 60] seconds, of a gap between two actions."""
    return float(min(max(gap, 0.0), IDLE_CAP))
