"""What the annotator does, sent to the store: saves, undo, done; and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.items import JUDGED
from tui_annotate.tui.draft import alone, finishing, rating, suggesting, walking
from tui_annotate.tui.draft.effects import Comment, Effect, Finish, Rate, Remove, Save, Undo
from tui_annotate.tui.draft.place import place
from tui_annotate.tui.draft.state import SAMPLE, Draft, Note
from tui_annotate.tui.draft.words import SAVED, item_word, labels_words
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.again import AnnotateAgain
from tui_annotate.tui.screens.annotate.samples import SAVING_WORD

if TYPE_CHECKING:
    from tui_annotate.domain.practising import Feedback
    from tui_annotate.domain.samples import Sample, SampleKey
    from tui_annotate.services.annotate import Desk, Saved
    from tui_annotate.tui.session import Session


class Left(NamedTuple):
    """A sample that was finished.

    Attributes:
        next: the one to go on with; None where all are finished.
        feedback: where it was done for practice: what one marked beside what is right.
        again: how many are to be read a second time, where all are finished.
    """

    saved: Saved
    next: Desk | None
    feedback: Feedback | None = None
    again: int = 0


class AnnotateDoing(AnnotateAgain):
    """Everything that changes the store."""

    def store(self, effect: Effect) -> bool:
        """Sends what an effect asks of the store; False where it asks nothing of it."""
        session, desk = self.session, self.desk
        if session is None or desk is None:
            return False
        annotate, who, key = session.annotate, session.person.id, desk.sample.key
        seen = self.draft.tree.version if self.draft else ""
        match effect:
            case Save(annotation, new, offer):
                deed = annotate.add if new else annotate.edit
                shown = None if alone.is_alone(desk.sample) else self.told_offer(offer)
                stored = alone.exchanged(desk.sample, annotation)
                self._save(partial(deed, who, key, stored, offer=shown, label_set=seen), annotation)
            case Remove(annotation):
                remove = partial(
                    annotate.remove, who, key, annotation.id, version=annotation.version
                )
                words = f"deleted {labels_words(annotation.labels)} · u undo"
                self._send(partial(self._timed, remove), partial(self._replaced, words))
            case Comment(text):
                comment = partial(annotate.comment, who, key, text)
                words = f"the comment on the {item_word(desk.sample)} is saved · u undo"
                self._send(
                    partial(self._timed, comment),
                    partial(self._replaced, words),
                    partial(self._note_back, self.draft, text),
                )
            case Rate(word):
                rate = partial(annotate.rate, who, key, word)
                self._send(partial(self._timed, rate), partial(self._replaced, rating.told(word)))
            case Finish(verb, reason):
                self._finish(verb, reason)
            case Undo(redo):
                self._undo(redo=redo)
            case _:
                return False
        return True

    def _timed(self, deed: Callable[..., Saved], seconds: float) -> Saved:
        return deed(seconds=seconds)

    def _send(
        self,
        call: Callable[[float], Any],
        done: Callable[[Any], None],
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Sends a deed with its time; what it gives comes back to the same draft."""
        seconds, draft = self.stopwatch.take(), self.draft

        def back(result: Any) -> None:
            if draft is self.draft:
                done(result)

        self._deed(
            Job(partial(call, seconds), back, failed or self.refused_deed, writes=True, shown=True)
        )

    def _deed(self, job: Job[Any]) -> None:
        """Sends a job, and says so in the header."""
        self.saved_words = SAVING_WORD
        self.saver.send(job)

    def _save(self, deed: Callable[..., Saved], annotation: Annotation) -> None:
        seconds, draft, desk = self.stopwatch.take(), self.draft, self.desk
        if draft is None or desk is None:
            return
        self.last_label, sample = draft.last_label, desk.sample

        def done(saved: Saved) -> None:
            self._take_over(saved)
            made = alone.exchanged(sample, saved.annotation) if saved.annotation else annotation
            effects = finishing.saved(draft, made, alone.all_exchanged(sample, saved.annotations))
            if draft is self.draft:
                self.perform(effects)
                self.keep_place()

        call = partial(deed, seconds=seconds)
        failed = partial(self.refused_save, draft, annotation)
        self._deed(Job(call, done, failed, writes=True, shown=True))

    def _note_back(self, draft: Draft | None, text: str, error: TuiAnnotateError) -> None:
        """A refused comment waits for the next `m`, as one that was left with Esc."""
        if draft:
            draft.kept[Note(SAMPLE)] = text
        self._refused(error)

    def _replaced(self, words: str, saved: Saved) -> None:
        self._take_over(saved)
        if self.draft and self.desk:
            stored = alone.all_exchanged(self.desk.sample, saved.annotations)
            self.perform(finishing.replaced(self.draft, stored, words))

    def _take_over(self, saved: Saved) -> None:
        """The assignment as it stands now, for the header."""
        if self.desk and saved.key == self.desk.sample.key:
            finished = self.desk.finished
            finished += saved.assignment.state.finished - self.desk.assignment.state.finished
            self.desk = replace(self.desk, assignment=saved.assignment, finished=finished)
            if self.draft:
                self.draft.rating = saved.assignment.rating

    def _finish(self, verb: str, reason: str) -> None:
        session, desk = self.session, self.desk
        if self._going or session is None or desk is None:
            return
        self._going = True
        who, key, leave = session.person.id, desk.sample.key, self.leaving_place()
        annotate, seconds = session.annotate, self.stopwatch.take()
        seen = self.draft.tree.version if self.draft else ""
        deeds: dict[str, Callable[[], Saved]] = {
            "done": partial(annotate.finish, who, key, seconds=seconds, label_set=seen),
            "skip": partial(annotate.skip, who, key, reason=reason, seconds=seconds),
            "flag": partial(annotate.flag, who, key, reason=reason, seconds=seconds),
        }

        def call() -> Left:
            saved = deeds[verb]()
            leave()
            practised = desk.practice and verb == "done"
            told_right = annotate.feedback(who, key) if practised else None
            following = self._next(session, desk.sample)
            if following in (None, key):
                return Left(saved, None, told_right, annotate.open_again(session.person))
            return Left(saved, self._opened(following), told_right)

        self._deed(Job(call, self._left, self.refused_deed, shown=True))

    def _next(self, session: Session, sample: Sample) -> SampleKey | None:
        """In the store's thread: what comes after a sample that is done."""
        annotate, who = session.annotate, session.person.id
        if sample.kind in JUDGED:
            found = annotate.next_incomplete(who, sample.kind, sample.key)
            if found not in (None, sample.key):
                return found  # else what is left may have to be drawn
        return annotate.next_unfinished(who, sample.key, order=session.order)

    def leaving_place(self) -> Callable[[], None]:
        """What keeps the place alone; to be called in the store's thread."""
        session, desk, draft = self.session, self.desk, self.draft
        if session is None or desk is None or draft is None:
            return lambda: None
        return partial(
            session.annotate.keep_place, session.person.id, desk.sample.key, place(draft)
        )

    def _left(self, left: Left) -> None:
        self._going = False
        self._take_over(left.saved)
        finished = f"sample {left.saved.key.id} is {left.saved.assignment.state}"
        if left.next and self.session:
            words = f"{finished} · u undo"
            self.begin(self.session, left.next, words=words, kind=SAVED)
        elif self.desk and self.desk.finished >= self.desk.total:
            self.tell("all samples are finished · q queue · u undo", SAVED)
            self.listen()
        else:
            self.tell(f"{finished} · q queue · u undo", SAVED)
            self.listen()

    def _undo(self, *, redo: bool) -> None:
        session, desk = self.session, self.desk
        if self._going or session is None or desk is None:
            return
        annotate, who, here = session.annotate, session.person.id, desk.sample.key
        leave = self.leaving_place()

        def call() -> tuple[Saved, Desk | None] | None:
            saved = annotate.redo(who) if redo else annotate.undo(who)
            if saved is None or saved.key == here:
                return (saved, None) if saved else None
            leave()
            return saved, self._opened(saved.key)

        self._going = True
        self._deed(Job(call, partial(self._undone, redo), self.refused_deed, shown=True))

    def _undone(self, redo: bool, answer: tuple[Saved, Desk | None] | None) -> None:  # noqa: FBT001  bound by partial
        draft, here, self._going = self.draft, self.desk, False
        if answer is None or draft is None or here is None or self.session is None:
            self.tell("nothing to do again" if redo else "nothing to undo")
            return
        saved, desk = answer
        if desk:
            words = finishing.undone(saved.undone, redo=redo)
            self.begin(self.session, desk, words=f"{words}, in {saved.key}", kind=SAVED)
            return
        before = draft.suggestions
        self._take_over(saved)
        stored = alone.all_exchanged(here.sample, saved.annotations)
        left = {annotation.id for annotation in stored}
        lost = [known for known in draft.annotations if known.id not in left]
        again = suggesting.open_again(draft, before)
        gone = lost[0] if len(lost) == 1 and not (redo or again) else None
        names = [*lost, *([saved.annotation] if saved.annotation else [])]
        labels = labels_words(names[0].labels) if len(names) == 1 else ""
        words = finishing.undone(saved.undone, labels, redo=redo)
        words = f"{words} · {'u undo' if redo else 'U redo'}"
        effects = finishing.replaced(draft, stored, words, gone=gone)
        if again and not (draft.open or draft.selection):
            effects += walking.show(draft, again)
        self.perform(effects)
