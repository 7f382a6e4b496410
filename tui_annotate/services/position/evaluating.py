"""Answers scored and counted by where the right one stood; and what people say of the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tui_annotate.domain.positions import CORRECT, INCORRECT, Case, Task
from tui_annotate.methods.position import Bar, together


class By(StrEnum):
    """What answers are grouped by."""

    POSITION = "gold-position"
    SIZE = "documents"
    MODEL = "model"
    TASK = "task"
    FILE = "file"


Place = tuple[int | str | None, ...]
"""The values of a group, in the order of what is grouped by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is wanted.

    Attributes:
        by: what answers are grouped by.
        shared: only questions that were scored in all groups of their task count.
    """

    by: tuple[By, ...] = (By.POSITION,)
    shared: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """What the metric and people say of the same answers.

    Attributes:
        both, metric_alone, people_alone, neither: answers that are right to whom.
        open: answers of which people say neither right nor wrong, or half of them each.
    """

    both: int = 0
    metric_alone: int = 0
    people_alone: int = 0
    neither: int = 0
    open: int = 0

    @property
    def judged(self) -> int:
        """Answers that people called right or wrong."""
        return self.both + self.metric_alone + self.people_alone + self.neither

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of the metric and people; None where it is not defined."""
        import numpy as np

        from tui_annotate.methods.agreement import cohen

        table = [[self.both, self.metric_alone], [self.people_alone, self.neither]]
        if not self.judged:
            return None
        found = float(cohen(np.array(table, dtype=float)))
        return None if np.isnan(found) else found


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came of it.

    Attributes:
        by: what the groups are by.
        groups: each with its bar, in order.
        people: None where nobody said anything.
        empty_golds: gold answers that are nothing in the normal form.
        unscored: questions left out as all of their gold answers are nothing.
        left_out: answers to questions that not all groups share.
    """

    by: tuple[By, ...]
    groups: tuple[tuple[Place, Bar], ...]
    people: People | None = None
    empty_golds: int = 0
    unscored: int = 0
    left_out: int = 0

    @property
    def all(self) -> Bar:
        """All answers together."""
        return together([bar for _, bar in self.groups])


@dataclass(slots=True)
class _Sums:
    """Counts so far."""

    hits: dict[Place, list[int]] = field(default_factory=dict)
    people: dict[tuple[bool, str | None], int] = field(default_factory=dict)
    empty: int = 0
    unscored: int = 0
    left_out: int = 0


def evaluate(cases: Callable[[], Iterable[Case]], asked: Asked) -> Evaluation:
    """Counts answers by group.

    Args:
        cases: gives them anew each time: twice where only shared questions count.
    """
    common = _common(cases(), asked.by) if asked.shared else None
    sums = _Sums()
    for case in cases():
        _count(case, sums, by=asked.by, common=common)
    bars = [(place, Bar(*counted)) for place, counted in sums.hits.items()]
    bars.sort(key=lambda each: [_ordered(value) for value in each[0]])
    return Evaluation(
        asked.by, tuple(bars), _people(sums.people), sums.empty, sums.unscored, sums.left_out
    )


def _ordered(value: int | str | None) -> tuple[int, int, str]:
    """Numbers by size, then words, then nothing."""
    if isinstance(value, int):
        return 0, value, ""
    return (2, 0, "") if value is None else (1, 0, value)


def place(case: Case, by: Sequence[By]) -> Place:
    """The group of an answer."""
    values: dict[By, int | str | None] = {
        By.POSITION: case.position,
        By.SIZE: case.size,
        By.MODEL: case.model or None,
        By.TASK: case.task.value,
        By.FILE: case.file or None,
    }
    return tuple(values[each] for each in by)


def _common(cases: Iterable[Case], by: Sequence[By]) -> set[str]:
    """Of each task what all its groups have: a key is never a question over passages."""
    tasks: dict[Task, dict[Place, set[str]]] = {}
    for case in cases:
        if case.score is not None:
            groups = tasks.setdefault(case.task, {})
            groups.setdefault(place(case, by), set()).add(case.identity)
    return set[str]().union(*(set.intersection(*each.values()) for each in tasks.values()))


def _count(case: Case, sums: _Sums, *, by: Sequence[By], common: set[str] | None) -> None:
    if common is not None and case.identity not in common:
        sums.left_out += 1
        return
    counted = sums.hits.setdefault(place(case, by), [0, 0, 0, 0])
    sums.empty += case.empty_golds
    counted[3] += case.fails and (case.score is not None or not case.answered)
    if case.score is None:
        sums.unscored += case.answered
        counted[2] += not case.answered
        return
    counted[0] += 1
    counted[1] += case.score >= 1
    if case.judged:
        said = (case.score >= 1, case.verdict)
        sums.people[said] = sums.people.get(said, 0) + 1


def _people(said: dict[tuple[bool, str | None], int]) -> People | None:
    if not said:
        return None
    four = [said.get((hit, word), 0) for word in (CORRECT, INCORRECT) for hit in (True, False)]
    both, people_alone, metric_alone, neither = four
    return People(both, metric_alone, people_alone, neither, sum(said.values()) - sum(four))
