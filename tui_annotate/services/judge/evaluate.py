"""Four published scores of an answer and its contexts; what is missing for them is made first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.methods.judging import MOST_CHARACTERS, within
from tui_annotate.methods.replies import UNKNOWN, answer
from tui_annotate.plugins.asking import Scored
from tui_annotate.services.judge import generate
from tui_annotate.services.judge.generate import GenerateOptions, generate_row, numbered
from tui_annotate.services.judge.planning import Expected
from tui_annotate.services.judge.rows import Row
from tui_annotate.services.judge.scale import INVENTED, METRICS, Scale
from tui_annotate.services.judge.sitting import Sitting

_ANSWER: Final = 600
"""Code points that an answer is expected to have, where calls are told beforehand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """What is scored, and of how much.

    Attributes:
        metrics: of `METRICS`.
        top_k: contexts that are looked at, at least 1.
        max_chars: under which these are kept together.
        truth: how a missing ground truth is made.
    """

    metrics: tuple[str, ...] = METRICS
    top_k: int = 10
    max_chars: int = MOST_CHARACTERS
    truth: GenerateOptions = field(default_factory=GenerateOptions)

    def __post_init__(self) -> None:
        if unknown := [name for name in self.metrics if name not in METRICS]:
            raise InvalidInput(
                f"there is no metric {unknown[0]!r}", f"there are: {', '.join(METRICS)}"
            )
        if not self.metrics or self.top_k < 1 or self.max_chars < 2:
            raise InvalidInput("there is nothing to score", "one metric, one context at least")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """The scores of one question.

    Attributes:
        row: with the contexts that were looked at, and with what was generated.
        scores: by metric; None where a reason says why. Relevancy in [-1, 1], others in [0, 1].
        reasons: by metric, for those that are None.
        generated: of "answer" and "ground_truth" those that the judge wrote.
        useful: 1 or 0 for each context looked at; empty where precision is not known.
        unsupported: statements of the answer that the contexts do not support.
    """

    row: Row
    scores: Mapping[str, float | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    generated: tuple[str, ...] = ()
    useful: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Values of JSON."""
        told: dict[str, Any] = {} if self.row.key is None else {"id": self.row.key.id}
        return told | {
            "question": self.row.question,
            "contexts": list(self.row.contexts),
            "ground_truth": self.row.ground_truth or None,
            "answer": self.row.answer or None,
            **self.scores,
            "generated": list(self.generated),
            "reasons": dict(self.reasons),
            "unsupported": list(self.unsupported),
        }


def evaluate_row(
    row: Row, sitting: Sitting, options: EvaluateOptions, *, scale: Scale
) -> Evaluated:
    """Scores one question; answer and ground truth are made first where they are missing.

    Raises:
        Unavailable, InvalidInput: as `Clearly.all`.
    """
    kept = within(row.contexts, k=options.top_k, most=options.max_chars)
    looked = replace(row, contexts=kept)
    generated = []
    if not looked.answer and {"faithfulness", "answer_relevancy"} & {*options.metrics}:
        looked = replace(looked, answer=_answered(looked, sitting))
        generated += ["answer"] if looked.answer else []
    if not looked.ground_truth and {"context_precision", "context_recall"} & {*options.metrics}:
        truth = generate_row(row, sitting, options.truth).ground_truth or ""
        looked = replace(looked, ground_truth=truth)
        generated += ["ground_truth"] if truth else []
    found = {metric: _scored(metric, looked, scale) for metric in options.metrics}
    supported = found.get("faithfulness", Scored(None))
    return Evaluated(
        row=looked,
        scores={metric: each.score for metric, each in found.items()},
        reasons={metric: each.reason for metric, each in found.items() if each.score is None},
        generated=tuple(generated),
        useful=found.get("context_precision", Scored(None)).verdicts,
        unsupported=supported.unsupported,
    )


def _scored(metric: str, row: Row, scale: Scale) -> Scored:
    needs = {
        "faithfulness": ("answer", "contexts"),
        "answer_relevancy": ("answer",),
        "context_precision": ("ground_truth", "contexts"),
        "context_recall": ("ground_truth", "contexts"),
    }
    words = {"answer": "answer", "ground_truth": "ground truth", "contexts": "context"}
    for name in needs[metric]:
        if not getattr(row, name):
            return Scored(None, f"there is no {words[name]}")
    return scale.score(metric, row)


def _answered(row: Row, sitting: Sitting) -> str:
    """An answer from the contexts that are looked at; empty where the judge gives none."""
    if not row.contexts:
        return ""
    unknown = UNKNOWN[sitting.prompt("answer", row.language).language]
    asked = sitting.put(
        "answer",
        row.language,
        question=row.question,
        contexts=numbered(row.contexts),
        unknown=unknown,
    )
    return sitting.clearly(row.language).one(asked, answer) or ""


def expected(row: Row, sitting: Sitting, options: EvaluateOptions) -> Expected:
    """What scoring a row takes at most; of what is not there yet a length is guessed."""
    kept = within(row.contexts, k=options.top_k, most=options.max_chars)
    read = sum(map(len, kept))
    reply, truth = len(row.answer) or _ANSWER, len(row.ground_truth) or _ANSWER
    told = Expected()
    if not row.answer and {"faithfulness", "answer_relevancy"} & {*options.metrics}:
        told += Expected.of(sitting, "answer", row, calls=1, texts=read)
    if not row.ground_truth and {"context_precision", "context_recall"} & {*options.metrics}:
        told += generate.expected(row, sitting, options.truth)
    if "faithfulness" in options.metrics:
        told += Expected.of(sitting, "statements", row, calls=1, texts=reply)
        told += Expected.of(sitting, "supported", row, calls=1, texts=read + 2 * reply)
    if "answer_relevancy" in options.metrics:
        told += Expected.of(sitting, "invent", row, calls=INVENTED, texts=INVENTED * reply)
    if "context_precision" in options.metrics:
        told += Expected.of(sitting, "useful", row, calls=len(kept), texts=read + len(kept) * truth)
    if "context_recall" in options.metrics:
        told += Expected.of(sitting, "recalled", row, calls=1, texts=read + truth)
    return told


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a metric over those questions that have one.

    Attributes:
        mean: None where none has.
        count: that have one.
        missing: that have none.
    """

    mean: float | None
    count: int
    missing: int


def means(found: Sequence[Evaluated], metrics: Sequence[str]) -> dict[str, Mean]:
    """The mean of each metric; questions without a score are left out, and counted."""
    told = {}
    for metric in metrics:
        scores = [each.scores[metric] for each in found]
        there = [score for score in scores if score is not None]
        mean = sum(there) / len(there) if there else None
        told[metric] = Mean(mean, len(there), len(scores) - len(there))
    return told
