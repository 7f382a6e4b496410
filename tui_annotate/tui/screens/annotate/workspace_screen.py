"""Base class of the annotating and the reviewing screen, which save changes to a workspace.

The screen owns its parts and passes Textual's messages to them. Each part has its own module.

Keys wait while an undo, the completion of a sample or the change to another sample is running. A
key that was pressed before its user saw the sample was not meant for that sample, so it only runs
actions that change nothing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from textual import events
from textual.command import Provider
from textual.message import Message

from tui_annotate.domain.assignments import describe_set_aside
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import base_person
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.editor import completion, cursor_actions, highlights, notes, save_results
from tui_annotate.editor.action import NO_NEED, Need
from tui_annotate.editor.actions import action_of
from tui_annotate.editor.effects import Blink, Effect, Effects, Open, OpenNote, Page
from tui_annotate.editor.glyphs import STATE_NAMES, StateName
from tui_annotate.editor.key_map import KeyMap, key_label, table_key
from tui_annotate.editor.key_state import READING, SELECTING
from tui_annotate.editor.messages import NO_MESSAGE, Kind, MessageCode, StatusMessage
from tui_annotate.editor.navigation import show
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import DRAFT, HINT, WARNING
from tui_annotate.plugins import registry
from tui_annotate.tui import key_queue, terminal
from tui_annotate.tui.frame_guard import FrameGuard
from tui_annotate.tui.key_queue import KeyOrPaste
from tui_annotate.tui.screens.annotate.dialogs import NoteLine, SampleDialogs
from tui_annotate.tui.screens.annotate.loader import (
    SampleLoader,
    SampleSource,
    name_lock,
)
from tui_annotate.tui.screens.annotate.sample_session import SampleSession
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
    from tui_annotate.services.annotate import SaveResult
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

Found = TypeVar("Found")

_log = logging.getLogger(__name__)

_PRELOAD_PAUSE: Final = 0.5
"""Delay in seconds before the dialogs' modules are imported, after the first sample is shown."""

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

_BEYOND_SAMPLE: Final = frozenset({"talk.write", "account.password", "undo", "redo"})
"""Actions that change something, but not the open sample: undo may concern another sample."""

READING_TIME: Final = 1.0
"""Seconds for which a sample must be on screen before its first key press can complete it."""

_AT_SUMMARY: Final = READING | SELECTING

_REPEAT: Final = 0.3
"""Fraction of the minimum reading time within which a second key press counts as a held key."""


@runtime_checkable
class ReportingApp(Protocol):
    """An app that can find out when the user's terminal has received a frame."""

    def report_frame(self, is_drawn: Callable[[], bool], reported: Callable[[float], None]) -> None:
        """Request a report of a frame that is going to be drawn.

        Args:
            is_drawn: whether the screen has drawn the frame that the report is about.
            reported: called with the time of the report, in seconds of Textual's clock.
        """


@dataclass
class AppRequest(Message):
    """Message that requests a page of the app: to print work, for the password, sync, sign out."""

    page: Page


def _changes(draft: Draft, action: str) -> bool:
    """Return whether an action changes stored work, or prepares a change, in a draft's state."""
    return bool(action_of(action).changes & draft.key_states)


def _changes_sample(draft: Draft, action: str) -> bool:
    """Return whether an action changes the open sample, or prepares a change of it."""
    return action not in _BEYOND_SAMPLE and _changes(draft, action)


