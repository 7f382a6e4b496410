"""Vector sets of a workspace: one set of segment vectors for each embedder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSet:
    """A vector set: the vectors of all segments by one embedder.

    Attributes:
        version: version of the embedder and its weights.
        table: name of the database table with the vectors.
        dimensions: dimensions of a segment vector.
        token_dimensions: dimensions of token vectors; 0 without token vectors.
        asked_dimensions: requested dimensions; 0 for the model's default.
        instant: whether selections are embedded at each key press.
    """

    embedder: str
    label: str
    version: str
    segmenter: str
    table: str
    dimensions: int
    token_dimensions: int = 0
    instant: bool = False
    base_url: str = ""
    asked_dimensions: int = 0
