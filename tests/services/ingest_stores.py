"""A workspace's stores with an embedder of no weight, files to ingest, and a process that does."""

from __future__ import annotations

import hashlib
import json
import random
import re
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import Conflict, Unavailable
from tui_annotate.domain.records import RecordFilter
from tui_annotate.services.export import ExportService
from tui_annotate.services.ingest import IngestFiles, IngestService, embed_job, sentences
from tui_annotate.storage.columns import DOCUMENTS
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.methods.late_interaction import TokenBank
    from tui_annotate.plugins.protocols import Embedder


class Letters:
    """An embedder of eight dimensions, from a hash: fast, and the same everywhere."""

    name = "static"
    label = "static"
    instant = True
    version = "1"
    dimensions = 8

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows."""
        import numpy as np

        self.embedded += texts
        raw = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
        rows: NDArray[np.float32] = np.frombuffer(raw, np.uint8).reshape(-1, 8).astype(np.float32)
        rows += 1
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


class Words:
    """A slow embedder with tokens: each word's first letters, at unit length; no model."""

    name = "neural"
    label = "words"
    instant = False
    version = "1"

    def __init__(self, dimensions: int = 8, token_dimensions: int = 4) -> None:
        import numpy as np

        self.calls: list[int] = []
        self.dimensions = dimensions
        self.token_dimensions = token_dimensions
        self.axes: NDArray[np.float32] = np.eye(dimensions, token_dimensions, dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows."""
        import numpy as np

        return np.pad(Letters().embed(texts), ((0, 0), (0, self.dimensions - 8)))

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """Unit rows, and a token for each word."""
        import numpy as np

        from tui_annotate.methods.late_interaction import TokenBank

        self.calls.append(len(texts))
        found = [
            [(*match.span(), match[0]) for match in re.finditer(r"\w+", text)] for text in texts
        ]
        flat = [word for words in found for word in words]
        size = self.token_dimensions
        letters = [f"{word:\0<{size}}"[:size].encode("ascii", "replace") for *_, word in flat]
        vectors = np.frombuffer(b"".join(letters), np.int8).reshape(-1, size)
        bounds = np.cumsum([0, *map(len, found)], dtype=np.int64)
        starts, ends = (np.array([word[at] for word in flat], np.int32) for at in (0, 1))
        return self.embed(texts), TokenBank(vectors, bounds, starts, ends)


class Stores:
    """The stores of one workspace, and the ingest over them.

    Attributes:
        embedder: what is given for `static`; None for a machine that can not have it.
        others: further embedders, by what they are asked for as.
        asked: name, address and dimensions of each that was loaded.
    """

    def __init__(self, folder: Path, *, workers: int = 1) -> None:
        self.folder = folder
        try:
            self.database = SqliteDatabase.create(folder / "store.sqlite")
        except Conflict:
            self.database = SqliteDatabase.open(folder / "store.sqlite")
        self.corpus = CorpusStore(self.database)
        self.log = AnnotationStore(self.database)
        self.embedder: Letters | None = Letters()
        self.others: dict[str, Embedder] = {}
        self.asked: list[tuple[str, str, int]] = []
        self.opened = 0
        self.ingest = IngestService(
            self.corpus, self.log, stores=self.vectors, load=self._load, workers=workers
        )

    def vectors(self) -> VectorStore:
        """The vector store; counts how often it was asked for."""
        self.opened += 1
        return VectorStore(self.folder / "vectors")

    def _load(
        self,
        asked: str,
        *,
        base_url: str = "",
        dimensions: int = 0,
        timeout: float | None = None,  # noqa: ARG002  as the registry calls it
        max_retries: int | None = None,  # noqa: ARG002
        trust: EndpointTrust | None = None,  # noqa: ARG002
    ) -> Embedder:
        self.asked.append((asked, base_url, dimensions))
        found = self.others.get(asked, self.embedder if asked == "static" else None)
        if found is None:
            raise Unavailable(f"{asked} is not installed", "install it")
        return found

    def run(self, *paths: Path, **how: Any) -> Any:
        """Ingests files."""
        return self.ingest.run(IngestFiles(paths), **how)

    def contents(self) -> dict[str, Any]:
        """All that must be the same however often an ingest was interrupted."""
        records = list(self.corpus.records(RecordFilter()))
        used = self.corpus.vector_set()
        table = used.table if used else ""
        return {
            "samples": [
                (record.sample, self.corpus.sample(record.sample.key).segments)
                for record in records
            ],
            "annotations": [record.annotations for record in records],
            "people": {person for record in records for person in record.people},
            "totals": self.corpus.totals(),
            "waiting": self.corpus.unembedded(table, 1),
            "vectors": self.stored_vectors(table) if table else None,
        }

    def stored_vectors(self, table: str) -> dict[str, tuple[bytes, bytes]]:
        """By document, its vectors and its tokens as bytes."""
        store = VectorStore(self.folder / "vectors")
        with self.database.reading() as connection:
            names = connection.execute(select(DOCUMENTS.c.sha256)).scalars().all()
        tokens = store.fetch_tokens(table, names)
        return {
            name: (vectors.tobytes(), tokens[name].vectors.tobytes() if tokens else b"")
            for name, vectors in store.fetch(table, names).items()
        }

    @property
    def export(self) -> ExportService:
        """The service that writes out."""
        return ExportService(self.corpus, PeopleStore(self.database), self.log)

    def exported(self, exporter: str, target: Path, **filters: str) -> str:
        """What an export writes."""
        self.export.run(exporter, target, filters=RecordFilter(**filters))
        return target.read_text("utf-8")


def used(stores: Stores) -> VectorSet:
    """The set in use."""
    found = stores.corpus.vector_set()
    assert found is not None
    return found


def write_pairs(path: Path, *, samples: int, rivals: int = 2, sentences: int = 4) -> Path:
    """JSON lines: each source with some rival summaries."""
    chance = random.Random(samples)
    with path.open("w", encoding="utf-8") as target:
        for number in range(0, samples, rivals):
            source = _text(chance, f"source {number}", sentences)
            for rival in range(number, min(number + rivals, samples)):
                summary = _text(chance, f"summary {rival}", 2)
                row = {"source": source, "summary": summary, "place": rival}
                target.write(json.dumps(row) + "\n")
    return path


def write_dump(path: Path, *, samples: int, sentences: int = 8) -> Path:
    """A Mercury dump with one annotation a sample."""
    chance = random.Random(samples)
    dump = []
    for number in range(samples):
        source = _text(chance, f"source {number}", sentences)
        summary = _text(chance, f"summary {number}", 2)
        span = {"summary_span": summary[:9], "summary_start": 0, "summary_end": 9}
        row = {"annot_id": number, "sample_id": number, "annotator": f"a{number % 3}"}
        row |= {"label": ["Benign"], "note": "", "annotator_name": "ana", **span}
        dump.append(
            {"sample_id": number, "source": source, "summary": summary, "annotations": [row]}
        )
    path.write_text(json.dumps(dump, indent=1), "utf-8")
    return path


def _text(chance: random.Random, name: str, sentences: int) -> str:
    middle = " ".join(f"It cost {chance.randrange(10**6)} pounds." for _ in range(sentences - 1))
    return f"This is {name}. {middle}"


def main(folder: str, workers: str, embedder: str, *files: str) -> None:
    """Ingests files in this process, and says how it ended and how much memory it took.

    With an embedder everything is made small, so that few texts pass through every stage. Without
    files the vectors are made anew, or those of the embedder. The disk is not waited for: it loses
    nothing of a process that is killed.
    """
    VectorStore.sync = _unwritten  # type: ignore[method-assign]
    if embedder != "none":
        import lancedb  # noqa: F401  so that a kill finds more than imports

        sentences._POOL_CHARACTERS, sentences._TASK_CHARACTERS = 20_000, 5_000
        embed_job.QUICK_ROWS, embed_job.SLOW_ROWS = 1_000, 50
    stores = Stores(Path(folder), workers=int(workers))
    stores.others["neural"] = Words()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if files:
        report = stores.run(*map(Path, files), embedder=embedder)
    else:
        report = stores.ingest.sets.rebuild(embedder=embedder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(json.dumps({"added": report.added, "memory": memory}) + "\n")


def _unwritten(self: VectorStore) -> None:
    """In place of what brings vectors to the disk."""


if __name__ == "__main__":
    main(*sys.argv[1:])
