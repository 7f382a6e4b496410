"""Vectors of single tokens, each made in the context of its text, and how they answer a query's.

A text answers a query by the best of its tokens for each of the query's. Source: O. Khattab and M.
Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
BERT", SIGIR 2020, equation 3; here it is a weighted mean, so that it has bounds, and of squares, as
any two tokens are somewhat alike and many such likenesses say little.
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
    """The tokens of some texts, one text after another, each in its order.

    Attributes:
        vectors: (tokens, dimensions); only the direction of a row counts.
        bounds: (texts + 1,): the tokens of text i are `bounds[i]` up to `bounds[i + 1]`.
        starts, ends: (tokens,): code points in the token's own text, half-open.
    """

    vectors: NDArray[np.int8]
    bounds: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.bounds) - 1

    def part(self, first: int, last: int) -> Self:
        """The texts `first` up to, not including, `last`."""
        start, end = int(self.bounds[first]), int(self.bounds[last])
        return type(self)(
            self.vectors[start:end],
            self.bounds[first : last + 1] - start,
            self.starts[start:end],
            self.ends[start:end],
        )

    @classmethod
    def joined(cls, banks: Sequence[Self]) -> Self:
        """The texts of several banks, in order.

        Raises:
            ValueError: there is none, or they differ in dimensions.
        """
        before = accumulate((int(bank.bounds[-1]) for bank in banks), initial=0)
        bounds = [bank.bounds[1:] + start for bank, start in zip(banks, before, strict=False)]
        return cls(
            np.concatenate([bank.vectors for bank in banks]),
            np.concatenate([np.zeros(1, np.int64), *bounds]),
            np.concatenate([bank.starts for bank in banks]),
            np.concatenate([bank.ends for bank in banks]),
        )


def normalise_rows(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """The rows at unit length; a row of zeros stays one."""
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
    """(texts,), each in [0, 1]: how well some texts of a bank answer the tokens of a query.

    Args:
        texts: indices into the bank; a text without tokens answers nothing.
        tokens: (query, dimensions), rows of unit length.
        weights: (query,), not negative; if all are zero, nothing is answered.
        floor: the cosine at which a likeness begins.
    """
    reached = np.zeros(len(texts), np.float32)
    counts = bank.bounds[texts + 1] - bank.bounds[texts]
    some, total = np.flatnonzero(counts), float(weights.sum())
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
