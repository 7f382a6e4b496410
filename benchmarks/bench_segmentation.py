"""Segmentation against pysbd alone over the same texts, and long lines against paragraphs."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pysbd

from benchmarks.report import Row
from tui_annotate.methods.segmentation import guess_language, segment, segment_all
from tui_annotate.plugins import registry

SAMPLES = Path(__file__).parents[1] / "sample_data" / "pairs.jsonl"
PROCESSES = 2
CORPUS = 400_000
LINE = 200_000


def rows() -> list[Row]:
    """Ratios of times; a process is started before the clock is."""
    texts = english(CORPUS)
    alone = timed(lambda: [pysbd_alone(text) for text in texts])
    ours = timed(lambda: segment_all([(text, "en") for text in texts]))
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as pool:
        warm = [pool.submit(segment_all, [("One. Two.", "en")]) for _ in range(2 * PROCESSES)]
        assert all(future.result() for future in warm)
        both = timed(lambda: cut_and_embedded(texts, pool))
    line = " ".join(" ".join(text.split()) for text in texts)[:LINE]
    one_line = timed(lambda: segment(line))
    paragraphs = timed(lambda: segment(in_paragraphs(line)))
    return [
        Row("pysbd alone over the texts", alone * 1000, unit="ms"),
        Row("our segmentation, one process, against pysbd alone", ours / alone, 1, "times"),
        Row("segmentation in 2 processes and vectors, against it", both / alone, 1, "times"),
        Row("200 kB in one line, against paragraphs of 500", one_line / paragraphs, 2, "times"),
    ]


def english(size: int) -> list[str]:
    """The English sources of the sample data, again and again."""
    found = [json.loads(line)["source"] for line in SAMPLES.read_text("utf-8").splitlines()]
    sources = [text for text in dict.fromkeys(found) if guess_language(text) == "en"]
    texts: list[str] = []
    while sum(map(len, texts)) < size:
        texts.append(sources[len(texts) % len(sources)])
    return texts


def pysbd_alone(text: str) -> list[object]:
    """What a program does that uses pysbd as its manual says."""
    spans: list[object] = pysbd.Segmenter(language="en", clean=False, char_span=True).segment(text)
    return spans


def cut_and_embedded(texts: list[str], pool: ProcessPoolExecutor) -> None:
    """Segments in processes, vectors beside them, as ingest has it."""
    embedder = registry.load("embedders", "static")
    parts = [pool.submit(segment_all, [(text, "en")]) for text in texts]
    for text, part in zip(texts, parts, strict=True):
        embedder.embed([text[start:end] for start, end in part.result()[0]])


def in_paragraphs(text: str, size: int = 500) -> str:
    """The same text with a line break at the first space behind every `size` code points."""
    lines, start = [], 0
    while start < len(text):
        end = text.find(" ", start + size)
        end = len(text) if end < 0 else end
        lines.append(text[start:end].strip())
        start = end + 1
    return "\n".join(lines)


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes; the better of two."""
    taken = []
    for _ in range(2):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)
