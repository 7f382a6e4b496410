"""Runs all-MiniLM-L6-v2 with onnxruntime, or with NumPy if onnxruntime is not installed.

Both engines compute the vectors that sentence-transformers computes, without PyTorch. The file
`minilm.onnx` contains the graph of the model without weights; the script
`tests/plugins/embedders/minilm_graph.py` builds this file.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.embedders.encoder import EncoderInput, WordPieceCutter, normalize
from tui_annotate.plugins.model_weights import INSTALL_DEFAULT, ModelFolder
from tui_annotate.settings.environment import forbid_telemetry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Engine = Callable[[NDArray[np.int64], NDArray[np.int32]], Floats]
    """Function of word-piece ids (rows, size) and of the length of each row.

    It returns the states (rows, size, 384) of the last layer; states behind the end of a row have
    no meaning.
    """

_log = logging.getLogger(__name__)

FINGERPRINT: Final = "0f2099429b538261f372865f6502a90893929208710d93ef98b6a5302624c638"
"""Fingerprint of the model folder that this module can run."""
GRAPH: Final = Path(__file__).with_name("minilm.onnx")
LAYERS: Final = 6
HEADS: Final = 12
EPSILON: Final = 1e-12
"""Number that layer normalization adds to the variance."""

_MAX_THREADS = 8
"""Limit of threads on large machines; each thread needs about 25 MB."""
_MIN_PIECES = 128
_MAX_PIECES = 1_024
_UNKNOWN = 100  # id of the word piece [UNK]; [PAD] is 0


class MiniLmEncoder:
    """The loaded model and its tokenizer; it encodes at most `row_size` word pieces.

    Raises:
        Unavailable: the package tokenizers is missing.
    """

    dimensions = 384

    def __init__(self, weights: ModelFolder) -> None:
        rules = (weights.folder / "tokenizer.json").read_text("utf-8")
        try:
            self.cutter = WordPieceCutter(rules, unknown=_UNKNOWN)
        except ImportError as error:
            message = f"the model {weights.label!r} needs the package tokenizers: {error}"
            raise Unavailable(message, f"run: {INSTALL_DEFAULT}") from error
        limits = json.loads((weights.folder / "sentence_bert_config.json").read_text("utf-8"))
        self.row_size = limits["max_seq_length"] - len(self.cutter.before + self.cutter.after)
        self._compute_states, self._threads = start_engine(weights.folder / "model.safetensors")

    def encode(self, rows: Sequence[EncoderInput], axes: Floats | None) -> tuple[Floats, Floats]:
        """Encode a batch of texts like `Encoder.encode`."""
        import numpy as np

        framed = [[*self.cutter.before, *row.ids, *self.cutter.after] for row in rows]
        lengths = np.array([len(row) for row in framed], np.int32)
        ids = np.zeros((len(rows), lengths.max()), np.int64)
        for at, row in enumerate(framed):
            ids[at, : len(row)] = row
        states = self._compute_states(ids, lengths)
        sums = [own[:end].sum(axis=0) for own, end in zip(states, lengths, strict=True)]
        wanted = [(at, place) for at, row in enumerate(rows) for place in row.wanted]
        where = np.array(wanted, np.int64).reshape(-1, 2)
        pieces = normalize(states[where[:, 0], where[:, 1] + len(self.cutter.before)])
        return normalize(np.stack(sums)), pieces if axes is None else pieces @ axes

    def encode_sorted(
        self, rows: Sequence[EncoderInput], axes: Floats | None
    ) -> Iterator[tuple[slice, Floats, Floats]]:
        """Encode texts of ascending sizes in batches like `Encoder.encode_sorted`."""
        batches = [*split_batches([len(row.ids) for row in rows])]
        inputs = [rows[own] for own in batches]
        with ThreadPoolExecutor(self._threads) as pool:
            done = pool.map(lambda batch: self.encode(batch, axes), inputs)
            for own, (vectors, pieces) in zip(batches, done, strict=True):
                yield own, vectors, pieces


def split_batches(sizes: Sequence[int]) -> Iterator[slice]:
    """Split rows of ascending sizes into batches that need little padding.

    A batch with at least 128 word pieces gets no longer rows. No batch but that of a single row has
    more than 1,024 word pieces. Measured: fixed batches of 32 sentences are 1.15 times slower.
    """
    first = 0
    for at, size in enumerate(sizes):
        count = at - first
        is_full = (count + 1) * size > _MAX_PIECES
        if count and (is_full or (size > sizes[first] and count * sizes[at - 1] >= _MIN_PIECES)):
            yield slice(first, at)
            first = at
    if sizes:
        yield slice(first, len(sizes))


def start_engine(weights: Path) -> tuple[Engine, int]:
    """Return an engine, and the number of threads that should call it at the same time.

    Args:
        weights: a safetensors file, which is mapped into memory.
    """
    tensors = map_tensors(weights)
    try:
        return start_onnxruntime(tensors), _count_threads()
    except ImportError:
        pass
    except Exception as error:  # noqa: BLE001  onnxruntime's errors share no base class
        _log.warning("onnxruntime cannot run all-MiniLM-L6-v2, so NumPy is used: %s", error)
    return start_numpy(tensors), 1  # NumPy starts threads itself


def start_numpy(tensors: Mapping[str, Floats]) -> Engine:
    """Return the engine that computes with NumPy, for machines without onnxruntime."""
    from tui_annotate.plugins.embedders.numpy_bert import NumpyBert

    return NumpyBert(tensors, layers=LAYERS, heads=HEADS, epsilon=EPSILON)


def map_tensors(path: Path) -> dict[str, Floats]:
    """Map a file of the format safetensors into memory: its 32-bit arrays, by name."""
    import numpy as np

    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, about in json.loads(content[8:start]).items():
        if about.get("dtype") == "F32" and not name.startswith("pooler."):
            first, end = (start + offset for offset in about["data_offsets"])
            flat = np.frombuffer(content, "<f4", (end - first) // 4, first)
            tensors[name] = flat.reshape(about["shape"])
    return tensors


def start_onnxruntime(tensors: Mapping[str, Floats]) -> Engine:
    """Return the engine that computes with onnxruntime, one thread for each batch."""
    import numpy as np

    forbid_telemetry()
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 3
    # Each thread computes its own batch. Measured: two threads that share the work of a batch use
    # 1.1 times the processor time, and more if they wait for each other in a loop.
    options.intra_op_num_threads = 1
    values = [OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    options.add_external_initializers([*tensors], values)
    session = InferenceSession(str(GRAPH), options, providers=["CPUExecutionProvider"])

    def run(ids: NDArray[np.int64], lengths: NDArray[np.int32]) -> Floats:
        positions = np.arange(ids.shape[1])[None]
        inputs = {"ids": ids, "positions": positions, "lengths": lengths}
        states: Floats = session.run(None, inputs)[0]
        return states

    return run


def _count_threads() -> int:
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    # Not on macOS and Windows.
    own = getattr(os, "sched_getaffinity", None)
    return min(len(own(0)) if own else os.cpu_count() or 1, _MAX_THREADS)
