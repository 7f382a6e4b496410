"""Scores of a model's answers by the position of the relevant fact in the prompt."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TextIO, TypedDict

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.keyword_names import check_field_names
from tui_annotate.lab.position.metric import (
    MatchRules,
    PositionScore,
    combine_scores,
    count_empty_golds,
    score_row,
)
from tui_annotate.lab.position.row_files import LocatedRow, locate_row, read_rows
from tui_annotate.lab.position.study_rows import (
    ANSWER,
    CORRECT,
    ERROR,
    INCORRECT,
    VERDICT,
    Row,
    ScoredAnswer,
    StudyTask,
    digest,
    gold_position,
    parse_answers,
    parse_task,
    prompt_id,
    prompt_size,
    question_id,
)
from tui_annotate.plugins.json_records import write_json_line


class GroupBy(StrEnum):
    """Properties by which answers of a position study can be grouped."""

    POSITION = "gold-position"
    SIZE = "documents"
    MODEL = "model"
    TASK = "task"
    FILE = "file"


GroupKey = tuple[int | str | None, ...]
"""Values that identify a group of answers, in the order of the properties to group by."""


@check_field_names(shared="shared_questions")
@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
    """Options for scoring a model's answers by position."""

    by: tuple[GroupBy, ...] = (GroupBy.POSITION,)
    shared_questions: bool = False


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


Groups = tuple[tuple[GroupKey, PositionScore], ...]


