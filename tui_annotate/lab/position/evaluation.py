"""Scores of a model's answers by the position of the relevant fact in the prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.position_studies import (
    ANSWER,
    CORRECT,
    ERROR,
    INCORRECT,
    VERDICT,
    Row,
    ScoredAnswer,
    StudyTask,
    gold_position,
    parse_answers,
    parse_task,
    prompt_size,
    question_id,
)
from tui_annotate.lab.position.metric import (
    MatchRules,
    PositionScore,
    combine_scores,
    count_empty_golds,
    score_row,
)
from tui_annotate.lab.position.row_files import LocatedRow, locate_row, read_rows
from tui_annotate.plugins.json_records import write_json_line


class GroupBy(StrEnum):
    POSITION = "gold-position"
    SIZE = "documents"
    MODEL = "model"
    TASK = "task"
    FILE = "file"


GroupKey = tuple[int | str | None, ...]
"""Values that identify a group of answers, in the order of the properties to group by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
    """Options for scoring a model's answers by position."""

    by: tuple[GroupBy, ...] = (GroupBy.POSITION,)
    shared: bool = False


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """How often a metric and people agree on whether answers are right."""

    both: int = 0
    metric_alone: int = 0
    people_alone: int = 0
    neither: int = 0
    open: int = 0

    @property
    def judged(self) -> int:
        """Number of answers that people judged as right or wrong."""
        return self.both + self.metric_alone + self.people_alone + self.neither

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of the metric's and people's verdicts; None if it is not defined."""
        import numpy as np

        from tui_annotate.methods.agreement import cohen_kappa

        table = [[self.both, self.metric_alone], [self.people_alone, self.neither]]
        if not self.judged:
            return None
        found = float(cohen_kappa(np.array(table, dtype=float)))
        return None if np.isnan(found) else found


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of a model's answers for each group, such as a position, in order."""

    by: tuple[GroupBy, ...]
    groups: tuple[tuple[GroupKey, PositionScore], ...]
    people: HumanAgreement | None = None
    empty_golds: int = 0
    unscored: int = 0
    left_out: int = 0

    @property
    def all(self) -> PositionScore:
        return combine_scores([bar for _, bar in self.groups])


@dataclass(slots=True)
class _Sums:
    hits: dict[GroupKey, list[int]] = field(default_factory=dict)
    people: dict[tuple[bool, str | None], int] = field(default_factory=dict)
    empty: int = 0
    unscored: int = 0
    left_out: int = 0


def evaluate(cases: Callable[[], Iterable[ScoredAnswer]], options: EvaluationOptions) -> Evaluation:
    """Evaluate answers by group.

    If only questions that all groups share are evaluated, `cases` is called twice.
    """
    common = _shared_questions(cases(), options.by) if options.shared else None
    sums = _Sums()
    for case in cases():
        _count_case(case, sums, by=options.by, common=common)
    bars = [(place, PositionScore(*counted)) for place, counted in sums.hits.items()]
    bars.sort(key=lambda each: [_sort_key(value) for value in each[0]])
    return Evaluation(
        options.by, tuple(bars), _agreement(sums.people), sums.empty, sums.unscored, sums.left_out
    )


def _sort_key(value: int | str | None) -> tuple[int, int, str]:
    if isinstance(value, int):
        return 0, value, ""
    return (2, 0, "") if value is None else (1, 0, value)


def group_key(case: ScoredAnswer, by: Sequence[GroupBy]) -> GroupKey:
    values: dict[GroupBy, int | str | None] = {
        GroupBy.POSITION: case.position,
        GroupBy.SIZE: case.size,
        GroupBy.MODEL: case.model or None,
        GroupBy.TASK: case.task.value,
        GroupBy.FILE: case.file or None,
    }
    return tuple(values[each] for each in by)


def _shared_questions(cases: Iterable[ScoredAnswer], by: Sequence[GroupBy]) -> set[str]:
    """Return the questions that all groups of answers share, separately for each task."""
    tasks: dict[StudyTask, dict[GroupKey, set[str]]] = {}
    for case in cases:
        if case.score is not None:
            groups = tasks.setdefault(case.task, {})
            groups.setdefault(group_key(case, by), set()).add(case.identity)
    return set[str]().union(*(set.intersection(*each.values()) for each in tasks.values()))


