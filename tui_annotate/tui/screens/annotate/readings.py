"""Practice with its feedback, and the second reading, by which one is somebody else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui_annotate.domain.people import Person, PersonKind, again
from tui_annotate.tui.draft.effects import Effect, Open
from tui_annotate.tui.draft.state import Kind
from tui_annotate.tui.draft.words import SAVED
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.doing import Left
from tui_annotate.tui.screens.annotate.suggesting import AnnotateSuggesting

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session

_NONE_AGAIN = "nothing of yours is to be read a second time"
_BEGUN = "2nd reading: what you did the first time is not shown"
_FIRST = "back at the first reading"


class AnnotateReadings(AnnotateSuggesting):
    """What comes before the work and after it."""

    def __init__(self) -> None:
        super().__init__()
        self._first: Person | None = None

    def begin(self, session: Session, desk: Desk, *, words: str = "", kind: Kind = "hint") -> None:
        """Also: whoever comes back to finished work is offered the second reading."""
        fresh = self.session is None
        super().begin(session, desk, words=words, kind=kind)
        if fresh and desk.finished >= desk.total:
            self._ask_again(session)

    def _ask_again(self, session: Session) -> None:
        def read() -> int:
            return session.annotate.open_again(session.person)

        self.saver.send(Job(read, self._offer, self._refused))

    def store(self, effect: Effect) -> bool:
        """Also: the other reading."""
        if effect == Open("reading"):
            self.other_reading()
            return True
        return super().store(effect)

    # after a sample

    def _left(self, left: Left) -> None:
        """Feedback first, where the sample was for practice."""
        desk = self.desk
        if left.feedback is None or desk is None:
            self._gone(left)
            return
        from tui_annotate.tui.dialogs.feedback import FeedbackDialog

        dialog = FeedbackDialog(left.feedback, desk.sample)
        self.forget_keys()
        self.app.push_screen(dialog, lambda _: self._gone(left))

    def _gone(self, left: Left) -> None:
        super()._left(left)
        self._offer(left.again)

    # the second reading

    def _offer(self, count: int) -> None:
        session = self.session
        if not count or session is None or session.person.kind is PersonKind.AGAIN:
            return
        from tui_annotate.tui.dialogs.question import QuestionDialog

        samples = "sample comes" if count == 1 else "samples come"
        dialog = QuestionDialog(
            "Your first work is done",
            f"{count} {samples} a second time, without what you did before.",
            yes="begin the 2nd reading",
            no="later",
        )
        self.forget_keys()
        self.app.push_screen(dialog, self._answered)

    def _answered(self, yes: bool | None) -> None:  # noqa: FBT001  what a dialog gives
        if yes:
            self.other_reading()

    def other_reading(self) -> None:
        """To the second reading, or back to the first."""
        session = self.session
        if session is None or self._going:
            return
        if session.person.kind is PersonKind.AGAIN:
            self._read_as(session, self._first or session.person, words=_FIRST)
        else:
            self._first = session.person
            self._read_as(session, again(session.person), words=_BEGUN)

    def _read_as(self, session: Session, person: Person, *, words: str) -> None:
        self._going = True
        leave, annotate = self.leaving(), session.annotate

        def call() -> Desk | None:
            key = annotate.start(person.id, order=session.order)
            if key is None:
                return None
            leave()
            return annotate.open(person.id, key, order=session.order)

        def done(desk: Desk | None) -> None:
            self._going = False
            if desk is None:
                self.tell(_NONE_AGAIN)
            else:
                self.begin(replace(session, person=person), desk, words=words, kind=SAVED)

        self.saver.send(Job(call, done, self._refused))
