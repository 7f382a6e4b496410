"""Imports samples: reads them in batches, splits texts into sentences, and stores them."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.progress import TaskProgress, replies_from
from tui_annotate.domain.records import DatasetDescription, Problem, Record, count_kind
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Segment
from tui_annotate.methods.segmentation import SEGMENTER, list_languages
from tui_annotate.plugins.files.inputs import input_size
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import EmbeddingCost, ImportOptions, ReadMeter
from tui_annotate.plugins.reader_guard import (
    choose_columns,
    make_file_problem,
    read_guarded,
    reads_jointly,
    refuses_one_file,
)
from tui_annotate.plugins.record_validation import NameRegister, is_utf8
from tui_annotate.services.ingest.embed_job import EmbeddingProgress, FailedSentence
from tui_annotate.services.ingest.former_names import needs_former_name
from tui_annotate.services.ingest.sentences import SegmentationPool, SegmentationTask
from tui_annotate.services.ingest.vectors import DocumentEmbedder

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore, NewSample
    from tui_annotate.storage.log.annotation_store import AnnotationStore


KEPT_PROBLEMS = 1000


class IngestOutcome(StrEnum):
    """Whether all, some or none of the imported samples, with all spans, are stored by now."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedText:
    """A sentence without a vector, as the embedder failed for it.

    Attributes:
        document: key of the document among those of its side; may be empty.
        start, end: position of the sentence in the document, in code points.
    """

    dataset: str
    sample: str
    side: str
    document: str
    start: int
    end: int
    reason: str


@dataclass(slots=True)
class IngestReport:
    """Numbers of imported samples, problems and notes that result from an import.

    Attributes:
        known: number of samples that were already stored with the same texts.
        files_refused: number of whole files that were skipped; they count as no samples.
        spans_refused: number of spans and annotations that their samples were imported without.
        known_documents: number of `known` samples that are documents of collections.
        annotations_removed: number of annotations that are not imported again, as users deleted
            them.
        problem_kinds: number of problems of each kind.
        outside: number of annotations with labels outside the label set.
        failed: number of sentences without a vector, as the embedder failed for them; a later run
            computes them.
        failed_texts: the first of these sentences.
        cost: cost of the vectors that a dry run found missing; None if they are free.
    """

    added: int = 0
    known: int = 0
    known_documents: int = 0
    replaced: int = 0
    removed: int = 0
    refused: int = 0
    files_refused: int = 0
    doubts: int = 0
    spans_refused: int = 0
    documents: int = 0
    segments: int = 0
    annotations: int = 0
    annotations_known: int = 0
    annotations_removed: int = 0
    suggestions: int = 0
    outside: int = 0
    outside_labels: int = 0
    outside_in: list[str] = field(default_factory=list)
    embedded: int = 0
    embedder: str = ""
    failed: int = 0
    failed_texts: list[FailedText] = field(default_factory=list)
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    problem_kinds: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    better: str = ""
    cost: EmbeddingCost | None = None
    dry: bool = False
    strict: bool = False

    @property
    def outcome(self) -> IngestOutcome:
        """Which of the samples and spans are stored by now, also from earlier imports."""
        if self.strict or not self.added + self.known + self.replaced:
            return IngestOutcome.NONE
        return IngestOutcome.SOME if self.is_partial else IngestOutcome.ALL

    @property
    def is_partial(self) -> bool:
        """Whether a file, a record, a span or a field was refused."""
        return self.refused + self.files_refused + self.spans_refused > 0

    @property
    def problem_count(self) -> int:
        return self.refused + self.files_refused + self.doubts

    def note_failed(self, failed: Sequence[FailedSentence], corpus: CorpusStore) -> None:
        """Count sentences for which the embedder failed, and name the first ones."""
        self.failed += len(failed)
        shown = failed[:KEPT_PROBLEMS]
        uses = corpus.locate_documents({each.document for each in shown})
        for each in shown:
            key, side, document = uses[each.document]
            self.failed_texts.append(
                FailedText(
                    dataset=key.dataset,
                    sample=key.id,
                    side=side.value,
                    document=document,
                    start=each.segment.start,
                    end=each.segment.end,
                    reason=each.reason,
                )
            )

    def note_problem(self, problem: Problem) -> None:
        """Count a problem, in total and by kind; only the first problems are kept."""
        if problem.whole_file:
            self.files_refused += 1
        elif problem.refused:
            self.refused += 1
        else:
            self.doubts += 1
            if problem.refuses_part:
                self.spans_refused += 1
        count_kind(self.problem_kinds, problem)
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(problem)


