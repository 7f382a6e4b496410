"""Who gets which samples, in which order: the same answer for the same question and seed.

Nobody gets a sample that they have. Loads are as even as that allows; a source's samples stay with
the same people as far as evenness allows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.hands import Hands, Item, Taker, draw
from tui_annotate.domain.samples import SampleKey

__all__ = [
    "Item",
    "Outcome",
    "Sorting",
    "Taker",
    "Wish",
    "again",
    "give",
    "ordered",
    "part",
    "spread",
    "top_up",
]

_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)(%?)", re.ASCII)


class Sorting(StrEnum):
    """How the samples of a share are picked and walked."""

    BY_SOURCE = "by-source"
    INGESTED = "ingested"
    RANDOM = "random"
    SCORE = "score"


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
    drawn = sorted(items, key=lambda item: draw(wish.seed, person, "again", item.key))
    return tuple(drawn[: part(wish.share, len(items))])


def ordered(items: Sequence[Item], wish: Wish, *, person: str = "") -> list[Item]:
    """Samples in the order that is asked for; with `random` each person has an order of their own.

    Ties go by arrival.
    """
    came = sorted(items, key=lambda item: item.place)
    if wish.sorting is Sorting.RANDOM:
        return sorted(came, key=lambda item: draw(wish.seed, person, item.key))
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
    hands = Hands(takers)
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


def _sorted(outcome: Outcome, wish: Wish) -> Outcome:
    """Each person's samples in the order in which they read them."""
    given = {
        person: tuple(ordered(items, wish, person=person))
        for person, items in outcome.given.items()
    }
    return Outcome(given, outcome.short)
