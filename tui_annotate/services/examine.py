"""How a workspace stands: figures of what it holds, and what is wrong with it; mends nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.findings import Finding
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore, DatasetInfo, Progress
from tui_annotate.storage.database import Database
from tui_annotate.storage.inspection import inspect
from tui_annotate.storage.vectors import VectorStore


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds.

    Attributes:
        annotations, done: over all people; `done` counts (person, sample).
        embedder: of its vectors; empty before the first ingest, `none` where it has none.
        embedded: documents with vectors.
        datasets, progress: the same by dataset, and by dataset and person.
    """

    path: Path
    samples: int
    documents: int
    segments: int
    annotations: int
    done: int
    embedder: str
    embedded: int
    datasets: tuple[DatasetInfo, ...]
    progress: tuple[Progress, ...]


@dataclass(frozen=True, slots=True)
class Examine:
    """Looks at the stores of a workspace.

    Attributes:
        path: the workspace's folder.
        stores: opens the vectors; called at the first need.
    """

    path: Path
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    stores: Callable[[], VectorStore]

    def status(self) -> Status:
        """Figures of all that is stored."""
        samples, documents, segments = self.corpus.totals()
        datasets = tuple(self.corpus.datasets())
        table = self.corpus.setting("vectors") or ""
        return Status(
            self.path,
            samples,
            documents,
            segments,
            sum(dataset.annotations for dataset in datasets),
            sum(dataset.done for dataset in datasets),
            self.corpus.setting("embedder") or "",
            self.corpus.embedded(table) if table else 0,
            datasets,
            tuple(self.corpus.progress()),
        )

    def store(self) -> list[Finding]:
        """What was found of the store's pages, keys and log; reads all of it."""
        return inspect(self.database, self.log)

    def vectors_found(self) -> Finding:
        """Whether every document has the vectors that it should have."""
        table = self.corpus.setting("vectors") or ""
        if not table:
            return Finding("vectors", "ok", "none yet; the assist works with words alone")
        expected = self.corpus.embedded(table)
        rebuild = f"tui-annotate index rebuild -w '{self.path}'"
        try:
            documents, rows = self.stores().size(table)
        except Unavailable as error:
            return Finding("vectors", "doubt", error.message, rebuild)
        if documents < expected:
            says = f"{documents} documents have vectors, {expected} should"
            return Finding("vectors", "doubt", says, rebuild)
        waiting = len(self.corpus.unembedded(table, 1))
        if waiting:
            return Finding("vectors", "doubt", "some documents have none yet", rebuild)
        return Finding("vectors", "ok", f"{rows} segments of {documents} documents")
