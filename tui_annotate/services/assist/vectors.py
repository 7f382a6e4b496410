"""The vectors of one sample, and what the search may use of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tui_annotate.domain.samples import Segment, Side
from tui_annotate.methods.late_interaction import TokenBank, directions
from tui_annotate.methods.matching import Space
from tui_annotate.methods.meaning import least_cosine, well_known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.plugins.protocols import Embedder

_TOKENS = 256
"""Tokens of a side, about, that tell where a likeness of tokens begins."""


@dataclass(frozen=True, slots=True)
class SampleVectors:
    """The vectors of a sample's segments, and what gives a selection its own.

    Attributes:
        label: of the model, for people.
        rows: by side, a row a segment, over all its documents in order.
        embedder: one that is instant; without it stored vectors stand in for the selection's.
        tokens: by side, in the order of its rows; empty where tokens have no vectors.
        axes: (dimensions, token dimensions): of the rows, those along which the tokens lie.
        version: of the embedder that made them.
    """

    label: str
    rows: Mapping[Side, NDArray[np.float32]]
    embedder: Embedder | None = None
    tokens: Mapping[Side, TokenBank] = field(default_factory=dict)
    axes: NDArray[np.float32] | None = None
    version: str = ""

    def lifted(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """A vector from among the tokens, brought to where the rows lie."""
        return vector if self.axes is None else self.axes @ vector


def spaces(
    vectors: SampleVectors, segments: Mapping[Side, Sequence[Sequence[Segment]]]
) -> tuple[dict[Side, Space], int]:
    """The vectors of each side, without documents of which the model knows too little.

    They have the half precision of the store, wherever they come from.

    Args:
        segments: by side, of its documents in order.

    Returns:
        By side, where any document is known; and how many documents are not.
    """
    import numpy as np

    made: dict[Side, Space] = {}
    unknown = 0
    halves = {
        side: rows.astype(np.float16).astype(np.float32) for side, rows in vectors.rows.items()
    }
    floor, token_floor = _floors(replace(vectors, rows=halves))
    for side, rows in halves.items():
        known, strangers = _known(rows, segments[side])
        unknown += strangers
        if known.any():
            own = rows if known.all() else rows * known[:, None]
            made[side] = Space(own, known, vectors.tokens.get(side), floor, token_floor)
    return made, unknown


def _known(
    rows: NDArray[np.float32], documents: Sequence[Sequence[Segment]]
) -> tuple[NDArray[np.bool_], int]:
    """(segments,): which have a vector and stand in a document that is known; how many are not."""
    import numpy as np

    known = np.array(rows.any(axis=1), np.bool_)
    lengths = np.array([segment.end - segment.start for own in documents for segment in own])
    strangers = 0
    for first, last in pairwise(accumulate(map(len, documents), initial=0)):
        part = slice(first, last)
        if not well_known(known[part], lengths[part]):
            known[part] = False
            strangers += 1
    return known, strangers


def _floors(vectors: SampleVectors) -> tuple[float, float]:
    """The cosines at which a likeness of texts, and one of tokens, begins in this model."""
    if vectors.embedder:  # its vectors have no floor, and here every millisecond counts
        return 0.0, 0.0
    texts = least_cosine(*vectors.rows.values())
    tokens = [_some_tokens(bank) for bank in vectors.tokens.values()]
    return texts, least_cosine(*tokens) if tokens else 0.0


def _some_tokens(bank: TokenBank) -> NDArray[np.float32]:
    """From all over a bank; to look at all of a long text would take as long as to fetch it."""
    return directions(bank.vectors[:: max(1, len(bank.vectors) // _TOKENS)])
