"""What tests of neural vectors share: where they run, and small models of their own making."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NEURAL = "neural: make test-slow installs PyTorch on Python 3.11 alone"
needs_torch = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) and find_spec("sentence_transformers") is None,
    reason=NEURAL,
)
"""On Python 3.11 these tests fail where torch is missing; elsewhere they need not run."""

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = ("passage", ":", "query", "the", "cat", "dog", "sat", "on", "a", "mat", "##s", ".")


def tiny_model(
    folder: Path,
    *,
    prompts: dict[str, str] | None = None,
    longest: int = 64,
    dimensions: int = 32,
    dense: int = 0,
) -> Path:
    """Saves a transformer of random weights that knows a dozen words.

    Args:
        prompts: as the makers of a model write them.
        longest: word pieces that it takes at once.
        dense: of a layer behind the pooling; 0 for none.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(7)
    raw = folder / "raw"
    raw.mkdir(parents=True)
    vocabulary = {word: index for index, word in enumerate((*SPECIAL, *WORDS))}
    BertTokenizerFast(vocab=vocabulary, model_max_length=longest).save_pretrained(raw)
    BertModel(
        BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=dimensions,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=longest,
        )
    ).save_pretrained(raw)
    parts: list[Any] = [modules.Transformer(str(raw)), modules.Pooling(dimensions)]
    if dense:
        parts.append(modules.Dense(dimensions, dense))
    SentenceTransformer(modules=parts, prompts=prompts).save(str(folder / "model"))
    return folder / "model"


def changed(path: Path, **values: Any) -> None:
    """Writes values into a JSON object on disk."""
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")
