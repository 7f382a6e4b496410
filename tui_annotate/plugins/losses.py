"""Counts the data of a sample that a file format cannot store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from tui_annotate.domain.annotations import ADJUDICATED, HUMAN, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import MAJORITY, SETTLED
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Request, SampleKind, Side
from tui_annotate.plugins.protocols import ExportReport
from tui_annotate.plugins.traits import OWN, FormatTraits, Loss, RecordTrait


class LossCounter:
    """Counter of data that an export loses because of its format.

    `about` describes the format. `own` is the format's name for work without a named annotator: the
    person's id, and the part of the origin after `imported:`.
    """

    def __init__(self, about: FormatTraits, report: ExportReport, *, own: str = "") -> None:
        self._report = report
        self._own = own
        self._first_dataset: str | None = None
        # `write_counted` of the exports counts lost descriptions of datasets, once per dataset.
        self._lost = [trait for trait in about.lost if trait is not RecordTrait.ABOUT]
        keeps_own_originals = about.carried.get(RecordTrait.IMPORTED) == OWN
        if keeps_own_originals:
            self._lost.append(RecordTrait.IMPORTED)
        kept_format = own if keeps_own_originals else ""
        # A format that can mark a sample as completed without annotations has no other states: an
        # import reads each sample in the file as completed.
        is_completed = RecordTrait.EMPTY in about.carried
        self._counters: Mapping[RecordTrait, Callable[[Record], int]] = {
            **_RECORD_COUNTERS,
            RecordTrait.DATASET: self._count_dataset,
            RecordTrait.ANNOTATOR: self._count_annotators,
            RecordTrait.ORIGIN: self._count_origins,
            RecordTrait.IMPORTED: lambda record: count_originals(record, but=kept_format),
            RecordTrait.STATE: _count_incomplete if is_completed else _count_states,
            RecordTrait.TIME: self._count_times,
        }

    def count(self, record: Record) -> None:
        """Count what the format loses of a record that is exported.

        Call it for each exported record, in file order, and for no other record.
        """
        self._count_traits(record)

    def _count_traits(self, record: Record, *, but: RecordTrait | None = None) -> None:
        for trait in self._lost:
            if trait is but:
                continue
            if trait in self._counters:
                lost = self._counters[trait](record)
            else:
                of_annotation = _ANNOTATION_COUNTERS[trait]
                lost = sum(of_annotation(owned.annotation) for owned in record.annotations)
            self._report.count_loss(trait.value, lost)

    def count_lost_annotations(self, record: Record) -> None:
        """Count what is lost if a sample is exported without its annotations and annotators."""
        self._report.count_loss(Loss.ANNOTATIONS.value, len(record.annotations))
        annotated = {owned.person for owned in record.annotations}
        others = tuple(work for work in record.assignments if work.person not in annotated)
        self._count_traits(
            replace(record, annotations=(), assignments=others), but=RecordTrait.UNREAD
        )
        if RecordTrait.UNREAD in self._lost:
            self._report.count_loss(RecordTrait.UNREAD.value, _is_unread(record))

    def count_excluded(self, record: Record, reason: str) -> None:
        """Count a record that is not exported, and its annotations.

        The reason is a member of `Loss`, or a plural such as `samples with a pipe`.
        """
        self._report.count_loss(str(reason))
        self._report.count_loss(Loss.ITEM_ANNOTATIONS.value, len(record.annotations))

    def check_read(self, record: Record) -> bool:
        """Return whether anyone completed or annotated a sample; otherwise count it as not read.

        It is for formats that hold the work of one annotator, which leave out samples that are not
        read: such a sample would look like one that was read without any finding. A sample that was
        only begun or skipped counts as not read. In formats that write such a sample, `count`
        counts its state instead.
        """
        if record.annotations or list_finished_people(record):
            return True
        self._report.count_loss(RecordTrait.UNREAD.value)
        return False

    def check_pair(self, record: Record) -> tuple[Document, Document] | None:
        """Return a sample's only source and summary; count any other sample as lost."""
        sources = record.sample.side(Side.SOURCE)
        summaries = record.sample.side(Side.SUMMARY)
        if len(sources) == 1 and len(summaries) == 1:
            return sources[0], summaries[0]
        self.count_excluded(record, Loss.NO_PAIR)
        return None

    def _count_dataset(self, record: Record) -> int:
        """Return 1 for a sample of another dataset than the first counted sample, otherwise 0."""
        if self._first_dataset is None:
            self._first_dataset = record.sample.dataset
        return record.sample.dataset != self._first_dataset

    def _count_annotators(self, record: Record) -> int:
        named = {owned.person for owned in record.annotations}
        named |= {work.person for work in record.assignments if _is_begun(work)}
        return len(named - {self._own, SETTLED, MAJORITY})

    def _count_origins(self, record: Record) -> int:
        carried = {HUMAN, f"imported:{self._own}"}
        return sum(owned.annotation.origin not in carried for owned in record.annotations)

    def _count_times(self, record: Record) -> int:
        annotations = [owned.annotation for owned in record.annotations]
        timed = sum(bool(one.created or one.updated) for one in annotations)
        return timed + sum(
            bool(
                work.seconds
                # The time of imported work without a named annotator is that of the import.
                or (work.updated and _is_begun(work) and work.person != self._own)
            )
            for work in record.assignments
        )


