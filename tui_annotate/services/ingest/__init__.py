"""Imports samples in batches; a repeated import adds nothing, and resumes an interrupted one.

Texts are stored in the SQL database first, in short transactions; vectors follow, as a cache that
the database keeps track of. A record that contradicts stored data is refused; nothing is
overwritten unless requested.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import Conflict, InvalidInput, InvalidLabels, NotFound, Unavailable
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import Problem, Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.services.ingest.callbacks import IngestCallbacks
from tui_annotate.services.ingest.files import IngestFiles
from tui_annotate.services.ingest.options import (
    AUTO,
    NONE,
    EmbedderLoader,
    VectorOptions,
    allow_stored,
)
from tui_annotate.services.ingest.report import IngestOutcome, IngestReport
from tui_annotate.services.ingest.run import ChangedTexts, IngestRun, Records
from tui_annotate.services.ingest.sentences import SegmentationPool
from tui_annotate.services.ingest.vector_sets import (
    VectorSetInfo,
    VectorSets,
    estimate_cost,
    select_new_documents,
)
from tui_annotate.services.ingest.vectors import DocumentEmbedder

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore
    from tui_annotate.storage.vectors.store import VectorStore

__all__ = [
    "AUTO",
    "NONE",
    "IngestFiles",
    "IngestOutcome",
    "IngestReport",
    "IngestService",
    "Sample",
    "TaskProgress",
    "VectorOptions",
    "VectorSetInfo",
]


_RUNS_NOTE = (
    "existing documents keep only the names of the runs that they were imported with; to add the"
    " new run names, import all runs again with: tui-annotate datasets replace NAME (texts and"
    " annotations stay unchanged)"
)


@check_keywords
@dataclass(frozen=True, slots=True)
class IngestService:
    """Imports samples and annotations into a workspace.

    Attributes:
        workers: number of processes that segment texts; 0: one for each processor.
        trust: the endpoints that may receive texts; None for none but those that the caller names.
        check_stored: raises NotAllowed for an embedder of the store that may not be loaded.
    """

    corpus: CorpusStore
    annotations: AnnotationStore
    stores: Callable[[], VectorStore]
    load: EmbedderLoader = registry.load_embedder
    workers: int = 0
    labels: Callable[[str], LabelTree] | None = None
    trust: EndpointTrust | None = None
    check_stored: Callable[[str], None] = allow_stored

    def run(
        self,
        records: Records,
        *,
        embedder: str | VectorOptions = AUTO,
        embed: bool = True,
        strict: bool = False,
        dry_run: bool = False,
        progress: Callable[[TaskProgress], None] | None = None,
        problem: Callable[[Problem], None] | None = None,
    ) -> IngestReport:
        """Import new samples with their annotations.

        Args:
            records: `IngestFiles`, or any iterable; iterated twice if `strict`.
            embedder: a name, `auto` for the workspace's embedder, `none`, or full options.
            embed: whether to compute missing vectors; if False, a later import computes them.
            strict: store nothing if one record or annotation is refused.
            dry_run: check all records and estimate the cost of the vectors, but store nothing.

        Raises:
            Conflict: the workspace has another embedder.
            InvalidInput: `strict` is set, and `records` can be read only once.
            NotAllowed: only the workspace names the embedder's endpoint, and the user does not
                trust it; nothing is stored.
            NotFound, Unavailable: a file or store cannot be opened; or the embedder of a new
                workspace failed, after the texts were stored.
        """
        began = time.monotonic()
        if embed and not dry_run:
            self.sets.require_trust(embedder)
        vectors = self._vectors(embedder)
        callbacks = IngestCallbacks(progress, problem)
        self._give_stored_samples(records)
        if strict:
            _require_readable_twice(records, "strict")
        if strict or dry_run:
            run = self._run(records, callbacks)
            checked = run.check()
            if dry_run:
                run.report.cost = self._price_records((record for record, _ in checked), vectors)
            for _ in checked:
                pass
            run.report.dry_run = dry_run
            refused = run.report.is_partial
            if strict and refused:
                run.refuse_all()
            if dry_run or refused:
                return _finish_report(run, began, vectors.name)
            callbacks = IngestCallbacks(progress)  # warnings were already reported
        run = self._run(records, callbacks)
        run.store()
        if embed:
            run.embed(vectors)
        self._count_unknown_labels(run)
        return _finish_report(run, began, vectors.name)

    @earlier_keywords(with_annotations="delete_annotations")
    def replace(
        self,
        records: Records,
        *,
        dataset: str,
        delete_annotations: bool = False,
        embedder: str | VectorOptions = AUTO,
        progress: Callable[[TaskProgress], None] | None = None,
        problem: Callable[[Problem], None] | None = None,
    ) -> IngestReport:
        """Replace the samples of a dataset by imported samples.

        The records are read twice. Work on unchanged samples is kept. Nothing changes if a record
        is refused.

        Raises:
            NotFound: the dataset does not exist.
            Conflict: work would be lost and `delete_annotations` is False; or the embedder differs.
            InvalidInput: a record belongs to another dataset, or the records can be read only once.
            NotAllowed: as for `run`.
        """
        began = time.monotonic()
        _require_readable_twice(records, "replace")
        self._give_stored_samples(records)
        stored = set(self.corpus.keys(dataset))
        if not stored:
            raise unknown_dataset(dataset, [each.name for each in self.corpus.datasets()])
        self.sets.require_trust(embedder)
        vectors = self._vectors(embedder)
        changed_texts = (
            ChangedTexts.REPLACE_AND_DELETE_WORK
            if delete_annotations
            else ChangedTexts.REPLACE_WITHOUT_WORK
        )
        checked = self._run(
            records, IngestCallbacks(progress, problem), changed_texts=changed_texts
        )
        changed: set[SampleKey] = set()
        gone = stored
        for record, other_texts in checked.check():
            if record.sample.dataset != dataset:
                raise InvalidInput(
                    f"sample {record.sample.key} does not belong to dataset {dataset!r}",
                    f"import all samples into one dataset with: --dataset {shlex.quote(dataset)}",
                )
            gone.discard(record.sample.key)
            if other_texts:
                changed.add(record.sample.key)
        if checked.report.refused or checked.report.files_refused:
            checked.refuse_all()
            return _finish_report(checked, began, vectors.name)
        if not delete_annotations:
            self._refuse_lost_work(dataset, changed | gone)
        run = self._run(records, IngestCallbacks(progress), changed_texts=changed_texts)
        run.store()
        self.corpus.remove_samples(sorted(gone), with_annotations=delete_annotations)
        run.report.deleted = len(gone)
        run.embed(vectors)
        self._count_unknown_labels(run)
        return _finish_report(run, began, vectors.name)

    @property
    def sets(self) -> VectorSets:
        return VectorSets(self.corpus, self.stores, self.load, self.trust, self.check_stored)

    def _price_records(
        self, records: Iterator[Record], vectors: DocumentEmbedder
    ) -> EmbeddingCost | None:
        costly = vectors.costly()
        if costly is None:
            return None
        with SegmentationPool(self._workers) as sentences:
            bare = (
                (text, segments)
                for _, text, segments in self.corpus.stream_unembedded(vectors.table)
            )
            return estimate_cost(
                costly, chain(select_new_documents(self.corpus, records, sentences), bare)
            )

    @property
    def _workers(self) -> int:
        return self.workers or os.cpu_count() or 1

    def _vectors(self, embedder: str | VectorOptions) -> DocumentEmbedder:
        asked = VectorOptions.of(embedder, trust=self.trust)
        return DocumentEmbedder(
            self.corpus,
            stores=self.stores,
            load=self.load,
            options=asked,
            check_stored=self.check_stored,
        )

    def _give_stored_samples(self, records: Records) -> None:
        """Give file readers the stored samples, and the columns and first rows of earlier imports.

        The files remember what they choose, also when they are read again.
        """
        if isinstance(records, IngestFiles):
            records.stored = self.corpus.sample_or_none
            used = self.corpus.used_columns() | records.options.used_columns
            records.options = replace(
                records.options, used_columns=used, first_rows=self.corpus.first_rows()
            )

    def _run(
        self,
        records: Records,
        callbacks: IngestCallbacks,
        *,
        changed_texts: ChangedTexts = ChangedTexts.REFUSE,
    ) -> IngestRun:
        return IngestRun(
            self.corpus,
            self.annotations,
            records=records,
            callbacks=callbacks,
            workers=self._workers,
            changed_texts=changed_texts,
        )

    def _count_unknown_labels(self, run: IngestRun) -> None:
        if self.labels is None or not run.report.annotations:
            return
        odd: set[LabelPath] = set()
        places: set[str] = set()
        with suppress(InvalidLabels, NotFound, Unavailable):
            sets = {name: self.labels(name) for name in run.datasets}
            for each, count in self.annotations.labellings(run.datasets).items():
                lost = {path for path in each.labels if sets[each.dataset].find(path) is None}
                if lost:
                    run.report.annotations_with_unknown_labels += count
                    places.add(each.dataset)
                    odd |= lost
        run.report.unknown_labels = len(odd)
        run.report.datasets_with_unknown_labels = sorted(places)

    def _refuse_lost_work(self, dataset: str, keys: set[SampleKey]) -> None:
        worked = [
            record.sample.key
            for record in self.corpus.records(RecordFilter(dataset=dataset))
            if record.sample.key in keys and (record.annotations or record.assignments)
        ]
        if worked:
            raise Conflict(
                "samples with annotations or assignments would change or be removed:"
                f" {len(worked):,}, for example {worked[0]}",
                "export the annotations first; to delete them, add --delete-annotations",
            )


def _require_readable_twice(records: Records, what: str) -> None:
    if iter(records) is records:
        message = f"{what} reads the records twice, but an iterator can be read only once"
        raise InvalidInput(message, "pass the records as a list", code="records-read-once")


def _finish_report(run: IngestRun, began: float, embedder: str) -> IngestReport:
    report = run.report
    report.embedder = embedder
    report.seconds = time.monotonic() - began
    if report.known_documents and report.added:
        report.notes.append(_RUNS_NOTE)
    return report
