"""Practice: a person's annotations and rating of a sample, compared with the known answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.annotations import Annotation


@dataclass(frozen=True, slots=True)
class PracticeAnswer:
    """What is known to be right about a sample; `rating` is empty where none is known."""

    annotations: tuple[Annotation, ...]
    rating: str = ""


@dataclass(frozen=True, slots=True)
class PracticeFeedback:
    """Hits and misses of a person.

    Attributes:
        hits: their annotation with the gold one that it overlaps most.
        rated, rating: the person's rating and the right one; may be empty.
    """

    hits: tuple[tuple[Annotation, Annotation], ...]
    missed: tuple[Annotation, ...]
    extra: tuple[Annotation, ...]
    rated: str = ""
    rating: str = ""


def compare_with_gold(
    mine: Sequence[Annotation], known: PracticeAnswer, *, rated: str = ""
) -> PracticeFeedback:
    """Compare positions alone: one shared character is a hit, whatever the labels.

    An annotation without a claim is compared by its evidence.
    """
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
