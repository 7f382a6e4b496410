"""The vectors of samples that no store holds, made there and then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

from tui_annotate.domain.samples import Sample, Segment, Side
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder
from tui_annotate.services.assist.vectors import SampleVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank


@dataclass(frozen=True, slots=True)
class DocumentVectors:
    """What ingest would store of a document: a row a segment, and the tokens where it has them."""

    rows: NDArray[np.float32]
    tokens: TokenBank | None = None


def embedded(
    sample: Sample, segments: Sequence[Sequence[Segment]], embedder: Embedder
) -> SampleVectors:
    """What ingest would store of a sample, ready for `prepared`.

    Args:
        segments: parallel to `sample.documents`.
    """
    texts = [
        [document.text[own.start : own.end] for own in cut]
        for document, cut in zip(sample.documents, segments, strict=True)
    ]
    return joined(sample, document_vectors(texts, embedder), embedder)


def document_vectors(
    documents: Sequence[Sequence[str]], embedder: Embedder
) -> list[DocumentVectors]:
    """The vectors of documents, each given as its segments; all of them in one batch."""
    texts = list(chain.from_iterable(documents))
    bounds = pairwise(accumulate(map(len, documents), initial=0))
    if isinstance(embedder, TokenEmbedder):
        rows, tokens = embedder.embed_tokens(texts)
        return [
            DocumentVectors(rows[first:last], tokens.part(first, last)) for first, last in bounds
        ]
    rows = embedder.embed(texts)
    return [DocumentVectors(rows[first:last]) for first, last in bounds]


def joined(sample: Sample, made: Sequence[DocumentVectors], embedder: Embedder) -> SampleVectors:
    """The vectors of a sample out of those of its documents.

    Args:
        made: by `embedder`; parallel to `sample.documents`.
    """
    import numpy as np

    from tui_annotate.methods.late_interaction import TokenBank

    rows: dict[Side, NDArray[np.float32]] = {}
    tokens: dict[Side, TokenBank] = {}
    for side in Side:
        pairs = zip(sample.documents, made, strict=True)
        own = [each for document, each in pairs if document.side is side and len(each.rows)]
        if not own:
            continue
        rows[side] = np.concatenate([each.rows for each in own])
        banks = [each.tokens for each in own if each.tokens is not None]
        if banks:
            tokens[side] = TokenBank.joined(banks)
    return SampleVectors(
        embedder.label,
        rows,
        embedder if embedder.instant else None,
        tokens,
        embedder.axes if isinstance(embedder, TokenEmbedder) else None,
        embedder.version,
    )
