"""Static vectors: unit rows, no network, and a clear word where the package is missing."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins import registry
from tui_annotate.plugins.embedders import static
from tui_annotate.plugins.embedders.static import StaticEmbedder
from tui_annotate.plugins.protocols import Embedder

installed = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="wordllama has no wheel for this platform"
)


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    """The real one."""
    return StaticEmbedder()


def package(folder: Path, header: dict[str, object] | None = None) -> Path:
    """A package that looks like wordllama, with a table of two rows."""
    (folder / "weights").mkdir()
    (folder / "tokenizers").mkdir()
    rows = np.eye(2, dtype=np.float16)
    about = header or {
        "embedding.weight": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, rows.nbytes]}
    }
    head = json.dumps(about).encode()
    (folder / "weights" / "small_256.safetensors").write_bytes(
        struct.pack("<Q", len(head)) + head + rows.tobytes()
    )
    (folder / "tokenizers" / "small_tokenizer_config.json").write_text("{}", "utf-8")
    return folder


@installed
def test_it_keeps_the_promise_of_an_embedder(embedder: StaticEmbedder) -> None:
    """It is found by its name, and has what the protocol asks for."""
    assert isinstance(registry.load("embedders", "static"), Embedder)
    assert embedder.name == "static"
    assert embedder.dimensions == 256
    assert "-" in embedder.version


@installed
def test_rows_have_unit_length(embedder: StaticEmbedder) -> None:
    """One row a text in order, as float32; zeros for what has no word."""
    rows = embedder.embed(["The bridge cost 12 million pounds.", "", "  \n", "The bridge"])
    assert rows.dtype == np.float32
    assert rows.shape == (4, 256)
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1, 0, 0, 1], abs=1e-5)


@installed
@pytest.mark.parametrize(
    "strange",
    ["", " \n\u3000", "a\0b", "\x01\x1b[31m", "a\ud800b", "word " * 200_000, "a" * 1_000_000],
)
def test_strange_texts_cost_no_other_text_its_vector(
    embedder: StaticEmbedder, strange: str
) -> None:
    """They get a vector themselves, or zeros."""
    rows = embedder.embed(["An apple.", strange, "Two bears."])
    assert np.allclose(rows[[0, 2]], embedder.embed(["An apple.", "Two bears."]), atol=1e-6)
    assert np.isfinite(rows).all()


@installed
def test_no_texts_no_rows(embedder: StaticEmbedder) -> None:
    """The shape is kept."""
    assert embedder.embed([]).shape == (0, 256)


@installed
def test_batches_do_not_matter(embedder: StaticEmbedder) -> None:
    """A text has the same vector alone as among hundreds."""
    texts = [f"Number {number} of the river boats" for number in range(300)]
    together = embedder.embed(texts)
    assert np.allclose(together[::50], [embedder.embed([text])[0] for text in texts[::50]])


@installed
def test_unknown_scripts_have_no_vector(embedder: StaticEmbedder) -> None:
    """Where more than one sign in ten has no word piece, the vector would mislead."""
    rows = embedder.embed(["羯磨鬥爭驪歌", "The bridge 羯 reopened to all traffic on Saturday"])
    assert rows.any(axis=1).tolist() == [False, True]


@installed
def test_related_texts_are_nearer(embedder: StaticEmbedder) -> None:
    """A paraphrase without a shared word is nearer than another subject."""
    doctor, physician, boat = embedder.embed(
        ["The doctor healed her", "A physician cured patients", "Ships sail rivers"]
    )
    assert doctor @ physician > doctor @ boat


@installed
def test_vectors_are_those_of_the_package(embedder: StaticEmbedder) -> None:
    """Reading its files ourselves changes nothing."""
    program = (
        "import json, sys, wordllama; from pathlib import Path\n"
        "made = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent,"
        " disable_download=True).embed(sys.argv[1:], norm=True)\n"
        "print(json.dumps(made.tolist()))"
    )
    texts = ["The bridge cost 12 million pounds.", "It reopened."]
    done = subprocess.run(
        [sys.executable, "-c", program, *texts], capture_output=True, text=True, check=True
    )
    assert np.allclose(embedder.embed(texts), json.loads(done.stdout), atol=1e-3)


@installed
def test_neither_the_package_nor_the_network_is_loaded() -> None:
    """The package's own code would set up logging and bring a client for downloads."""
    program = (
        "import sys; from tui_annotate.plugins.embedders.static import StaticEmbedder\n"
        "StaticEmbedder().embed(['a word'])\n"
        "sys.exit(bool({'wordllama', 'requests', 'huggingface_hub'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the line that installs it."""
    monkeypatch.setattr(static, "find_spec", lambda _: None)
    with pytest.raises(Unavailable) as report:
        StaticEmbedder()
    assert "pip install" in report.value.hint


def test_other_files_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A later package may hold other weights, or none."""
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(static, "find_spec", lambda _: spec)
    with pytest.raises(Unavailable, match="_256"):
        StaticEmbedder()
    package(tmp_path, {"embedding.weight": {"dtype": "BF16"}})
    with pytest.raises(Unavailable):
        StaticEmbedder()


def test_a_missing_tokenizer_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is another package."""
    spec = SimpleNamespace(origin=str(package(tmp_path) / "__init__.py"))
    monkeypatch.setattr(static, "find_spec", lambda _: spec)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Unavailable):
        StaticEmbedder()


def test_weights_without_a_release_have_a_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The hash of the files tells vectors apart, whatever the package says of itself."""

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    spec = SimpleNamespace(origin=str(package(tmp_path) / "__init__.py"))
    monkeypatch.setattr(static, "find_spec", lambda _: spec)
    monkeypatch.setattr(static, "version", missing)
    monkeypatch.setattr(static, "_load_tokenizer", lambda _: None)
    before = StaticEmbedder().version
    (tmp_path / "tokenizers" / "small_tokenizer_config.json").write_text("{ }", "utf-8")
    assert before.startswith("0-")
    assert StaticEmbedder().version != before
