"""The dialogs and the note line of the annotating screen, and the handling of their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual.timer import Timer

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.editor import label_actions, notes, single_document
from tui_annotate.editor.action import Need
from tui_annotate.editor.effects import Effect, Effects, Open, OpenNote, Page
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import describe_request
from tui_annotate.tui.dialogs.markdown import remove_heading
from tui_annotate.tui.label_colors import label_slot
from tui_annotate.tui.screens.annotate.sample_session import SampleSession, SessionHost
from tui_annotate.tui.screens.sample.feature import TextPage

if TYPE_CHECKING:
    from textual.screen import Screen

    from tui_annotate.domain.annotations import PastAnnotation
    from tui_annotate.domain.samples import SampleKey, Side
    from tui_annotate.tui.session import AnnotatorSession
    from tui_annotate.tui.widgets.document_pane import DocumentPane
    from tui_annotate.tui.widgets.note_input import NoteInput

Found = TypeVar("Found")


class PageText(ScreenMessage):
    """Titles and texts of the pages about a sample, and the hint in the note line."""

    REQUEST = "Request"
    GUIDELINES = "Guidelines"
    NO_GUIDELINES = "This dataset has no guidelines."
    NOTE_HINT = "your text"


_PAUSE = 1.5  # seconds from a key in a note until the typed text is stored


class NoteHost(Protocol):
    """What the note line needs of the annotating or the reviewing screen."""

    @property
    def draft(self) -> Draft | None: ...
    @property
    def note_input(self) -> NoteInput: ...

    def finish_note(self, draft: Draft, text: str) -> Effects: ...
    def keep_place(self) -> None: ...
    def pane(self, side: Side) -> DocumentPane: ...
    def perform(self, effects: Effects) -> None: ...
    def submit(self, call: Callable[[], Found], done: Callable[[Found], None]) -> None: ...


class NoteLine:
    """Controller of the note line, in which a user types a note, comment or reason."""

    def __init__(self, screen: NoteHost) -> None:
        self._screen = screen
        self._former: list[str] = []
        self.timer: Timer | None = None  # runs while typed text is not stored yet

    def read_former(self, session: AnnotatorSession) -> None:
        """Read the person's past notes in the store's thread, for completion."""

        def done(found: Sequence[str]) -> None:
            self._former = list(found)

        self._screen.submit(partial(session.annotate.store.past_notes, session.person.id), done)

    def open(self, text: str) -> None:
        """Open the note line with a text to edit, and move the focus to it."""
        line = self._screen.note_input
        hint = PageText.NOTE_HINT.text()
        line.begin(text, suggestions=self._complete, past=self._former, placeholder=hint)
        line.screen.add_class("-note")
        line.focus()

    def _complete(self, typed: str) -> str | None:
        return next((note for note in self._former if typed and note.startswith(typed)), None)

    def close(self) -> None:
        """Close the note line, and return the focus to the text that had it."""
        if self.timer:
            self.timer.stop()
            self.timer = None
        self._screen.note_input.screen.remove_class("-note")
        if draft := self._screen.draft:
            self._screen.pane(draft.side).focus()

    def submit(self, written: str) -> None:
        """Close the note line, apply the written text, and keep it for completion."""
        self.close()
        draft = self._screen.draft
        if draft is None:
            return
        if text := written.strip():
            self._former = [text, *(note for note in self._former if note != text)]
        self._screen.perform(self._screen.finish_note(draft, written))

    def leave(self, written: str) -> None:
        """Close the note line, and keep the written text on screen without saving it."""
        self.close()
        if draft := self._screen.draft:
            self._screen.perform(notes.keep_note_text(draft, written))
            self._screen.keep_place()

    def changed(self) -> None:
        """Store an unfinished note while it is typed, so that a lost connection loses little."""
        if self.timer is None:
            self.timer = self._screen.note_input.set_timer(_PAUSE, self.keep_unfinished)

    def keep_unfinished(self) -> None:
        """Store the text in the note line although the user is still typing."""
        self.timer = None
        if self.take_unfinished():
            self._screen.keep_place()

    def take_unfinished(self) -> bool:
        """Keep the text that is still being typed in the note line; return whether there is any."""
        draft = self._screen.draft
        if draft is None or draft.writing is None:
            return False
        return notes.keep_unsaved_text(draft, self._screen.note_input.text)


class DialogHost(SessionHost, Protocol):
    """What the dialogs need of the annotating or the reviewing screen."""

    @property
    def found_needs(self) -> Need: ...
    def go_to(self, key: SampleKey | None) -> None: ...
    def perform(self, effects: Effects) -> None: ...
    def open_dialog(
        self, dialog: Screen[Found], closed: Callable[[Found | None], None] | None = None
    ) -> None: ...


class SampleDialogs:
    """Opener of the dialogs that do not depend on a feature: labels, notes, help, pages, jump."""

    def __init__(self, screen: DialogHost, notes: NoteLine) -> None:
        self._screen = screen
        self._notes = notes

    def handle(self, effect: Effect) -> bool:
        """Open the dialog or note line that a user action requests; return False for others."""
        current = self._screen.current
        if current is None:
            return False
        session = current.session
        draft = current.draft
        match effect:
            case OpenNote(text):
                self._notes.open(text)
            case Open(Page.LABELS):
                self._ask_label(draft)
            case Open(Page.PAST_ANNOTATIONS):
                self._ask_former(session, draft)
            case Open(Page.HELP):
                from tui_annotate.tui.dialogs.help import help_dialog

                self._screen.open_dialog(
                    help_dialog(session.keys, draft.state, self._screen.found_needs)
                )
            case Open(Page.REQUEST):
                self._show_pages(current)
            case Open(Page.JUMP):
                from tui_annotate.tui.dialogs.jump import JumpDialog

                dialog = JumpDialog(session.annotate.find)
                self._screen.open_dialog(dialog, self._screen.go_to)
            case _:
                return False
        return True

    # labels

    def _ask_label(self, draft: Draft) -> None:
        from tui_annotate.tui.dialogs.label_picker import LabelPicker

        def picked(path: LabelPath | None) -> None:
            if path and draft is self._screen.draft:
                self._screen.perform(label_actions.pick(draft, path))

        chosen = tuple(draft.labels) if draft.editing else ()
        dialog = LabelPicker(draft.tree, chosen=chosen, slots=_label_slots(draft))
        self._screen.open_dialog(dialog, picked)

    def _ask_former(self, session: AnnotatorSession, draft: Draft) -> None:
        from tui_annotate.tui.dialogs.past_annotations import PastAnnotationDialog

        claim, without = notes.claim_to_search(draft)
        who = session.person.id
        key = draft.sample.key
        if claim and (open_sample := self._screen.open_sample):
            claim = single_document.stored_anchor(open_sample.sample, claim)

        def find() -> Sequence[PastAnnotation]:
            if claim is None:
                return ()
            return session.past_annotations().nearest(who, key, claim, without=without)

        def chosen(former: PastAnnotation | None) -> None:
            if former and draft is self._screen.draft:
                self._screen.perform(notes.take(draft, former))

        self._screen.open_dialog(PastAnnotationDialog(find, slots=_label_slots(draft)), chosen)

    # pages

    def _show_pages(self, current: SampleSession) -> None:
        from tui_annotate.tui.dialogs.message import MessageDialog

        open_sample = current.open_sample
        request = describe_request(open_sample.sample.request)
        features = self._screen.features
        more = [page for feature in features for page in feature.pages(current.draft, open_sample)]
        before = [page for page in more if page.first]
        heading = PageText.GUIDELINES.text()
        text = remove_heading(open_sample.guidelines, heading) or PageText.NO_GUIDELINES.text()
        guidelines = TextPage(heading, text)
        pages = [
            *before,
            *([TextPage(PageText.REQUEST.text(), request)] if request else []),
            guidelines,
            *(page for page in more if not page.first),
        ]
        first = next((at for at, page in enumerate(pages) if page.shown), 0)
        dialog = MessageDialog(
            [(page.title, page.text) for page in pages],
            page=first,
            markdown=[pages.index(guidelines)],
        )
        self._screen.open_dialog(dialog)


def _label_slots(draft: Draft) -> dict[LabelPath, int]:
    return {label.path: label_slot(draft.tree, label.path) for label in draft.tree.walk()}
