"""Sets of sentence vectors of a workspace, one for each embedding model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSet:
    """The vectors of all sentences of a workspace, computed by one embedding model.

    Attributes:
        version: version of the embedder and its weights.
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