class WorkspaceScreen(SampleScreen):
    """Screen with one sample of a workspace at a time, controlled by keys."""

    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionProvider}

    no_sample: ClassVar[ScreenMessage]
    state_names: ClassVar[Mapping[str, StateName]] = STATE_NAMES

    open_queue: Callable[[], None]

    def __init__(self, close: Callable[[], None], source: SampleSource) -> None:
        super().__init__()
        self._close = close
        self.current: SampleSession | None = None
        self.shares_work = False
        self._features_loaded = False
        self.saves = SaveController(self)
        self.loader = SampleLoader(self, self.saves, source)
        self.notes = NoteLine(self)
        self.dialogs = SampleDialogs(self, self.notes)
        self.glance = READING_TIME
        self.guard = FrameGuard(
            self._report_frame, is_multiplexed=terminal.is_multiplexed(os.environ)
        )
        self._ended_at = -inf  # time of the last key that completes or skips a sample
        # These attributes implement methods of `FeatureHost`.
        self.go = self.loader.go
        self.switch_session = self.loader.switch_session
        self.keep_place = self.loader.keep_place
        self.read = self.saves.read
        self.reload_draft = self.saves.reload
        self.show_error = self.saves.refused

    def use_features(self, order: FeatureOrder, save: Callable[[Effect], bool]) -> None:
        """Create the optional parts of the screen; set the order in which they handle actions.

        Args:
            order: order of all features; features of plug-ins are skipped until they are loaded.
            save: handler of effects that change the store.
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
        """Import and create the screen parts of plug-ins once; log a warning for each broken one.

        The method runs in the store's thread before the first sample, so that imports delay neither
        the first frame nor a key. No feature is used before the first sample.
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
        """Put the loaded features of plug-ins, by name, at their positions; unnamed ones last."""
        left = dict(made)
        features = []
        for each in self._feature_order:
            feature = left.pop(each, None) if isinstance(each, str) else each
            if feature:
                features.append(feature)
        self.features = (*features, *left.values())
        self.feature_keys = {
            action: handler
            for feature in self.features
            for action, handler in feature.key_handlers.items()
        }

    # what is on screen

    @property
    def draft(self) -> Draft | None:
        """The open sample with all unsaved work; None before the first sample."""
        return self.current.draft if self.current else None

    @property
    def session(self) -> AnnotatorSession | None:
        """The session of the annotator at work; None before the first sample."""
        return self.current.session if self.current else None

    @property
    def open_sample(self) -> ShownSample | None:
        """The open sample as the store returned it last; None before the first sample."""
        return self.current.open_sample if self.current else None

    @property
    def key_map(self) -> KeyMap | None:
        """The keys of the session's person; None before the first sample."""
        return self.current.session.keys if self.current else None

    @property
    def found_needs(self) -> Need:
        """What the sample and the workspace have, for which some actions exist."""
        found = super().found_needs
        if session := self.session:
            found |= Need.ACCOUNT if session.signed_in else NO_NEED
            found |= Need.SECOND_READING if session.repeats else NO_NEED
        return found | (Need.SHARING if self.shares_work else NO_NEED)

    @property
    def read_only(self) -> str:
        """Why the workspace cannot be written; empty if it can be, and before the first sample."""
        return self.session.read_only if self.session else ""

    @property
    def locked(self) -> bool:
        """Whether a review locked the open sample, so that its annotator cannot change it."""
        return self.open_sample is not None and self.open_sample.lock.locked

    @property
    def saver(self) -> StoreThread:
        return self.saves.saver

    @property
    def busy(self) -> bool:
        """Whether a job is running for which key presses must wait, such as opening a sample."""
        return self.saves.busy

    @property
    def listening_since(self) -> float | None:
        """Time from which key presses apply to the open sample; None until the sample is drawn.

        Keys that were pressed before this time were meant for another sample.
        """
        return self.current.listening_since if self.current else None

    def header(self) -> Header | None:
        """Return the content of the header bar; None before the first sample."""
        current = self.current
        if current is None:
            return None
        open_sample = current.open_sample
        person = current.session.person
        return Header(
            dataset=open_sample.sample.dataset,
            position=open_sample.position,
            total=open_sample.total,
            finished=open_sample.completed,
            aside=describe_set_aside(open_sample.skipped, open_sample.flagged, open_sample.locked),
            locked=open_sample.locked,
            sample=open_sample.sample.id,
            person=person.name,
            saved=self.saves.state,
            state=open_sample.assignment.state.value,
            state_name=self.state_names[open_sample.assignment.state].text(),
            matches=self.header_note(),
            reading=self._describe_reading(current),
        )

    def _describe_reading(self, current: SampleSession) -> str:
        if current.session.read_only:
            return rows.SampleMessage.READ_ONLY.text()
        if self.locked:
            return rows.SampleMessage.LOCKED.text()
        person = current.session.person
        return rows.describe_reading(person, practice=current.open_sample.practice)

    def header_note(self) -> str:
        """Return the matching mode for the header; empty if a list on screen shows the mode."""
        return "" if self.has_class("-lists") else signals.describe_choice(self.panes.by)

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        """Return the status line; for work that cannot be changed, why, in place of the draft."""
        text, kind = super().line(draft, cells)
        if self.read_only and kind == DRAFT:
            return MessageCode.READ_ONLY.text(reason=self.read_only), HINT
        if self.open_sample and self.locked and kind == DRAFT:
            return name_lock(self.open_sample.lock).text(), HINT
        return text, kind

    @property
    def note_input(self) -> NoteInput:
        return self.query_one("#note", NoteInput)

    # from sample to sample

    def show_opening(self, words: str, kind: Kind = "hint") -> None:
        """Show a text in the status line before the first sample is open."""
        self.query_one(DraftLine).show(words, kind=kind)

    def begin(
        self,
        session: AnnotatorSession,
        open_sample: ShownSample,
        message: StatusMessage = NO_MESSAGE,
    ) -> None:
        """Show a sample at the position where its annotator stopped working on it."""
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
        """Import the modules of dialogs in a thread, so that no key waits for an import."""
        modules = [f"tui_annotate.tui.{name}" for name in PRELOADED]
        modules += [name for feature in self.features for name in feature.preload]
        self.run_worker(lambda: [import_module(name) for name in modules], thread=True)

    def go_to(self, key: SampleKey | None) -> None:
        """Go to a sample, unless a refused save needs attention first; None does nothing."""
        if key is None or self.draft is None:
            return
        problem = completion.find_leave_problem(self.draft)
        if problem:  # a save was refused in the meantime
            self.show_message(problem.code, WARNING, **problem.fields)
        else:
            self.go(lambda: key, "")

    def hide_suggestions(self, *, hiding: bool) -> None:
        """Hide or show all suggestions; the review screen has none to hide."""

    def rest(self) -> None:
        """Store the position with all unsaved text, before the screen is locked."""
        self.notes.take_unfinished()
        self.keep_place()

    def reload(self) -> None:
        """Read the open sample again, as another process may have changed it."""
        self.saves.reload_sample()

    def quit(self) -> None:
        """Store position and working time, and close the screen; once only."""
        if self.saver.closed:
            return
        self.notes.take_unfinished()
        if not self.read_only:
            self.saver.send_last(self.loader.leaving())
        self._close()

    # keys

    def on_key(self, event: events.Key) -> None:
        """Run the action of a key; a key before the first sample is drawn can only quit."""
        if self._writing:
            return
        event.stop()
        event.prevent_default()
        if self.draft is None and event.key == "q":
            self.quit()  # without a sample there is no screen to go back to
        elif (current := self.current) and current.listening_since is not None:
            self._press_key(event, current.draft, current.listening_since)

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait, because the screen is not ready to handle the key.

        Keys wait until the open sample is drawn, and until a running job, such as an undo, has
        ended. Some actions also wait for a search or a save.
        """
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
        """Return whether a save in progress will open the note line, which gets the next keys."""
        fresh = [save.annotation for save in draft.saves.sent.values() if save.new]
        fresh += filter(None, draft.answering.values())
        return any(save_results.wants_note(draft, one) for one in fresh)

    @property
    def _writing(self) -> bool:
        return self.draft is not None and self.draft.writing is not None

    def _action_of_key(self, event: KeyOrPaste) -> str:
        """Return the id of a key's action in the draft's state; empty if it has none."""
        draft = self.draft
        keys = self.key_map
        if draft is None or keys is None or draft.hints or not isinstance(event, events.Key):
            return ""
        key, method = table_key(event.key, event.character)
        if method or self._writing:
            return ""
        for state in draft.key_states:
            if action := keys.action(key, state):
                return action
        return ""

    def _report_frame(self, reported: Callable[[float], None]) -> None:
        if isinstance(self.app, ReportingApp):
            self.app.report_frame(self._is_drawn, reported)

    def _is_drawn(self) -> bool:
        draft = self.draft
        return draft is not None and self.pane(draft.side).painted_since is not None

    def _press_key(self, event: events.Key, draft: Draft, since: float) -> None:
        """Run a key's action; if pressed before `since`, only an action that changes nothing."""
        action = self._action_of_key(event)
        too_soon = self._ends_too_soon(draft, action, event.time)
        # After a refused key, quick keys may be the text of a note.
        if event.is_printable or _changes(draft, action):
            self.guard.note_key(event.time)
        if event.time < since and not self._is_harmless(draft, action):
            self.forget_keys(since)  # later keys depend on the action that was not run
            self._refuse_unseen(draft, event.time)
        elif self._is_unseen(draft, action, event.time):
            self._refuse_unseen(draft, event.time)
        elif too_soon:
            draft.say(MessageCode.TOO_SOON, WARNING)
            self.perform([Blink()])
        else:
            if event.time >= since:
                self.loader.begun()
                # Sentences count as visited if they were readable when the key was pressed.
                draft.visited.update(self.pane(Side.SUMMARY).sentences_seen(event.time))
            self._act(draft, event, action)

    @staticmethod
    def _is_harmless(draft: Draft, action: str) -> bool:
        return action_of(action).early and not _changes(draft, action)

    def _is_unseen(self, draft: Draft, action: str, time: float) -> bool:
        """Return whether an action stores work although the user cannot have seen the sample."""
        return _changes(draft, action) and self.guard.is_closed(time)

    def _refuse_unseen(self, draft: Draft, time: float) -> None:
        if self.guard.is_other_sample:  # else the message on screen explains it
            draft.say(MessageCode.TOO_SOON, WARNING)
        self.perform([Blink()])
        self.guard.refuse(time)

    def _ends_too_soon(self, draft: Draft, action: str, now: float) -> bool:
        """Return whether a key completes or skips a sample before there was time to read it."""
        if action != "sample.skip" and not (action == "sample.done" and draft.state in _AT_SUMMARY):
            return False
        before = self._ended_at
        self._ended_at = now
        current = self.current
        if current is None or current.begun:
            return False
        come = (current.listening_since or now) + self.glance
        return now < max(come, before + self.glance * _REPEAT)

    def _act(self, draft: Draft, event: events.Key, action: str) -> None:
        """Run a key that its user pressed for the open sample."""
        key, method = table_key(event.key, event.character)
        self.spend()
        if draft.begins_reason(action) and event.character and event.character.isalpha():
            # A letter is the start of a typed reason, not a command.
            opened = self.press(draft, "option.list", digit="0")
            letter = OpenNote(event.character)
            self.perform([letter if isinstance(one, OpenNote) else one for one in opened])
        elif method:
            draft.say(MessageCode.INPUT_METHOD_ON)
            self.show_draft()
        elif draft.hints:
            self.perform(cursor_actions.press_hint_key(draft, key))
        elif action:
            self.do(action, digit=key if action.startswith("option.") else "")
        elif draft.pending:
            self.perform([Blink()])
        else:
            self.perform(draft.refuse_key(MessageCode.KEY_WITHOUT_EFFECT, key=key_label(key)))

    def do(self, action: str, *, digit: str = "") -> None:
        """Run an action, unless the sample cannot be changed or was not seen; show why not."""
        draft = self.draft
        now = events.Event().time
        if draft and self.read_only and _changes(draft, action):
            draft.say(MessageCode.READ_ONLY, WARNING, reason=self.read_only)
            self.perform([Blink()])
        elif draft and self.locked and action == "sample.done":
            self._leave_locked()
        elif draft and self.locked and _changes_sample(draft, action):
            draft.say(MessageCode.LOCKED, WARNING)
            self.perform([Blink()])
        elif draft and self._is_unseen(draft, action, now):  # by the palette or a click
            self._refuse_unseen(draft, now)
        else:
            super().do(action, digit=digit)

    def _leave_locked(self) -> None:
        """Go to the next sample to do: a reviewer may have reopened one meanwhile."""
        if current := self.current:
            session = current.session
            key = current.open_sample.sample.key

            def find() -> SampleKey | None:
                annotate = session.annotate
                who = session.person.id
                return annotate.next_unfinished(who, key, order=session.order)

            self.go(find, name_lock(current.open_sample.lock, last=True))

    def may_do(self, action: str) -> bool:
        """Return whether the window is large enough for an action."""
        return not self.too_small or action_of(action).in_small_window

    def finish_note(self, draft: Draft, text: str) -> Effects:
        """Handle Enter in the note line."""
        return notes.finish_note(draft, text)

    def match_clicked(self, draft: Draft, rank: int) -> Effects:
        """Take or remove the clicked match as evidence, or only show it.

        It is shown if the sample cannot be changed, or if the user cannot have seen what they
        clicked.
        """
        if self.read_only or self.locked or self.guard.is_closed(events.Event().time):
            return highlights.show_match(draft, rank)
        return highlights.take_match(draft, rank)

    def annotation_clicked(self, draft: Draft, index: int) -> Effects:
        """Focus the clicked row: annotations first, then suggestions; blink if there is none."""
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
        """Open the queue, another sample or a page of the app; others as in the base class."""
        match effect:
            case Open(Page.SIGNALS):
                self.panes.next_signals()
            case Open(Page.SAMPLE, step):
                self.loader.step(step)
            case Open(Page.QUEUE):
                self.open_queue()
            case Open(Page.PRINT_WORK | Page.PASSWORD | Page.SIGN_OUT | Page.SYNC as page):
                self.post_message(AppRequest(page))
            case _:
                return super().handle(effect)
        return True

    def forget_keys(self, before: float | None = None) -> None:
        """Drop the waiting key presses from before a given time, by default before now."""
        key_queue.forget_keys(self, before)

    def free_keys(self) -> None:
        """Deliver the keys that waited until the screen was ready."""
        key_queue.free(self)

    def spend(self) -> None:
        """Record that the user is at work, for the working time and the reading in advance."""
        self.loader.spend()

    # the store

    def on_job_finished(self, message: JobFinished) -> None:
        message.stop()
        self.saves.answer(message)

    def submit(
        self,
        call: Callable[[], Found],
        done: Callable[[Found], None] | None = None,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Call a function in the store's thread; `done` gets its result on the screen.

        `failed` gets an error; by default, the screen shows the error.
        """
        self.saver.send(StoreJob(call, done or (lambda _: None), failed or self.show_error))

    def share_stored(self) -> None:
        """Send what was stored by `submit` to a shared folder or table, if one is used."""
        self.saver.kept()

    def send_change(
        self,
        call: Callable[[float], SaveResult],
        done: Callable[[SaveResult], None],
        failed: Callable[[TuiAnnotateError], None],
    ) -> None:
        """Store a change with its working time, update the open sample, then call `done`."""

        def stored(saved: SaveResult) -> None:
            self.saves.apply_save_result(saved)
            done(saved)

        self.saves.send_timed(call, stored, failed)

    def not_saved(self) -> None:
        """Show that the store refused a save, and drop the keys pressed since."""
        self.saves.not_saved(busy=self.busy)

    def remember(self, what: str, value: str) -> None:
        """Store a view setting for the person, the same in first and second readings."""
        if session := self.session:
            who = base_person(session.person.id)
            self.submit(partial(session.annotate.people.keep_preference, who, what, value))

    # the note line

    def on_note_input_submitted(self, message: NoteInput.Submitted) -> None:
        message.stop()
        self.notes.submit(message.text)

    def on_note_input_closed(self, message: NoteInput.Closed) -> None:
        message.stop()
        self.notes.leave(message.text)

    def on_input_changed(self, message: NoteInput.Changed) -> None:
        """Store the typed note soon."""
        message.stop()
        self.notes.changed()
