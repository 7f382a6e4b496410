"""Review: reviewers adjudicate samples that several annotators annotated."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypedDict, Unpack

from tui_annotate.domain import event_builders
from tui_annotate.domain.adjudication import (
    Adjudication,
    OpenKind,
    RejectionReason,
    ReviewAction,
)
from tui_annotate.domain.annotations import (
    ADJUDICATED,
    REJECTED,
    Annotation,
    LabelPath,
    annotation_to_json,
    normalize_annotation,
)
from tui_annotate.domain.assignments import State, working_seconds
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, NotReady
from tui_annotate.domain.event_streams import EventStream, SaveResult
from tui_annotate.domain.history import (
    ALLOW,
    DONE,
    READ,
    REOPEN,
    Payload,
    PendingEvent,
    StreamState,
)
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.labels import JOINER, LabelTree, check_overlap
from tui_annotate.domain.people import (
    SETTLED,
    Permission,
    Person,
    PersonKind,
    require_permission,
)
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.report_collections import (
    has_rating_conflict,
    rating_scale,
    split_claim_at_sentences,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    GroupDecision,
    find_adjudicated,
    find_orphans,
    find_rejections,
    merge_candidates,
)
from tui_annotate.services.review.open_items import parse_leavable, require_answered
from tui_annotate.services.review.queries import ReviewQueries
from tui_annotate.services.review.review_sample import (
    AnnotationLayer,
    AnnotationOutcome,
    QueuedSample,
    ReviewRefusal,
    ReviewResult,
    ReviewSample,
    SampleOutcome,
    SampleWork,
    read_sample_work,
)
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.log.action_writer import ActionWriter, new_id
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.log.review_candidates import SampleReaders

__all__ = [
    "AnnotationLayer",
    "AnnotationOutcome",
    "QueuedSample",
    "ReviewResult",
    "ReviewSample",
    "ReviewService",
    "SampleOutcome",
]


_REVIEW_OWNER = Person(SETTLED, SETTLED, PersonKind.SETTLED)


_OTHER_REVIEWER: Final = "let another reviewer adjudicate this sample"
_HINTS: Final[Mapping[str, str]] = {
    ReviewRefusal.WAITS: "an admin can allow the review: tui-annotate review allow SAMPLE --reason"
    " TEXT",
    ReviewRefusal.PRACTICE: "review a sample of another dataset",
}

Sources = Sequence[str]
"""Ids of different annotators' annotations that a reviewer accepts or rejects together."""


@dataclass(frozen=True, slots=True)
class ActionStamp:
    """Who does an action of a review and when, with the versions that are stored with it."""

    by: str
    at: str
    labels: LabelTree
    guidelines: str
    new_id: Callable[[], str]


