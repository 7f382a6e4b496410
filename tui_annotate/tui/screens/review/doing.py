"""What the reviewer does, sent to the store: taking, refusing, edits, the end; what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.tui.draft import alone
from tui_annotate.tui.draft.effects import (
    Comment,
    Effect,
    Finish,
    Merge,
    Rate,
    Refuse,
    Remove,
    Save,
    Settle,
    Take,
    Undo,
)
from tui_annotate.tui.draft.judging import editing, places
from tui_annotate.tui.draft.judging.state import Judging
from tui_annotate.tui.draft.judging.words import UNDONE, did
from tui_annotate.tui.draft.relabelling import Relabelling
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import SAVED, WARNING
from tui_annotate.tui.saving import Job, told
from tui_annotate.tui.screens.annotate.samples import NOT_SAVED
from tui_annotate.tui.screens.review.samples import ReviewSamples, take_over
from tui_annotate.tui.turns import Pressed

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.services.review import Judged, ReviewDesk
    from tui_annotate.storage.work.ledger import Done


class _Left(NamedTuple):
    """A sample that was settled, and the next one; None where nothing waits."""

    judged: Judged
    next: Desk | None


class ReviewDoing(ReviewSamples):
    """Everything that changes the store, in review."""

    def holds(self, event: Pressed) -> bool:
        """Also: what stands after a deed is what the next key is for."""
        return self.saver.shown > 0 or super().holds(event)

    def store(self, effect: Effect) -> bool:
        """Sends what an effect asks of the store; False where it asks nothing of it."""
        match effect:
            case Take(rivals):
                self._judge("take", rivals=rivals)
            case Merge(rivals, labels):
                self._judge("merge", rivals=rivals, labels=labels)
            case Refuse(rivals, reason, note):
                self._judge("reject", rivals=rivals, reason=reason, note=note)
            case Remove(annotation):
                self._judge("remove", annotation_id=annotation.id)
            case Save(annotation):
                self._save_edit(annotation)
            case Settle(rest, note):
                self._settle(partial(self._settled, rest=rest, note=note))
            case Undo(redo):
                self._undo(redo=redo)
            case Rate() | Comment():
                self._judge_whole(effect)
            case Finish():
                return True
            case _:
                return False
        return True

    def _judge_whole(self, effect: Rate | Comment) -> None:
        """What is said of the sample as a whole; a comment that is refused is not lost."""
        if isinstance(effect, Rate):
            self._judge("rate", rating=effect.rating)
            return
        back = partial(self._note_back, self.judging, effect.text)
        self._judge("comment", text=effect.text, failed=back)

    def _judge(
        self,
        verb: str,
        *,
        failed: Callable[[TuiAnnotateError], None] | None = None,
        **what: Any,
    ) -> None:
        """Sends a deed of `Review` with what was seen; what stands then is shown."""
        session, desk, token = self.session, self.desk, self._token
        if session is None or desk is None:
            return
        who, key = session.person.id, desk.sample.key

        def call(seconds: float) -> Judged:
            deed = getattr(self._review(), verb)
            judged: Judged = deed(who, key, seen=token.seen, seconds=seconds, **what)
            token.seen = judged.seen
            return judged

        self._send(call, self._judged, failed or self._look_and_tell)

    def _judged(self, judged: Judged) -> None:
        draft = self.judging
        if draft is None or self.desk is None:
            return
        before, now = set(draft.settled), alone.all_exchanged(self.desk.sample, judged.settled)
        made = [one for one in now if one not in before and one.origin != REJECTED]
        self._progressed(judged)
        editing.settled(draft, now, "")
        draft.say(did(draft, judged.verb, made), SAVED)
        edited = made if judged.verb in ("edit", "own") else ()
        self.perform([one for each in edited for one in places.show(draft, places.of(draft, each))])

    def _progressed(self, judged: Judged) -> None:
        """The state as it is now, for the header."""
        desk, draft = self.desk, self.judging
        if desk is None or draft is None or judged.key != desk.sample.key:
            return
        gained = judged.assignment.state.finished - desk.assignment.state.finished
        draft.progress, draft.rating = judged.assignment.state, judged.assignment.rating
        now = replace(desk, assignment=judged.assignment, finished=desk.finished + gained)
        self.desk, draft.rated_apart = now, cast("ReviewDesk", now).rated_apart

    def _save_edit(self, annotation: Annotation) -> None:
        draft, desk = self.judging, self.desk
        if draft is None or desk is None:
            return
        stored = alone.exchanged(desk.sample, annotation)
        known = any(one.id == annotation.id for one in draft.settled)
        sources = draft.sources.get(annotation.id, ())

        def failed(error: TuiAnnotateError) -> None:
            self.forget_keys()
            self._going = False
            self.saved_words = NOT_SAVED
            self.read_again(
                draft, lambda changed: self._hand_back(draft, annotation, changed or told(error))
            )

        if known or sources:
            self._judge("edit", annotation=stored, sources=sources, failed=failed)
        else:
            self._judge("own", annotation=stored, failed=failed)

    def _hand_back(self, draft: Judging, annotation: Annotation, words: str) -> None:
        self.forget_keys()  # also those that came while the sample was read again
        if draft is self.draft:
            self.perform(editing.given_back(draft, annotation, f"not saved: {words}"))

    # what others did meanwhile

    def look_again(self) -> None:
        """What stands in the store now, under what is in hand."""
        if draft := self.judging:
            self.read_again(draft, lambda changed: self._tell_change(draft, changed))

    def _tell_change(self, draft: Judging, words: str) -> None:
        if draft is self.draft:
            if words:
                draft.say(words, WARNING)
            self.perform([])

    def _look_and_tell(self, error: TuiAnnotateError) -> None:
        """A deed was refused: what stands now is shown with the reason."""
        self.forget_keys()
        self._going = False
        self.saved_words = NOT_SAVED
        if draft := self.judging:
            self.read_again(draft, lambda changed: self._tell_change(draft, changed or told(error)))

    def take_over(self, draft: Draft, now: Desk, change: Relabelling) -> None:
        """Also what people said and what was made of it."""
        super().take_over(draft, now, change)
        if isinstance(draft, Judging) and draft is self.draft:
            found = cast("ReviewDesk", now)
            self._token.seen = found.seen
            take_over(draft, found)
            editing.relabel(draft, change)

    # leaving, taking back

    def _settle(self, finish: Callable[..., Judged]) -> None:
        session, desk = self.session, self.desk
        if self._going or session is None or desk is None:
            return
        self._going = True
        who, key, token, seconds = (
            session.person.id, desk.sample.key, self._token, self.stopwatch.take(),
        )  # fmt: skip

        def call() -> _Left:
            judged = finish(who, key, seen=token.seen, seconds=seconds)
            token.seen = judged.seen
            following = self._review().next(who, after=key)
            other = following if following != key else None
            return _Left(judged, self._opened(other) if other else None)

        self._deed(Job(call, self._left_for, self._look_and_tell, shown=True))

    def _settled(self, *where: Any, **what: Any) -> Judged:
        return self._review().finish(*where, **what)

    def _left_for(self, left: _Left) -> None:
        self._going = False
        self._progressed(left.judged)
        words = f"{left.judged.key.id} is settled · u undo"
        if left.next and self.session:
            self.begin(self.session, left.next, words=words, kind=SAVED)
        elif (draft := self.judging) and self.desk:
            now = alone.all_exchanged(self.desk.sample, left.judged.settled)
            editing.settled(draft, now, "")
            self.tell(f"nothing more waits for review · {words} · q queue", SAVED)

    def _undo(self, *, redo: bool) -> None:
        session = self.session
        if self._going or session is None:
            return
        who = session.person.id

        def call() -> tuple[Done, Desk] | None:
            review = self._review()
            done = review.redo(who) if redo else review.undo(who)
            return (done, self._opened(done.stream.key)) if done else None

        self._going = True
        self._deed(Job(call, partial(self._taken_back, redo=redo), self._refused, shown=True))

    def _taken_back(self, answer: tuple[Done, Desk] | None, *, redo: bool) -> None:
        self._going = False
        if answer is None or self.session is None:
            self.tell("nothing to do again" if redo else "nothing to undo")
            return
        done, desk = answer
        here = self.desk is not None and self.desk.sample.key == desk.sample.key
        words = f"{'done again' if redo else 'taken back'}: {UNDONE.get(done.undone, done.undone)}"
        words += " · " + ("u undo" if redo else "U redo") if here else f", in {desk.sample.key}"
        draft = self.judging
        if draft is None or not here:
            self.begin(self.session, desk, words=words, kind=SAVED)
            return
        self.take_over(draft, desk, Relabelling(draft.tree, desk.labels, {}))
        self.perform(places.show(draft, min(max(draft.at, 0), len(draft.spots) - 1)))
        self.tell(words, SAVED)
