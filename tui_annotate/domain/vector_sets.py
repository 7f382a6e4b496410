"""Which vectors a workspace has: one set for each embedder that was used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSet:
    """The vectors of all segments that one embedder made, and where they are kept.

    Attributes:
        embedder: as it was asked for: a name, or a name, a colon and a model.
        label: the model's name, for people.
        version: of the embedder with its weights.
        segmenter: of the segments.
        table: that holds the vectors.
        dimensions: of each vector.
        token_dimensions: of each token's vector; 0 where tokens have none.
        instant: whether selections are embedded at the key press; else stored vectors stand in.
        base_url: of the endpoint; empty without one.
        asked_dimensions: what the embedder was asked for; 0 for its own.
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
