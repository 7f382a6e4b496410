"""Position studies stored in a workspace: scores by position, and samples with wrong answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotReady
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.samples import SampleKey
from tui_annotate.lab.position.evaluation import (
    Evaluation,
    EvaluationOptions,
    GroupBy,
    GroupKey,
    evaluate,
    group_key,
)
from tui_annotate.lab.position.metric import ORIGINAL, MatchRules, count_empty_golds, score_row
from tui_annotate.lab.position.study_rows import (
    ScoredAnswer,
    StudyTask,
    digest,
    human_verdict,
)
from tui_annotate.storage.question_samples import QuestionStore, StoredQuestion
from tui_annotate.storage.queue import QueueRow

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices


def position_studies(machines: MachineServices) -> PositionStudies:
    """Return the studies of a workspace, of whose samples an annotator gets only their own."""
    return PositionStudies(QuestionStore(machines.database, actor=machines.actor))


@check_keywords
@dataclass(frozen=True, slots=True)
class PositionStudies:
    """Scores of a workspace's stored answers by the position of the relevant fact in the prompt."""

    store: QuestionStore

    def datasets(self) -> list[str]:
        """Return the names of the datasets with samples of a position study."""
        return self.store.datasets()

    def evaluate(
        self,
        dataset: str,
        options: EvaluationOptions | None = None,
        *,
        rules: MatchRules = ORIGINAL,
    ) -> Evaluation:
        """Score the answers of a dataset, and compare the metric with human verdicts.

        Raises:
            NotReady: the dataset has no question with a known answer position.
        """
        found = evaluate(
            lambda: (case for _, case in self._read_cases(dataset, rules)),
            options or EvaluationOptions(),
        )
        if not found.groups:
            there = ", ".join(self.datasets())
            raise NotReady(
                f"dataset {dataset!r} has no questions with positions",
                f"choose one of: {there}" if there else "import rows of a position study first",
            )
        return found

    def failing(self, dataset: str, where: GroupKey, *, by: tuple[GroupBy, ...]) -> list[SampleKey]:
        """Return the samples of a group that were answered wrongly or not at all."""
        return [
            stored.key
            for stored, case in self._read_cases(dataset, ORIGINAL)
            if group_key(case, by) == where and case.fails
        ]

    def chart(self, dataset: str) -> Evaluation:
        """Score the answers of a dataset by position, and by model or task if these differ."""
        return self.evaluate(dataset)

    def page(
        self,
        person: str,
        keys: Sequence[SampleKey],
        *,
        search: str = "",
        states: Collection[State] = (),
    ) -> list[QueueRow]:
        """Return samples of a dataset as rows of an annotator's list, in the given order."""
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
        """Return the first sample that a person has not completed; None if there is none."""
        rows = self.page(person, keys)
        return next((row.key for row in rows if not row.state.finished), None)

    def _read_cases(
        self, dataset: str, rules: MatchRules
    ) -> Iterator[tuple[StoredQuestion, ScoredAnswer]]:
        for stored in self.store.questions(dataset):
            case = stored_case(stored, rules)
            if case is not None:
                yield stored, case


def stored_case(stored: StoredQuestion, rules: MatchRules) -> ScoredAnswer | None:
    """Return the scored answer of a stored question; None if the answer's position is unknown."""
    meta = stored.meta
    position = meta.get("gold_position")
    size = meta.get("size")
    if not isinstance(position, int) or not isinstance(size, int) or meta.get("task") not in _TASKS:
        return None
    kind = _TASKS[meta["task"]]
    right = _gold_answers(meta)
    predicted = "metric" in meta or "model" in meta
    score = _score_stored(stored, kind, right, rules=rules) if predicted else None
    model = meta.get("model")
    return ScoredAnswer(
        task=kind,
        position=position,
        size=size,
        identity=stored.group,
        score=score,
        answered=predicted and meta.get("model_error") is None,
        model=model if isinstance(model, str) else "",
        verdict=human_verdict(stored.work),
        judged=bool(stored.work),
        empty_golds=count_empty_golds(right) if kind is StudyTask.QA else 0,
        prompt=digest(meta.get("passages")),
    )


_TASKS: Mapping[str, StudyTask] = {each.value: each for each in StudyTask}


def _gold_answers(meta: Mapping[str, Any]) -> list[str]:
    found = meta.get("answers")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _score_stored(
    stored: StoredQuestion, kind: StudyTask, right: list[str], *, rules: MatchRules
) -> float | None:
    stored_score = stored.meta.get("metric")
    if rules == ORIGINAL and isinstance(stored_score, int | float):
        return float(stored_score)
    if stored.meta.get("model_error") is not None:
        return None
    row: dict[str, Any] = {"model_answer": stored.answer or ""}
    if kind is StudyTask.KV:
        row |= {"ordered_kv_records": [], "key": "", "value": right[0] if right else ""}
    else:
        row |= {"question": "", "ctxs": [], "answers": right}
    return score_row(row, rules=rules)
