"""A sentence-transformers model at work: rows of word pieces in, vectors out; never a network.

The one place of the project that loads torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.embedders.pieces import Cutter
from tui_annotate.plugins.embedders.weights import INSTALL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.plugins.embedders.weights import Weights

_PROMPTS = ("document", "passage", "corpus")
_QUIET = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def need_library() -> None:
    """Looks for what an encoder loads, and loads nothing.

    Raises:
        Unavailable: it is missing; the hint has the lines that install it.
    """
    for name in ("sentence_transformers", "torch"):
        if find_spec(name) is None:
            raise Unavailable(f"neural vectors need {name}, which is missing", INSTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """What is encoded at once.

    Attributes:
        ids: word pieces, those of the prompt first, without those that the model frames them with.
        prompt: how many are of the prompt.
        told: the indices into `ids` of the pieces whose vectors are wanted.
    """

    ids: Sequence[int]
    prompt: int
    told: Sequence[int]


class Encoder:
    """A model and the rules by which it cuts texts.

    Raises:
        Unavailable: sentence-transformers is missing, or the model can not be used.

    Attributes:
        room: word pieces that a row may hold.
        dimensions: of every vector.
    """

    def __init__(self, weights: Weights) -> None:
        with _offline():
            self._model = _loaded(weights)
        tokenizer = self._model.tokenizer
        self._pad = int(tokenizer.pad_token_id or 0)
        self._left = tokenizer.padding_side == "left"
        self.cutter = Cutter(
            tokenizer.backend_tokenizer.to_str(),
            prompt=self._prompt(),
            unknown=tokenizer.unk_token_id,
        )
        framing = len(self.cutter.before) + len(self.cutter.after)
        self.room = min(int(self._model.max_seq_length or 512), 100_000) - framing
        self.dimensions = int(self._model.get_embedding_dimension())

    def _prompt(self) -> str:
        """What the model wants to stand before a text that is kept to be found."""
        prompts = self._model.prompts
        names = (*_PROMPTS, self._model.default_prompt_name)
        return next((str(prompts[name]) for name in names if prompts.get(name)), "")

    def encode(
        self, rows: Sequence[Row], axes: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Of one pass over a batch: a vector a row, and those of the told pieces, row after row.

        Both have unit length. The pieces' are brought to `axes`, where there are any.
        """
        import torch

        features, wanted = self._features(rows)
        with torch.inference_mode():
            found = self._model(features)
            pooled = torch.nn.functional.normalize(found["sentence_embedding"].float(), dim=1)
            pieces = self._aligned(found["token_embeddings"][wanted])
            if axes is not None:
                pieces = pieces @ torch.from_numpy(axes).to(pieces.device)
        return pooled.cpu().numpy(), pieces.cpu().numpy()

    def _features(self, rows: Sequence[Row]) -> tuple[dict[str, Any], Any]:
        """What the model is given, and where in it the told pieces stand."""
        import torch

        before, after = self.cutter.before, self.cutter.after
        size = max(len(row.ids) for row in rows) + len(before) + len(after)
        ids = torch.full((len(rows), size), self._pad)
        mask = torch.zeros((len(rows), size), dtype=torch.long)
        wanted = torch.zeros((len(rows), size), dtype=torch.bool)
        for at, row in enumerate(rows):
            framed = [*before, *row.ids, *after]
            start = size - len(framed) if self._left else 0
            ids[at, start : start + len(framed)] = torch.tensor(framed)
            mask[at, start : start + len(framed)] = 1
            if row.told:
                wanted[at, torch.tensor(row.told) + start + len(before)] = True
        device = self._model.device
        features: dict[str, Any] = {"input_ids": ids.to(device), "attention_mask": mask.to(device)}
        if rows[0].prompt:
            features["prompt_length"] = len(before) + rows[0].prompt
        return features, wanted.to(device)

    def _aligned(self, pieces: Any) -> Any:
        """Vectors of pieces, taken through all that the model does to a pooled vector."""
        import torch

        features = {"sentence_embedding": pieces.float()}
        for module in list(self._model)[2:]:
            features = module(features)
        return torch.nn.functional.normalize(features["sentence_embedding"], dim=1)


def _loaded(weights: Weights) -> Any:
    """The model, ready to encode, in single precision.

    Raises:
        Unavailable: the library is missing, or the folder is not what it can use.
    """
    try:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers.utils import logging
    except ImportError as error:
        raise Unavailable(f"neural vectors need sentence-transformers: {error}", INSTALL) from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        model = SentenceTransformer(
            str(weights.folder), local_files_only=True, model_kwargs={"use_safetensors": True}
        )
    except (SafetensorError, AttributeError, ImportError, LookupError, OSError) as error:
        raise _unusable(weights, error) from error
    except (RuntimeError, TypeError, ValueError) as error:
        raise _unusable(weights, error) from error
    parts = list(model)
    if len(parts) < 2 or not (isinstance(parts[0], Transformer) and isinstance(parts[1], Pooling)):
        names = ", ".join(type(part).__name__ for part in parts)
        raise Unavailable(
            f"the model {weights.label!r} is made of {names}",
            "a transformer with pooling is needed",
        )
    if not getattr(model.tokenizer, "is_fast", False):
        raise Unavailable(
            f"the model {weights.label!r} can not tell where its word pieces stand",
            "take one with a tokenizer.json",
        )
    return model.float().eval()


def _unusable(weights: Weights, error: Exception) -> Unavailable:
    return Unavailable(
        f"the model in {weights.folder} can not be loaded: {error}", "fetch or copy it again"
    )


@contextmanager
def _offline() -> Iterator[None]:
    """While libraries load, what they read of their environment forbids them the network."""
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(_QUIET)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
