"""Compares a person's annotations and rating of a practice sample with the known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.annotations import Annotation


@dataclass(frozen=True, slots=True)
class PracticeAnswer:
    """The known annotations and the known rating of a practice sample; `rating` may be empty."""

    annotations: tuple[Annotation, ...]
    rating: str = ""


@dataclass(frozen=True, slots=True)
class PracticeFeedback:
    """The comparison of a person's annotations of a practice sample with the known ones.

    `hits` pairs each of the person's annotations with the known one that it overlaps most.
    """

    hits: tuple[tuple[Annotation, Annotation], ...]
    missed: tuple[Annotation, ...]
    extra: tuple[Annotation, ...]
    rated: str = ""
    rating: str = ""


def compare_with_gold(
    mine: Sequence[Annotation], known: PracticeAnswer, *, rated: str = ""
) -> PracticeFeedback:
    """Compare a person's annotations with the known annotations of the same sample."""
    right = known.annotations
    hits, extra = [], []
    for own in mine:
        shared, best = max(
            ((_count_shared(own, each), -at) for at, each in enumerate(right)), default=(0, 0)
        )
        if shared:
            hits.append((own, right[-best]))
        else:
            extra.append(own)
    missed = tuple(each for each in right if not any(_count_shared(own, each) for own in mine))
    return PracticeFeedback(tuple(hits), missed, tuple(extra), rated, known.rating)


def _count_shared(one: Annotation, other: Annotation) -> int:
    return sum(
        a.span.overlap(b.span)
        for a in one.claim or one.evidence
        for b in other.claim or other.evidence
        if (a.side, a.index) == (b.side, b.index)
    )
