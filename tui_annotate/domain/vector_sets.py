"""Which vectors a workspace has: one set for each embedder that was used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSet:
    """The vectors of all segments of one embedder.

    Attributes:
        version: of embedder and weights.
        token_dimensions, asked_dimensions: 0 for none.
        instant: whether selections are embedded at the key press.
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
