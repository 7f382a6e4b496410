"""What the signals of the assist say together: weighted sums, and the chance that they are right.

Each signal is bounded by itself, and each curve is one fixed monotone map, so a score says the same
in every sample: it depends on how many segments there are, never on what the others reach. What was
measured, and on what, stands in docs/decisions; the numbers are round on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]

WORDS: Final = "words"
"""BM25, over the most that the query could reach."""
VECTORS: Final = "vectors"
"""The cosine of the selection's vector and a segment's."""
SENTENCES: Final = "sentences"
"""The same of the selection's sentences, where the selection itself has no vector."""
TOKENS: Final = "tokens"
"""Late interaction of the selection's tokens with a segment's."""

FEW: Final = 6.0
FEWEST: Final = 4
"""The first, over the root of the number of segments: the fewer there are, the likelier is each.
Fewer than the second count as so many, so that likeness to nothing is never found."""


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How some signals become a score.

    Attributes:
        weights: by signal; they add up to 1.
        slope, offset: of the logistic curve over the weighted sum.
    """

    weights: Mapping[str, float]
    slope: float
    offset: float

    def scores(self, signals: Mapping[str, Values]) -> Values:
        """The score of each segment, in [0, 1]."""
        fused = sum(weight * signals[name] for name, weight in self.weights.items())
        few = FEW / sqrt(max(FEWEST, len(next(iter(signals.values())))))
        return np.asarray(1 / (1 + np.exp(-(self.slope * fused + self.offset + few))), np.float32)


_RECIPES: Final = {
    frozenset(recipe.weights): recipe
    for recipe in (
        _Recipe({WORDS: 1.0}, 26.0, -6.1),
        _Recipe({VECTORS: 1.0}, 8.0, -6.2),
        _Recipe({WORDS: 0.8, VECTORS: 0.2}, 22.0, -6.4),
        _Recipe({SENTENCES: 1.0}, 8.0, -7.5),
        _Recipe({WORDS: 0.8, SENTENCES: 0.2}, 20.0, -6.8),
        _Recipe({VECTORS: 0.5, TOKENS: 0.5}, 12.0, -7.5),
        _Recipe({WORDS: 0.6, VECTORS: 0.2, TOKENS: 0.2}, 18.0, -6.8),
    )
}


def scores(signals: Mapping[str, Values], known: NDArray[np.bool_]) -> Values:
    """(segments,): the chance, in [0, 1], that a segment is what is looked for.

    Args:
        signals: by name; at least one, in a mix that has a recipe.
        known: (segments,): which have a vector; words alone speak for the others.
    """
    whole = _RECIPES[frozenset(signals)].scores(signals)
    if len(signals) == 1 and WORDS in signals:
        return whole
    if WORDS not in signals:
        return np.where(known, whole, np.float32(0))
    alone = _RECIPES[frozenset({WORDS})].scores({WORDS: signals[WORDS]})
    return np.where(known, whole, alone)
