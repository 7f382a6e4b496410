"""Vectors of a selection: embedded now, or from stored tokens, or from stored sentences.

Source of the second: the mean of a span's tokens in their context, of the kinds compared by S.
Toshniwal et al., "A Cross-Task Analysis of Text Span Representations", RepL4NLP 2020.
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
"""Weight of the sentence's vector, where the selection's has 1 and both are embedded now."""

REST = 0.05
"""Weight of a token of the sentence that is not selected; a selected one has 1."""

MOST_TOKENS = 256
"""Tokens that late interaction looks at: more would be felt at the keys."""

LEAST_KNOWN = 0.9
"""Share of a document's signs that must have vectors; below it, they mislead more than they help.
"""

_FEWEST, _MOST = 6, 64
"""Rows that tell something of a model, and those that are looked at."""

Vectors = NDArray[np.float32]


def has_enough_vectors(known: NDArray[np.bool_], lengths: Sequence[int] | NDArray[np.int_]) -> bool:
    """Whether a model knows enough of a document for its vectors to be used.

    Args:
        known: (segments,): which have a vector other than zeros.
        lengths: of the segments, in code points.
    """
    signs = np.asarray(lengths)
    return bool(signs[known].sum() >= LEAST_KNOWN * signs.sum())


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a selection and of the rest of its sentences, rows of unit length.

    Attributes:
        emphasis: (tokens,), 1 if selected, else less.
        words: the word of each token, or "".
    """

    vectors: Vectors
    emphasis: Vectors
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class SelectionVectors:
    """The vectors of a selection; `vector` may be that of its whole sentences."""

    vector: Vectors
    tokens: Tokens | None = None
    of_sentences: bool = False


def blend_with_sentence(selection: Vectors, home: Vectors) -> SelectionVectors | None:
    """A selection's own vector with some of its sentence's; None where it is all zeros."""
    vector = selection + np.float32(SENTENCE) * home
    return SelectionVectors(_normalize(vector)) if selection.any() else None


def average_sentences(vectors: Vectors) -> SelectionVectors | None:
    """The mean of the vectors of the sentences that are touched; None where all are zeros."""
    return (
        SelectionVectors(_normalize(vectors.sum(axis=0)), of_sentences=True)
        if vectors.any()
        else None
    )


def pool_tokens(
    tokens: TokenBank, starts: Sequence[int], *, selection: Span, words: Sequence[Word]
) -> SelectionVectors | None:
    """The mean of the selected tokens, each made in its sentence; None where there is no token.

    Args:
        tokens: of the sentences that are touched.
        starts: where each of these sentences starts in its document.
        selection: in code points of the document; without a token in it, all of them stand for it.
        words: of these sentences, in order, their places in code points of the document.
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
    """What even unrelated rows have in common, not negative; 0 where there are too few to tell.

    Many models give no two texts a cosine under .6 or so: a likeness begins above that.

    Args:
        sides: rows of unit length, or of zeros, which do not count.
    """
    rows = np.concatenate([_sample_rows(side[side.any(axis=1)]) for side in sides])
    return max(0.0, float((rows @ rows.T).min())) if len(rows) >= _FEWEST else 0.0


def _sample_rows(rows: Vectors) -> Vectors:
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST)).astype(np.intp)]


def _normalize(vector: Vectors) -> Vectors:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


def _find_words(words: Sequence[Word], places: Sequence[int]) -> list[str]:
    """The word that stands at each place; the shortest, where signs and their pairs are words."""
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
