"""Scores of a question's answer: faithfulness, relevancy, context precision and recall.

The judge generates missing answers and ground truths first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict

from tui_annotate.lab.chat.replies import (
    UNKNOWN_MARKERS,
    MissingReplies,
    NoReply,
    parse_choice,
    parse_json,
    parse_texts,
    parse_verdicts,
)
from tui_annotate.lab.chat.thinking import remove_thinking
from tui_annotate.lab.judge.metrics import (
    MissingReason,
    average_precision,
    mean_relevancy,
    mean_verdict,
    select_contexts,
)
from tui_annotate.lab.judge.options import VECTORS, WORDS, EvaluateOptions
from tui_annotate.lab.judge.reference_answers import (
    EXPECTED_ANSWER,
    estimate_answer_cost,
    generate_row,
    number_texts,
)
from tui_annotate.lab.judge.rows import QuestionRow
from tui_annotate.lab.judge.runner import ExpectedCalls, JudgeRunner
from tui_annotate.methods.term_vectors import word_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

INVENTED_QUESTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class MetricScore:
    """A question's score, or why it is missing.

    Attributes:
        verdicts: 1 or 0 for each judged item.
        similarity: how texts were compared, "vectors" or "words"; empty if none were compared.
        replies: numbers of questions to the judge without a readable reply.
    """

    score: float | None
    reason: str = ""
    similarity: str = ""
    verdicts: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()
    replies: MissingReplies = field(default_factory=MissingReplies)

    @classmethod
    def without_replies(cls, *replies: object) -> MetricScore:
        """Return a missing score; `replies` are those of the judge, at least one is missing."""
        missing = MissingReplies.count(replies)
        return cls(None, MissingReason.of_missing(missing), replies=missing)


Scale = Callable[[str, QuestionRow], MetricScore]
"""Function that scores a question by the metric of the given name."""


class BuiltInScale:
    """The built-in metrics of answers: faithfulness, relevancy, context precision and recall.

    `similarity` is one of `SIMILARITIES`. Without `embed`, "auto" compares by words, and "vectors"
    gives no relevancy. `knows_chinese` returns whether `embed` has vectors for Chinese questions.
    """

    def __init__(
        self,
        runner: JudgeRunner,
        embed: Callable[[Sequence[str]], NDArray[Any]] | None,
        *,
        similarity: str = "auto",
        knows_chinese: Callable[[], bool] = lambda: True,
    ) -> None:
        self._runner = runner
        self._embed = embed
        self._similarity = similarity
        self._knows_chinese = knows_chinese

    def score(self, metric: str, row: QuestionRow) -> MetricScore:
        """Score a question by one of `METRICS`; the texts that the metric needs are not empty."""
        scorers: dict[str, Callable[[QuestionRow], MetricScore]] = {
            "faithfulness": self._faithfulness,
            "answer_relevancy": self._relevancy,
            "context_precision": self._precision,
            "context_recall": self._recall,
        }
        return scorers[metric](row)

    def _faithfulness(self, row: QuestionRow) -> MetricScore:
        statements = self._runner.ask(row, "statements", read=parse_texts, answer=row.answer)
        if isinstance(statements, NoReply):
            return MetricScore.without_replies(statements)
        if not statements:
            return MetricScore(None, MissingReason.EMPTY_ANSWER)
        count = len(statements)
        found = self._runner.ask(
            row,
            "supported",
            read=lambda reply: parse_verdicts(reply, count=count, name="verdict"),
            contexts="\n".join(row.texts),
            statements=number_texts(statements),
            count=count,
        )
        if isinstance(found, NoReply):
            return MetricScore.without_replies(found)
        lacking = [each for each, yes in zip(statements, found, strict=True) if not yes]
        return MetricScore(mean_verdict(found), verdicts=found, unsupported=tuple(lacking))

    def _relevancy(self, row: QuestionRow) -> MetricScore:
        if self._embed is None and self._similarity == VECTORS:
            return MetricScore(None, MissingReason.NO_VECTORS)
        slots: list[dict[str, str | int]] = [
            {"answer": row.answer, "number": number, "count": INVENTED_QUESTIONS}
            for number in range(1, INVENTED_QUESTIONS + 1)
        ]
        replies = self._runner.ask_all(row, "invent", slots, read=_parse_invented)
        usable = [each for each in replies if not isinstance(each, NoReply)]
        if not usable:
            return MetricScore.without_replies(*replies)
        questions = [question for question, _ in usable]
        evades = [each for _, each in usable]
        found = self._compare(row, questions, evades)
        return replace(found, replies=MissingReplies.count(replies))

    def _compare(
        self, row: QuestionRow, invented: Sequence[str], evades: Sequence[int]
    ) -> MetricScore:
        """Compare a question with those that the judge invented, without answers and contexts."""
        texts = [row.question, *invented]
        if self._embed is not None and self._similarity != WORDS:
            if row.language != "zh" or self._knows_chinese():
                vectors = self._embed(texts)
                cosine = mean_relevancy(vectors[0].tolist(), vectors[1:].tolist(), evades)
                if cosine is not None:
                    return MetricScore(cosine, similarity=VECTORS)
            if self._similarity == VECTORS:
                return MetricScore(None, MissingReason.UNKNOWN_WORDS)
        counts = word_vectors(texts)
        cosine = mean_relevancy(counts[0].tolist(), counts[1:].tolist(), evades)
        if cosine is None:
            return MetricScore(None, MissingReason.NO_WORDS)
        return MetricScore(cosine, similarity=WORDS)

    def _precision(self, row: QuestionRow) -> MetricScore:
        slots = [{"reference": row.ground_truth, "context": each} for each in row.texts]
        replies = self._runner.ask_all(
            row, "useful", slots, read=lambda reply: parse_choice(reply, ("0", "1"))
        )
        known = [each for each in replies if not isinstance(each, NoReply)]
        if len(known) < len(replies):
            return MetricScore.without_replies(*replies)
        verdicts = dict(zip(row.places, known, strict=True))
        # An empty context keeps its rank, and is not useful.
        found = tuple(int(verdicts.get(place) or 0) for place in range(len(row.contexts)))
        return MetricScore(average_precision(found), verdicts=found)

    def _recall(self, row: QuestionRow) -> MetricScore:
        found = self._runner.ask(
            row,
            "recalled",
            read=_parse_attributed,
            contexts="\n".join(row.texts),
            reference=row.ground_truth,
        )
        if isinstance(found, NoReply):
            return MetricScore.without_replies(found)
        return MetricScore(mean_verdict(found), "" if found else MissingReason.EMPTY_GROUND_TRUTH)


def _parse_invented(reply: str) -> tuple[str, int] | None:
    value = parse_json(reply)
    if not isinstance(value, dict):
        return None
    question = value.get("question")
    evades = value.get("noncommittal")
    if not isinstance(question, str) or not question.strip() or evades not in (0, 1):
        return None
    return question, int(evades)


def _parse_attributed(reply: str) -> tuple[int, ...] | None:
    """Parse a reply on whether each statement is supported; None if the reply is unclear."""
    value = parse_json(reply)
    return (
        parse_verdicts(reply, count=len(value), name="attributed")
        if isinstance(value, list)
        else None
    )


class EvaluatedQuestion(TypedDict):
    """A question with its texts.

    Attributes:
        id: id of the sample; only for a stored sample.
        contexts: the retrieved texts; null for an empty or null context of the file, so that the
            others keep their indices.
    """

    id: NotRequired[str]
    question: str
    contexts: list[str | None]
    ground_truth: str | None
    answer: str | None


class EvaluationDetails(TypedDict):
    """How a question was scored.

    Attributes:
        generated: which of `answer` and `ground_truth` the judge generated.
        reasons: reason of each missing score, by metric.
        unsupported: statements of the answer that the contexts do not support.
        unclear, refused, failed: numbers of questions to the judge with unclear replies only, of
            those that the endpoint refused, and of those that it failed to answer.
        similarity: `vectors` or `words`; only if `answer_relevancy` compared questions.
    """

    generated: list[str]
    reasons: dict[str, str]
    unsupported: list[str]
    unclear: int
    refused: int
    failed: int
    similarity: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """The scores of one question by all metrics.

    Attributes:
        scores: score by metric: relevancy in [-1, 1], others in [0, 1]; None with a reason.
        reasons: reason of each missing score, by metric.
        generated: which of "answer" and "ground_truth" the judge generated.
        useful: 1 or 0 for each context, 0 for an empty one; no values without context precision.
        unsupported: statements of the answer that the contexts do not support.
        unclear, refused, failed: numbers of questions to the judge with unclear replies only, of
            those that the endpoint refused, and of those that it failed to answer.
        similarity: how answer relevancy compared questions, "vectors" or "words"; else empty.
    """

    row: QuestionRow
    scores: Mapping[str, float | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    generated: tuple[str, ...] = ()
    useful: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()
    unclear: int = 0
    similarity: str = ""
    refused: int = 0
    failed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON; a missing text is null, and a stored sample has its id."""
        question: EvaluatedQuestion = {
            "question": self.row.question,
            "contexts": list(self.row.contexts),
            "ground_truth": self.row.ground_truth or None,
            "answer": self.row.answer or None,
        }
        if self.row.key is not None:
            question = {"id": self.row.key.id, **question}
        details: EvaluationDetails = {
            "generated": list(self.generated),
            "reasons": dict(self.reasons),
            "unsupported": list(self.unsupported),
            "unclear": self.unclear,
            "refused": self.refused,
            "failed": self.failed,
        }
        if self.similarity:
            details["similarity"] = self.similarity
        return {**question, **self.scores, **details}


