"""Computes the vectors of imported texts; in a new workspace, first chooses an embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Conflict, InvalidInput, Unavailable
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import CostlyEmbedder, Embedder
from tui_annotate.services.ingest.embed_job import (
    EmbeddingProgress,
    EmbedJob,
    FailedSentence,
    clean_up,
    list_unknown_documents,
)
from tui_annotate.services.ingest.options import (
    AUTO,
    NONE,
    EmbedderLoader,
    VectorOptions,
    allow_stored,
    candidate_names,
    set_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore
    from tui_annotate.storage.vectors.vector_file import SegmentVectors


_MAX_DOCUMENTS = 20_000


class _ChosenElsewhere(Exception):
    pass


@dataclass
class DocumentEmbedder:
    """Computes the vectors of documents with the workspace's embedder.

    Attributes:
        name: the embedder in use; `auto` until one is needed.
        failed: sentences for which the embedder failed.

    Raises:
        Conflict: the workspace has another embedder.
        InvalidInput, Unavailable: the named embedder is not available.
    """

    corpus: CorpusStore
    stores: Callable[[], VectorStore]
    load: EmbedderLoader
    options: VectorOptions
    check_stored: Callable[[str], None] = allow_stored
    embedded: int = 0
    notes: list[str] = field(default_factory=list)
    failed: Sequence[FailedSentence] = ()
    _embedder: Embedder | None = None
    _current_job: EmbedJob | None = None
    _prepared_count: int = 0

    def __post_init__(self) -> None:
        self._vector_set = self.corpus.vector_set()
        self.name = self._agree_name()
        self._is_new = not self.corpus.vectors_decided()
        if self._is_new and self.name not in {AUTO, NONE}:
            self._embedder = self._load_named(self.name)

    def _agree_name(self) -> str:
        options = self.options
        if not self.corpus.vectors_decided():
            return options.first if options.name == AUTO else options.name
        name = self._vector_set.embedder if self._vector_set else NONE
        if options.name not in {AUTO, name}:
            raise Conflict(
                f"the workspace's embedder is {name!r}, not {options.name!r}",
                f"change the embedder with: {self._change_command(options.name)}",
            )
        return name

    def _change_command(self, name: str) -> str:
        return f"{self.stores().command()} {self.options.options(name)}"

    @property
    def better(self) -> str:
        """Why the embedder was chosen and how to choose another; empty if a user chose it."""
        new = self._is_new or (self.embedded and self.name != "neural")
        return registry.explain_embedder(self.name) if self._is_automatic and new else ""

    @property
    def is_slow(self) -> bool:
        """Whether texts lack vectors whose computation may take minutes."""
        name = next(candidate_names(self.name))
        slow = name != NONE and not registry.is_instant(name)
        return slow and bool(self.corpus.unembedded(self.table, 1))

    @property
    def _is_automatic(self) -> bool:
        return self.options.name == self.options.first == AUTO

    @property
    def table(self) -> str:
        """Name of the table with the vectors in use; empty without vectors."""
        return self._vector_set.table if self._vector_set else ""

    def costly(self) -> CostlyEmbedder | None:
        """Return the embedder if its vectors cost money; None if they are free.

        Raises:
            InvalidInput, Unavailable: the embedder is not available.
        """
        if self.name in {AUTO, NONE} or not registry.has_cost(self.name):
            return None
        embedder = self._embedder or self._load_named(self.name)
        return embedder if isinstance(embedder, CostlyEmbedder) else None

    def catch_up(self, report_progress: EmbeddingProgress) -> None:
        """Compute all missing vectors; Unavailable if a new workspace's first embedder failed."""
        try:
            self._fill(report_progress)
        except _ChosenElsewhere:
            self._adopt_other_choice()
            self._fill(report_progress)
        except Unavailable as error:  # texts are stored; the database lists missing vectors
            if self._vector_set is None and not self._is_automatic:
                raise self._first_embedder_error(error) from error
            self._note(f"vectors are missing: {error.message}; the next ingest computes them")
        finally:
            self.embedded = self._prepared_count + (
                self._current_job.documents if self._current_job else 0
            )
            self.failed = self._current_job.failed if self._current_job else ()

    def _fill(self, report_progress: EmbeddingProgress) -> None:
        self._take_prepared()
        embedder = None
        if self._has_missing():
            embedder = self._embedder or self._load_first_available()
        if embedder is None:
            return
        self._current_job = job = self._begin_job(embedder, report_progress)
        if job is None:
            return
        job.all()
        for doubt in job.doubts:
            self._note(doubt)

    def _adopt_other_choice(self) -> None:
        mine = self.name
        self._vector_set = self.corpus.vector_set()
        self._embedder = None
        self._current_job = None
        self.name = self._vector_set.embedder if self._vector_set else NONE
        self._note(
            f"another ingest chose the embedder {self.name!r} for this workspace meanwhile; to use"
            f" {mine!r} instead: {self._change_command(mine)}"
        )

    def _first_embedder_error(self, error: Unavailable) -> Unavailable:
        kind, _, model = self.name.partition(":")
        name = f"{kind}:MODEL" if model and registry.has_cost(self.name) else self.name
        return Unavailable(
            f"no vectors were computed with the embedder {self.name!r}: {error.message}",
            f"{error.hint}; then embed the stored texts with: {self._change_command(name)}",
        )

    def _take_prepared(self) -> None:
        new = self._vector_set is None and self.name == AUTO
        if self.options.prepared is None or not (new or self._vector_set):
            return
        try:
            taken = take(self.corpus, self.stores(), self.options.prepared, kept=self._vector_set)
        except InvalidInput as error:
            self._note(f"the prepared vectors were not used: {error.message}")
        else:
            if taken is not None:
                self._vector_set, self._prepared_count = taken
                self.name = self._vector_set.embedder

    def _has_missing(self) -> bool:
        if self.name == NONE:
            self._decide_without_vectors()
            return False
        if self.corpus.unembedded(self.table, 1):
            return True
        if self.table and self.corpus.is_loose(
            self.table
        ):  # a killed run did not compact the tables
            clean_up(self.corpus, self.stores(), self.table)
        return False

    def _load_first_available(self) -> Embedder | None:
        for name in candidate_names(self.name):
            try:
                embedder = self._load_named(name)
            except Unavailable as error:
                self._note(self._missing_note(name, error))
            else:
                self.name = name
                return embedder
        if self._vector_set is None:
            self.name = NONE
            self._decide_without_vectors()
        return None

    def _missing_note(self, name: str, error: Unavailable) -> str:
        if self._vector_set is None:
            hint = f" ({error.hint})" if error.hint else ""
            return f"no {name} vectors: {error.message}{hint}"
        waiting, _ = self.corpus.waiting(self._vector_set.table)
        return (
            f"no vectors for {format_count(waiting, 'text')}: {error.message}; matches are"
            f" lexical (words only) until a later ingest computes the vectors ({error.hint})"
        )

    def _load_named(self, name: str) -> Embedder:
        if self._vector_set is not None and self.options.name == AUTO:
            self.check_stored(name)
        base_url, dimensions = self.options.how(name, self._vector_set)
        return self.load(
            name,
            base_url=base_url,
            dimensions=dimensions,
            timeout=self.options.timeout,
            max_retries=self.options.max_retries,
            trust=self.options.trust.naming(self.options.base_url),
        )

    def _begin_job(self, embedder: Embedder, report_progress: EmbeddingProgress) -> EmbedJob | None:
        from tui_annotate.storage.vectors.store import is_table_of, table_name

        kept = self._vector_set
        version = embedder.version
        name = table_name(embedder.name, version, SEGMENTER)
        if kept and not is_table_of(
            kept.table, embedder=embedder.name, version=version, segmenter=SEGMENTER
        ):
            self._note(
                "new texts have no vectors yet: the embedder or the segmenter has another"
                f" version; compute all vectors again with: {self.stores().command()}"
            )
            return None
        whose = kept.embedder if kept else self.name
        options = VectorOptions(whose, *self.options.how(whose, kept))
        target = set_of(embedder, options, table=kept.table if kept else name, known=kept)
        if kept is None:
            # Another process may have filled a set of this name that was deleted meanwhile.
            if all(each.table != name for each in self.corpus.vector_sets()):
                self.corpus.forget_embedded(name)
        elif target != kept:
            self.corpus.keep_vector_set(target)
            self._vector_set = target
        return EmbedJob(
            corpus=self.corpus,
            store=self.stores(),
            embedder=embedder,
            target=target,
            report_progress=report_progress,
            on_first_vectors=self._take_up,
        )

    def _take_up(self, target: VectorSet) -> None:
        self.corpus.keep_vector_set(target)
        # Two first ingests may race: one of them decides, the other one adopts its choice.
        if self._vector_set is None and not self.corpus.decide_vectors(target.table):
            self.corpus.drop_vector_set(target.table)
            raise _ChosenElsewhere
        self._vector_set = target

    def _decide_without_vectors(self) -> None:
        if not self.corpus.decide_vectors(""):
            raise _ChosenElsewhere

    def _note(self, note: str) -> None:
        self.notes = [*dict.fromkeys([*self.notes, note])]


