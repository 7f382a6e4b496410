"""Dialogs for announcements, threads with reviewers, outcomes of review, and statistics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import PersonKind
from tui_annotate.editor.effects import Effect, Open, Page
from tui_annotate.editor.messages import AnyMessage, MessageCode
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Draft
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tui_annotate.domain.annotations import Annotation
    from tui_annotate.domain.comments import NewsItem
    from tui_annotate.domain.work_statistics import WorkStatistics
    from tui_annotate.services.review import SampleOutcome
    from tui_annotate.tui.dialogs.comment_thread import ThreadLine
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

_MINUTE = 16  # characters of a time in ISO 8601 up to its minute


def format_minute(moment: str) -> str:
    """Format an ISO 8601 time up to the minute, with a blank in place of the T."""
    return moment[:_MINUTE].replace("T", " ")


class TeamMessage(ScreenMessage):
    """Texts of the thread with reviewers."""

    ABOUT_ANNOTATION = "Ask the reviewers about this annotation"
    ANNOTATION = "annotation"
    GONE = "deleted since"


class TeamDialogs(Feature):
    """Part of the screen that shows announcements, outcomes of review and statistics."""

    preload = (
        "tui_annotate.tui.dialogs.work_statistics",
        "tui_annotate.tui.dialogs.review_outcome",
    )

    def __init__(self, host: FeatureHost) -> None:
        super().__init__(host)
        self._opened_guidelines = False

    def drafted(self, draft: Draft, open_sample: ShownSample) -> None:
        """Name the guidelines until the annotator opens them or finishes a first sample."""
        from tui_annotate.services.annotate import OpenSample

        is_own_work = isinstance(open_sample, OpenSample)  # not in review
        is_first = is_own_work and not open_sample.finished
        unread = is_first and not self._opened_guidelines
        draft.guidelines_unread = unread and bool(open_sample.guidelines)

    def begun(self, session: AnnotatorSession, open_sample: ShownSample, *, first: bool) -> None:
        """Show unread announcements at the start of the app."""
        del open_sample
        if first:
            self._show_announcements(session)

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Show statistics or the outcome of review; return False for other effects."""
        open_sample = self.host.open_sample
        match effect:
            case Open(Page.STATISTICS):
                self._show_statistics(session)
            case Open(Page.LESSON) if open_sample:
                self._show_lesson(session, open_sample)
            case Open(Page.REQUEST):  # the screen shows the guidelines
                self._opened_guidelines = True
                draft.guidelines_unread = False
                return False
            case _:
                return False
        return True

    # news

    def _show_announcements(self, session: AnnotatorSession) -> None:
        person = session.person.id

        def read() -> list[NewsItem]:
            news = session.team().news
            items = news.of(person)
            if not items:
                news.saw(person)
            return items

        def show(items: list[NewsItem]) -> None:
            from tui_annotate.tui.dialogs.news import NewsDialog

            if items:
                self.host.forget_keys()  # keys were not meant for a dialog that opens by itself
                self.host.open_dialog(NewsDialog(items), closed)

        def closed(_: None) -> None:
            self.host.submit(partial(session.team().news.saw, person))

        self.host.submit(read, show)

    # outcomes of review

    def _show_lesson(self, session: AnnotatorSession, open_sample: ShownSample) -> None:
        if session.person.kind is PersonKind.AGAIN:
            self.host.show_message(MessageCode.NO_LESSON_IN_SECOND_READING)
            return
        key = open_sample.sample.key
        person = session.person.id
        sample = open_sample.sample

        def show(lesson: SampleOutcome | None) -> None:
            if lesson is None:
                self.host.forget_keys()
                self.host.show_message(MessageCode.NO_LESSON_YET)
                return
            from tui_annotate.tui.dialogs.review_outcome import ReviewOutcomeDialog
            from tui_annotate.tui.screens.annotate.outcome_rows import added_rows, own_rows

            own = own_rows(lesson, sample)
            added = added_rows(lesson, sample)
            self.host.open_dialog(ReviewOutcomeDialog(own, added))

        self.host.read(lambda: session.team().review.adjudication_notice(person, key), show)

    # statistics

    def _show_statistics(self, session: AnnotatorSession) -> None:
        from tui_annotate.tui.dialogs.work_statistics import WorkStatisticsDialog

        def count() -> WorkStatistics:
            return session.team().progress.figures()

        def failed(error: TuiAnnotateError) -> None:
            if dialog.is_active:
                dialog.dismiss(None)
            self.host.show_error(error)

        dialog = WorkStatisticsDialog(
            lambda: self.host.submit(count, dialog.show_statistics, failed)
        )
        self.host.open_dialog(dialog)


