"""Feedback on practice samples, and second readings of samples that are finished.

Second readings are stored under a separate person id (see `second_reader`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tui_annotate.domain.people import PersonKind
from tui_annotate.editor.effects import Effect, Open, Page
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.editor.state import Draft
from tui_annotate.tui.screens.annotate.loader import SampleSource
from tui_annotate.tui.screens.sample.feature import Feature, FinishedSample
from tui_annotate.tui.session import begin_second_reading

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession


class ReadingMessage(ScreenMessage):
    """Texts of the question whether to begin a second reading."""

    TITLE = "No samples left to annotate"
    SAMPLES = Plural(
        "{count} sample is ready for a 2nd reading. Your annotations are hidden.",
        "{count} samples are ready for a 2nd reading. Your annotations are hidden.",
    )
    BEGIN = "annotate again (2nd reading)"
    LATER = "later"


class SecondReadings(Feature):
    """Part of the screen for feedback on practice samples, and for annotating samples twice."""

    preload = ("tui_annotate.tui.dialogs.feedback", "tui_annotate.tui.dialogs.question")

    def begun(self, session: AnnotatorSession, open_sample: ShownSample, *, first: bool) -> None:
        """Ask for a second reading if no sample is left at the start of the app."""
        if first and open_sample.finished - open_sample.skipped >= open_sample.possible:
            self.host.submit(
                lambda: session.annotate.line.find_reopened(session.person),
                self._ask_second_reading,
            )

    def finished(self, result: FinishedSample, go_on: Callable[[], None]) -> bool:
        """Show the feedback on a practice sample, then go on and ask for a second reading.

        Return False if there is neither feedback nor a sample to read a second time.
        """
        open_sample = self.host.open_sample

        def proceed(_: object = None) -> None:
            go_on()
            self._ask_second_reading(result.second_readings)

        if result.feedback is None or open_sample is None:
            if not self._may_ask(result.second_readings):
                return False
            proceed()
            return True
        from tui_annotate.tui.dialogs.feedback import FeedbackDialog

        self.host.forget_keys()
        self.host.open_dialog(FeedbackDialog(result.feedback, open_sample.sample), proceed)
        return True

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Change between the first and the second reading; return False for other effects."""
        del draft
        if effect != Open(Page.OTHER_READING):
            return False
        self._switch_reading(session)
        return True

    def _may_ask(self, count: int) -> bool:
        session = self.host.session
        return count > 0 and session is not None and session.person.kind is not PersonKind.AGAIN

    def _ask_second_reading(self, count: int) -> None:
        if not self._may_ask(count):
            return
        from tui_annotate.tui.dialogs.question import QuestionDialog

        dialog = QuestionDialog(
            ReadingMessage.TITLE.text(),
            ReadingMessage.SAMPLES.text(count=count),
            yes=ReadingMessage.BEGIN,
            no=ReadingMessage.LATER,
        )

        def answered(yes: bool | None) -> None:  # noqa: FBT001  what a dialog gives
            session = self.host.session
            if yes and session is not None:
                self._switch_reading(session)

        self.host.forget_keys()
        self.host.open_dialog(dialog, answered)

    def _switch_reading(self, session: AnnotatorSession) -> None:
        if self.host.busy:
            return
        if session.first_reader is None:
            self._begin_second_reading(session)
        else:
            self._return_to_first_reading(session, session.first_reader)

    def _return_to_first_reading(self, session: AnnotatorSession, first_reader: Person) -> None:
        first = replace(session, person=first_reader, first_reader=None)
        self.host.switch_session(
            first,
            partial(SampleSource().first, first, ""),
            words=MessageCode.FIRST_READING_AGAIN,
            none=MessageCode.FIRST_READING_HIDDEN,
        )

    def _begin_second_reading(self, session: AnnotatorSession) -> None:
        second = begin_second_reading(session)
        self.host.switch_session(
            second,
            partial(SampleSource().first_again, second),
            words=MessageCode.SECOND_READING_BEGUN,
            none=MessageCode.NO_SECOND_READING,
        )
