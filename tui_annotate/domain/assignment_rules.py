"""Handed-out work: what was asked for, and the rules by which datasets are worked on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput


class AssignmentCause(StrEnum):
    """Why people have what they have.

    `found` is work that was begun before a dataset was handed out; `pool` is drawn by people
    themselves, `escalate` added where they disagree.
    """

    GIVE = "give"
    TOP_UP = "topup"
    MOVE = "move"
    REPEAT = "repeat"
    PRACTICE = "practice"
    POOL = "pool"
    ESCALATE = "escalate"
    FOUND = "found"


class DisagreementRule(StrEnum):
    """What counts as disagreement: one marks something and another nothing; or other labels too."""

    DIFFER = "differ"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Pool:
    """People take samples of a dataset from a pool, until each has `overlap` people.

    Attributes:
        order: `by-source`, `ingested`, `random:SEED`, or by a score as of the rule's creation.

    Raises:
        InvalidInput: the overlap is invalid.
    """

    overlap: int
    order: str
    handout: int = 0

    def __post_init__(self) -> None:
        if self.overlap < 1:
            raise InvalidInput(f"an overlap of {self.overlap}", "at least one person a sample")


@dataclass(frozen=True, slots=True)
class Escalation:
    """Adds `add` people to completed samples on which their annotators disagree.

    Raises:
        InvalidInput: no one would be added.
    """

    when: DisagreementRule
    add: int = 1
    handout: int = 0

    def __post_init__(self) -> None:
        if self.add < 1:
            raise InvalidInput(f"{self.add} more people", "add one at least")


@dataclass(frozen=True, slots=True)
class Practice:
    """A dataset with known answers: those of a person's id, or of an origin; the other is empty."""

    person: str = ""
    origin: str = ""
    handout: int = 0


def labels_disagree(
    views: Sequence[Collection[tuple[LabelPath, ...]]], when: DisagreementRule
) -> bool:
    """Return whether the labels of people who completed a sample disagree, by topmost label."""
    if len({bool(view) for view in views}) > 1:
        return True
    tops = {frozenset(path[:1] for labels in view for path in labels) for view in views}
    return when == DisagreementRule.LABEL and len(tops) > 1
