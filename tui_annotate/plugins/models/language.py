"""Local transformers models for scorers: states of a text's last token, and rewards; no network.

Beside the embedder's encoder the one place that loads torch. Folders that could run code are
refused, and so is what is no such model.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.models.folders import check, sha256

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL: Final = (
    "first PyTorch's CPU build, as its installation guide says, or gigabytes of CUDA come along;"
    " then: pip install 'tui-annotate[neural]'"
)
_QUIET: Final = {
    "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
}  # fmt: skip
_DECIDING: Final = {"config.json", "tokenizer.json", "tokenizer_config.json", "tokenizer.model"}
_LONGEST: Final = 4096
"""Tokens of a text that are looked at, the last ones; fewer where the model takes fewer."""


def fingerprint(folder: Path) -> str:
    """A hash of all that decides what a model says: weights, tokens, configuration."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name in _DECIDING or path.suffix == ".safetensors":
            whole.update(f"{path.name}\0{sha256(path)}\0".encode())
    return whole.hexdigest()


class _Local:
    """A model and its tokens.

    Raises:
        InvalidInput: no folder is named.
        Unavailable: libraries are missing, or the folder holds nothing that they can use safely.

    Attributes:
        folder: in full.
        sha256: its fingerprint.
    """

    _kind = "AutoModel"

    def __init__(self, folder: str) -> None:
        if not folder:
            raise InvalidInput("no model is named", "name its folder, the one with config.json")
        self.folder = Path(os.path.expanduser(folder)).resolve()  # noqa: PTH111  raises for some
        if not self.folder.is_dir():
            raise Unavailable(f"there is no folder {self.folder}", "name the one with config.json")
        check(self.folder)
        self.sha256 = fingerprint(self.folder)
        with _offline():
            self._tokenizer, self._model = _loaded(self.folder, self._kind)
        most = getattr(self._model.config, "max_position_embeddings", None)
        self._most = min(most, _LONGEST) if isinstance(most, int) and most > 0 else _LONGEST

    def _ids(self, text: str) -> Any:
        """(1, tokens): those of a text, the last ones where there are too many."""
        import torch

        ids = self._tokenizer(text)["input_ids"][-self._most :]
        if not ids:
            raise InvalidInput("a text without a token can not be looked at", "leave it out")
        return torch.tensor([ids])


class LanguageModel(_Local):
    """A model whose states are looked at.

    Attributes:
        layers: that it has; the first is called 1.
        size: of a state.
    """

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.layers = int(self._model.config.num_hidden_layers)
        self.size = int(self._model.config.hidden_size)

    def states(self, text: str) -> NDArray[np.float32]:
        """(layers, size): behind each layer, the state of the text's last token."""
        import torch

        with torch.inference_mode():
            found = self._model(input_ids=self._ids(text), output_hidden_states=True)
            states = torch.stack([layer[0, -1] for layer in found.hidden_states[1:]])
        array: NDArray[np.float32] = states.float().cpu().numpy()
        return array


class RewardModel(_Local):
    """A model with one number for an answer.

    Raises:
        Unavailable: it has not one number, but several.
    """

    _kind = "AutoModelForSequenceClassification"

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        if self._model.config.num_labels != 1:
            raise Unavailable(
                f"the model in {self.folder} has {self._model.config.num_labels} outputs, not one",
                "name a reward model: one for sequence classification with num_labels 1",
            )

    def reward(self, question: str, answer: str) -> float:
        """How good an answer is; chat models get both as they expect them, others a line each."""
        import torch

        with torch.inference_mode():
            logits = self._model(input_ids=self._ids(self._joined(question, answer))).logits
        return float(logits[0, 0])

    def _joined(self, question: str, answer: str) -> str:
        if not getattr(self._tokenizer, "chat_template", None):
            return f"{question}\n{answer}"
        turns = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        return str(self._tokenizer.apply_chat_template(turns, tokenize=False))


def _loaded(folder: Path, kind: str) -> tuple[Any, Any]:
    """The tokenizer and the model, ready to work.

    Raises:
        Unavailable: the libraries are missing, or the folder is not what they can use.
    """
    try:
        import transformers
        from safetensors import SafetensorError
        from transformers.utils import logging
    except ImportError as error:
        raise Unavailable(f"local models need transformers: {error}", INSTALL) from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    safe: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **safe)
        model = getattr(transformers, kind).from_pretrained(
            str(folder), use_safetensors=True, dtype="auto", **safe
        )
    except (SafetensorError, AttributeError, ImportError, LookupError, OSError) as error:
        raise _unusable(folder, error) from error
    except (RuntimeError, TypeError, ValueError) as error:
        raise _unusable(folder, error) from error
    return tokenizer, model.eval()


def _unusable(folder: Path, error: Exception) -> Unavailable:
    told = " ".join(str(error).split())[:300]
    return Unavailable(f"the model in {folder} can not be loaded: {told}", "fetch or copy it again")


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
