"""Labels the answers of a dataset as right, wrong or undecided by their scores.

Each ranking is stored as a run. It ignores annotators' work, so that it can be compared with that
work.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.keyword_names import check_field_names, check_keywords
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.progress import TaskProgress, time_phase
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.lab.argument_types import check_fields
from tui_annotate.lab.score.ranking import (
    AS_RIGHT,
    AS_WRONG,
    CATEGORY,
    JUDGED,
    OVERLAP,
    RANK,
    REWARD,
    SUMMED,
    SURPRISE,
    TO_ANSWER,
    AnswerCategory,
    AnswerLabel,
    AnswerVerdict,
    categorise,
    compute_medians,
    compute_thresholds,
    label_by_length,
    label_by_percentile,
)

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

_NO_SCORES: Final[tuple[SampleKey | None, tuple[Score, ...]]] = (None, ())
_BY_LENGTH: Final = (OVERLAP, SURPRISE, TO_ANSWER, JUDGED, REWARD)


class Ranker(StrEnum):
    """Rules that label answers: by percentiles of their scores, or by their length."""

    PERCENTILE = "percentile"
    LENGTH = "length"


def parse_ranker(name: str) -> Ranker:
    """Return a rule that labels answers, by its name here or in the project Dreamcatcher."""
    there = {"SimpleRanker": Ranker.PERCENTILE, "LenRanker": Ranker.LENGTH}
    there |= {each.value: each for each in Ranker}
    if name not in there:
        raise InvalidInput(f"unknown ranker {name!r}", f"choose one of: {', '.join(Ranker)}")
    return there[name]


@check_field_names(up="upper_percentile", down="lower_percentile", short="short_diff", use="scores")
@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """Options for labelling the answers of a dataset by their scores.

    Attributes:
        upper_percentile, lower_percentile: percentiles of both thresholds, 0 to 100; the lower one
            is at most the upper one.
        short_diff: first length of a long answer, in code points more than the right answer.
        scores: scores to add up; empty for the published ones.

    Raises:
        InvalidInput: an option is invalid, or the options contradict each other.
    """

    dataset: str
    ranker: Ranker = Ranker.PERCENTILE
    upper_percentile: float = 70.0
    lower_percentile: float = 30.0
    short_diff: int = 80
    scores: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        _check_options(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankReport:
    """The result of labelling the answers of a dataset.

    Attributes:
        without: number of answers that are undecided because they have none of the scores.
        partial: number of answers that were labelled without some of the scores, which are missing.
    """

    run: ScoreRun
    labels: Mapping[str, int]
    categories: Mapping[str, int]
    used: tuple[str, ...]
    without: int = 0
    partial: int = 0


@dataclass(slots=True)
class _Answer:
    sample: Sample
    scores: dict[str, float] = field(default_factory=dict)


Decide = Callable[[Sequence[_Answer]], Sequence[AnswerVerdict]]


@check_keywords
@dataclass(frozen=True, slots=True)
class RankService:
    """Labels the answers of a dataset by stored scores, and stores the labels as a run."""

    machines: MachineServices

    def run(
        self, options: RankOptions, *, progress: Callable[[TaskProgress], None] | None = None
    ) -> RankReport:
        """Label the answers of a dataset by its newest scores, and store the result.

        Raises:
            NotFound: the dataset or the scores are missing.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        names = _score_names(options)
        low = {name for run in self.machines.scores.runs(options.dataset) for name in run.low}
        decide, parameters = self._build_decision(options, names, low)
        counts = _RankCounts(progress)
        scores = self._rank_answers(options.dataset, names, low, decide=decide, counts=counts)
        run = ScoreRun(
            id=str(uuid.uuid4()),
            kind=RunKind.RANK,
            maker=options.ranker.value,
            dataset=options.dataset,
            parameters={**parameters, "middle": {RANK: 0.0}},
        )
        self.machines.scores.write(run, scores)
        return RankReport(
            run=next(
                each for each in self.machines.scores.runs(options.dataset) if each.id == run.id
            ),
            labels={each.value: counts.labels[each] for each in AnswerLabel},
            categories={each.value: counts.categories[each] for each in AnswerCategory},
            used=tuple(parameters["used"]),
            without=counts.without,
            partial=counts.partial,
        )

    def _build_decision(
        self, options: RankOptions, names: Sequence[str], low: set[str]
    ) -> tuple[Decide, dict[str, Any]]:
        known = [
            _values_by_name(scores, low)
            for _, scores in self.machines.scores.current_scores(options.dataset, names=names)
        ]
        answers = [values for each in known for values in each.values()]
        used = [name for name in names if any(name in values for values in answers)]
        if not set(used) - {REWARD}:
            raise NotFound(
                f"dataset {options.dataset!r} has none of the scores {', '.join(names)}",
                "compute scores: tui-annotate lab scores compute --scorer unigram"
                " --scorer similarity",
            )
        if options.ranker is Ranker.LENGTH:
            medians = compute_medians(answers)
            decide = _decide_by_length(medians, options.short_diff)
            return decide, {"used": used, "short_diff": options.short_diff, "medians": medians}
        up, down = compute_thresholds(
            answers, names, up=options.upper_percentile, down=options.lower_percentile
        )
        parameters = {
            "used": used,
            "up_percentile": options.upper_percentile,
            "down_percentile": options.lower_percentile,
            "up": up,
            "down": down,
        }
        return _decide_by_percentile(up, down), parameters

    def _read_answers(self, dataset: str, names: Sequence[str], low: set[str]) -> Iterator[_Answer]:
        waiting = self.machines.scores.current_scores(dataset, names=names)
        key, scores = next(waiting, _NO_SCORES)
        for record in self.machines.corpus.records(RecordFilter(dataset=dataset)):
            answer = _Answer(record.sample)
            if record.sample.key == key:
                values = _values_by_name(scores, low)
                answer.scores = values.pop(0, {})
                key, scores = next(waiting, _NO_SCORES)
            yield answer

    def _rank_answers(
        self,
        dataset: str,
        names: Sequence[str],
        low: set[str],
        *,
        decide: Decide,
        counts: _RankCounts,
    ) -> Iterator[Score]:
        answers = self._read_answers(dataset, names, low)
        for group, found in groupby(answers, key=lambda each: each.sample.group):
            some = list(found)
            # Without a group, each answer belongs to a question of its own.
            questions = [some] if group else [[each] for each in some]
            for own in questions:
                verdicts = decide(own)
                counts.count(verdicts)
                yield from _question_scores(own, verdicts)


