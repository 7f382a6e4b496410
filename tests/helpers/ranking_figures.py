"""Means of the measures of rankings, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui_annotate.methods.evaluation import figures_by_query


class RankingFigures(NamedTuple):
    """The number of queries, and the mean of each measure; 0 without queries."""

    queries: int
    recall_at_1: float = 0.0
    recall_at_3: float = 0.0
    recall_at_5: float = 0.0
    mrr: float = 0.0


def compute_figures(ranks: Sequence[int | None]) -> RankingFigures:
    """Compute the means over queries from the rank of the first hit of each query, or None."""
    means = figures_by_query(ranks).mean(axis=0) if ranks else []
    return RankingFigures(len(ranks), *map(float, means))
