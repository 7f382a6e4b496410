"""Which matches of a claim somebody looked at: by a key or a click, not because they were lit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.offers import Offer
from tui_annotate.domain.samples import Match


@dataclass
class Looking:
    """What was looked at of the matches that are lit in the source.

    Attributes:
        claim: whose matches they are; None before the assist has answered.
    """

    claim: Anchor | None = None
    _places: set[tuple[int, int]] = field(default_factory=set)

    def begin(self, claim: Anchor | None) -> None:
        """Matches of another claim are lit; of the same one, in another order perhaps."""
        if claim != self.claim:
            self.claim = claim
            self._places.clear()

    def at(self, match: Match | None) -> None:
        """Somebody walked to a match, walks on from it, takes it, or clicked on it."""
        if match is not None:
            self._places.add((match.document, match.segment))

    def offer(self, claim: Sequence[Anchor], matches: Sequence[Match]) -> Offer | None:
        """What the assist offered for a claim; None where what is lit is of another one."""
        if self.claim is None or self.claim not in claim:
            return None
        looked = [match for match in matches if (match.document, match.segment) in self._places]
        return Offer(matches=tuple(matches), looked=frozenset(match.rank for match in looked))