class _RankCounts:
    def __init__(self, progress: Callable[[TaskProgress], None] | None) -> None:
        self.labels: Counter[AnswerLabel] = Counter()
        self.categories: Counter[AnswerCategory] = Counter()
        self.without = 0
        self.partial = 0
        self._report = time_phase(progress, "ranking")

    def count(self, verdicts: Sequence[AnswerVerdict]) -> None:
        labels = [verdict.label for verdict in verdicts]
        self.labels.update(labels)
        self.categories[categorise(labels)] += 1
        self.without += sum(each.margin is None for each in verdicts)
        self.partial += sum(each.margin is not None and each.unused > 0 for each in verdicts)
        self._report(self.labels.total())


def _check_options(options: RankOptions) -> None:
    if options.short_diff < 0:
        raise InvalidInput(
            f"invalid number of characters: {options.short_diff:,}",
            "pass 0 or more, such as --short-diff 80",
        )
    for percentile in (options.upper_percentile, options.lower_percentile):
        if not 0 <= percentile <= 100:
            raise InvalidInput(
                f"invalid percentile {percentile:g}", "pass 0 to 100, such as --upper-percentile 70"
            )
    if options.lower_percentile > options.upper_percentile:
        raise InvalidInput(
            f"the lower percentile {options.lower_percentile:g} is above the upper percentile"
            f" {options.upper_percentile:g}",
            "pass for example: --upper-percentile 70 --lower-percentile 30",
        )
    if options.scores and options.ranker is Ranker.LENGTH:
        raise InvalidInput(
            "the ranker 'length' uses fixed scores; other scores cannot be chosen",
            "remove the option --score",
            code="scores-not-used",
        )


def _score_names(options: RankOptions) -> tuple[str, ...]:
    if options.ranker is Ranker.LENGTH:
        return _BY_LENGTH
    return tuple(dict.fromkeys(options.scores)) or SUMMED


def _values_by_name(scores: Sequence[Score], low: set[str]) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for score in scores:
        own = found.setdefault(score.extra, {})
        own.pop(score.name, None)
        number = score.raw if score.name == REWARD and score.raw is not None else score.value
        if number is not None:
            own[score.name] = 1 - number if score.name in low else number
    return found


def _decide_by_percentile(up: Mapping[str, float], down: Mapping[str, float]) -> Decide:
    def decide(answers: Sequence[_Answer]) -> Sequence[AnswerVerdict]:
        return label_by_percentile([each.scores for each in answers], up=up, down=down)

    return decide


def _decide_by_length(medians: Mapping[str, float], short: int) -> Decide:
    def decide(answers: Sequence[_Answer]) -> Sequence[AnswerVerdict]:
        scores = [each.scores for each in answers]
        lengths = [_length_difference(each.sample) for each in answers]
        return label_by_length(scores, lengths, medians=medians, short=short)

    return decide


def _length_difference(sample: Sample) -> int:
    """Return how many code points longer the summary of a sample is than its source."""
    summary = sum(len(each.text) for each in sample.side(Side.SUMMARY))
    source = sum(len(each.text) for each in sample.side(Side.SOURCE))
    return summary - source


def _question_scores(
    answers: Sequence[_Answer], verdicts: Sequence[AnswerVerdict]
) -> Iterator[Score]:
    found = categorise([verdict.label for verdict in verdicts])
    for answer, verdict in zip(answers, verdicts, strict=True):
        key = answer.sample.key
        label = verdict.label.value
        yield Score(key=key, name=RANK, raw=verdict.margin, value=verdict.value, text=label)
        yield Score(key=key, name=CATEGORY, text=found.value)
        if verdict.as_right != verdict.margin and verdict.margin is not None:
            yield Score(key=key, name=AS_RIGHT, raw=verdict.as_right)
            yield Score(key=key, name=AS_WRONG, raw=verdict.as_wrong)