def evaluate_row(
    row: QuestionRow, runner: JudgeRunner, options: EvaluateOptions, *, scale: Scale
) -> EvaluationResult:
    """Score one question; generate a missing answer or reference answer first."""
    looked, generated = _generate_missing(row, runner, options)
    found = {
        metric: _score_metric(metric, looked, scale, generated=generated)
        for metric in options.metrics
    }
    missing = sum(
        (*generated.values(), *(each.replies for each in found.values())), start=MissingReplies()
    )
    supported = found.get("faithfulness", MetricScore(None))
    return EvaluationResult(
        row=looked,
        scores={metric: each.score for metric, each in found.items()},
        reasons={metric: each.reason for metric, each in found.items() if each.score is None},
        generated=tuple(
            name
            for name in ("answer", "ground_truth")
            if getattr(looked, name) and not getattr(row, name)
        ),
        useful=found.get("context_precision", MetricScore(None)).verdicts,
        unsupported=supported.unsupported,
        unclear=missing.unclear,
        refused=missing.refused,
        failed=missing.failed,
        similarity=found.get("answer_relevancy", MetricScore(None)).similarity,
    )


def _generate_missing(
    row: QuestionRow, runner: JudgeRunner, options: EvaluateOptions
) -> tuple[QuestionRow, Mapping[str, MissingReplies]]:
    """Generate missing texts of a question; also count the missing replies of each text."""
    kept = select_contexts(row.contexts, k=options.top_k, most=options.max_chars)
    looked = replace(row, contexts=kept)
    missing = {}
    if not options.truth.keep_thinking:
        looked = replace(looked, answer=remove_thinking(row.answer))
    if not row.answer and {"faithfulness", "answer_relevancy"} & {*options.metrics}:
        answer = _generate_answer(looked, runner, options)
        missing["answer"] = MissingReplies.count([answer])
        looked = replace(looked, answer="" if isinstance(answer, NoReply) else answer)
    if not row.ground_truth and {"context_precision", "context_recall"} & {*options.metrics}:
        made = generate_row(row, runner, options.truth)
        missing["ground_truth"] = MissingReplies(made.unclear, made.refused, made.failed)
        looked = replace(looked, ground_truth=made.ground_truth or "")
    return looked, missing


