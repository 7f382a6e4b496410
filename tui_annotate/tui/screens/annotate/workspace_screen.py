"""A screen on samples of a workspace: keys wait for the store, and what is done goes to it.

The annotating screen and the reviewing one are made of it. It owns the parts and hands messages of
Textual to them; what each part does is in its own module.

While an undo, a "done" or a walk is on its way, keys wait. A key that was pressed before a sample's
first frame was not meant for that sample, so only actions that change nothing are done.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from textual import events
from textual.command import Provider
from textual.message import Message

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import base_person
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.plugins import registry
from tui_annotate.tui import key_queue
from tui_annotate.tui.draft import completion, cursor_actions, highlights
from tui_annotate.tui.draft.effects import Blink, Effect, Effects, Open
from tui_annotate.tui.draft.key_handlers import press
from tui_annotate.tui.draft.messages import NO_MESSAGE, Kind, MessageCode, StatusMessage
from tui_annotate.tui.draft.navigation import show
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.key_queue import KeyOrPaste
from tui_annotate.tui.keys.actions import READING, action_of
from tui_annotate.tui.keys.key_map import KeyMap, table_key
from tui_annotate.tui.screens.annotate.dialogs import NoteLine, SampleDialogs
from tui_annotate.tui.screens.annotate.loader import SampleLoader, SampleSession, SampleSource
from tui_annotate.tui.screens.annotate.saving import SaveController
from tui_annotate.tui.screens.sample import rows, signals
from tui_annotate.tui.screens.sample.feature import Feature, FeatureOrder
from tui_annotate.tui.screens.sample.palette import ActionProvider
from tui_annotate.tui.screens.sample.screen import SampleScreen
from tui_annotate.tui.store_thread import JobFinished, StoreJob, StoreThread
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.header_bar import Header
from tui_annotate.tui.widgets.note_input import NoteInput

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import Annotation
    from tui_annotate.domain.suggestions import Suggestion
    from tui_annotate.services.annotate import OpenSample, SaveResult
    from tui_annotate.tui.session import AnnotatorSession

Found = TypeVar("Found")

_log = logging.getLogger(__name__)

_PRELOAD_PAUSE: Final = 0.5
"""Seconds after the first sample until what is opened over the screen is imported."""

PRELOADED: Final = (
    "dialogs.find",
    "dialogs.past_annotations",
    "dialogs.help",
    "dialogs.jump",
    "dialogs.label_picker",
    "dialogs.message",
    "dialogs.orders",
    "dialogs.siblings",
    "screens.queue",
)

READING_TIME: Final = 1.0
"""Seconds from a sample's first frame in which it can not have been read: no first key ends it."""

_REPEAT: Final = 0.3
"""A key that comes again within this share of `READING_TIME` is held down: it is the same press."""


@dataclass
class AppRequest(Message):
    """Something that the app does: `print`, `password`, `sync` or `sign out`."""

    request: str


