"""How high the assist puts what real annotators chose, and how long a selection takes.

Real Mercury exports are looked for under `data/faithbench` of the folder `TUI_ANNOTATE_SHARED`
(default: `../shared` beside the repository); without them the project's own gold pairs are ranked.
"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from statistics import median

from benchmarks.report import Row
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.services.assist import evaluate
from tui_annotate.services.assist.sample import prepared

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
SAMPLES = ROOT / "sample_data"
SELECTIONS = 200
SIZE = 1_000_000

FLOORS = {"recall_at_1": 0.70, "recall_at_5": 0.93, "mrr": 0.80}


def rows() -> list[Row]:
    """Quality on real annotations with its floors, on our own without; then time."""
    real = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    measured = [*figures([SAMPLES / "gold.json"], "own pairs", least=(1, 1))]
    if real:
        measured += figures(real, "real claims", least=(8, 4), floors=FLOORS)
        measured += figures(real, "real claims, words only", least=(8, 4), embedder="none")
    return [*measured, *times()]


def figures(
    files: list[Path],
    what: str,
    *,
    least: tuple[int, int],
    floors: dict[str, float] | None = None,
    embedder: str = "static",
) -> list[Row]:
    """The figures of some files in both directions, each with its least number of segments."""
    found: list[Row] = []
    for direction, count in zip(("summary_to_source", "source_to_summary"), least, strict=True):
        measured = evaluate(files, min_segments=count, embedder=embedder)[direction]
        bounds = (floors or {}) if direction == "summary_to_source" else {}
        place = f"{what}, {direction.replace('_', ' ')}, at least {count} segments"
        found += [
            Row(f"{place}: {name}", measured[name], bounds.get(name), kind="at least")
            for name in ("queries", "recall_at_1", "recall_at_3", "recall_at_5", "mrr")
        ]
    return found


def times() -> list[Row]:
    """Milliseconds of a selection in a document of 1 MB, its ranking in memory."""
    embedder = registry.load("embedders", "static")
    texts = [json.loads(line) for line in (SAMPLES / "pairs.jsonl").read_text("utf-8").splitlines()]
    whole = "\n\n".join(row["source"] for row in texts)
    source = (whole * (SIZE // len(whole) + 1))[:SIZE]
    documents = (Document(Side.SOURCE, source), Document(Side.SUMMARY, texts[0]["summary"]))
    sample = Sample("bench", "1", documents)
    cut = [segment(document.text) for document in documents]
    vectors = {
        document.side: embedder.embed([document.text[start:end] for start, end in own])
        for document, own in zip(documents, cut, strict=True)
    }
    started = time.perf_counter()
    ready = prepared(sample, cut, embedder=embedder, vectors=vectors)
    preparing = time.perf_counter() - started
    taken = sorted(selection(ready.match, documents[1].text) for _ in range(SELECTIONS))
    return [
        Row(f"segments of the 1 MB document ({len(cut[0]):,})", len(cut[0])),
        Row("words of the 1 MB document made ready", preparing * 1000, unit="ms"),
        Row("selection to ranked list, 1 MB document, median", median(taken) * 1000, 4, "ms"),
        Row("selection to ranked list, 1 MB document, slowest", taken[-1] * 1000, unit="ms"),
    ]


def selection(match: object, text: str) -> float:
    """Seconds of one selection of 5 to 80 code points at random."""
    assert callable(match)
    start = random.randrange(len(text) - 80)
    anchor = Anchor(Side.SUMMARY, 0, Span(start, start + random.randrange(5, 80)))
    started = time.perf_counter()
    match(anchor)
    return time.perf_counter() - started