@dataclass(frozen=True, slots=True)
class PositionTable:
    """Groups of answers of one model and one kind of prompt, and their sum.

    Attributes:
        key: the values that this table has in common, in the order of `Evaluation.split`.
        groups: groups in order; their keys lack the values of `key`.
    """

    key: GroupKey
    groups: Groups
    all: PositionScore


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of a model's answers for each group, such as a position, in order.

    Answers of several models, tasks or sizes of prompts are never averaged: `split` names those of
    these properties that differ, and are not among the properties to group by.

    Attributes:
        by: properties of the groups: those of `split`, then those that were asked for.
        mixed: keys of the tables whose answers have several models, tasks, sizes or files, because
            the caller grouped by these.
        repeated: number of stored answers of a model that repeat a question at the same position.
    """

    by: tuple[GroupBy, ...]
    groups: Groups
    people: HumanAgreement | None = None
    empty_golds: int = 0
    unscored: int = 0
    left_out: int = 0
    split: tuple[GroupBy, ...] = ()
    mixed: frozenset[GroupKey] = frozenset()
    repeated: int = 0

    @property
    def all(self) -> PositionScore:
        """The sum of all groups; without a mean if there are several tables."""
        tables = self.tables
        return combine_scores([each.all for each in tables], mixed=len(tables) > 1)

    @property
    def tables(self) -> tuple[PositionTable, ...]:
        """The groups, in one table for each combination of the values of `split`."""
        many = len(self.split)
        found: dict[GroupKey, list[tuple[GroupKey, PositionScore]]] = {}
        for key, bar in self.groups:
            found.setdefault(key[:many], []).append((key[many:], bar))
        return tuple(
            PositionTable(
                key,
                tuple(groups),
                combine_scores([bar for _, bar in groups], mixed=key in self.mixed),
            )
            for key, groups in found.items()
        )


_ALL: Final = "all"
_NEVER_AVERAGED: Final = (GroupBy.MODEL, GroupBy.TASK, GroupBy.SIZE)
"""Properties that split a table: a mean over several of their values describes none of them."""


@dataclass(slots=True)
class _Counts:
    n: int = 0
    hits: int = 0
    unanswered: int = 0
    fails: int = 0
    questions: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, case: ScoredAnswer) -> None:
        if case.fails and (case.score is not None or not case.answered):
            self.fails += 1
        if case.score is None:
            if not case.answered:
                self.unanswered += 1
            return
        hit = int(case.score >= 1)
        n, hits = self.questions.get(case.identity, (0, 0))
        self.questions[case.identity] = (n + 1, hits + hit)
        self.n += 1
        self.hits += hit

    def score(self) -> PositionScore:
        return PositionScore(
            n=self.n,
            hits=self.hits,
            unanswered=self.unanswered,
            fails=self.fails,
            questions=self.questions,
        )


@dataclass(slots=True)
class _Sums:
    counts: dict[GroupKey, _Counts] = field(default_factory=dict)
    people: dict[tuple[bool, str | None], int] = field(default_factory=dict)
    empty: int = 0
    unscored: int = 0
    left_out: int = 0


def evaluate(cases: Callable[[], Iterable[ScoredAnswer]], options: EvaluationOptions) -> Evaluation:
    """Evaluate answers by group, in one table for each model and kind of prompt.

    If only questions that all groups share are evaluated, `cases` is called twice.

    Raises:
        InvalidRecord: a file's row repeats an earlier one, or one model answered a prompt twice.
    """
    by = options.by
    full = (*_NEVER_AVERAGED, *by)
    common = _shared_questions(cases(), by) if options.shared_questions else None
    sums = _Sums()
    repeats = _Repeats(by)
    for case in cases():
        repeats.check(case)
        _count_case(case, sums, by=full, common=common)
    split = _choose_split(sums.counts, by)
    places = [full.index(each) for each in split]
    parts: dict[GroupKey, list[PositionScore]] = {}
    kinds: dict[GroupKey, set[GroupKey]] = {}
    kept_apart = [at for at, each in enumerate(full) if each is not GroupBy.POSITION]
    for key, counted in sums.counts.items():
        table = tuple(key[at] for at in places)
        parts.setdefault((*table, *key[len(_NEVER_AVERAGED) :]), []).append(counted.score())
        kinds.setdefault(table, set()).add(tuple(key[at] for at in kept_apart))
    bars = [(key, combine_scores(some)) for key, some in parts.items()]
    bars.sort(key=lambda each: [_sort_key(value) for value in each[0]])
    return Evaluation(
        by=(*split, *by),
        groups=tuple(bars),
        people=_agreement(sums.people),
        empty_golds=sums.empty,
        unscored=sums.unscored,
        left_out=sums.left_out,
        split=split,
        mixed=frozenset(table for table, some in kinds.items() if len(some) > 1),
        repeated=repeats.count,
    )


def _choose_split(keys: Iterable[GroupKey], by: Sequence[GroupBy]) -> tuple[GroupBy, ...]:
    """Return the properties that differ between answers and do not follow from those in `by`.

    `keys`: values of the properties that are never averaged, then of those in `by`.
    """
    rows = [dict(zip((*_NEVER_AVERAGED, *by), key, strict=True)) for key in keys]
    known = [each for each in by if each is not GroupBy.POSITION]
    combinations = {tuple(row[name] for name in known) for row in rows}
    return tuple(
        each
        for each in _NEVER_AVERAGED
        if len({(*(row[name] for name in known), row[each]) for row in rows}) > len(combinations)
    )


class _Repeats:
    """Finds answers of one model to the same prompt, which would count as independent ones."""

    def __init__(self, by: Sequence[GroupBy]) -> None:
        self._by_file = GroupBy.FILE in by
        self._seen: dict[tuple[object, ...], tuple[str, str]] = {}
        self.count = 0

    def check(self, case: ScoredAnswer) -> None:
        """Raise InvalidRecord for a repeated prompt; only count it if the answer has no file."""
        file = case.file if self._by_file else ""
        known = (case.task, case.size, case.position, case.identity, case.prompt, case.model)
        own = (case.where, case.reply)
        first = self._seen.setdefault((file, *known), own)
        if first is own:
            return
        if not case.where:
            self.count += 1
            return
        where, reply = first
        if case.reply == reply:
            raise InvalidRecord(
                f"the row repeats {where}: the same prompt, model and answer",
                "remove one of the two rows, or name only one of the two files",
                where=case.where,
            )
        model = f"model {case.model!r}" if case.model else "the same model"
        raise InvalidRecord(
            f"a second answer of {model} to the prompt of {where}: several runs of one model"
            " are not averaged",
            "evaluate each run alone, or write each run to a file and pass --by file,gold-position",
            where=case.where,
        )


def _sort_key(value: int | str | None) -> tuple[int, int, str]:
    if isinstance(value, int):
        return 0, value, ""
    return (2, 0, "") if value is None else (1, 0, value)


def group_key(case: ScoredAnswer, by: Sequence[GroupBy]) -> GroupKey:
    """Return the values of an answer's properties, in the order of `by`; None if unknown."""
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
            key = group_key(case, (*_NEVER_AVERAGED, *by))
            groups.setdefault(key, set()).add(case.identity)
    return set[str]().union(*(set.intersection(*each.values()) for each in tasks.values()))


def _count_case(
    case: ScoredAnswer, sums: _Sums, *, by: Sequence[GroupBy], common: set[str] | None
) -> None:
    if common is not None and case.identity not in common:
        sums.left_out += 1
        return
    sums.counts.setdefault(group_key(case, by), _Counts()).add(case)
    sums.empty += case.empty_golds
    if case.score is None:
        if case.answered:
            sums.unscored += 1
    elif case.judged:
        outcome = (case.score >= 1, case.verdict)
        sums.people[outcome] = sums.people.get(outcome, 0) + 1


