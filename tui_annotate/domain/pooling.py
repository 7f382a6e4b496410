"""How the words of several people on one sample become one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Pooling(StrEnum):
    """Unsupported for one of them, for more than half, or for all.

    Source of the first and the last: the table of verdicts of the project FaithBench.
    """

    WORST = "worst"
    MAJORITY = "majority"
    BEST = "best"


def pooled(words: Sequence[bool], how: Pooling) -> bool | None:
    """Whether it is so, of one word a person; None of no words, and of a majority where half do."""
    yes, no = sum(words), len(words) - sum(words)
    if not words or (how is Pooling.MAJORITY and yes == no):
        return None
    if how is Pooling.MAJORITY:
        return yes > no
    return yes > 0 if how is Pooling.WORST else no == 0