class WorkspaceScreen(SampleScreen):
    """One sample of a workspace at a time, by keys.

    Args:
        close: ends the app, once the place is kept.
        source: where samples come from.
    """

    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionProvider}

    no_sample: ClassVar[str] = ""
    """What is shown where there is no sample to begin with."""

    open_queue: Callable[[], None]
    """Open the list of samples."""

    def __init__(self, close: Callable[[], None], source: SampleSource) -> None:
        super().__init__()
        self._close = close
        self.current: SampleSession | None = None
        self._features_loaded = False
        self.saves = SaveController(self)
        self.loader = SampleLoader(self, self.saves, source)
        self.notes = NoteLine(self)
        self.dialogs = SampleDialogs(self, self.notes)
        self.glance = READING_TIME
        self._ended_at = -inf  # when a key was last pressed that ends a sample
        # What features may call, as `FeatureHost` describes it, is done by these parts.
        self.go, self.switch_session = self.loader.go, self.loader.switch_session
        self.keep_place = self.loader.keep_place
        self.read, self.reload_draft = self.saves.read, self.saves.reload
        self.show_error = self.saves.refused

    def use_features(self, order: FeatureOrder, save: Callable[[Effect], bool]) -> None:
        """Make the built-in features, and the order in which effects are handled.

        Args:
            order: of all features; those of plug-ins are left out until they are loaded.
            save: handles what changes the store.
        """
        self._feature_order: tuple[Feature | str, ...] = tuple(
            each if isinstance(each, str) else each(self) for each in order
        )
        self._place_features({})
        self.handlers = (
            self.panes.handle,
            save,
            self._handle_by_features,
            self.dialogs.handle,
            self.handle,
        )

    def load_features(self) -> None:
        """Import and make the features of plug-ins, once; one warning for each that is broken.

        It runs in the store's thread before the first sample: no import delays the first frame or
        a key. Nobody uses features before there is a sample.
        """
        if self._features_loaded:
            return
        self._features_loaded = True
        made: dict[str, Feature] = {}
        for name in registry.plugin_names("features"):
            try:
                make = registry.load_hook("features", name)
                with registry.guard_plugin("features", name):
                    made[name] = make(self)
            except TuiAnnotateError as error:
                _log.warning("%s", error.message)
        self._place_features(made)

    def _place_features(self, made: Mapping[str, Feature]) -> None:
        """Put the features of plug-ins into their places; those without one come last."""
        left, features = dict(made), []
        for each in self._feature_order:
            feature = left.pop(each, None) if isinstance(each, str) else each
            features += [feature] if feature else []
        self.features = (*features, *left.values())
        self.feature_keys = {
            action: handler
            for feature in self.features
            for action, handler in feature.key_handlers.items()
        }

    # what is on screen

    @property
    def draft(self) -> Draft | None:
        """The sample on screen with all that is not saved; None before the first one."""
        return self.current.draft if self.current else None

    @property
    def session(self) -> AnnotatorSession | None:
        """The annotator and the services; None before the first sample."""
        return self.current.session if self.current else None

    @property
    def open_sample(self) -> OpenSample | None:
        """The sample on screen as the store returned it last."""
        return self.current.open_sample if self.current else None

    @property
    def key_map(self) -> KeyMap | None:
        """This person's keys."""
        return self.current.session.keys if self.current else None

    @property
    def signed_in(self) -> bool:
        """Whether the person has an account, for actions that need one."""
        return self.session is not None and self.session.signed_in

    @property
    def saver(self) -> StoreThread:
        """The thread of the store."""
        return self.saves.saver

    @property
    def busy(self) -> bool:
        """Whether a job that leads to another sample or state is running."""
        return self.saves.busy

    @property
    def listening_since(self) -> float | None:
        """From when on keys are meant for the sample on screen; None while it is not painted."""
        return self.current.listening_since if self.current else None

    def header(self) -> Header | None:
        """Return the sample's position in the queue, its state, and what is being saved."""
        current = self.current
        if current is None:
            return None
        open_sample, person = current.open_sample, current.session.person
        return Header(
            dataset=open_sample.sample.dataset,
            position=open_sample.position,
            total=open_sample.total,
            finished=open_sample.finished,
            sample=open_sample.sample.id,
            person=person.name,
            saved=self.saves.state,
            state=open_sample.assignment.state.value,
            matches=self.header_note(),
            reading=rows.describe_reading(person, practice=open_sample.practice),
        )

    def header_note(self) -> str:
        """Return what the header may not leave out."""
        return "" if self.has_class("-lists") else signals.describe_choice(self.panes.by)

    @property
    def note_input(self) -> NoteInput:
        """The widget that notes are written in."""
        return self.query_one("#note", NoteInput)

    # from sample to sample

    def show_opening(self, words: str, kind: Kind = "hint") -> None:
        """Show a message while there is no sample yet."""
        self.query_one(DraftLine).show(words, kind=kind)

    def begin(
        self,
        session: AnnotatorSession,
        open_sample: OpenSample,
        message: StatusMessage = NO_MESSAGE,
    ) -> None:
        """Show a sample, where its annotator left it."""
        before = self.session
        if before is None or before.person != session.person:
            self.notes.read_former(session)
        if before is None:
            self.set_timer(_PRELOAD_PAUSE, self._preload)
        self.notes.close()
        self.loader.begin(session, open_sample, message)
        for feature in self.features:
            feature.begun(session, open_sample, first=before is None)

    def _preload(self) -> None:
        """Import what is opened over the screen, in a thread, so that no key waits for it."""
        modules = [f"tui_annotate.tui.{name}" for name in PRELOADED]
        modules += [name for feature in self.features for name in feature.preload]
        self.run_worker(lambda: [import_module(name) for name in modules], thread=True)

    def go_to(self, key: SampleKey | None) -> None:
        """Open another sample, unless something is still to be saved."""
        if key is None or self.draft is None:
            return
        problem = completion.find_leave_problem(self.draft)
        if problem:  # a save was refused in the meantime
            self.show_message(problem.code, WARNING, **problem.fields)
        else:
            self.go(lambda: key, "")

    def hide_suggestions(self, *, hiding: bool) -> None:
        """Hide suggestions of machines, or show them, where there are any."""

    def rest(self) -> None:
        """Keep the place, and a half-written note, as they are."""
        self.notes.take_unfinished()
        self.keep_place()

    def reload(self) -> None:
        """Read the sample again: another process may have changed it."""
        self.saves.reload_sample()

    def quit(self) -> None:
        """Keep place, time and a half-written note, wait for the store, leave; once."""
        if self.saver.closed:
            return
        self.notes.take_unfinished()
        self.saver.send_last(self.loader.leaving())
        self._close()

    # keys

    def on_key(self, event: events.Key) -> None:
        """Do what a key means, unless the note line has it."""
        if self._writing:
            return
        event.stop()
        event.prevent_default()
        if self.draft is None and event.key == "q":
            self.quit()  # there is no sample, so nothing else to go back to
        elif (current := self.current) and current.listening_since is not None:
            self._press_key(event, current.draft, current.listening_since)

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key waits: for a sample, its first frame, or what it acts on."""
        draft = self.draft
        if draft is None:
            return False
        if self.busy or self.listening_since is None or self._note_comes(draft):
            return True
        action = action_of(self._action_of_key(event))
        if self.comparison.searching and action.after_search:
            return True
        return self.saver.shown > 0 and action.after_save

    @staticmethod
    def _note_comes(draft: Draft) -> bool:
        """Whether a note line opens by itself, once a label that asks for it is saved."""
        fresh = [one for one, new in draft.saving.values() if new]
        fresh += filter(None, draft.answering.values())
        return any(completion.wants_note(draft, one) for one in fresh)

    @property
    def _writing(self) -> bool:
        return self.draft is not None and self.draft.writing is not None

    def _action_of_key(self, event: KeyOrPaste) -> str:
        """What a key would do; empty for text, letters of hints and what does nothing."""
        draft, keys = self.draft, self.key_map
        if draft is None or keys is None or draft.hints or not isinstance(event, events.Key):
            return ""
        key, method = table_key(event.key, event.character)
        return "" if method or self._writing else keys.action(key, draft.state)

    def _press_key(self, event: events.Key, draft: Draft, since: float) -> None:
        """Do a key; `since` is when the sample was first seen."""
        action = self._action_of_key(event)
        too_soon = self._is_too_soon(draft, action, event.time)
        if event.time < since and not action_of(action).early:
            self.forget_keys(since)  # those behind it follow on from what is not done
            self.perform([Blink()])
        elif too_soon:
            draft.say(MessageCode.TOO_SOON, WARNING)
            self.perform([Blink()])
        else:
            if event.time >= since:
                self.loader.begun()
                draft.visited.update(self.pane(Side.SUMMARY).sentences_seen(event.time))
            self._act(draft, event, action)

    def _is_too_soon(self, draft: Draft, action: str, now: float) -> bool:
        """Whether a key would end a sample, as its first key, that can not have been read."""
        if action != "sample.skip" and not (action == "sample.done" and draft.state in "RS"):
            return False
        before, self._ended_at = self._ended_at, now
        current = self.current
        if current is None or current.begun:
            return False
        come = (current.listening_since or now) + self.glance
        return now < max(come, before + self.glance * _REPEAT)

    def _act(self, draft: Draft, event: events.Key, action: str) -> None:
        key, method = table_key(event.key, event.character)
        self.spend()
        if method:
            draft.say(MessageCode.INPUT_METHOD_ON)
            self.show_draft()
        elif draft.hints:
            self.perform(cursor_actions.press_hint_key(draft, key))
        elif action:
            self.do(action, digit=key if action.startswith("option.") else "")
        elif draft.pending or (self.key_map and self.key_map.action(key, READING)):
            self.perform([Blink()])  # it means something elsewhere

    def may_do(self, action: str) -> bool:
        """Return whether the window is large enough for what an action changes."""
        return not self.too_small or action_of(action).in_small_window

    def press(self, draft: Draft, action: str, *, digit: str) -> Effects:
        """Return what an action does to the draft, as effects."""
        comment = self.open_sample.assignment.comment if self.open_sample else ""
        return press(draft, action, digit=digit, comment=comment, more=self.feature_keys)

    def match_clicked(self, draft: Draft, rank: int) -> Effects:
        """Return what a click on a match in the source does: it is taken, or given back."""
        return highlights.take_match(draft, rank)

    def annotation_clicked(self, draft: Draft, index: int) -> Effects:
        """Return what a click on an annotation or a suggestion of the list does."""
        listed: list[Annotation | Suggestion] = [*draft.annotations, *draft.offered]
        if draft.editing or not 0 <= index < len(listed):
            return [Blink()]
        return show(draft, listed[index])

    def _handle_by_features(self, effect: Effect) -> bool:
        current = self.current
        return current is not None and any(
            feature.handle(effect, current.session, current.draft) for feature in self.features
        )

    def handle(self, effect: Effect) -> bool:
        """Do what an effect asks of the screen itself."""
        match effect:
            case Open("signals"):
                self.panes.next_signals()
            case Open("sample", step):
                self.loader.step(step)
            case Open("queue"):
                self.open_queue()
            case Open("print" | "password" | "sign out" | "sync" as request):
                self.post_message(AppRequest(request))
            case _:
                return super().handle(effect)
        return True

    def forget_keys(self, before: float | None = None) -> None:
        """Drop keys that were pressed before a time, or until now."""
        key_queue.forget_keys(self, before)

    def free_keys(self) -> None:
        """Let keys go on that may have waited for something that is here now."""
        key_queue.free(self)

    def spend(self) -> None:
        """Count the time of an action; it is sent before the store would cut it."""
        self.loader.spend()

    # the store

    def on_job_finished(self, message: JobFinished) -> None:
        """A job of the store came to its end."""
        message.stop()
        self.saves.answer(message)

    def submit(
        self,
        call: Callable[[], Found],
        done: Callable[[Found], None] | None = None,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Run a call in the store's thread; keys do not wait for it."""
        self.saver.send(StoreJob(call, done or (lambda _: None), failed or self.show_error))

    def send_change(
        self,
        call: Callable[[float], SaveResult],
        done: Callable[[SaveResult], None],
        failed: Callable[[TuiAnnotateError], None],
    ) -> None:
        """Send a change of this sample to the store; `call` gets the seconds that it took."""

        def stored(saved: SaveResult) -> None:
            self.saves.take_over_answer(saved)
            done(saved)

        self.saves.send_timed(call, stored, failed)

    def not_saved(self) -> None:
        """Show that the store refused a save, and drop the keys behind it."""
        self.saves.not_saved(busy=self.busy)

    def remember(self, what: str, value: str) -> None:
        """Store a preference of this person."""
        if session := self.session:
            who = base_person(session.person.id)
            self.submit(partial(session.annotate.people.keep_preference, who, what, value))

    # the note line

    def on_note_input_submitted(self, message: NoteInput.Submitted) -> None:
        """Enter in the note line."""
        message.stop()
        self.notes.submit(message.text)

    def on_note_input_closed(self, message: NoteInput.Closed) -> None:
        """Esc in the note line."""
        message.stop()
        self.notes.leave(message.text)

    def on_input_changed(self, message: NoteInput.Changed) -> None:
        """Something was typed into the note line."""
        message.stop()
        self.notes.changed()
