"""Gold checks: samples with known answers in an annotator's work, and the accuracy on them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from types import MappingProxyType
from typing import TypeVar

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignment_plan import draw
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.practice_feedback import (
    PracticeAnswer,
    compare_with_gold,
    have_same_labels,
)
from tui_annotate.domain.samples import Side
from tui_annotate.domain.work_statistics import RECENT, GoldAccuracy, WeekAccuracy, week_of

Item = TypeVar("Item")


def is_gold_slot(rule: Gold, person: str, index: int) -> bool:
    """Return whether the sample at an index, from 0, of a person's work has known answers.

    Each block of `rule.every` samples has one gold sample, at a position that depends on the seed,
    the person and the block.
    """
    block, place = divmod(index, rule.every)
    return place == _draw_number(rule.seed, person, block) % rule.every


@lru_cache(maxsize=10_000)
def _draw_number(seed: str, person: str, block: int) -> int:
    return int.from_bytes(draw(seed, person, "gold", block)[:8])


def mix_gold(
    rule: Gold, person: str, items: Iterable[Item], *, gold: Sequence[Item], start: int
) -> list[tuple[Item, bool]]:
    """Mix gold samples into a person's next samples, after `start` ones: (sample, is gold)."""
    mixed: list[tuple[Item, bool]] = []
    left = list(reversed(gold))
    for item in items:
        while left and is_gold_slot(rule, person, start + len(mixed)):
            mixed.append((left.pop(), True))
        mixed.append((item, False))
    return mixed


def count_gold(rule: Gold, person: str, items: int, *, gold: int, start: int) -> int:
    """Return how many samples with known answers `mix_gold` adds to a number of samples."""
    found = 0
    index = start
    while items and found < gold:
        if index % rule.every == 0:
            # As long as a sample remains after a block, the gold sample of the block counts.
            blocks = min(gold - found, (items - 1) // (rule.every - 1))
            found += blocks
            index += blocks * rule.every
            items -= blocks * (rule.every - 1)
            if found == gold:
                break
        if is_gold_slot(rule, person, index):
            found += 1
        else:
            items -= 1
        index += 1
    return found


def is_recognisable(gold: Sequence[int], others: Sequence[int]) -> bool:
    """Return whether gold samples are so unlike others that their ids can give them away.

    Compares positions in order of import by a Kolmogorov-Smirnov test at a level of 1 %. An
    example are the first hundred samples of a dataset among people who get later ones.
    """
    if not gold or not others:
        return False
    known = sorted(gold)
    rest = sorted(others)
    distance = max(
        abs(bisect_right(known, place) / len(known) - bisect_right(rest, place) / len(rest))
        for place in (*known, *rest)
    )
    return distance > 1.63 * math.sqrt((len(gold) + len(others)) / (len(gold) * len(others)))


def sort_gold(rule: Gold, person: str, names: Iterable[str]) -> list[str]:
    """Return gold samples in the order in which a person gets them, by the rule's seed."""
    return sorted(names, key=lambda name: (draw(rule.seed, person, "gold", name), name))


@dataclass(frozen=True, slots=True)
class GoldCheck:
    """A completed sample with known answers.

    Attributes:
        older: whether the answer was changed after the comparison.
        completed: number of the event with which the person first completed the sample.
        later_edits: number of the person's own actions on the sample after that event; they do not
            change the score.
    """

    dataset: str
    person: str
    sample: str
    day: str
    score: float
    older: bool = False
    completed: int = 0
    later_edits: int = 0


def score_check(
    mine: Sequence[Annotation],
    known: PracticeAnswer,
    *,
    rated: str = "",
    texts: Mapping[tuple[Side, int], str] = MappingProxyType({}),
) -> float:
    """Return the fraction of a sample's items that an annotator got right; 1 without items.

    Items are the known annotations, the annotator's annotations that mark no known passage, and the
    known rating. A known annotation is right if one annotation marks its passage (see
    `SAME_PASSAGE`) with the same top-level labels. So every false mark lowers the score, and marks
    on everything get a low one. `texts`: as of `compare_with_gold`.
    """
    found = compare_with_gold(mine, known, rated=rated, texts=texts)
    right = sum(have_same_labels(own, gold) for own, gold in found.hits)
    items = len(found.hits) + len(found.missed) + len(found.extra)
    if known.rating:
        items += 1
        if rated == known.rating:
            right += 1
    return right / items if items else 1.0


def measure_accuracy(
    checks: Iterable[GoldCheck],
    *,
    names: Mapping[str, str],
    thresholds: Mapping[str, float],
    paused: Collection[tuple[str, str]] = (),
) -> list[GoldAccuracy]:
    """Return each person's accuracy on samples with known answers, by dataset and name.

    `checks` are in order of time; `thresholds` in [0, 1], by dataset; `paused` has the dataset and
    the person of each pause.
    """
    by_person: dict[tuple[str, str], list[GoldCheck]] = {}
    for check in checks:
        by_person.setdefault((check.dataset, check.person), []).append(check)
    found = [
        GoldAccuracy(
            dataset=dataset,
            person=person,
            name=names.get(person, person),
            checks=len(own),
            accuracy=fmean(each.score for each in own),
            recent_accuracy=fmean(each.score for each in own[-RECENT:]),
            threshold=thresholds.get(dataset),
            weeks=_by_week(own),
            older_answers=sum(each.older for each in own),
            paused=(dataset, person) in paused,
            edited_later=sum(each.later_edits > 0 for each in own),
        )
        for (dataset, person), own in by_person.items()
    ]
    return sorted(found, key=lambda each: (each.dataset, each.name, each.person))


def _by_week(checks: Iterable[GoldCheck]) -> tuple[WeekAccuracy, ...]:
    scores: dict[str, list[float]] = {}
    for check in checks:
        scores.setdefault(week_of(check.day), []).append(check.score)
    weeks = (WeekAccuracy(week, len(own), fmean(own)) for week, own in scores.items())
    return tuple(sorted(weeks, key=lambda each: each.week))
