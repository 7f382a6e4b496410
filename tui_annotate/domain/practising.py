"""Practice: somebody's annotations of a sample beside those that are known to be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.annotations import Annotation


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody found.

    Attributes:
        hits: their annotation and the right one that it overlaps most; in the order of theirs.
        missed: the right ones that none of theirs overlaps.
        extra: theirs that overlap no right one.
    """

    hits: tuple[tuple[Annotation, Annotation], ...]
    missed: tuple[Annotation, ...]
    extra: tuple[Annotation, ...]


def feedback(mine: Sequence[Annotation], right: Sequence[Annotation]) -> Feedback:
    """Compares by places alone: one character in common is a hit, whatever the labels are.

    The places of an annotation without a claim are those of its evidence.
    """
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
    return Feedback(tuple(hits), missed, tuple(extra))


def _shared(one: Annotation, other: Annotation) -> int:
    """How many code points two annotations have in common."""
    return sum(
        a.span.overlap(b.span)
        for a in one.claim or one.evidence
        for b in other.claim or other.evidence
        if (a.side, a.index) == (b.side, b.index)
    )