def _count_case(
    case: ScoredAnswer, sums: _Sums, *, by: Sequence[GroupBy], common: set[str] | None
) -> None:
    if common is not None and case.identity not in common:
        sums.left_out += 1
        return
    counted = sums.hits.setdefault(group_key(case, by), [0, 0, 0, 0])
    sums.empty += case.empty_golds
    counted[3] += case.fails and (case.score is not None or not case.answered)
    if case.score is None:
        sums.unscored += case.answered
        counted[2] += not case.answered
        return
    counted[0] += 1
    counted[1] += case.score >= 1
    if case.judged:
        outcome = (case.score >= 1, case.verdict)
        sums.people[outcome] = sums.people.get(outcome, 0) + 1


def _agreement(outcomes: dict[tuple[bool, str | None], int]) -> HumanAgreement | None:
    if not outcomes:
        return None
    four = [
        outcomes.get((hit, verdict), 0) for verdict in (CORRECT, INCORRECT) for hit in (True, False)
    ]
    both, people_alone, metric_alone, neither = four
    return HumanAgreement(
        both, metric_alone, people_alone, neither, sum(outcomes.values()) - sum(four)
    )


def file_cases(paths: Sequence[Path], rules: MatchRules) -> Callable[[], Iterator[ScoredAnswer]]:
    """Return a function that reads and scores the answers of files anew at each call.

    Raises:
        InvalidRecord: a row cannot be read, or has neither an answer nor an error.
    """

    def found() -> Iterator[ScoredAnswer]:
        for path in paths:
            for located in read_rows(path, some=False):
                yield row_case(located, rules, file=str(path))

    return found


def row_case(located: LocatedRow, rules: MatchRules, *, file: str = "") -> ScoredAnswer:
    where, row = located
    with locate_row(where):
        _require_answer(row)
        right = parse_answers(row) if parse_task(row) is StudyTask.QA else ()
        verdict, model = row.get(VERDICT), row.get("model")
        return ScoredAnswer(
            task=parse_task(row),
            position=gold_position(row),
            size=prompt_size(row),
            identity=question_id(row),
            score=score_row(row, rules=rules),
            answered=isinstance(row.get(ANSWER), str),
            model=model if isinstance(model, str) else "",
            verdict=verdict if isinstance(verdict, str) else None,
            judged=VERDICT in row,
            empty_golds=count_empty_golds(right),
            file=file,
        )


def _require_answer(row: Row) -> None:
    answer = row.get(ANSWER)
    # A null answer is an unanswered row, as `position run` and other programs write it.
    if isinstance(answer, str) or (answer is None and (ANSWER in row or ERROR in row)):
        return
    what = (
        "the row has no model_answer"
        if ANSWER not in row
        else "the row has a model_answer that is not text"
    )
    raise InvalidInput(what, "add model answers with: tui-annotate position run")


def write_scored(paths: Sequence[Path], target: TextIO, rules: MatchRules) -> tuple[int, int]:
    """Write the rows of a study with their scores; return the numbers of rows and of NaN."""
    count = not_finite = 0
    for path in paths:
        for located in read_rows(path, some=False):
            case = row_case(located, rules)
            not_finite += write_json_line(target, {**located.row, case.task.metric: case.score})
            count += 1
    return count, not_finite


def as_json(found: Evaluation) -> dict[str, Any]:
    """Return the scores by position as JSON, in the form that docs/json.md describes."""
    people = found.people
    return {
        "by": [each.value for each in found.by],
        "groups": [
            dict(zip((each.value for each in found.by), place, strict=True)) | _bar_as_json(bar)
            for place, bar in found.groups
        ],
        "all": _bar_as_json(found.all),
        "people": None
        if people is None
        else {"judged": people.judged, **asdict(people), "kappa": people.kappa},
        "empty_golds": found.empty_golds,
        "unscored": found.unscored,
        "left_out": found.left_out,
    }


def _bar_as_json(bar: PositionScore) -> dict[str, Any]:
    low, high = bar.interval or (None, None)
    return {
        "n": bar.n,
        "correct": bar.hits,
        "mean": bar.mean,
        "low": low,
        "high": high,
        "unanswered": bar.unanswered,
        "fail": bar.fails,
    }
