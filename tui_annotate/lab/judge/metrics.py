"""A judge's order of contexts, and the four published scores of an answer with its contexts.

Sources: the project RagSGE for sorting, grouping and cutting; RAGAS for the four scores (Es et al.,
RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum, unique
from typing import Final, TypeVar

GROUP_SIZE: Final = 20
MAX_CHARACTERS: Final = 13_000
"""Under which the contexts of one question are kept."""
_EPSILON: Final = 1e-10
"""Of the published precision, which so comes out a little under the quotient."""

_T = TypeVar("_T")


@unique
class MissingReason(StrEnum):
    """Why a question has no order, no reference answer or no score of a metric."""

    NO_ANSWER = "there is no answer"
    NO_CONTEXT = "there is no context"
    NO_CONTEXTS = "there are no contexts"
    NO_GROUND_TRUTH = "there is no ground truth"
    NO_VECTORS = "there are no vectors: no embedder"
    NO_USEFUL_CONTEXT = "no context helps to answer the question"
    SINGLE_CONTEXT = "a single context has no order"
    EMPTY_ANSWER = "the answer states nothing"
    EMPTY_GROUND_TRUTH = "the ground truth states nothing"
    UNKNOWN_ANSWER = "the contexts do not tell, says the judge"
    SILENT_JUDGE = "the judge gave no answer"
    UNCLEAR_JUDGE = "the judge's replies stayed unclear"


# ---------------------------------------------------------------- orders
def insert_by_rank(items: Sequence[int], first_is_better: Callable[[int, int], bool]) -> list[int]:
    """Sort items from best to worst by binary insertion; ties keep their order.

    `first_is_better` compares at most `max_comparisons(len(items))` times, the moving item first.
    """
    order: list[int] = []
    for item in items:
        low, high = 0, len(order) - 1
        while low <= high:
            middle = (low + high) // 2
            if first_is_better(item, order[middle]):
                high = middle - 1
            else:
                low = middle + 1
        order.insert(low, item)
    return order


def max_comparisons(count: int) -> int:
    """Return the most comparisons of `insert_by_rank`: the sum of ceil(log2(i + 1))."""
    return sum(math.ceil(math.log2(placed + 1)) for placed in range(1, count))


def spearman(order: Sequence[int], reference: Sequence[int]) -> float | None:
    """Rank correlation of two orders of the same items, in [-1, 1]; None for fewer than two.

    Source: Spearman 1904, for ranks without ties.
    """
    count = len(order)
    if count < 2:
        return None
    place = {item: at for at, item in enumerate(reference)}
    squares = sum((at - place[item]) ** 2 for at, item in enumerate(order))
    return 1 - 6 * squares / (count * (count * count - 1))


def overlap(
    order: Sequence[int], reference: Sequence[int], *, k: int, bottom: bool = False
) -> tuple[float | None, list[int]]:
    """Return the share in [0, 1] of common items in the first (or last) k, and those items.

    None for no items. `k`: at least 1. The items are in the order of `order`.
    """
    k = min(k, len(order))
    if not k:
        return None, []
    mine, theirs = (order[-k:], reference[-k:]) if bottom else (order[:k], reference[:k])
    common = [item for item in mine if item in set(theirs)]
    return len(common) / k, common


# ---------------------------------------------------------------- groups
def split_groups(items: Sequence[_T], size: int = GROUP_SIZE) -> list[Sequence[_T]]:
    """Split items into groups of `size`, in order; the last one may be shorter."""
    return [items[at : at + size] for at in range(0, len(items), size)]


def count_reductions(count: int, size: int = GROUP_SIZE) -> int:
    """Return how many calls reduce `count` texts to one, `size` texts a call.

    A text that is left over by itself goes on to the next round as it is.
    """
    calls = 0
    while count > 1:
        calls += math.ceil(count / size) - (count % size == 1)
        count = math.ceil(count / size)
    return calls


def select_contexts(
    contexts: Sequence[str], *, k: int, most: int = MAX_CHARACTERS
) -> tuple[str, ...]:
    """Return the first k contexts; fewer, until they have less than `most` characters.

    A first one that is too long by itself is cut, so that one is left. None for none.
    """
    kept = tuple(contexts[:k])
    while len(kept) > 1 and sum(map(len, kept)) >= most:
        kept = kept[:-1]
    return tuple(context[: most - 1] for context in kept)


# ---------------------------------------------------------------- scores
def mean_verdict(verdicts: Sequence[int]) -> float | None:
    """The mean of verdicts of which all but 0 count as 1; None for none.

    Of an answer's statements that the contexts support it is the faithfulness, of a reference's
    that stand in them the context recall.
    """
    return sum(map(bool, verdicts)) / len(verdicts) if verdicts else None


def average_precision(verdicts: Sequence[int]) -> float | None:
    """Average precision of contexts in their order, whose verdicts are 1 for a useful one.

    Returns:
        In [0, 1): 0 where none is useful; None for no contexts.
    """
    if not verdicts:
        return None
    useful = 0
    total = 0.0
    for place, verdict in enumerate(verdicts, 1):
        useful += bool(verdict)
        total += useful / place if verdict else 0.0
    return total / (useful + _EPSILON)


def mean_relevancy(
    question: Sequence[float],
    invented: Sequence[Sequence[float]],
    noncommittal: Sequence[int],
) -> float:
    """Return the mean cosine of a question and the questions invented for its answer, in [-1, 1].

    0 where all are noncommittal (1), or there are none. A zero vector has the cosine 0.
    """
    if not invented or all(noncommittal):
        return 0.0
    return sum(_cosine(question, each) for each in invented) / len(invented)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    product = math.fsum(x * y for x, y in zip(one, other, strict=True))
    return product / lengths if lengths else 0.0
