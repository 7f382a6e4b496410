"""Runs a sentence-transformers model: splits texts into word pieces, computes their vectors.

Among the plug-ins, only this module loads torch. It never uses the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.unicode_text import replace_lone_surrogates
from tui_annotate.plugins.model_hub import offline
from tui_annotate.plugins.model_weights import INSTALL_HINT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.plugins.model_weights import ModelFolder

LONG = 200
"""Maximum number of word pieces of a window; longer texts need several overlapping windows."""
WINDOW = 192
LONGEST = 20_000
"""Maximum number of code points of a text to use; the rest is ignored."""
LEAST_KNOWN = 0.9
"""Minimum proportion (0 to 1) of a text's characters that known word pieces must cover.

A text below this proportion gets no vector.
"""


@dataclass(frozen=True, slots=True)
class WordPieces:
    """The word pieces of a text and of the prompt in front of the text.

    Attributes:
        prompt: ids of the prompt's word pieces.
        spans: (start, end) of each piece in code points, without white space at the edges.
        known: indices of the known pieces that contain a letter or digit.
    """

    prompt: tuple[int, ...]
    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    known: tuple[int, ...]


NO_PIECES = WordPieces((), (), (), ())


@dataclass(frozen=True, slots=True)
class PieceWindow:
    """Part of a text to encode at once: word pieces `first` to `last` (exclusive) of the text.

    The window supplies the vectors of the pieces from `own` to `until` (exclusive).
    """

    first: int
    last: int
    own: int
    until: int


def split_windows(count: int, *, long: int = LONG, size: int = WINDOW) -> list[PieceWindow]:
    """Split a text of `count` word pieces into overlapping windows; no windows if `count` is 0.

    The vector of a piece comes from the window in which the piece is farthest from an edge.
    """
    if count <= long:
        return [PieceWindow(0, count, 0, count)] if count else []
    # The last window ends with the text, so it may overlap the window before by more than half.
    starts = [*range(0, count - size, max(size // 2, 1)), count - size]
    cuts = [0, *((later + earlier + size) // 2 for earlier, later in pairwise(starts)), count]
    return [
        PieceWindow(start, start + size, own, until)
        for start, (own, until) in zip(starts, pairwise(cuts), strict=True)
    ]


class WordPieceCutter:
    """Tokenizer that splits texts into word pieces by the rules of one model.

    Args:
        rules: the model's `tokenizers.Tokenizer` as JSON.
        prompt: text that is put in front of every text.
        unknown: the id of the unknown piece; None if the model has no unknown piece.
    """

    def __init__(self, rules: str, *, prompt: str = "", unknown: int | None = None) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_str(rules)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text
        self._prompt = prompt
        self._unknown = unknown
        self.before, self.after = self._find_frame()

    def _find_frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        framed = self._tokenizer.encode("a")
        own = [index for index, special in enumerate(framed.special_tokens_mask) if not special]
        return tuple(framed.ids[: own[0]]), tuple(framed.ids[own[-1] + 1 :])

    def cut(self, texts: Sequence[str]) -> list[WordPieces]:
        """Split texts into word pieces; too many unknown characters give `NO_PIECES`."""
        # Tokenizers refuse lone surrogates.
        some = [replace_lone_surrogates(text[:LONGEST]) for text in texts]
        prompted = [self._prompt + text for text in some]
        found = self._tokenizer.encode_batch(prompted, add_special_tokens=False)
        return [self._make_pieces(text, each) for text, each in zip(some, found, strict=True)]

    def _make_pieces(self, text: str, encoded: Any) -> WordPieces:
        ids = encoded.ids
        shift = len(self._prompt)
        offsets = [(start - shift, end - shift) for start, end in encoded.offsets]
        head = next((at for at, (_, end) in enumerate(offsets) if end > 0), len(ids))
        spans = [_trim(text, max(start, 0), end) for start, end in offsets[head:]]
        missing = 0
        known = []
        for index, ((start, end), piece) in enumerate(zip(spans, ids[head:], strict=True)):
            if piece == self._unknown:
                missing += end - start
            elif any(map(str.isalnum, text[start:end])):
                known.append(index)
        count = len("".join(text.split()))
        if not count or not spans or count - missing < LEAST_KNOWN * count:
            return NO_PIECES
        return WordPieces(tuple(ids[:head]), tuple(ids[head:]), tuple(spans), tuple(known))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


_BATCH = 32
_PROMPT_NAMES = ("document", "passage", "corpus")
_UNUSABLE = (
    AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError
)  # fmt: skip
"""Exceptions that loading a broken or unsupported embedding model may raise."""


def normalize(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale vectors to unit length; vectors of zeros stay as they are."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found = np.zeros_like(vectors)
    np.divide(vectors, lengths, out=found, where=lengths > 0)
    return found


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """Word-piece ids of a text for an embedding model; the first `prompt` ids belong to the prompt.

    `wanted` are the indices in `ids` of the pieces whose vectors are needed.
    """

    ids: Sequence[int]
    prompt: int
    wanted: Sequence[int]


class Encoder:
    """A loaded embedding model and its tokenizer."""

    def __init__(self, weights: ModelFolder) -> None:
        with offline():
            self._model = _load_model(weights)
        tokenizer = self._model.tokenizer
        self._pad = int(tokenizer.pad_token_id or 0)
        self._left = tokenizer.padding_side == "left"
        self.cutter = WordPieceCutter(
            tokenizer.backend_tokenizer.to_str(),
            prompt=self._find_prompt(),
            unknown=tokenizer.unk_token_id,
        )
        framing = len(self.cutter.before) + len(self.cutter.after)
        self.row_size = min(int(self._model.max_seq_length or 512), 100_000) - framing
        self.dimensions = int(self._model.get_embedding_dimension())

    def _find_prompt(self) -> str:
        prompts = self._model.prompts
        names = (*_PROMPT_NAMES, self._model.default_prompt_name)
        return next((str(prompts[name]) for name in names if prompts.get(name)), "")

    def encode(
        self, rows: Sequence[EncoderInput], axes: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Encode a batch of texts; return a vector for each text and for each wanted word piece.

        All vectors have unit length. The vectors of pieces are in order of the rows; with `axes`,
        they are projected on these axes.
        """
        import torch

        features, wanted = self._make_features(rows)
        with torch.inference_mode():
            found = self._model(features)
            pooled = torch.nn.functional.normalize(found["sentence_embedding"].float(), dim=1)
            pieces = self._finish_vectors(found["token_embeddings"][wanted])
            if axes is not None:
                pieces = pieces @ torch.from_numpy(axes).to(pieces.device)
        return pooled.cpu().numpy(), pieces.cpu().numpy()

    def encode_sorted(
        self, rows: Sequence[EncoderInput], axes: NDArray[np.float32] | None
    ) -> Iterator[tuple[slice, NDArray[np.float32], NDArray[np.float32]]]:
        """Encode texts of ascending sizes in batches; yield each batch with `encode`'s result."""
        for first in range(0, len(rows), _BATCH):
            own = slice(first, first + _BATCH)
            yield own, *self.encode(rows[own], axes)

    def _make_features(self, rows: Sequence[EncoderInput]) -> tuple[dict[str, Any], Any]:
        """Return an embedding model's input, and a mask of the word pieces that get vectors."""
        import torch

        before = self.cutter.before
        after = self.cutter.after
        size = max(len(row.ids) for row in rows) + len(before) + len(after)
        ids = torch.full((len(rows), size), self._pad)
        mask = torch.zeros((len(rows), size), dtype=torch.long)
        wanted = torch.zeros((len(rows), size), dtype=torch.bool)
        for at, row in enumerate(rows):
            framed = [*before, *row.ids, *after]
            start = size - len(framed) if self._left else 0
            ids[at, start : start + len(framed)] = torch.tensor(framed)
            mask[at, start : start + len(framed)] = 1
            if row.wanted:
                wanted[at, torch.tensor(row.wanted) + start + len(before)] = True
        device = self._model.device
        features: dict[str, Any] = {"input_ids": ids.to(device), "attention_mask": mask.to(device)}
        if rows[0].prompt:
            features["prompt_length"] = len(before) + rows[0].prompt
        return features, wanted.to(device)

    def _finish_vectors(self, pieces: Any) -> Any:
        import torch

        features = {"sentence_embedding": pieces.float()}
        for module in list(self._model)[2:]:
            features = module(features)
        return torch.nn.functional.normalize(features["sentence_embedding"], dim=1)


def _load_model(weights: ModelFolder) -> Any:
    try:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers.utils import logging
    except ImportError as error:
        message = f"the model {weights.label!r} needs sentence-transformers: {error}"
        raise Unavailable(message, INSTALL_HINT) from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        model = SentenceTransformer(
            str(weights.folder), local_files_only=True, model_kwargs={"use_safetensors": True}
        )
    except (SafetensorError, *_UNUSABLE) as error:
        message = f"the model in {weights.folder} cannot be loaded: {error}"
        raise Unavailable(message, "fetch or copy the model again") from error
    parts = list(model)
    if len(parts) < 2 or not (isinstance(parts[0], Transformer) and isinstance(parts[1], Pooling)):
        names = ", ".join(type(part).__name__ for part in parts)
        raise Unavailable(
            f"the model {weights.label!r} has unsupported modules: {names}",
            "use a model that consists of a transformer and a pooling module",
        )
    if not getattr(model.tokenizer, "is_fast", False):
        raise Unavailable(
            f"the tokenizer of the model {weights.label!r} returns no offsets of its tokens",
            "use a model whose folder contains the file tokenizer.json",
        )
    return model.float().eval()
