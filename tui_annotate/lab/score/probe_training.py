"""Training of a classifier (probe) on questions whose answer a model knows or does not know.

A question counts as known if all its answers are right, and as unknown if all its answers are
wrong. Other questions are excluded and counted. The labels of a dataset come from annotators or a
ranker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidRecord, NotReady
from tui_annotate.domain.keyword_names import check_field_names, check_keywords
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.progress import TaskProgress, time_phase
from tui_annotate.domain.records import Problem, RecordFilter
from tui_annotate.lab.score import probes
from tui_annotate.lab.score.probes import AUTO, TrainedProbe
from tui_annotate.lab.score.ranking import CATEGORY, AnswerCategory
from tui_annotate.lab.score.sample_reader import is_answer
from tui_annotate.methods.verdicts import find_verdict
from tui_annotate.plugins.files.json_values import read_json_values

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

_LABEL_OF_CATEGORY: Final = {
    AnswerCategory.ALL_RIGHT.value: True,
    AnswerCategory.ALL_WRONG.value: False,
}


class LabelSource(StrEnum):
    """Who labelled the answers of a dataset: annotators (human) or a rule (machine)."""

    HUMAN = "human"
    MACHINE = "machine"


@unique
class UnusedReason(StrEnum):
    """Reason why a question is excluded from training."""

    MIXED_LABELS = "the answers to the question do not all have the same human label"
    NO_QUESTION = "the question is missing"
    NOT_RANKED = "the answers to the question are not ranked"


@check_field_names(model="model_folder", whose="label_source")
@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOptions:
    """Options for training a classifier (probe) of a model's hidden states."""

    model_folder: str
    dataset: str = ""
    label_source: LabelSource = LabelSource.HUMAN
    layer: int = AUTO
    seed: int = 0


@dataclass(slots=True)
class TrainingQuestions:
    """Questions labelled as known or unknown, and counts of excluded questions by reason."""

    questions: list[str] = field(default_factory=list)
    known: list[bool] = field(default_factory=list)
    unused: Counter[str] = field(default_factory=Counter)

    def add(self, question: str, *, known: bool | None, why: str) -> None:
        """Add a training question; `known`: whether the model knows the answer."""
        if not question.strip():
            self.unused[UnusedReason.NO_QUESTION] += 1
        elif known is None:
            self.unused[why] += 1
        else:
            self.questions.append(question)
            self.known.append(known)


@check_keywords
@dataclass(frozen=True, slots=True)
class ProbeTrainingService:
    """Trains classifiers (probes) on the hidden states of a model."""

    machines: MachineServices

    def run(
        self, options: ProbeOptions, *, progress: Callable[[TaskProgress], None] | None = None
    ) -> tuple[TrainedProbe, TrainingQuestions]:
        """Train a classifier (probe) on a dataset; return it and its training questions.

        Raises:
            NotFound, InvalidInput, InvalidRecord: data is missing, invalid, or too little.
            Unavailable: the libraries or the model are missing.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        questions = self._collect(options)
        return train_on(options, questions, progress=progress), questions

    def _collect(self, options: ProbeOptions) -> TrainingQuestions:
        found = TrainingQuestions()
        categories = (
            self._categories(options) if options.label_source is LabelSource.MACHINE else None
        )
        records = self.machines.corpus.records(RecordFilter(dataset=options.dataset))
        answers = (record for record in records if is_answer(record.sample))
        former = self.machines.log.former_label_names(options.dataset)
        for _, several in groupby(answers, key=lambda one: one.sample.group or one.sample.id):
            own = list(several)
            question = own[0].sample.request.question
            if categories is None:
                labels = {find_verdict(record, former) for record in own}
                known = labels.pop() if len(labels) == 1 else None
                found.add(question, known=known, why=UnusedReason.MIXED_LABELS)
            else:
                category = categories.get(own[0].sample.id, "")
                found.add(
                    question,
                    known=_LABEL_OF_CATEGORY.get(category),
                    why=category or UnusedReason.NOT_RANKED,
                )
        if not found.questions and not found.unused:
            raise NotReady(
                f"dataset {options.dataset!r} has no answers to questions",
                "import answers with: tui-annotate ingest --from generations FILE",
            )
        return found

    def _categories(self, options: ProbeOptions) -> Mapping[str, str]:
        found = {
            key.id: score.text
            for key, scores in self.machines.scores.scores(options.dataset, names=[CATEGORY])
            for score in scores
        }
        if not found:
            raise NotReady(
                f"the answers of dataset {options.dataset!r} are not ranked",
                "rank the answers with: tui-annotate lab scores rank",
            )
        return found


def train_on(
    options: ProbeOptions,
    found: TrainingQuestions,
    *,
    progress: Callable[[TaskProgress], None] | None = None,
) -> TrainedProbe:
    """Train a classifier (probe) on labelled questions, without a workspace."""
    return probes.train(
        found.questions,
        found.known,
        model=options.model_folder,
        layer=options.layer,
        seed=options.seed,
        on_progress=time_phase(progress, "looking", total=len(found.questions)),
    )


def read_questions(path: Path) -> TrainingQuestions:
    """Read questions and categories from JSON lines; raise InvalidRecord for an invalid line."""
    found = TrainingQuestions()
    for value in read_json_values(path):
        where = value.where
        if isinstance(value, Problem):
            raise InvalidRecord(str(value), value.hint, where=where)
        row = value.value
        if not isinstance(row, dict):
            raise InvalidRecord(
                f"{where}: the line is not a JSON object",
                "write one JSON object in each line",
                where=where,
            )
        question = row.get("question")
        category = row.get("category")
        if not isinstance(question, str) or not isinstance(category, str):
            raise InvalidRecord(
                f"{where}: the line lacks 'question' or 'category'",
                'write each line as: {"question": ..., "category": "all-right" or "all-wrong"}',
                where=where,
            )
        found.add(
            question,
            known=_LABEL_OF_CATEGORY.get(category),
            why=category.strip() or "the question has no category",
        )
    return found
