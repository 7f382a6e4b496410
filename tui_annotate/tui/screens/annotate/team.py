"""What one hears of others and says to them: news, talks with the reviewers, figures of work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import PersonKind
from tui_annotate.tui.draft.effects import Effect, Open
from tui_annotate.tui.draft.state import Kind
from tui_annotate.tui.draft.words import HINT
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.elsewhere import AnnotateElsewhere

if TYPE_CHECKING:
    from tui_annotate.domain.figures import Figures
    from tui_annotate.domain.remarks import Item, Talk
    from tui_annotate.services.annotate import Desk
    from tui_annotate.services.review import Lesson
    from tui_annotate.tui.dialogs.talk import Said
    from tui_annotate.tui.session import Session

Found = TypeVar("Found")

_MINUTE = 16  # characters of a moment, as far as its minute


def minute(moment: str) -> str:
    """A moment in ISO 8601 to its minute, as people read it."""
    return moment[:_MINUTE].replace("T", " ")


class AnnotateTeam(AnnotateElsewhere):
    """Dialogs about other people; in them nobody's work is seen but one's own."""

    def __init__(self) -> None:
        super().__init__()
        self._unsent = ""

    def begin(self, session: Session, desk: Desk, *, words: str = "", kind: Kind = HINT) -> None:
        """Also: at the first sample, what is new is told."""
        first = self.session is None
        super().begin(session, desk, words=words, kind=kind)
        if first:
            self._look_for_news(session)

    def ask(self, effect: Effect) -> bool:
        """Opens what an effect asks for; False where it asks for nothing of this."""
        session, desk = self.session, self.desk
        if session is None or desk is None:
            return False
        match effect:
            case Open("talk"):
                self._talk(session, desk)
            case Open("figures"):
                self._count(session)
            case Open("lesson"):
                self._learn(session, desk)
            case _:
                return super().ask(effect)
        return True

    def _open_with(self, read: Callable[[], Found], show: Callable[[Found], None]) -> None:
        """Shows what the store tells of this sample; keys wait, for they are meant for it."""
        if self._going:
            return
        self._going = True

        def done(found: Found) -> None:
            self._going = False
            show(found)

        self.saver.send(Job(read, done, self._refused))

    # news

    def _look_for_news(self, session: Session) -> None:
        person = session.person.id

        def look() -> list[Item]:
            news = session.team().news
            items = news.of(person)
            if not items:
                news.saw(person)
            return items

        def tell(items: list[Item]) -> None:
            from tui_annotate.tui.dialogs.news import NewsDialog

            if items:
                self.forget_keys()  # they were not meant for what opens by itself
                self.app.push_screen(NewsDialog(items), seen)

        def seen(_: None) -> None:
            saw = partial(session.team().news.saw, person)
            self.saver.send(Job(saw, lambda _: None, self._refused))

        self.saver.send(Job(look, tell, self._refused))

    # talks

    def _talk(self, session: Session, desk: Desk) -> None:
        key, person = desk.sample.key, session.person.id

        def read() -> list[Said]:
            remarks = session.team().remarks
            talk = remarks.talk(person, key)
            said = talk.remarks if talk else ()
            return [(remarks.name(each.author), minute(each.at), each.text) for each in said]

        def ask(said: list[Said]) -> None:
            from tui_annotate.tui.dialogs.talk import TalkDialog

            self.app.push_screen(TalkDialog(said, text=self._unsent), send)

        def send(text: str | None) -> None:
            if text:
                self._unsent = text  # until the store has it
                write = partial(session.team().remarks.write, person, key, text)
                self.saver.send(Job(write, self._sent, self._refused))

        self._open_with(read, ask)

    def _sent(self, talk: Talk) -> None:
        del talk
        self._unsent = ""
        if self.draft:
            self.draft.say("the reviewers have it; their answer is told when you next begin")
            self.show_draft()

    # lessons

    def _learn(self, session: Session, desk: Desk) -> None:
        """How review settled the sample, as far as that is the annotator's to know."""
        if session.person.kind is PersonKind.AGAIN:
            self.tell("the 2nd reading is done without knowing how the first was settled")
            return
        key, person, sample = desk.sample.key, session.person.id, desk.sample

        def tell(lesson: Lesson | None) -> None:
            if lesson is None:
                self.forget_keys()
                self.tell("review has not settled this sample, or you did nothing on it")
                return
            from tui_annotate.tui.dialogs.lesson import LessonDialog
            from tui_annotate.tui.screens.annotate import lesson as words

            told = (words.own(lesson, sample), words.added(lesson, sample))
            self.app.push_screen(LessonDialog(*told))

        self._open_with(lambda: session.team().review.lesson(person, key), tell)

    # figures

    def _count(self, session: Session) -> None:
        from tui_annotate.tui.dialogs.figures import FiguresDialog

        def count() -> Figures:
            return session.team().measure.figures()

        def failed(error: TuiAnnotateError) -> None:
            if dialog.is_active:
                dialog.dismiss(None)
            self._refused(error)

        dialog = FiguresDialog(lambda: self.saver.send(Job(count, dialog.tell, failed)))
        self.app.push_screen(dialog)
