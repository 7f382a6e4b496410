"""Handed-out work: what was asked for, and the rules by which datasets are worked on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput


class HandoutKind(StrEnum):
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


class When(StrEnum):
    """What counts as disagreement: one marks something and another nothing; or other labels too."""

    DIFFER = "differ"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Pool:
    """People draw the samples of a dataset, until each has `overlap` people.

    Attributes:
        order: in which they are drawn: `by-source`, `ingested`, `random:SEED`, or one by a
            score, as it stood when the rule was made.
        handout: under which what is drawn stands.

    Raises:
        InvalidInput: the overlap makes no sense.
    """

    overlap: int
    order: str
    handout: int = 0

    def __post_init__(self) -> None:
        if self.overlap < 1:
            raise InvalidInput(f"an overlap of {self.overlap}", "at least one person a sample")


@dataclass(frozen=True, slots=True)
class Escalation:
    """Where the people of a sample have finished and disagree, others get it too.

    Attributes:
        add: how many.
        handout: under which what is added stands.

    Raises:
        InvalidInput: nobody would be added.
    """

    when: When
    add: int = 1
    handout: int = 0

    def __post_init__(self) -> None:
        if self.add < 1:
            raise InvalidInput(f"{self.add} more people", "add one at least")


@dataclass(frozen=True, slots=True)
class Practice:
    """A dataset whose answers are known: those of a person, or those of an origin.

    Attributes:
        person: an id; empty where an origin is meant.
        origin: as in `RecordFilter`; empty where a person is meant.
    """

    person: str = ""
    origin: str = ""
    handout: int = 0


def disagree(views: Sequence[Collection[tuple[LabelPath, ...]]], when: When) -> bool:
    """Whether people who finished a sample disagree on it.

    Args:
        views: for each person, the labels of each annotation of theirs. The topmost part of a path
            is compared.
    """
    if len({bool(view) for view in views}) > 1:
        return True
    tops = {frozenset(path[:1] for labels in view for path in labels) for view in views}
    return when == When.LABEL and len(tops) > 1
