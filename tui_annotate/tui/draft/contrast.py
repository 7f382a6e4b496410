"""What the selection and the focused match share, and where they may not agree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import quote_text

LONGEST: Final = 2_000
"""Characters of a selection or a match that are looked at; more takes too long to be of use."""

_QUOTE = 20  # cells

Place = tuple[Side, int]
"""A document: its side, and its index there."""


@dataclass(frozen=True, slots=True)
class MatchPair:
    """What is compared: the anchor in hand, and the match of the other side that is in focus."""

    anchor: Anchor
    match: Match

    @property
    def own(self) -> Place:
        """The document that the anchor lies in."""
        return self.anchor.side, self.anchor.index

    @property
    def lit(self) -> Place:
        """The document that the match lies in."""
        return self.anchor.side.other, self.match.document

    def beside(self, other: MatchPair | None) -> bool:
        """Whether the other is of the same match, whatever is selected."""
        if other is None or self.lit != other.lit:
            return False
        return self.match.segment == other.match.segment


@dataclass(frozen=True, slots=True)
class Contrast:
    """What two texts share, and where they may contradict each other.

    Attributes:
        shared: words of the match that the anchor has as well.
        claims, evidence: in the anchor and in the match, parallel: what may not go together.
        told: the first of these in words; empty for none.
    """

    shared: tuple[Span, ...] = ()
    claims: tuple[Span, ...] = ()
    evidence: tuple[Span, ...] = ()
    told: str = ""


NOTHING: Final = Contrast()

Marks = Callable[[Place], Sequence[Span] | None]
"""What of a document the other side has nowhere; None where that is not known."""


def match_pair(draft: Draft) -> MatchPair | None:
    """What there is to compare; None where nothing is in hand or lit."""
    anchor, side = draft.here(draft.side), draft.side.other
    match = next((one for one in draft.matches[side] if one.rank == draft.lit[side]), None)
    return MatchPair(anchor, match) if anchor and match else None


def contrast(draft: Draft, what: MatchPair, marks: Marks) -> Contrast:
    """Compares; takes milliseconds, so it is for a thread.

    Args:
        marks: where they are known of both documents, only what is marked can be in conflict.
    """
    from tui_annotate.methods.contrast import conflicts, shared

    own, lit = _shorten(what.anchor.span), _shorten(what.match.span)
    said, found = own.of(draft.text(*what.own)), lit.of(draft.text(*what.lit))
    candidates = conflicts(
        said,
        found,
        unsaid=_marks_within(marks(what.own), own),
        unheard=_marks_within(marks(what.lit), lit),
    )
    told = ""
    if candidates:
        first = candidates[0]
        pair = (first.claim.of(said), first.evidence.of(found))
        told = " ≠ ".join(quote_text(words, cells=_QUOTE).strip('"') for words in pair)
    if len(candidates) > 1:
        told += f", {len(candidates) - 1} more"
    return Contrast(
        tuple(span.shift(lit.start) for span in shared(said, found)),
        tuple(candidate.claim.shift(own.start) for candidate in candidates),
        tuple(candidate.evidence.shift(lit.start) for candidate in candidates),
        told,
    )


def _shorten(span: Span) -> Span:
    return Span(span.start, min(span.end, span.start + LONGEST))


def _marks_within(spans: Sequence[Span] | None, place: Span) -> list[Span] | None:
    """The marks in a place, counted from its start; they are disjoint and in order."""
    if spans is None:
        return None
    first = bisect_right(spans, place.start, key=lambda span: span.end)
    last = bisect_left(spans, place.end, key=lambda span: span.start)
    inside = (span.clip(place) for span in spans[first:last])
    return [span.shift(-place.start) for span in inside if span]
