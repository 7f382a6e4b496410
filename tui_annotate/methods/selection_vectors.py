"""Vectors of a selected text: newly computed, or means of stored vectors.

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
"""Weight with which a sentence's vector is added to that of a selected part of it."""

REST = 0.05
"""Weight of the unselected tokens of a selection's sentences; selected tokens have 1."""

MOST_TOKENS = 256
"""Maximum number of tokens to compare of a selected text; more would be slow."""

LEAST_KNOWN = 0.9
"""Minimum fraction of a document's text that needs vectors before it is ranked by vectors."""

_FEWEST = 6
"""Minimum number of vectors from which a model's lowest cosine is estimated."""
_MOST = 64
"""Maximum number of vectors of each side from which a model's lowest cosine is estimated."""

Vectors = NDArray[np.float32]


def has_enough_vectors(known: NDArray[np.bool_], lengths: Sequence[int] | NDArray[np.int_]) -> bool:
    """Return whether enough of a document's characters have vectors to rank by vectors."""
    signs = np.asarray(lengths)
    return bool(signs[known].sum() >= LEAST_KNOWN * signs.sum())


@dataclass(frozen=True, slots=True)
class Tokens:
    """The token vectors, of unit length, of a selected text and the rest of its sentences."""

    vectors: Vectors
    emphasis: Vectors
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class SelectionVectors:
    """The vector of a selected text or of its sentences, with its token vectors, if any."""

    vector: Vectors
    tokens: Tokens | None = None
    of_sentences: bool = False


def blend_with_sentence(selection: Vectors, home: Vectors) -> SelectionVectors | None:
    """Add a part of its sentence's vector to that of a selection; None for a selection of zeros."""
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
    """Average the vectors of the selected tokens; None if there are no tokens.

    Args:
        tokens: token vectors of the sentences that the selection touches.
        starts: offset of each of these sentences in its document.
        selection: span in the document; if it contains no token, all tokens are used.
        words: words of these sentences, in order, with offsets in the document.
    """
    shift = np.repeat(np.array(starts, np.int64), np.diff(tokens.bounds))
    first = tokens.starts + shift
    last = tokens.ends + shift
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
    """Estimate the smallest cosine between unrelated texts in an embedding model, in [0, 1].

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
    """Return the word at each offset, or ""; in scripts without spaces, one character."""
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
