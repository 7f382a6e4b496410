"""Scores texts for a query by comparing the vectors of their tokens (late interaction).

For each query token, the most similar token of the text counts. Source: O. Khattab and M. Zaharia,
"ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over BERT",
SIGIR 2020, equation 3. Two changes: a weighted mean instead of a sum, so that the score is bounded;
and squared similarities, because any two tokens are slightly similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TokenBank:
    """The vectors of the tokens of several texts, in the order of texts and tokens.

    Attributes:
        vectors: (tokens, dimensions); only the direction of a row matters.
        bounds: (texts + 1,): the tokens of text i are rows `bounds[i]` to `bounds[i + 1]` - 1.
        starts, ends: (tokens,): code points of the token in its own text, half-open.
    """

    vectors: NDArray[np.int8]
    bounds: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def part(self, first: int, last: int) -> Self:
        """Return the token vectors of the texts from `first` to `last` - 1."""
        start = int(self.bounds[first])
        end = int(self.bounds[last])
        return type(self)(
            self.vectors[start:end],
            self.bounds[first : last + 1] - start,
            self.starts[start:end],
            self.ends[start:end],
        )

    @classmethod
    def joined(cls, banks: Sequence[Self]) -> Self:
        """Concatenate collections of token vectors; ValueError if none, or dimensions differ."""
        before = accumulate((int(bank.bounds[-1]) for bank in banks), initial=0)
        bounds = [bank.bounds[1:] + start for bank, start in zip(banks, before, strict=False)]
        return cls(
            np.concatenate([bank.vectors for bank in banks]),
            np.concatenate([np.zeros(1, np.int64), *bounds]),
            np.concatenate([bank.starts for bank in banks]),
            np.concatenate([bank.ends for bank in banks]),
        )


def normalise_rows(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Scale vectors to unit length; a vector of zeros stays zero."""
    rows = vectors.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows /= np.maximum(lengths, 1)[:, None]
    return rows


def late_interaction(
    bank: TokenBank,
    texts: NDArray[np.intp],
    *,
    tokens: NDArray[np.float32],
    weights: NDArray[np.float32],
    floor: float = 0.0,
) -> NDArray[np.float32]:
    """Score texts for a query by their most similar tokens; returns (texts,), in [0, 1].

    Args:
        tokens: (query tokens, dimensions), rows of unit length.
        weights: (query tokens,), not negative; if all are zero, all scores are 0.
        `floor`: cosine that corresponds to a similarity of 0.
    """
    reached = np.zeros(len(texts), np.float32)
    counts = bank.bounds[texts + 1] - bank.bounds[texts]
    some = np.flatnonzero(counts)
    total = float(weights.sum())
    if not len(some) or total <= 0:
        return reached
    ends = np.cumsum(counts[some])
    firsts = ends - counts[some]
    rows = np.arange(ends[-1]) + np.repeat(bank.bounds[texts[some]] - firsts, counts[some])
    cosines = normalise_rows(bank.vectors[rows]) @ tokens.T
    best = np.maximum.reduceat(cosines, firsts, axis=0)
    alike = np.clip((best - np.float32(floor)) / np.float32(1 - floor), 0, 1)
    reached[some] = alike**2 @ (weights / np.float32(total))
    return reached.clip(0, 1)
