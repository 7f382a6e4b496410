"""Exports stored samples and annotations to a file of any format; changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.comments import PersonComment, hide_reviewer
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.errors import NotFound as NotFound
from tui_annotate.domain.labels import JOINER, resolve_label
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Sample as Sample
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.implied_readings import complete_readings, list_annotators
from tui_annotate.plugins.protocols import AnswerReader, ExportOptions, ExportReport
from tui_annotate.services.export.pseudonyms import Pseudonyms
from tui_annotate.services.export.writer import ExportRun

if TYPE_CHECKING:
    from tui_annotate.domain.adjudication_history import AdjudicatedSample
    from tui_annotate.domain.scores import Score
    from tui_annotate.domain.suggestions import PersonAnswer
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore
    from tui_annotate.storage.log.comments import CommentStore
    from tui_annotate.storage.people.store import PeopleStore


_NAMED_ORIGINS = ("machine", "imported")
ALL_STATES = "all"
"""Value of the filter `state` that selects all states, also in formats for training."""


@dataclass(frozen=True, slots=True)
class ExportService:
    """Streams samples and work of the workspace to a file or folder of any format."""

    corpus: CorpusStore
    people: PeopleStore
    annotations: AnnotationStore
    labels: Callable[[], Collection[LabelPath]] = tuple
    opinions: Callable[[Sequence[SampleKey]], Mapping[SampleKey, tuple[Score, ...]]] | None = None
    answers: AnswerReader | None = None
    questions: CommentStore | None = None

    def checked(self, filters: RecordFilter) -> RecordFilter:
        """Return filters with full label paths and parsed times; InvalidInput for unknown names."""
        if filters.dataset:
            _check_known("dataset", filters.dataset, [each.name for each in self.corpus.datasets()])
        if filters.sample:
            self._check_sample(filters.sample, filters.dataset)
        for name in ("practice", "gold"):
            if getattr(filters, name):
                _check_known(f"value of {name}", getattr(filters, name), ["with"])
        if filters.person:
            people = self.people.seen()
            if filters.person not in {each.id for each in people}:
                _check_known("person", filters.person, [each.name for each in people])
        if filters.origin:
            _check_origin(filters.origin)
        state = "" if filters.state == ALL_STATES else filters.state
        if state:
            _check_known("state", state, [ALL_STATES, *(each.value for each in State)])
        label = self._resolve_label(filters.label, filters.dataset) if filters.label else ""
        return replace(filters, label=label, state=state, since=parse_time(filters.since))

    def run(
        self,
        exporter: str,
        target: Path | TextIO | None,
        *,
        filters: RecordFilter | None = None,
        options: ExportOptions | None = None,
        names: Pseudonyms | None = None,
    ) -> ExportReport:
        """Write the filtered samples to a file, sorted by dataset, then by time of import.

        Args:
            names: pseudonyms, which also count the changes; None for real names.
            target: a file or folder, which is complete or not created at all; None for stdout.

        Raises:
            InvalidInput: the exporter, a filter value or the target folder is invalid, or the
                format needs one annotator's work and `options` names none.
            Unavailable: the target cannot be written, or the data cannot be read.
        """
        asked = options or ExportOptions()
        named = filters or RecordFilter()
        answers = self.answers
        if answers and names:
            answers = partial(_hide_answers, answers, names)
        known = replace(
            asked,
            layer=self._find_layer(asked.layer),
            sample=self.corpus.sample_or_none,
            opinions=self.opinions,
            answers=answers,
            addresses={} if names else self.people.imported_addresses(),
            former_names=lru_cache(self.annotations.former_label_names),
            all_states=asked.all_states or bool(named.state),
        )
        authors = self._find_authors(known.layer)
        writing = ExportRun(exporter, known, names=names, authors=authors)
        chosen = self.checked(named)
        records = self.corpus.records(chosen)
        if known.everyone_read:
            records = self._complete_readings(records, chosen)
        if self.questions is not None:
            records = self._add_questions(records, self.questions, person=chosen.person)
        if history := self.annotations.adjudications().samples:
            records = (_mark_later_edits(record, history) for record in records)
        return writing.run(records, target)

    def _add_questions(
        self, records: Iterable[Record], store: CommentStore, *, person: str
    ) -> Iterator[Record]:
        """Yield records with the questions that the user may read; `person` selects a person's."""
        seen = {each.id for each in self.people.seen()}
        people = [each.id for each in self.people.find_named(person) if each.id in seen]
        threads = [
            thread
            for one in (people if person else [""])
            for thread in store.list_threads(person=one)
        ]
        asked: dict[SampleKey, dict[str, PersonComment]] = {}
        for thread in threads:
            for each in thread.remarks:
                if each.sample is not None:
                    shown = each if store.reads_all else hide_reviewer(each)
                    asked.setdefault(each.sample, {})[each.id] = shown
        for record in records:
            questions = asked.get(record.sample.key)
            yield replace(record, questions=tuple(questions.values())) if questions else record

    def _find_authors(self, layer: str) -> set[str]:
        seen = {each.id for each in self.people.seen()}
        meant = [each for each in self.people.find_named(layer) if each.id in seen]
        return {one for each in meant for one in self.people.merged_ids(each.id)}

    def _find_layer(self, layer: str) -> str:
        """Return a layer; the id or name of merged people becomes the id of the work's owner."""
        owners = self.people.find_named(layer)
        is_merged = bool(owners) and not any(layer in (each.id, each.name) for each in owners)
        return owners[0].id if is_merged and len(owners) == 1 else layer

    def _complete_readings(
        self, records: Iterable[Record], filters: RecordFilter
    ) -> Iterator[Record]:
        # The filters of annotations would hide people who marked nothing that the filters select.
        whole = replace(filters, sample="", origin="", state="", label="", since="")
        worked = self.corpus.records(whole, worked=True)
        annotators = {
            dataset: list_annotators(mine)
            for dataset, mine in groupby(worked, key=lambda record: record.sample.dataset)
        }
        for record in records:
            yield complete_readings(record, annotators.get(record.sample.dataset, {}))

    def _check_sample(self, sample: str, dataset: str) -> None:
        names = [dataset] if dataset else [each.name for each in self.corpus.datasets()]
        if self.corpus.known([SampleKey(name, sample) for name in names]):
            return
        try:
            hint = f"did you mean {self.corpus.find(sample).id!r}?"
        except NotFound as error:
            hint = error.hint
        raise InvalidInput(f"unknown sample {sample!r}", hint)

    def _resolve_label(self, text: str, dataset: str) -> str:
        """Return the full path of a label, named by its path or name, in a label set or annotation.

        Annotations are only read if no label set has the label, since that is slow. A former name
        of a renamed label stands for the label, unless another label has the name now.
        """
        paths = set(self.labels())
        if tuple(text.split(JOINER)) not in paths:
            for _, path in self.annotations.labels_in_use():
                paths |= {path[:depth] for depth in range(1, len(path) + 1)}
        try:
            return JOINER.join(resolve_label(text, paths))
        except InvalidInput:
            current = self._find_renamed(text, dataset)
            if len(current) != 1:
                raise
            return JOINER.join(current.pop())

    def _find_renamed(self, text: str, dataset: str) -> set[LabelPath]:
        """Return the current paths of the labels with a former name, which may be a dotted path."""
        names = [dataset] if dataset else [each.name for each in self.corpus.datasets()]
        return {
            new
            for name in names
            for old, new in self.annotations.former_label_names(name)
            if text in (JOINER.join(old), old[-1])
        }


