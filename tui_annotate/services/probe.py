"""Trains a probe by questions that a model knows or not: as a file, people or a ranker say.

Questions whose answers are all right are known, such whose answers are all wrong are not; all
others say nothing, and are counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidRecord, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.records import Problem, Record, RecordFilter
from tui_annotate.methods.ranking import CATEGORY, Category
from tui_annotate.methods.verdicts import supported
from tui_annotate.plugins import probes
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.generated import is_answer
from tui_annotate.plugins.probes import AUTO, Trained

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.scores.store import ScoreStore

_KNOWN: Final = {Category.ALL_RIGHT.value: True, Category.ALL_WRONG.value: False}


class Whose(StrEnum):
    """Who says which answers are right."""

    HUMAN = "human"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a probe learns from, and on which model.

    Attributes:
        model: a folder.
        file: of questions with a category; None for a dataset.
        dataset, whose: whose answers, and who says which are right.
        layer: from 1; 0 tries all.
    """

    model: str
    file: Path | None = None
    dataset: str = ""
    whose: Whose = Whose.HUMAN
    layer: int = AUTO
    seed: int = 0


@dataclass(slots=True)
class Gathered:
    """Questions in their order, which of them are known, and why others say nothing."""

    questions: list[str] = field(default_factory=list)
    known: list[bool] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)

    def take(self, question: str, *, known: bool | None, why: str) -> None:
        """One more; None for one that says nothing."""
        if not question.strip():
            self.left["without a question"] += 1
        elif known is None:
            self.left[why] += 1
        else:
            self.questions.append(question)
            self.known.append(known)


@dataclass(frozen=True, slots=True)
class TrainProbe:
    """What managers train."""

    corpus: CorpusStore
    scores: ScoreStore
    actor: Actor = OPERATOR

    def run(
        self, asked: Asked, *, progress: Callable[[Progress], None] | None = None
    ) -> tuple[Trained, Gathered]:
        """The probe, and what it learnt from.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: file, dataset or labels are missing.
            InvalidInput, InvalidRecord: a line is wrong, or there is too little to learn from.
            Unavailable: libraries or model are missing.
        """
        require(self.actor, Verb.MANAGE)
        return trained(asked, self._gathered(asked), progress=progress)

    def _gathered(self, asked: Asked) -> Gathered:
        if asked.file is not None:
            return from_file(asked.file)
        found = Gathered()
        categories = self._categories(asked) if asked.whose is Whose.MACHINE else None
        records = self.corpus.records(RecordFilter(dataset=asked.dataset))
        answers = (record for record in records if is_answer(record.sample))
        for _, several in groupby(answers, key=lambda one: one.sample.group or one.sample.id):
            own = list(several)
            question = own[0].sample.request.question
            if categories is None:
                found.take(question, known=_by_people(own), why="not all right and not all wrong")
            else:
                said = categories.get(own[0].sample.id, "")
                found.take(question, known=_KNOWN.get(said), why=said or "not ranked")
        if not found.questions and not found.left:
            raise NotFound(
                f"dataset {asked.dataset!r} has no answers to questions",
                "tui-annotate ingest --format generations FILE",
            )
        return found

    def _categories(self, asked: Asked) -> Mapping[str, str]:
        found = {
            key.id: score.text
            for key, scores in self.scores.scores(asked.dataset, names=[CATEGORY])
            for score in scores
        }
        if not found:
            raise NotFound(f"no ranker judged dataset {asked.dataset!r}", "tui-annotate rank")
        return found


def trained(
    asked: Asked, found: Gathered, *, progress: Callable[[Progress], None] | None = None
) -> tuple[Trained, Gathered]:
    """The probe that these questions make, without a workspace; see `TrainProbe.run`."""
    began, count = time.monotonic(), len(found.questions)

    def told(looked: int) -> None:
        if progress:
            seconds = time.monotonic() - began
            progress(Progress("looking", looked, share=looked / count, seconds=seconds))

    return (
        probes.train(
            found.questions,
            found.known,
            model=asked.model,
            layer=asked.layer,
            seed=asked.seed,
            told=told,
        ),
        found,
    )


def from_file(path: Path) -> Gathered:
    """Questions of JSON lines with `question` and `category`, as a ranker writes them.

    Raises:
        NotFound, Unavailable: it can not be opened.
        InvalidRecord: a line can not be read, or lacks one of them.
    """
    found = Gathered()
    for row, where in _rows(path):
        question, category = row.get("question"), row.get("category")
        if not isinstance(question, str) or not isinstance(category, str):
            raise InvalidRecord(
                f"{where}: it lacks 'question' or 'category'",
                'a line: {"question": ..., "category": "all-right" or "all-wrong"}',
                where=where,
            )
        found.take(
            question, known=_KNOWN.get(category), why=category.strip() or "without a category"
        )
    return found


def _rows(path: Path) -> Iterator[tuple[Mapping[str, Any], str]]:
    for value in json_values(path):
        if isinstance(value, Problem):
            raise InvalidRecord(str(value), value.hint, where=value.where)
        if not isinstance(value.value, dict):
            raise InvalidRecord(f"{value.where}: it is no object", "one a line", where=value.where)
        yield value.value, value.where


def _by_people(records: Iterable[Record]) -> bool | None:
    """Whether people find all of some answers right; None where they do not say, or differ."""
    words = {supported(record) for record in records}
    return words.pop() if len(words) == 1 else None
