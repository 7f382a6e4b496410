"""Lets users browse the samples of a data file; reads the file once into an index.

No workspace is created. Sentences are segmented only for the opened sample, so that a file of
200,000 samples opens as fast as it can be read.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.labels import Label, LabelTree
from tui_annotate.domain.people import Person
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.files.inputs import input_size
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions, ReadMeter
from tui_annotate.storage.corpus.file_index import FileIndex

_BATCH_RECORDS: Final = 500
_BATCH_CHARACTERS: Final = 2_000_000
_CACHED_CHARACTERS: Final = 2_000_000
"""Maximum total length, in code points, of the documents whose sentences are cached."""
_LONGEST_PATH: Final = 20


@dataclass(frozen=True, slots=True)
class BrowsedSample:
    """A sample of a file, with the work on it that the file contains; `position` counts from 0."""

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]
    annotations: tuple[OwnedAnnotation, ...]
    assignments: tuple[Assignment, ...]
    position: int
    total: int


@dataclass(slots=True)
class FileLoadResult:
    """Number of samples read from a file, of records refused, and of warnings."""

    taken: int = 0
    refused: int = 0
    doubts: int = 0


class FileBrowser:
    """Samples of a data file that users browse; threads may share an object."""

    def __init__(self, index: FileIndex, known: LabelTree) -> None:
        self.index = index
        self._known = known
        self._lock = Lock()
        self._segments: OrderedDict[str, tuple[Segment, ...]] = OrderedDict()

    @cached_property
    def labels(self) -> LabelTree:
        """All labels in a browsed data file, as a label set."""
        return build_label_tree(self.index.labels, self._known)

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """People whose work the file contains, sorted by name."""
        return tuple(sorted(self.index.people.values(), key=lambda one: (one.name, one.id)))

    def open(self, key: SampleKey) -> BrowsedSample:
        """Load a sample with its annotations in the file, and split it; NotFound if unknown."""
        record, position = self.index.record(key)
        return BrowsedSample(
            sample=record.sample,
            segments=tuple(self._find_segments(document) for document in record.sample.documents),
            annotations=_in_reading_order(record),
            assignments=record.assignments,
            position=position,
            total=self.index.total,
        )

    def _find_segments(self, document: Document) -> tuple[Segment, ...]:
        with self._lock:
            if document.sha256 in self._segments:
                self._segments.move_to_end(document.sha256)
                return self._segments[document.sha256]
        found = segment(document.text, document.language)
        with self._lock:
            self._segments[document.sha256] = found
            while sum(each[-1].end for each in self._segments.values() if each) > (
                _CACHED_CHARACTERS
            ):
                self._segments.popitem(last=False)
        return found

    def first(self, name: str = "") -> SampleKey | None:
        """Return the key of a sample by name, default the first, None if empty; or NotFound."""
        return self.index.find(name) if name else self.index.key(1)


def _in_reading_order(record: Record) -> tuple[OwnedAnnotation, ...]:
    known: set[str] = set()
    found = []
    for owned in sorted(record.annotations, key=_reading_position):
        annotation = owned.annotation
        name = annotation.id
        number = 1
        while name in known:
            number += 1
            name = f"{annotation.id} ({number})"
        known.add(name)
        found.append(replace(owned, annotation=replace(annotation, id=name)))
    return tuple(found)


def _reading_position(owned: OwnedAnnotation) -> tuple[bool, list[tuple[int, int, int]], str]:
    annotation = owned.annotation
    anchors = annotation.claim or annotation.evidence
    positions = [(index, span.start, span.end) for _, index, span in anchors]
    return not annotation.claim, positions, owned.person


def build_label_tree(used: Counter[LabelPath], known: LabelTree) -> LabelTree:
    """Build a label set from the labels in a data file, ordered as in the label set `known`."""
    ranks = {label.path: at for at, label in enumerate(known.walk())}
    named = [path for path in used if 0 < len(path) <= _LONGEST_PATH]
    order = sorted(named, key=lambda path: (ranks.get(path, len(ranks)), -used[path]))
    children: dict[LabelPath, dict[LabelPath, None]] = {}
    for path in order:
        for length in range(1, len(path) + 1):
            children.setdefault(path[: length - 1], {})[path[:length]] = None
    colors = {label.path: label.color for label in known.walk()}

    def build(path: LabelPath) -> Label:
        below = tuple(build(child) for child in children.get(path, ()))
        return Label(path, color=colors.get(path, ""), children=below)

    roots = tuple(build(path) for path in children.get((), ()))
    return LabelTree(roots, "", known.source_title, known.summary_title)


@dataclass(frozen=True, slots=True)
class FileLoader:
    """Loads a data file of samples; detects the file format if `format` is empty."""

    format: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)
    problem: Callable[[Problem], None] = lambda _: None
    progress: Callable[[TaskProgress], None] = lambda _: None

    @contextmanager
    def browse(
        self, source: Path, known: LabelTree
    ) -> Iterator[tuple[FileBrowser, FileLoadResult]]:
        """Open a data file of samples for browsing; temporary data is deleted at the end.

        Raises:
            NotFound, InvalidInput, Unavailable: same as for `run`, or the file has no valid record.
        """
        with closing(FileIndex()) as index:
            result = self.run(source, index)
            if not result.taken:
                raise InvalidInput(
                    f"{source} contains no valid sample",
                    "fix the problems that are listed above",
                    code="no-sample",
                )
            yield FileBrowser(index, known), result

    def run(self, source: Path, index: FileIndex) -> FileLoadResult:
        """Add a file's valid samples to an index; or NotFound, InvalidInput, Unavailable."""
        name = self.format or detect(source, self.options)
        meter = ReadMeter(input_size(source))
        result = FileLoadResult()
        began = time.monotonic()
        importer = registry.load("importers", name)
        with registry.guard_plugin("importers", name):
            read = importer.read(source, replace(self.options, meter=meter))
            for batch in self._batches(read, result):
                for record, error in index.add(batch):
                    self._note(Problem(record.where, error.message, error.hint), result)
                result.taken = index.total
                share = min(meter.done / meter.total, 1.0) if meter.total else None
                seconds = time.monotonic() - began
                self.progress(TaskProgress("reading", result.taken, share=share, seconds=seconds))
        return result

    def _batches(
        self, items: Iterator[Record | Problem], result: FileLoadResult
    ) -> Iterator[list[Record]]:
        batch: list[Record] = []
        size = 0
        for item in items:
            if isinstance(item, Problem):
                self._note(item, result)
            elif error := _check_record(item):
                self._note(Problem(item.where, error.message, error.hint), result)
            else:
                batch.append(item)
                size += sum(len(document.text) for document in item.sample.documents)
            if len(batch) >= _BATCH_RECORDS or size >= _BATCH_CHARACTERS:
                yield batch
                batch = []
                size = 0
        yield batch

    def _note(self, problem: Problem, result: FileLoadResult) -> None:
        if problem.refused:
            result.refused += 1
        else:
            result.doubts += 1
        self.problem(problem)


def _check_record(record: Record) -> TuiAnnotateError | None:
    """Return the reason why a sample cannot be displayed, for example invalid spans; else None."""
    try:
        for owned in record.annotations:
            for side, index, span in owned.annotation.anchors:
                span.of(record.sample.document(side, index).text)
    except TuiAnnotateError as error:
        return error
    return None if record.sample.documents else InvalidInput("the sample has no documents")