def _is_begun(work: Assignment) -> bool:
    return work.state is not State.NEW


def _is_unread(record: Record) -> bool:
    return not record.annotations and not any(map(_is_begun, record.assignments))


def list_finished_people(record: Record) -> set[str]:
    """Return the ids of the annotators who completed a sample, with or without annotations."""
    return {work.person for work in record.assignments if work.state is State.DONE}


def count_originals(record: Record, *, but: str = "") -> int:
    """Count original records stored with an imported sample, except records in one format."""
    original = record.sample.imported
    annotations = [owned.annotation for owned in record.annotations]
    count = sum(bool(one.imported) and one.origin != f"imported:{but}" for one in annotations)
    return count + bool(original and not (but and original.get("format") == but))


def _count_overlapping(record: Record) -> int:
    spans = sorted(
        (anchor.index, anchor.span.start, anchor.span.end)
        for owned in record.annotations
        for anchor in owned.annotation.claim
    )
    reached = (-1, 0)
    count = 0
    for index, start, end in spans:
        count += (index, start) < reached
        reached = max(reached, (index, end))
    return count


def _count_incomplete(record: Record) -> int:
    """Count states that are lost if an import reads each sample as completed.

    These are the states of work that was begun and not completed, and of annotators whose work has
    no state.
    """
    annotated = {owned.person for owned in record.annotations}
    begun = {work.person for work in record.assignments if _is_begun(work)}
    completed = list_finished_people(record)
    return len(begun - completed) + len(annotated - begun)


def _count_states(record: Record) -> int:
    """Count states that are lost if an import reads no states.

    Work that was completed without annotations is lost under the name of `RecordTrait.EMPTY`.
    """
    annotated = {owned.person for owned in record.annotations}
    return sum(
        _is_begun(work) and (work.state is not State.DONE or work.person in annotated)
        for work in record.assignments
    )


_RECORD_COUNTERS: Final[Mapping[RecordTrait, Callable[[Record], int]]] = {
    RecordTrait.OVERLAP: _count_overlapping,
    RecordTrait.EMPTY: lambda record: len(
        list_finished_people(record) - {owned.person for owned in record.annotations}
    ),
    # Work that was begun loses its state, see `RecordTrait.STATE`.
    RecordTrait.UNREAD: _is_unread,
    RecordTrait.OPINION: lambda record: sum(
        bool(work.rating or work.comment) for work in record.assignments
    ),
    RecordTrait.META: lambda record: len(record.sample.meta),
    RecordTrait.GROUP: lambda record: bool(record.sample.group),
    RecordTrait.REQUEST: lambda record: record.sample.request != Request(),
    RecordTrait.KIND: lambda record: record.sample.kind is not SampleKind.PAIR,
    RecordTrait.TITLE: lambda record: sum(
        bool(document.key or document.title) for document in record.sample.documents
    ),
    RecordTrait.TEXTS: lambda record: bool(record.sample.side(Side.SOURCE)),
}
_ANNOTATION_COUNTERS: Final[Mapping[RecordTrait, Callable[[Annotation], int]]] = {
    RecordTrait.FRAGMENTS: lambda one: len(one.claim) > 1,
    RecordTrait.LINK: lambda one: bool(one.claim and one.evidence),
    RecordTrait.EVIDENCES: lambda one: max(len(one.evidence) - 1, 0),
    RecordTrait.TREE: lambda one: sum(len(path) > 1 for path in one.labels),
    RecordTrait.NOTE: lambda one: bool(one.note),
    RecordTrait.SEVERAL: lambda one: max(len(one.labels) - 1, 0),
    RecordTrait.BARE: lambda one: not one.labels,
    RecordTrait.UNCLAIMED: lambda one: not one.claim,
    RecordTrait.VERSION: lambda one: one.version > 1 or bool(one.label_set or one.guidelines),
    RecordTrait.TRACE: lambda one: one.trace is not None,
    RecordTrait.SETTLED: lambda one: one.settled is not None and one.origin == ADJUDICATED,
    RecordTrait.SUGGESTED: lambda one: one.suggested is not None,
}
