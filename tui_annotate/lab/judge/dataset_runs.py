"""Samples of a dataset as questions to a judge, and a judge's results as stored scores."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import GROUND_TRUTH, RunKind, Score, ScoreRun
from tui_annotate.lab.judge.context_order import ContextOrderResult
from tui_annotate.lab.judge.evaluation import EvaluationResult
from tui_annotate.lab.judge.options import EvaluateOptions, GenerateOptions, SortOptions
from tui_annotate.lab.judge.reference_answers import ReferenceAnswer
from tui_annotate.lab.judge.rows import (
    ORDER,
    USEFUL,
    QuestionRow,
    check_rows,
    sample_row,
)
from tui_annotate.lab.judge.runner import JudgeRunner
from tui_annotate.lab.model_makers import name_apart
from tui_annotate.lab.score.ranking import normalise_values

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

SPEARMAN: Final = "judge_spearman"
OVERLAP: Final = "judge_overlap"


@check_keywords
@dataclass(frozen=True, slots=True)
class DatasetJudge:
    """Reads questions from a dataset for a judge, and stores what the judge returned."""

    machines: MachineServices

    def rows(self, dataset: str) -> list[QuestionRow]:
        """Return the samples of a dataset as questions for a judge.

        If a sample has no reference answer, use the newest generated one.

        Raises:
            NotFound: the dataset does not exist.
            InvalidInput: a question is missing, or the dataset has no samples.
        """
        if all(each.name != dataset for each in self.machines.corpus.datasets()):
            raise NotFound(
                f"dataset {dataset!r} does not exist",
                "list all datasets with: tui-annotate datasets list",
            )
        written = {
            key: score.text
            for key, scores in self.machines.scores.scores(dataset, names=(GROUND_TRUTH,))
            for score in scores
        }
        records = self.machines.corpus.records(RecordFilter(dataset=dataset))
        return check_rows(
            [
                sample_row(record.sample, ground_truth=written.get(record.sample.key, ""))
                for record in records
            ]
        )

    def store_sorted(
        self, found: Sequence[ContextOrderResult], runner: JudgeRunner, options: SortOptions
    ) -> ScoreRun:
        """Store a judge's order of texts, and its distance from the retriever's, as scores."""
        scores = [score for each in found for score in _order_scores(each)]
        figures = {
            SPEARMAN: [each.spearman for each in found],
            OVERLAP: [each.sim for each in found],
        }
        for name, raws in figures.items():
            reasons = [
                each.reason if raw is None else "" for each, raw in zip(found, raws, strict=True)
            ]
            scores += _figure_scores(found, name, raws, texts=reasons)
        return self._store("judge-sort", found, runner, parameters=asdict(options), scores=scores)

    def store_generated(
        self, found: Sequence[ReferenceAnswer], runner: JudgeRunner, options: GenerateOptions
    ) -> ScoreRun:
        """Store each generated answer as the text of a score, which is 0 if there is no answer."""
        scores = [
            Score(
                key=_key_of(each.row),
                name=GROUND_TRUTH,
                raw=float(each.ground_truth is not None),
                text=each.ground_truth or "",
            )
            for each in found
        ]
        return self._store(
            "judge-generate", found, runner, parameters=asdict(options), scores=scores
        )

    def store_evaluated(
        self,
        found: Sequence[EvaluationResult],
        runner: JudgeRunner,
        options: EvaluateOptions,
        *,
        backend: str,
        embedder: str,
    ) -> ScoreRun:
        """Store the scores of answers as a run; for a missing score, store the reason as text."""
        parameters = {
            "backend": backend,
            "metrics": list(options.metrics),
            "top_k": options.top_k,
            "max_chars": options.max_chars,
            "keep_thinking": options.truth.keep_thinking,
            "similarity": dict(Counter(each.similarity for each in found if each.similarity)),
        }
        maker = "judge-evaluate" if backend == "builtin" else backend
        scores = [score for name in options.metrics for score in _metric_scores(found, name)]
        return self._store(
            maker, found, runner, parameters=parameters, scores=scores, embedder=embedder
        )

    def _store(
        self,
        maker: str,
        found: Sequence[ContextOrderResult | ReferenceAnswer | EvaluationResult],
        runner: JudgeRunner,
        *,
        parameters: dict[str, Any],
        scores: Iterable[Score],
        embedder: str = "",
    ) -> ScoreRun:
        run = ScoreRun(
            id=str(uuid.uuid4()),
            kind=RunKind.JUDGE,
            maker=f"{maker}:{runner.judge.model}",
            dataset=_key_of(found[0].row).dataset,
            parameters=parameters | runner.parameters(),
            embedder=embedder,
        )
        run = name_apart(run, self.machines.scores.runs(run.dataset))
        self.machines.scores.write(run, scores)
        return run


def _key_of(row: QuestionRow) -> SampleKey:
    assert row.key is not None  # noqa: S101  rows of a dataset have one
    return row.key


def _order_scores(each: ContextOrderResult) -> list[Score]:
    key = _key_of(each.row)
    documents = each.row.places
    # An order of several contexts without a correlation is only the retriever's.
    judged = () if each.spearman is None and len(each.sorted) > 1 else each.sorted
    place = {context: float(number) for number, context in enumerate(judged, 1)}
    parts = tuple(place.get(at) for at in documents)
    scores = [Score(key=key, name=ORDER, parts=parts, of="documents")]
    if each.good is not None:
        verdicts = dict.fromkeys(each.bad or (), 0.0) | dict.fromkeys(each.good, 1.0)
        useful = tuple(verdicts.get(at) for at in documents)
        scores.append(Score(key=key, name=USEFUL, parts=useful, of="documents"))
    return scores


def _figure_scores(
    found: Sequence[ContextOrderResult | EvaluationResult],
    name: str,
    raws: Sequence[float | None],
    *,
    texts: Iterable[str],
) -> list[Score]:
    return [
        Score(key=_key_of(each.row), name=name, raw=raw, value=value, text=text)
        for each, raw, value, text in zip(found, raws, normalise_values(raws), texts, strict=True)
    ]


def _metric_scores(found: Sequence[EvaluationResult], name: str) -> list[Score]:
    raws = [each.scores[name] for each in found]
    scores = _figure_scores(found, name, raws, texts=[each.reasons.get(name, "") for each in found])
    if name != "context_precision":
        return scores
    return [
        replace(
            score, parts=tuple(float(each.useful[at]) for at in each.row.places), of="documents"
        )
        if each.useful
        else score
        for score, each in zip(scores, found, strict=True)
    ]
