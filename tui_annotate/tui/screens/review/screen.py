"""The review screen: candidate annotations of one sample, group by group, without names.

The screen has the texts, lines and keys of the annotating screen. While an annotation is edited,
the screen works like the annotating screen, with the assist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import Side
from tui_annotate.editor.effects import Effect, Effects, Open, Page
from tui_annotate.editor.glyphs import REVIEW_STATE_NAMES, STATE_GLYPHS, StateName
from tui_annotate.editor.key_map import KeyMap
from tui_annotate.editor.key_state import REVIEWING
from tui_annotate.editor.messages import NO_MESSAGE, Kind, StatusMessage
from tui_annotate.editor.review import key_handlers
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.press import finish_note, press
from tui_annotate.editor.review.questions import CONFIRMING, REOPENING
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.editor.review.words import draft_line
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import RATING, Draft
from tui_annotate.tui.key_queue import KeyOrPaste
from tui_annotate.tui.row_widgets import WordsList
from tui_annotate.tui.screens.annotate.features.collection import Collection
from tui_annotate.tui.screens.annotate.features.imported_comments import ImportedComments
from tui_annotate.tui.screens.annotate.features.team import (
    TeamDialogs,
    ThreadFeature,
    format_minute,
)
from tui_annotate.tui.screens.annotate.outcome_rows import describe_asked_annotation
from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
from tui_annotate.tui.screens.review import rows
from tui_annotate.tui.screens.review.queue import ReviewQueue
from tui_annotate.tui.screens.review.rows import ReviewMessage
from tui_annotate.tui.screens.review.saving import ReviewSaves, ReviewSource, review_sample_of
from tui_annotate.tui.screens.sample.feature import Feature, FeatureOrder, TextPage
from tui_annotate.tui.screens.sample.rows import Title
from tui_annotate.tui.widgets.annotation_list import AnnotationList
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.header_bar import Header
from tui_annotate.tui.widgets.label_bar import LONGEST, MOST_ROWS, LabelBar, Option
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.domain.comments import CommentThread
    from tui_annotate.services.review import ReviewSample
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession


class AnnotatorThreads(ThreadFeature):
    """Part of the review screen that shows annotators' questions and sends the replies."""

    _left = 0  # questions that are unanswered after the reply that is being written

    def read_thread(
        self, session: AnnotatorSession, open_sample: ShownSample, annotation: Annotation | None
    ) -> None:
        """Open the first thread that waits for a reply, else the latest one."""
        del annotation  # a reviewer answers all threads of the sample, one after the other
        key = open_sample.sample.key

        def quote(thread: CommentThread) -> str:
            layers = review_sample_of(open_sample).layers
            found = (each for layer in layers for each in layer.annotations)
            now = next((each for each in found if each.id == thread.annotation), None)
            gone = ReviewMessage.ANNOTATION_GONE.text()
            return describe_asked_annotation(thread, now, open_sample.sample, gone=gone)

        def show(threads: list[CommentThread]) -> None:
            if not threads:
                self.host.forget_keys()
                self.host.show_message(ReviewText.NOBODY_ASKED)
                return
            waiting = [thread for thread in threads if thread.waiting]
            thread = (waiting or threads[::-1])[0]
            more = len(waiting) - 1
            self._left = max(more, 0)
            names = {thread.person: ReviewMessage.AN_ANNOTATOR.text()}
            lines = [
                (
                    names.get(each.author, ReviewMessage.A_REVIEWER.text()),
                    format_minute(each.at),
                    each.text,
                )
                for each in thread.remarks
            ]
            if thread.annotation:
                lines.insert(0, (ReviewMessage.ANNOTATION.text(), "", quote(thread)))
            title = ReviewMessage.THREAD_TITLE
            if more == 1:
                title = ReviewMessage.THREAD_TITLE_ONE_MORE
            elif more > 1:
                title = ReviewMessage.THREAD_TITLE_MORE
            self.open_thread(
                lines,
                partial(session.team().comments.reply, thread.id),
                sent_message=ReviewText.ANSWER_SENT,
                title=title.text(count=more),
                wanted=ReviewMessage.ANSWER_HINT.text(),
            )

        self.host.read(lambda: session.team().comments.list_threads(sample=key), show)

    def message_sent(self) -> None:
        """Show how many questions are still unanswered."""
        if isinstance(draft := self.host.draft, ReviewDraft):
            draft.open_parts = replace(draft.open_parts, questions=self._left)


class AnnotatorNotes(Feature):
    """Part of the review screen that shows the annotators' sample comments."""

    def pages(self, draft: Draft, open_sample: ShownSample) -> Sequence[TextPage]:
        """Return one page with all sample comments, shown at once; none without comments."""
        layers = review_sample_of(open_sample).layers
        noted = [(layer.letter, layer.comment) for layer in layers if layer.comment]
        if not noted or not isinstance(draft, ReviewDraft):
            return ()
        text = "\n\n".join(
            ReviewMessage.NOTE_OF.text(people=draft.describe_people([letter]), note=comment)
            for letter, comment in noted
        )
        return [TextPage(ReviewMessage.NOTES_PAGE.text(), text, shown=True)]


