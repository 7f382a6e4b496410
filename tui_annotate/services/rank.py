"""Ranks the answers to each question by their scores: right, wrong or undecided; a run of its own.

People's own work plays no part here, so that a ranker can be held against it.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Actor, Verb, require
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import Run, RunKind, Score
from tui_annotate.methods.ranking import (
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
    Category,
    Label,
    Verdict,
    by_length,
    by_percentile,
    category,
    medians,
    thresholds,
)

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.scores.store import ScoreStore

_NONE: Final[tuple[SampleKey | None, tuple[Score, ...]]] = (None, ())
_BY_LENGTH: Final = (OVERLAP, SURPRISE, TO_ANSWER, JUDGED, REWARD)


class Ranker(StrEnum):
    """How answers are held against one another."""

    PERCENTILE = "percentile"
    LENGTH = "length"


def chosen_ranker(name: str) -> Ranker:
    """The ranker of a name; the original's names are known as well.

    Raises:
        InvalidInput: there is none.
    """
    there = {"SimpleRanker": Ranker.PERCENTILE, "LenRanker": Ranker.LENGTH}
    there |= {each.value: each for each in Ranker}
    if name not in there:
        raise InvalidInput(f"no ranker {name!r}", f"there are: {', '.join(Ranker)}")
    return there[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a user asks for.

    Attributes:
        up, down: percentiles of the percentile ranker, 0 to 100, the lower one not above the other.
        short: the length ranker takes answers for short that are less than so many code points
            longer than the right one.
        use: names of the scores that the percentile ranker adds up; those published where empty.
    """

    dataset: str
    ranker: Ranker = Ranker.PERCENTILE
    up: float = 70.0
    down: float = 30.0
    short: int = 80
    use: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """What came of a run.

    Attributes:
        labels, categories: how many answers and questions got each, in the order of their classes.
        used: the scores that were there.
    """

    run: Run
    labels: Mapping[str, int]
    categories: Mapping[str, int]
    used: tuple[str, ...]


@dataclass(slots=True)
class _Answer:
    """An answer with what is known of it, values by name, a high one the better one."""

    sample: Sample
    scores: dict[str, float] = field(default_factory=dict)


Decide = Callable[[Sequence[_Answer]], Sequence[Verdict]]


@dataclass(frozen=True, slots=True)
class Rank:
    """What managers do to rank a dataset."""

    corpus: CorpusStore
    store: ScoreStore
    actor: Actor

    def run(self, asked: Asked, *, progress: Callable[[Progress], None] | None = None) -> Ranked:
        """Ranks a dataset by the scores that stand, and stores the run.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset, or it has none of the scores.
            InvalidInput: the options contradict one another.
        """
        require(self.actor, Verb.MANAGE)
        _check(asked)
        names = _names(asked)
        low = {name for run in self.store.runs(asked.dataset) for name in run.low}
        decide, parameters = self._decision(asked, names, low)
        told = _Told(progress)
        scores = self._scores(asked.dataset, names, low, decide=decide, told=told)
        run = Run(
            id=str(uuid.uuid4()),
            kind=RunKind.RANK,
            maker=asked.ranker.value,
            dataset=asked.dataset,
            parameters={**parameters, "middle": {RANK: 0.0}},
        )
        self.store.write(run, scores)
        return Ranked(
            run=next(each for each in self.store.runs(asked.dataset) if each.id == run.id),
            labels={each.value: told.labels[each] for each in Label},
            categories={each.value: told.categories[each] for each in Category},
            used=tuple(parameters["used"]),
        )

    def _decision(
        self, asked: Asked, names: Sequence[str], low: set[str]
    ) -> tuple[Decide, dict[str, Any]]:
        """What decides on a question, and the parameters that say how.

        Raises:
            NotFound: the dataset has none of the scores.
        """
        known = [
            _values(scores, low) for _, scores in self.store.scores(asked.dataset, names=names)
        ]
        answers = [values for each in known for values in each.values()]
        used = [name for name in names if any(name in values for values in answers)]
        if not set(used) - {REWARD}:
            raise NotFound(
                f"dataset {asked.dataset!r} has none of the scores {', '.join(names)}",
                "tui-annotate score --dataset NAME --scorer unigram --scorer similarity",
            )
        if asked.ranker is Ranker.LENGTH:
            middles = medians(answers)
            decide = _by_length(middles, asked.short)
            return decide, {"used": used, "short_diff": asked.short, "medians": middles}
        up, down = thresholds(answers, names, up=asked.up, down=asked.down)
        limits = {"up_percentile": asked.up, "down_percentile": asked.down, "up": up, "down": down}
        return _by_percentile(up, down), {"used": used, **limits}

    def _answers(self, dataset: str, names: Sequence[str], low: set[str]) -> Iterator[_Answer]:
        """All samples in their order, with what is known of each."""
        waiting = self.store.scores(dataset, names=names)
        key, scores = next(waiting, _NONE)
        for record in self.corpus.records(RecordFilter(dataset=dataset)):
            answer = _Answer(record.sample)
            if record.sample.key == key:
                values = _values(scores, low)
                answer.scores = values.pop(0, {})
                key, scores = next(waiting, _NONE)
            yield answer

    def _scores(
        self, dataset: str, names: Sequence[str], low: set[str], *, decide: Decide, told: _Told
    ) -> Iterator[Score]:
        answers = self._answers(dataset, names, low)
        for group, found in groupby(answers, key=lambda each: each.sample.group):
            some = list(found)
            for own in [some] if group else [[each] for each in some]:
                verdicts = decide(own)
                told.count(verdicts)
                yield from _of_question(own, verdicts)


