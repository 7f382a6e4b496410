"""How high what people chose stands in a ranking, and of what kind a query is.

Knows nothing of how the ranking was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.spans import Span
from tui_annotate.methods.lexical import (
    FUNCTION_CHARACTERS,
    find_words,
    is_content_word,
    is_unspaced_script,
    stem,
)

LEAST_OVERLAP = 3
SHORT: Final = 20
"""Code points of a selection that is short, at most."""
MANY: Final = 30
"""Segments of a long source, at least; those of white space do not count."""
FIGURES: Final = ("recall_at_1", "recall_at_3", "recall_at_5", "mrr")
KINDS: Final = (
    ("no_shared_word", "shared_word"),
    ("short_span", "longer_span"),
    ("long_source", "shorter_source"),
)
"""Pairs of kinds; a query is of one of each pair, and of its language."""
_DEPTHS = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class RankingFigures:
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


def figures_by_query(ranks: Sequence[int | None]) -> NDArray[np.float64]:
    """Return (queries, 4): each query's part of `FIGURES`, for ranks from 1, or None."""
    found = np.array([np.inf if rank is None else rank for rank in ranks], np.float64)
    return np.stack([*(found <= depth for depth in _DEPTHS), 1 / found], axis=1)


def compute_figures(ranks: Sequence[int | None]) -> RankingFigures:
    """The figures of the first hits' ranks, from 1; None for a query without any hit."""
    if not ranks:
        return RankingFigures(0, 0.0, 0.0, 0.0, 0.0)
    return RankingFigures(len(ranks), *map(float, figures_by_query(ranks).mean(axis=0)))


def classify_query(selected: str, found: str, *, segments: int, language: str) -> tuple[str, ...]:
    """Return the kind of a query, one of each pair of `KINDS` in order, and its language.

    `segments`: number of nonblank source segments. `found`: the chosen segments, whole.
    """
    tests = (not _has_shared_word(selected, found), len(selected) <= SHORT, segments >= MANY)
    named = (pair[0] if holds else pair[1] for pair, holds in zip(KINDS, tests, strict=True))
    return (*named, language)


def _has_shared_word(selected: str, found: str) -> bool:
    own = {word.text for word in find_words(selected)}
    single = {word for word in own if is_unspaced_script(word) and word not in FUNCTION_CHARACTERS}
    telling = {word for word in own if is_content_word(word)} or single
    return not {stem(word.text) for word in find_words(found)}.isdisjoint(map(stem, telling))