_TALL_ROWS = 20  # minimum rows of a window for a third row of options


REVIEW_FEATURES: Final[FeatureOrder] = (
    "contexts",
    partial(Collection, walks=False),
    "positions",
    TeamDialogs,
    AnnotatorThreads,
    AnnotatorNotes,
    partial(ImportedComments, everyone=True),
)
"""Optional parts of the review screen, in order: classes, or names of plug-ins' parts."""


class ReviewScreen(WorkspaceScreen):
    """Screen on which a reviewer decides on the candidate annotations of a sample."""

    no_sample: ClassVar[ScreenMessage] = ReviewMessage.NO_SAMPLE
    state_names: ClassVar[Mapping[str, StateName]] = REVIEW_STATE_NAMES

    def __init__(self, close: Callable[[], None]) -> None:
        source = ReviewSource()
        super().__init__(close, source)
        self.open_queue = ReviewQueue(self).open
        self.review_saves = ReviewSaves(self, self.saves, source)
        self.use_features(REVIEW_FEATURES, self.review_saves.handle)
        self._editing_shown = False
        self._bar_rows: tuple[object, int] = (None, 1)  # sample and size, rows of the bar

    def compose(self) -> ComposeResult:
        """Yield the widgets of a sample, and the list of candidates after the annotations."""
        for widget in super().compose():
            yield widget
            if isinstance(widget, AnnotationList):
                yield PaneTitle(id="rivals-title")
                yield WordsList(id="rivals")

    @property
    def review_draft(self) -> ReviewDraft | None:
        """The open sample with the reviewer's unsaved work; None before the first sample."""
        return self.draft if isinstance(self.draft, ReviewDraft) else None

    @property
    def review_sample(self) -> ReviewSample | None:
        return review_sample_of(self.open_sample) if self.open_sample else None

    def press(self, draft: Draft, action: str, *, digit: str) -> Effects:
        """Change the draft by an action, in the reviewer's way if there is one."""
        if isinstance(draft, ReviewDraft):
            return press(draft, action, digit=digit, more=self.feature_keys)
        return super().press(draft, action, digit=digit)

    def finish_note(self, draft: Draft, text: str) -> Effects:
        """Handle Enter in the note line, in which a reviewer also types reasons."""
        if isinstance(draft, ReviewDraft):
            return finish_note(draft, text)
        return super().finish_note(draft, text)

    def begin(
        self,
        session: AnnotatorSession,
        open_sample: ShownSample,
        message: StatusMessage = NO_MESSAGE,
    ) -> None:
        """Show a sample at its first conflict, or, read again, at the same group."""
        at = -1
        before = self.open_sample
        if before is not None and before.sample.key == open_sample.sample.key and self.review_draft:
            at = self.review_draft.at
        super().begin(session, open_sample, message)
        if (draft := self.review_draft) is None:
            return
        if 0 <= at < len(draft.positions):
            self.perform(key_handlers.show_position(draft, at))
        else:
            self.perform(key_handlers.show_first_conflict(draft))

    # keys

    def follow(self) -> None:
        """Follow the cursor to a group; matches change when an edit begins or ends."""
        draft = self.review_draft
        if draft and bool(draft.editing) != self._editing_shown:
            self._editing_shown = bool(draft.editing)
            self.panes.forget_matches()
        super().follow()
        if draft:
            key_handlers.follow_cursor(draft)

    @property
    def shows_matches(self) -> bool:
        """Whether the screen shows matches of the selection; True while an annotation is edited."""
        return bool(self.review_draft and self.review_draft.editing)

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait; a reviewer's keys wait for each decision to be stored."""
        return self.saver.shown > 0 or super().holds(event)

    # what is shown

    def show_draft(self) -> None:
        """Update every widget; the list of candidates is shown unless an edit is open."""
        draft = self.review_draft
        self.set_class(draft is not None and not draft.editing, "-judging")
        super().show_draft()

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        if isinstance(draft, ReviewDraft):
            return draft_line(draft, cells)
        return super().line(draft, cells)

    def key_pairs(self, draft: Draft, keys: KeyMap) -> Sequence[tuple[str, str]]:
        """Return (key, name) of the actions on the key line, without those of no use here."""
        if draft.hints:
            return super().key_pairs(draft, keys)
        count = len(draft.options())
        digits = f"1-{count}" if count > 1 else "1"
        question = draft.pending.kind if draft.pending else ""
        if draft.state == REVIEWING:
            works = {
                "option.choose": count > 0,
                "sample.rate": bool(draft.scale),
                "pane.other": all(map(draft.sample.side, Side)),
            }
            without = [action_id for action_id, does in works.items() if not does]
            return keys.line(REVIEWING, digits=digits, without=without)
        if question in ("", "child", "evidence"):
            return super().key_pairs(draft, keys)
        return keys.line(draft.state, question=question, digits=digits)

    def bar(self, draft: Draft) -> tuple[Sequence[Option], str, bool]:
        """Return the candidates as options, or the reasons that a question offers."""
        if isinstance(draft, ReviewDraft) and draft.state == REVIEWING:
            return rows.bar(draft, self.size.width, rows=self._most_rows)
        question = draft.pending.kind if draft.pending else ""
        if isinstance(draft, ReviewDraft) and question not in ("", RATING) and not draft.editing:
            options = [(one.digit, one.text, False, False, -1) for one in draft.options()]
            if question in (REOPENING, CONFIRMING):
                return options, "", False
            return [*options, ("0", ReviewMessage.OWN_WORDS.text(), False, False, -1)], "", False
        return super().bar(draft)

    def title_of(self, draft: Draft, side: Side) -> Title:
        """Return the title with the group under review; while editing, as when annotating."""
        open_sample = self.review_sample
        if isinstance(draft, ReviewDraft) and open_sample and not draft.editing:
            commented = bool(open_sample.assignment.comment)
            return rows.titles(draft, side, ratings=open_sample.ratings, commented=commented)
        return super().title_of(draft, side)

    def marks_of(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        """Return the highlights of candidates; while editing, those of annotations."""
        if not isinstance(draft, ReviewDraft):
            return super().marks_of(draft, side)
        if draft.editing:
            return [*super().marks_of(draft, side), *rows.edited_claim(draft, side)]
        return rows.marks(draft, side)

    def evidence_of(self, draft: Draft) -> Sequence[Anchor]:
        """Return the evidence of the annotation under review."""
        if isinstance(draft, ReviewDraft):
            return draft.shown_evidence()
        return super().evidence_of(draft)

    def header_note(self) -> str:
        """Return what is not complete, reopened or changed since; empty if nothing is."""
        found = self.review_sample
        if found is None:
            return ""
        parts = (
            ReviewMessage.NOT_COMPLETED.text(count=found.pending) if found.pending else "",
            ReviewMessage.REOPENED.text(count=found.reopened) if found.reopened else "",
            self._describe_changed(),
        )
        return ", ".join(filter(None, parts))

    def header(self) -> Header | None:
        """Return the content of the header; no state for work that changed since adjudication."""
        header = super().header()
        # The work is no longer what was adjudicated: the mark is that of the list of samples.
        changed = self._describe_changed()
        return header._replace(state="") if header and changed else header

    def _describe_changed(self) -> str:
        found = self.review_sample
        if found is None:
            return ""
        if found.assignment.state is not State.DONE or not found.open.changed:
            return ""
        text = ReviewMessage.CHANGED.text(people=" ".join(found.open.changed))
        return f"{STATE_GLYPHS[State.REOPENED]} {text}"

    def _show_lists(self, draft: Draft) -> None:
        if not isinstance(draft, ReviewDraft) or draft.editing:
            super()._show_lists(draft)
            return
        title = self.query_one("#rivals-title", PaneTitle)
        name = ReviewMessage.CANDIDATES_TITLE.text()
        people = [draft.describe_people(draft.people)]
        if draft.edited:
            edited = draft.describe_people(draft.edited)
            people.append(ReviewMessage.EDITED.text(people=edited))
        title.show(name, people, focused=False)
        listed = self.query_one("#rivals", WordsList)
        lines, focused = rows.candidates(draft, max(listed.window.width, 20))
        if self.changed("rivals", (lines, focused)):
            listed.show(lines, focused=focused)

    # effects

    def handle(self, effect: Effect) -> bool:
        """Show or hide names; leave other effects to the base class."""
        match effect:
            case Open(Page.PEOPLE_NAMES):
                self._show_names()
            case _:
                return super().handle(effect)
        return True

    def _show_bar(self, draft: Draft) -> None:
        """Update the label bar without reducing its height, so that the texts above do not move."""
        bar = self.query_one(LabelBar)
        size = self.app.size
        reviewing = draft.state == REVIEWING
        bar.longest = rows.LONGEST if reviewing else LONGEST
        bar.most_rows = self._most_rows if reviewing else MOST_ROWS
        super()._show_bar(draft)
        needed = bar.get_content_height(size, size, size.width)
        here = (draft.sample.key, *size)
        before = self._bar_rows
        self._bar_rows = (here, max(needed, before[1] if before[0] == here else 1))
        self.set_class(self._bar_rows[1] > 1, "-two")
        self.set_class(self._bar_rows[1] > 2, "-three")

    @property
    def _most_rows(self) -> int:
        return MOST_ROWS + 1 if self.app.size.height >= _TALL_ROWS else MOST_ROWS

    def _show_names(self) -> None:
        """Show the annotators' names, or hide them again."""
        session = self.session
        open_sample = self.open_sample
        draft = self.review_draft
        if session is None or open_sample is None or draft is None:
            return
        if draft.names:
            draft.names = {}
            return

        def done(names: dict[str, str]) -> None:
            draft.names = names
            if draft is self.draft:
                listed = ", ".join(f"{letter} {name}" for letter, name in names.items())
                self.show_message(ReviewText.NAMES_SHOWN, names=listed)

        who = session.person.id
        key = open_sample.sample.key
        self.submit(lambda: session.team().review.names(who, key), done)
