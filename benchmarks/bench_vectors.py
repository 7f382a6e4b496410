"""What it costs to have a sample's vectors at hand, out of 1,000,000 segments against 100,000.

Synthetic vectors, written as ingest writes them, with the page cache warm. A sample is eight
sources of 120 segments and a summary of 40; the long document is one alone. The two stores take
turns, so that a busy machine slows both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.report import Row
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.storage.vectors.store import Row as VectorRow
from tui_annotate.storage.vectors.store import VectorStore

FEW, MANY = 100_000, 1_000_000
TOKENS = 50_000
"""Segments whose tokens are stored: 200 MB; 1,000,000 would take 4 GB."""
LONG = 8_000
SAMPLE = (*[120] * 8, 40)
"""Segments of each document of a sample."""
DIMENSIONS, TOKEN_DIMENSIONS = 384, 128
RUNS = 200
_TABLE = "bench"
_BLOCK = 20_000


def documents(segments: int) -> Iterator[tuple[str, int]]:
    """Hash and segments of the documents of so many segments, sample after sample."""
    for sample in range(segments // sum(SAMPLE)):
        for place, size in enumerate(SAMPLE):
            yield _name(sample, place), size


def _name(sample: int, place: int) -> str:
    return sha256(f"{sample} {place}".encode()).hexdigest()


def _vectors() -> Iterator[np.ndarray[tuple[int], np.dtype[np.float32]]]:
    """Vectors without end, of unit length."""
    block = np.random.default_rng(7).normal(size=(_BLOCK, DIMENSIONS)).astype(np.float32)
    block /= np.linalg.norm(block, axis=1, keepdims=True)
    while True:
        yield from block


def filled(folder: Path, segments: int) -> VectorStore:
    """A store of so many vectors."""
    store = VectorStore(folder)
    vectors = _vectors()

    def rows() -> Iterator[VectorRow]:
        for name, size in documents(segments):
            for index in range(size):
                yield name, index, index * 80, index * 80 + 80, next(vectors)

    store.add(_TABLE, rows())
    store.optimize(_TABLE)
    return store


def _tokens(chance: np.random.Generator, segments: int) -> TokenBank:
    """Some 30 tokens a segment, which is what sentences of a newspaper have."""
    bounds = np.concatenate([[0], np.cumsum(chance.integers(15, 46, segments))])
    count = int(bounds[-1])
    starts = chance.integers(0, 150, count).astype(np.int32)
    vectors = chance.integers(-127, 128, (count, TOKEN_DIMENSIONS)).astype(np.int8)
    return TokenBank(vectors, bounds.astype(np.int64), starts, starts + 5)


def add_tokens(store: VectorStore) -> None:
    """The tokens of a store's vectors, and one long document in the middle."""
    chance = np.random.default_rng(7)
    axes = np.eye(DIMENSIONS, TOKEN_DIMENSIONS, dtype=np.float32)
    some = [*documents(TOKENS)]
    some.insert(len(some) // 2, ("long", LONG))
    banks = ((name, _tokens(chance, size)) for name, size in some)
    store.add_tokens(_TABLE, banks, axes=axes)
    store.optimize(_TABLE)


def _milliseconds(store: VectorStore, chance: random.Random, segments: int) -> float:
    sample = chance.randrange(segments // sum(SAMPLE))
    names = [_name(sample, place) for place in range(len(SAMPLE))]
    began = time.perf_counter()
    found = store.fetch(_TABLE, names)
    taken = time.perf_counter() - began
    assert sum(map(len, found.values())) == sum(SAMPLE)
    return taken * 1000


def _tokens_milliseconds(store: VectorStore, names: list[str], segments: int) -> float:
    began = time.perf_counter()
    found = store.fetch_tokens(_TABLE, names)
    taken = time.perf_counter() - began
    assert sum(map(len, found.values())) == segments
    return taken * 1000


def _p95(taken: list[float]) -> float:
    return quantiles(taken, n=20)[-1]


def rows() -> list[Row]:
    """Times and their ratio, and the bytes of a segment."""
    with TemporaryDirectory() as folder:
        few = filled(Path(folder) / "few", FEW)
        many = filled(Path(folder) / "many", MANY)
        chance = random.Random(1)
        pairs = [
            (_milliseconds(few, chance, FEW), _milliseconds(many, chance, MANY))
            for _ in range(RUNS)
        ]
        of_few, of_many = (list(times) for times in zip(*pairs, strict=True))
        size = many.bytes(_TABLE) / MANY
    return [
        Row("vectors of a sample of 1,000 segments, of 1,000,000, p95", _p95(of_many), 50, "ms"),
        Row("the same, median", median(of_many), unit="ms"),
        Row(
            "the same, of 1,000,000 against of 100,000, medians",
            median(of_many) / median(of_few),
            1.5,
            "times",
        ),
        Row("vectors of a segment on the disk, 384 dimensions", size, unit="bytes"),
        *_token_rows(),
    ]


def _token_rows() -> Iterator[Row]:
    chance = random.Random(2)
    with TemporaryDirectory() as folder:
        store = filled(Path(folder), TOKENS)
        without = store.bytes(_TABLE)
        add_tokens(store)
        size = (store.bytes(_TABLE) - without) / (TOKENS + LONG)
        short, long = [], []
        for _ in range(RUNS // 4):
            sample = chance.randrange(TOKENS // sum(SAMPLE))
            names = [_name(sample, place) for place in range(len(SAMPLE))]
            short.append(_tokens_milliseconds(store, names, sum(SAMPLE)))
            long.append(_tokens_milliseconds(store, ["long"], LONG))
    yield Row(f"tokens of a sample of 1,000 segments, of {TOKENS:,}, p95", _p95(short), unit="ms")
    yield Row("tokens of 8,000 segments, median", median(long), unit="ms")
    yield Row("tokens of a segment on the disk, 30 of 128 dimensions", size, unit="bytes")
