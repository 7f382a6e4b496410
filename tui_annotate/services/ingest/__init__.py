"""Ingest: records into the store, in batches; once more adds nothing, and a killed run goes on.

Texts go to SQL first, in short transactions; vectors follow, as a cache that SQL keeps account of.
A record that contradicts what is stored is refused; nothing is overwritten unasked.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidLabels,
    NotFound,
    Unavailable,
)
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.nouns import many
from tui_annotate.domain.records import Problem, Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Cost
from tui_annotate.services.ingest.asked import AUTO, NONE, Asked, Load, refuse_unknown
from tui_annotate.services.ingest.costs import fresh, price
from tui_annotate.services.ingest.files import Files
from tui_annotate.services.ingest.report import IngestReport, Outcome, Progress
from tui_annotate.services.ingest.run import Records, Run, Watcher
from tui_annotate.services.ingest.sentences import Sentences
from tui_annotate.services.ingest.sets import SetInfo, Sets
from tui_annotate.services.ingest.vectors import Vectors

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore
    from tui_annotate.storage.work.store import AnnotationStore

__all__ = [
    "AUTO",
    "NONE",
    "Asked",
    "Files",
    "Ingest",
    "IngestReport",
    "Outcome",
    "Progress",
    "SetInfo",
]


@dataclass(frozen=True, slots=True)
class Ingest:
    """Takes records into a workspace.

    Attributes:
        stores: opens the vector store; called at the first need, as it loads LanceDB.
        load: makes an embedder.
        workers: processes that segment; 0 for one a processor.
        labels: the label set of a dataset; None where there is none to hold annotations against.
    """

    corpus: CorpusStore
    annotations: AnnotationStore
    stores: Callable[[], VectorStore]
    load: Load = registry.load_embedder
    workers: int = 0
    labels: Callable[[str], LabelTree] | None = None

    def run(
        self,
        records: Records,
        *,
        embedder: str | Asked = AUTO,
        strict: bool = False,
        dry_run: bool = False,
        progress: Callable[[Progress], None] | None = None,
        problem: Callable[[Problem], None] | None = None,
    ) -> IngestReport:
        """Stores records that are not stored yet, with their annotations.

        Args:
            records: `Files`, or anything that can be iterated; twice where `strict`.
            embedder: a name, `auto` for the workspace's own, or `none`; or more than a name.
            strict: all records are looked at first; if one is refused, nothing is stored.
            dry_run: looks at all records, tells what vectors would cost, and stores nothing.
            progress: called after every batch.
            problem: called for every problem, as the report keeps only the first.

        Raises:
            Conflict: the workspace has another embedder.
            InvalidInput: `strict`, and `records` can be read but once.
            NotFound, Unavailable: a file or a store can not be opened; or a new workspace's
                embedder gave nothing, then the texts are stored.
        """
        began = time.monotonic()
        vectors = self._vectors(embedder)
        watcher = Watcher(progress, problem)
        self._ready(records)
        if strict and iter(records) is records:
            raise InvalidInput("strict needs records that can be read twice", "give a list")
        if strict or dry_run:
            run = self._run(watcher)
            checked = run.check(records)
            if dry_run:
                run.report.cost = self._priced((record for record, _ in checked), vectors)
            for _ in checked:
                pass
            run.report.dry = dry_run
            if dry_run or run.report.refused:
                return _ended(run, began, vectors.name, refused=strict and run.report.refused > 0)
            watcher = Watcher(progress)  # the doubts are told
        run = self._run(watcher)
        run.store(records, vectors)
        run.embed(vectors)
        self._look_at_labels(run)
        return _ended(run, began, vectors.name)

    def replace(
        self,
        records: Records,
        *,
        dataset: str,
        with_annotations: bool = False,
        embedder: str | Asked = AUTO,
        progress: Callable[[Progress], None] | None = None,
        problem: Callable[[Problem], None] | None = None,
    ) -> IngestReport:
        """Makes a dataset what the records are: other texts are exchanged, what they have not goes.

        Work of people on samples whose texts stay is kept. Nothing is changed where a record is
        refused. `records` must be readable twice.

        Raises:
            NotFound: there is no such dataset.
            Conflict: people worked on samples that would change or go, and `with_annotations` is
                False; or the workspace has another embedder.
            InvalidInput: a record is of another dataset, or the records can be read but once.
        """
        began = time.monotonic()
        if iter(records) is records:
            raise InvalidInput("replace needs records that can be read twice", "give a list")
        self._ready(records)
        stored = set(self.corpus.keys(dataset))
        if not stored:
            raise NotFound(f"there is no dataset {dataset!r}", "see: tui-annotate dataset list")
        vectors = self._vectors(embedder)
        looked = self._run(Watcher(progress, problem), exchange=with_annotations)
        changed: set[SampleKey] = set()
        gone = stored
        for record, other_texts in looked.check(records):
            if record.sample.dataset != dataset:
                raise InvalidInput(
                    f"sample {record.sample.key} is not of dataset {dataset!r}",
                    f"name it with --dataset {shlex.quote(dataset)}",
                )
            gone.discard(record.sample.key)
            if other_texts:
                changed.add(record.sample.key)
        if looked.report.refused:
            return _ended(looked, began, vectors.name, refused=True)
        if not with_annotations:
            self._refuse_lost_work(dataset, changed | gone)
        run = self._run(Watcher(progress), exchange=with_annotations)
        run.store(records, vectors)
        self.corpus.remove_samples(sorted(gone), with_annotations=with_annotations)
        run.report.removed = len(gone)
        run.embed(vectors)
        self._look_at_labels(run)
        return _ended(run, began, vectors.name)

    def rebuild(
        self,
        *,
        embedder: str | Asked = AUTO,
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Makes vectors beside those in use, and takes them into use once all are there.

        `auto` makes those in use anew; an embedder that is named gets what it lacks, and what is
        there already costs nothing; `none` is words alone. A killed rebuild is gone on with.

        Raises:
            InvalidInput, Unavailable: the embedder can not be had, or it or the disk failed on
                the way.
        """
        began = time.monotonic()
        asked = Asked.of(embedder)
        refuse_unknown(asked)

        def told(documents: int, share: float) -> None:
            if progress is not None:
                seconds = time.monotonic() - began
                progress(Progress("vectors", documents, share=share, seconds=seconds))

        done = self.sets.rebuild(asked, told)
        return IngestReport(
            embedded=done.embedded,
            embedder=done.name,
            notes=[*done.notes],
            seconds=time.monotonic() - began,
        )

    def price(self, embedder: str | Asked = AUTO) -> Cost | None:
        """What `rebuild` would cost; None where it costs nothing. Nothing is made.

        Raises:
            InvalidInput, Unavailable: the embedder can not be had.
        """
        asked = Asked.of(embedder)
        refuse_unknown(asked)
        return self.sets.price(asked)

    @property
    def sets(self) -> Sets:
        """The sets of vectors: what there is, and what may go."""
        return Sets(self.corpus, self.stores, self.load)

    def _priced(self, records: Iterator[Record], vectors: Vectors) -> Cost | None:
        """What the vectors of new records cost, and those that stored ones lack."""
        costly = vectors.costly()
        if costly is None:
            return None
        with Sentences(self._workers) as sentences:
            bare = ((text, segments) for _, text, segments in self.corpus.bare(vectors.table))
            return price(costly, chain(fresh(self.corpus, records, sentences), bare))

    @property
    def _workers(self) -> int:
        return self.workers or os.cpu_count() or 1

    def _vectors(self, embedder: str | Asked) -> Vectors:
        asked = Asked.of(embedder)
        refuse_unknown(asked)
        return Vectors(self.corpus, stores=self.stores, load=self.load, asked=asked)

    def _ready(self, records: Records) -> None:
        """Tells files what is there already, for formats whose ids depend on it."""
        if isinstance(records, Files):
            records.stored = self._stored

    def _stored(self, key: SampleKey) -> Sample | None:
        """A sample that is there already."""
        with suppress(NotFound):
            return self.corpus.sample(key).sample
        return None

    def _run(self, watcher: Watcher, *, exchange: bool | None = None) -> Run:
        return Run(
            self.corpus,
            self.annotations,
            watcher=watcher,
            workers=self._workers,
            exchange=exchange,
        )

    def _look_at_labels(self, run: Run) -> None:
        """Counts annotations with labels outside their set; none where it can not be read."""
        if self.labels is None or not run.report.annotations:
            return
        odd: set[LabelPath] = set()
        places: set[str] = set()
        with suppress(InvalidLabels, NotFound, Unavailable):
            sets = {name: self.labels(name) for name in run.datasets}
            for each, count in self.annotations.labellings(run.datasets).items():
                lost = {path for path in each.labels if sets[each.dataset].find(path) is None}
                if lost:
                    run.report.outside += count
                    places.add(each.dataset)
                    odd |= lost
        run.report.outside_labels, run.report.outside_in = len(odd), sorted(places)

    def _refuse_lost_work(self, dataset: str, keys: set[SampleKey]) -> None:
        worked = [
            record.sample.key
            for record in self.corpus.records(RecordFilter(dataset=dataset))
            if record.sample.key in keys and (record.annotations or record.assignments)
        ]
        if worked:
            raise Conflict(
                f"people worked on {many(len(worked), 'sample')} whose texts would change or go, "
                f"for example {worked[0]}",
                "export their work first; to drop it as well, add --with-annotations",
            )


def _ended(run: Run, began: float, embedder: str, *, refused: bool = False) -> IngestReport:
    report = run.report
    report.embedder = embedder
    report.seconds = time.monotonic() - began
    report.strict = refused
    report.tell_runs()
    return report
