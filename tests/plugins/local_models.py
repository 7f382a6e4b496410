"""Small language models of random weights, which tests make and save."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = ("who", "where", "is", "the", "a", "king", "queen", "cat", "dog", "it", "know", "not", "?")
LAYERS, SIZE, LONGEST = 2, 16, 24


def language_model(folder: Path) -> Path:
    """One whose states can be looked at."""
    from transformers import LlamaModel

    return _saved(folder, LlamaModel, {})


def reward_model(folder: Path, *, outputs: int = 1, template: str = "") -> Path:
    """One for sequence classification.

    Args:
        template: of a chat; empty for a model that has none.
    """
    from transformers import LlamaForSequenceClassification

    return _saved(folder, LlamaForSequenceClassification, {"num_labels": outputs}, template)


def _saved(folder: Path, kind: Any, options: dict[str, Any], template: str = "") -> Path:
    import torch
    from transformers import BertTokenizerFast, LlamaConfig

    torch.manual_seed(7)
    vocabulary = {word: index for index, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = BertTokenizerFast(vocab=vocabulary)
    if template:
        tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=SIZE,
        intermediate_size=32,
        num_hidden_layers=LAYERS,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=LONGEST,
        **options,
    )
    kind(config).save_pretrained(folder)
    return folder
