"""Local transformers models for scorers: hidden states of a text, and rewards of answers.

Only this module and the embedder's encoder load torch. No module here uses the network. Folders
without a model, and folders that contain code to run, are refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.model_hub import offline
from tui_annotate.plugins.model_weights import check_model, hash_file, is_tokenizer_part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL: Final = (
    "install PyTorch's CPU build first (see its installation guide), otherwise pip downloads"
    " gigabytes of CUDA libraries; then: pip install 'tui-annotate[neural]'"
)
_HASHED_FILES: Final = {"config.json", "tokenizer.json", "tokenizer_config.json", "tokenizer.model"}
_LOAD_ERRORS: Final = (
    AttributeError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
BATCH: Final = 32
"""Maximum number of texts that a model reads at once."""
_MAX_TOKENS: Final = 4096
"""Maximum number of a text's last tokens that a model reads; a model may read fewer."""


def fingerprint(folder: Path) -> str:
    """Return a SHA-256 hash over a model's weights, tokenizer and configuration."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        is_hashed = path.name in _HASHED_FILES or path.suffix == ".safetensors"
        if is_hashed or is_tokenizer_part(path):
            whole.update(f"{path.name}\0{hash_file(path)}\0".encode())
    return whole.hexdigest()


class _LocalModel:
    _kind = "AutoModel"

    def __init__(self, folder: str) -> None:
        if not folder:
            raise InvalidInput(
                "no local model is named",
                "pass the folder of the model, which contains config.json",
                code="model-missing",
            )
        self.folder = Path(os.path.expanduser(folder)).resolve()  # noqa: PTH111  raises for some
        if not self.folder.is_dir():
            raise Unavailable(
                f"model folder {self.folder} does not exist",
                "pass the folder that contains config.json",
            )
        check_model(self.folder)
        self.sha256 = fingerprint(self.folder)
        with offline():
            self._tokenizer, self._model = _load(self.folder, self._kind)
        most = getattr(self._model.config, "max_position_embeddings", None)
        self._max_tokens = (
            min(most, _MAX_TOKENS) if isinstance(most, int) and most > 0 else _MAX_TOKENS
        )

    def has_tokens(self, text: str) -> bool:
        """Return whether the model's tokenizer has a token for a text; else it has no value."""
        return bool(self._tokenizer(text)["input_ids"])

    def _token_ids(self, text: str) -> Any:
        """Return the token ids of a text, shape (1, tokens); only the last ones of a long text."""
        import torch

        ids = self._tokenizer(text)["input_ids"][-self._max_tokens :]
        if not ids:
            raise InvalidInput("a text without a token cannot be scored", "remove the empty text")
        return torch.tensor([ids])


class LanguageModel(_LocalModel):
    """Local model that returns hidden states of a text, one from each of its layers."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.layers = int(self._model.config.num_hidden_layers)
        self.size = int(self._model.config.hidden_size)

    def states(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, layers, size): the hidden state of each text's last token after each layer."""
        import numpy as np

        found = np.empty((len(texts), self.layers, self.size), np.float32)
        ids = [self._token_ids(text)[0] for text in texts]
        for places in _batch_by_length([len(each) for each in ids]):
            found[places] = self._read_batch([ids[place] for place in places])
        return found

    def _read_batch(self, rows: Sequence[Any]) -> NDArray[np.float32]:
        import torch
        from torch.nn.utils.rnn import pad_sequence

        # Padding is on the right, where the mask hides it and no position of a token changes.
        padded = pad_sequence(list(rows), batch_first=True)
        mask = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
        every = torch.arange(len(rows))
        last = torch.tensor([len(row) - 1 for row in rows])
        with torch.inference_mode():
            found = self._model(input_ids=padded, attention_mask=mask, output_hidden_states=True)
            states = torch.stack([layer[every, last] for layer in found.hidden_states[1:]], dim=1)
        array: NDArray[np.float32] = states.float().cpu().numpy()
        return array


def _batch_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of texts of similar length, few enough to need no more memory than one."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        tokens = lengths[place] * (len(batch) + 1)  # with padding: this text is the longest so far
        if batch and (len(batch) == BATCH or tokens > _MAX_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


class RewardModel(_LocalModel):
    """Local model that returns one reward for an answer; one with several outputs is refused."""

    _kind = "AutoModelForSequenceClassification"

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        if self._model.config.num_labels != 1:
            raise Unavailable(
                f"the model in {self.folder} has {self._model.config.num_labels} outputs, not one",
                "use a reward model: a sequence classification model with num_labels 1",
            )

    def reward(self, question: str, answer: str) -> float | None:
        """Return the reward of an answer; None if the tokenizer has no token for both texts."""
        import torch

        text = self._join_turns(question, answer)
        if not self.has_tokens(text):
            return None
        with torch.inference_mode():
            logits = self._model(input_ids=self._token_ids(text)).logits
        return float(logits[0, 0])

    def _join_turns(self, question: str, answer: str) -> str:
        if not getattr(self._tokenizer, "chat_template", None):
            return f"{question}\n{answer}"
        turns = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        return str(self._tokenizer.apply_chat_template(turns, tokenize=False))


def _load(folder: Path, kind: str) -> tuple[Any, Any]:
    try:
        import transformers
        from safetensors import SafetensorError
        from transformers.utils import logging
    except ImportError as error:
        raise Unavailable(
            f"local models need the library transformers: {error}", INSTALL
        ) from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    safe: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **safe)
        model = getattr(transformers, kind).from_pretrained(
            str(folder), use_safetensors=True, dtype="auto", **safe
        )
    except (SafetensorError, *_LOAD_ERRORS) as error:
        reason = " ".join(str(error).split())[:300]
        raise Unavailable(
            f"cannot load the model in {folder}: {reason}", "download or copy the model again"
        ) from error
    return tokenizer, model.eval()
