"""Practice: somebody's work on a sample beside what is known to be right: marks and rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.annotations import Annotation


@dataclass(frozen=True, slots=True)
class Right:
    """What is known to be right about a sample.

    Attributes:
        rating: empty where none is known.
    """

    annotations: tuple[Annotation, ...]
    rating: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody found.

    Attributes:
        hits: their annotation and the right one that it overlaps most; in the order of theirs.
        missed: the right ones that none of theirs overlaps.
        extra: theirs that overlap no right one.
        rated, rating: their rating, and the right one; empty where there is none.
    """

    hits: tuple[tuple[Annotation, Annotation], ...]
    missed: tuple[Annotation, ...]
    extra: tuple[Annotation, ...]
    rated: str = ""
    rating: str = ""


def feedback(mine: Sequence[Annotation], known: Right, *, rated: str = "") -> Feedback:
    """Compares by places alone: one character in common is a hit, whatever the labels are.

    The places of an annotation without a claim are those of its evidence. Ratings stand side by
    side where a right one is known.

    Args:
        rated: what they rated the sample; empty for nothing.
    """
    right = known.annotations
    hits, extra = [], []
    for own in mine:
        shared, best = max(
            ((_shared(own, each), -at) for at, each in enumerate(right)), default=(0, 0)
        )
        if shared:
            hits.append((own, right[-best]))
        else:
            extra.append(own)
    missed = tuple(each for each in right if not any(_shared(own, each) for own in mine))
    return Feedback(tuple(hits), missed, tuple(extra), rated, known.rating)


def _shared(one: Annotation, other: Annotation) -> int:
    """How many code points two annotations have in common."""
    return sum(
        a.span.overlap(b.span)
        for a in one.claim or one.evidence
        for b in other.claim or other.evidence
        if (a.side, a.index) == (b.side, b.index)
    )
