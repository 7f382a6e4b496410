"""One run of an ingest: batches admitted, segmented ahead, written in order, then embedded."""

from __future__ import annotations

import json
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Kind, SampleKey, Segment
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins.admission import Seen
from tui_annotate.services.ingest.files import Files
from tui_annotate.services.ingest.report import IngestReport, Progress
from tui_annotate.services.ingest.sentences import Sentences, Ticket
from tui_annotate.services.ingest.vectors import Vectors

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore, NewSample
    from tui_annotate.storage.work.store import AnnotationStore

Records = Iterable[Record | Problem]

_BATCH_RECORDS = 50
_BATCH_CHARACTERS = 200_000
"""A batch is one transaction: this much holds the lock for some 20 ms."""
_AHEAD = 2_000_000
"""Code points handed to the segmenters before the oldest batch is waited for."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Whom to tell; both may be None."""

    progress: Callable[[Progress], None] | None = None
    problem: Callable[[Problem], None] | None = None


@dataclass(slots=True)
class _Batch:
    """Records on their way in together.

    Attributes:
        fresh: those to be stored, by key.
        told: those with annotations or assignments, whether new or known.
        texts: by hash, the place in the ticket of each document that is segmented.
        size: code points to be segmented.
    """

    fresh: dict[SampleKey, Record] = field(default_factory=dict)
    told: list[Record] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)
    ticket: Ticket = field(default_factory=lambda: Ticket([]))
    size: int = 0


