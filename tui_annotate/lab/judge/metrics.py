"""Sorting and grouping of retrieved texts (contexts), and published metrics of answers.

The metrics are faithfulness, answer relevancy, context precision and context recall.

Sources: the project RagSGE for sorting, grouping and cutting; RAGAS for the metrics (Es et al.,
RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum, unique
from typing import Final, TypeVar

from tui_annotate.lab.chat.replies import MissingReplies, NoReply
from tui_annotate.lab.judge.options import GROUP_SIZE, MAX_CHARACTERS

_EPSILON: Final = 1e-10
"""Constant added to the denominator of the average precision, which stays below 1."""

_T = TypeVar("_T")


@unique
class MissingReason(StrEnum):
    """Reason why a question has no result of a judge, such as a missing answer."""

    NO_ANSWER = "there is no answer"
    NO_CONTEXT = "there is no context"
    NO_CONTEXTS = "there are no contexts"
    NO_GROUND_TRUTH = "there is no ground truth"
    NO_VECTORS = "there are no vectors: no embedder is available"
    UNKNOWN_WORDS = "the embedder has no vector for the question, or for a question of the judge"
    NO_WORDS = "the question, or a question of the judge, has no words to compare"
    NO_USEFUL_CONTEXT = "no context helps to answer the question"
    SINGLE_CONTEXT = "there is only one context, so there is nothing to sort"
    SINGLE_FILLED_CONTEXT = "only one context is not empty, so there is nothing to sort"
    SINGLE_USEFUL_CONTEXT = "only one context helps to answer, so there is nothing to sort"
    EMPTY_ANSWER = "the answer contains no statement"
    EMPTY_GROUND_TRUTH = "the ground truth contains no statement"
    UNKNOWN_ANSWER = "the contexts do not contain the answer, according to the judge"
    SILENT_JUDGE = "the judge gave no answer"
    NOT_FINITE = "the score is NaN or infinite"
    CONTRADICTORY_JUDGE = "the judge preferred each context in one of the two orders of every pair"
    UNCLEAR_JUDGE = NoReply.UNCLEAR.value
    REFUSED_PROMPT = NoReply.REFUSED.value
    FAILED_PROMPT = NoReply.FAILED.value

    @classmethod
    def of_missing(cls, missing: MissingReplies) -> MissingReason:
        """Return the reason for missing replies; a refusal comes first, as the user can act."""
        if missing.refused:
            return cls.REFUSED_PROMPT
        return cls.FAILED_PROMPT if missing.failed else cls.UNCLEAR_JUDGE


# ---------------------------------------------------------------- orders
def insert_by_rank(items: Sequence[int], first_is_better: Callable[[int, int], bool]) -> list[int]:
    """Sort items from best to worst by binary insertion; equal ones keep their order.

    `first_is_better` compares at most `max_comparisons(len(items))` times, the moving item first.
    """
    order: list[int] = []
    for item in items:
        low = 0
        high = len(order) - 1
        while low <= high:
            middle = (low + high) // 2
            if first_is_better(item, order[middle]):
                high = middle - 1
            else:
                low = middle + 1
        order.insert(low, item)
    return order


def max_comparisons(count: int) -> int:
    """Return how many comparisons `insert_by_rank` needs at most to sort a number of items."""
    return sum(map(max_insertion_comparisons, range(count)))


def max_insertion_comparisons(placed: int) -> int:
    """Return how many comparisons the insertion of an item into sorted items needs at most."""
    return math.ceil(math.log2(placed + 1))


def spearman(order: Sequence[int], reference: Sequence[int]) -> float | None:
    """Return the rank correlation of two orders of items, in [-1, 1]; None below two items.

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
    """Compare the first k items of two orders: return the fraction and list of common items.

    `bottom`: compare the last k items instead. `k` is at least 1. The common items are in the order
    of `order`. Without items, the fraction is None.
    """
    k = min(k, len(order))
    if not k:
        return None, []
    mine = order[-k:] if bottom else order[:k]
    theirs = set(reference[-k:] if bottom else reference[:k])
    common = [item for item in mine if item in theirs]
    return len(common) / k, common


# ---------------------------------------------------------------- groups
def split_groups(items: Sequence[_T], size: int = GROUP_SIZE) -> list[Sequence[_T]]:
    """Return consecutive groups of at most `size` items; only the last may be smaller."""
    return [items[at : at + size] for at in range(0, len(items), size)]


def pack_texts(texts: Sequence[str], size: int = GROUP_SIZE, *, most: int) -> list[list[str]]:
    """Group texts in order: at most `size` texts and `most` code points in a group.

    A longer text is split into parts, so that nothing is lost. `most` is at least 1; 0 means no
    maximum.
    """
    if not most:
        return [list(group) for group in split_groups(texts, size)]
    parts = [text[at : at + most] for text in texts for at in range(0, len(text), most)]
    groups: list[list[str]] = []
    length = 0
    for part in parts:
        if not groups or len(groups[-1]) == size or length + len(part) > most:
            groups.append([])
            length = 0
        groups[-1].append(part)
        length += len(part)
    return groups


def count_reductions(count: int, size: int = GROUP_SIZE) -> int:
    """Return the number of requests that join many texts into one, `size` texts at a time."""
    calls = 0
    while count > 1:
        groups = math.ceil(count / size)
        calls += groups
        if count % size == 1:  # the last group is one text, which needs no request
            calls -= 1
        count = groups
    return calls


def select_contexts(
    contexts: Sequence[str | None], *, k: int, most: int = MAX_CHARACTERS
) -> tuple[str | None, ...]:
    """Return the first retrieved texts, at most `k`, that are shorter than `most` together.

    A missing text (None) has no length, and stays.
    """
    kept = tuple(contexts[:k])
    while len(kept) > 1 and sum(len(context or "") for context in kept) >= most:
        kept = kept[:-1]
    return tuple(context and context[: most - 1] for context in kept)


# ---------------------------------------------------------------- scores
def mean_verdict(verdicts: Sequence[int]) -> float | None:
    """Return the fraction of verdicts that are not 0; None without verdicts.

    Faithfulness is this fraction for the answer's statements, with verdict 1 for a supported one.
    Context recall is this fraction for the reference's statements that occur in the contexts.
    """
    return sum(map(bool, verdicts)) / len(verdicts) if verdicts else None


def average_precision(verdicts: Sequence[int]) -> float | None:
    """Return the average precision, in [0, 1), of ranked verdicts (1: useful); None without any."""
    if not verdicts:
        return None
    useful = 0
    total = 0.0
    for place, verdict in enumerate(verdicts, 1):
        if verdict:
            useful += 1
            total += useful / place
    return total / (useful + _EPSILON)


def mean_relevancy(
    question: Sequence[float],
    invented: Sequence[Sequence[float]],
    noncommittal: Sequence[int],
) -> float | None:
    """Return how similar a question is to the questions that a model invented for its answer.

    The result is the mean cosine, in [-1, 1]. The mean is 0 if all replies are noncommittal (1), or
    if there are none. A vector of zeros means an unknown text: the mean is None.
    """
    if not invented or all(noncommittal):
        return 0.0
    cosines = [_cosine(question, each) for each in invented]
    known = [cosine for cosine in cosines if cosine is not None]
    return sum(known) / len(known) if len(known) == len(cosines) else None


def _cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    lengths = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    product = math.fsum(x * y for x, y in zip(one, other, strict=True))
    return product / lengths if lengths else None
