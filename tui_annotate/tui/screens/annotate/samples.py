"""From sample to sample: what is shown first, what is kept on leaving, what counts as work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, TuiAnnotateError, Unavailable
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui import turns
from tui_annotate.tui.draft import alone, finishing
from tui_annotate.tui.draft.citations import citations
from tui_annotate.tui.draft.place import place, restore
from tui_annotate.tui.draft.relabelling import reopened
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import ERROR, HINT, WARNING
from tui_annotate.tui.saving import Answered, Job, Saver, Stopwatch, told
from tui_annotate.tui.screens.annotate.finding import AnnotateFinding

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session

SAVED_WORD, SAVING_WORD = "saved", "saving"
NOT_SAVED = "not saved"  # why stands in the draft line


class AnnotateSamples(AnnotateFinding):
    """Beginning and leaving samples, place and time.

    Attributes:
        nothing: what is told where there is no sample to begin with.
        listening_since: from when on keys are meant for what is on screen; None while the sample
            is not painted yet.
        begun: something was done on this sample since it was opened.
        walking: another sample is on its way, so nothing is painted that its frame covers at once.
    """

    nothing = (
        "no sample is here for you yet: leave with q;"
        " tui-annotate ingest FILE brings some, tui-annotate assign hands them out"
    )

    def __init__(self) -> None:
        super().__init__()
        self.saver = Saver(self.post_message)
        self.stopwatch = Stopwatch()
        self.last_label: tuple[str, ...] = ()
        self._going = False
        self.walking = False
        self.listening_since: float | None = None
        self.begun = False

    def on_answered(self, message: Answered) -> None:
        """A job of the store came to its end."""
        message.stop()
        self.saver.answer(message)
        if self.saved_words == SAVING_WORD and not self.saver.shown:
            self.saved_words = SAVED_WORD
            self.show_draft()
        self.go_on()

    # samples

    def begin(self, session: Session, desk: Desk, *, words: str = "", kind: Kind = HINT) -> None:
        """Shows a sample, where its annotator left it."""
        self.session, self.desk, self._going = session, desk, False
        self.listening_since, self.begun = None, False
        draft = self.new_draft(desk)
        if desk.place:
            restore(draft, desk.place)
        else:
            finishing.first_place(draft)
        self.draft = draft
        self.stopwatch.touch()
        self.load_documents(draft)
        self.follow()
        if desk.assignment.state is State.REOPENED and (why := reopened(draft)):
            words, kind = f"{words} · {why}" if words else why, WARNING
        if words:
            draft.say(words, kind)
        self.show_draft()
        # The text asks, as it is what is to be painted: the screen itself may not know so far.
        self.pane(draft.side).call_after_refresh(self.arrived)

    def new_draft(self, desk: Desk) -> Draft:
        """A sample with nothing in hand yet."""
        sample = alone.on_screen(desk.sample)
        return Draft(
            sample,
            desk.segments,
            desk.labels,
            alone.all_exchanged(desk.sample, desk.annotations),
            last_label=self.last_label,
            scale=desk.scale,
            rating=desk.assignment.rating,
            citations=citations(sample),
        )

    def first(self, session: Session, sample: str) -> Desk | None:
        """In the store's thread: where this person begins; None where there is nothing.

        Args:
            sample: an id, or dataset/id; empty for where they were.

        Raises:
            NotFound: `sample` names none, or more than one.
        """
        annotate, who = session.annotate, session.person.id
        key = annotate.start(who, order=session.order, sample=sample)
        return annotate.open(who, key, order=session.order) if key else None

    def arrived(self) -> None:
        """The first frame of a sample is painted; keys are meant for it from that moment on."""
        self.listen(self.pane(self.draft.side).painted_since if self.draft else None)
        self.saver.go_on()
        if self.desk:
            self.prepare_assist(self.desk)
            self._read_former()

    def forget_keys(self, before: float | None = None) -> None:
        """Keys pressed before a moment, or until now, are not done: something else came of one."""
        turns.forget_keys(self, before)

    def go_on(self) -> None:
        """Keys may have waited for what has come."""
        turns.free(self)

    def listen(self, since: float | None = None) -> None:
        """From a moment on, or from now, the keys are meant for what is seen; none before was."""
        self.listening_since = events.Event().time if since is None else since
        self.go_on()

    @property
    def listening(self) -> bool:
        """Whether the sample on screen has been painted, so that keys are meant for it."""
        return self.listening_since is not None

    def _read_former(self) -> None:
        """What one took as evidence in the same source before, read behind the first frame."""
        session, draft = self.session, self.draft
        if session is None or draft is None:
            return

        def done(found: Mapping[str, tuple[Span, ...]]) -> None:
            documents = draft.sample.side(Side.SOURCE)
            draft.former = {
                at: found[document.sha256]
                for at, document in enumerate(documents)
                if document.sha256 in found
            }
            if draft.former and draft is self.draft:
                self.show_draft()

        read = partial(session.annotate.former_evidence, session.person.id, draft.sample)
        self.saver.send(Job(read, done, self._refused))

    def go(
        self, find: Callable[[], SampleKey | None], none: str, *, known: Desk | None = None
    ) -> None:
        """Leaves the sample as it is, for the one that `find` gives in the store's thread.

        Args:
            none: what is said where it gives none.
            known: what would come of it; None where that has to be read.
        """
        if self._going:
            return
        self._going = self.walking = True
        leave = self.leaving()

        def call() -> Desk | None:
            key = find()
            return self._opened(key) if key else None

        def done(desk: Desk | None) -> None:
            self._going = self.walking = False
            if desk and self.session:
                self.begin(self.session, desk)
                self.keep_arrival()
            else:
                self.tell(none)
                self.listen()
                self.saver.go_on()

        def failed(error: TuiAnnotateError) -> None:
            self.walking = False
            self.saver.go_on()
            self._refused(error)

        if known:
            self.call_later(done, known)
        else:
            self.saver.send(Job(call, done, failed))
        self.saver.send_behind(Job(leave, lambda _: None, self._refused))

    def _opened(self, key: SampleKey) -> Desk:
        """In the store's thread."""
        session = self.session
        if session is None:
            raise Unavailable("no workspace is open")
        return session.annotate.open(session.person.id, key, order=session.order)

    def leaving(self) -> Callable[[], None]:
        """What keeps the place and the time; to be called in the store's thread."""
        session, desk, draft = self.session, self.desk, self.draft
        if session is None or desk is None or draft is None:
            return lambda: None
        kept, seconds = place(draft), self.stopwatch.take()

        def call() -> None:
            session.annotate.keep_place(session.person.id, desk.sample.key, kept)
            session.annotate.read(session.person.id, desk.sample.key, seconds=seconds)

        return call

    def keep_place(self) -> None:
        """Keeps the place without leaving."""
        if self.draft:
            self._keep(place(self.draft), self.saver.send)

    def keep_arrival(self) -> None:
        """Keeps, behind the first frame, that one is in this sample now: the app may be killed."""
        if self.desk and self.draft:
            self._keep(self.desk.place or place(self.draft), self.saver.send_behind)

    def _keep(self, kept: Mapping[str, Any], send: Callable[[Job[None]], None]) -> None:
        session, desk = self.session, self.desk
        if session and desk:
            keep = partial(session.annotate.keep_place, session.person.id, desk.sample.key, kept)
            send(Job(keep, lambda _: None, self._refused))

    def spend(self) -> None:
        """Something was done: its time counts, and is sent before the store would cut it."""
        self.stopwatch.touch()
        session, desk = self.session, self.desk
        if self.stopwatch.full and session and desk:
            read = partial(
                session.annotate.read,
                session.person.id,
                desk.sample.key,
                seconds=self.stopwatch.take(),
            )
            self.saver.send(Job(read, lambda _: None, self._refused))

    # telling

    def tell(self, words: str, kind: Kind = HINT) -> None:
        """Words in the draft line until the next key."""
        if self.draft:
            self.draft.say(words, kind)
        self.show_draft()

    def _refused(self, error: TuiAnnotateError) -> None:
        """Something other than an annotation was not done: told, and nothing else changes."""
        self.forget_keys()
        self._going = False
        if self.saved_words == SAVING_WORD:
            self.saved_words = ""
        self.tell(told(error), WARNING if isinstance(error, Conflict) else ERROR)
