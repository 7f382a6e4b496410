"""How far two people marked the same places of a text, and took the same evidence for them.

Nothing here is corrected for chance: where a span begins is not one of a few choices. Neither the
order of spans counts, nor that a span is there twice. Source: F1 of one person's spans, with those
of the other as the reference, as G. Hripcsak and A. Rothschild, "Agreement, the F-measure, and
reliability in information retrieval", JAMIA 12 (2005), equation 3; it is symmetric.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from tui_annotate.domain.spans import Span, merge

FIGURES: Final = ("exact", "trimmed", "character", "overlap")


class SpanF1(NamedTuple):
    """Figures of two people at one text, each in [0, 1].

    Attributes:
        exact: spans that are the same as they were marked.
        trimmed: spans that are the same but for white space at their edges.
        character: code points that both marked, without white space at the edges of spans.
        overlap: spans that share a code point with one of the other's: the harmonic mean of the
            one's share of such spans and the other's.
    """

    exact: float
    trimmed: float
    character: float
    overlap: float


class EvidenceRelation(StrEnum):
    """How the evidence of two people for the same claim relates."""

    SAME = "same"
    OVERLAP = "overlap"
    ELSEWHERE = "elsewhere"
    ONE = "one"
    NEITHER = "neither"


def trim_spans(spans: Iterable[Span], text: str) -> frozenset[Span]:
    """The spans without white space at their edges; those of white space alone are gone."""
    return frozenset(found for span in spans if (found := span.trim(text)))


def span_f1(ours: Collection[Span], theirs: Collection[Span], *, text: str) -> SpanF1 | None:
    """The figures of two people's spans of a text; None where neither marked anything.

    Where one alone marked something all are 0. Spans of white space alone do not count.
    """
    raw = [{span for span in spans if span.trim(text)} for spans in (ours, theirs)]
    clean = [trim_spans(spans, text) for spans in raw]
    if not any(clean):
        return None
    return SpanF1(
        _f1(len(raw[0] & raw[1]), len(raw[0]), len(raw[1])),
        _f1(len(clean[0] & clean[1]), len(clean[0]), len(clean[1])),
        _character_f1(merge(clean[0]), merge(clean[1])),
        _overlap_f1(sorted(clean[0]), sorted(clean[1])),
    )


def find_overlaps(ours: Collection[Span], theirs: Collection[Span]) -> list[tuple[Span, Span]]:
    """All pairs of distinct spans, one of each person, that share a code point; in reading order.

    A span is in as many pairs as it meets spans of the other.
    """
    others = sorted(set(theirs))
    starts = [span.start for span in others]
    return [
        (span, other)
        for span in sorted(set(ours))
        for other in others[: bisect_left(starts, span.end)]
        if other.end > span.start
    ]


def count_stacked(spans: Collection[Span]) -> int:
    """How many of one person's spans share a code point with another of them; a twin counts."""
    ordered = sorted(spans)
    found: set[int] = set()
    reach, holder = -1, -1
    for place, span in enumerate(ordered):
        if span.start < reach:
            found |= {place, holder}
        if span.end > reach:
            reach, holder = span.end, place
    return len(found)


def compare_evidence(ours: Collection[Span], theirs: Collection[Span]) -> EvidenceRelation:
    """Compare two people's evidence of a claim; touching spans count as one, all are trimmed."""
    one, other = merge(ours), merge(theirs)
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
    shared, place = 0, 0
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
