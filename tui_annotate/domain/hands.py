"""What everybody holds while samples are handed out, and how it is made even afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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
            chain = self._chain(people[0])
            if chain:
                for giver, taker in pairwise(chain):
                    self._pass_on(giver, taker)
            else:
                people = people[1:]
            people.sort(key=lambda person: -len(self.given[person]))

    def _chain(self, start: str) -> list[str]:
        """From somebody to the nearest person with two less, each able to give to the next."""
        least = len(self.given[start]) - 2
        if all(len(own) > least for own in self.given.values()):
            return []
        before = {start: ""}
        line = [start]
        for giver in line:
            others = sorted(self.given, key=lambda person: (len(self.given[person]), person))
            for taker in others:
                if taker in before or self._passable(giver, taker) is None:
                    continue
                before[taker] = giver
                if len(self.given[taker]) <= least:
                    return _path(before, taker)
                line.append(taker)
        return []

    def _passable(self, giver: str, taker: str) -> Item | None:
        own = reversed(self.given[giver].values())
        return next((item for item in own if self._free(taker, item.key)), None)

    def _pass_on(self, giver: str, taker: str) -> None:
        item = self._passable(giver, taker)
        if item is not None:
            del self.given[giver][item.key]
            self.given[taker][item.key] = item


def _path(before: Mapping[str, str], end: str) -> list[str]:
    path = [end]
    while before[path[-1]]:
        path.append(before[path[-1]])
    return path[::-1]


def draw(seed: str, person: str, *what: Any) -> bytes:
    """A lot: the same for the same seed, person and thing, and even over all others."""
    return hashlib.sha256("\0".join((seed, person, *map(repr, what))).encode()).digest()