def _score_metric(
    metric: str, row: QuestionRow, scale: Scale, *, generated: Mapping[str, MissingReplies]
) -> MetricScore:
    needs = {
        "faithfulness": ("answer", "texts"),
        "answer_relevancy": ("answer",),
        "context_precision": ("ground_truth", "texts"),
        "context_recall": ("ground_truth", "texts"),
    }
    missing = {
        "answer": MissingReason.NO_ANSWER,
        "ground_truth": MissingReason.NO_GROUND_TRUTH,
        "texts": MissingReason.NO_CONTEXT,
    }
    for name in needs[metric]:
        if not getattr(row, name):
            replies = generated.get(name, MissingReplies())
            if replies.refused:
                return MetricScore(None, MissingReason.REFUSED_PROMPT)
            if replies.failed:
                return MetricScore(None, MissingReason.FAILED_PROMPT)
            return MetricScore(None, MissingReason.SILENT_JUDGE if replies.total else missing[name])
    found = scale(metric, row)
    if found.score is not None and not math.isfinite(found.score):
        return replace(found, score=None, reason=MissingReason.NOT_FINITE)
    return found


def _generate_answer(
    row: QuestionRow, runner: JudgeRunner, options: EvaluateOptions
) -> str | NoReply:
    """Generate an answer from the retrieved texts; "" if they contain none."""
    if not row.texts:
        return ""
    return runner.ask(
        row,
        "answer",
        read=options.truth.parse_answer,
        contexts=number_texts(row.texts),
        unknown=UNKNOWN_MARKERS[runner.prompt("answer", row.language).language],
    )