def _mark_later_edits(record: Record, history: Mapping[SampleKey, AdjudicatedSample]) -> Record:
    sample = history.get(record.sample.key)
    if sample is None or not sample.edited_by:
        return record
    assignments = [
        replace(each, edited_after_adjudication=each.person in sample.edited_by)
        for each in record.assignments
    ]
    return replace(record, assignments=tuple(assignments))


def _hide_answers(
    answers: AnswerReader, names: Pseudonyms, keys: Sequence[SampleKey]
) -> dict[SampleKey, list[PersonAnswer]]:
    """Return answers to suggestions with pseudonyms; reasons are texts of people, and counted."""
    found = {
        key: [replace(each, person=names.id(each.person)) for each in own]
        for key, own in answers(keys).items()
    }
    names.report.texts += sum(bool(each.reason) for own in found.values() for each in own)
    return found


def parse_time(text: str) -> str:
    """Convert an ISO 8601 text to UTC with microseconds (without a zone: UTC), or InvalidInput."""
    if not text:
        return ""
    try:
        given = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(
            f"{text!r} is not a time", "write 2026-01-31 or 2026-01-31T12:00"
        ) from error
    zoned = given if given.tzinfo else given.replace(tzinfo=UTC)
    return zoned.astimezone(UTC).isoformat(timespec="microseconds")


def _check_known(kind: str, value: str, there: Iterable[str]) -> None:
    known = sorted(set(there))
    if value not in known:
        there = f"known: {', '.join(known)}" if known else f"the workspace has no {kind} yet"
        hint = suggest_word(value, known) + there
        raise InvalidInput(f"unknown {kind} {value!r}", hint)


def _check_origin(origin: str) -> None:
    kind, colon, name = origin.partition(":")
    plain = origin in {"human", "adjudicated", "rejected", *_NAMED_ORIGINS}
    if not plain and not (kind in _NAMED_ORIGINS and colon and name):
        raise InvalidInput(
            f"{origin!r} is not an origin of annotations",
            "use one of the origins: human, adjudicated, rejected, imported, imported:FORMAT,"
            " machine, machine:NAME",
        )
