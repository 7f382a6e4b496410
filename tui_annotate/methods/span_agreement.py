"""Agreement of two annotators on spans (F1 scores), and whether their evidence overlaps.

The scores are not corrected for chance, because spans have no small set of possible values. The
order of spans and duplicates do not matter. Source: F1 of one annotator's spans with the other's as
the reference, which is symmetric: G. Hripcsak and A. Rothschild, "Agreement, the F-measure, and
reliability in information retrieval", JAMIA 12 (2005), equation 3.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from tui_annotate.domain.spans import Span, merge

FIGURES: Final = ("exact", "trimmed", "character", "overlap")


class SpanF1(NamedTuple):
    """Agreement of two annotators on spans of one text: F1 scores, each in [0, 1].

    Attributes:
        exact: F1 over identical spans.
        trimmed: F1 over spans that are identical without white space at their ends.
        character: F1 over code points, without white space at the ends of spans.
        overlap: F1 over spans that overlap a span of the other annotator: the harmonic mean of the
            two annotators' fractions of such spans.
    """

    exact: float
    trimmed: float
    character: float
    overlap: float


class EvidenceRelation(StrEnum):
    """How the evidence of two annotators for one claim relates."""

    SAME = "same"
    OVERLAP = "overlap"
    ELSEWHERE = "elsewhere"
    ONE = "one"
    NEITHER = "neither"


def trim_spans(spans: Iterable[Span], text: str) -> frozenset[Span]:
    """Return the spans without white space at their ends, and drop those of only white space."""
    return frozenset(found for span in spans if (found := span.trim(text)))


def span_f1(ours: Collection[Span], theirs: Collection[Span], *, text: str) -> SpanF1 | None:
    """Compute the agreement (F1) of two annotators' spans; None if neither has any.

    If only one annotator marked something, all scores are 0. Spans of only white space are ignored.
    """
    our_spans = {span for span in ours if span.trim(text)}
    their_spans = {span for span in theirs if span.trim(text)}
    if not our_spans and not their_spans:
        return None
    our_trimmed = trim_spans(our_spans, text)
    their_trimmed = trim_spans(their_spans, text)
    return SpanF1(
        exact=_f1(len(our_spans & their_spans), len(our_spans), len(their_spans)),
        trimmed=_f1(len(our_trimmed & their_trimmed), len(our_trimmed), len(their_trimmed)),
        character=_character_f1(merge(our_trimmed), merge(their_trimmed)),
        overlap=_overlap_f1(sorted(our_trimmed), sorted(their_trimmed)),
    )


def find_overlaps(ours: Collection[Span], theirs: Collection[Span]) -> list[tuple[Span, Span]]:
    """Find all pairs of overlapping spans, one of each annotator, in reading order."""
    others = sorted(set(theirs))
    starts = [span.start for span in others]
    return [
        (span, other)
        for span in sorted(set(ours))
        for other in others[: bisect_left(starts, span.end)]
        if other.end > span.start
    ]


def count_stacked(spans: Collection[Span]) -> int:
    """Return how many of one annotator's spans overlap another of their spans."""
    ordered = sorted(spans)
    found: set[int] = set()
    reach = -1  # the largest end so far, and the index of the span that has it
    holder = -1
    for place, span in enumerate(ordered):
        if span.start < reach:
            found |= {place, holder}
        if span.end > reach:
            reach = span.end
            holder = place
    return len(found)


def compare_evidence(ours: Collection[Span], theirs: Collection[Span]) -> EvidenceRelation:
    """Compare two annotators' evidence spans of a claim; adjacent spans count as one."""
    one = merge(ours)
    other = merge(theirs)
    if not one or not other:
        return EvidenceRelation.ONE if one or other else EvidenceRelation.NEITHER
    if one == other:
        return EvidenceRelation.SAME
    return EvidenceRelation.OVERLAP if _count_shared(one, other) else EvidenceRelation.ELSEWHERE


def _f1(shared: float, ours: int, theirs: int) -> float:
    return 2 * shared / (ours + theirs)


def _character_f1(ours: Sequence[Span], theirs: Sequence[Span]) -> float:
    return _f1(_count_shared(ours, theirs), sum(map(len, ours)), sum(map(len, theirs)))


def _count_shared(ours: Sequence[Span], theirs: Sequence[Span]) -> int:
    shared = 0
    place = 0
    for span in ours:
        while place < len(theirs) and theirs[place].end <= span.start:
            place += 1
        for other in theirs[place:]:
            if other.start >= span.end:
                break
            shared += span.overlap(other)
    return shared


def _overlap_f1(ours: Sequence[Span], theirs: Sequence[Span]) -> float:
    met = find_overlaps(ours, theirs)
    if not met:
        return 0.0
    mine = len({span for span, _ in met}) / len(ours)
    other = len({span for _, span in met}) / len(theirs)
    return 2 * mine * other / (mine + other)