Records = Iterable[Record | Problem]

_BATCH_RECORDS = 50
_BATCH_CHARACTERS = 200_000
"""Number of code points that an import stores in one transaction, in about 20 ms."""
_TEXTS_STORED = (
    "all texts are stored; while their vectors are computed, you can annotate in another terminal"
    " with: tui-annotate annotate"
)
_MAX_PENDING_CHARACTERS = 2_000_000
"""Maximum number of code points of imported texts that wait to be split into sentences."""


@dataclass(frozen=True, slots=True)
class IngestCallbacks:
    """Functions to which an ingest reports its progress and the problems in files."""

    progress: Callable[[TaskProgress], None] | None = None
    problem: Callable[[Problem], None] | None = None

    def time_embedding(self) -> EmbeddingProgress:
        """Return a function that reports the progress of vectors, with the time from now on."""
        began = time.monotonic()

        def report(documents: int, share: float, host: str) -> None:
            if self.progress is not None:
                self.progress(
                    TaskProgress(
                        "vectors",
                        documents,
                        share=share,
                        seconds=time.monotonic() - began,
                        waiting=replies_from(host),
                    )
                )

        return report


@dataclass(slots=True)
class _Batch:
    """Records that an import stores together.

    `damaged`: stored samples of which a text was damaged since, and is stored again.
    `columns`: maps a dataset and the columns of a table to whether the table has new texts.
    """

    fresh: dict[SampleKey, Record] = field(default_factory=dict)
    damaged: dict[SampleKey, Record] = field(default_factory=dict)
    with_work: list[Record] = field(default_factory=list)
    columns: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    tasks: Sequence[SegmentationTask] = ()
    size: int = 0


