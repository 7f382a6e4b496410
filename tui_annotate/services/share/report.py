"""What is told of handed-out work: who got what, how far everybody is, which rules hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_annotate.domain.sharing import Item


@dataclass(frozen=True, slots=True)
class Got:
    """What one person got.

    Attributes:
        samples: how many.
        sources: how many different sources these have.
        characters: of their summaries, together.
        had: how many samples they had before, of the same dataset.
    """

    person: str
    name: str
    samples: int
    sources: int
    characters: int
    had: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """What was handed out, or would be.

    Attributes:
        handout: its number, for undo; 0 where nothing was written.
        samples: how many different ones.
        short: places that nobody could take; see `domain.sharing.Outcome`.
    """

    handout: int
    samples: int
    people: tuple[Got, ...]
    short: int = 0


@dataclass(frozen=True, slots=True)
class Stand:
    """How far somebody is with what they have of a dataset.

    Attributes:
        drawn: how many of `samples` they drew themselves.
        practice: how many are for practice.
    """

    dataset: str
    person: str
    name: str
    samples: int
    finished: int
    begun: int
    drawn: int
    practice: int

    @property
    def open(self) -> int:
        """Neither finished nor begun."""
        return self.samples - self.finished - self.begun


@dataclass(frozen=True, slots=True)
class Ruled:
    """A rule of a dataset, in words.

    Attributes:
        waiting: samples that wait for somebody: to draw them, or to be added to them.
    """

    dataset: str
    rule: str
    waiting: int


@dataclass(frozen=True, slots=True)
class InForce:
    """What a rule does as it is given.

    Attributes:
        handout: its number, for undo; 0 where none was made.
        waiting: samples that wait to be drawn, or for somebody to be free.
        added: samples that went to somebody more.
    """

    handout: int
    waiting: int
    added: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """A handout, as it is listed."""

    id: int
    at: str
    by: str
    kind: str
    dataset: str
    asked: Mapping[str, Any]
    undone: str


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is handed out."""

    stands: tuple[Stand, ...]
    rules: tuple[Ruled, ...]
    handouts: tuple[Given, ...]


def got(person: str, name: str, items: Sequence[Item], *, had: int) -> Got:
    """What one person got of some samples."""
    sources = len({item.source for item in items})
    return Got(person, name, len(items), sources, sum(item.length for item in items), had)


def dealt(people: Sequence[Got], items: Sequence[Item], *, short: int) -> Dealt:
    """What would be handed out; nothing of it is written."""
    return Dealt(0, len({item.key for item in items}), tuple(people), short)
