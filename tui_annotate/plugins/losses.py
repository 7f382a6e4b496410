"""Counts what of a record a format can not carry, by what the format says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tui_annotate.domain.annotations import ADJUDICATED, HUMAN, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.plugins.protocols import Report
from tui_annotate.plugins.traits import About, Trait


class Tally:
    """Counts the losses of one export into its report, record by record.

    Args:
        own: the id, and the part of the origin after `imported:`, that the format's reader gives
            to what names nobody; such work loses no name by it.
    """

    def __init__(self, about: About, report: Report, *, own: str = "") -> None:
        self._report = report
        self._lost = about.lost
        self._assumes = Trait.EMPTY in about.carried
        self._own = own
        self._dataset: str | None = None

    def count(self, record: Record) -> None:
        """Counts a record that is written."""
        for trait in self._lost:
            if trait is Trait.DATASET:
                self._dataset = self._dataset or record.sample.dataset
                self._report.lose(trait.value, record.sample.dataset != self._dataset)
            elif trait is Trait.ANNOTATOR:
                named = {owned.person for owned in record.annotations}
                named |= {work.person for work in record.assignments if _read(work)}
                self._report.lose(trait.value, len(named - {self._own}))
            elif trait is Trait.ORIGIN:
                kept = {HUMAN, f"imported:{self._own}"}
                origins = [owned.annotation.origin for owned in record.annotations]
                self._report.lose(trait.value, sum(origin not in kept for origin in origins))
            elif trait is Trait.STATE:
                self._report.lose(trait.value, _states(record, assumed=self._assumes))
            elif trait in _OF_RECORDS:
                self._report.lose(trait.value, _OF_RECORDS[trait](record))
            else:
                counted = _OF_ANNOTATIONS.get(trait)
                if counted:
                    each = (counted(owned.annotation) for owned in record.annotations)
                    self._report.lose(trait.value, sum(each))

    def pair(self, record: Record) -> tuple[Document, Document] | None:
        """The source and the summary of a sample that has one of each; else counts its loss."""
        sources, summaries = record.sample.side(Side.SOURCE), record.sample.side(Side.SUMMARY)
        if len(sources) == 1 and len(summaries) == 1:
            return sources[0], summaries[0]
        self._report.lose("samples that are no pair")
        self._report.lose("annotations of such samples", len(record.annotations))
        return None


def _read(work: Assignment) -> bool:
    return work.state is not State.NEW


def finished(record: Record) -> set[str]:
    """The people who are done with a sample, with something found or nothing."""
    return {work.person for work in record.assignments if work.state is State.DONE}


def _overlapping(record: Record) -> int:
    """Annotations whose claim shares code points with one that begins before it."""
    spans = sorted(
        (anchor.index, anchor.span.start, anchor.span.end)
        for owned in record.annotations
        for anchor in owned.annotation.claim
    )
    reached, count = (-1, 0), 0
    for index, start, end in spans:
        count += (index, start) < reached
        reached = max(reached, (index, end))
    return count


def _nothing_found(record: Record) -> int:
    return len(finished(record) - {owned.person for owned in record.annotations})


def _unread(record: Record) -> int:
    return not record.annotations and not any(map(_read, record.assignments))


def _states(record: Record, *, assumed: bool) -> int:
    """States that a reader of the file would not take from what is there.

    Args:
        assumed: whether it takes whoever is in the file for somebody who is done.
    """
    annotated = {owned.person for owned in record.annotations}
    if assumed:
        told = {work.person for work in record.assignments}
        plain = (State.DONE, State.NEW)
        return sum(work.state not in plain for work in record.assignments) + len(annotated - told)
    return sum(
        _read(work) and (work.state is not State.DONE or work.person in annotated)
        for work in record.assignments
    )


def _times(record: Record) -> int:
    annotations = [owned.annotation for owned in record.annotations]
    timed = sum(bool(one.created or one.updated) for one in annotations)
    return timed + sum(bool(work.seconds or work.updated) for work in record.assignments)


_OF_RECORDS: Final[Mapping[Trait, Callable[[Record], int]]] = MappingProxyType(
    {
        Trait.OVERLAP: _overlapping,
        Trait.TIME: _times,
        Trait.EMPTY: _nothing_found,
        Trait.UNREAD: _unread,
        Trait.OPINION: lambda record: sum(
            bool(work.rating or work.comment) for work in record.assignments
        ),
        Trait.META: lambda record: len(record.sample.meta),
        Trait.GROUP: lambda record: bool(record.sample.group),
        Trait.REQUEST: lambda record: record.sample.request != Request(),
        Trait.KIND: lambda record: record.sample.kind is not Kind.PAIR,
        Trait.TITLE: lambda record: _titles(record.sample),
        Trait.TEXTS: lambda record: bool(record.sample.side(Side.SOURCE)),
    }
)


def _titles(sample: Sample) -> int:
    return sum(bool(document.key or document.title) for document in sample.documents)


def _versions(annotation: Annotation) -> int:
    return annotation.version > 1 or bool(annotation.label_set or annotation.guidelines)


_OF_ANNOTATIONS: Final[Mapping[Trait, Callable[[Annotation], int]]] = MappingProxyType(
    {
        Trait.FRAGMENTS: lambda one: len(one.claim) > 1,
        Trait.LINK: lambda one: bool(one.claim and one.evidence),
        Trait.EVIDENCES: lambda one: max(len(one.evidence) - 1, 0),
        Trait.TREE: lambda one: sum(len(path) > 1 for path in one.labels),
        Trait.NOTE: lambda one: bool(one.note),
        Trait.SEVERAL: lambda one: max(len(one.labels) - 1, 0),
        Trait.BARE: lambda one: not one.labels,
        Trait.UNCLAIMED: lambda one: not one.claim,
        Trait.VERSION: _versions,
        Trait.TRACE: lambda one: one.trace is not None,
        Trait.SETTLED: lambda one: one.settled is not None and one.origin == ADJUDICATED,
    }
)
