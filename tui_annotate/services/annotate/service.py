"""Annotating: the actions of one person on one sample; each is stored whole and can be undone.

Nobody sees the work of others here.
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
from tui_annotate.domain.history import READ, PendingEvent
from tui_annotate.domain.labels import LabelTree, check_overlap, is_duplicate
from tui_annotate.domain.report_collections import rating_scale, split_claim_at_sentences
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind
from tui_annotate.domain.suggestions import accepted_annotation_id, take_suggestion
from tui_annotate.services.annotate.queries import SampleQueries, SaveResult
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.log.ledger import ClearedCounts, Ledger, Prepare, new_id
from tui_annotate.storage.log.log import EventLog, EventStream


@dataclass(frozen=True)
class AnnotationService(SampleQueries):
    """The actions of annotators, and what they see. Threads may share it.

    Every action raises NotFound where there is no such sample.
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
        """Store a new annotation under its id, also if it lacks what its label requires.

        A span of a report is split at sentences; the first new part keeps the id.

        Args:
            seconds: since this person's last action; counted up to a minute.
            offer: the assist snapshot of the claim; None where it is unknown.
            label_set: the version that this person saw; empty for none.

        Raises:
            InvalidInput: the annotation is malformed, or its labels break their rules.
            Conflict: a duplicate claim with its label, a used id, or another label set in force.
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
        """Store a new version of an annotation; `annotation.version` is the one that was read.

        Raises:
            InvalidInput: as `add`.
            Conflict: as `add`, or another version is stored now.
            NotFound: there is no such annotation of this person.
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
        """Remove an annotation; `version` is the one that was read.

        Raises:
            Conflict: another version stands there now.
            NotFound: there is no such annotation of this person.
        """

        def prepare(_log: EventLog, stream: EventStream) -> PendingEvent:
            return event_builders.remove(stream.state, annotation_id, version=version)

        return self._write(person, key, prepare, seconds=seconds, about=annotation_id)

    def finish(
        self, person: str, key: SampleKey, *, seconds: float, label_set: str = ""
    ) -> SaveResult:
        """Complete a sample, also without annotations.

        Raises:
            Conflict: an annotation lacks what its label requires; the message says which and what.
                Or another label set than they saw is in force.
        """

        def prepare(_log: EventLog, stream: EventStream) -> PendingEvent:
            sample = self.corpus.sample(key).sample
            return event_builders.finish(stream.state, sample, self._labels_seen(key, label_set))

        return self._write(person, key, prepare, seconds=seconds)

    def skip(self, person: str, key: SampleKey, *, reason: str = "", seconds: float) -> SaveResult:
        """Skip a sample; a reason becomes the comment."""
        return self._write_state(
            person, key, "skip", state=State.SKIPPED, reason=reason, seconds=seconds
        )

    def flag(self, person: str, key: SampleKey, *, reason: str = "", seconds: float) -> SaveResult:
        """Flag a sample as faulty; a reason becomes the comment."""
        return self._write_state(
            person, key, "flag", state=State.FLAGGED, reason=reason, seconds=seconds
        )

    def comment(self, person: str, key: SampleKey, text: str, *, seconds: float) -> SaveResult:
        """Replace the comment on the sample as a whole; may be empty."""
        parts = {"comment": check_storable(text.strip(), "comment")}
        return self._write(person, key, _prepare_opinion("comment", parts), seconds=seconds)

    def rate(self, person: str, key: SampleKey, rating: str, *, seconds: float) -> SaveResult:
        """Rate the sample with a word of its scale; empty removes the rating.

        Raises:
            InvalidInput: the word is not in the scale; where there is none, any word is taken.
        """
        kind = self.corpus.sample(key).sample.kind
        word = check_storable(rating.strip(), "rating")
        parts = {"rating": event_builders.check_rating(word, rating_scale(kind, self.ratings))}
        return self._write(person, key, _prepare_opinion("rate", parts), seconds=seconds)

    def read(self, person: str, key: SampleKey, *, seconds: float) -> None:
        """Store time spent on a sample without an action."""
        if working_seconds(seconds):
            self._write(person, key, _prepare_assignment(READ, {}), seconds=seconds)

    def clear(
        self, person: str, *, dataset: str = "", sample: str = "", words: bool = False
    ) -> ClearedCounts:
        """Remove this person's annotations of a dataset, a sample, or all; one undo restores them.

        `words` also removes ratings and comments.

        Raises:
            NotFound: `sample` names none, or more than one.
        """
        only = self.find(sample) if sample else None

        def wanted(key: SampleKey) -> bool:
            return dataset in ("", key.dataset) and only in (None, key)

        return self._ledger.clear(person, wanted, words=words)

    def undo(self, person: str) -> SaveResult | None:
        """Undo this person's last action, on any sample; None where nothing is left.

        Raises:
            Conflict: something else changed it since.
        """
        done = self._ledger.undo(person)
        return SaveResult.of(done) if done else None

    def redo(self, person: str) -> SaveResult | None:
        """Redo what was undone last; None where an action followed."""
        done = self._ledger.redo(person)
        return SaveResult.of(done) if done else None

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
        """Store a suggestion as this person's annotation, by the rules of `add`.

        The id derives from person and suggestion. The machine's reason does not become a note.

        Args:
            changed: an edited version, whose id is ignored; None for the suggestion as it is.
            seconds, label_set: as `add`.

        Raises:
            InvalidInput: as `add`; or the label is no longer in the set.
            Conflict: as `add`; or it is accepted already, or the dataset hides suggestions.
            NotFound: there is no such suggestion.
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
        """Refuse a suggestion with a reason; a complete sample stays complete.

        Raises:
            Conflict: it has this answer already, or the dataset hides suggestions.
            NotFound: there is no such suggestion.
            InvalidInput: the reason can not be stored.
        """
        why = check_storable(reason.strip(), "reason")

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            return event_builders.refuse(
                stream.state, log.suggestion(key, suggestion_id), reason=why
            )

        return self._write(person, key, prepare, seconds=seconds)

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.store, self.guidance, self.clock, self.new_id)

    def _write(
        self, person: str, key: SampleKey, prepare: Prepare, *, seconds: float, about: str = ""
    ) -> SaveResult:
        return SaveResult.of(self._ledger.do(person, key, prepare, seconds=seconds, about=about))

    def _labels_seen(self, key: SampleKey, label_set: str) -> LabelTree:
        """Return the label set in force; Conflict if it is not the one seen, colours aside."""
        labels = self._label_sets.in_force(key.dataset)
        if label_set and not self._label_sets.same(label_set, labels):
            raise Conflict(
                "the labels changed since this sample was opened",
                "look at it under the labels as they are now, and do it again",
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
        key = stream.key
        labels, sample = self._labels_seen(key, label_set), self.corpus.sample(key).sample
        guidelines = self.guidance.version(GuidanceKind.GUIDELINES, dataset=key.dataset)
        former = next((known for known in stream.annotations if known.id == annotation.id), None)
        check_storable(annotation.note, "note")
        found = []
        whole = normalize_annotation(annotation, sample)
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
    """Split an annotation into one for each sentence of a report that its claim meets.

    The first part keeps the id; the other ids follow from it, so a repeated write is harmless.
    """
    whole = split_claim_at_sentences(annotation, sample)
    if sample.kind is not SampleKind.REPORT or len(whole.claim) <= 1:
        return (whole,)
    parts = [replace(whole, claim=(anchor,)) for anchor in whole.claim]
    new = [part for part in parts if not is_duplicate(part, others)]
    if not new:
        raise Conflict("this passage is marked already", "edit that annotation")
    first, *more = new
    ids = (uuid.uuid5(uuid.NAMESPACE_OID, f"{first.id} {part.claim[0].span}") for part in more)
    return (first, *(replace(part, id=str(name)) for part, name in zip(more, ids, strict=True)))
