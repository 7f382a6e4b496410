"""What the annotating screen asks and tells over itself: dialogs, the note line, the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.timer import Timer

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.tui.draft import alone, choosing, notes, offer_words
from tui_annotate.tui.draft.effects import Effect, Open, OpenNote
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import request_words
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.loading import load_rest
from tui_annotate.tui.screens.annotate.queueing import AnnotateQueueing
from tui_annotate.tui.widgets.note_input import NoteInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_annotate.domain.former import Former
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session

_LOAD_PAUSE = 0.5  # seconds after the first sample
_NOTE_PAUSE = 1.5  # seconds from a key in a note until all that is typed by then is kept
_STATES = {
    "R": "reading",
    "S": "with a selection",
    "V": "in the source",
    "L": "with an option pending",
    "N": "in a note",
    "E": "editing an annotation",
}


class AnnotateAsking(AnnotateQueueing):
    """Dialogs, and what is done with their answers."""

    def __init__(self) -> None:
        super().__init__()
        self._past_notes: list[str] = []
        self._note_timer: Timer | None = None

    def begin(self, session: Session, desk: Desk, *, words: str = "", kind: Kind = "hint") -> None:
        """Also: the note line is closed, and own former notes are read once."""
        if self.session is None or self.session.person != session.person:
            self._read_notes(session)
        if self.session is None:
            self.set_timer(_LOAD_PAUSE, lambda: self.run_worker(load_rest, thread=True))
        self._close_note()
        super().begin(session, desk, words=words, kind=kind)

    def _read_notes(self, session: Session) -> None:
        def done(past: Sequence[str]) -> None:
            self._past_notes = list(past)

        self.saver.send(
            Job(lambda: session.annotate.past_notes(session.person.id), done, self._refused)
        )

    def ask(self, effect: Effect) -> bool:
        """Opens what an effect asks for; False where it asks for nothing of this."""
        draft, session = self.draft, self.session
        if draft is None or session is None:
            return False
        match effect:
            case OpenNote(text):
                self._open_note(text)
            case Open("labels"):
                self._ask_label(draft)
            case Open("former"):
                self._ask_former(session, draft)
            case Open("find"):
                self.ask_text(draft)
            case Open("help"):
                self._tell_keys(session, draft)
            case Open("request"):
                self._tell_request()
            case Open("go"):
                self._ask_sample(session)
            case Open(what):
                return self.ask_queue(session, what)
            case _:
                return False
        return True

    # labels

    def _ask_label(self, draft: Draft) -> None:
        from tui_annotate.tui.dialogs.label_picker import LabelPicker

        def picked(paths: tuple[LabelPath, ...] | None) -> None:
            if draft is self.draft:
                for path in paths or ():
                    self.perform(choosing.pick(draft, path))

        slots = {label.path: draft.slot(label.path) for label in draft.tree.walk()}
        chosen = tuple(draft.labels) if draft.editing else ()
        self.app.push_screen(LabelPicker(draft.tree, chosen=chosen, slots=slots), picked)

    def _ask_former(self, session: Session, draft: Draft) -> None:
        from tui_annotate.tui.dialogs.former import FormerDialog

        claim, without = notes.in_question(draft)
        who, key = session.person.id, draft.sample.key
        if claim and self.desk:
            claim = alone.stored_anchor(self.desk.sample, claim)

        def find() -> Sequence[Former]:
            return session.formers().nearest(who, key, claim, without=without) if claim else ()

        def chosen(former: Former | None) -> None:
            if former and draft is self.draft:
                self.perform(notes.take(draft, former))

        slots = {label.path: draft.slot(label.path) for label in draft.tree.walk()}
        self.app.push_screen(FormerDialog(find, slots=slots), chosen)

    # the note line

    def _open_note(self, text: str) -> None:
        line = self.query_one("#note", NoteInput)
        line.begin(
            text, suggestions=self._suggestion, past=self._past_notes, placeholder="your words"
        )
        self.add_class("-note")
        line.focus()

    def _suggestion(self, typed: str) -> str | None:
        return next((note for note in self._past_notes if typed and note.startswith(typed)), None)

    def _close_note(self) -> None:
        if self._note_timer:
            self._note_timer.stop()
            self._note_timer = None
        self.remove_class("-note")
        if self.draft:
            self.pane(self.draft.side).focus()

    def on_note_input_submitted(self, message: NoteInput.Submitted) -> None:
        """Enter in the note line."""
        message.stop()
        self._close_note()
        if self.draft is None:
            return
        text = message.text.strip()
        if text:
            self._past_notes = [text, *(note for note in self._past_notes if note != text)]
        self.perform(notes.done(self.draft, message.text))

    def on_note_input_kept(self, message: NoteInput.Kept) -> None:
        """Esc in the note line."""
        message.stop()
        self._close_note()
        if self.draft:
            self.perform(notes.kept(self.draft, message.text))
            self.keep_place()

    def on_input_changed(self, message: NoteInput.Changed) -> None:
        """A half-written note is kept while it is typed, so that a cut line loses little."""
        message.stop()
        if self._note_timer is None:
            self._note_timer = self.set_timer(_NOTE_PAUSE, self._keep_half)

    def _keep_half(self) -> None:
        self._note_timer = None
        if self._half():
            self.keep_place()

    def _half(self) -> bool:
        """Takes a half-written note into the draft; whether there is one."""
        draft = self.draft
        if draft is None or draft.writing is None:
            return False
        return notes.half(draft, self.query_one("#note", NoteInput).text)

    def rest(self) -> None:
        """Keeps the place, and a half-written note, as they are."""
        self._half()
        self.keep_place()

    # telling

    def _tell_keys(self, session: Session, draft: Draft) -> None:
        from tui_annotate.tui.dialogs.help import HelpDialog, HelpGroup

        groups = [
            HelpGroup(group, [(keys, words, "") for keys, words in rows])
            for group, rows in session.keys.help(draft.state)
        ]
        self.app.push_screen(HelpDialog(groups, title=f"Keys {_STATES[draft.state]}"))

    def _tell_request(self) -> None:
        from tui_annotate.tui.dialogs.message import MessageDialog

        if self.desk:
            pages, page = self.pages_of(self.desk)
            self.app.push_screen(MessageDialog(pages, page=page))

    def pages_of(self, desk: Desk) -> tuple[list[tuple[str, str]], int]:
        """(title, text) of what can be read about a sample, and which page comes first."""
        asked = request_words(desk.sample.request)
        pages = [
            ("Request", asked or "This sample came without a request."),
            ("Guidelines", desk.guidelines or "There are no guidelines for this dataset."),
        ]
        if self.draft and (about := offer_words.page(self.draft)):
            return [("Suggestion", about), *pages], 0
        return pages, 0 if asked else 1

    # other samples

    def _ask_sample(self, session: Session) -> None:
        from tui_annotate.tui.dialogs.jump import JumpDialog

        self.app.push_screen(JumpDialog(session.annotate.find), self._go_to)
