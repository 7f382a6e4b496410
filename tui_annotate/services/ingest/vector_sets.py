"""Computes, lists and deletes a workspace's sets of vectors; each set has one embedder."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import Conflict, NotFound, Unavailable
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import CostlyEmbedder, Embedder, EmbeddingCost
from tui_annotate.plugins.record_validation import NameRegister
from tui_annotate.services.ingest.callbacks import IngestCallbacks
from tui_annotate.services.ingest.embed_job import SLOW_ROWS, EmbeddingProgress, EmbedJob
from tui_annotate.services.ingest.options import (
    AUTO,
    NONE,
    EmbedderLoader,
    VectorOptions,
    allow_stored,
    candidate_names,
    set_of,
)
from tui_annotate.services.ingest.report import IngestReport
from tui_annotate.services.ingest.sentences import SegmentationPool

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore


Segmented = tuple[str, Sequence[Segment]]
_ALREADY_THERE: Final = "all vectors of this embedder already existed"
_WORDS_ALONE: Final = "words only"


@dataclass(frozen=True, slots=True)
class VectorSetInfo:
    """A set of vectors with its size, and the numbers of documents with and without vectors."""

    vectors: VectorSet
    in_use: bool
    documents: int
    lexical_only: int
    waiting: int
    bytes: int


@check_keywords
@dataclass(frozen=True, slots=True)
class VectorSets:
    """Lists, selects, rebuilds and deletes the sets of vectors of the workspace."""

    corpus: CorpusStore
    stores: Callable[[], VectorStore]
    load: EmbedderLoader
    trust: EndpointTrust | None = None
    check_stored: Callable[[str], None] = allow_stored

    def infos(self) -> tuple[VectorSetInfo, ...]:
        """Return all sets of vectors, oldest first; lexical ranking counts as an empty set."""
        used = self.corpus.vector_set()
        kept = self.corpus.vector_sets()
        if used is None and self.corpus.vectors_decided():
            used = VectorSet(
                embedder=NONE, label=_WORDS_ALONE, version="", segmenter="", table="", dimensions=0
            )
            kept = (*kept, used)
        store = self.stores()
        found = []
        for each in kept:
            documents, by_words = self.corpus.embedded(each.table)
            waiting, _ = self.corpus.waiting(each.table)
            found.append(
                VectorSetInfo(
                    vectors=each,
                    in_use=each == used,
                    documents=documents,
                    lexical_only=by_words,
                    waiting=waiting,
                    bytes=store.bytes(each.table) if each.table else 0,
                )
            )
        return tuple(found)

    def unnamed_url(self, embedder: str | VectorOptions = AUTO) -> str:
        """Return the URL that would get texts, if only the workspace's settings or store name it.

        Empty if the user named the URL, or if no texts leave this machine.
        """
        options = VectorOptions.of(embedder, trust=self.trust)
        used = self.corpus.vector_set()
        name = options.name
        if name == AUTO and self.corpus.vectors_decided():
            name = used.embedder if used else NONE
        elif name == AUTO:
            name = options.first
        if name in {AUTO, NONE}:
            return ""
        known = [each for each in self.corpus.vector_sets() if each.embedder == name]
        return options.unnamed_url(name, used if used in known else next(reversed(known), None))

    def require_trust(self, embedder: str | VectorOptions = AUTO) -> None:
        """Check that texts may be sent where an embedder sends them.

        Raises:
            NotAllowed: only the workspace names the endpoint, and the user does not trust it.
        """
        if url := self.unnamed_url(embedder):
            VectorOptions.of(embedder, trust=self.trust).trust.require(url)

    def rebuild(
        self,
        embedder: str | VectorOptions = AUTO,
        *,
        progress: Callable[[TaskProgress], None] | None = None,
    ) -> IngestReport:
        """Compute a set of vectors, and use it once it is complete; resume an interrupted run.

        `auto` computes the vectors in use again; a named embedder computes its missing vectors;
        `none` means words only.

        Raises:
            InvalidInput, Unavailable: the embedder is not available, or it or the disk failed.
            NotAllowed: as `require_trust`.
        """
        self.require_trust(embedder)
        began = time.monotonic()
        report_progress = IngestCallbacks(progress).time_embedding()
        report = self._rebuild(VectorOptions.of(embedder, trust=self.trust), report_progress)
        report.seconds = time.monotonic() - began
        return report

    def _rebuild(self, options: VectorOptions, report_progress: EmbeddingProgress) -> IngestReport:
        used = self.corpus.vector_set()
        without = used is None and self.corpus.vectors_decided()
        if options.name == NONE or (options.name == AUTO and without):
            return self._stop_using(used)
        if ready := self._find_complete_set(options, used):
            self.corpus.use_vector_set(ready.table)
            return IngestReport(embedder=ready.embedder, notes=[_ALREADY_THERE])
        replaced = used if options.name == AUTO else None
        resolved, embedder = self._load_embedder(options, replaced)
        target = self._target_set(embedder, resolved, replaced)
        job = EmbedJob(
            corpus=self.corpus,
            store=self.stores(),
            embedder=embedder,
            target=target,
            report_progress=report_progress,
            on_first_vectors=self.corpus.keep_vector_set,
        )
        job.all()
        self.corpus.keep_vector_set(job.target)  # even if no vectors were missing
        # Switch only now that all vectors exist: a killed rebuild leaves the old set in use.
        self.corpus.use_vector_set(target.table)
        for each in self.corpus.vector_sets():
            if each.embedder == target.embedder and each.table != target.table:
                self._remove_set(each.table)
        self._remove_leftovers()
        notes = job.doubts if job.documents or job.failed else (_ALREADY_THERE,)
        report = IngestReport(embedded=job.documents, embedder=resolved.name, notes=[*notes])
        report.note_failed(job.failed, self.corpus)
        return report

    def price(self, embedder: str | VectorOptions = AUTO) -> EmbeddingCost | None:
        """Return the cost of computing vectors with an embedder; None if it is free.

        Raises:
            InvalidInput, Unavailable: the embedder is not available.
        """
        options = VectorOptions.of(embedder, trust=self.trust)
        replaced = self.corpus.vector_set() if options.name == AUTO else None
        name = replaced.embedder if replaced else options.name
        if name in {AUTO, NONE} or not registry.has_cost(name):
            return None
        _, loaded = self._load_embedder(options, replaced)
        there = self._completable_sets(loaded, replaced)
        bare = self.corpus.stream_unembedded(there[-1].table if there else "")
        documents = ((text, segments) for _, text, segments in bare)
        return estimate_cost(loaded, documents) if isinstance(loaded, CostlyEmbedder) else None

    def drop(self, name: str) -> tuple[int, int]:
        """Delete an embedder's sets of vectors that are not in use; return number and bytes.

        Raises:
            NotFound: there is no such set.
            Conflict: the set is in use.
        """
        used = self.corpus.vector_set()
        names = {name, registry.resolve_embedder_name(name)}
        named = [each for each in self.corpus.vector_sets() if names & {each.embedder, each.table}]
        idle = [each for each in named if each != used]
        command = self.stores().command
        if not named:
            raise NotFound(
                f"there are no vectors of {name!r}",
                f"{suggest_word(name, [each.embedder for each in self.corpus.vector_sets()])}"
                f"list all vectors with: {command('lab vectors list')}",
            )
        if not idle:
            raise Conflict(
                f"the vectors of {name!r} are in use",
                f"stop using the vectors first: {command()} --embedder none",
            )
        size = sum(self._remove_set(each.table) for each in idle)
        self._remove_leftovers()
        return len(idle), size

    def _stop_using(self, used: VectorSet | None) -> IngestReport:
        self.corpus.use_vector_set("")
        if used is None:
            return IngestReport(embedder=NONE)
        name = shlex.quote(used.embedder)
        command = self.stores().command
        note = (
            f"the vectors of {used.embedder!r} are kept;"
            f" to use them again: {command()} --embedder {name};"
            f" to delete them: {command('lab vectors delete')} {name}"
        )
        return IngestReport(embedder=NONE, notes=[note])

    def _find_complete_set(
        self, options: VectorOptions, used: VectorSet | None
    ) -> VectorSet | None:
        names = {options.name, registry.resolve_embedder_name(options.name)}
        for each in reversed(self.corpus.vector_sets()):
            alike = each.embedder in names and each != used and each.segmenter == SEGMENTER
            same = options.how(each.embedder, each) == (each.base_url, each.asked_dimensions)
            if alike and same and not each.instant and not self.corpus.unembedded(each.table, 1):
                return each if self._is_complete(each) else None
        return None

    def _load_embedder(
        self, options: VectorOptions, replaced: VectorSet | None
    ) -> tuple[VectorOptions, Embedder]:
        """Return the embedder, of a set to be replaced or as requested, with its options."""
        if replaced is not None:
            self.check_stored(replaced.embedder)
        missing: list[Unavailable] = []
        used = self.corpus.vector_set()
        sets = self.corpus.vector_sets()
        for name in candidate_names(replaced.embedder if replaced else options.name):
            known = [each for each in sets if each.embedder == name]
            former = used if used in known else next(reversed(known), None)
            base_url, dimensions = options.how(name, former)
            try:
                embedder = self.load(
                    name,
                    base_url=base_url,
                    dimensions=dimensions,
                    timeout=options.timeout,
                    max_retries=options.max_retries,
                    trust=options.trust.naming(options.base_url),
                )
            except Unavailable as error:
                missing.append(error)
            else:
                return VectorOptions(name, base_url, dimensions), embedder
        raise missing[0]

    def _target_set(
        self, embedder: Embedder, options: VectorOptions, replaced: VectorSet | None
    ) -> VectorSet:
        """Return the set of vectors to fill: an existing set of the embedder, or a new set."""
        from tui_annotate.storage.vectors.store import table_name

        there = self._completable_sets(embedder, replaced)
        if there:
            table = there[-1].table
            if not self._is_complete(there[-1]):
                self.corpus.forget_embedded(table)
                self.stores().drop(table)
        else:
            name = table_name(embedder.name, embedder.version, SEGMENTER)
            taken = {each.table for each in self.corpus.vector_sets()}
            numbered = (f"{name}-{number}" for number in count(2))
            table = next(each for each in chain((name,), numbered) if each not in taken)
            self._remove_set(table)  # remains of a killed run
        return set_of(embedder, options, table=table, known=there[-1] if there else None)

    def _completable_sets(self, embedder: Embedder, replaced: VectorSet | None) -> list[VectorSet]:
        from tui_annotate.storage.vectors.store import is_table_of

        whose = {"embedder": embedder.name, "version": embedder.version, "segmenter": SEGMENTER}
        there = [each for each in self.corpus.vector_sets() if is_table_of(each.table, **whose)]
        return there[there.index(replaced) + 1 :] if replaced in there else there

    def _is_complete(self, vector_set: VectorSet) -> bool:
        table = vector_set.table
        known, _ = self.corpus.embedded(table)
        if not known:
            return True
        try:
            documents, _ = self.stores().size(table)
            if vector_set.token_dimensions:
                documents = min(documents, self.stores().token_documents(table))
        except Unavailable:
            return False
        return documents >= known

    def _remove_set(self, table: str) -> int:
        size = self.stores().bytes(table)
        self.corpus.drop_vector_set(table)
        self.stores().drop(table)
        return size

    def _remove_leftovers(self) -> None:
        """Remove vectors that belong to no set, and empty sets of vectors."""
        store = self.stores()
        used = self.corpus.vector_set()
        with store.writing():
            there = store.tables()
            known = self.corpus.vector_sets()
            for each in known:
                idle = each.table not in there and each != used
                if idle and not self.corpus.embedded(each.table)[0]:
                    self.corpus.drop_vector_set(each.table)
            for table in set(there) - {each.table for each in known}:
                store.drop(table)


def estimate_cost(costly: CostlyEmbedder, documents: Iterable[Segmented]) -> EmbeddingCost:
    """Return the cost of embedding the sentences of documents, in requests of a job's size."""
    total = EmbeddingCost()
    texts: list[str] = []
    for text, segments in documents:
        texts += [text[start:end] for start, end in segments]
        if len(texts) >= SLOW_ROWS:
            total += costly.cost(texts)
            texts = []
    return total + costly.cost(texts)


def select_new_documents(
    corpus: CorpusStore, records: Iterable[Record], sentences: SegmentationPool
) -> Iterator[Segmented]:
    """Yield each document of imported samples that is not yet stored, without duplicates."""
    with closing(NameRegister()) as seen:
        for number, record in enumerate(records):
            documents = {document.sha256: document for document in record.sample.documents}
            stored = corpus.known_documents([*documents], SEGMENTER)
            new = [
                document
                for name, document in documents.items()
                if name not in stored and seen.remember(name, str(number)) == str(number)
            ]
            tasks = sentences.submit([(document.text, document.language) for document in new])
            yield from zip(
                (document.text for document in new), sentences.result(tasks), strict=True
            )