def estimate_evaluation_cost(
    row: QuestionRow, runner: JudgeRunner, options: EvaluateOptions
) -> ExpectedCalls:
    """Return the maximum number of requests and characters for scoring one question."""
    chosen = select_contexts(row.contexts, k=options.top_k, most=options.max_chars)
    kept = [context for context in chosen if context and context.strip()]
    read = sum(map(len, kept))
    reply = len(row.answer) or EXPECTED_ANSWER
    truth = len(row.ground_truth) or EXPECTED_ANSWER
    total = ExpectedCalls()
    if not row.answer and {"faithfulness", "answer_relevancy"} & {*options.metrics}:
        total += ExpectedCalls.of(runner, "answer", row, calls=1, texts=read)
    if not row.ground_truth and {"context_precision", "context_recall"} & {*options.metrics}:
        total += estimate_answer_cost(row, runner, options.truth)
    if "faithfulness" in options.metrics:
        total += ExpectedCalls.of(runner, "statements", row, calls=1, texts=reply)
        total += ExpectedCalls.of(runner, "supported", row, calls=1, texts=read + 2 * reply)
    if "answer_relevancy" in options.metrics:
        total += ExpectedCalls.of(
            runner, "invent", row, calls=INVENTED_QUESTIONS, texts=INVENTED_QUESTIONS * reply
        )
    if "context_precision" in options.metrics:
        total += ExpectedCalls.of(
            runner, "useful", row, calls=len(kept), texts=read + len(kept) * truth
        )
    if "context_recall" in options.metrics:
        total += ExpectedCalls.of(runner, "recalled", row, calls=1, texts=read + truth)
    return total


@dataclass(frozen=True, slots=True)
class MetricMean:
    """Mean of a metric over the scored questions, with the numbers of scored and unscored ones."""

    mean: float | None
    count: int
    missing: int


def mean_metrics(
    found: Sequence[EvaluationResult], metrics: Sequence[str]
) -> dict[str, MetricMean]:
    """Return the mean of each metric over the questions that have a score."""
    means = {}
    for metric in metrics:
        scores = [each.scores[metric] for each in found]
        known = [score for score in scores if score is not None]
        mean = sum(known) / len(known) if known else None
        means[metric] = MetricMean(mean, len(known), len(scores) - len(known))
    return means


def mean_similarities(found: Sequence[EvaluationResult]) -> dict[str, MetricMean]:
    """Return the mean answer relevancy for each way in which questions were compared.

    Cosines of vectors and of words are not comparable, so a mean over both has no meaning.
    """
    means = {}
    for name in (VECTORS, WORDS):
        rows = [each for each in found if each.similarity == name]
        if rows:
            means[name] = mean_metrics(rows, ("answer_relevancy",))["answer_relevancy"]
    return means
