"""Actions of an annotator on a sample; each action is one transaction and can be undone.

An annotator never sees the work of others here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tui_annotate.domain import event_builders
from tui_annotate.domain.annotations import Annotation, normalize_annotation
from tui_annotate.domain.assignments import State, working_seconds
from tui_annotate.domain.assist_snapshot import AssistSnapshot, add_trace
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.event_streams import EventStream, SaveResult
from tui_annotate.domain.history import READ, PendingEvent
from tui_annotate.domain.keyword_names import earlier_keywords
from tui_annotate.domain.labels import LabelTree, check_overlap, is_duplicate
from tui_annotate.domain.report_collections import rating_scale, split_claim_at_sentences
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind
from tui_annotate.domain.suggestions import accepted_annotation_id, take_suggestion
from tui_annotate.services.annotate.queries import SampleQueries
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.log.action_writer import ActionWriter, ClearedCounts, Prepare, new_id
from tui_annotate.storage.log.event_log import EventLog


@dataclass(eq=False, repr=False)
class AnnotationService(SampleQueries):
    """Actions and queries of annotators; safe to share between threads.

    Raises:
        NotFound: every action, if the sample does not exist.
        NotAllowed: every action except `read`, if the sample is adjudicated and no reviewer
            reopened the annotator's work, or if the sample comes after unfinished practice.
        WorkPaused: every action but `read`, while the annotator's work is paused.
    """

    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id

    def add(
        self,
        person: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        seconds: float,
        offer: AssistSnapshot | None = None,
        label_set: str = "",
    ) -> SaveResult:
        """Store a new annotation, even if a required note or evidence is missing.

        A span of a report is split at sentences; the first new part keeps the id.

        Args:
            seconds: time since the annotator's last action; at most one minute counts.
            offer: record of the matches that were shown for the claim; None if unknown.
            label_set: the label set version that the annotator saw; empty for none.

        Raises:
            InvalidInput: the annotation is malformed, or its labels break their rules.
            Conflict: the claim has this label, the id is in use, or the label set has changed.
        """

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            own = replace(annotation, suggested=None)
            made = self._checked_parts(own, stream, label_set, offer=offer)
            return event_builders.add(stream.state, *self._numbered(log, made))

        return self._write(person, key, prepare, seconds=seconds, about=annotation.id)

    def edit(
        self,
        person: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        seconds: float,
        offer: AssistSnapshot | None = None,
        label_set: str = "",
    ) -> SaveResult:
        """Replace an annotation by a new version, unless it was changed in the meantime.

        Raises:
            InvalidInput: same as for `add`.
            Conflict: same as for `add`, or another version is stored now.
            NotFound: the annotator has no such annotation.
        """

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            first, *more = self._checked_parts(annotation, stream, label_set, offer=offer)
            new = self._numbered(log, more)
            edit = event_builders.edit(stream.state, first, *new, at=self.clock())
            return event_builders.edit_annotation(stream.state, edit)

        return self._write(person, key, prepare, seconds=seconds, about=annotation.id)

    def remove(
        self, person: str, key: SampleKey, annotation_id: str, *, version: int, seconds: float
    ) -> SaveResult:
        """Remove an annotation of an annotator from a sample.

        Raises:
            Conflict: another version is stored now.
            NotFound: the annotator has no such annotation.
        """

        def prepare(_log: EventLog, stream: EventStream) -> PendingEvent:
            return event_builders.remove(stream.state, annotation_id, version=version)

        return self._write(person, key, prepare, seconds=seconds, about=annotation_id)

    def finish(
        self, person: str, key: SampleKey, *, seconds: float, label_set: str = ""
    ) -> SaveResult:
        """Complete a sample, with or without annotations.

        Raises:
            Conflict: an annotation lacks what its label requires (the message names both), or the
            annotator saw another label set than the current one.
        """

        def prepare(_log: EventLog, stream: EventStream) -> PendingEvent:
            sample = self.corpus.sample(key).sample
            return event_builders.finish(stream.state, sample, self._labels_seen(key, label_set))

        return self._write(person, key, prepare, seconds=seconds)

    def skip(self, person: str, key: SampleKey, *, reason: str = "", seconds: float) -> SaveResult:
        """Set a sample to skipped; NotFound if there is no such sample."""
        return self._write_state(
            person, key, "skip", state=State.SKIPPED, reason=reason, seconds=seconds
        )

    def flag(self, person: str, key: SampleKey, *, reason: str = "", seconds: float) -> SaveResult:
        """Flag a sample for the admins; NotFound if there is no such sample."""
        return self._write_state(
            person, key, "flag", state=State.FLAGGED, reason=reason, seconds=seconds
        )

    def comment(self, person: str, key: SampleKey, text: str, *, seconds: float) -> SaveResult:
        """Set the sample comment of a person; an empty text deletes it.

        Raises:
            NotFound: there is no such sample.
            InvalidInput: the text cannot be stored.
        """
        parts = {"comment": check_storable(text.strip(), "comment")}
        return self._write(person, key, _prepare_opinion("comment", parts), seconds=seconds)

    def rate(self, person: str, key: SampleKey, rating: str, *, seconds: float) -> SaveResult:
        """Rate a sample with a word of its rating scale; an empty word removes the rating.

        Raises:
            InvalidInput: the word is not in the scale. Without a scale, all words are valid.
        """
        kind = self.corpus.sample(key).sample.kind
        word = check_storable(rating.strip(), "rating")
        parts = {"rating": event_builders.check_rating(word, rating_scale(kind, self.ratings))}
        return self._write(person, key, _prepare_opinion("rate", parts), seconds=seconds)

    def read(self, person: str, key: SampleKey, *, seconds: float) -> None:
        """Store the time that an annotator spent on a sample; annotations stay unchanged."""
        if working_seconds(seconds):
            self._write(person, key, _prepare_assignment(READ, {}), seconds=seconds)

    @earlier_keywords(words="ratings")
    def clear(
        self, person: str, *, dataset: str = "", sample: str = "", ratings: bool = False
    ) -> ClearedCounts:
        """Remove an annotator's annotations: all, or those of a dataset or sample.

        `ratings` also removes ratings and comments.

        Raises:
            NotFound: `sample` matches no sample, or several; or the dataset does not exist.
        """
        only = self.find(sample) if sample else None
        if dataset:
            self.guidance.require_dataset(dataset)

        def wanted(key: SampleKey) -> bool:
            return dataset in ("", key.dataset) and only in (None, key)

        return self._writer.clear(person, wanted, words=ratings)

    def undo(self, person: str) -> SaveResult | None:
        """Undo the annotator's last action, on any sample; None if there is nothing to undo.

        Actions on adjudicated samples stay; the result names these samples in `passed`.

        Raises:
            Conflict: the annotation changed after that action.
            NotAllowed: there are only actions on adjudicated samples, or on hidden first readings.
            WorkPaused: the annotator's work is paused.
        """
        return self._writer.undo(person)

    def redo(self, person: str) -> SaveResult | None:
        """Redo what the person undid last; None if nothing was undone, or Conflict as `undo`."""
        return self._writer.redo(person)

    def accept(
        self,
        person: str,
        key: SampleKey,
        suggestion_id: str,
        *,
        changed: Annotation | None = None,
        seconds: float,
        label_set: str = "",
    ) -> SaveResult:
        """Store a suggestion as the annotator's own annotation.

        The annotation's id derives from the annotator and the suggestion. The suggestion's reason
        does not become a note. `changed` is an edited version, whose id is ignored.

        Raises:
            InvalidInput: same as for `add`; or the label is no longer in the label set.
            Conflict: same as for `add`; or it is accepted already, or the dataset hides it.
            NotFound: the suggestion does not exist.
        """

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            suggestion = log.suggestion(key, suggestion_id)
            event_builders.check_open(stream.state, suggestion)
            own = take_suggestion(person, suggestion, changed)
            made = self._checked_parts(own, stream, label_set, offer=None)
            return event_builders.accept(stream.state, suggestion, *self._numbered(log, made))

        about = accepted_annotation_id(person, suggestion_id)
        return self._write(person, key, prepare, seconds=seconds, about=about)

    def refuse(
        self, person: str, key: SampleKey, suggestion_id: str, *, reason: str = "", seconds: float
    ) -> SaveResult:
        """Refuse a suggestion with a reason; a completed sample stays complete.

        Raises:
            Conflict: the suggestion already has this answer, or the dataset hides suggestions.
            NotFound: the suggestion does not exist.
            InvalidInput: the reason cannot be stored.
        """
        why = check_storable(reason.strip(), "reason")

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            return event_builders.refuse(
                stream.state, log.suggestion(key, suggestion_id), reason=why
            )

        return self._write(person, key, prepare, seconds=seconds)

    @cached_property
    def _writer(self) -> ActionWriter:
        return ActionWriter(self.store, self.guidance, self.clock, self.new_id)

    def _write(
        self, person: str, key: SampleKey, prepare: Prepare, *, seconds: float, about: str = ""
    ) -> SaveResult:
        return self._writer.do(person, key, prepare, seconds=seconds, about=about)

    def _labels_seen(self, key: SampleKey, label_set: str) -> LabelTree:
        labels = self._label_sets.in_use(key.dataset)
        if label_set and not self._label_sets.is_equivalent(label_set, labels):
            raise Conflict(
                "the labels changed since this sample was opened",
                "look at the current labels, then repeat the action",
                code="labels-changed",
            )
        return labels

    def _checked_parts(
        self,
        annotation: Annotation,
        stream: EventStream,
        label_set: str,
        *,
        offer: AssistSnapshot | None,
    ) -> list[Annotation]:
        # These reads use other connections than the write transaction in which this runs. They see
        # the same data: no other connection can write now, and the transaction has not written yet.
        key = stream.key
        labels = self._labels_seen(key, label_set)
        sample = self.corpus.sample(key).sample
        guidelines = self.guidance.version(GuidanceKind.GUIDELINES, dataset=key.dataset)
        former = next((known for known in stream.annotations if known.id == annotation.id), None)
        check_storable(annotation.note, "note")
        found = []
        named = replace(annotation, labels=labels.resolve(annotation.labels))
        whole = normalize_annotation(named, sample)
        for part in _split_at_sentences(whole, sample, stream.annotations):
            made = add_trace(part, sample, offer=offer, former=former)
            labels.check(made, held=former.labels if former else ())
            check_overlap(made, stream.annotations, labels)
            found.append(replace(made, label_set=labels.version, guidelines=guidelines))
        return found

    def _numbered(self, log: EventLog, made: Sequence[Annotation]) -> list[Annotation]:
        now = self.clock()
        return [
            replace(one, version=1, number=number, created=now, updated=now)
            for one, number in zip(made, log.numbers([0] * len(made)), strict=True)
        ]

    def _write_state(
        self, person: str, key: SampleKey, verb: str, *, state: State, reason: str, seconds: float
    ) -> SaveResult:
        parts = {"state": state.value}
        if reason:
            parts["comment"] = check_storable(reason.strip(), "reason")
        return self._write(person, key, _prepare_assignment(verb, parts), seconds=seconds)


def _prepare_assignment(verb: str, parts: Mapping[str, str]) -> Prepare:
    return lambda _log, stream: event_builders.assign(stream.state, verb, parts)


def _prepare_opinion(verb: str, parts: Mapping[str, str]) -> Prepare:
    return lambda _log, stream: event_builders.rate_or_comment(stream.state, verb, parts)


def _split_at_sentences(
    annotation: Annotation, sample: Sample, others: Sequence[Annotation]
) -> tuple[Annotation, ...]:
    whole = split_claim_at_sentences(annotation, sample)
    if sample.kind is not SampleKind.REPORT or len(whole.claim) <= 1:
        return (whole,)
    parts = [replace(whole, claim=(anchor,)) for anchor in whole.claim]
    new = [part for part in parts if not is_duplicate(part, others)]
    if not new:
        raise Conflict(
            "this span is already annotated", "edit the existing annotation", code="span-annotated"
        )
    first, *more = new
    ids = (uuid.uuid5(uuid.NAMESPACE_OID, f"{first.id} {part.claim[0].span}") for part in more)
    return (first, *(replace(part, id=str(name)) for part, name in zip(more, ids, strict=True)))
