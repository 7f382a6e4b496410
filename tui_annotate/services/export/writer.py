"""Writes samples to a file: selects whose annotations to write, and reports errors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO
from uuid import UUID, uuid5

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import MAJORITY, SETTLED, Person, PersonKind
from tui_annotate.domain.people_directory import ambiguous_person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import keep_own_work
from tui_annotate.methods.adjudication import CandidateAnnotation, group_candidates
from tui_annotate.plugins import registry
from tui_annotate.plugins.files.targets import open_folder, open_output
from tui_annotate.plugins.losses import list_finished_people
from tui_annotate.plugins.plugin_results import check_report
from tui_annotate.plugins.protocols import ExportOptions, ExportReport
from tui_annotate.plugins.traits import FormatTarget, Loss, RecordTrait, get_traits
from tui_annotate.services.export.pseudonyms import Pseudonyms

ADJUDICATED = "adjudicated"
ALL = "all"
CHOICES = (
    "give one of: --layer adjudicated (result of the review), --layer NAME (one annotator),"
    " --layer majority (annotations that more than half of the annotators would keep),"
    " --layer all (all annotators)"
)

_ID_NAMESPACE = UUID("b7a1d9a2-5b7e-5d0c-8f57-0f4f6f0b6c52")
_MAX_NAMES = 20


_CSV_FORMATS: Final = ("csv", "csv-tables")
"""Formats whose files may begin with a byte order mark."""


class ExportRun:
    """One export of samples in one format.

    `authors` has the ids of the annotator whose layer is written, also the ids of merged people.

    Raises:
        InvalidInput: the exporter does not exist, or it needs to know whose annotations to write,
            or an option does not apply to it.
    """

    def __init__(
        self,
        exporter: str,
        options: ExportOptions | None = None,
        *,
        names: Pseudonyms | None = None,
        authors: Collection[str] = (),
    ) -> None:
        self._name = exporter
        self._authors = authors
        self._names = names
        self._options = options or ExportOptions()
        self._exporter: Any = registry.load("exporters", exporter)
        if self._options.bom and exporter not in _CSV_FORMATS:
            raise InvalidInput(
                f"the format {exporter} has no byte order mark",
                f"omit --bom, or use one of the formats: {', '.join(_CSV_FORMATS)}",
            )
        about = self._about = get_traits(self._exporter)
        self._place = about.place if about else FormatTarget.STREAM
        self._completed_only = bool(about and about.trains) and not self._options.all_states
        self._writes_unread = bool(about and RecordTrait.UNREAD in about.carried)
        self._left_out: Counter[str] = Counter()
        self._layer = self._options.layer
        if about and about.layered and not self._layer:
            raise InvalidInput(
                f"the format {exporter} stores the work of only one annotator per sample:"
                " select whose work to export",
                CHOICES,
                code="layer-missing",
            )

    def run(self, records: Iterable[Record], target: Path | TextIO | None) -> ExportReport:
        """Write samples to the target, complete or not at all; or InvalidInput, Unavailable."""
        met = records if self._names is None else self._names.meeting(records)
        chosen = met
        if self._layer == MAJORITY and self._completed_only:  # before people become a majority
            chosen = self._keep_completed(chosen)
        if self._layer:
            chosen = select_layer(chosen, self._layer, authors=self._authors)
        if self._layer != MAJORITY and self._completed_only:
            chosen = self._keep_completed(chosen)
        if self._names is not None:  # after the choice of the layer, which uses real names
            chosen = map(partial(self._names.record, about=self._about), chosen)
        if self._place is not FormatTarget.STREAM:
            if not isinstance(target, Path):
                raise InvalidInput(
                    f"the format {self._name} is written to a folder", "name a new folder"
                )
            with open_folder(target) as several:
                return self._run_exporter(chosen, several)
        if target is not None and not isinstance(target, Path):
            return self._run_exporter(chosen, target)
        with open_output(target) as file:
            return self._run_exporter(chosen, file)

    def _run_exporter(self, records: Iterable[Record], target: Any) -> ExportReport:
        with registry.guard_plugin("exporters", self._name):
            report = write_counted(self._exporter, records, target, options=self._options)
        report.left_out = dict(sorted(self._left_out.items()))
        return report

    def _keep_completed(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield records without work that is not completed, and count this work by its state.

        Work that was imported without a state counts as completed. A record that keeps no work is
        omitted, unless the format writes samples that no one has read.
        """
        for record in records:
            incomplete = {
                work.person: work.state.display_name
                for work in record.assignments
                if work.state not in (State.NEW, State.DONE)
            }
            if not incomplete:
                yield record
                continue
            self._left_out.update(incomplete.values())
            kept = _keep_people(record, {each.id for each in record.people} - incomplete.keys())
            if self._writes_unread or kept.annotations or list_finished_people(kept):
                yield kept