@dataclass(slots=True)
class AdjudicationWriter:
    """Collects the changes that one action of a reviewer makes to adjudicated annotations."""

    log: EventLog
    work: SampleWork
    stamp: ActionStamp
    adjudicated: list[Annotation] = field(init=False)
    orphans: tuple[Annotation, ...] = field(init=False)
    after: dict[str, Payload | None] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.adjudicated = list(self.work.adjudicated)
        self.orphans = find_orphans(self.work.groups, self.work.adjudicated)

    def action(self, state: StreamState, verb: str) -> PendingEvent:
        """Build the event of all collected changes; the verb `done` completes the adjudication."""
        return event_builders.settle(state, verb, self.after, words=self.words, done=verb == DONE)

    def drop(self, gone: Iterable[Annotation]) -> None:
        """Remove adjudicated annotations or rejections of this sample."""
        for one in tuple(gone):
            self.adjudicated.remove(one)
            self.after[one.id] = None

    def take(self, candidate: CandidateAnnotation, how: ReviewAction) -> None:
        """Accept annotations of annotators, even if they were rejected before.

        It replaces earlier results that the annotators changed since, or made again after deletion.
        """
        self.drop(find_rejections(candidate, self.adjudicated))
        if not self.work.stale.isdisjoint(candidate.sources):
            self.drop(find_adjudicated(candidate, self.adjudicated))
        self.drop(
            one for one in self.orphans if one in self.adjudicated and _is_alike(one, candidate)
        )
        made = self._adjudicated_annotation(
            candidate, Adjudication(self.stamp.by, how, candidate.sources), origin=ADJUDICATED
        )
        self._check_overlaps(made)
        self._check_complete(made)
        self._store(made)

    def refuse(self, candidate: CandidateAnnotation, reason: RejectionReason, note: str) -> None:
        """Reject annotations of annotators, and remove adjudicated ones made from them."""
        self.drop(find_adjudicated(candidate, self.adjudicated))
        self.drop(find_rejections(candidate, self.adjudicated))
        why = Adjudication(
            self.stamp.by,
            ReviewAction.REJECTED,
            sources=candidate.sources,
            reason=reason,
            note=note,
        )
        self._store(self._adjudicated_annotation(candidate, why, origin=REJECTED))

    def reject(self, candidates: Sequence[Sources], reason: RejectionReason, note: str) -> None:
        """Reject candidates, each given by its sources; InvalidInput without reason and note."""
        if not (reason or note):
            raise InvalidInput(
                "a rejection needs a reason",
                "choose a reason for the rejection, or write a note",
                code="reason-missing",
            )
        for sources in candidates:
            self.refuse(self.work.candidate(sources), reason, note)

    def merge(self, candidates: Sequence[Sources], labels: tuple[LabelPath, ...]) -> None:
        """Merge annotations of several annotators into one adjudicated annotation."""
        found = [self.work.candidate(sources) for sources in candidates]
        if len(found) < 2 or labels not in [candidate.labels for candidate in found]:
            names = " + ".join(map(JOINER.join, labels)) or "no label"
            raise InvalidInput(
                f"{format_count(len(found), 'candidate')} cannot be merged with the label {names}",
                "merge two or more candidates, with the labels of one of these candidates",
                code="not-mergeable",
            )
        for candidate in found:
            self.drop(find_adjudicated(candidate, self.adjudicated))
        self.take(merge_candidates(found, labels=labels), ReviewAction.MERGED)

    def finish(self, rest: RejectionReason, note: str, answered: Collection[OpenKind]) -> None:
        """Accept the annotations on which the annotators agree, and reject all undecided ones."""
        require_answered(self.work.open_items(), answered)
        before = self.work.adjudicated
        known = [(group, self.work.decision(group)) for group in self.work.groups]
        if not self.work.settled.assignment.rating and not self.work.has_open_rating:
            self._accept_agreed_rating()
        if not self.work.settled.assignment.comment and self.work.agreed_comment:
            self.words["comment"] = self.work.agreed_comment
        for one in self.adjudicated:
            self._check_complete(one)
        for group, what in known:
            for candidate in group.candidates:
                if what is GroupDecision.AGREED:
                    self.take(candidate, ReviewAction.TAKEN)
                elif what is GroupDecision.OPEN and not find_rejections(candidate, before):
                    self.refuse(candidate, rest, note)

    def rate(self, word: str, scale: tuple[str, ...]) -> None:
        """Set the adjudicated rating of a sample, or remove the rating."""
        given = [rating for rating in self.work.ratings.values() if rating]
        allowed = tuple(dict.fromkeys([*scale, *given])) if scale else ()
        self.words["rating"] = event_builders.check_rating(word, allowed)

    def _accept_agreed_rating(self) -> None:
        ratings = self.work.ratings.values()
        if any(ratings) and not has_rating_conflict(ratings):
            self.words["rating"] = next(iter(ratings))

    def edit(self, annotation: Annotation, sources: Sources) -> None:
        """Store the reviewer's version of an annotation, under a new or an existing id."""
        sample = self.work.sample
        named = replace(annotation, labels=self.stamp.labels.resolve(annotation.labels))
        made = split_claim_at_sentences(normalize_annotation(named, sample), sample)
        check_storable(made.note, "note")
        former = next((one for one in self.adjudicated if one.id == annotation.id), None)
        held: tuple[LabelPath, ...] = ()
        if former:
            held = former.labels
        elif sources:
            held = self.work.candidate(sources).labels
        self.stamp.labels.check(made, held=held)
        if lacking := self.stamp.labels.lacks(made):
            raise Conflict(
                f"the annotation lacks {' and '.join(lacking)}",
                "add what is missing: an adjudicated annotation must be complete",
                code="annotation-incomplete",
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
            self.drop(find_rejections(candidate, self.adjudicated))
            self.drop(find_adjudicated(candidate, self.adjudicated))
            settled = Adjudication(self.stamp.by, ReviewAction.EDITED, candidate.sources)
        (number,) = self.log.numbers([0])
        return replace(made, version=1, number=number, created=self.stamp.at, settled=settled)

    def _adjudicated_annotation(
        self, candidate: CandidateAnnotation, settled: Adjudication, *, origin: str
    ) -> Annotation:
        (number,) = self.log.numbers([0])
        made = Annotation(
            id=self.stamp.new_id(),
            claim=candidate.claim,
            evidence=candidate.evidence,
            labels=candidate.labels,
            note=candidate.note,
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

    def _check_complete(self, made: Annotation) -> None:
        """Raise Conflict if the label set has come to require more of an annotation."""
        if made.origin == REJECTED:
            return
        if split := self.stamp.labels.split(made.labels):
            parts = " or ".join(part.name for part in self.stamp.labels.parts(split[0]))
            raise Conflict(
                f"the label {split[0].name} was split",
                f"edit the annotation, and choose {parts}",
                code="label-split",
            )
        lacking = [part for part in self.stamp.labels.lacks(made) if part != "label"]
        if lacking:
            names = " + ".join(map(JOINER.join, made.labels))
            raise Conflict(
                f"an annotation with the label {names} lacks {' and '.join(lacking)}",
                "edit the annotation, and add what its label requires",
                code="lacks-parts",
            )

    def _store(self, made: Annotation) -> None:
        self.adjudicated.append(made)
        self.after[made.id] = annotation_to_json(made)


def _is_alike(one: Annotation, candidate: CandidateAnnotation) -> bool:
    same_words = (one.claim or one.evidence) == (candidate.claim or candidate.evidence)
    return same_words and set(one.labels) == set(candidate.labels)


class ReviewVisit(TypedDict):
    """Data on a reviewer's visit to a sample, which every review action gets.

    `seen`: token of the state on the screen; actions are refused if the sample has changed.
    """

    seen: str
    seconds: float


@check_keywords
@dataclass(frozen=True)
class ReviewService(ReviewQueries):
    """Actions and queries of reviewers; safe to share between threads.

    Raises:
        NotAllowed: every action, if the user may not adjudicate the sample.
        Conflict: every action, if the sample changed since it was displayed.
        NotFound: every action, if the sample does not exist.
    """

    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id

    def take(
        self,
        reviewer: str,
        key: SampleKey,
        candidates: Sequence[Sources],
        **visit: Unpack[ReviewVisit],
    ) -> ReviewResult:
        """Accept annotations of annotators unchanged, with the evidence of all of them.

        Raises:
            Conflict: also if the annotation exists, or a label excludes others on its claim.
        """

        def change(writer: AdjudicationWriter) -> None:
            if not candidates:
                raise Conflict(
                    "no majority among the candidates",
                    "choose a candidate first",
                    code="no-majority",
                )
            for sources in candidates:
                writer.take(writer.work.candidate(sources), ReviewAction.TAKEN)

        return self._act(reviewer, key, ("take", change), **visit)

    def merge(
        self,
        reviewer: str,
        key: SampleKey,
        candidates: Sequence[Sources],
        *,
        labels: tuple[LabelPath, ...],
        **visit: Unpack[ReviewVisit],
    ) -> ReviewResult:
        """Merge annotations of several annotators into one, with all spans and evidence.

        Raises:
            InvalidInput: there are fewer than two candidates, or none of them has these labels.
            Conflict: also for the reasons of `take`.
        """
        change = partial(AdjudicationWriter.merge, candidates=candidates, labels=labels)
        return self._act(reviewer, key, ("merge", change), **visit)

    def edit(
        self,
        reviewer: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        sources: Sources = (),
        **visit: Unpack[ReviewVisit],
    ) -> ReviewResult:
        """Accept an annotation of an annotator with changes, or change an adjudicated one.

        `sources` is ignored for an adjudicated annotation.

        Raises:
            InvalidInput: the annotation is malformed, or its labels break their rules.
            Conflict: also if the annotation lacks a required part, or is already stored.
        """
        change = partial(AdjudicationWriter.edit, annotation=annotation, sources=sources)
        return self._act(reviewer, key, ("edit", change), **visit)

    def own(
        self, reviewer: str, key: SampleKey, annotation: Annotation, **visit: Unpack[ReviewVisit]
    ) -> ReviewResult:
        """Add a reviewer's own annotation to the adjudicated ones; errors as for `edit`."""
        change = partial(AdjudicationWriter.edit, annotation=annotation, sources=())
        return self._act(reviewer, key, ("own", change), **visit)

    def remove(
        self, reviewer: str, key: SampleKey, annotation_id: str, **visit: Unpack[ReviewVisit]
    ) -> ReviewResult:
        """Remove an adjudicated annotation; those it was made from become undecided again.

        Raises:
            Conflict: also if the annotation no longer exists.
        """

        def change(writer: AdjudicationWriter) -> None:
            gone = [one for one in writer.adjudicated if one.id == annotation_id]
            if not gone:
                raise Conflict(
                    f"the annotation {annotation_id} no longer exists",
                    "check whether an undo removed the annotation",
                    code="annotation-gone",
                )
            writer.drop(gone)

        return self._act(reviewer, key, ("remove", change), **visit)

    def reject(
        self,
        reviewer: str,
        key: SampleKey,
        candidates: Sequence[Sources],
        *,
        reason: RejectionReason = RejectionReason.NONE,
        note: str = "",
        **visit: Unpack[ReviewVisit],
    ) -> ReviewResult:
        """Reject annotations of annotators, and remove adjudicated ones made from them.

        Raises:
            InvalidInput: neither a reason nor a note is given.
        """
        checked = check_storable(note.strip(), "note")
        change = partial(
            AdjudicationWriter.reject, candidates=candidates, reason=reason, note=checked
        )
        return self._act(reviewer, key, ("reject", change), **visit)

    def rate(
        self, reviewer: str, key: SampleKey, rating: str, **visit: Unpack[ReviewVisit]
    ) -> ReviewResult:
        """Set the adjudicated rating of a sample; an empty text removes the rating.

        Raises:
            InvalidInput: the rating is not in the scale, and no annotator gave it.
        """
        word = check_storable(rating.strip(), "rating")
        words = rating_scale(self.corpus.sample(key).sample.kind, self.ratings)
        change = partial(AdjudicationWriter.rate, word=word, scale=words)
        return self._act(reviewer, key, ("rate", change), **visit)

    def comment(
        self, reviewer: str, key: SampleKey, text: str, **visit: Unpack[ReviewVisit]
    ) -> ReviewResult:
        """Set the adjudicated comment of a sample; an empty text removes it."""
        words = {"comment": check_storable(text.strip(), "comment")}
        return self._act(
            reviewer, key, ("comment", lambda writer: writer.words.update(words)), **visit
        )

    def finish(
        self,
        reviewer: str,
        key: SampleKey,
        *,
        rest: RejectionReason = RejectionReason.NONE,
        note: str = "",
        unrated: str = "",
        leave: Collection[str] = (),
        **visit: Unpack[ReviewVisit],
    ) -> ReviewResult:
        """Complete the adjudication of a sample, and accept what the annotators agree on.

        Args:
            rest, note: the reason for rejecting the undecided annotations.
            unrated: the reason for accepting no rating although the annotators' ratings differ: a
                value of `RejectionReason`, or other words.
            leave: kinds of undecided work that stay as they are on purpose: `changed` (keep the
                decisions on work that annotators changed since), `comments` (no final comment), or
                `questions` (no answer).

        Raises:
            InvalidInput: `leave` has another word.
            Conflict: also if anything is undecided, with the names of all undecided parts; if an
                annotation lacks what its label requires; or if annotators have not completed what a
                reviewer reopened and no admin allowed it.
        """
        checked = check_storable(note.strip(), "note")
        why = check_storable(unrated.strip(), "reason")
        answered = set(parse_leavable(leave))
        if rest or checked:
            answered.add(OpenKind.CONFLICTS)
        if why:
            answered.add(OpenKind.RATING)

        def change(writer: AdjudicationWriter) -> None:
            _require_completed_again(writer.log, key)
            writer.finish(rest=rest, note=checked, answered=answered)

        return self._act(reviewer, key, (DONE, change), reason=why, **visit)

    def reopen(self, reviewer: str, key: SampleKey, **visit: Unpack[ReviewVisit]) -> ReviewResult:
        """Reopen the completed adjudication of a sample; all results stay.

        Annotators' work stays locked; `reopen_work` reopens it.

        Raises:
            Conflict: also if the adjudication is not completed.
        """

        def change(writer: AdjudicationWriter) -> None:
            if writer.work.settled.assignment.state is not State.DONE:
                raise Conflict(
                    f"the adjudication of {key} is not completed",
                    "there is nothing to reopen",
                    code="adjudication-open",
                )

        return self._act(reviewer, key, (REOPEN, change), **visit)

    def reopen_work(
        self,
        reviewer: str,
        key: SampleKey,
        *,
        reason: str,
        person: str = "",
        letter: str = "",
        seen: str = "",
    ) -> tuple[str, ...]:
        """Reopen annotators' work on an adjudicated sample, so that they can change it.

        Each of them sees the reason on their screen, until they complete the sample again.

        Args:
            person: whose work is reopened; the adjudication then stays complete. Empty for the
                whole sample: the adjudication is reopened with the work of all its annotators.
            letter: instead of `person`, the letter of the annotator on the review screen.
            seen: token of the state on the screen, if the request comes from a screen.

        Returns:
            The sorted ids of the people whose work was reopened.

        Raises:
            InvalidInput: the reason is empty, or cannot be stored.
            NotFound: the person has no work on the sample, and the sample is not assigned to them.
            Conflict: the sample is not adjudicated and no work on it is locked, the person's work
                is open already, or the sample has changed since it was displayed. Also for an empty
                person, if work is locked only with other samples in a dataset with gold samples.
        """
        self.check_reviewer(reviewer)
        words = check_storable(reason.strip(), "reason")
        if not words:
            raise InvalidInput(
                "the reason is empty", "state the reason: --reason TEXT", code="reason-missing"
            )
        sample = self.corpus.sample(key).sample
        labels = self.label_sets.in_use(key.dataset)

        def choose(log: EventLog) -> Sequence[str]:
            self._check_not_own(log, reviewer, key)
            now = read_sample_work(log, sample)
            if seen:
                now.check(seen, same=lambda version: self.label_sets.is_equivalent(version, labels))
            if not letter:
                return self._choose_reopened(log, key, person)
            if letter not in now.people:
                raise NotFound(
                    f"{key} has no annotator with the letter {letter!r}",
                    f"letters of annotators: {', '.join(now.people)}",
                    code="no-such-annotator",
                )
            return self._choose_reopened(log, key, now.people[letter].person)

        adjudication = None if person or letter else _reopen_adjudication
        writer = self._writer(reviewer)
        return writer.return_work(key, choose, adjudication=adjudication, reason=words)

    def _choose_reopened(self, log: EventLog, key: SampleKey, person: str) -> Sequence[str]:
        if person in log.workers(key, assigned=True) and log.is_locked(person, key):
            return (person,)  # also if it is locked only with its group
        sample = log.adjudicated_sample(key, person)
        if sample is None or not sample.closed:
            self._refuse_group_locked(log, key)
            raise Conflict(
                f"{key} is not adjudicated, so its annotators can change their work",
                "list the adjudicated samples with: tui-annotate review list",
                code="not-adjudicated",
            )
        if not person:
            return log.workers(key)
        name = self.people.person(person).name
        if person not in log.workers(key, assigned=True):
            raise NotFound(
                f"{name} has no work on {key}, and the sample is not assigned to {name}",
                "check the name with: tui-annotate users list --all",
                code="no-work",
            )
        if person in sample.returned:
            raise Conflict(
                f"the work of {name} on {key} is already reopened",
                "wait until the person has completed the sample again",
                code="reopened-already",
            )
        return (person,)

    def _refuse_group_locked(self, log: EventLog, key: SampleKey) -> None:
        """Raise Conflict if work on a sample that is not adjudicated is locked with its group."""
        locked = [each for each in log.workers(key) if log.is_locked(each, key)]
        if locked:
            names = [self.people.person(each).name for each in locked]
            raise Conflict(
                f"{key} is not adjudicated, but work on it is locked with other samples, of:"
                f" {', '.join(names)}",
                "reopen the work of one person: --person NAME",
                code="locked-with-others",
            )

    def _check_not_own(self, log: EventLog, reviewer: str, key: SampleKey) -> None:
        if self.has_own_work(log, reviewer, key) and not self.own_allowed:
            raise NotAllowed(
                ReviewRefusal.OWN_WORK, "let another reviewer reopen this sample", code="own-work"
            )

    def allow(self, admin: str, key: SampleKey, *, reason: str) -> SampleReaders:
        """Allow the review of a sample before all its annotators completed it.

        Of a sample whose work was reopened, it allows the next adjudication before all its
        annotators completed it again.

        Returns how many people have completed the sample, and how many have not.

        Raises:
            NotAllowed: the current user may not manage the workspace.
            InvalidInput: the reason is empty.
            NotFound: the sample does not exist.
            NotReady: no annotator completed the sample, or it is a practice sample.
            Conflict: the sample is ready for review without permission.
        """
        require_permission(self.actor, Permission.MANAGE)
        self.check_reviewer(admin)
        words = check_storable(reason.strip(), "reason")
        if not words:
            raise InvalidInput(
                "the reason is empty", "state the reason: --reason TEXT", code="reason-missing"
            )
        found: list[SampleReaders] = []

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            if log.list_returned(key):
                found.append(log.readers(key))
                return event_builders.assign(stream.state, ALLOW, {})
            found.append(_require_waiting(log, stream))
            return event_builders.assign(stream.state, ALLOW, {"state": State.DRAFT.value})

        self._writer(admin).do(SETTLED, key, prepare, seconds=0, reason=words)
        return found[-1]

    def read(self, reviewer: str, key: SampleKey, *, seconds: float) -> None:
        """Store the working time of a reviewer who looked at a sample and decided nothing."""
        self.check_reviewer(reviewer)
        if working_seconds(seconds):

            def prepare(_log: EventLog, stream: EventStream) -> PendingEvent:
                return event_builders.assign(stream.state, READ, {})

            self._writer(reviewer).do(SETTLED, key, prepare, seconds=seconds)

    def undo(self, reviewer: str) -> SaveResult | None:
        """Undo the reviewer's last action, on any sample; None if there is nothing to undo.

        Raises:
            Conflict: another reviewer changed the sample after that action.
        """
        self.check_reviewer(reviewer)
        return self._writer(reviewer).undo(SETTLED)

    def redo(self, reviewer: str) -> SaveResult | None:
        """Redo what the reviewer undid last; None if nothing was undone, or Conflict as `undo`."""
        self.check_reviewer(reviewer)
        return self._writer(reviewer).redo(SETTLED)

    def _writer(self, reviewer: str) -> ActionWriter:
        self.people.keep(_REVIEW_OWNER)
        return ActionWriter(
            self.store, self.guidance, clock=self.clock, new_id=self.new_id, by=reviewer
        )

    def _act(
        self,
        reviewer: str,
        key: SampleKey,
        action: tuple[str, Callable[[AdjudicationWriter], None]],
        *,
        seen: str,
        seconds: float,
        reason: str = "",
    ) -> ReviewResult:
        self.check_reviewer(reviewer)
        sample = self.corpus.sample(key).sample
        verb, change = action
        before: list[tuple[SampleWork, AdjudicationWriter]] = []

        def prepare(log: EventLog, stream: EventStream) -> PendingEvent:
            now = read_sample_work(log, sample)
            if refused := self.refusal(log, reviewer, now):
                raise NotAllowed(
                    refused, _HINTS.get(refused, _OTHER_REVIEWER), code="review-refused"
                )
            guidelines = self.guidance.version(GuidanceKind.GUIDELINES, dataset=key.dataset)
            labels = self.label_sets.in_use(key.dataset)
            stamp = ActionStamp(
                by=reviewer,
                at=self.clock(),
                labels=labels,
                guidelines=guidelines,
                new_id=self.new_id,
            )
            now.check(seen, same=lambda version: self.label_sets.is_equivalent(version, labels))
            writer = AdjudicationWriter(log, now, stamp)
            change(writer)
            # Read under the lock: the result must show the state that the action changed.
            before.append((now, writer))
            return writer.action(stream.state, verb)

        done = self._writer(reviewer).do(SETTLED, key, prepare, seconds=seconds, reason=reason)
        found, writer = before[0]
        made = [name for name, payload in writer.after.items() if payload is not None]
        rated = "rating" in writer.words
        changes = found.changes.with_action(made, rated=rated, completed=verb == DONE)
        now = replace(found, settled=done.stream, changes=changes)
        return ReviewResult(
            key=key,
            verb=verb,
            settled=now.adjudicated,
            assignment=done.assignment,
            seen=now.seen_under(writer.stamp.labels.version),
            open=now.open_parts,
        )


def _reopen_adjudication(_log: EventLog, stream: EventStream) -> PendingEvent:
    return event_builders.assign(stream.state, REOPEN, {"state": State.REOPENED.value})


def _require_completed_again(log: EventLog, key: SampleKey) -> None:
    if returned := log.list_returned(key):
        raise Conflict(
            f"{format_count(len(returned), 'annotator has', 'annotators have')} not completed the"
            f" reopened work on {key}, and the adjudication locks it",
            "wait, or ask an admin: tui-annotate review allow"
            f" {shlex.quote(str(key))} --reason TEXT",
            code="reopened-work-open",
        )


def _require_waiting(log: EventLog, stream: EventStream) -> SampleReaders:
    key = stream.key
    readers = log.readers(key)
    if readers.practice:
        raise NotReady(
            f"{key} is a practice sample", _HINTS[ReviewRefusal.PRACTICE], code="practice-sample"
        )
    if not readers.completed:
        raise NotReady(
            f"no annotator has completed {key}",
            "wait until an annotator has completed the sample",
            code="nothing-completed",
        )
    if readers.ready or stream.assignment.state is not State.NEW:
        raise Conflict(
            f"{key} is ready for review",
            f"review it: tui-annotate review --sample {shlex.quote(str(key))}",
            code="ready-for-review",
        )
    return readers
