"""Imports samples: reads them in batches, splits texts into sentences, and stores them."""

from __future__ import annotations

import json
import shlex
import time
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import count, takewhile
from typing import TYPE_CHECKING

from tui_annotate.domain.plural import format_count
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import DatasetDescription, Problem, Record
from tui_annotate.domain.samples import SampleKey, SampleKind, Segment
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins.record_validation import NameRegister
from tui_annotate.services.ingest.callbacks import IngestCallbacks
from tui_annotate.services.ingest.files import IngestFiles
from tui_annotate.services.ingest.report import IngestReport
from tui_annotate.services.ingest.sentences import SegmentationPool, SegmentationTask
from tui_annotate.services.ingest.vectors import DocumentEmbedder

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore, NewSample
    from tui_annotate.storage.log.annotation_store import AnnotationStore


Records = Iterable[Record | Problem]

_BATCH_RECORDS = 50
_BATCH_CHARACTERS = 200_000
"""Number of code points that an import stores in one transaction, in about 20 ms."""
_TEXTS_STORED = (
    "the accepted texts are stored; while their vectors are computed, you can annotate in another"
    " terminal with: tui-annotate annotate"
)
_MAX_PENDING_CHARACTERS = 2_000_000
"""Maximum number of code points of imported texts that wait to be split into sentences."""


@dataclass(slots=True)
class _Batch:
    """Records that an import stores together.

    `damaged`: stored samples of which a text was damaged since, and is stored again.
    `columns`: maps a dataset and the columns of a table to whether the table has new texts.
    `first_rows`: number of the first row in each dataset whose ids are row numbers.
    """

    fresh: dict[SampleKey, Record] = field(default_factory=dict)
    damaged: dict[SampleKey, Record] = field(default_factory=dict)
    with_work: list[Record] = field(default_factory=list)
    columns: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)
    first_rows: dict[str, int] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    tasks: Sequence[SegmentationTask] = ()
    size: int = 0


class ChangedTexts(Enum):
    """What an import does with stored samples whose texts it would change."""

    REFUSE = auto()
    REPLACE_WITHOUT_WORK = auto()
    """Replace the texts of samples that have no annotations or assignments."""
    REPLACE_AND_DELETE_WORK = auto()
    """Replace the texts of all samples, and delete the work on them."""


