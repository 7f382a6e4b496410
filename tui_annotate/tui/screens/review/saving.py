"""Loads samples for review, and builds requests that store a reviewer's decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import working_seconds
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor import single_document
from tui_annotate.editor.citations import list_citations
from tui_annotate.editor.effects import (
    Comment,
    CompleteReview,
    Effect,
    Effects,
    Finish,
    MergeCandidates,
    Rate,
    RejectCandidates,
    Remove,
    ReopenWork,
    Save,
    TakeCandidates,
    Undo,
)
from tui_annotate.editor.label_set_change import DraftLabelSetChange
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.review import key_handlers
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.editor.review.words import UNDONE, describe_action
from tui_annotate.editor.screen_message import describe_error
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import SAVED, WARNING
from tui_annotate.tui.screens.annotate.damaged_samples import name_damaged, open_undamaged
from tui_annotate.tui.screens.annotate.loader import SampleSource
from tui_annotate.tui.screens.sample.feature import FoundSample
from tui_annotate.tui.store_thread import StoreJob

if TYPE_CHECKING:
    from tui_annotate.services.annotate import SaveResult
    from tui_annotate.services.review import (
        ReviewResult,
        ReviewSample,
        ReviewService,
        ReviewVisit,
    )
    from tui_annotate.tui.screens.annotate.sample_session import SampleSession
    from tui_annotate.tui.screens.annotate.saving import SaveController
    from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession


class ReviewCall(Protocol):
    """A reviewer's decision about a sample, as a call of the service for reviews."""

    def __call__(
        self, review: ReviewService, who: str, key: SampleKey, **visit: Unpack[ReviewVisit]
    ) -> ReviewResult:
        """Store the decision; errors as for the methods of `ReviewService`."""


@dataclass
class SeenToken:
    """Identifier of the version of the open sample that the reviewer saw.

    The store refuses an action if the sample has changed since. The store's thread updates the
    identifier after each action.
    """

    seen: str


class ReviewSource(SampleSource):
    """Source of the samples to review, which keeps the token of the open sample."""

    def __init__(self) -> None:
        self.token = SeenToken("")  # token of the open sample

    def first(self, session: AnnotatorSession, sample: str) -> FoundSample:
        """Open the requested sample, else the first to review, else an adjudicated one, if any."""
        review = session.team().review
        who = session.person.id

        def list_keys() -> Iterator[SampleKey]:
            if sample:
                yield session.annotate.find(sample)
            yield from review.to_adjudicate(who)
            yield from (row.key for row in review.queue(who))

        keys = list_keys()

        def find(damaged: Sequence[SampleKey]) -> SampleKey | None:
            return next((key for key in keys if key not in damaged), None)

        return open_undamaged(find, partial(self.open, session))

    def open(self, session: AnnotatorSession, key: SampleKey) -> ReviewSample:
        """Read a sample with all candidate annotations, without names."""
        return session.team().review.open(session.person.id, key)

    def neighbour(self, session: AnnotatorSession, key: SampleKey, step: int) -> SampleKey | None:
        """Return the sample `step` positions after a sample to review; None beyond the ends."""
        return session.team().review.neighbour(session.person.id, key, step)

    def new_draft(self, open_sample: ShownSample, *, last_label: tuple[str, ...]) -> ReviewDraft:
        """Create the draft of a newly opened sample, and the token of its version."""
        found = review_sample_of(open_sample)
        self.token = SeenToken(found.seen)
        draft = ReviewDraft(
            single_document.to_screen_sample(open_sample.sample),
            open_sample.segments,
            open_sample.labels,
            last_label=last_label,
            citations=list_citations(open_sample.sample),
        )
        _update_stored_part(draft, found)
        return draft

    def position_writer(
        self, current: SampleSession, kept: Mapping[str, Any]
    ) -> Callable[[], None] | None:
        """Return None, because a reviewer's position is not stored."""
        del current, kept
        return None

    def spend(self, current: SampleSession, seconds: float) -> Callable[[], None]:
        """Return a function that stores the working time; it does nothing if review is refused."""
        draft = current.draft
        review = current.session.team().review
        allowed = isinstance(draft, ReviewDraft) and not draft.blocked_reason
        if not (allowed and working_seconds(seconds)):
            return lambda: None
        who = current.session.person.id
        key = current.open_sample.sample.key
        return partial(review.read, who, key, seconds=seconds)