def take(
    corpus: CorpusStore, store: VectorStore, file: Path, *, kept: VectorSet | None
) -> tuple[VectorSet, int] | None:
    """Store vectors from a file for documents without vectors; return the set and their number.

    If no vector set is in use (`kept`), the file's set is used if it covers all documents. Returns
    None if the file has another embedder, or if there are no documents.

    Raises:
        InvalidInput: the file is damaged, of another segmenter, or lacks a text.
    """
    from tui_annotate.storage.vectors import vector_file
    from tui_annotate.storage.vectors.store import is_table_of

    found = vector_file.read(file)
    made = found.vectors
    if made.segmenter != SEGMENTER:
        raise InvalidInput(
            f"the vectors in {file} belong to sentences split by {made.segmenter};"
            f" this version splits sentences with {SEGMENTER}"
        )
    model = made.embedder.partition(":")[2]
    if Path(model).is_absolute() or model.startswith("~"):
        raise InvalidInput(f"the vectors in {file} were computed with a model of another machine")
    if kept and not is_table_of(
        kept.table, embedder=made.embedder, version=made.version, segmenter=SEGMENTER
    ):
        return None
    target = kept or made
    waiting = corpus.unembedded(target.table, _MAX_DOCUMENTS)
    if kept is None and not waiting:
        return None
    fitting = [name for name, _, segments in waiting if found.fits(name, segments)]
    if kept is None and (len(fitting) < len(waiting) or len(waiting) == _MAX_DOCUMENTS):
        raise InvalidInput(
            f"{file} has no vectors for some of the stored texts",
            "use a file with vectors of all stored texts",
        )
    if kept is None:
        corpus.keep_vector_set(made)
    if fitting:
        documents = {name: found.documents[name] for name in fitting}
        _write_documents(corpus, store, target.table, documents=documents, axes=found.axes)
    if kept is None and not corpus.decide_vectors(made.table):
        raise InvalidInput("another ingest chose a different embedder for this workspace")
    return target, len(fitting)


def _write_documents(
    corpus: CorpusStore,
    store: VectorStore,
    table: str,
    *,
    documents: dict[str, SegmentVectors],
    axes: NDArray[np.float32],
) -> None:
    corpus.set_loose(table, loose=True)
    with store.writing():
        store.add(table, (row for name, made in documents.items() for row in made.rows(name)))
        if axes.shape[1]:
            tokens = ((name, made.tokens) for name, made in documents.items())
            store.add_tokens(table, tokens, axes=axes)
    unknown = list_unknown_documents(
        (name, made.segments, made.known) for name, made in documents.items()
    )
    corpus.mark_embedded(table, [*documents], unknown=unknown)
    clean_up(corpus, store, table)