class Run:
    """Reads records once, to look at them or to store them; what happened stands in `report`.

    Args:
        workers: processes that segment.
        exchange: whether samples that are stored get the texts of the records; then the argument
            is what `CorpusStore.replace` is told of their annotations.
    """

    def __init__(
        self,
        corpus: CorpusStore,
        annotations: AnnotationStore,
        *,
        watcher: Watcher,
        workers: int = 1,
        exchange: bool | None = None,
    ) -> None:
        self.report = IngestReport()
        self.datasets: set[str] = set()
        self._corpus = corpus
        self._annotations = annotations
        self._watcher = watcher
        self._workers = workers
        self._exchange = exchange
        self._began = time.monotonic()
        self._read = 0
        self._share: Callable[[], float | None] = lambda: None
        self._in_flight: dict[SampleKey, str] = {}
        self._segmenting: set[str] = set()
        self._bare_documents = self._bare_segments = 0
        self._changed = 0

    # looking ------------------------------------------------------------------------------------

    def check(self, records: Records) -> Iterator[tuple[Record, bool]]:
        """Counts what storing would do, and tells of what it would refuse.

        Gives each record that would be taken, and whether it brings other texts for a stored key.
        """
        with closing(Seen()) as seen:
            for batch in self._batches(records):
                known = self._corpus.known([record.sample.key for record in batch])
                for number, record in enumerate(batch):
                    yield from self._checked(record, known, seen, place=f"{self._read}.{number}")
                self._tell("checking")

    def _checked(
        self, record: Record, known: dict[SampleKey, str], seen: Seen, *, place: str
    ) -> Iterator[tuple[Record, bool]]:
        key, digest = record.sample.key, _digest(record)
        before, _, first = seen.first(json.dumps(key), f"{digest} {place}").partition(" ")
        stored = known.get(key)
        if before != digest or (self._exchange is None and stored not in {None, digest}):
            self._refuse(record)
        elif first != place or stored == digest:
            self.report.known += 1
            yield record, False
        elif stored is None:
            self.report.added += 1
            yield record, False
        else:
            self.report.replaced += 1
            yield record, True

    # storing ------------------------------------------------------------------------------------

    def store(self, records: Records, vectors: Vectors) -> None:
        """Segments ahead, writes in the order of the records, embeds what can not wait."""
        window: deque[_Batch] = deque()
        with Sentences(self._workers) as sentences:
            for found in self._batches(records):
                window.append(self._admitted(found, sentences))
                while sum(batch.size for batch in window) > _AHEAD:
                    self._write(window.popleft(), sentences)
                    self._embed_some(vectors)
                    self._tell("storing")
            while window:
                self._write(window.popleft(), sentences)
                self._embed_some(vectors)
                self._tell("storing")
        self.report.tell_changed(self._changed)

    def embed(self, vectors: Vectors) -> None:
        """Makes all vectors that are missing, also those of a run that was killed."""
        self._began = time.monotonic()
        vectors.catch_up(self._tell_embedded)
        self.report.embedded = vectors.embedded
        self.report.embedder = vectors.name
        self.report.notes += vectors.notes
        self.report.better = vectors.better

    def _admitted(self, records: Sequence[Record], sentences: Sentences) -> _Batch:
        batch = _Batch()
        known = self._corpus.known([record.sample.key for record in records])
        for record in records:
            key, digest = record.sample.key, _digest(record)
            stored = self._in_flight.get(key) or known.get(key)
            if stored == digest and self._exchange is None:
                self.report.known += 1
                self.report.known_documents += record.sample.kind is Kind.DOCUMENT
            elif stored is None or (self._exchange is not None and key not in self._in_flight):
                self._in_flight[key] = digest
                batch.fresh[key] = record
            else:
                self._refuse(record)
                continue
            if record.annotations or record.assignments:
                batch.told.append(record)
        self._hand_in(batch, sentences)
        return batch

    def _hand_in(self, batch: _Batch, sentences: Sentences) -> None:
        documents = {
            document.sha256: document
            for record in batch.fresh.values()
            for document in record.sample.documents
        }
        if self._exchange is None:  # an exchange may drop what is there before its turn comes
            wanted = [name for name in documents if name not in self._segmenting]
            stored = self._corpus.known_documents(wanted, SEGMENTER)
            documents = {name: documents[name] for name in wanted if name not in stored}
            self._segmenting |= documents.keys()
        batch.texts = {name: place for place, name in enumerate(documents)}
        texts = [(document.text, document.language) for document in documents.values()]
        batch.size = sum(len(text) for text, _ in texts)
        batch.ticket = sentences.submit(texts)

    def _write(self, batch: _Batch, sentences: Sentences) -> None:
        segments = sentences.result(batch.ticket)
        samples = [_new_sample(record, batch, segments) for record in batch.fresh.values()]
        if samples and self._exchange is None:
            self._corpus.add(samples, segmenter=SEGMENTER)
            self.report.added += len(samples)
        elif samples:
            replaced, added = self._corpus.replace(
                samples, segmenter=SEGMENTER, with_annotations=bool(self._exchange)
            )
            self.report.replaced += replaced
            self.report.added += added
            self.report.known += len(samples) - replaced - added
        if batch.told:
            counts = self._annotations.import_records(batch.told)
            self.report.count_work(counts)
            self.datasets |= {record.sample.dataset for record in batch.told if record.annotations}
            self._changed += counts.changed
            for doubt in counts.doubts:
                self._note(doubt)
        for key in batch.fresh:
            del self._in_flight[key]
        self._segmenting -= batch.texts.keys()
        self._count(len(batch.texts), sum(map(len, segments)))

    def _count(self, documents: int, segments: int) -> None:
        self.report.documents += documents
        self.report.segments += segments
        self._bare_documents += documents
        self._bare_segments += segments

    def _embed_some(self, vectors: Vectors) -> None:
        if vectors.due(self._bare_segments):
            vectors.catch_up(lambda *_: None, documents=self._bare_documents)
            self._bare_documents = self._bare_segments = 0

    # telling ------------------------------------------------------------------------------------

    def _batches(self, records: Records) -> Iterator[list[Record]]:
        if isinstance(records, Files):
            self._share = records.share
        batch: list[Record] = []
        size = 0
        for record in records:
            self._read += 1
            if isinstance(record, Problem):
                self._read -= not record.refused
                self._note(record)
                continue
            batch.append(record)
            size += sum(len(document.text) for document in record.sample.documents)
            if len(batch) >= _BATCH_RECORDS or size >= _BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
        yield batch

    def _refuse(self, record: Record) -> None:
        key = record.sample.key
        self._note(
            Problem(
                record.where or str(key),
                f"sample {key} is stored with other texts",
                "files that use the same ids for other texts need a --dataset each; to exchange "
                f"the texts: tui-annotate dataset replace {shlex.quote(key.dataset)} FILE",
            )
        )

    def _note(self, problem: Problem) -> None:
        self.report.note_problem(problem)
        if self._watcher.problem is not None:
            self._watcher.problem(problem)

    def _tell(self, phase: str) -> None:
        if self._watcher.progress is not None:
            report = self.report
            self._watcher.progress(
                Progress(
                    phase,
                    self._read,
                    added=report.added,
                    known=report.known + report.replaced,
                    refused=report.refused,
                    share=self._share(),
                    seconds=time.monotonic() - self._began,
                )
            )

    def _tell_embedded(self, documents: int, share: float) -> None:
        if self._watcher.progress is not None:
            seconds = time.monotonic() - self._began
            self._watcher.progress(Progress("vectors", documents, share=share, seconds=seconds))


def _digest(record: Record) -> str:
    from tui_annotate.storage.corpus.store import text_digest  # SQL, which a worker does not need

    return text_digest(record.sample)


def _new_sample(
    record: Record, batch: _Batch, segments: Sequence[tuple[Segment, ...]]
) -> NewSample:
    from tui_annotate.storage.corpus.store import NewSample

    return NewSample(
        record.sample,
        tuple(
            segments[batch.texts[document.sha256]] if document.sha256 in batch.texts else ()
            for document in record.sample.documents
        ),
    )