def review_sample_of(open_sample: ShownSample) -> ReviewSample:
    """Return a sample that `ReviewSource` opened.

    Raises:
        TypeError: the sample was opened for an annotator.
    """
    from tui_annotate.services.review import ReviewSample

    if isinstance(open_sample, ReviewSample):
        return open_sample
    raise TypeError(open_sample.sample.key)


def _update_stored_part(draft: ReviewDraft, found: ReviewSample) -> None:
    """Replace the stored part of a review draft: groups, decisions, rating, comment, people."""
    sample = found.sample
    draft.groups = single_document.exchange_group_sides(sample, found.groups)
    draft.settled = single_document.exchange_all_sides(sample, found.settled)
    draft.annotations = single_document.exchange_all_sides(sample, found.annotations)
    candidates = [word for word, _ in found.ratings if word not in found.scale]
    draft.scale = (*found.scale, *candidates)
    draft.rating = found.assignment.rating
    draft.comment = _final_comment(found)
    draft.open_parts = found.open
    draft.ratings = found.ratings
    draft.progress = found.assignment.state
    draft.blocked_reason = found.refused
    draft.people = tuple(layer.letter for layer in found.layers)
    draft.edited = found.edited
    draft.reopened = found.reopened
    draft.locked_people = found.locked_people


def _final_comment(found: ReviewSample) -> str:
    """Return the adjudicated sample comment, else the comment on which the annotators agree."""
    if found.assignment.comment:
        return found.assignment.comment
    comments = {layer.comment for layer in found.layers if layer.comment}
    return comments.pop() if len(comments) == 1 else ""


