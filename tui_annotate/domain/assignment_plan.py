"""Assignment plans: which people receive which samples, in which order, for a given random seed.

A plan is deterministic for the same input and seed. No person receives a sample twice. Loads are
balanced first; samples of one source then stay with the same people as far as possible.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.keyword_names import check_field_names
from tui_annotate.domain.samples import SampleKey

_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)(%?)", re.ASCII)


class AssignmentOrder(StrEnum):
    """The order in which samples are selected for an assignment, and shown to its assignee."""

    BY_SOURCE = "by-source"
    INGESTED = "ingested"
    RANDOM = "random"
    SCORE = "score"


@check_field_names(share="count", sorting="order")
@dataclass(frozen=True, slots=True)
class AssignmentOptions:
    """Options of an assignment of samples to people.

    Attributes:
        count: how many samples to assign: a number, a percentage such as `30%`, or `all`.
        overlap: people for each sample, including its current assignees.

    Raises:
        InvalidInput: the count or the overlap is invalid.
    """

    count: str = "all"
    overlap: int = 1
    order: AssignmentOrder = AssignmentOrder.BY_SOURCE
    descending: bool = False
    seed: str = "1"

    def __post_init__(self) -> None:
        if self.overlap < 1:
            raise InvalidInput(
                f"invalid overlap {self.overlap}", "assign each sample to at least one person"
            )
        share_size(self.count, 1)


@dataclass(frozen=True, slots=True)
class AssignmentPlan:
    """The samples to assign to each person, in reading order.

    Attributes:
        short: number of assignments for which no eligible person was left.
    """

    given: Mapping[str, tuple[AllocationItem, ...]]
    short: int = 0


def share_size(share: str, total: int) -> int:
    """Convert an amount of samples, such as `12`, `30%` or `all`, into a number of samples.

    A percentage of `total` is rounded, to at least one sample; a number is at most `total`.

    Raises:
        InvalidInput: the amount has another form, is zero, or is above 100%.
    """
    if share == "all":
        return total
    match = _SHARE.fullmatch(share)
    number = float(match[1]) if match else 0.0
    percent = bool(match and match[2])
    whole = number.is_integer() or percent
    if not number or not whole or (percent and number > 100):
        raise InvalidInput(
            f"{share!r} is not a number of samples",
            "write a number of samples, a percentage such as 30%, or all",
        )
    if percent:
        return min(max(int(total * number / 100 + 0.5), 1), total)
    return min(int(number), total)


def plan_assignment(
    items: Sequence[AllocationItem], assignees: Sequence[Assignee], options: AssignmentOptions
) -> AssignmentPlan:
    """Plan which people get which samples, until each sample has the requested number of people.

    Samples that lack people are selected in the requested order. Without earlier assignments, the
    loads differ by at most one sample. With the order by source, the samples of a source go to the
    same people unless that would unbalance the loads.
    """
    wanted = share_size(options.count, len(items))
    lacking = [item for item in order_items(items, options) if item.held < options.overlap][:wanted]
    need = {item.key: options.overlap - item.held for item in lacking}
    together = options.order is AssignmentOrder.BY_SOURCE
    return _sort_plan(
        distribute(lacking, assignees, need=need, together=together, seed=options.seed), options
    )


def plan_top_up(
    items: Sequence[AllocationItem],
    assignees: Sequence[Assignee],
    options: AssignmentOptions,
    *,
    to: int,
) -> AssignmentPlan:
    """Plan an assignment after which each person has `to` open samples, if enough are left.

    People with the fewest open samples choose first, in the requested order of samples.
    """
    rest = {item.key: options.overlap - item.held for item in items}
    line = order_items(items, options)
    given: dict[str, tuple[AllocationItem, ...]] = {}
    short = 0
    for assignee in sorted(assignees, key=lambda each: (each.open, each.person)):
        lacks = max(to - assignee.open, 0)
        own = [each for each in line if rest[each.key] > 0 and each.key not in assignee.has][:lacks]
        for item in own:
            rest[item.key] -= 1
        given[assignee.person] = tuple(own)
        short += lacks - len(own)
    return _sort_plan(AssignmentPlan(given, short), options)


def draw_second_readings(
    items: Sequence[AllocationItem], options: AssignmentOptions, *, person: str
) -> tuple[AllocationItem, ...]:
    """Select at random, by seed, the samples that a person annotates a second time."""
    drawn = sorted(items, key=lambda item: draw(options.seed, person, "again", item.key))
    return tuple(drawn[: share_size(options.count, len(items))])


def order_items(
    items: Sequence[AllocationItem], options: AssignmentOptions, *, person: str = ""
) -> list[AllocationItem]:
    """Return samples in the requested order, ties in import order; `random` differs by person."""
    came = sorted(items, key=lambda item: item.place)
    if options.order is AssignmentOrder.RANDOM:
        return sorted(came, key=lambda item: draw(options.seed, person, item.key))
    if options.order is AssignmentOrder.SCORE:
        sign = -1.0 if options.descending else 1.0
        return sorted(came, key=lambda item: (item.score is None, sign * (item.score or 0.0)))
    if options.order is AssignmentOrder.BY_SOURCE:
        first: dict[str, int] = {}
        for item in came:
            first.setdefault(item.source, item.place)
        return sorted(came, key=lambda item: first[item.source])
    return came


def distribute(
    items: Sequence[AllocationItem],
    assignees: Sequence[Assignee],
    *,
    need: Mapping[SampleKey, int],
    together: bool,
    seed: str,
) -> AssignmentPlan:
    """Assign each sample to as many people as needed, with balanced numbers of samples.

    Args:
        together: gives all samples of one source to the same people, as far as possible.
    """
    allocation = Allocation(assignees)
    short = 0
    for block in _by_source(items, together=together):
        team = allocation.team(seed, block[0])
        for item in block:
            short += need[item.key] - allocation.take(item, team, count=need[item.key])
    allocation.level()
    return AssignmentPlan(
        {person: tuple(own.values()) for person, own in allocation.given.items()}, short
    )


def _by_source(items: Sequence[AllocationItem], *, together: bool) -> list[list[AllocationItem]]:
    """Group samples by source, if `together`, largest groups first.

    Small groups come last because they balance the number of samples of each person.
    """
    if not together:
        return [[item] for item in items]
    blocks: dict[str, list[AllocationItem]] = {}
    for item in items:
        blocks.setdefault(item.source, []).append(item)
    return sorted(blocks.values(), key=len, reverse=True)


def _sort_plan(outcome: AssignmentPlan, options: AssignmentOptions) -> AssignmentPlan:
    given = {
        person: tuple(order_items(items, options, person=person))
        for person, items in outcome.given.items()
    }
    return AssignmentPlan(given, outcome.short)


@dataclass(frozen=True, slots=True)
class AllocationItem:
    """A sample to be assigned, with the values that decide who gets it.

    Attributes:
        `place`: index in import order.
        source: equal for samples with the same source.
        score: value for the order by score; None sorts last.
        held: number of people who have the sample already.
    """

    key: SampleKey
    place: int = 0
    source: str = ""
    length: int = 0
    score: float | None = None
    held: int = 0


@dataclass(frozen=True, slots=True)
class Assignee:
    """A person who can receive samples, with the samples that the person has already."""

    person: str
    has: Collection[SampleKey] = frozenset()
    open: int = 0


class Allocation:
    """The samples planned for each person so far, while an assignment plan is computed."""

    def __init__(self, assignees: Sequence[Assignee]) -> None:
        known = sorted(assignees, key=lambda assignee: assignee.person)
        self._has = {assignee.person: assignee.has for assignee in known}
        self.given: dict[str, dict[SampleKey, AllocationItem]] = {
            assignee.person: {} for assignee in known
        }

    def _free(self, person: str, key: SampleKey) -> bool:
        return key not in self._has[person] and key not in self.given[person]

    def team(self, seed: str, item: AllocationItem) -> list[str]:
        """Return all people, those with the fewest planned samples first, ties in random order."""
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

    def take(self, item: AllocationItem, team: Sequence[str], *, count: int) -> int:
        """Give a sample to the first `count` people of a team who lack it; return their number."""
        assignees = [person for person in team if self._free(person, item.key)][:count]
        for person in assignees:
            self.given[person][item.key] = item
        return len(assignees)

    def level(self) -> None:
        """Balance the numbers of samples: move samples from people with many to people with few.

        A move may pass through other people. Stops when no chain of moves improves the balance.
        """
        people = sorted(self.given, key=lambda person: -len(self.given[person]))
        while people:
            steps = self._find_transfers(people[0])
            for step in steps:
                del self.given[step.giver][step.item.key]
                self.given[step.assignee][step.item.key] = step.item
            people = sorted(
                people if steps else people[1:], key=lambda person: -len(self.given[person])
            )

    def _find_transfers(self, start: str) -> list[_Transfer]:
        least = len(self.given[start]) - 2
        if all(len(own) > least for own in self.given.values()):
            return []
        # Breadth-first search: the shortest chain of transfers to a person with fewer samples.
        before: dict[str, _Transfer] = {}
        line = [start]
        for giver in line:
            others = sorted(self.given, key=lambda person: (len(self.given[person]), person))
            for assignee in others:
                item = None if assignee in line else self._transferable_item(giver, assignee)
                if item is None:
                    continue
                before[assignee] = _Transfer(giver, assignee, item)
                if len(self.given[assignee]) <= least:
                    steps = [before[assignee]]
                    while steps[0].giver in before:
                        steps.insert(0, before[steps[0].giver])
                    return steps
                line.append(assignee)
        return []

    def _transferable_item(self, giver: str, assignee: str) -> AllocationItem | None:
        own = reversed(self.given[giver].values())
        return next((item for item in own if self._free(assignee, item.key)), None)


class _Transfer(NamedTuple):
    giver: str
    assignee: str
    item: AllocationItem


def draw(seed: str, person: str, *what: Any) -> bytes:
    """Return deterministic pseudo-random bytes for a seed, a person id and further values."""
    return hashlib.sha256("\0".join((seed, person, *map(repr, what))).encode()).digest()
