"""What a person claimed in any sample, with the words of the claims and where they stand."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.samples import SampleKey, Segment
from tui_annotate.storage.codec import unpack

_JOINED: Final = " … "
_CLAIMS: Final = text(
    "SELECT d.name, s.external, a.payload, u.sha256, u.text, u.boundaries"
    " FROM annotations a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " JOIN sample_documents p ON p.sample_id = s.id AND p.side = 'summary'"
    " JOIN documents u ON u.id = p.document_id"
    " WHERE a.person = :person ORDER BY a.updated DESC, a.id LIMIT :limit"
)


@dataclass(frozen=True, slots=True)
class OwnClaim:
    """An annotation with a claim.

    Attributes:
        claim: its words; of several spans, joined by an ellipsis.
        place: hash of the text, and the segment in it where the claim begins.
    """

    sample: SampleKey
    annotation: Annotation
    claim: str
    place: tuple[str, int]


def own_claims(connection: Connection, person: str, *, limit: int) -> Iterator[OwnClaim]:
    """A person's annotations that claim something, the newest first."""
    rows = connection.execute(_CLAIMS, {"person": person, "limit": limit})
    for dataset, external, payload, name, content, boundaries in rows:
        annotation = annotation_from_json(json.loads(payload))
        if annotation.claim:
            whole = content.decode()
            claim = _JOINED.join(anchor.span.of(whole) for anchor in annotation.claim)
            at = _segment(unpack(boundaries, len(whole)), annotation.claim[0].span.start)
            yield OwnClaim(SampleKey(dataset, external), annotation, claim, (name, at))


def _segment(segments: Sequence[Segment], offset: int) -> int:
    """The segment that an offset lies in; 0 in a text without any."""
    return max(bisect_right(segments, offset, key=lambda segment: segment.start) - 1, 0)
