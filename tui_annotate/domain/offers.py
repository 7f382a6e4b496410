"""What the assist offers as evidence of a claim, and what a save made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.samples import Match, Sample, Signals
from tui_annotate.domain.traces import OUTSIDE, Place, Trace

_DIGITS = 4
"""Of a score, behind the point: more would be told than it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The matches that were lit for a claim in the source.

    Attributes:
        matches: the best first; none where nothing was found.
        looked: ranks that somebody walked to with a key, walked on from, took, or clicked on.
        by: what ranked.
        embedder: the model's label; empty where words alone ranked.
        version: of the embedder.
    """

    matches: tuple[Match, ...] = ()
    looked: frozenset[int] = frozenset()
    by: Signals = Signals.FUSED
    embedder: str = ""
    version: str = ""

    def trace(self, evidence: Sequence[Anchor], sample: Sample) -> Trace:
        """What is kept with an annotation that has this evidence.

        Args:
            evidence: of the source side, trimmed.
        """
        ranks = {match.rank for match in self.matches}
        return Trace(
            by=self.by,
            embedder=self.embedder,
            version=self.version,
            offered=len(self.matches),
            best=_score(self.matches[0]) if self.matches else 0.0,
            looked=tuple(sorted(self.looked & ranks)),
            places=tuple(self._place(anchor, sample) for anchor in evidence),
        )

    def _place(self, anchor: Anchor, sample: Sample) -> Place:
        for match in sorted(self.matches, key=lambda match: match.rank):
            if match.document != anchor.index:
                continue
            span = match.span.trim(sample.document(anchor.side, anchor.index).text)
            if span is not None and span.overlap(anchor.span):
                return Place(match.rank, _score(match), span == anchor.span)
        return OUTSIDE


def _score(match: Match) -> float:
    return round(min(max(match.score, 0.0), 1.0), _DIGITS)


def traced(
    annotation: Annotation, sample: Sample, *, offer: Offer | None, former: Annotation | None = None
) -> Annotation:
    """The annotation with what is known of how its evidence was found.

    Args:
        annotation: well made.
        offer: what was lit when it was saved; None where nobody can tell.
        former: what stood there before an edit.
    """
    old = former.trace if former else None
    if former and set(former.evidence) == set(annotation.evidence):
        return replace(annotation, trace=old)
    kept = dict(zip(former.evidence, old.places, strict=True)) if former and old else {}
    if offer:
        fresh = offer.trace(annotation.evidence, sample)
        pairs = zip(annotation.evidence, fresh.places, strict=True)
        places = tuple(kept.get(anchor, place) for anchor, place in pairs)
        # A rank of before may lie beyond what is lit now: so many were offered then.
        offered = max([fresh.offered, *(place.rank for place in places)])
        return replace(annotation, trace=replace(fresh, places=places, offered=offered))
    if old and kept.keys() >= set(annotation.evidence):
        places = tuple(kept[anchor] for anchor in annotation.evidence)
        return replace(annotation, trace=replace(old, places=places))
    return replace(annotation, trace=None)
