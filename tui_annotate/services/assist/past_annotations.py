"""Finds an annotator's own past annotations whose claims are most similar to the current claim.

The sentences of past claims already have vectors, which LanceDB searches. The search never reads
the work of other annotators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tui_annotate.domain.annotations import Anchor, LabelPath, PastAnnotation
from tui_annotate.domain.errors import NotAllowed, Unavailable
from tui_annotate.domain.samples import SampleKey, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.lexical import LexicalIndex, find_words
from tui_annotate.methods.matching import find_touched_segments, query
from tui_annotate.methods.selection_vectors import average_sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore, OwnClaim
    from tui_annotate.storage.vectors.store import VectorStore

MOST: Final = 10
LATEST: Final = 5_000
"""Maximum number of an annotator's annotations that are searched, the newest first."""
_FIRST_SEARCH_SIZE: Final = 256
"""Number of nearest sentences among which similar past claims are first searched."""
_ENOUGH_CLAIMS: Final = 4 * MOST
"""If fewer sentences with past claims are found, the search is repeated with more sentences."""


@dataclass(frozen=True, slots=True)
class _ClaimQuery:
    document: str
    text: str
    segments: Sequence[Segment]
    span: Span


@dataclass(frozen=True, slots=True)
class PastAnnotationSearch:
    """Finds an annotator's past annotations whose claims are similar to the current claim."""

    corpus: CorpusStore
    annotations: AnnotationStore
    vectors: Callable[[], VectorStore]
    embedder: Callable[[VectorSet], Embedder | None]

    def nearest(
        self, person: str, key: SampleKey, claim: Anchor, *, without: str = ""
    ) -> tuple[PastAnnotation, ...]:
        """Return up to 10 distinct past annotations with similar claims, most similar first.

        `without` is the id of the current annotation, which is excluded.

        Raises:
            NotFound: the sample or document does not exist.
        """
        claim_query = self._claim_query(key, claim)
        own = [
            each
            for each in self.annotations.own_claims(person, limit=LATEST)
            if each.annotation.id != without
        ]
        bag = query(claim_query.text, claim_query.segments, claim_query.span)
        if not own or bag is None:
            return ()
        claims = LexicalIndex([[word.text for word in find_words(each.claim)] for each in own])
        shared = claims.scores(bag.bag)
        near = self._cosines(claim_query, own)
        scores = shared if near is None else near
        order = sorted(range(len(own)), key=lambda at: (-scores[at], -shared[at], at))
        found: dict[tuple[str, tuple[LabelPath, ...], str], PastAnnotation] = {}
        for at in order:
            if scores[at] > 0:
                each = _make_past_annotation(own[at], float(scores[at]))
                found.setdefault((each.text, each.labels, each.note), each)
        return tuple(found.values())[:MOST]

    def _claim_query(self, key: SampleKey, claim: Anchor) -> _ClaimQuery:
        stored = self.corpus.sample(key)
        document = stored.sample.document(claim.side, claim.index)
        at = stored.sample.documents.index(document)
        return _ClaimQuery(document.sha256, document.text, stored.segments[at], claim.span)

    def _cosines(
        self, claim_query: _ClaimQuery, own: Sequence[OwnClaim]
    ) -> NDArray[np.float32] | None:
        """Return each past claim's cosine with the current claim; 0 for a very different claim."""
        used = self.corpus.vector_set()
        if used is None:
            return None
        try:
            embedder = self.embedder(used)
            vector = self._claim_vector(claim_query, used, embedder)
            if vector is None:
                return None
            nearest = self._search_segments(used, own, vector)
        except (Unavailable, NotAllowed):
            return None
        scores = np.array([nearest.get(each.place, 0.0) for each in own], np.float32)
        if embedder:  # a claim's own words are more precise than the sentence around the claim
            near = [at for at, score in enumerate(scores) if score > 0]
            scores[near] = embedder.embed([own[at].claim for at in near]) @ vector
        return np.clip(scores, 0, 1)

    def _claim_vector(
        self, claim_query: _ClaimQuery, used: VectorSet, embedder: Embedder | None
    ) -> NDArray[np.float32] | None:
        """Return the unit vector of a claim; None if the embedder knows no word of it."""
        if embedder:
            (made,) = embedder.embed([claim_query.span.of(claim_query.text)])
            return made if made.any() else None
        rows = self.vectors().fetch(used.table, [claim_query.document]).get(claim_query.document)
        if rows is None or len(rows) != len(claim_query.segments):
            raise Unavailable(
                "this sample has no vectors yet",
                f"compute the vectors with: {self.vectors().command()}",
            )
        own = find_touched_segments(claim_query.segments, claim_query.span)
        meaning = average_sentences(rows[own.start : own.stop])
        return meaning.vector if meaning else None

    def _search_segments(
        self, used: VectorSet, own: Sequence[OwnClaim], vector: NDArray[np.float32]
    ) -> dict[tuple[str, int], float]:
        places = {each.place for each in own}
        names = list(dict.fromkeys(each.place[0] for each in own))
        top = _FIRST_SEARCH_SIZE
        while True:
            found = self.vectors().search(used.table, names, vector, top=top)
            near = {(name, at): cosine for name, at, cosine in found if (name, at) in places}
            if len(near) >= _ENOUGH_CLAIMS or len(found) < top:
                return near
            top *= 4


def _make_past_annotation(own: OwnClaim, score: float) -> PastAnnotation:
    annotation = own.annotation
    return PastAnnotation(
        sample=own.sample,
        id=annotation.id,
        text=own.claim,
        labels=annotation.labels,
        note=annotation.note,
        score=min(score, 1.0),
    )
