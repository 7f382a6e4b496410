"""Questions of a workspace as what is counted of them, and those of one group as a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.positions import Case, Task, verdict_of
from tui_annotate.domain.samples import SampleKey
from tui_annotate.methods.position import ORIGINAL, Rules, empty_golds, scored
from tui_annotate.services.position.evaluating import Asked, By, Evaluation, Place, evaluate, place
from tui_annotate.storage.questions import QuestionStore, StoredQuestion
from tui_annotate.storage.queue import QueueRow

_ALL: Final = (By.MODEL, By.TASK, By.SIZE, By.POSITION)
"""What a chart is by, as far as it differs."""


@dataclass(frozen=True, slots=True)
class Positions:
    """What the questions of a workspace tell by where their answers stand."""

    store: QuestionStore

    def datasets(self) -> list[str]:
        """The datasets that have positions, by name."""
        return self.store.datasets()

    def evaluate(
        self, dataset: str, asked: Asked | None = None, *, rules: Rules = ORIGINAL
    ) -> Evaluation:
        """Counts the answers of a dataset; what people said of them is compared.

        Raises:
            NotFound: it has no question that tells where its answer stands.
        """
        found = evaluate(partial(self._cases, dataset, rules), asked or Asked())
        if not found.groups:
            there = ", ".join(self.datasets())
            raise NotFound(
                f"the dataset {dataset!r} has no questions with positions",
                f"there are: {there}" if there else "ingest rows of a position study first",
            )
        return found

    def failing(self, dataset: str, where: Place, *, by: tuple[By, ...]) -> list[SampleKey]:
        """The samples of a group that fail, as they came: those without an answer too.

        Where people gave a verdict it counts, else the metric's.
        """
        return [
            stored.key
            for stored, case in self._both(dataset, ORIGINAL)
            if place(case, by) == where and case.fails
        ]

    def chart(self, dataset: str) -> Evaluation:
        """The answers of a dataset by position, and by whatever else differs among them.

        Raises:
            NotFound: as `evaluate`.
        """
        found = self.evaluate(dataset, Asked(by=_ALL))
        columns = list(zip(*(where for where, _ in found.groups), strict=True))
        kept = [at for at, by in enumerate(_ALL) if by is By.POSITION or len(set(columns[at])) > 1]
        groups = tuple((tuple(where[at] for at in kept), bar) for where, bar in found.groups)
        return replace(found, by=tuple(_ALL[at] for at in kept), groups=groups)

    def page(
        self,
        person: str,
        keys: Sequence[SampleKey],
        *,
        search: str = "",
        states: Collection[State] = (),
    ) -> list[QueueRow]:
        """Some samples of one dataset as somebody's queue lists them, in the order given.

        Args:
            search: a part of the id, the group or the summary's start, in any case.
            states: only samples in one of them; all where empty.
        """
        there = self.store.entries(person, keys[0].dataset) if keys else {}
        sought = search.casefold()
        return [
            row
            for row in (there[key] for key in keys if key in there)
            if (not states or row.state in states)
            and any(
                sought in each.casefold() for each in (row.key.id, row.group, row.summary_start)
            )
        ]

    def next_open(self, person: str, keys: Sequence[SampleKey]) -> SampleKey | None:
        """The first of some samples that somebody has not finished; None for none."""
        rows = self.page(person, keys)
        return next((row.key for row in rows if not row.state.finished), None)

    def _cases(self, dataset: str, rules: Rules) -> Iterator[Case]:
        return (case for _, case in self._both(dataset, rules))

    def _both(self, dataset: str, rules: Rules) -> Iterator[tuple[StoredQuestion, Case]]:
        for stored in self.store.questions(dataset):
            case = case_of(stored, rules)
            if case is not None:
                yield stored, case


def case_of(stored: StoredQuestion, rules: Rules) -> Case | None:
    """A stored question as it is counted; None where its record tells of no position.

    The verdict that came with its row stands, unless other rules are asked for.
    """
    meta = stored.meta
    position, size = meta.get("gold_position"), meta.get("size")
    if not isinstance(position, int) or not isinstance(size, int) or meta.get("task") not in _TASKS:
        return None
    kind, right = _TASKS[meta["task"]], _answers(meta)
    predicted = "metric" in meta or "model" in meta
    score = _score(stored, kind, right, rules=rules) if predicted else None
    model = meta.get("model")
    return Case(
        task=kind,
        position=position,
        size=size,
        identity=stored.group,
        score=score,
        answered=predicted and meta.get("model_error") is None,
        model=model if isinstance(model, str) else "",
        verdict=verdict_of(stored.work),
        judged=bool(stored.work),
        empty_golds=empty_golds(right) if kind is Task.QA else 0,
    )


_TASKS: Mapping[str, Task] = {each.value: each for each in Task}


def _answers(meta: Mapping[str, Any]) -> list[str]:
    found = meta.get("answers")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _score(stored: StoredQuestion, kind: Task, right: list[str], *, rules: Rules) -> float | None:
    said = stored.meta.get("metric")
    if rules == ORIGINAL and isinstance(said, int | float):
        return float(said)
    if stored.meta.get("model_error") is not None:
        return None
    row: dict[str, Any] = {"model_answer": stored.answer or ""}
    if kind is Task.KV:
        row |= {"ordered_kv_records": [], "key": "", "value": right[0] if right else ""}
    else:
        row |= {"question": "", "ctxs": [], "answers": right}
    return scored(row, rules=rules)
