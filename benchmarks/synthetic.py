"""A stand-in for a language model: as many numbers as a true one gives, in no time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.lexical import find_words

DIMENSIONS, TOKEN_DIMENSIONS = 384, 128
_NOISE = 0.5
"""How far a word's vector goes from its own with each place where it stands, as a part of it."""


class SyntheticEmbedder:
    """A `TokenEmbedder` that is not instant: a word's vector is drawn by lot, once.

    A segment's vector is the mean of its words', so that like segments have like vectors.
    """

    name = "neural"
    label = "synthetic vectors"
    version = "1"
    dimensions = DIMENSIONS
    token_dimensions = TOKEN_DIMENSIONS
    instant = False

    def __init__(self) -> None:
        self._chance = np.random.default_rng(7)
        drawn = self._chance.normal(size=(DIMENSIONS, TOKEN_DIMENSIONS))
        self.axes: NDArray[np.float32] = np.linalg.qr(drawn)[0].astype(np.float32)
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of some texts."""
        return self.embed_tokens(texts)[0]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """The vectors of some texts, and of the words in them; of neighbouring signs each one."""
        found = [_parted(text) for text in texts]
        bounds = np.cumsum([0, *map(len, found)])
        own = np.array([self._vector(word) for each in found for word, _, _ in each], np.float32)
        own += _NOISE * self._chance.normal(size=own.shape).astype(np.float32)
        own /= np.linalg.norm(own, axis=1, keepdims=True)
        means = np.add.reduceat(own, bounds[:-1]) @ self.axes.T
        places = np.array([place for each in found for _, *place in each], np.int32)
        bank = TokenBank(
            (own * 127 / np.abs(own).max(axis=1, keepdims=True)).round().astype(np.int8),
            bounds.astype(np.int64),
            places[:, 0],
            places[:, 1],
        )
        return means / np.linalg.norm(means, axis=1, keepdims=True), bank

    def _vector(self, word: str) -> NDArray[np.float32]:
        if word not in self._known:
            drawn = self._chance.normal(size=TOKEN_DIMENSIONS)
            self._known[word] = drawn.astype(np.float32)
        return self._known[word]


def _parted(text: str) -> list[tuple[str, int, int]]:
    """The words of a text, or all of it where there is none: no text here is without tokens."""
    found: list[tuple[str, int, int]] = []
    for word, start, end in find_words(text):
        if not found or start >= found[-1][2]:
            found.append((word, start, end))
    return found or [(text, 0, len(text))]
