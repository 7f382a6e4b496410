"""Runs a BERT model with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_ROWS_AT_ONCE: Final = 16
"""Number of rows whose activations stay in the cache of a processor."""
_LARGEST: Final = 4.0
"""Argument from which the error function is 1 in single precision."""
_NUMERATOR: Final = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
    -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_DENOMINATOR: Final = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
    -1.42647390514189e-02,
)  # fmt: skip
"""Coefficients of a rational approximation of the error function.

Source: function `generic_fast_erf` of the library Eigen.
"""


@dataclass(frozen=True, slots=True)
class NumpyBert:
    """A BERT model whose tensors have the names of the library transformers."""

    tensors: Mapping[str, Floats]
    layers: int
    heads: int
    epsilon: float

    def __call__(self, ids: NDArray[np.int64], lengths: NDArray[np.int32]) -> Floats:
        """Return the states (rows, size, dimensions) of the last layer.

        Args:
            ids: word pieces (rows, size), padded on the right.
            lengths: number of word pieces of each row.
        """
        import numpy as np

        rows, size = ids.shape
        padding = np.where(np.arange(size) < lengths[:, None], 0, -np.inf).astype(np.float32)
        words, places, types = (
            self.tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        states = self._normalize("embeddings", words[ids] + (places[:size] + types[0]))
        states = states.reshape(rows * size, -1)
        for index in range(self.layers):
            layer = f"encoder.layer.{index}"
            seen = self._attend(f"{layer}.attention.self", states, padding)
            states = self._add_dense(f"{layer}.attention.output", seen, states)
            wide = self._multiply(f"{layer}.intermediate.dense", states)
            for first in range(0, len(wide), _ROWS_AT_ONCE):
                apply_gelu(wide[first : first + _ROWS_AT_ONCE])
            states = self._add_dense(f"{layer}.output", wide, states)
        return states.reshape(rows, size, -1)

    def _multiply(self, name: str, states: Floats) -> Floats:
        found: Floats = states @ self.tensors[f"{name}.weight"].T
        found += self.tensors[f"{name}.bias"]
        return found

    def _add_dense(self, name: str, states: Floats, added: Floats) -> Floats:
        found = self._multiply(f"{name}.dense", states)
        found += added
        return self._normalize(name, found)

    def _normalize(self, name: str, states: Floats) -> Floats:
        import numpy as np

        states -= states.mean(axis=-1, keepdims=True)
        variance = np.einsum("...d,...d->...", states, states)[..., None] / states.shape[-1]
        states *= 1 / np.sqrt(variance + self.epsilon)
        states *= self.tensors[f"{name}.LayerNorm.weight"]
        states += self.tensors[f"{name}.LayerNorm.bias"]
        return states

    def _attend(self, name: str, states: Floats, padding: Floats) -> Floats:
        import numpy as np

        rows, size = padding.shape
        queries, keys, values = (
            self._multiply(f"{name}.{part}", states)
            .reshape(rows, size, self.heads, -1)
            .swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        scores: Floats = queries @ keys.swapaxes(2, 3)
        scores *= np.float32(queries.shape[-1] ** -0.5)
        scores += padding[:, None, None]
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        found: Floats = (scores @ values).swapaxes(1, 2).reshape(rows * size, -1)
        return found


def apply_gelu(values: Floats) -> None:
    """Replace values x by their exact GELU, x * (1 + erf(x / sqrt(2))) / 2, in place."""
    import numpy as np

    scaled = np.clip(values * np.float32(0.5**0.5), -_LARGEST, _LARGEST)
    squares = scaled * scaled
    scaled *= _evaluate(_NUMERATOR, squares)
    scaled /= _evaluate(_DENOMINATOR, squares)
    scaled += 1
    values *= scaled
    values *= 0.5


def _evaluate(coefficients: tuple[float, ...], values: Floats) -> Floats:
    """Return the values of a polynomial, given its coefficients from the highest power."""
    found = values * coefficients[0]
    for coefficient in coefficients[1:-1]:
        found += coefficient
        found *= values
    found += coefficients[-1]
    return found
