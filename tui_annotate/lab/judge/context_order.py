"""A judge's order of a question's retrieved texts, and its distance from the retriever's order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.lab.chat.replies import MissingReplies, NoReply, parse_choice
from tui_annotate.lab.judge.metrics import (
    MissingReason,
    insert_by_rank,
    max_comparisons,
    overlap,
    spearman,
)
from tui_annotate.lab.judge.options import SortOptions
from tui_annotate.lab.judge.rows import QuestionRow
from tui_annotate.lab.judge.runner import ExpectedCalls, JudgeRunner

_DIGITS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOrderResult:
    """A judge's order of one question's retrieved texts (contexts), by indices from 0.

    Attributes:
        good, bad: useful and useless contexts in the retriever's order, without contexts for which
            there is no readable reply; None without screening. An empty context is useless.
        sorted: contexts from best to worst.
        spearman: rank correlation in [-1, 1], 3 decimals; None with a reason.
        sim: fraction of contexts that the first k of both orders share, in [0, 1], 3 decimals;
            None with a reason.
        unclear, refused, failed: numbers of questions to the judge with unclear replies only, of
            those that the endpoint refused, and of those that it failed to answer.
    """

    row: QuestionRow
    good: tuple[int, ...] | None
    bad: tuple[int, ...] | None
    sorted: tuple[int, ...]
    spearman: float | None
    sim: float | None
    overlap: tuple[int, ...]
    reason: str = ""
    unclear: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def covered(self) -> bool:
        """Whether k covers all sorted contexts, so that `sim` is 1 whatever the judge replies."""
        return self.sim is not None and len(self.overlap) == len(self.sorted)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON of the project RagSGE, with a reason if a value is missing."""
        values: dict[str, Any] = {
            "question": self.row.question,
            "contexts": list(self.row.contexts),
            "good": None if self.good is None else list(self.good),
            "bad": None if self.bad is None else list(self.bad),
            "sorted": list(self.sorted),
            "spearman": self.spearman,
            "sim": self.sim,
            "overlap": list(self.overlap),
            "covered": self.covered,
            "unclear": self.unclear,
            "refused": self.refused,
            "failed": self.failed,
        }
        return values | ({"reason": self.reason} if self.reason else {})


def sort_row(row: QuestionRow, runner: JudgeRunner, options: SortOptions) -> ContextOrderResult:
    """Sort the retrieved texts of one question with the judge.

    If no comparison has a readable reply, the order is only the retriever's, so it is not compared.
    An empty context is worse than all others; the judge is not asked about it.
    """
    good: tuple[int, ...] | None = None
    bad: tuple[int, ...] | None = None
    unread = MissingReplies()
    if options.screen:
        good, bad, unread = _screen(row, runner, options)
    reference = list(range(len(row.contexts))) if good is None else list(good)
    replies: list[str | NoReply] = []
    order = insert_by_rank(reference, _comparator(row, runner, options, replies=replies))
    uncompared = MissingReplies.count(replies)
    blind = bool(replies) and uncompared.total == len(replies)
    sim, common = overlap(order, reference, k=options.k, bottom=options.bottom)
    if blind:
        reason: str = MissingReason.of_missing(uncompared)
    else:
        reason = _missing_reason(len(row.places), len(order), unread=unread)
    missing = unread + uncompared
    return ContextOrderResult(
        row=row,
        good=good,
        bad=bad,
        sorted=tuple(order),
        spearman=None if blind else _round(spearman(order, reference)),
        sim=None if blind else _round(sim),
        overlap=() if blind else tuple(common),
        reason=reason,
        unclear=missing.unclear,
        refused=missing.refused,
        failed=missing.failed,
    )


def _screen(
    row: QuestionRow, runner: JudgeRunner, options: SortOptions
) -> tuple[tuple[int, ...], tuple[int, ...], MissingReplies]:
    """Return the indices of texts that help to answer a question, and of those that do not.

    A text without a readable reply is in neither list, and is counted.
    """
    slots = [{"context": options.cut_context(context)} for context in row.texts]
    replies = runner.ask_all(
        row, "screen", slots, read=lambda reply: parse_choice(reply, ("0", "1"))
    )
    verdicts = dict(zip(row.places, replies, strict=True))
    places = range(len(row.contexts))
    return (
        tuple(place for place in places if verdicts.get(place) == "1"),
        tuple(place for place in places if verdicts.get(place, "0") == "0"),
        MissingReplies.count(replies),
    )


def _comparator(
    row: QuestionRow, runner: JudgeRunner, options: SortOptions, *, replies: list[str | NoReply]
) -> Callable[[int, int], bool]:
    """Return a function that compares two texts, and adds the judge's choices to `replies`."""
    texts = dict(zip(row.places, row.texts, strict=True))

    def better(item: int, other: int) -> bool:
        if not {item, other} <= texts.keys():
            return item in texts
        pairs = [(item, other), (other, item)] if options.swap else [(item, other)]
        slots = [
            {
                "first": options.cut_context(texts[first]),
                "second": options.cut_context(texts[second]),
            }
            for first, second in pairs
        ]
        chosen = runner.ask_all(
            row, "pair", slots, read=lambda reply: parse_choice(reply, ("1", "2"))
        )
        replies.extend(chosen)
        return chosen == ["1", "2"][: len(chosen)]

    return better


def _missing_reason(given: int, compared: int, *, unread: MissingReplies) -> str:
    if not given:
        return MissingReason.NO_CONTEXTS
    if compared < 2 and unread.total:  # more contexts may help, but have no readable reply
        return MissingReason.of_missing(unread)
    if not compared:
        return MissingReason.NO_USEFUL_CONTEXT
    return MissingReason.SINGLE_CONTEXT if compared == 1 else ""


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS) + 0.0


def estimate_sorting_cost(
    row: QuestionRow, runner: JudgeRunner, options: SortOptions
) -> ExpectedCalls:
    """Return the maximum number of requests and characters for sorting one question's texts."""
    texts = [options.cut_context(context) for context in row.texts]
    count = len(texts)
    characters = sum(map(len, texts))
    total = ExpectedCalls()
    if options.screen:
        total += ExpectedCalls.of(runner, "screen", row, calls=count, texts=characters)
    orders = 2 if options.swap else 1
    pairs = max_comparisons(count) * orders
    mean = characters / count if count else 0
    return total + ExpectedCalls.of(runner, "pair", row, calls=pairs, texts=round(pairs * 2 * mean))
