"""What one action of a reviewer changes: candidates taken, refused, edited, and given back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from tui_annotate.domain import event_builders
from tui_annotate.domain.adjudication import Adjudication, Reason, ReviewAction
from tui_annotate.domain.annotations import (
    ADJUDICATED,
    REJECTED,
    Annotation,
    LabelPath,
    annotation_to_json,
    normalize_annotation,
)
from tui_annotate.domain.collection_items import NOT_RATED, has_rating_conflict, in_sentences
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.history import Payload, PendingEvent, StreamState
from tui_annotate.domain.labels import LabelTree, check_overlap
from tui_annotate.domain.plural import many
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    Decision,
    adjudicated_of,
    decision,
    merged,
    rejections_of,
)
from tui_annotate.services.review.review_sample import SampleWork
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.log.log import Log

Sources = Sequence[str]
"""Ids of the annotations that a candidate is made of."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Values that all annotations of one action share; `labels`, `guidelines`: versions."""

    by: str
    at: str
    labels: LabelTree
    guidelines: str
    new_id: Callable[[], str]


@dataclass(slots=True)
class AdjudicationWriter:
    """An action inside its transaction; `after`: changed annotations by id."""

    log: Log
    work: SampleWork
    stamp: Stamp
    adjudicated: list[Annotation] = field(init=False)
    after: dict[str, Payload | None] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.adjudicated = list(self.work.adjudicated)

    def action(self, state: StreamState, verb: str) -> PendingEvent:
        """All of it as one action on the stream of what review did."""
        return event_builders.settle(state, verb, self.after, words=self.words, done=verb == "done")

    def drop(self, gone: Iterable[Annotation]) -> None:
        """Takes some away."""
        for one in tuple(gone):
            self.adjudicated.remove(one)
            self.after[one.id] = None

    def take(self, candidate: CandidateAnnotation, how: ReviewAction) -> None:
        """Takes a candidate; a refusal of it is forgotten."""
        self.drop(rejections_of(candidate, self.adjudicated))
        made = self._adjudicated_annotation(
            candidate, Adjudication(self.stamp.by, how, candidate.sources), origin=ADJUDICATED
        )
        self._check_overlaps(made)
        self._check_not_split(made)
        self._store(made)

    def refuse(self, candidate: CandidateAnnotation, reason: Reason, note: str) -> None:
        """Keeps a candidate as refused, in place of all that was made of it."""
        self.drop(adjudicated_of(candidate, self.adjudicated))
        self.drop(rejections_of(candidate, self.adjudicated))
        why = Adjudication(self.stamp.by, ReviewAction.REJECTED, candidate.sources, reason, note)
        self._store(self._adjudicated_annotation(candidate, why, origin=REJECTED))

    def reject(self, candidates: Sequence[Sources], reason: Reason, note: str) -> None:
        """Refuses candidates; needs a reason or a note."""
        if not (reason or note):
            raise InvalidInput(
                "nothing is refused without a reason",
                "say which, or give a note",
                code="reason-missing",
            )
        for sources in candidates:
            self.refuse(self.work.candidate(sources), reason, note)

    def merge(self, candidates: Sequence[Sources], labels: tuple[LabelPath, ...]) -> None:
        """Makes one annotation of several candidates, in place of what was made of them."""
        found = [self.work.candidate(sources) for sources in candidates]
        if len(found) < 2 or labels not in [candidate.labels for candidate in found]:
            raise InvalidInput(
                f"{len(found)} rivals can not be merged under {labels!r}",
                "merge two or more under the labels of one of them",
                code="not-mergeable",
            )
        for candidate in found:
            self.drop(adjudicated_of(candidate, self.adjudicated))
        self.take(merged(found, labels=labels), ReviewAction.MERGED)

    def finish(self, rest: Reason, note: str) -> None:
        """Takes what all agreed on, and refuses what is open, where it is said why."""
        before = self.work.adjudicated
        known = [(group, decision(group, before)) for group in self.work.groups]
        undecided = [group for group, what in known if what is Decision.OPEN]
        if undecided and not (rest or note):
            count = many(len(undecided), "place is", "places are")
            raise Conflict(
                f"{count} not settled yet", "settle them, or say why nothing of them is taken"
            )
        self._finish_rating(excused=bool(rest or note))
        for one in self.adjudicated:
            self._check_not_split(one)
        for group, what in known:
            for candidate in group.candidates:
                if what is Decision.AGREED:
                    self.take(candidate, ReviewAction.TAKEN)
                elif what is Decision.OPEN and not rejections_of(candidate, before):
                    self.refuse(candidate, rest, note)

    def rate(self, word: str, scale: tuple[str, ...]) -> None:
        """Settles the rating: a word of the scale, or one that somebody gave; empty for none."""
        given = [rating for rating in self.work.ratings.values() if rating]
        allowed = tuple(dict.fromkeys([*scale, *given])) if scale else ()
        self.words["rating"] = event_builders.rating(word, allowed)

    def _finish_rating(self, *, excused: bool) -> None:
        """Takes the rating that all gave; others must be settled, or it is said why not."""
        ratings = self.work.ratings
        if self.work.settled.assignment.rating or not any(ratings.values()):
            return
        if not has_rating_conflict(ratings.values()):
            self.words["rating"] = next(iter(ratings.values()))
        elif not excused:
            given = ", ".join(f"{letter} {word or NOT_RATED}" for letter, word in ratings.items())
            raise Conflict(
                f"the rating is not settled yet: {given}", "choose one, or say why none is taken"
            )

    def edit(self, annotation: Annotation, sources: Sources) -> None:
        """Puts other content under an id, new or known."""
        made = in_sentences(normalize_annotation(annotation, self.work.sample), self.work.sample)
        check_storable(made.note, "note")
        former = next((one for one in self.adjudicated if one.id == annotation.id), None)
        held = former.labels if former else self.work.candidate(sources).labels if sources else ()
        self.stamp.labels.check(made, held=held)
        if lacking := self.stamp.labels.lacks(made):
            raise Conflict(
                f"it lacks {' and '.join(lacking)}", "a settled annotation is complete: add it"
            )
        if former is None:
            made = self._new_annotation(made, sources)
        else:
            how = former.settled.how if former.settled else ReviewAction.OWN
            origin = former.settled.sources if former.settled else ()
            changed = ReviewAction.OWN if how is ReviewAction.OWN else ReviewAction.EDITED
            made = replace(
                made,
                version=former.version + 1,
                number=former.number,
                created=former.created,
                settled=Adjudication(self.stamp.by, changed, origin),
            )
            self.adjudicated.remove(former)
        self._check_overlaps(made)
        self._store(self._stamp_versions(made))

    def _new_annotation(self, made: Annotation, sources: Sources) -> Annotation:
        settled = Adjudication(self.stamp.by, ReviewAction.OWN)
        if sources:
            candidate = self.work.candidate(sources)
            self.drop(rejections_of(candidate, self.adjudicated))
            self.drop(adjudicated_of(candidate, self.adjudicated))
            settled = Adjudication(self.stamp.by, ReviewAction.EDITED, candidate.sources)
        (number,) = self.log.numbers([0])
        return replace(made, version=1, number=number, created=self.stamp.at, settled=settled)

    def _adjudicated_annotation(
        self, candidate: CandidateAnnotation, settled: Adjudication, *, origin: str
    ) -> Annotation:
        (number,) = self.log.numbers([0])
        made = Annotation(
            self.stamp.new_id(),
            candidate.claim,
            candidate.evidence,
            candidate.labels,
            candidate.note,
            number=number,
            created=self.stamp.at,
            settled=settled,
        )
        return replace(self._stamp_versions(made), origin=origin)

    def _stamp_versions(self, made: Annotation) -> Annotation:
        return replace(
            made,
            origin=ADJUDICATED,
            updated=self.stamp.at,
            label_set=self.stamp.labels.version,
            guidelines=self.stamp.guidelines,
            imported=None,
            trace=None,
            suggested=None,
        )

    def _check_overlaps(self, made: Annotation) -> None:
        others = [one for one in self.adjudicated if one.origin != REJECTED]
        check_overlap(made, others, self.stamp.labels)

    def _check_not_split(self, made: Annotation) -> None:
        if made.origin != REJECTED and (split := self.stamp.labels.split(made.labels)):
            parts = " or ".join(part.name for part in self.stamp.labels.parts(split[0]))
            raise Conflict(f"{split[0].name} was split", f"edit it: choose {parts}")

    def _store(self, made: Annotation) -> None:
        self.adjudicated.append(made)
        self.after[made.id] = annotation_to_json(made)
