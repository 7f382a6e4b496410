"""Embedder with the static word vectors of the package wordllama; it uses no network.

This module reads the two data files of wordllama itself, once per process. The loader of wordllama
searches the internet for its files, configures logging for the whole process, and copies the table.
Here the table is memory-mapped, so that all processes of a machine share one copy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.unicode_text import replace_lone_surrogates
from tui_annotate.plugins.protocols import EmbedderOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HINT = (
    "run pip install 'wordllama>=0.4' (not available for Linux on ARM and for Python 3.14; without"
    " wordllama the assist is lexical only)"
)
_LONGEST = 20_000
_AT_ONCE = 128
_NO_BATCH = 4
# The ids 3 to 258 are single bytes of unknown characters; a first byte is 0xC0 or larger.
_FIRST_LEAD = 3 + 0xC0
"""First id of word pieces that start an unknown character."""
_FIRST_PIECE = 3 + 0x100
"""First id of word pieces with known text."""


class StaticEmbedder:
    """Embedder that averages the vectors of a text's word pieces, scaled to unit length.

    Raises:
        Unavailable: wordllama is not installed, or has other data files than expected.
    """

    name = "static"
    label = "static vectors"
    instant = True
    least_known = 0.9
    """Minimum proportion of a text's characters with a word piece; below it, no vector."""

    def __init__(self, _options: EmbedderOptions | None = None) -> None:
        folder = _find_package()
        weights = _find_file(folder / "weights", "*_256.safetensors")
        pieces = _find_file(folder / "tokenizers", "*_tokenizer_config.json")
        self._table = _map_table(weights)
        self._pieces = _load_tokenizer(pieces)
        # Other data files give other vectors, so the version includes a hash of the files.
        digest = hashlib.sha256(weights.read_bytes() + pieces.read_bytes()).hexdigest()
        self.version = f"{_find_release()}-{digest[:12]}"
        self.dimensions = int(self._table.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of unit length for each text: an array (texts, dimensions).

        The row is zero if fewer than 90 % of a text's characters have a word piece, as in most
        Chinese texts: their vectors would mislead. Only the first 20,000 code points of a text are
        used.
        """
        import numpy as np

        made = np.zeros((len(texts), self.dimensions), np.float32)
        for first, ids in self._encode_batches(texts):
            counts = np.array([len(row) for row in ids])
            known = np.flatnonzero(counts)
            if len(known):
                rows = self._table[np.concatenate([ids[at] for at in known])].astype(np.float32)
                starts = np.concatenate([[0], np.cumsum(counts[known])[:-1]])
                made[first + known] = np.add.reduceat(rows, starts, axis=0)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        np.divide(made, lengths, out=made, where=lengths > 0)
        return made

    def _encode_batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[int, list[NDArray[np.int64]]]]:
        import numpy as np

        for first in range(0, len(texts), _AT_ONCE):
            cut = (text[:_LONGEST] for text in texts[first : first + _AT_ONCE])
            some = list(map(replace_lone_surrogates, cut))  # the tokenizer refuses them
            if len(some) <= _NO_BATCH:
                encoded = [self._pieces.encode(text, add_special_tokens=False) for text in some]
            else:
                encoded = self._pieces.encode_batch_fast(some, add_special_tokens=False)
            rows = (np.array(each.ids, np.int64) for each in encoded)
            yield first, [self._drop_unknown(*each) for each in zip(rows, some, strict=True)]

    def _drop_unknown(self, pieces: NDArray[np.int64], text: str) -> NDArray[np.int64]:
        """Return a text's word pieces; none if too many of the text's characters are unknown."""
        unknown = int(((pieces >= _FIRST_LEAD) & (pieces < _FIRST_PIECE)).sum())
        count = len("".join(text.split()))
        return pieces if count and count - unknown >= self.least_known * count else pieces[:0]


def _find_package() -> Path:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise Unavailable(
            "static vectors need the package wordllama, which is not installed", _HINT
        )
    return Path(spec.origin).parent


def _find_file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise Unavailable(f"the package wordllama has no file {pattern} in {folder}", _HINT)
    return found[0]


def _find_release() -> str:
    try:
        return version("wordllama")
    except PackageNotFoundError:
        return "0"


@cache
def _load_tokenizer(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise Unavailable(
            "static vectors need the package tokenizers, which is not installed", _HINT
        ) from error
    return Tokenizer.from_file(str(path))


@cache
def _map_table(path: Path) -> NDArray[np.float16]:
    """Open the vectors in a safetensors file memory-mapped, without reading the whole file."""
    import numpy as np

    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size)) if size < 100_000 else {}
    table = header.get("embedding.weight", {})
    if table.get("dtype") != "F16":
        raise Unavailable(f"the vectors in {path} are not 16-bit floating-point numbers", _HINT)
    start, _ = table["data_offsets"]
    return np.memmap(path, np.float16, "r", 8 + size + start, tuple(table["shape"]))
