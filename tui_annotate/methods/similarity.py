"""Likeness of generated answers by their vectors: to the right answer, and to one another.

Source: the similarity scorer of the project Dreamcatcher, formula 4.3 of its code; there vectors
are the first token's, here those of any embedder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def to_answer(answer: NDArray[np.float32], texts: NDArray[np.float32]) -> list[float | None]:
    """The cosine of each text with the right answer, in [-1, 1].

    Args:
        answer: (dimensions,), of unit length.
        texts: (n, dimensions), rows of unit length; rows of zeros are texts of which nothing is
            known, and get None, as all do where nothing is known of the answer.
    """
    known = _known(texts) if answer.any() else [False] * len(texts)
    return _where(texts @ answer, known)


def among(texts: NDArray[np.float32]) -> list[float | None]:
    """The mean cosine of each text with all the others, in [-1, 1]; None for one without others.

    Args:
        texts: as for `to_answer`; of the unknown ones nothing is said, and to none.
    """
    known = _known(texts)
    count = sum(known)
    if count < 2:
        return [None] * len(texts)
    sums = texts @ texts.sum(axis=0)
    return _where((sums - 1) / (count - 1), known)


def best_likenesses(claims: NDArray[np.float32], source: NDArray[np.float32]) -> list[float | None]:
    """For each sentence of a summary, the largest cosine with a sentence of the source.

    Args:
        claims, source: as the texts of `to_answer`; an unknown claim gets None, and an unknown
            sentence of the source supports nothing.

    Returns:
        One a claim, in [-1, 1]; -1 where no sentence of the source is known.
    """
    kept = source[source.any(axis=1)]
    known = _known(claims)
    if not len(kept):
        return [-1.0 if each else None for each in known]
    return _where((claims @ kept.T).max(axis=1), known)


def _known(texts: NDArray[np.float32]) -> list[bool]:
    return list(map(bool, cast("NDArray[np.bool_]", texts.any(axis=1))))


def _where(values: NDArray[np.float32], known: Sequence[bool]) -> list[float | None]:
    pairs = zip(values.tolist(), known, strict=True)
    return [min(max(value, -1.0), 1.0) if sure else None for value, sure in pairs]
