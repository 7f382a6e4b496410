"""A workspace's stores with an embedder of no weight, files to ingest, and a process that does."""

from __future__ import annotations

import hashlib
import json
import random
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.records import RecordFilter
from tui_annotate.services.export import Export
from tui_annotate.services.ingest import Files, Ingest, sentences, vectors
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.vectors import VectorStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Letters:
    """An embedder of eight dimensions, from a hash: fast, and the same everywhere."""

    name = "static"
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


class Stores:
    """The stores of one workspace, and the ingest over them.

    Attributes:
        embedder: what is given for `static`; None for a machine that can not have it.
    """

    def __init__(self, folder: Path, *, workers: int = 1) -> None:
        self.folder = folder
        file = folder / "store.sqlite"
        self.database = Database.open(file) if file.exists() else Database.create(file)
        self.corpus = CorpusStore(self.database)
        self.log = AnnotationStore(self.database)
        self.embedder: Letters | None = Letters()
        self.opened = 0
        self.ingest = Ingest(
            self.corpus, self.log, stores=self.vectors, load=self._load, workers=workers
        )

    def vectors(self) -> VectorStore:
        """The vector store; counts how often it was asked for."""
        self.opened += 1
        return VectorStore(self.folder / "vectors")

    def _load(self, name: str) -> Letters:
        if self.embedder is None:
            raise Unavailable(f"{name} is not installed", "install it")
        return self.embedder

    def run(self, *paths: Path, **how: Any) -> Any:
        """Ingests files."""
        return self.ingest.run(Files(paths), **how)

    def contents(self) -> dict[str, Any]:
        """All that must be the same however often an ingest was interrupted."""
        records = list(self.corpus.records(RecordFilter()))
        table = self.corpus.setting("vectors") or ""
        return {
            "samples": [
                (record.sample, self.corpus.sample(record.sample.key).segments)
                for record in records
            ],
            "annotations": [record.annotations for record in records],
            "people": {person for record in records for person in record.people},
            "totals": self.corpus.totals(),
            "waiting": self.corpus.unembedded(table, 1),
            "vectors": VectorStore(self.folder / "vectors").size(table) if table else None,
        }

    def exported(self, exporter: str, target: Path, **filters: str) -> str:
        """What an export writes."""
        Export(self.corpus).run(exporter, target, filters=RecordFilter(**filters))
        return target.read_text("utf-8")


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

    With an embedder everything is made small, so that few texts pass through every stage.
    """
    if embedder != "none":
        sentences._WORTH_A_POOL, sentences._TASK = 20_000, 5_000
        vectors.ROWS = 1_000
    stores = Stores(Path(folder), workers=int(workers))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    report = stores.run(*map(Path, files), embedder=embedder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(json.dumps({"added": report.added, "memory": memory}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