@dataclass(slots=True)
class IngestRun:
    """One import of samples, which checks or stores them.

    Attributes:
        exchange: None refuses changed texts of stored samples; False replaces texts of samples
            without work; True also replaces texts of samples with work, and deletes the work.
    """

    corpus: CorpusStore
    annotations: AnnotationStore
    watcher: IngestCallbacks
    workers: int = 1
    exchange: bool | None = None
    report: IngestReport = field(default_factory=IngestReport)
    datasets: set[str] = field(default_factory=set)
    _about: DatasetDescription = field(default_factory=DatasetDescription)
    _files: IngestFiles | None = None
    _descriptions: dict[str, DatasetDescription] = field(default_factory=dict)
    _with_columns: frozenset[str] = frozenset()
    _start_time: float = field(default_factory=time.monotonic)
    _records_read: int = 0
    _fraction_read: Callable[[], float | None] = lambda: None
    _in_flight: dict[SampleKey, str] = field(default_factory=dict)
    _pending_documents: set[str] = field(default_factory=set)
    _changed_samples: int = 0
    _restored_samples: int = 0
    _altered: dict[str, str] | None = None

    def check(self, records: Records) -> Iterator[tuple[Record, bool]]:
        """Yield each sample that an import accepts, and whether it replaces a stored sample."""
        with closing(NameRegister()) as seen:
            for batch in self._batches(records):
                known = self.corpus.known([record.sample.key for record in batch])
                for number, record in enumerate(batch):
                    yield from self._check_record(
                        record, known, seen, place=f"{self._records_read}.{number}"
                    )
                self._report_progress("checking")

    def _check_record(
        self, record: Record, known: dict[SampleKey, str], seen: NameRegister, *, place: str
    ) -> Iterator[tuple[Record, bool]]:
        key = record.sample.key
        digest = _digest(record)
        before, _, first = seen.remember(json.dumps(key), f"{digest} {place}").partition(" ")
        stored = known.get(key)
        if before != digest or (self.exchange is None and stored not in {None, digest}):
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

    def store(self, records: Records) -> None:
        """Store imported samples in order, while other processes split texts into sentences."""
        self._with_columns = frozenset(self.corpus.used_columns())
        window: deque[_Batch] = deque()
        with SegmentationPool(self.workers) as sentences:
            for found in self._batches(records):
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
        stored = self.corpus.descriptions()
        for dataset, found in self._descriptions.items():
            known = stored.get(dataset, DatasetDescription())
            wanted = self._about.completed(known).completed(found)
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
        if self.watcher.progress is not None and vectors.is_slow:
            self.watcher.progress(TaskProgress("vectors", 0, share=0.0, note=_TEXTS_STORED))
        vectors.catch_up(self.watcher.time_embedding())
        self.report.embedded = vectors.embedded
        self.report.embedder = vectors.name
        self.report.note_failed(vectors.failed, self.corpus)
        self.report.notes += vectors.notes
        self.report.better = vectors.better

    def _admit(self, records: Sequence[Record], sentences: SegmentationPool) -> _Batch:
        batch = _Batch()
        known = self.corpus.known([record.sample.key for record in records])
        same: list[Record] = []
        for record in records:
            key = record.sample.key
            digest = _digest(record)
            stored = self._in_flight.get(key) or known.get(key)
            is_repeated = self._in_flight.get(key) == digest
            if stored == digest and (self.exchange is None or is_repeated):
                same.append(record)
                self.report.known += 1
                if record.sample.kind is SampleKind.DOCUMENT:
                    self.report.known_documents += 1
            elif stored is None or (self.exchange is not None and key not in self._in_flight):
                self._in_flight[key] = digest
                batch.fresh[key] = record
            else:
                self._refuse(record)
                continue
            if record.columns:
                table = (key.dataset, record.columns)
                batch.columns[table] = batch.columns.get(table, False) or stored != digest
            if record.annotations or record.assignments or record.questions:
                batch.with_work.append(record)
            if record.about or key.dataset not in self._descriptions:
                self._descriptions[key.dataset] = record.about
        self._take_damaged(batch, same)
        self._warn_of_groups(same)
        self._submit_texts(batch, sentences)
        return batch

    def _take_damaged(self, batch: _Batch, known: Sequence[Record]) -> None:
        """Add the known samples with a damaged text to a batch, which stores the text again.

        A damaged text is split in its stored language, also if this import has another one: its
        segments become those of the record of changes.
        """
        # Texts of a new dataset need no replay of the record.
        if self._altered is None and (known or self.exchange is not None):
            self._altered = self.corpus.altered_documents()
        languages = self._damaged_languages([*batch.fresh.values(), *known])
        damaged = {record.sample.key: record for record in known if _has_text(record, languages)}
        batch.damaged = {key: _with_languages(record, languages) for key, record in damaged.items()}
        for key, record in batch.fresh.items():
            if _has_text(record, languages):
                batch.fresh[key] = _with_languages(record, languages)

    def _damaged_languages(self, records: Iterable[Record]) -> dict[str, str]:
        names = {each.sha256 for record in records for each in record.sample.documents}
        return self.corpus.damaged_documents(sorted(names), self._altered or {}) if names else {}

    def _warn_of_groups(self, known: Sequence[Record]) -> None:
        """Warn of groups that a known sample does not get: an import changes no stored sample."""
        grouped = [record for record in known if record.sample.group]
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
                        f" {shlex.quote(key.dataset)} {self._file_words(record)}",
                        refused=False,
                    )
                )

    def _submit_texts(self, batch: _Batch, sentences: SegmentationPool) -> None:
        documents = {
            document.sha256: document
            for record in (*batch.fresh.values(), *batch.damaged.values())
            for document in record.sample.documents
        }
        if self.exchange is None:  # an exchange may delete stored documents before this batch
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
        if samples and self.exchange is None:
            self.corpus.add(samples, segmenter=SEGMENTER)
            self.report.added += len(batch.fresh)
            left = self._damaged_languages(batch.damaged.values())
            self._restored_samples += sum(
                not _has_text(record, left) for record in batch.damaged.values()
            )
        elif samples:
            replaced, added = self.corpus.replace(
                samples, segmenter=SEGMENTER, with_annotations=bool(self.exchange)
            )
            self.report.replaced += replaced
            self.report.added += added
            self.report.known += len(samples) - replaced - added
        self._store_columns(batch)
        if batch.with_work:
            counts = self.annotations.import_records(batch.with_work)
            self.report.annotations += counts.added
            self.report.annotations_known += counts.known
            self.report.annotations_removed += counts.buried
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
        self._report_progress("storing")

    def _batches(self, records: Records) -> Iterator[list[Record]]:
        if isinstance(records, IngestFiles):
            self._fraction_read = records.share
            self._about = records.options.about
            self._files = records
        batch: list[Record] = []
        size = 0
        for record in records:
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

    def _file_words(self, record: Record) -> str:
        """Return the file of a record with its reading options, as a command has them at its end.

        `FILE` for a record that was not read from a file of the user.
        """
        files = self._files
        if files is None:
            return "FILE"
        named = [
            path
            for path in files.paths
            if record.where.startswith(f"{path}:")
            or record.where.startswith(f"{path}{os.sep}")
            or record.where == str(path)
        ]
        if not named and len(files.paths) == 1:
            named = [*files.paths]
        if not named or not Path(str(named[0])).exists():  # a copy of standard input
            return "FILE"
        words = ["--from", files.format] if files.format else []
        words += ["--encoding", files.options.encoding] if files.options.encoding != "utf-8" else []
        return shlex.join([*words, str(max(named, key=lambda path: len(str(path))))])

    def _new_dataset(self, name: str) -> str:
        """Return a name for a second version of a dataset that no dataset has."""
        taken = {each.name for each in self.corpus.datasets()}
        return next(new for number in count(2) if (new := f"{name}-{number}") not in taken)

    def _refuse(self, record: Record) -> None:
        key = record.sample.key
        file = self._file_words(record)
        other = shlex.quote(self._new_dataset(key.dataset))
        columns = "to name the stored texts' columns, pass --source-column and --summary-column; "
        self._note_problem(
            Problem(
                record.where or str(key),
                f"sample {key} is already stored with different texts; the screen shows the stored"
                " texts, not those of the file",
                f"{columns if record.columns else ''}"
                f"to keep both texts: tui-annotate ingest --dataset {other} {file};"
                f" to replace the stored texts: tui-annotate datasets replace"
                f" {shlex.quote(key.dataset)} {file}",
            )
        )

    def _note_problem(self, problem: Problem) -> None:
        self.report.note_problem(problem)
        if self.watcher.problem is not None:
            self.watcher.problem(problem)

    def _report_progress(self, phase: str) -> None:
        if self.watcher.progress is not None:
            report = self.report
            self.watcher.progress(
                TaskProgress(
                    phase,
                    self._records_read,
                    added=report.added,
                    known=report.known + report.replaced,
                    refused=report.refused,
                    share=self._fraction_read(),
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


@dataclass(slots=True)
class IngestFiles:
    """The files of an ingest as one stream of samples and problems."""

    paths: Sequence[Path]
    format: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)
    stored: Callable[[SampleKey], Sample | None] | None = None
    _meter: ReadMeter = field(default_factory=ReadMeter, init=False)

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the samples and problems of input files, in the order of the files.

        A file that cannot be read, or whose format is unclear, is a problem if there are others.

        Raises:
            NotFound: a file does not exist.
            InvalidInput: no file can be read, the columns of a table are ambiguous, or the language
                is unknown. Raised before the first record.
            Unavailable: a package is missing.
        """
        language = self.options.language
        if language and language not in list_languages():
            raise InvalidInput(
                f"unknown language {language!r}",
                f"use one of the languages: {', '.join(list_languages())}",
            )
        # A caller who chooses columns has looked at all tables.
        is_new_choice = self.options.choose_columns is None
        if is_new_choice:
            self.options = replace(self.options, chosen_columns={}, stored=self.stored)
        named: list[tuple[Path, str]] = []
        errors: list[InvalidInput] = []
        refused: list[Problem] = []
        for path in self.paths:
            try:
                name = self.format or detect(path, self.options)
                if is_new_choice and not path.is_fifo():  # read only once
                    choose_columns(name, self.options, path)
            except InvalidInput as error:
                if not refuses_one_file(error, self.paths):
                    raise
                errors.append(error)
                refused.append(make_file_problem(path, error))
            else:
                named.append((path, name))
        if errors and not named:
            raise errors[0]
        yield from refused
        self._meter = ReadMeter(sum(map(input_size, self.paths)))
        options = replace(self.options, meter=self._meter, stored=self.stored)
        prefixed = len(self.paths) > 1 and bool(options.dataset)  # else row numbers would repeat
        files = [
            (name, needs_former_name(path, name, options) or options.former_names, path)
            for path, name in named
        ]
        for (name, former, _), group in groupby(files, self._group_key):
            paths = [path for _, _, path in group]
            reading = replace(options, former_names=former)
            try:
                yield from read_guarded(name, reading, *paths, prefixed=prefixed)
            except InvalidInput as error:
                if len(paths) > 1 or not refuses_one_file(error, self.paths):
                    raise
                yield make_file_problem(paths[0], error)

    def _group_key(self, file: tuple[str, bool, Path]) -> tuple[str, bool, str]:
        """Return what files have in common that are read together.

        A file is read alone, so that it is refused without the others, unless its format is read
        from several files. One whose name is not UTF-8 is always read alone.
        """
        name, former, path = file
        is_joint = reads_jointly(name) and is_utf8(path.name)
        return name, former, "" if is_joint else str(path)

    def share(self) -> float:
        """Return the fraction of the input files' bytes that were read so far, in [0, 1]."""
        return min(self._meter.done / self._meter.total, 1.0) if self._meter.total else 1.0
