"""Counts what of a record a format can not carry, by what the format says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tui_annotate.domain.annotations import ADJUDICATED, HUMAN, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import MAJORITY, SETTLED
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.plugins.protocols import Report
from tui_annotate.plugins.traits import OWN, About, Trait


class Tally:
    """Counts the losses of one export into its report, record by record.

    Args:
        own: the id, and the part of the origin after `imported:`, that the format's reader gives
            to what names nobody; such work loses no name by it. Also the form whose records a
            format writes as they were read, where it says that it carries `its own`.
    """

    def __init__(self, about: About, report: Report, *, own: str = "") -> None:
        self._report = report
        own_alone = about.carried.get(Trait.IMPORTED) == OWN
        self._lost = (*about.lost, *((Trait.IMPORTED,) if own_alone else ()))
        written = own if own_alone else ""
        assumes = Trait.EMPTY in about.carried
        self._own = own
        self._dataset: str | None = None
        self._of_format: Mapping[Trait, Callable[[Record], int]] = {
            Trait.DATASET: self._datasets,
            Trait.ANNOTATOR: self._annotators,
            Trait.ORIGIN: self._origins,
            Trait.IMPORTED: lambda record: originals(record, but=written),
            Trait.STATE: lambda record: _states(record, assumed=assumes),
            Trait.TIME: lambda record: _times(record, nobody=own),
        }

    def count(self, record: Record) -> None:
        """Counts a record that is written."""
        for trait in self._lost:
            if (counted := self._of_format.get(trait) or _OF_RECORDS.get(trait)) is not None:
                self._report.lose(trait.value, counted(record))
            elif (each := _OF_ANNOTATIONS.get(trait)) is not None:
                lost = sum(each(owned.annotation) for owned in record.annotations)
                self._report.lose(trait.value, lost)

    def _datasets(self, record: Record) -> int:
        self._dataset = self._dataset or record.sample.dataset
        return record.sample.dataset != self._dataset

    def _annotators(self, record: Record) -> int:
        named = {owned.person for owned in record.annotations}
        named |= {work.person for work in record.assignments if _read(work)}
        return len(named - {self._own, SETTLED, MAJORITY})

    def _origins(self, record: Record) -> int:
        kept = {HUMAN, f"imported:{self._own}"}
        return sum(owned.annotation.origin not in kept for owned in record.annotations)

    def read(self, record: Record) -> bool:
        """Whether somebody is done with a sample or marked something in it; else counts it.

        For formats of one layer: what the layer has not read would look as if nothing was found.
        """
        if record.annotations or finished(record):
            return True
        self._report.lose(Trait.UNREAD.value)
        return False

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


def originals(record: Record, *, but: str = "") -> int:
    """How many of a sample and its annotations hold the record that they were read from.

    Args:
        but: the form whose records do not count.
    """
    kept = record.sample.imported
    annotations = [owned.annotation for owned in record.annotations]
    count = sum(bool(one.imported) and one.origin != f"imported:{but}" for one in annotations)
    return count + bool(kept and not (but and kept.get("format") == but))


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
        told = {work.person for work in record.assignments if _read(work)}
        plain = (State.DONE, State.NEW)
        return sum(work.state not in plain for work in record.assignments) + len(annotated - told)
    return sum(
        _read(work) and (work.state is not State.DONE or work.person in annotated)
        for work in record.assignments
    )


def _times(record: Record, *, nobody: str) -> int:
    """Annotations and work with times, but for those at which samples came in.

    Args:
        nobody: the id of who stands for nobody, and did nothing here.
    """
    annotations = [owned.annotation for owned in record.annotations]
    timed = sum(bool(one.created or one.updated) for one in annotations)
    return timed + sum(
        bool(work.seconds or (work.updated and _read(work) and work.person != nobody))
        for work in record.assignments
    )


_OF_RECORDS: Final[Mapping[Trait, Callable[[Record], int]]] = MappingProxyType(
    {
        Trait.OVERLAP: _overlapping,
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
        Trait.SUGGESTED: lambda one: one.suggested is not None,
    }
)
