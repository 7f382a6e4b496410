"""Evaluates rankings by the ranks of the sentences that people chose as evidence.

The evaluation is independent of the ranking method.
"""

from __future__ import annotations

from collections.abc import Sequence
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
MANY: Final = 30
"""Minimum number of nonblank sentences of a source that counts as long."""
FIGURES: Final = ("recall_at_1", "recall_at_3", "recall_at_5", "mrr")
BRIER: Final = "brier"
"""Name of the sum, over the sentences of a query, of the squared error of their scores."""
MEASURES: Final = (*FIGURES, BRIER)
KINDS: Final = (
    ("no_shared_word", "shared_word"),
    ("short_span", "longer_span"),
    ("long_source", "shorter_source"),
)
"""Opposite kinds of queries in pairs; a query is of one kind in each pair."""
_DEPTHS = (1, 3, 5)


def is_hit(segment: Span, chosen: Span) -> bool:
    """Return whether a sentence has at least 3 code points of a chosen span, or all of it."""
    return segment.overlap(chosen) >= min(LEAST_OVERLAP, len(chosen))


def figures_by_query(ranks: Sequence[int | None]) -> NDArray[np.float64]:
    """Compute ranking quality (queries, 4) from ranks of the first right sentence, or None.

    The columns are recall at 1, 3 and 5, and 1 / rank, which is 0 for None.
    """
    found = np.array([np.inf if rank is None else rank for rank in ranks], np.float64)
    return np.stack([*(found <= depth for depth in _DEPTHS), 1 / found], axis=1)


def classify_query(selected: str, found: str, *, segments: int, language: str) -> tuple[str, ...]:
    """Return the categories of a query, one from each pair of `KINDS`, and the query's language."""
    tests = (not _has_shared_word(selected, found), len(selected) <= SHORT, segments >= MANY)
    named = (pair[0] if holds else pair[1] for pair, holds in zip(KINDS, tests, strict=True))
    return (*named, language)


def _has_shared_word(selected: str, found: str) -> bool:
    own = {word.text for word in find_words(selected)}
    single = {word for word in own if is_unspaced_script(word) and word not in FUNCTION_CHARACTERS}
    telling = {word for word in own if is_content_word(word)} or single
    return not {stem(word.text) for word in find_words(found)}.isdisjoint(map(stem, telling))
