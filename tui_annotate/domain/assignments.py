"""Assignments: one person's work on one sample, with its state and working time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

IDLE_CAP = 60.0
"""Longest gap between two actions that counts as working time, in seconds; the rest is a pause."""


class State(StrEnum):
    """State of one person's work on a sample."""

    NEW = "new"
    DRAFT = "draft"
    DONE = "done"
    SKIPPED = "skipped"
    FLAGGED = "flagged"
    REOPENED = "reopened"

    @property
    def finished(self) -> bool:
        """Whether the person ended work on the sample for now, completed or not."""
        return self in (State.DONE, State.SKIPPED, State.FLAGGED)

    @property
    def display_name(self) -> str:
        """The one name of the state on screens, in the output of commands and in reports."""
        return _DISPLAY_NAMES.get(self, self.value)


_DISPLAY_NAMES = {State.DRAFT: "in progress", State.DONE: "completed"}


def describe_set_aside(skipped: int, flagged: int, locked: int = 0) -> str:
    """Return the numbers of skipped, flagged and locked samples, such as `2 skipped, 1 flagged`.

    The text is empty if all are 0.
    """
    counts = (
        (skipped, State.SKIPPED.display_name),
        (flagged, State.FLAGGED.display_name),
        (locked, "locked"),
    )
    return ", ".join(f"{count:,} {name}" for count, name in counts if count)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One person's work on one sample: its state, rating, comment and working time.

    Attributes:
        comment: sample comment; also the reason of a flag or a skip.
        seconds: working time without pauses.
        edited_after_adjudication: whether the person changed the work after the sample was first
            adjudicated; only exports compute it, from the event log.
    """

    person: str
    state: State = State.NEW
    rating: str = ""
    comment: str = ""
    seconds: float = 0.0
    updated: str = ""
    edited_after_adjudication: bool = False

    @property
    def begun(self) -> bool:
        """Whether the person did anything on the sample, apart from spending time on it."""
        return self.state is not State.NEW or bool(self.rating or self.comment)


def working_seconds(gap: float) -> float:
    """Return how many seconds of a gap between two actions count as work; at most 60."""
    return float(min(max(gap, 0.0), IDLE_CAP))
