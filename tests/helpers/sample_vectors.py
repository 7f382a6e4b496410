"""Vectors of a sample, computed without a store."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.samples import Sample, Segment
from tui_annotate.plugins.protocols import Embedder
from tui_annotate.services.assist.sample import SampleVectors, embed_documents, join_documents


def embed_sample(
    sample: Sample, segments: Sequence[Sequence[Segment]], embedder: Embedder
) -> SampleVectors:
    """Return the vectors of a sample, the same as an import would store."""
    texts = [
        [document.text[own.start : own.end] for own in cut]
        for document, cut in zip(sample.documents, segments, strict=True)
    ]
    return join_documents(sample, embed_documents(texts, embedder), embedder)
