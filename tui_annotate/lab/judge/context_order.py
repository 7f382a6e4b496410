"""A judge's order of a question's retrieved texts, and its distance from the retriever's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, NotRequired, TypedDict

from tui_annotate.lab.chat.replies import MissingReplies, NoReply, parse_choice
from tui_annotate.lab.judge.metrics import (
    MissingReason,
    insert_by_rank,
    max_comparisons,
    max_insertion_comparisons,
    overlap,
    spearman,
)
from tui_annotate.lab.judge.options import SortOptions
from tui_annotate.lab.judge.rows import QuestionRow
from tui_annotate.lab.judge.runner import ExpectedCalls, JudgeRunner

_DIGITS: Final = 3


class PrintedContextOrder(TypedDict):
    """Contexts of a question in a judge's order, by indices from 0.

    Attributes:
        contexts: the retrieved texts; null for an empty or null context of the file, so that the
            others keep their indices.
        good, bad: useful and useless contexts; null without screening.
        spearman: rank correlation of the judge's and the retriever's order; null with a reason.
        sim: fraction of contexts that the first k of both orders share; null with a reason.
        covered: whether k covers all sorted contexts, so that `sim` is 1 for every order.
        reason: why a value is null; only then.
    """

    question: str
    contexts: list[str | None]
    good: list[int] | None
    bad: list[int] | None
    sorted: list[int]
    spearman: float | None
    sim: float | None
    overlap: list[int]
    covered: bool
    unclear: int
    refused: int
    failed: int
    reason: NotRequired[str]


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

    def as_json(self) -> PrintedContextOrder:
        """Return the result as JSON of the project RagSGE, with a reason if a value is missing."""
        values: PrintedContextOrder = {
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
        if self.reason:
            values["reason"] = self.reason
        return values


def sort_row(row: QuestionRow, runner: JudgeRunner, options: SortOptions) -> ContextOrderResult:
    """Sort the retrieved texts of one question with the judge.

    An empty context is worse than all others; the judge is not asked about it. If the judge decided
    no comparison of two texts, the order of several contexts is only the retriever's, so it is not
    compared with that.
    """
    good: tuple[int, ...] | None = None
    bad: tuple[int, ...] | None = None
    unread = MissingReplies()
    if options.screen:
        good, bad, unread = _screen(row, runner, options)
    reference = list(range(len(row.contexts))) if good is None else list(good)
    comparer = _TextComparer(row, runner, options)
    order = insert_by_rank(reference, comparer.is_better)
    uncompared = MissingReplies.count(comparer.replies)
    sim, common = overlap(order, reference, k=options.k, bottom=options.bottom)
    correlation = spearman(order, reference)
    if len(order) > 1 and not comparer.decided:
        sim, common, correlation = None, [], None
    reason = _missing_reason(row, reference, comparer, unread=unread)
    missing = unread + uncompared
    return ContextOrderResult(
        row=row,
        good=good,
        bad=bad,
        sorted=tuple(order),
        spearman=_round(correlation),
        sim=_round(sim),
        overlap=tuple(common),
        reason=reason or "",
        unclear=missing.unclear,
        refused=missing.refused,
        failed=missing.failed,
    )


def _screen(
    row: QuestionRow, runner: JudgeRunner, options: SortOptions
) -> tuple[tuple[int, ...], tuple[int, ...], MissingReplies]:
    """Return the indices of texts that help to answer a question, and of those that do not.

    A text without a readable reply is in neither list, and is counted. An empty context does not
    help.
    """
    slots = [{"context": options.cut_context(context)} for context in row.texts]
    replies = runner.ask_all(
        row, "screen", slots, read=lambda reply: parse_choice(reply, ("0", "1"))
    )
    verdicts: dict[int, str | NoReply] = dict.fromkeys(range(len(row.contexts)), "0")
    verdicts.update(zip(row.places, replies, strict=True))
    return (
        tuple(place for place, verdict in verdicts.items() if verdict == "1"),
        tuple(place for place, verdict in verdicts.items() if verdict == "0"),
        MissingReplies.count(replies),
    )


class _TextComparer:
    """Compares two contexts of a question with the judge.

    Attributes:
        replies: the judge's choices, in the order of the requests.
        decided: number of comparisons of two texts in which the judge preferred one of them.
    """

    def __init__(self, row: QuestionRow, runner: JudgeRunner, options: SortOptions) -> None:
        self._row = row
        self._runner = runner
        self._options = options
        self._texts = dict(zip(row.places, row.texts, strict=True))
        self.replies: list[str | NoReply] = []
        self.decided = 0

    def is_better(self, item: int, other: int) -> bool:
        """Return whether the judge prefers a context to another; False without a decision."""
        if item not in self._texts or other not in self._texts:
            return item in self._texts
        pairs = [(item, other), (other, item)] if self._options.swap else [(item, other)]
        slots = [
            {
                "first": self._options.cut_context(self._texts[first]),
                "second": self._options.cut_context(self._texts[second]),
            }
            for first, second in pairs
        ]
        choices = self._runner.ask_all(
            self._row, "pair", slots, read=lambda reply: parse_choice(reply, ("1", "2"))
        )
        self.replies.extend(choices)
        if any(isinstance(choice, NoReply) for choice in choices):
            return False
        preferred = {
            first if choice == "1" else second
            for (first, second), choice in zip(pairs, choices, strict=True)
        }
        if len(preferred) > 1:  # the two orders of a pair contradict each other
            return False
        self.decided += 1
        return item in preferred


def _missing_reason(
    row: QuestionRow, reference: Sequence[int], comparer: _TextComparer, *, unread: MissingReplies
) -> MissingReason | None:
    """Return why the order has no rank correlation; None if it has one.

    Args:
        reference: indices of the sorted contexts.
        unread: missing replies of the screening.
    """
    if not row.places:
        return MissingReason.NO_CONTEXTS
    count = len(set(row.places).intersection(reference))
    if count < 2 and unread.total:  # more contexts may help, but have no readable reply
        return MissingReason.of_missing(unread)
    if not count:
        return MissingReason.NO_USEFUL_CONTEXT
    if count == 1 and len(row.places) > 1:
        return MissingReason.SINGLE_USEFUL_CONTEXT
    if count == 1:
        alone = len(row.contexts) == 1
        return MissingReason.SINGLE_CONTEXT if alone else MissingReason.SINGLE_FILLED_CONTEXT
    if comparer.decided:
        return None
    uncompared = MissingReplies.count(comparer.replies)
    if uncompared.total:
        return MissingReason.of_missing(uncompared)
    return MissingReason.CONTRADICTORY_JUDGE


def _round(value: float | None) -> float | None:
    if value is None:
        return None
    return round(value, _DIGITS) + 0.0  # the sum turns -0.0 into 0.0


def estimate_sorting_cost(
    row: QuestionRow, runner: JudgeRunner, options: SortOptions
) -> ExpectedCalls:
    """Return the maximum number of requests and characters for sorting one question's texts.

    Requests that are repeated after an unclear reply are not included.
    """
    lengths = [len(options.cut_context(context)) for context in row.texts]
    total = ExpectedCalls()
    if options.screen:
        total += ExpectedCalls.of(runner, "screen", row, calls=len(lengths), texts=sum(lengths))
    orders = 2 if options.swap else 1
    pairs = max_comparisons(len(lengths)) * orders
    characters = _max_compared_characters(lengths) * orders
    return total + ExpectedCalls.of(runner, "pair", row, calls=pairs, texts=characters)


def _max_compared_characters(lengths: Sequence[int]) -> int:
    """Return the maximum sum of the lengths of all texts that `insert_by_rank` compares.

    The insertion of a text compares it with different texts before it: at most with the longest.
    """
    total = 0
    for placed, length in enumerate(lengths):
        count = max_insertion_comparisons(placed)
        total += count * length + sum(nlargest(count, lengths[:placed]))
    return total
