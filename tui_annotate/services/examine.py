"""How a workspace stands: figures of what it holds, and what is wrong with it; mends nothing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import TuiAnnotateError, Unavailable
from tui_annotate.domain.findings import Finding
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore, DatasetInfo, Progress
from tui_annotate.storage.database import Database
from tui_annotate.storage.inspection import inspect
from tui_annotate.storage.vectors import VectorStore

_NONE = "none in use; the assist works with words alone"
_OTHER_MODEL = "neural:FOLDER, the folder of a model that knows their language"
_NAMED = 5
"""Things that a finding names before it counts the rest."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds.

    Attributes:
        annotations, done: over all people; `done` counts (person, sample).
        embedder: of its vectors; empty before the first ingest, `none` where it has none.
        embedded: documents with vectors.
        by_words: those of them that words rank alone, as the model knows too little of them.
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
    by_words: int
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
        used = self.corpus.vector_set()
        none = "none" if self.corpus.vectors_decided() else ""
        embedded, by_words = self.corpus.embedded(used.table) if used else (0, 0)
        return Status(
            self.path,
            samples,
            documents,
            segments,
            sum(dataset.annotations for dataset in datasets),
            sum(dataset.done for dataset in datasets),
            used.embedder if used else none,
            embedded,
            by_words,
            datasets,
            tuple(self.corpus.progress()),
        )

    def store(self) -> list[Finding]:
        """What was found of the store's pages, keys and log; reads all of it."""
        return inspect(self.database)

    def labels_found(self, labels: Callable[[str], LabelTree]) -> Finding:
        """Whether the label sets can be read, and have every label of an annotation.

        Args:
            labels: the set of a dataset; of the workspace for an empty name.
        """
        try:
            known = len(labels("").leaves())
            lost: Counter[LabelPath] = Counter()
            for (dataset, path), count in self.log.labels_in_use().items():
                if labels(dataset).find(path) is None:
                    lost[path] += count
        except TuiAnnotateError as error:
            return Finding("labels", "wrong", error.message, error.hint)
        if not lost:
            return Finding("labels", "ok", f"{known} labels")
        named = [f"{JOINER.join(path)} ({count:,})" for path, count in lost.most_common(_NAMED)]
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        file = shlex.quote(str(self.path / "labels.yaml"))
        return Finding(
            "labels",
            "doubt",
            f"annotations have labels that the label set lacks: {', '.join(named)}{more}",
            f"add them to {file}, or give those annotations other labels",
        )

    def vectors_found(self) -> list[Finding]:
        """Whether every document has the vectors that it should have, and what else takes room."""
        used = self.corpus.vector_set()
        others = [each for each in self.corpus.vector_sets() if each != used]
        found = [self._used_found(used) if used else Finding("vectors", "ok", _NONE)]
        if others:
            store = self.stores()
            sizes = [f"{each.embedder} ({_megabytes(store, each)})" for each in others]
            found.append(Finding("other vectors", "ok", f"not in use: {', '.join(sizes)}"))
        return found

    def _used_found(self, used: VectorSet) -> Finding:
        expected, by_words = self.corpus.embedded(used.table)
        rebuild = self.stores().command()
        try:
            documents, rows = self.stores().size(used.table)
            if used.token_dimensions:
                documents = min(documents, self.stores().token_documents(used.table))
        except Unavailable as error:
            return Finding("vectors", "doubt", error.message, rebuild)
        if documents < expected:
            says = f"{documents} documents have vectors, {expected} should"
            return Finding("vectors", "doubt", says, rebuild)
        waiting, _ = self.corpus.waiting(used.table)
        if waiting:
            named = f"{rebuild} --embedder {shlex.quote(used.embedder)}"
            return Finding("vectors", "doubt", f"{waiting:,} documents have none yet", named)
        says = f"{used.label}: {rows:,} segments of {documents:,} documents"
        if by_words:
            says += f"; {by_words:,} of them ranked by words, as the model lacks theirs"
            return Finding("vectors", "doubt", says, f"{rebuild} --embedder {_OTHER_MODEL}")
        return Finding("vectors", "ok", says)


def _megabytes(store: VectorStore, kept: VectorSet) -> str:
    return f"{store.bytes(kept.table) / 1_000_000:,.1f} MB"
