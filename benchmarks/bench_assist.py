"""How high the assist puts what real annotators chose, and how long a selection takes.

Real Mercury exports are looked for under `data/faithbench` of the folder `TUI_ANNOTATE_SHARED`
(default: `../shared` beside the repository); without them the project's own gold pairs are ranked.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Row
from tests.helpers.sample_vectors import embed_sample
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.evaluation import evaluate
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.segmentation import guess_language, segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder
from tui_annotate.services.assist.sample import add_vectors, prepare_sample

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
SAMPLES = ROOT / "sample_data"
SELECTIONS = 200
SIZE = 1_000_000
TO_SOURCE, TO_SUMMARY = "summary_to_source", "source_to_summary"
LEAST = {TO_SOURCE: 8, TO_SUMMARY: 4}
"""Segments of the searched text, at least, by direction."""

FLOORS = {
    "static": {TO_SOURCE: (0.725, 0.94, 0.825)},
    "neural": {TO_SOURCE: (0.745, 0.95, 0.835), TO_SUMMARY: (0.75, 0.995, 0.855)},
}
"""Of recall at 1, at 5, and MRR on the real claims, by embedder and direction."""


def rows() -> list[Row]:
    """Quality on real annotations with its floors, on our own without; then time."""
    real = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    names = ["none", "static", *(["neural"] if _is_there("neural") else [])]
    measured: list[Row] = []
    for name in names:
        measured += figures([SAMPLES / "gold.json"], f"own pairs, {name}", name, least=1)
        if real:
            measured += figures(real, f"real claims, {name}", name)
    return [*measured, *(row for name in names[1:] for row in times(name))]


def _is_there(name: str) -> bool:
    try:
        registry.load("embedders", name)
    except Unavailable:
        return False
    return True


def figures(files: list[Path], what: str, embedder: str, *, least: int = 0) -> list[Row]:
    """The figures of some files in both directions, with floors where segments count as theirs do.

    Args:
        least: segments of the searched text; 0 for those of `LEAST`.
    """
    found: list[Row] = []
    counts = {direction: least or count for direction, count in LEAST.items()}
    report = {
        count: evaluate(files, min_segments=count, embedder=embedder)
        for count in set(counts.values())
    }
    for direction, count in counts.items():
        floors = (None, None, None) if least else FLOORS.get(embedder, {}).get(direction)
        bounds = dict(zip(("recall_at_1", "recall_at_5", "mrr"), floors or (), strict=False))
        measured = report[count][direction]
        place = f"{what}, {direction.replace('_', ' ')}, at least {count} segments"
        found += [
            Row(f"{place}: {name}", measured[name], bounds.get(name), kind="at least")
            for name in ("queries", "recall_at_1", "recall_at_3", "recall_at_5", "mrr")
        ]
    return found


class Remembering:
    """An embedder that makes the vectors of a text once, as a text of a megabyte repeats itself."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.label, self.version = embedder.name, embedder.label, embedder.version
        self.dimensions, self.instant = embedder.dimensions, embedder.instant
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the texts."""
        once = dict.fromkeys(texts)
        places = {text: at for at, text in enumerate(once)}
        return self._embedder.embed(list(once))[[places[text] for text in texts]]


class RememberingTokens(Remembering):
    """The same with tokens."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        super().__init__(embedder)
        self.token_dimensions, self.axes = embedder.token_dimensions, embedder.axes
        self._tokens = embedder

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """The vectors of the texts and of their tokens."""
        once = dict.fromkeys(texts)
        places = {text: at for at, text in enumerate(once)}
        vectors, bank = self._tokens.embed_tokens(list(once))
        chosen = [places[text] for text in texts]
        return vectors[chosen], TokenBank.joined([bank.part(at, at + 1) for at in chosen])


def times(name: str) -> list[Row]:
    """Milliseconds of a selection in a document of 1 MB, its ranking in memory."""
    embedder = registry.load("embedders", name)
    known = (
        RememberingTokens(embedder)
        if isinstance(embedder, TokenEmbedder)
        else Remembering(embedder)
    )
    texts = [json.loads(line) for line in (SAMPLES / "pairs.jsonl").read_text("utf-8").splitlines()]
    english = [row for row in texts if guess_language(row["source"]) == "en"]
    whole = "\n\n".join(row["source"] for row in english)
    source = (whole * (SIZE // len(whole) + 1))[:SIZE]
    documents = (Document(Side.SOURCE, source), Document(Side.SUMMARY, english[0]["summary"]))
    sample = Sample("bench", "1", documents)
    cut = [segment(document.text) for document in documents]
    vectors = embed_sample(sample, cut, known)
    started = time.perf_counter()
    words = prepare_sample(sample, cut)
    counted = time.perf_counter()
    ready = add_vectors(words, vectors)
    done = time.perf_counter()
    taken = sorted(selection(ready.match, documents[1].text) for _ in range(SELECTIONS))
    place = f"1 MB document, {name} vectors"
    return [
        Row(f"{place}: segments", len(cut[0])),
        Row(f"{place}: words made ready", (counted - started) * 1000, unit="ms"),
        Row(f"{place}: vectors made ready", (done - counted) * 1000, unit="ms"),
        Row(f"{place}: selection to ranked list, median", median(taken) * 1000, 3, "ms"),
        Row(f"{place}: selection to ranked list, slowest", taken[-1] * 1000, unit="ms"),
    ]


def selection(match: object, text: str) -> float:
    """Seconds of one selection of 5 to 80 code points at random."""
    assert callable(match)
    start = random.randrange(len(text) - 80)
    anchor = Anchor(Side.SUMMARY, 0, Span(start, start + random.randrange(5, 80)))
    started = time.perf_counter()
    match(anchor)
    return time.perf_counter() - started
