"""Compares a person's annotations and rating of a practice sample with the known answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span, merge

SAME_PASSAGE: Final = 0.5
"""Least F1 of characters at which an annotation marks the same passage as a known one.

An F1 of one half means that the shared characters are at least a third of all characters that
either of the two marks. "1932" instead of "opened in 1932" (F1 .44) and one character of a known
passage are another passage, "in 1932" (F1 .67) is the same. A mark over a whole summary is the same
passage only as a known annotation that covers a third of the summary or more.
"""

Texts = Mapping[tuple[Side, int], str]
"""Texts of a sample's documents, by side and index; without its text, a span is not trimmed."""

_NO_TEXTS: Final[Texts] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PracticeAnswer:
    """The known annotations and the known rating of a practice sample; `rating` may be empty."""

    annotations: tuple[Annotation, ...]
    rating: str = ""


@dataclass(frozen=True, slots=True)
class PracticeFeedback:
    """The comparison of a person's annotations of a sample with the known ones.

    Attributes:
        hits: pairs of one of the person's annotations and the known one with the same passage; each
            annotation is in at most one pair.
        missed: the known annotations that are in no pair.
        extra: the person's annotations that are in no pair.
    """

    hits: tuple[tuple[Annotation, Annotation], ...]
    missed: tuple[Annotation, ...]
    extra: tuple[Annotation, ...]
    rated: str = ""
    rating: str = ""


def compare_with_gold(
    mine: Sequence[Annotation],
    known: PracticeAnswer,
    *,
    rated: str = "",
    texts: Texts = _NO_TEXTS,
) -> PracticeFeedback:
    """Compare a person's annotations with the known annotations of the same sample.

    Two annotations are a pair if the F1 of their characters is at least `SAME_PASSAGE`. Pairs with
    the same top-level labels are made first, then those with the highest F1. White space at the
    ends of spans, which imported annotations may have, does not count, and neither does an
    annotation of white space alone.
    """
    mine = [each for each in mine if _marked(each, texts)]
    right = [each for each in known.annotations if _marked(each, texts)]
    found = []
    for at, own in enumerate(mine):
        for place, gold in enumerate(right):
            shared = measure_overlap(own, gold, texts=texts)
            if shared >= SAME_PASSAGE:
                found.append((not have_same_labels(own, gold), -shared, at, place))
    pairs: dict[int, int] = {}
    for _, _, at, place in sorted(found):
        if at not in pairs and place not in pairs.values():
            pairs[at] = place
    return PracticeFeedback(
        hits=tuple((mine[at], right[place]) for at, place in sorted(pairs.items())),
        missed=tuple(each for place, each in enumerate(right) if place not in pairs.values()),
        extra=tuple(each for at, each in enumerate(mine) if at not in pairs),
        rated=rated,
        rating=known.rating,
    )


def have_same_labels(one: Annotation, other: Annotation) -> bool:
    """Return whether two annotations have the same top-level labels."""
    return {path[:1] for path in one.labels} == {path[:1] for path in other.labels}


def measure_overlap(one: Annotation, other: Annotation, *, texts: Texts = _NO_TEXTS) -> float:
    """Return the F1, in [0, 1], of the characters that two annotations mark.

    The characters of an annotation are those of its claim, or of its evidence if it has no claim.
    """
    mine = _marked(one, texts)
    theirs = _marked(other, texts)
    shared = sum(
        a.overlap(b) for place, spans in mine.items() for a in spans for b in theirs.get(place, ())
    )
    total = sum(len(span) for marked in (mine, theirs) for each in marked.values() for span in each)
    return 2 * shared / total if total else 0.0


def _marked(annotation: Annotation, texts: Texts) -> dict[tuple[Side, int], tuple[Span, ...]]:
    spans: dict[tuple[Side, int], list[Span]] = {}
    for anchor in annotation.claim or annotation.evidence:
        place = (anchor.side, anchor.index)
        text = texts.get(place)
        span = anchor.span if text is None else anchor.span.trim(text)
        if span is not None:
            spans.setdefault(place, []).append(span)
    return {place: merge(own) for place, own in spans.items()}