def write_counted(
    exporter: Any, records: Iterable[Record], target: Any, *, options: ExportOptions
) -> ExportReport:
    """Write records; count adjudicated annotations, lost descriptions, marks and questions.

    Raises:
        Unavailable: the exporter returned no report, or counts that are no whole numbers.
    """
    described: set[str] = set()
    adjudicated = 0
    edited = 0
    asked = 0

    def count(each: Record) -> Record:
        nonlocal adjudicated, edited, asked
        asked += len(each.questions)
        edited += sum(work.edited_after_adjudication for work in each.assignments)
        adjudicated += sum(owned.person == SETTLED for owned in each.annotations)
        return each

    noted = _note_descriptions(map(count, records), described)
    report = check_report(exporter.write(noted, target, options), plugin=exporter.name)
    about = get_traits(exporter)
    if about is None or RecordTrait.ABOUT not in about.carried:
        report.count_loss(RecordTrait.ABOUT.value, len(described))
    if about is None or not about.marks_later_edits:
        report.count_loss(Loss.LATER_EDITS.value, edited)
    if about is None or not about.carries_questions:
        report.count_loss(Loss.QUESTIONS.value, asked)
    report.adjudicated = adjudicated
    return report


def _note_descriptions(records: Iterable[Record], described: set[str]) -> Iterator[Record]:
    for record in records:
        if record.about:
            described.add(record.sample.dataset)
        yield record


def select_layer(
    records: Iterable[Record], layer: str, *, authors: Collection[str] = ()
) -> Iterator[Record]:
    """Yield samples with the annotations of one or all annotators, a majority, or a review.

    The samples of one annotator have only the imported comments of this annotator, who has the ids
    `authors`.

    Raises:
        NotFound: no annotator is named `layer`, or several are.
    """
    if layer == ALL:
        for record in records:  # adjudicated annotations would repeat those of the annotators
            yield _keep_people(record, {person.id for person in record.people} - {SETTLED})
    elif layer == MAJORITY:
        yield from map(_majority_layer, records)
    elif layer == ADJUDICATED:
        yield from _person_layer(records, SETTLED)
    else:
        for record in _person_layer(records, layer):
            ids = {*authors, *(person.id for person in record.people)}
            meta = keep_own_work(record.sample.meta, ids)
            yield replace(record, sample=replace(record.sample, meta=meta))


def _person_layer(records: Iterable[Record], name: str) -> Iterator[Record]:
    others: dict[str, None] = {}
    found: set[str] = set()
    for record in records:
        for person in record.people:
            if name in (person.id, person.name):
                found.add(person.id)
            elif len(others) <= _MAX_NAMES:
                others.setdefault(person.name)
        if len(found) > 1:
            raise ambiguous_person(name, sorted(found), kind="annotator")
        yield _keep_people(record, found)
    if not found and name != SETTLED:
        there = ", ".join(list(others)[:_MAX_NAMES])
        known = (ALL, MAJORITY, ADJUDICATED, *others)
        raise NotFound(
            f"unknown layer {name!r}",
            f"{suggest_word(name, known)}use {ALL}, {MAJORITY}, {ADJUDICATED} or an annotator's"
            f" name: {there or 'none'}",
        )


def _keep_people(record: Record, people: set[str]) -> Record:
    return replace(
        record,
        annotations=tuple(owned for owned in record.annotations if owned.person in people),
        assignments=tuple(work for work in record.assignments if work.person in people),
        people=tuple(person for person in record.people if person.id in people),
        questions=tuple(each for each in record.questions if each.asker in people),
    )


def _majority_layer(record: Record) -> Record:
    again = {person.id for person in record.people if person.kind is PersonKind.AGAIN}
    by_person: dict[str, list[Annotation]] = {
        work.person: [] for work in record.assignments if work.state is State.DONE
    }
    for owned in record.annotations:
        by_person.setdefault(owned.person, []).append(owned.annotation)
    for person in {SETTLED, *again}:
        by_person.pop(person, None)
    kept = [
        candidate
        for group in group_candidates(record.sample, by_person)
        for candidate in group.proposal
    ]
    return replace(
        record,
        annotations=tuple(
            OwnedAnnotation(MAJORITY, _majority_annotation(candidate)) for candidate in kept
        ),
        assignments=(Assignment(MAJORITY, State.DONE),) if by_person else (),
        people=(Person(MAJORITY, MAJORITY, PersonKind.IMPORTED),) if by_person else (),
        questions=(),
    )


def _majority_annotation(candidate: CandidateAnnotation) -> Annotation:
    return Annotation(
        id=str(uuid5(_ID_NAMESPACE, json.dumps(candidate.sources))),
        claim=candidate.claim,
        evidence=candidate.evidence,
        labels=candidate.labels,
        note=candidate.note,
        origin="machine:majority",
    )
