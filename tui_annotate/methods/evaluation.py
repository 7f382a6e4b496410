"""How high what people chose stands in a ranking; knows nothing of how the ranking was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.spans import Span

LEAST_OVERLAP = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over queries, in [0, 1]; zeros where there was no query.

    Attributes:
        recall_at_1, recall_at_3, recall_at_5: share of queries with a hit that high or higher.
        mrr: mean of 1 / rank of the first hit over the whole ranking, 0 where there is none.
    """

    queries: int
    recall_at_1: float
    recall_at_3: float
    recall_at_5: float
    mrr: float


def is_hit(segment: Span, chosen: Span) -> bool:
    """Whether a segment holds 3 code points of the chosen span, or all where it has fewer."""
    return segment.overlap(chosen) >= min(LEAST_OVERLAP, len(chosen))


def figures(ranks: Sequence[int | None]) -> Figures:
    """The figures of the first hits' ranks, from 1; None for a query without any hit."""
    if not ranks:
        return Figures(0, 0.0, 0.0, 0.0, 0.0)
    count = len(ranks)

    def recall(depth: int) -> float:
        return sum(rank is not None and rank <= depth for rank in ranks) / count

    mrr = sum(1 / rank for rank in ranks if rank is not None) / count
    return Figures(count, recall(1), recall(3), recall(5), mrr)
