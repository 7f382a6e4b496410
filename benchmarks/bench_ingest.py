"""Ingest with static vectors against pysbd's segmenter alone, on one core, over the same texts.

Also how long a batch holds the write lock, and what a second ingest of the same file costs.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import Row
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.ingest import IngestFiles, IngestService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore

SOURCES = 800
SUMMARIES = 5
PAIRS = Path(__file__).parents[1] / "sample_data" / "pairs.jsonl"


def rows() -> list[Row]:
    """The ratio, the rate, the longest lock, and the second ingest."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "pairs.jsonl"
        texts = write_pairs(file, random.Random(7))
        database = SqliteDatabase.create(folder / "store.sqlite")
        locks = _timed_locks(database)
        ingest = IngestService(
            CorpusStore(database),
            AnnotationStore(database),
            lambda: VectorStore(folder / "vectors"),
        )
        files = IngestFiles([file], options=ImportOptions(id_column="id"))
        first = ingest.run(files, embedder="static")
        second = ingest.run(files)
        assert (first.added, second.added) == (SOURCES * SUMMARIES, 0)
        alone = _pysbd(texts)
    return [
        Row("ingest, static vectors, against pysbd alone", first.seconds / alone, 1.0, "times"),
        Row("ingest of pairs", first.added / first.seconds, unit="a second"),
        Row("longest time that a batch held the write lock", max(locks) * 1000, 100, "ms"),
        Row(
            "the same file again, against the first time",
            second.seconds / first.seconds,
            unit="times",
        ),
    ]


def write_pairs(file: Path, chance: random.Random) -> list[str]:
    """A file of pairs put together from the sentences of the sample data; its distinct texts."""
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    known = [
        sentence
        for pair in pairs
        if pair["source"].isascii()
        for sentence in re.split(r"(?<=[.!?])\s+", pair["source"])
    ]
    texts: dict[str, None] = {}
    with file.open("w", encoding="utf-8") as target:
        for number in range(SOURCES):
            source = _text(known, chance, sentences=25)
            for rival in range(SUMMARIES):
                summary = _text(known, chance, sentences=4)
                row = {"id": f"{number}-{rival}", "source": source, "summary": summary}
                target.write(json.dumps(row) + "\n")
                texts |= {source: None, summary: None}
    return list(texts)


def _text(known: list[str], chance: random.Random, *, sentences: int) -> str:
    """Sentences in any order, some with a number of their own, so that texts differ."""
    return " ".join(
        chance.choice(known).replace(" the ", f" the {chance.randrange(10**6)} ", 1)
        for _ in range(sentences)
    )


def _pysbd(texts: list[str]) -> float:
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False)
    began = time.perf_counter()
    for text in texts:
        segmenter.segment(text)
    return time.perf_counter() - began


def _timed_locks(database: Database) -> list[float]:
    """Seconds that each transaction of a store holds the write lock, as they come."""
    seconds: list[float] = []
    plain = database.writing

    @contextmanager
    def timed() -> Iterator[Any]:
        with plain() as connection:
            began = time.perf_counter()
            yield connection
        seconds.append(time.perf_counter() - began)

    database.writing = timed  # type: ignore[method-assign]
    return seconds
