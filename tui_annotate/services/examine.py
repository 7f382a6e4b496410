"""How a workspace stands: figures of what it holds, and what is wrong with it; mends nothing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import NotFound, TuiAnnotateError, Unavailable
from tui_annotate.domain.findings import Finding
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.nouns import many
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.storage.corpus.store import CorpusStore, DatasetInfo, Progress
from tui_annotate.storage.database import Database
from tui_annotate.storage.inspection import inspect
from tui_annotate.storage.item_counts import KindCount
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.storage.work.store import AnnotationStore

_NONE = "none in use; the assist works with words alone"
_OTHER_MODEL = "neural:FOLDER, the folder of a model that knows their language"
_NAMED = 5
"""Things that a finding names before it counts the rest."""


class LabelSets(Protocol):
    """The label sets of a workspace, each by its dataset; empty for the workspace's own."""

    @property
    def stored(self) -> Callable[[str], LabelTree]:
        """The set that is in force."""

    def labels(self, dataset: str = "") -> LabelTree:
        """The set that would be, with a changed `labels.yaml` taken up."""

    def refused(self) -> str:
        """Why `labels.yaml` is not taken up; empty where it is."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many annotations of a person wait for a choice since their label was split.

    Attributes:
        person: the id; `name` is what people see.
        label: as it is written with dots.
        choices: what came of it, written so too.
    """

    label: str
    choices: tuple[str, ...]
    person: str
    name: str
    annotations: int


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds.

    Attributes:
        annotations, done: over all people; `done` counts (person, sample).
        embedder: of its vectors; empty before the first ingest, `none` where it has none.
        embedded: documents with vectors.
        by_words: those of them that words rank alone, as the model knows too little of them.
        datasets, progress: the same by dataset, and by dataset and person.
        items: reports, documents and citations, by dataset, kind and who annotated them.
        waiting: what is to be chosen anew.
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
    items: tuple[KindCount, ...] = ()
    waiting: tuple[Waiting, ...] = ()


@dataclass(frozen=True, slots=True)
class Examine:
    """Looks at the stores of a workspace.

    Attributes:
        path: the workspace's folder.
        sets: the label sets.
        stores: opens the vectors; called at the first need.
    """

    path: Path
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    sets: LabelSets
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
            tuple(self.log.kind_counts()),
            tuple(self._waiting(dataset.name for dataset in datasets)),
        )

    def _waiting(self, datasets: Iterable[str]) -> Iterator[Waiting]:
        """What waits for a choice, as far as it may be seen; what is most comes first."""
        split: dict[str, LabelTree] = {}
        for dataset in datasets:
            with suppress(NotFound):
                labels = self.sets.stored(dataset)
                if any(label.split for label in labels.walk()):
                    split[dataset] = labels
        found: Counter[tuple[str, tuple[str, ...], str, str]] = Counter()
        for each, count in self.log.labellings(split).items() if split else ():
            for label in split[each.dataset].split(each.labels):
                parts = split[each.dataset].parts(label)
                choices = tuple(JOINER.join(part.path) for part in parts)
                found[JOINER.join(label.path), choices, each.name, each.person] += count
        for (old, new, name, person), count in sorted(
            found.items(), key=lambda pair: (-pair[1], pair[0])
        ):
            yield Waiting(old, new, person, name, count)

    def store(self) -> list[Finding]:
        """What was found of the store's pages, keys and log; reads all of it."""
        return inspect(self.database)

    def findings(self) -> list[Finding]:
        """What was found of all of it."""
        return [*self.store(), *self.labels_found(), *self.vectors_found()]

    def labels_found(self) -> list[Finding]:
        """Whether the label sets can be read, are in force, and have every label of an annotation.

        And whether annotations wait for a choice since their label was split.
        """
        found = [self._labels_used()]
        why = self.sets.refused() if found[0].state != "wrong" else ""
        if why:
            file = shlex.quote(str(self.path / "labels.yaml"))
            mend = f"tui-annotate labels apply {file} --dry-run"
            says = f"labels.yaml changed and is not in force: {why}"
            found.append(Finding("label file", "doubt", says, mend))
        waiting = list(self._waiting(dataset.name for dataset in self.corpus.datasets()))
        return [*found, _wait_found(waiting)] if waiting else found

    def _labels_used(self) -> Finding:
        labels = self.sets.labels
        try:
            known = len(labels("").leaves())
            lost: Counter[LabelPath] = Counter()
            for (dataset, path), count in self.log.labels_in_use().items():
                if labels(dataset).find(path) is None:
                    lost[path] += count
        except TuiAnnotateError as error:
            return Finding("labels", "wrong", error.message, error.hint)
        if not lost:
            return Finding("labels", "ok", many(known, "label"))
        named = [f"{JOINER.join(path)} ({count:,})" for path, count in lost.most_common(_NAMED)]
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        file = shlex.quote(str(self.path / "labels.yaml"))
        return Finding(
            "labels",
            "doubt",
            f"annotations have labels that the label set lacks: {', '.join(named)}{more}",
            f"tui-annotate labels normalise --dry-run; or add them to {file}",
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
            says = f"{documents:,} of {many(expected, 'document')} have vectors"
            return Finding("vectors", "doubt", says, rebuild)
        waiting, _ = self.corpus.waiting(used.table)
        if waiting:
            named = f"{rebuild} --embedder {shlex.quote(used.embedder)}"
            says = f"{many(waiting, 'document has', 'documents have')} none yet"
            return Finding("vectors", "doubt", says, named)
        says = f"{used.label}: {many(rows, 'segment')} of {many(documents, 'document')}"
        if by_words:
            says += f"; {by_words:,} of them ranked by words, as the model lacks theirs"
            return Finding("vectors", "doubt", says, f"{rebuild} --embedder {_OTHER_MODEL}")
        return Finding("vectors", "ok", says)


def _wait_found(waiting: Sequence[Waiting]) -> Finding:
    told = [f"{each.label} of {each.name} ({each.annotations:,})" for each in waiting[:_NAMED]]
    more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
    return Finding(
        "split labels",
        "doubt",
        f"annotations wait for a choice: {', '.join(told)}{more}",
        "tui-annotate annotate; or, by an admin for all at once: "
        "tui-annotate labels normalise --rule LABEL=CHOICE --dry-run",
    )


def _megabytes(store: VectorStore, kept: VectorSet) -> str:
    return f"{store.bytes(kept.table) / 1_000_000:,.1f} MB"