@dataclass(slots=True)
class IngestRun:
    """One import of samples, which checks or stores them.

    Attributes:
        records: the samples and problems to import; `check` and `store` each iterate them once.
        datasets: the datasets for which annotations were imported.
    """

    corpus: CorpusStore
    annotations: AnnotationStore
    records: Records
    callbacks: IngestCallbacks
    workers: int = 1
    changed_texts: ChangedTexts = ChangedTexts.REFUSE
    report: IngestReport = field(default_factory=IngestReport)
    datasets: set[str] = field(default_factory=set)
    _descriptions: dict[str, DatasetDescription] = field(default_factory=dict)
    _with_columns: frozenset[str] = frozenset()
    _start_time: float = field(default_factory=time.monotonic)
    _records_read: int = 0
    _in_flight: dict[SampleKey, str] = field(default_factory=dict)
    _versions: dict[str, list[str]] = field(default_factory=dict)
    _pending_documents: set[str] = field(default_factory=set)
    _known_only_in_import: int = 0
    """Number of repetitions in the import of samples that the store does not have."""
    _changed_samples: int = 0
    _restored_samples: int = 0
    _altered: dict[str, str] | None = None
    _numbered: set[str] = field(default_factory=set)

    @property
    def _files(self) -> IngestFiles | None:
        """The records if they are those of files; None for records of a caller."""
        return self.records if isinstance(self.records, IngestFiles) else None

    @property
    def _replaces(self) -> bool:
        return self.changed_texts is not ChangedTexts.REFUSE

    def check(self) -> Iterator[tuple[Record, bool]]:
        """Yield each sample that an import accepts, and whether it replaces a stored sample."""
        with closing(NameRegister()) as seen:
            for batch in self._batches():
                stored = self.corpus.known([record.sample.key for record in batch])
                for number, record in enumerate(batch):
                    yield from self._count_record(
                        record,
                        stored.get(record.sample.key),
                        seen=seen,
                        position=f"{self._records_read}.{number}",
                    )
                self._report_progress("checking")

    def _count_record(
        self, record: Record, stored: str | None, *, seen: NameRegister, position: str
    ) -> Iterator[tuple[Record, bool]]:
        """Count a record, and yield it as `check` does; nothing if it is refused.

        Args:
            stored: the hash of the stored sample's texts; None if there is no such sample.
            seen: the hash and the position at which each sample was first seen.
            position: identifies the record among all records.
        """
        key = record.sample.key
        digest = _digest(record)
        before, _, first = seen.remember(json.dumps(key), f"{digest} {position}").partition(" ")
        if before != digest or (not self._replaces and stored not in {None, digest}):
            self._refuse(record)
        elif first != position or stored == digest:
            self.report.known += 1
            self._known_only_in_import += stored is None
            yield record, False
        elif stored is None:
            self.report.added += 1
            yield record, False
        else:
            self.report.replaced += 1
            yield record, True

    def refuse_all(self) -> IngestReport:
        """Return the report of `check` for an import that stores nothing because of a refusal.

        What would have been stored is not counted; `known` counts the samples that the store has.
        """
        self.report.refuse_all()
        self.report.known -= self._known_only_in_import
        self._known_only_in_import = 0
        return self.report

    def store(self) -> None:
        """Store imported samples in order, while other processes split texts into sentences."""
        self._with_columns = frozenset(self.corpus.used_columns())
        window: deque[_Batch] = deque()
        with SegmentationPool(self.workers) as sentences:
            for found in self._batches():
                window.append(self._admit(found, sentences))
                while sum(batch.size for batch in window) > _MAX_PENDING_CHARACTERS:
                    self._write(window.popleft(), sentences)
            while window:
                self._write(window.popleft(), sentences)
        self._store_descriptions()
        if self._restored_samples:
            where = format_count(self._restored_samples, "sample")
            self.report.notes.append(f"this import restored the damaged texts of {where}")
        if self._changed_samples:
            where = format_count(self._changed_samples, "sample")
            self.report.notes.append(
                f"this import changed ratings, comments or states of an earlier import in {where}"
            )

    def _store_descriptions(self) -> None:
        about = self._files.options.about if self._files else DatasetDescription()
        stored = self.corpus.descriptions()
        for dataset, found in self._descriptions.items():
            known = stored.get(dataset, DatasetDescription())
            wanted = about.completed(known).completed(found)
            if wanted != known:
                self.corpus.describe_dataset(dataset, wanted)

    def _store_columns(self, batch: _Batch) -> None:
        """Store the columns of new texts, and of known texts of a dataset without columns."""
        stored = self.corpus.used_columns() if batch.columns else {}
        for (dataset, columns), is_new in batch.columns.items():
            kept = stored.get(dataset, [])
            if columns not in kept[:1] and (is_new or dataset not in self._with_columns):
                stored[dataset] = [columns, *(each for each in kept if each != columns)]
                self.corpus.keep_columns(dataset, stored[dataset])

    def embed(self, vectors: DocumentEmbedder) -> None:
        """Compute the missing vectors of all stored documents, and add the result to the report."""
        if self.callbacks.progress is not None and vectors.is_slow:
            self.callbacks.progress(TaskProgress("vectors", 0, share=0.0, note=_TEXTS_STORED))
        vectors.catch_up(self.callbacks.time_embedding())
        self.report.embedded = vectors.embedded
        self.report.embedder = vectors.name
        self.report.note_failed(vectors.failed, self.corpus)
        self.report.notes += vectors.notes
        self.report.embedder_note = vectors.better

    def _admit(self, records: Sequence[Record], sentences: SegmentationPool) -> _Batch:
        batch = _Batch()
        stored_texts = self.corpus.known([record.sample.key for record in records])
        unchanged: list[Record] = []
        for record in records:
            key = record.sample.key
            digest = _digest(record)
            stored = self._in_flight.get(key) or stored_texts.get(key)
            is_repeated = self._in_flight.get(key) == digest
            if stored == digest and (not self._replaces or is_repeated):
                unchanged.append(record)
                self.report.known += 1
                if record.sample.kind is SampleKind.DOCUMENT:
                    self.report.known_documents += 1
            elif stored is None or (self._replaces and key not in self._in_flight):
                self._in_flight[key] = digest
                batch.fresh[key] = record
            else:
                self._refuse(record)
                continue
            if record.columns:
                table = (key.dataset, record.columns)
                batch.columns[table] = batch.columns.get(table, False) or stored != digest
            if record.first_row is not None:
                batch.first_rows[key.dataset] = record.first_row
            if record.annotations or record.assignments or record.questions:
                batch.with_work.append(record)
            if record.about or key.dataset not in self._descriptions:
                self._descriptions[key.dataset] = record.about
        self._take_damaged(batch, unchanged)
        self._warn_of_groups(unchanged)
        self._submit_texts(batch, sentences)
        return batch

    def _take_damaged(self, batch: _Batch, unchanged: Sequence[Record]) -> None:
        """Add the unchanged samples with a damaged text to a batch, which stores the text again.

        A damaged text is split in its stored language, also if this import has another one: its
        segments become those of the record of changes.
        """
        # Texts of a new dataset need no replay of the record.
        if self._altered is None and (unchanged or self._replaces):
            self._altered = self.corpus.altered_documents()
        languages = self._damaged_languages([*batch.fresh.values(), *unchanged])
        damaged = {
            record.sample.key: record for record in unchanged if _has_text(record, languages)
        }
        batch.damaged = {key: _with_languages(record, languages) for key, record in damaged.items()}
        for key, record in batch.fresh.items():
            if _has_text(record, languages):
                batch.fresh[key] = _with_languages(record, languages)

    def _damaged_languages(self, records: Iterable[Record]) -> dict[str, str]:
        names = {each.sha256 for record in records for each in record.sample.documents}
        return self.corpus.damaged_documents(sorted(names), self._altered or {}) if names else {}

    def _warn_of_groups(self, unchanged: Sequence[Record]) -> None:
        """Warn of groups that a stored sample does not get: an import changes no stored sample."""
        grouped = [record for record in unchanged if record.sample.group]
        stored = self.corpus.groups([record.sample.key for record in grouped])
        for record in grouped:
            key = record.sample.key
            group = record.sample.group
            before = stored.get(key, group)
            if before != group:
                name = f"the group {before!r}" if before else "no group"
                self._note_problem(
                    Problem(
                        record.where or str(key),
                        f"sample {key} is already stored with {name}, not with {group!r}",
                        "to change the groups of stored samples: tui-annotate datasets replace"
                        f" {shlex.quote(key.dataset)} {self._file_arguments(record)}",
                        refused=False,
                    )
                )

    def _submit_texts(self, batch: _Batch, sentences: SegmentationPool) -> None:
        documents = {
            document.sha256: document
            for record in (*batch.fresh.values(), *batch.damaged.values())
            for document in record.sample.documents
        }
        if not self._replaces:  # a replacement may delete stored documents before this batch
            wanted = [name for name in documents if name not in self._pending_documents]
            stored = self.corpus.known_documents(wanted, SEGMENTER)
            stored -= (self._altered or {}).keys()
            documents = {name: documents[name] for name in wanted if name not in stored}
            self._pending_documents |= documents.keys()
        batch.texts = {name: place for place, name in enumerate(documents)}
        texts = [(document.text, document.language) for document in documents.values()]
        batch.size = sum(len(text) for text, _ in texts)
        batch.tasks = sentences.submit(texts)

    def _write(self, batch: _Batch, sentences: SegmentationPool) -> None:
        segments = sentences.result(batch.tasks)
        records = (*batch.fresh.values(), *batch.damaged.values())
        samples = [_new_sample(record, batch, segments) for record in records]
        if samples and not self._replaces:
            self.corpus.add(samples, segmenter=SEGMENTER)
            self.report.added += len(batch.fresh)
            left = self._damaged_languages(batch.damaged.values())
            self._restored_samples += sum(
                not _has_text(record, left) for record in batch.damaged.values()
            )
        elif samples:
            replaced, added = self.corpus.replace(
                samples,
                segmenter=SEGMENTER,
                with_annotations=self.changed_texts is ChangedTexts.REPLACE_AND_DELETE_WORK,
            )
            self.report.replaced += replaced
            self.report.added += added
            self.report.known += len(samples) - replaced - added
        self._store_columns(batch)
        for dataset, number in batch.first_rows.items():
            if dataset not in self._numbered:
                self.corpus.keep_first_row(dataset, number)
                self._numbered.add(dataset)
        if batch.with_work:
            counts = self.annotations.import_records(batch.with_work)
            self.report.annotations += counts.added
            self.report.annotations_known += counts.known
            self.report.annotations_deleted_earlier += counts.buried
            self.datasets |= {
                record.sample.dataset for record in batch.with_work if record.annotations
            }
            self._changed_samples += counts.changed
            for doubt in counts.doubts:
                self._note_problem(doubt)
        for key in batch.fresh:
            del self._in_flight[key]
        self._pending_documents -= batch.texts.keys()
        self.report.documents += len(batch.texts)
        self.report.segments += sum(map(len, segments))
        stored = self.report.added or self.report.known or self.report.replaced
        self._report_progress("storing" if stored else "reading")

    def _batches(self) -> Iterator[list[Record]]:
        """Yield the records in batches, and count and report the problems between them.

        The last batch may be empty: after it, the progress of all records is reported.
        """
        batch: list[Record] = []
        size = 0
        for record in self.records:
            if isinstance(record, Problem):
                if record.refused and not record.whole_file:
                    self._records_read += 1
                self._note_problem(record)
                continue
            self._records_read += 1
            batch.append(record)
            size += sum(len(document.text) for document in record.sample.documents)
            if len(batch) >= _BATCH_RECORDS or size >= _BATCH_CHARACTERS:
                yield batch
                batch = []
                size = 0
        yield batch

    def _file_arguments(self, record: Record) -> str:
        """Return the arguments that name a record's file in a command; see `IngestFiles`."""
        return self._files.command_arguments(record.where) if self._files else "FILE"

    def _list_versions(self, name: str) -> list[str]:
        """Return the stored further versions of a dataset: NAME-2, NAME-3, ..., in this order."""
        if name not in self._versions:
            stored = {each.name for each in self.corpus.datasets()}
            following = (f"{name}-{number}" for number in count(2))
            self._versions[name] = list(takewhile(stored.__contains__, following))
        return self._versions[name]

    def _refuse(self, record: Record) -> None:
        """Report a sample with other texts than the stored ones of its key.

        It is known if a further version of the dataset has its texts, as the report of an earlier
        import advised.
        """
        key = record.sample.key
        versions = self._list_versions(key.dataset)
        stored_digests = self.corpus.known([SampleKey(version, key.id) for version in versions])
        digest = _digest(record)
        kept = [each for each, stored_digest in stored_digests.items() if stored_digest == digest]
        has_work = bool(record.annotations or record.assignments or record.questions)
        if kept and not has_work:
            self.report.known += 1
            self._note_problem(
                Problem(
                    record.where or str(key),
                    f"sample {key} is stored with different texts; those of the file are stored as"
                    f" {kept[0]}",
                    refused=False,
                )
            )
            return
        file = self._file_arguments(record)
        stored = shlex.quote(key.dataset)
        new = kept[0].dataset if kept else f"{key.dataset}-{len(versions) + 2}"
        hints = [
            f"to keep both texts: tui-annotate ingest --dataset {shlex.quote(new)} {file}",
            f"to replace the stored texts: tui-annotate datasets replace {stored} {file}",
        ]
        if record.columns:
            columns = (
                "if the stored texts come from other columns, name them with"
                " --source-column NAME --summary-column NAME"
            )
            hints.insert(0, columns)
        self._note_problem(
            Problem(
                record.where or str(key),
                f"sample {key} is already stored with different texts; the screen shows the stored"
                " texts, not those of the file",
                "; ".join(hints),
            )
        )

    def _note_problem(self, problem: Problem) -> None:
        self.report.note_problem(problem)
        if self.callbacks.problem is not None:
            self.callbacks.problem(problem)

    def _report_progress(self, phase: str) -> None:
        if self.callbacks.progress is not None:
            report = self.report
            self.callbacks.progress(
                TaskProgress(
                    phase,
                    self._records_read,
                    added=report.added,
                    known=report.known + report.replaced,
                    refused=report.refused,
                    share=self._files.share() if self._files else None,
                    seconds=time.monotonic() - self._start_time,
                )
            )


def _digest(record: Record) -> str:
    # Late import: segmentation processes need no SQL.
    from tui_annotate.storage.corpus.store import hash_texts

    return hash_texts(record.sample)


def _has_text(record: Record, hashes: Container[str]) -> bool:
    return any(document.sha256 in hashes for document in record.sample.documents)


def _with_languages(record: Record, languages: Mapping[str, str]) -> Record:
    """Return a record whose documents have the languages that are given by their hashes."""
    documents = tuple(
        replace(document, language=languages.get(document.sha256, document.language))
        for document in record.sample.documents
    )
    return replace(record, sample=replace(record.sample, documents=documents))


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
