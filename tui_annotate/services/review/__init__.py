"""Review: adjudicates what several people annotated; see `ReviewService`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypedDict, Unpack

from tui_annotate.domain import event_builders
from tui_annotate.domain.adjudication import Reason, ReviewAction
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import State, working_seconds
from tui_annotate.domain.collection_items import scale
from tui_annotate.domain.errors import Conflict, NotAllowed
from tui_annotate.domain.history import READ, PendingEvent
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.review.adjudication_writer import AdjudicationWriter, Sources, Stamp
from tui_annotate.services.review.queries import ReviewQueries
from tui_annotate.services.review.review_sample import (
    AnnotationLayer,
    AnnotationOutcome,
    QueuedSample,
    ReviewResult,
    ReviewSample,
    SampleOutcome,
    SampleWork,
    read_sample_work,
)
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.log.ledger import ActionResult, Ledger, new_id
from tui_annotate.storage.log.log import Log, Stream

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


class Visit(TypedDict):
    """The reviewer's visit to a sample: `seen` is the state on screen, `seconds` the time spent."""

    seen: str
    seconds: float


@dataclass(frozen=True)
class ReviewService(ReviewQueries):
    """The actions of reviewers. Threads may share it.

    Every action raises NotAllowed for who may not adjudicate the sample, Conflict where it changed
    since it was seen, NotFound without such a sample.
    """

    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id

    def take(
        self, reviewer: str, key: SampleKey, candidates: Sequence[Sources], **visit: Unpack[Visit]
    ) -> ReviewResult:
        """Accept candidates as they are, with the evidence of all who said so.

        Raises:
            Conflict: also where it stands already, or a label must stand alone on its claim.
        """

        def change(writer: AdjudicationWriter) -> None:
            if not candidates:
                raise Conflict("no majority proposes anything here", "choose a rival first")
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
        **visit: Unpack[Visit],
    ) -> ReviewResult:
        """Merge candidates: all their spans, all their evidence, the `labels` of one of them.

        Raises:
            InvalidInput: fewer than two candidates, or none has these labels.
            Conflict: also as `take`.
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
        **visit: Unpack[Visit],
    ) -> ReviewResult:
        """Take a candidate with changes, or change a result; `sources` is ignored for a result.

        Raises:
            InvalidInput: the annotation is malformed, or its labels break their rules.
            Conflict: also where it lacks a required part, or is stored already.
        """
        change = partial(AdjudicationWriter.edit, annotation=annotation, sources=sources)
        return self._act(reviewer, key, ("edit", change), **visit)

    def own(
        self, reviewer: str, key: SampleKey, annotation: Annotation, **visit: Unpack[Visit]
    ) -> ReviewResult:
        """Add an annotation that nobody made."""
        change = partial(AdjudicationWriter.edit, annotation=annotation, sources=())
        return self._act(reviewer, key, ("own", change), **visit)

    def remove(
        self, reviewer: str, key: SampleKey, annotation_id: str, **visit: Unpack[Visit]
    ) -> ReviewResult:
        """Remove a result; the candidates that it was made of are open again.

        Raises:
            Conflict: also where it does not stand any more.
        """

        def change(writer: AdjudicationWriter) -> None:
            gone = [one for one in writer.adjudicated if one.id == annotation_id]
            if not gone:
                raise Conflict(f"{annotation_id} does not stand any more", "was it taken back?")
            writer.drop(gone)

        return self._act(reviewer, key, ("remove", change), **visit)

    def reject(
        self,
        reviewer: str,
        key: SampleKey,
        candidates: Sequence[Sources],
        *,
        reason: Reason = Reason.NONE,
        note: str = "",
        **visit: Unpack[Visit],
    ) -> ReviewResult:
        """Refuse candidates, and what was made of them; they are kept with the reason.

        Raises:
            InvalidInput: there is neither a reason nor a note.
        """
        checked = check_storable(note.strip(), "note")
        change = partial(
            AdjudicationWriter.reject, candidates=candidates, reason=reason, note=checked
        )
        return self._act(reviewer, key, ("reject", change), **visit)

    def rate(
        self, reviewer: str, key: SampleKey, rating: str, **visit: Unpack[Visit]
    ) -> ReviewResult:
        """Settles the rating of the sample as a whole; empty takes it back.

        Raises:
            InvalidInput: it is neither of the sample's scale nor what somebody rated.
        """
        word = check_storable(rating.strip(), "rating")
        words = scale(self.corpus.sample(key).sample.kind, self.ratings)
        change = partial(AdjudicationWriter.rate, word=word, scale=words)
        return self._act(reviewer, key, ("rate", change), **visit)

    def comment(
        self, reviewer: str, key: SampleKey, text: str, **visit: Unpack[Visit]
    ) -> ReviewResult:
        """Replace the comment on the sample as a whole; may be empty."""
        words = {"comment": check_storable(text.strip(), "comment")}
        return self._act(
            reviewer, key, ("comment", lambda writer: writer.words.update(words)), **visit
        )

    def finish(
        self,
        reviewer: str,
        key: SampleKey,
        *,
        rest: Reason = Reason.NONE,
        note: str = "",
        **visit: Unpack[Visit],
    ) -> ReviewResult:
        """Complete the adjudication; what all agreed on is accepted.

        `rest`, `note`: the reason to accept none of the open conflicts.

        Raises:
            Conflict: also with open conflicts or rating and no reason.
        """
        checked = check_storable(note.strip(), "note")
        change = partial(AdjudicationWriter.finish, rest=rest, note=checked)
        return self._act(reviewer, key, ("done", change), **visit)

    def reopen(self, reviewer: str, key: SampleKey, **visit: Unpack[Visit]) -> ReviewResult:
        """Open a settled sample again, with all results.

        Raises:
            Conflict: also where it is not settled.
        """

        def change(writer: AdjudicationWriter) -> None:
            if writer.work.settled.assignment.state is not State.DONE:
                raise Conflict(f"{key} is not settled", "there is nothing to reopen")

        return self._act(reviewer, key, ("reopen", change), **visit)

    def read(self, reviewer: str, key: SampleKey, *, seconds: float) -> None:
        """Time on a sample that no action told of."""
        self.check_reviewer(reviewer)
        if working_seconds(seconds):

            def prepare(_log: Log, stream: Stream) -> PendingEvent:
                return event_builders.assign(stream.state, READ, {})

            self._ledger(reviewer).do(SETTLED, key, prepare, seconds=seconds)

    def undo(self, reviewer: str) -> ActionResult | None:
        """Undo this reviewer's last action, on any sample; None where nothing is left.

        Raises:
            Conflict: someone changed it since.
        """
        self.check_reviewer(reviewer)
        return self._ledger(reviewer).undo(SETTLED)

    def redo(self, reviewer: str) -> ActionResult | None:
        """Does again what this reviewer took back last; None where they did something since."""
        self.check_reviewer(reviewer)
        return self._ledger(reviewer).redo(SETTLED)

    def _ledger(self, reviewer: str) -> Ledger:
        self.people.keep(_REVIEW_OWNER)
        return Ledger(self.store, self.guidance, self.clock, self.new_id, by=reviewer)

    def _act(
        self,
        reviewer: str,
        key: SampleKey,
        action: tuple[str, Callable[[AdjudicationWriter], None]],
        **visit: Unpack[Visit],
    ) -> ReviewResult:
        self.check_reviewer(reviewer)
        sample = self.corpus.sample(key).sample
        verb, change = action
        before: list[tuple[SampleWork, str]] = []

        def prepare(log: Log, stream: Stream) -> PendingEvent:
            now = read_sample_work(log, sample)
            if refused := self.refusal(log, reviewer, now):
                raise NotAllowed(refused, "leave it to another reviewer")
            guidelines = self.guidance.version(GuidanceKind.GUIDELINES, dataset=key.dataset)
            labels = self.label_sets.in_force(key.dataset)
            stamp = Stamp(reviewer, self.clock(), labels, guidelines, self.new_id)
            now.check(visit["seen"], same=lambda version: self.label_sets.same(version, labels))
            change(writer := AdjudicationWriter(log, now, stamp))
            before.append((now, labels.version))
            return writer.action(stream.state, verb)

        done = self._ledger(reviewer).do(SETTLED, key, prepare, seconds=visit["seconds"])
        found, label_set = before[0]
        now = replace(found, settled=done.stream)
        seen = now.seen_under(label_set)
        return ReviewResult(key, verb, now.adjudicated, done.stream.assignment, seen)