def _agreement(outcomes: dict[tuple[bool, str | None], int]) -> HumanAgreement | None:
    if not outcomes:
        return None
    both = outcomes.get((True, CORRECT), 0)
    metric_alone = outcomes.get((True, INCORRECT), 0)
    people_alone = outcomes.get((False, CORRECT), 0)
    neither = outcomes.get((False, INCORRECT), 0)
    decided = both + metric_alone + people_alone + neither
    return HumanAgreement(
        both=both,
        metric_alone=metric_alone,
        people_alone=people_alone,
        neither=neither,
        open=sum(outcomes.values()) - decided,
    )


def file_cases(paths: Sequence[Path], rules: MatchRules) -> Callable[[], Iterator[ScoredAnswer]]:
    """Return a function that reads and scores the answers of files anew at each call.

    Raises:
        InvalidInput: a file is named twice.
        InvalidRecord: a row cannot be read, or has neither an answer nor an error.
    """
    known: set[Path] = set()
    for path in paths:
        if path.resolve() in known:
            raise InvalidInput(f"the file {path} is named twice", "name each file once")
        known.add(path.resolve())

    def found() -> Iterator[ScoredAnswer]:
        for path in paths:
            for located in read_rows(path, some=False):
                yield row_case(located, rules, file=str(path))

    return found


def row_case(located: LocatedRow, rules: MatchRules, *, file: str = "") -> ScoredAnswer:
    """Score the answer of a row against its right answers; `file` names the row's file.

    Raises:
        InvalidRecord: the row has no answer, or an invalid value; the error names the row.
    """
    where, row = located
    with locate_row(where):
        _require_answer(row)
        right = parse_answers(row) if parse_task(row) is StudyTask.QA else ()
        verdict = row.get(VERDICT)
        model = row.get("model")
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
            prompt=prompt_id(row),
            reply=digest(row.get(ANSWER)),
            where=where,
        )


def _require_answer(row: Row) -> None:
    answer = row.get(ANSWER)
    # A null answer is an unanswered row, as `lab position run` and other programs write it.
    if isinstance(answer, str) or (answer is None and (ANSWER in row or ERROR in row)):
        return
    what = (
        "the row has no model_answer"
        if ANSWER not in row
        else "the row has a model_answer that is not text"
    )
    raise InvalidInput(what, "add model answers with: tui-annotate lab position run")


def write_scored(paths: Sequence[Path], target: TextIO, rules: MatchRules) -> tuple[int, int]:
    """Write the rows of a study with their scores; return the numbers of rows and of NaN."""
    count = 0
    not_finite = 0
    for path in paths:
        for located in read_rows(path, some=False):
            case = row_case(located, rules)
            not_finite += write_json_line(target, {**located.row, case.task.metric: case.score})
            count += 1
    return count, not_finite


class PrintedPositionScore(TypedDict):
    """Scores of a group of answers.

    Attributes:
        low, high: ends of the 95 % interval; null for no rows, or if rows differ in what is never
            averaged, as `mean`.
        unanswered: rows without an answer, which no mean includes.
        fail: wrong answers and rows without an answer.
        questions: number of different questions.
        interval: how the interval was computed: `wilson`, `bootstrap` or `wilson-by-question`.
    """

    n: int
    correct: int
    mean: float | None
    low: float | None
    high: float | None
    unanswered: int
    fail: int
    questions: int
    interval: str


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
        "split": [each.value for each in found.split],
        "tables": [
            dict(zip((each.value for each in found.split), table.key, strict=True))
            | {"all": _bar_as_json(table.all)}
            for table in found.tables
        ],
        "repeated": found.repeated,
        "people": None
        if people is None
        else {"judged": people.judged, **asdict(people), "kappa": people.kappa},
        "empty_golds": found.empty_golds,
        "unscored": found.unscored,
        "left_out": found.left_out,
    }


def as_csv(found: Evaluation) -> str:
    """Return the scores as CSV: a row for each group, and `all` for the sum of each table.

    A value that is missing is an empty cell.
    """
    names = [each.value for each in found.by]
    blanks = [""] * (len(found.by) - len(found.split) - 1)
    written = io.StringIO(newline="")
    table = csv.DictWriter(written, [*names, *_bar_as_json(found.all)], lineterminator="\n")
    table.writeheader()
    for part in found.tables:
        rows = list(part.groups)
        if len(rows) > 1:
            rows.append(((_ALL, *blanks), part.all))
        for key, bar in rows:
            table.writerow(dict(zip(names, (*part.key, *key), strict=True)) | _bar_as_json(bar))
    return written.getvalue()


def _bar_as_json(bar: PositionScore) -> PrintedPositionScore:
    low, high = bar.interval or (None, None)
    return {
        "n": bar.n,
        "correct": bar.hits,
        "mean": bar.mean,
        "low": low,
        "high": high,
        "unanswered": bar.unanswered,
        "fail": bar.fails,
        "questions": len(bar.questions),
        "interval": bar.method.value,
    }
