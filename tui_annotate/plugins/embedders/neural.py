"""Embedder for local sentence-transformers models; it computes vectors only during an import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.plugins.embedders.encoder import (
    LONG,
    WINDOW,
    Encoder,
    EncoderInput,
    PieceWindow,
    WordPieces,
    normalize,
    split_windows,
)
from tui_annotate.plugins.embedders.minilm import FINGERPRINT, MiniLmEncoder
from tui_annotate.plugins.model_weights import find_weights
from tui_annotate.plugins.protocols import EmbedderOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank

RECIPE = "1"
"""Version of the code that computes vectors. Increase it if the computed vectors change."""
TOKEN_DIMENSIONS = 128


class NeuralEmbedder:
    """Embedder that computes vectors of texts and of word pieces with a local transformer model.

    The model all-MiniLM-L6-v2 runs without PyTorch; other models need sentence-transformers. The
    version of vectors depends on the model alone, not on the library that computes them.

    Raises:
        Unavailable: a library or the weights are missing or unusable.
    """

    name = "neural"
    instant = False

    def __init__(self, options: EmbedderOptions | None = None) -> None:
        weights = find_weights((options or EmbedderOptions()).model)
        self.label = weights.label
        fingerprint = weights.fingerprint()
        self.version = _make_version(fingerprint)
        self._encoder = (MiniLmEncoder if fingerprint == FINGERPRINT else Encoder)(weights)
        self.dimensions = self._encoder.dimensions
        self.token_dimensions = min(TOKEN_DIMENSIONS, self.dimensions)

    @cached_property
    def axes(self) -> NDArray[np.float32]:
        """Principal axes on which vectors of word pieces are projected to make them shorter.

        They are computed from fixed English and Chinese sentences in `axes.txt`, so they depend
        only on the model, and all vector tables of a version share them. Measured: with 128
        dimensions the matches do not get worse.
        """
        import numpy as np

        cut = self._encoder.cutter.cut(_load_sentences())
        sizes = [(own, len(own.ids)) for own in cut if own.ids]
        rows = [_make_input(own, PieceWindow(0, size, 0, size), wanted=True) for own, size in sizes]
        rows.sort(key=lambda row: len(row.ids))
        made = [np.zeros((0, self.dimensions), np.float32)]
        made += [found for _, _, found in self._encoder.encode_sorted(rows, None)]
        spread = np.concatenate(made).astype(np.float64)
        _, found = np.linalg.eigh(spread.T @ spread)
        axes = found[:, ::-1][:, : self.token_dimensions]
        largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
        return np.ascontiguousarray(axes * np.sign(largest), np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of unit length for each text: an array (texts, dimensions).

        The row is zero if fewer than 90 % of a text's characters have a word piece. Only the first
        20,000 code points of a text are used. The vector of a text with more than 200 word pieces
        is the mean of the vectors of its windows.
        """
        return self._make_vectors(self._encoder.cutter.cut(texts), None)[0]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """Return `embed`'s vectors, and those of word pieces that have a letter or digit."""
        import numpy as np

        from tui_annotate.methods.late_interaction import TokenBank

        pieces = self._encoder.cutter.cut(texts)
        vectors, tokens = self._make_vectors(pieces, self.axes)
        spans = [own.spans[at] for own in pieces for at in own.known]
        starts, ends = np.array(spans, np.int32).reshape(-1, 2).T
        bounds = np.cumsum([0, *(len(own.known) for own in pieces)], dtype=np.int64)
        return vectors, TokenBank(tokens, bounds, starts.copy(), ends.copy())

    def _make_vectors(
        self, pieces: Sequence[WordPieces], axes: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        import numpy as np

        rows = [
            (text, _make_input(own, window, wanted=axes is not None))
            for text, own in enumerate(pieces)
            for window in self._split(own)
        ]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at][1].ids))
        pooled = np.zeros((len(pieces), self.dimensions), np.float32)
        tokens = [np.zeros((0, self.token_dimensions), np.int8)] * (len(rows) + 1)
        done = self._encoder.encode_sorted([rows[at][1] for at in order], axes)
        for own, vectors, found in done:
            batch = order[own]
            np.add.at(pooled, [rows[at][0] for at in batch], vectors)
            if axes is not None:
                ends = np.cumsum([len(rows[at][1].wanted) for at in batch])
                for at, part in zip(batch, np.split(_quantise(found), ends[:-1]), strict=True):
                    tokens[at] = part
        return normalize(pooled), np.concatenate(tokens)

    def _split(self, own: WordPieces) -> list[PieceWindow]:
        most = max(self._encoder.row_size - len(own.prompt), 2)
        return split_windows(len(own.ids), long=min(LONG, most), size=min(WINDOW, most))


def _make_version(weights: str) -> str:
    recipe = "\n".join([RECIPE, str(TOKEN_DIMENSIONS), *_load_sentences()])
    return f"{weights[:12]}-{sha256(recipe.encode()).hexdigest()[:6]}"


def _load_sentences() -> list[str]:
    return (Path(__file__).parent / "axes.txt").read_text("utf-8").splitlines()


def _make_input(own: WordPieces, window: PieceWindow, *, wanted: bool) -> EncoderInput:
    shift = len(own.prompt) - window.first
    indices = [at + shift for at in own.known if window.own <= at < window.until] if wanted else []
    ids = (*own.prompt, *own.ids[window.first : window.last])
    return EncoderInput(ids, len(own.prompt), indices)


def _quantise(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Round vectors to int8; each vector is scaled so that its largest magnitude becomes 127."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    whole: NDArray[np.int8] = np.rint(vectors * (127 / largest)).astype(np.int8)
    return whole
