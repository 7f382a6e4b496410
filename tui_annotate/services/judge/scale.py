"""Our own scale: the published formulas on verdicts that our prompts ask a judge for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from tui_annotate.methods.judging import precision, relevancy, share
from tui_annotate.methods.replies import json_in, one_of, texts, verdicts
from tui_annotate.plugins.asking import Scored
from tui_annotate.services.judge.generate import numbered
from tui_annotate.services.judge.rows import Row
from tui_annotate.services.judge.sitting import Sitting

if TYPE_CHECKING:
    from numpy.typing import NDArray

METRICS: Final = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
INVENTED: Final = 3
"""Questions that are invented for an answer."""
_UNCLEAR: Final = "the judge's replies stayed unclear"


class Scale(Protocol):
    """What scores a row by one metric, whatever makes the verdicts."""

    def score(self, metric: str, row: Row) -> Scored:
        """The score, or why there is none."""
        ...


class OwnScale:
    """The published formulas on verdicts that our own prompts ask for.

    Args:
        embed: (n, dimensions) of n texts, for relevancy; None where no vectors can be had.
    """

    def __init__(
        self, sitting: Sitting, embed: Callable[[Sequence[str]], NDArray[Any]] | None
    ) -> None:
        self._sitting = sitting
        self._embed = embed

    def score(self, metric: str, row: Row) -> Scored:
        """See `Scale.score`."""
        deeds: dict[str, Callable[[Row], Scored]] = {
            "faithfulness": self._faithfulness,
            "answer_relevancy": self._relevancy,
            "context_precision": self._precision,
            "context_recall": self._recall,
        }
        return deeds[metric](row)

    def _faithfulness(self, row: Row) -> Scored:
        clearly, language = self._sitting.clearly(row.language), row.language
        asked = self._sitting.put("statements", language, question=row.question, answer=row.answer)
        statements = clearly.one(asked, texts)
        if statements is None:
            return Scored(None, _UNCLEAR)
        if not statements:
            return Scored(None, "the answer states nothing")
        count = len(statements)
        asked = self._sitting.put(
            "supported",
            language,
            contexts="\n".join(row.contexts),
            statements=numbered(statements),
            count=count,
        )
        found = clearly.one(asked, lambda reply: verdicts(reply, count=count, name="verdict"))
        if found is None:
            return Scored(None, _UNCLEAR)
        lacking = [each for each, yes in zip(statements, found, strict=True) if not yes]
        return Scored(share(found), verdicts=found, unsupported=tuple(lacking))

    def _relevancy(self, row: Row) -> Scored:
        if self._embed is None:
            return Scored(None, "there are no vectors: no embedder")
        asked = [
            self._sitting.put(
                "invent", row.language, answer=row.answer, number=number, count=INVENTED
            )
            for number in range(1, INVENTED + 1)
        ]
        replies = self._sitting.clearly(row.language).all(asked, _invented)
        usable = [each for each in replies if each is not None]
        if not usable:
            return Scored(None, _UNCLEAR)
        vectors = self._embed([row.question, *(question for question, _ in usable)])
        cosines = relevancy(
            vectors[0].tolist(), vectors[1:].tolist(), [evades for _, evades in usable]
        )
        return Scored(cosines)

    def _precision(self, row: Row) -> Scored:
        asked = [
            self._sitting.put(
                "useful",
                row.language,
                question=row.question,
                reference=row.ground_truth,
                context=context,
            )
            for context in row.contexts
        ]
        clearly = self._sitting.clearly(row.language)
        replies = clearly.all(asked, lambda reply: one_of(reply, ("0", "1")))
        found = tuple(int(each) for each in replies if each is not None)
        if len(found) < len(replies):
            return Scored(None, _UNCLEAR)
        return Scored(precision(found), verdicts=found)

    def _recall(self, row: Row) -> Scored:
        asked = self._sitting.put(
            "recalled",
            row.language,
            question=row.question,
            contexts="\n".join(row.contexts),
            reference=row.ground_truth,
        )
        found = self._sitting.clearly(row.language).one(asked, _attributed)
        if found is None:
            return Scored(None, _UNCLEAR)
        return Scored(share(found), "" if found else "the ground truth states nothing")


def _invented(reply: str) -> tuple[str, int] | None:
    """A question, and whether its answer evades."""
    value = json_in(reply)
    if not isinstance(value, dict):
        return None
    question, evades = value.get("question"), value.get("noncommittal")
    if not isinstance(question, str) or not question.strip() or evades not in (0, 1):
        return None
    return question, int(evades)


def _attributed(reply: str) -> tuple[int, ...] | None:
    """A verdict for each statement, however many there are."""
    value = json_in(reply)
    return verdicts(reply, count=len(value), name="attributed") if isinstance(value, list) else None
