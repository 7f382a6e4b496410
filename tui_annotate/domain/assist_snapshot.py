"""The source sentences that were displayed as matches when a claim was marked, best first.

An annotation is stored with a trace, the short form of the assist snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace, MatchPosition
from tui_annotate.domain.samples import Match, Sample, Signals

_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistSnapshot:
    """The matches (related sentences) that were displayed for a claim, best first."""

    matches: tuple[Match, ...] = ()
    looked: frozenset[int] = frozenset()
    by: Signals = Signals.FUSED
    embedder: str = ""
    version: str = ""
    weights: str = ""

    def trace(self, evidence: Sequence[Anchor], sample: Sample) -> AssistTrace:
        """Return a record of the displayed matches, and of the evidence that overlaps them."""
        ranks = {match.rank for match in self.matches}
        return AssistTrace(
            by=self.by,
            embedder=self.embedder,
            version=self.version,
            weights=self.weights,
            offered=len(self.matches),
            best=_score(self.matches[0]) if self.matches else 0.0,
            looked=tuple(sorted(self.looked & ranks)),
            places=tuple(self._position_of(anchor, sample) for anchor in evidence),
        )

    def _position_of(self, anchor: Anchor, sample: Sample) -> MatchPosition:
        for match in sorted(self.matches, key=lambda match: match.rank):
            if match.document != anchor.index:
                continue
            span = match.span.trim(sample.document(anchor.side, anchor.index).text)
            if span is not None and span.overlap(anchor.span):
                return MatchPosition(match.rank, _score(match), span == anchor.span)
        return OUTSIDE


def _score(match: Match) -> float:
    return round(min(max(match.score, 0.0), 1.0), _DIGITS)


def add_trace(
    annotation: Annotation,
    sample: Sample,
    *,
    offer: AssistSnapshot | None,
    former: Annotation | None = None,
) -> Annotation:
    """Return an annotation together with a record of how its evidence was found.

    Evidence that `former`, the annotation before an edit, had already keeps its recorded positions.
    Without `offer`, the record is kept if no evidence is new; otherwise it is unknown, so None.
    """
    old = former.trace if former else None
    if former and set(former.evidence) == set(annotation.evidence):
        return replace(annotation, trace=old)
    kept = dict(zip(former.evidence, old.places, strict=True)) if former and old else {}
    if offer:
        fresh = offer.trace(annotation.evidence, sample)
        pairs = zip(annotation.evidence, fresh.places, strict=True)
        places = tuple(kept.get(anchor, place) for anchor, place in pairs)
        # Evidence kept from before the edit can have a rank beyond the current number of matches.
        offered = max([fresh.offered, *(place.rank for place in places)])
        return replace(annotation, trace=replace(fresh, places=places, offered=offered))
    if old and kept.keys() >= set(annotation.evidence):
        places = tuple(kept[anchor] for anchor in annotation.evidence)
        return replace(annotation, trace=replace(old, places=places))
    return replace(annotation, trace=None)