class ReviewSaves:
    """Sender of a reviewer's decisions; replaces how `SaveController` reads samples again."""

    def __init__(
        self, screen: WorkspaceScreen, saves: SaveController, source: ReviewSource
    ) -> None:
        self._screen = screen
        self._saves = saves
        self._source = source
        self._saves.updated = self._update_review
        self._saves.reload_sample = self.reload_sample

    @property
    def _draft(self) -> ReviewDraft | None:
        draft = self._screen.draft
        return draft if isinstance(draft, ReviewDraft) else None

    def handle(self, effect: Effect) -> bool:
        """Send the decision that an effect describes to the store; return False for others."""
        match effect:
            case TakeCandidates(candidates):
                self._send(
                    lambda review, who, key, **visit: review.take(who, key, candidates, **visit)
                )
            case MergeCandidates(candidates, labels):
                self._send(
                    lambda review, who, key, **visit: review.merge(
                        who, key, candidates, labels=labels, **visit
                    )
                )
            case RejectCandidates(candidates, reason, note):
                self._send(
                    lambda review, who, key, **visit: review.reject(
                        who, key, candidates, reason=reason, note=note, **visit
                    )
                )
            case Remove(annotation):
                self._send(
                    lambda review, who, key, **visit: review.remove(
                        who, key, annotation.id, **visit
                    )
                )
            case Save(annotation):
                self._save_edit(annotation)
            case CompleteReview(rest, note, unrated, leave):
                self._finish_sample(rest=rest, note=note, unrated=unrated, leave=leave)
            case Undo(redo):
                self._undo(redo=redo)
            case Rate(rating):
                self._send(lambda review, who, key, **visit: review.rate(who, key, rating, **visit))
            case Comment(text):
                self._send(
                    lambda review, who, key, **visit: review.comment(who, key, text, **visit),
                    failed=partial(self._saves.keep_comment, self._draft, text),
                )
            case ReopenWork(letter, reason):
                self._reopen_work(letter, reason)
            case Finish():
                return True
            case _:
                return False
        return True

    def _send(
        self,
        decision: ReviewCall,
        *,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Send a decision about the open sample to the store, and show the result.

        The store refuses the decision if the sample has changed since the reviewer saw it.
        """
        screen = self._screen
        session = screen.session
        open_sample = screen.open_sample
        token = self._source.token
        if session is None or open_sample is None:
            return
        who = session.person.id
        key = open_sample.sample.key

        def call(seconds: float) -> ReviewResult:
            review = session.team().review
            review_result = decision(review, who, key, seen=token.seen, seconds=seconds)
            token.seen = review_result.seen  # here, so that a queued action sees the new version
            return review_result

        self._saves.send_timed(call, self._on_result, failed or self.reload_and_show)

    def _on_result(self, review_result: ReviewResult) -> None:
        draft = self._draft
        open_sample = self._screen.open_sample
        if draft is None or open_sample is None:
            return
        before = set(draft.settled)
        verb = review_result.verb
        now = single_document.exchange_all_sides(open_sample.sample, review_result.settled)
        made = [one for one in now if one not in before and one.origin != REJECTED]
        self._update_progress(review_result)
        key_handlers.apply_stored_result(draft, now, "")
        done = describe_action(draft, verb, made)
        labels = [one.labels for one in made]
        code = ReviewText.REVIEW_ACTION_SAVED
        draft.say(code, SAVED, done=done, action=verb, labels=labels)
        effects: Effects = []
        if verb in ("edit", "own"):
            for edited in made:
                position = key_handlers.position_of(draft, edited)
                effects += key_handlers.show_position(draft, position)
        self._screen.perform(effects)

    def _update_progress(self, review_result: ReviewResult) -> None:
        """Update state, rating and counts of the open sample from a stored result."""
        open_sample = self._screen.open_sample
        draft = self._draft
        if open_sample is None or draft is None or review_result.key != open_sample.sample.key:
            return
        assignment = review_result.assignment
        draft.progress = assignment.state
        draft.rating = assignment.rating
        before = review_sample_of(open_sample)
        now = replace(before, assignment=assignment, open=review_result.open)
        now = replace(now, finished=before.finished + now.is_settled - before.is_settled)
        draft.open_parts = review_result.open
        draft.comment = _final_comment(now)
        if current := self._screen.current:
            self._screen.current = replace(current, open_sample=now)

    def _save_edit(self, annotation: Annotation) -> None:
        """Store an edited annotation: known or from candidates, else the reviewer's own."""
        draft = self._draft
        open_sample = self._screen.open_sample
        if draft is None or open_sample is None:
            return
        stored = single_document.exchange_sides(open_sample.sample, annotation)
        known = any(one.id == annotation.id for one in draft.settled)
        sources = draft.sources.get(annotation.id, ())

        def failed(error: TuiAnnotateError) -> None:
            self._saves.not_saved()
            self._saves.reload(draft, partial(back, error))

        def back(error: TuiAnnotateError, changed: StatusMessage) -> None:
            self._screen.forget_keys()  # also keys pressed while the sample was read again
            if draft is self._screen.draft:
                reason = changed or describe_error(error)
                words = StatusMessage(MessageCode.NOT_SAVED, {"reason": reason}).text
                self._screen.perform(key_handlers.restore_refused_edit(draft, annotation, words))

        if known or sources:
            self._send(
                lambda review, who, key, **visit: review.edit(
                    who, key, stored, sources=sources, **visit
                ),
                failed=failed,
            )
        else:
            self._send(
                lambda review, who, key, **visit: review.own(who, key, stored, **visit),
                failed=failed,
            )

    def _reopen_work(self, letter: str, reason: str) -> None:
        """Reopen the work of the annotator with a letter, of all for an empty letter."""
        session = self._screen.session
        open_sample = self._screen.open_sample
        draft = self._draft
        if session is None or open_sample is None or draft is None:
            return
        who = session.person.id
        key = open_sample.sample.key
        token = self._source.token

        def call() -> tuple[str, ...]:
            review = session.team().review
            return review.reopen_work(who, key, reason=reason, letter=letter, seen=token.seen)

        def done(_: tuple[str, ...]) -> None:
            code = ReviewText.REOPENED_ONE if letter else ReviewText.REOPENED_ALL
            self._saves.reload(draft, partial(show, StatusMessage(code, {}, SAVED)))

        def show(said: StatusMessage, changed: StatusMessage) -> None:
            if draft is self._screen.draft:
                draft.message = changed or said
                self._screen.perform([])

        self._saves.send(StoreJob(call, done, self.reload_and_show, writes=True, shown=True))

    # changes by other users

    def reload_sample(self) -> None:
        """Read the sample again after work from elsewhere was merged."""
        if draft := self._draft:
            self._saves.reload_and_show(draft, lambda changed: changed)

    def reload_and_show(self, error: TuiAnnotateError) -> None:
        """Drop the keys pressed since a refused action, and read the sample again."""
        self._saves.not_saved()
        if draft := self._draft:
            self._saves.reload_and_show(draft, lambda changed: changed or describe_error(error))

    def _update_review(self, draft: Draft, now: ShownSample, change: DraftLabelSetChange) -> None:
        """Update what only a review draft has, and the token of its version, from the store."""
        if isinstance(draft, ReviewDraft) and draft is self._screen.draft:
            found = review_sample_of(now)
            self._source.token.seen = found.seen
            _update_stored_part(draft, found)
            key_handlers.apply_relabelling(draft, change)

    # the end of a sample, undo

    def _finish_sample(self, **what: Any) -> None:
        screen = self._screen
        session = screen.session
        open_sample = screen.open_sample
        if self._saves.busy or session is None or open_sample is None:
            return
        self._saves.busy = True
        who = session.person.id
        key = open_sample.sample.key
        token = self._source.token
        seconds = self._saves.stopwatch.take()

        def call() -> tuple[ReviewResult, FoundSample]:
            review = session.team().review
            review_result = review.finish(who, key, seen=token.seen, seconds=seconds, **what)
            token.seen = review_result.seen
            others = (other for other in review.to_adjudicate(who) if other != key)
            return review_result, open_undamaged(lambda _: next(others, None), screen.loader.open)

        self._saves.send(StoreJob(call, self._go_on, self.reload_and_show, shown=True))

    def _go_on(self, answer: tuple[ReviewResult, FoundSample]) -> None:
        """Show the next sample to review; the same sample if none is left."""
        self._saves.busy = False
        review_result, found = answer
        screen = self._screen
        self._update_progress(review_result)
        sample = review_result.key.id
        settled = StatusMessage(ReviewText.SAMPLE_SETTLED, {"sample": sample}, SAVED)
        message = name_damaged(settled, found.damaged)
        if found.open_sample and screen.session:
            screen.begin(screen.session, found.open_sample, message)
        elif (draft := self._draft) and screen.open_sample:
            now = single_document.exchange_all_sides(
                screen.open_sample.sample, review_result.settled
            )
            key_handlers.apply_stored_result(draft, now, "")
            if found.damaged:
                screen.show_message(message, WARNING)
            else:
                screen.show_message(ReviewText.ALL_SETTLED, SAVED)
            screen.loader.listen()

    def _undo(self, *, redo: bool) -> None:
        session = self._screen.session
        if self._saves.busy or session is None:
            return
        who = session.person.id
        loader = self._screen.loader

        def call() -> tuple[SaveResult, FoundSample] | None:
            review = session.team().review
            undone = review.redo(who) if redo else review.undo(who)
            if undone is None:
                return None
            return undone, open_undamaged(lambda _: undone.key, loader.open)

        self._saves.busy = True
        done = partial(self._on_undone, redo=redo)
        self._saves.send(StoreJob(call, done, self._saves.refused, shown=True))

    def _on_undone(self, answer: tuple[SaveResult, FoundSample] | None, *, redo: bool) -> None:
        self._saves.busy = False
        screen = self._screen
        if answer is None or screen.session is None:
            screen.show_message(
                MessageCode.NOTHING_TO_REDO if redo else MessageCode.NOTHING_TO_UNDO
            )
            return
        done, found = answer
        open_sample = found.open_sample
        key = done.key
        here = screen.open_sample is not None and screen.open_sample.sample.key == key
        known = UNDONE.get(done.undone)
        fields = {"done": known.text() if known else done.undone, "action": done.undone}
        draft = self._draft
        code = ReviewText.REVIEW_REDONE_ELSEWHERE if redo else ReviewText.REVIEW_UNDONE_ELSEWHERE
        message = StatusMessage(code, {**fields, "sample": key}, SAVED)
        if open_sample is None:
            screen.show_message(name_damaged(message, found.damaged), WARNING)
            return
        if draft is None or not here:
            screen.begin(screen.session, open_sample, message)
            return
        unchanged = DraftLabelSetChange(draft.tree, open_sample.labels, {})
        self._saves.update_draft(draft, open_sample, unchanged)
        position = min(max(draft.at, 0), len(draft.positions) - 1)
        screen.perform(key_handlers.show_position(draft, position))
        code = ReviewText.REVIEW_REDONE if redo else ReviewText.REVIEW_UNDONE
        screen.show_message(code, SAVED, **fields)
