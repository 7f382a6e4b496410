"""A judge's order of contexts, and the four published scores of an answer with its contexts.

Sources: the project RagSGE for sorting, grouping and cutting; RAGAS for the four scores (Es et al.,
RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

GROUP: Final = 20
"""Texts that one call reads."""
MOST_CHARACTERS: Final = 13_000
"""Under which the contexts of one question are kept."""
_EPSILON: Final = 1e-10
"""Of the published precision, which so comes out a little under the quotient."""

_T = TypeVar("_T")


# ---------------------------------------------------------------- orders
def inserted(items: Sequence[int], first_is_better: Callable[[int, int], bool]) -> list[int]:
    """Items from the best to the worst, by binary insertion; who is no better stays behind.

    Args:
        items: in their first order; the empty list gives an empty one.
        first_is_better: is asked of two items, the one that moves first; at most
            `most_comparisons(len(items))` times.
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


def most_comparisons(count: int) -> int:
    """How often `inserted` asks of so many items, at most: the sum of ceil(log2(i + 1))."""
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
    """The share of the first k that two orders of the same items have in common, and which.

    Args:
        k: at least 1; cut to as many as there are.
        bottom: compares the last k.

    Returns:
        In [0, 1], None for no items; and the common ones, as they stand in `order`.
    """
    k = min(k, len(order))
    if not k:
        return None, []
    mine, theirs = (order[-k:], reference[-k:]) if bottom else (order[:k], reference[:k])
    common = [item for item in mine if item in set(theirs)]
    return len(common) / k, common


# ---------------------------------------------------------------- groups
def groups(items: Sequence[_T], size: int = GROUP) -> list[Sequence[_T]]:
    """Items in runs of `size`, in their order; the last one may be shorter. None for none."""
    return [items[at : at + size] for at in range(0, len(items), size)]


def reductions(count: int, size: int = GROUP) -> int:
    """Calls that bring so many texts down to one, `size` at a time, where each call gives one.

    A text that is left over by itself goes on to the next round as it is.
    """
    calls = 0
    while count > 1:
        calls += math.ceil(count / size) - (count % size == 1)
        count = math.ceil(count / size)
    return calls


def within(contexts: Sequence[str], *, k: int, most: int = MOST_CHARACTERS) -> tuple[str, ...]:
    """The first k contexts; fewer, as long as they are not under `most` characters together.

    A first one that is too long by itself is cut, so that one is left. None for none.
    """
    kept = tuple(contexts[:k])
    while len(kept) > 1 and sum(map(len, kept)) >= most:
        kept = kept[:-1]
    return tuple(context[: most - 1] for context in kept)


# ---------------------------------------------------------------- scores
def share(verdicts: Sequence[int]) -> float | None:
    """The mean of verdicts of which all but 0 count as 1; None for none.

    Of an answer's statements that the contexts support it is the faithfulness, of a reference's
    that stand in them the context recall.
    """
    return sum(map(bool, verdicts)) / len(verdicts) if verdicts else None


def precision(verdicts: Sequence[int]) -> float | None:
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


def relevancy(
    question: Sequence[float],
    invented: Sequence[Sequence[float]],
    noncommittal: Sequence[int],
) -> float:
    """The mean cosine of a question and those that were invented for its answer, in [-1, 1].

    0 where all of them say that the answer commits itself to nothing, or where there are none.

    Args:
        question, invented: vectors of any length; one of zeros is like no other.
        noncommittal: 1 for each invented question whose answer evades.
    """
    if not invented or all(noncommittal):
        return 0.0
    return sum(_cosine(question, each) for each in invented) / len(invented)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    product = math.fsum(x * y for x, y in zip(one, other, strict=True))
    return product / lengths if lengths else 0.0
