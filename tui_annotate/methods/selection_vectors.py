"""Vectors of a selected text: newly computed, or from stored vectors of tokens or sentences.

Source of the mean of a span's contextual token vectors: S. Toshniwal et al., "A Cross-Task Analysis
of Text Span Representations", RepL4NLP 2020.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.spans import Span
from tui_annotate.methods.late_interaction import TokenBank, normalise_rows
from tui_annotate.methods.lexical import Word

SENTENCE = 0.1
"""Weight with which the vector of a sentence is added to the vector of a selection in it."""

REST = 0.05
"""Weight of the tokens around a selection in its sentence; selected tokens have the weight 1."""

MOST_TOKENS = 256
"""Maximum number of tokens that late interaction compares; more would delay the response."""

LEAST_KNOWN = 0.9
"""Fraction of a document's characters that must have vectors; with fewer, vectors mislead."""

_FEWEST, _MOST = 6, 64
"""Minimum and maximum number of vectors that `find_least_cosine` compares."""

Vectors = NDArray[np.float32]


def has_enough_vectors(known: NDArray[np.bool_], lengths: Sequence[int] | NDArray[np.int_]) -> bool:
    """Return whether the vectors cover enough of a document's characters to be useful.

    Args:
        known: (segments,): whether the segment has a nonzero vector.
        lengths: lengths of the segments in code points.
    """
    signs = np.asarray(lengths)
    return bool(signs[known].sum() >= LEAST_KNOWN * signs.sum())


@dataclass(frozen=True, slots=True)
class Tokens:
    """The token vectors, of unit length, of a selection and of the rest of its sentences.

    Attributes:
        emphasis: weights (tokens,): 1 for a selected token, less for the others.
        words: the word of each token, or "".
    """

    vectors: Vectors
    emphasis: Vectors
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class SelectionVectors:
    """The vectors of a selection of text: one vector and, if available, its token vectors.

    Attributes:
        of_sentences: whether `vector` is that of the selection's whole sentences.
    """

    vector: Vectors
    tokens: Tokens | None = None
    of_sentences: bool = False


def blend_with_sentence(selection: Vectors, home: Vectors) -> SelectionVectors | None:
    """Add part of a sentence's vector to a selection's vector; None without a selection vector."""
    vector = selection + np.float32(SENTENCE) * home
    return SelectionVectors(_normalize(vector)) if selection.any() else None


def average_sentences(vectors: Vectors) -> SelectionVectors | None:
    """Average the vectors of the sentences that a selection touches; None if all are zero."""
    return (
        SelectionVectors(_normalize(vectors.sum(axis=0)), of_sentences=True)
        if vectors.any()
        else None
    )


def pool_tokens(
    tokens: TokenBank, starts: Sequence[int], *, selection: Span, words: Sequence[Word]
) -> SelectionVectors | None:
    """Average the contextual vectors of the selected tokens; None if there are no tokens.

    Args:
        tokens: token vectors of the sentences that the selection touches.
        starts: offset of each of these sentences in its document.
        selection: span in the document; if it contains no token, all tokens are used.
        words: words of these sentences, in order, with offsets in the document.
    """
    shift = np.repeat(np.array(starts, np.int64), np.diff(tokens.bounds))
    first, last = tokens.starts + shift, tokens.ends + shift
    own = (first < selection.end) & (last > selection.start)
    if not own.any():
        own[:] = True
    rows = normalise_rows(tokens.vectors)
    if not rows[own].any():
        return None
    kept = np.argsort(~own, kind="stable")[:MOST_TOKENS]
    emphasis = np.where(own[kept], 1, REST).astype(np.float32)
    chosen = Tokens(rows[kept], emphasis, _find_words(words, first[kept].tolist()))
    return SelectionVectors(_normalize(rows[own].sum(axis=0)), chosen)


def find_least_cosine(*sides: Vectors) -> float:
    """Estimate the smallest cosine between the vectors of unrelated texts in a model, in [0, 1].

    Many models give no two texts a cosine below about 0.6; only values above mean a similarity.

    `sides`: rows of unit length; rows of zeros are ignored, and too few rows return 0.
    """
    rows = np.concatenate([_sample_rows(side[side.any(axis=1)]) for side in sides])
    return max(0.0, float((rows @ rows.T).min())) if len(rows) >= _FEWEST else 0.0


def _sample_rows(rows: Vectors) -> Vectors:
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST)).astype(np.intp)]


def _normalize(vector: Vectors) -> Vectors:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


def _find_words(words: Sequence[Word], places: Sequence[int]) -> list[str]:
    """Return the word at each offset, or "". In scripts without spaces, a word is one character."""
    starting: dict[int, Word] = {}
    for word in words:
        starting.setdefault(word.start, word)
    starts = list(starting)
    found: list[str] = []
    for place in places:
        before = bisect_right(starts, place)
        near = starting[starts[before - 1]] if before else None
        found.append(near.text if near and near.end > place else "")
    return found
