"""The embedder `trigrams`: vectors of hashed character trigrams, which need no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from tui_annotate.plugins.protocols import EmbedderOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TrigramEmbedder:
    """Counts the character trigrams of a text in 256 buckets.

    `version` must change with each change of this class that changes a vector.
    """

    name = "trigrams"
    label = "hashed character trigrams"
    version = "1"
    dimensions = 256
    instant = True

    def __init__(self, options: EmbedderOptions) -> None:
        """Take no options; an embedder with a model reads its name from `options.model`."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array (n, 256) of unit rows; a text of fewer than 3 characters has zeros."""
        import numpy as np  # imported at the first use, so that commands start quickly

        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            folded = text.casefold()
            for start in range(len(folded) - 2):
                trigram = folded[start : start + 3].encode("utf-8", "surrogatepass")
                vectors[row, crc32(trigram) % self.dimensions] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        scaled: NDArray[np.float32] = vectors / np.maximum(lengths, 1)
        return scaled