class ThreadFeature(Feature):
    """Part of the screen that opens a thread about a sample, and keeps unsent text."""

    preload = ("tui_annotate.tui.dialogs.comment_thread",)

    def __init__(self, host: FeatureHost) -> None:
        super().__init__(host)
        self._unsent = ""

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Open the thread about the sample or the focused annotation; False for other effects."""
        open_sample = self.host.open_sample
        if open_sample is None:
            return False
        match effect:
            case Open(Page.TALK):
                self.read_thread(session, open_sample, None)
            case Open(Page.ANNOTATION_TALK) if draft.focused_annotation:
                self.read_thread(session, open_sample, draft.focused_annotation)
            case _:
                return False
        return True

    def read_thread(
        self, session: AnnotatorSession, open_sample: ShownSample, annotation: Annotation | None
    ) -> None:
        """Read a thread in the store's thread, and open its dialog.

        Without an annotation, the thread is about the sample as a whole.
        """
        raise NotImplementedError

    def message_sent(self) -> None:
        """Update the screen after a message was stored, if it shows a state of the thread."""

    def open_thread(
        self,
        lines: Sequence[ThreadLine],
        send: Callable[[str], object],
        *,
        sent_message: AnyMessage,
        **how: str,
    ) -> None:
        """Open a thread's dialog; `send`, called in the store's thread, stores the new message."""
        from tui_annotate.tui.dialogs.comment_thread import CommentDialog

        def write(text: str | None) -> None:
            if text:
                self._unsent = text  # kept until it is stored
                self.host.submit(partial(send, text), sent)

        def sent(_: object) -> None:
            self._unsent = ""
            self.host.share_stored()
            self.message_sent()
            self.host.show_message(sent_message)

        self.host.open_dialog(CommentDialog(lines, text=self._unsent, **how), write)


class ReviewerThread(ThreadFeature):
    """Part of the screen that opens an annotator's thread with reviewers about a sample."""

    def read_thread(
        self, session: AnnotatorSession, open_sample: ShownSample, annotation: Annotation | None
    ) -> None:
        """Open the threads about an annotation, or about the sample.

        The latter include threads about deleted annotations, which cannot be focused.
        """
        key = open_sample.sample.key
        person = session.person.id
        about = annotation.id if annotation else ""
        title = {"title": TeamMessage.ABOUT_ANNOTATION.text()} if annotation else {}

        def read() -> list[ThreadLine]:
            from tui_annotate.tui.screens.annotate.outcome_rows import (
                describe_annotation,
                describe_asked_annotation,
            )

            comments = session.team().comments
            stored = open_sample.sample
            lines: list[ThreadLine] = []
            threads = comments.list_own_threads(person, key)
            if annotation and about not in {each.annotation for each in threads}:
                quote = describe_annotation(annotation, stored)
                lines.append((TeamMessage.ANNOTATION.text(), "", quote))
            present = set() if annotation else comments.annotation_ids(person, key)
            for thread in threads:
                # Next to the sample, as no one can focus an annotation that was deleted.
                if thread.annotation != about and (annotation or thread.annotation in present):
                    continue
                if thread.annotation:
                    gone = TeamMessage.GONE.text()
                    quote = describe_asked_annotation(thread, annotation, stored, gone=gone)
                    lines.append((TeamMessage.ANNOTATION.text(), "", quote))
                lines += [
                    (comments.name(each.author), format_minute(each.at), each.text)
                    for each in thread.remarks
                ]
            return lines

        def show(lines: list[ThreadLine]) -> None:
            write = partial(session.team().comments.write, person, key, annotation=about)
            self.open_thread(lines, write, sent_message=MessageCode.SENT_TO_REVIEWERS, **title)

        self.host.read(read, show)
