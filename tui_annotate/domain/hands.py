"""What everybody holds while samples are handed out, and how it is made even afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tui_annotate.domain.samples import SampleKey


@dataclass(frozen=True, slots=True)
class Item:
    """A sample as far as sharing needs it.

    Attributes:
        place: grows in the order in which samples came.
        source: equal for the samples that one reading of the source serves.
        length: of its summary, in code points.
        score: what it is sorted by in the order `score`; None sorts behind all.
        held: how many people have it already.
    """

    key: SampleKey
    place: int = 0
    source: str = ""
    length: int = 0
    score: float | None = None
    held: int = 0


@dataclass(frozen=True, slots=True)
class Taker:
    """Somebody who may get samples: what they have already, and how many of these are open."""

    person: str
    has: Collection[SampleKey] = frozenset()
    open: int = 0


class Hands:
    """What everybody holds while samples are handed out."""

    def __init__(self, takers: Sequence[Taker]) -> None:
        known = sorted(takers, key=lambda taker: taker.person)
        self._has = {taker.person: taker.has for taker in known}
        self.given: dict[str, dict[SampleKey, Item]] = {taker.person: {} for taker in known}

    def _free(self, person: str, key: SampleKey) -> bool:
        return key not in self._has[person] and key not in self.given[person]

    def team(self, seed: str, item: Item) -> list[str]:
        """Everybody; who got least first, then by lot."""
        lots = draw(seed, "", item.key)
        place = {person: at for at, person in enumerate(self.given)}
        return sorted(
            self.given,
            key=lambda person: (
                len(self.given[person]),
                lots[place[person] % len(lots)],
                place[person],
            ),
        )

    def take(self, item: Item, team: Sequence[str], *, count: int) -> int:
        """Gives a sample to the first `count` of a team who may have it; how many there were."""
        takers = [person for person in team if self._free(person, item.key)][:count]
        for person in takers:
            self.given[person][item.key] = item
        return len(takers)

    def level(self) -> None:
        """Passes samples on from who got more to who got less, over others where need be.

        Ends where no chain of people is left that would make it more even.
        """
        people = sorted(self.given, key=lambda person: -len(self.given[person]))
        while people:
            steps = self._chain(people[0])
            for step in steps:
                del self.given[step.giver][step.item.key]
                self.given[step.taker][step.item.key] = step.item
            people = sorted(
                people if steps else people[1:], key=lambda person: -len(self.given[person])
            )

    def _chain(self, start: str) -> list[_Step]:
        """From somebody to the nearest person with two less, each able to give to the next."""
        least = len(self.given[start]) - 2
        if all(len(own) > least for own in self.given.values()):
            return []
        before: dict[str, _Step] = {}
        line = [start]
        for giver in line:
            others = sorted(self.given, key=lambda person: (len(self.given[person]), person))
            for taker in others:
                item = None if taker in line else self._passable(giver, taker)
                if item is None:
                    continue
                before[taker] = _Step(giver, taker, item)
                if len(self.given[taker]) <= least:
                    return _steps(before, taker)
                line.append(taker)
        return []

    def _passable(self, giver: str, taker: str) -> Item | None:
        own = reversed(self.given[giver].values())
        return next((item for item in own if self._free(taker, item.key)), None)


class _Step(NamedTuple):
    """A sample that one person passes on to another."""

    giver: str
    taker: str
    item: Item


def _steps(before: Mapping[str, _Step], end: str) -> list[_Step]:
    steps = [before[end]]
    while steps[-1].giver in before:
        steps.append(before[steps[-1].giver])
    return steps[::-1]


def draw(seed: str, person: str, *what: Any) -> bytes:
    """A lot: the same for the same seed, person and thing, and even over all others."""
    return hashlib.sha256("\0".join((seed, person, *map(repr, what))).encode()).digest()