class _Told:
    """Counts what was said, and tells how far it is."""

    def __init__(self, progress: Callable[[Progress], None] | None) -> None:
        self.labels: Counter[Label] = Counter()
        self.categories: Counter[Category] = Counter()
        self._progress = progress
        self._began = time.monotonic()

    def count(self, verdicts: Sequence[Verdict]) -> None:
        """Counts a question and its answers."""
        labels = [verdict.label for verdict in verdicts]
        self.labels.update(labels)
        self.categories[category(labels)] += 1
        if self._progress is not None:
            done, seconds = self.labels.total(), time.monotonic() - self._began
            self._progress(Progress("ranking", done, seconds=seconds))


def _check(asked: Asked) -> None:
    if asked.short < 0:
        raise InvalidInput(f"{asked.short:,} is no number of characters", "as --short-diff 80")
    for percentile in (asked.up, asked.down):
        if not 0 <= percentile <= 100:
            raise InvalidInput(f"{percentile:g} is no percentile", "0 to 100, as --up 70 --down 30")
    if asked.down > asked.up:
        raise InvalidInput(
            f"the lower percentile {asked.down:g} is above the upper {asked.up:g}",
            "as --up 70 --down 30",
        )


def _names(asked: Asked) -> tuple[str, ...]:
    if asked.ranker is Ranker.LENGTH:
        if asked.use:
            raise InvalidInput("the length ranker has scores of its own", "leave out --use")
        return _BY_LENGTH
    return tuple(dict.fromkeys(asked.use)) or SUMMED


def _values(scores: Sequence[Score], low: set[str]) -> dict[int, dict[str, float]]:
    """By number of the extra, 0 for the sample itself: values by name, a high one the better one.

    Of several runs the newest speaks, which comes last, even if it has nothing to say.
    """
    found: dict[int, dict[str, float]] = {}
    for score in scores:
        own = found.setdefault(score.extra, {})
        own.pop(score.name, None)
        number = score.raw if score.name == REWARD and score.raw is not None else score.value
        if number is not None:
            own[score.name] = 1 - number if score.name in low else number
    return found


def _by_percentile(up: Mapping[str, float], down: Mapping[str, float]) -> Decide:
    def decide(answers: Sequence[_Answer]) -> Sequence[Verdict]:
        return by_percentile([each.scores for each in answers], up=up, down=down)

    return decide


def _by_length(middles: Mapping[str, float], short: int) -> Decide:
    def decide(answers: Sequence[_Answer]) -> Sequence[Verdict]:
        scores = [each.scores for each in answers]
        lengths = [_longer(each.sample) for each in answers]
        return by_length(scores, lengths, middles=middles, short=short)

    return decide


def _longer(sample: Sample) -> int:
    """Code points of the summary, less those of its source."""
    sides = (sample.side(Side.SUMMARY), sample.side(Side.SOURCE))
    summary, source = (sum(len(each.text) for each in side) for side in sides)
    return summary - source


def _of_question(answers: Sequence[_Answer], verdicts: Sequence[Verdict]) -> Iterator[Score]:
    found = category([verdict.label for verdict in verdicts])
    for answer, verdict in zip(answers, verdicts, strict=True):
        key = answer.sample.key
        said = verdict.label.value
        yield Score(key=key, name=RANK, raw=verdict.margin, value=verdict.value, text=said)
        yield Score(key=key, name=CATEGORY, text=found.value)
        if verdict.as_right != verdict.margin and verdict.margin is not None:
            yield Score(key=key, name=AS_RIGHT, raw=verdict.as_right)
            yield Score(key=key, name=AS_WRONG, raw=verdict.as_wrong)
