"""Who gets which samples, in which order: the same answer for the same question and seed.

Nobody gets a sample that they have. Loads are as even as that allows; a source's samples stay with
the same people as far as evenness allows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey

_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)(%?)", re.ASCII)


class Sorting(StrEnum):
    """How the samples of a share are picked and walked."""

    BY_SOURCE = "by-source"
    INGESTED = "ingested"
    RANDOM = "random"
    SCORE = "score"


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


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for.

    Attributes:
        share: how many samples: a number, a part such as `30%`, or `all`.
        overlap: how many people a sample, those who have it already counted.
        sorting: which samples come first, for picking and for reading.
        descending: the other way round, for the order `score`.
        seed: of every draw; any text.

    Raises:
        InvalidInput: the share or the overlap makes no sense.
    """

    share: str = "all"
    overlap: int = 1
    sorting: Sorting = Sorting.BY_SOURCE
    descending: bool = False
    seed: str = "1"

    def __post_init__(self) -> None:
        if self.overlap < 1:
            raise InvalidInput(f"an overlap of {self.overlap}", "at least one person a sample")
        part(self.share, 1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who gets what.

    Attributes:
        given: by person, their samples in the order in which they read them.
        short: places that nobody could take: a person too few for a sample each, or a sample too
            few for somebody who was to get more.
    """

    given: Mapping[str, tuple[Item, ...]]
    short: int = 0


def part(share: str, total: int) -> int:
    """How many of `total` a share is: `12`, `30%` (rounded, at least one), or `all`.

    Raises:
        InvalidInput: it is none of these, or nothing, or more than all.
    """
    if share == "all":
        return total
    match = _SHARE.fullmatch(share)
    number = float(match[1]) if match else 0.0
    percent = bool(match and match[2])
    whole = number.is_integer() or percent
    if not number or not whole or (percent and number > 100):
        raise InvalidInput(f"{share!r} is no share", "write a number, a part as 30%, or all")
    if percent:
        return min(max(int(total * number / 100 + 0.5), 1), total)
    return min(int(number), total)


def give(items: Sequence[Item], takers: Sequence[Taker], wish: Wish) -> Outcome:
    """Hands out a share of samples, each to as many people as the overlap asks for.

    Those are picked that lack people, first in the order first. Where nobody has anything yet, the
    numbers that people get differ by one at most, and with the order by source a source is split
    among others only as far as that needs.
    """
    wanted = part(wish.share, len(items))
    lacking = [item for item in ordered(items, wish) if item.held < wish.overlap][:wanted]
    need = {item.key: wish.overlap - item.held for item in lacking}
    together = wish.sorting is Sorting.BY_SOURCE
    return _sorted(spread(lacking, takers, need=need, together=together, seed=wish.seed), wish)


def top_up(items: Sequence[Item], takers: Sequence[Taker], wish: Wish, *, to: int) -> Outcome:
    """Brings each person up to `to` open samples; who lacks most takes first."""
    rest = {item.key: wish.overlap - item.held for item in items}
    line = ordered(items, wish)
    given: dict[str, tuple[Item, ...]] = {}
    short = 0
    for taker in sorted(takers, key=lambda each: (each.open, each.person)):
        lacks = max(to - taker.open, 0)
        own = [each for each in line if rest[each.key] > 0 and each.key not in taker.has][:lacks]
        for item in own:
            rest[item.key] -= 1
        given[taker.person] = tuple(own)
        short += lacks - len(own)
    return _sorted(Outcome(given, short), wish)


def again(items: Sequence[Item], wish: Wish, *, person: str) -> tuple[Item, ...]:
    """The share of somebody's own samples that they are to read a second time, drawn by seed."""
    drawn = sorted(items, key=lambda item: _draw(wish.seed, person, "again", item.key))
    return tuple(drawn[: part(wish.share, len(items))])


def ordered(items: Sequence[Item], wish: Wish, *, person: str = "") -> list[Item]:
    """Samples in the order that is asked for; with `random` each person has an order of their own.

    Ties go by arrival.
    """
    came = sorted(items, key=lambda item: item.place)
    if wish.sorting is Sorting.RANDOM:
        return sorted(came, key=lambda item: _draw(wish.seed, person, item.key))
    if wish.sorting is Sorting.SCORE:
        sign = -1.0 if wish.descending else 1.0
        return sorted(came, key=lambda item: (item.score is None, sign * (item.score or 0.0)))
    if wish.sorting is Sorting.BY_SOURCE:
        first: dict[str, int] = {}
        for item in came:
            first.setdefault(item.source, item.place)
        return sorted(came, key=lambda item: first[item.source])
    return came


def spread(
    items: Sequence[Item],
    takers: Sequence[Taker],
    *,
    need: Mapping[SampleKey, int],
    together: bool,
    seed: str,
) -> Outcome:
    """Gives each sample to as many people as it needs, with loads as even as can be.

    Args:
        need: how many people each sample needs.
        together: the samples of a source go to the same people first.
    """
    hands = _Hands(takers)
    short = 0
    for block in _blocks(items, together=together):
        team = hands.team(seed, block[0])
        for item in block:
            short += need[item.key] - hands.take(item, team, count=need[item.key])
    hands.level()
    return Outcome({person: tuple(own.values()) for person, own in hands.given.items()}, short)


def _blocks(items: Sequence[Item], *, together: bool) -> list[list[Item]]:
    """Samples that go to the same people; the largest first, so that the small ones even it out."""
    if not together:
        return [[item] for item in items]
    blocks: dict[str, list[Item]] = {}
    for item in items:
        blocks.setdefault(item.source, []).append(item)
    return sorted(blocks.values(), key=len, reverse=True)


class _Hands:
    """What everybody holds while samples are handed out."""

    def __init__(self, takers: Sequence[Taker]) -> None:
        known = sorted(takers, key=lambda taker: taker.person)
        self._has = {taker.person: taker.has for taker in known}
        self.given: dict[str, dict[SampleKey, Item]] = {taker.person: {} for taker in known}

    def _free(self, person: str, key: SampleKey) -> bool:
        return key not in self._has[person] and key not in self.given[person]

    def team(self, seed: str, item: Item) -> list[str]:
        """Everybody; who got least first, then by lot."""
        lots = _draw(seed, "", item.key)
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


def _sorted(outcome: Outcome, wish: Wish) -> Outcome:
    """Each person's samples in the order in which they read them."""
    given = {
        person: tuple(ordered(items, wish, person=person))
        for person, items in outcome.given.items()
    }
    return Outcome(given, outcome.short)


def _draw(seed: str, person: str, *what: Any) -> bytes:
    return hashlib.sha256("\0".join((seed, person, *map(repr, what))).encode()).digest()
