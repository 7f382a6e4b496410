"""Requests to the store and their results: saves, undo, the end of a sample, conflicts.

`SaveController` owns the store's thread and is the same in review. `AnnotationSaves` sends an
annotator's changes to the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from textual import events

from tui_annotate.domain.adjudication_history import LOCKED_CODE
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import State, describe_set_aside
from tui_annotate.domain.errors import Conflict, ReadOnly, TuiAnnotateError
from tui_annotate.editor import (
    label_set_change,
    navigation,
    save_results,
    single_document,
    suggestion_actions,
)
from tui_annotate.editor.effects import Comment, Effect, Effects, Finish, Rate, Remove, Save, Undo
from tui_annotate.editor.label_set_change import DraftLabelSetChange
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    AnyMessage,
    Kind,
    MessageCode,
    StatusMessage,
    combine_messages,
)
from tui_annotate.editor.screen_message import describe_error
from tui_annotate.editor.state import SAMPLE, Draft, Note
from tui_annotate.editor.words import (
    ERROR,
    HINT,
    SAVED,
    WARNING,
    describe_kind,
    describe_labels,
)
from tui_annotate.tui.screens.annotate.damaged_samples import name_damaged, open_undamaged
from tui_annotate.tui.screens.annotate.sample_session import SessionHost
from tui_annotate.tui.screens.sample.feature import FinishedSample, FoundSample
from tui_annotate.tui.store_thread import JobFinished, Stopwatch, StoreJob, StoreThread
from tui_annotate.tui.widgets.header_bar import SaveState

if TYPE_CHECKING:
    from textual.message import Message
    from textual.timer import Timer

    from tui_annotate.domain.samples import Sample, SampleKey
    from tui_annotate.services.annotate import SaveResult
    from tui_annotate.tui.frame_guard import FrameGuard
    from tui_annotate.tui.screens.annotate.loader import SampleLoader
    from tui_annotate.tui.screens.annotate.sample_session import SampleSession
    from tui_annotate.tui.screens.sample.panes import PaneController
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

Found = TypeVar("Found")
_Reloaded = tuple["ShownSample", Mapping[LabelPath, LabelPath]]

_PRACTICE_MESSAGES: Final = {
    (True, True): MessageCode.PRACTICE_PASSED,
    (False, False): MessageCode.PRACTICE_AGAIN,
    (False, True): MessageCode.PRACTICE_FAILED,
}
"""Messages by whether the person passed practice, and whether no further attempt follows."""


class SaveHost(SessionHost, Protocol):
    """What the controller of the saves needs of the annotating or the reviewing screen."""

    @property
    def guard(self) -> FrameGuard: ...
    @property
    def loader(self) -> SampleLoader: ...
    @property
    def read_only(self) -> str: ...

    def forget_keys(self) -> None: ...
    def forget_shown(self) -> None: ...
    def free_keys(self) -> None: ...
    def perform(self, effects: Effects) -> None: ...
    def post_message(self, message: Message) -> bool: ...
    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer: ...
    def show_draft(self) -> None: ...
    def show_message(self, message: AnyMessage, kind: Kind) -> None: ...


_UNANSWERED: Final = (SaveState.SAVING, SaveState.NOT_SAVED_YET)
_SLOW_SECONDS: Final = 5.0
"""Time in seconds without an answer after which the header shows that a change is not saved."""


class SaveController:
    """Controller that sends jobs to the store in order, and updates the screen from their results.

    Attributes:
        busy: whether a job is running for which key presses must wait, such as opening a sample.
        updated: called after `update_draft`; review then updates what only its draft has.
        reload_sample: reads the sample again after work from elsewhere was merged.
    """

    def __init__(self, screen: SaveHost) -> None:
        self._screen = screen
        self.saver = StoreThread(screen.post_message)
        self.stopwatch = Stopwatch()
        self.state: SaveState | None = None
        self.busy = False
        self._slow: Timer | None = None
        self.updated: Callable[[Draft, ShownSample, DraftLabelSetChange], None] = lambda *_: None
        self.reload_sample = self.reload_unchanged

    def answer(self, message: JobFinished) -> None:
        """Show the result of a finished job, and deliver the keys that waited for it."""
        self.saver.answer(message)
        if self._slow is not None:
            self._slow.stop()
        self._slow = None
        if self.state in _UNANSWERED:
            was_slow = self.state == SaveState.NOT_SAVED_YET
            self.state = SaveState.SAVING if self.saver.shown else SaveState.SAVED
            if was_slow and self.state == SaveState.SAVED:
                self._screen.show_message(StatusMessage(MessageCode.SAVED_AT_LAST), SAVED)
            self._screen.show_draft()
        if self.saver.shown:
            self._expect_answer()
        self._screen.free_keys()

    def send(self, job: StoreJob[Any]) -> None:
        """Send a job that changes the store, and show in the header that it is being saved."""
        if self.state != SaveState.NOT_SAVED_YET:
            self.state = SaveState.SAVING
        self.saver.send(job)
        if self._slow is None:
            self._expect_answer()

    def _expect_answer(self) -> None:
        """Show that the change is not saved yet if there is no answer after some seconds."""
        self._slow = self._screen.set_timer(_SLOW_SECONDS, self._show_slow)

    def _show_slow(self) -> None:
        if self.saver.shown and self.state == SaveState.SAVING:
            self.state = SaveState.NOT_SAVED_YET
            why = self.saver.trouble
            message = StatusMessage(MessageCode.NOT_SAVED_YET)
            if why:
                message = StatusMessage(MessageCode.NOT_SAVED_YET_BECAUSE, {"reason": why})
            self._screen.show_message(message, WARNING)

    def send_timed(
        self,
        call: Callable[[float], Any],
        done: Callable[[Any], None],
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Store a change, together with the working time since the last stored change.

        Args:
            call: stores the change; its argument is the working time in seconds.
            done: shows the result; not called if another sample has been opened in the meantime.
        """
        seconds = self.stopwatch.take()
        draft = self._screen.draft

        def show(result: Any) -> None:
            if draft is self._screen.draft:  # another sample may be open by now
                done(result)

        failed = failed or self.show_refused_action
        self.send(StoreJob(partial(call, seconds), show, failed, writes=True, shown=True))

    def read(self, call: Callable[[], Found], show: Callable[[Found], None]) -> None:
        """Read data of the open sample, then show the data; keys wait until the data is read."""
        if self.busy:
            return
        self.busy = True

        def done(found: Found) -> None:
            self.busy = False
            show(found)

        self.saver.send(StoreJob(call, done, self.refused))

    def refused(self, error: TuiAnnotateError) -> None:
        """Show why the store refused a request other than the save of an annotation.

        In a read-only workspace, the store refuses only what needs no message, such as the
        annotator's position, because `WorkspaceScreen.do` refuses all changes of work.
        """
        self.busy = False
        if self._screen.read_only and isinstance(error, ReadOnly):
            return
        self._screen.forget_keys()
        if self.state in _UNANSWERED:
            self.state = None
        is_conflict = isinstance(error, Conflict)
        self._screen.show_message(describe_error(error), WARNING if is_conflict else ERROR)

    def not_saved(self, *, busy: bool = False) -> None:
        """Show in the header that the store refused a save, and drop the keys pressed since."""
        self._screen.forget_keys()
        self.busy = busy
        self.state = SaveState.NOT_SAVED

    def keep_comment(self, draft: Draft | None, text: str, error: TuiAnnotateError) -> None:
        """Keep the text of a sample comment that the store refused, for the next attempt."""
        if draft:
            draft.kept_notes[Note(SAMPLE)] = text
        self.refused(error)

    def apply_save_result(self, saved: SaveResult) -> None:
        """Update an annotator's open sample with the state that the store returned after a save."""
        from tui_annotate.services.annotate import OpenSample

        screen = self._screen
        current = screen.current
        if current is None or saved.key != current.open_sample.sample.key:
            return
        open_sample = current.open_sample
        if not isinstance(open_sample, OpenSample):
            return
        before = open_sample.assignment.state
        state = saved.assignment.state
        finished = open_sample.finished + state.finished - before.finished
        open_sample = replace(
            open_sample,
            assignment=saved.assignment,
            finished=finished,
            skipped=open_sample.skipped + _moved(State.SKIPPED, before, state),
            flagged=open_sample.flagged + _moved(State.FLAGGED, before, state),
        )
        current.draft.rating = saved.assignment.rating
        current.draft.comment = saved.assignment.comment
        for feature in screen.features:
            open_sample = feature.saved(current.draft, saved, open_sample)
        screen.current = replace(current, open_sample=open_sample)

    # reading again, after a conflict or work from elsewhere

    def reload(
        self,
        draft: Draft,
        then: Callable[[StatusMessage], None],
        *,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Read the sample on screen again, then call `then`; unsaved work is kept.

        Args:
            then: gets a message about changed labels; an empty message if none changed.
            failed: called if the sample cannot be read; None to call `then` nevertheless.
        """
        session = self._screen.session
        loader = self._screen.loader
        if session is None:
            then(NO_MESSAGE)
            return
        annotate = session.annotate
        key = draft.sample.key
        since = draft.tree.version

        def call() -> _Reloaded:
            now = loader.open(key)
            if now.labels.version == since:
                return now, {}
            return now, annotate.label_renames(key.dataset, since)

        def done(found: _Reloaded) -> None:
            now, became = found
            change = DraftLabelSetChange(draft.tree, now.labels, became)
            words = change.describe(label_set_change.in_hand(draft))
            changed = NO_MESSAGE
            if words:
                changed = StatusMessage(MessageCode.LABELS_CHANGED, {"changes": words})
            elif draft.tree.version != now.labels.version:
                changed = StatusMessage(MessageCode.LABEL_SET_CHANGED)
            before = draft.shown_work
            self.update_draft(draft, now, change)
            if draft is self._screen.draft and draft.shown_work != before:
                self._screen.guard.restart(events.Event().time)  # digits may mean other labels
            then(changed)

        # Marked as a write, so that another failed save before it does not drop this job.
        self.saver.send(StoreJob(call, done, failed or (lambda _: then(NO_MESSAGE)), writes=True))

    def update_draft(self, draft: Draft, now: ShownSample, change: DraftLabelSetChange) -> None:
        """Update a draft from its sample, which was read again; unsaved work is kept."""
        screen = self._screen
        stored = single_document.exchange_all_sides(now.sample, now.annotations)
        label_set_change.apply_change(draft, change, stored)
        draft.rating = now.assignment.rating
        draft.comment = now.assignment.comment
        if screen.current and draft is screen.current.draft:
            screen.current = replace(screen.current, open_sample=now)
            screen.loader.last_label = draft.last_label
            screen.forget_shown()
        for feature in screen.features:
            feature.reloaded(draft, now)
        self.updated(draft, now, change)

    def reload_unchanged(self) -> None:
        """Read the sample again, unless an annotation is being edited or could not be saved."""
        draft = self._screen.draft
        if draft and not (draft.save_failed or draft.editing):
            self.reload_and_show(draft, lambda changed: changed, failed=self.refused)

    def reload_and_show(
        self,
        draft: Draft,
        describe: Callable[[StatusMessage], AnyMessage],
        *,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Read the sample again, then show the message that `describe` makes of the changes."""

        def then(changed: StatusMessage) -> None:
            if draft is self._screen.draft:
                if message := describe(changed):
                    draft.say(message, WARNING)
                self._screen.perform([])

        self.reload(draft, then, failed=failed)

    def show_refused_action(self, error: TuiAnnotateError) -> None:
        """Show why a change was refused; after a conflict, read the sample again."""
        self.refused(error)

        def describe(changed: StatusMessage) -> AnyMessage:
            fields = {"changed": changed}
            look_again = StatusMessage(MessageCode.CHANGED_LOOK_AGAIN, fields)
            return look_again if changed else describe_error(error)

        is_outdated = isinstance(error, Conflict) or error.code == LOCKED_CODE
        if (draft := self._screen.draft) and is_outdated:
            self.reload_and_show(draft, describe)

    def show_refused_save(
        self, draft: Draft, annotation: Annotation, error: TuiAnnotateError
    ) -> None:
        """Show why the save of an annotation was refused, and restore the annotation.

        After a conflict, the sample is read again first.
        """
        self._screen.forget_keys()
        self.state = SaveState.NOT_SAVED
        if not isinstance(error, Conflict):
            self._apply_refusal(draft, annotation, describe_error(error))
            return

        def then(changed: StatusMessage) -> None:
            sent = draft.saves.sent.get(annotation.id)
            new = sent is None or sent.new
            code = MessageCode.CHANGED_DIGIT_SAVES if new else MessageCode.CHANGED_ENTER_SAVES
            message = StatusMessage(code, {"changed": changed})
            self._apply_refusal(draft, annotation, message if changed else describe_error(error))

        self.reload(draft, then)

    def _apply_refusal(
        self, draft: Draft, annotation: Annotation, message: StatusMessage | str
    ) -> None:
        self.not_saved()  # also drops keys pressed while the sample was read again
        effects = save_results.apply_refused_save(draft, annotation, message)
        if draft is self._screen.draft:
            self._screen.perform(effects)
            self._screen.loader.keep_place(quiet=True)  # a killed process loses nothing


def _moved(counted: State, before: State, after: State) -> int:
    """Return by how much the number of samples in a state changes."""
    return (after is counted) - (before is counted)


class AnnotationHost(SessionHost, Protocol):
    """What the sender of an annotator's changes needs of the annotating screen."""

    @property
    def loader(self) -> SampleLoader: ...
    @property
    def panes(self) -> PaneController: ...

    def begin(
        self, session: AnnotatorSession, open_sample: ShownSample, message: StatusMessage
    ) -> None: ...
    def perform(self, effects: Effects) -> None: ...
    def show_message(self, message: AnyMessage, kind: Kind = HINT, **fields: object) -> None: ...


class AnnotationSaves:
    """Sender of an annotator's changes: annotations, ratings, comments, completion, undo."""

    def __init__(self, screen: AnnotationHost, saves: SaveController) -> None:
        self._screen = screen
        self._saves = saves

    def handle(self, effect: Effect) -> bool:
        """Send the change that an effect describes to the store; return False for other effects."""
        current = self._screen.current
        if current is None:
            return False
        session = current.session
        open_sample = current.open_sample
        seen = current.draft.tree.version
        annotate = session.annotate
        who = session.person.id
        key = open_sample.sample.key
        match effect:
            case Save(annotation, new, offer):
                save = annotate.add if new else annotate.edit
                lone = single_document.is_alone(open_sample.sample)
                offer = None if lone else self._screen.panes.complete_snapshot(offer)
                stored = single_document.exchange_sides(open_sample.sample, annotation)
                call = partial(save, who, key, stored, offer=offer, label_set=seen)
                self._save(call, open_sample.sample, annotation, new=new)
            case Remove(annotation):
                version = annotation.version
                remove = partial(annotate.remove, who, key, annotation.id, version=version)
                fields = {"labels": describe_labels(annotation.labels)}
                self._send(remove, StatusMessage(MessageCode.ANNOTATION_DELETED, fields))
            case Comment(text):
                comment = partial(annotate.comment, who, key, text)
                fields = {"item": describe_kind(open_sample.sample)}
                message = StatusMessage(MessageCode.COMMENT_SAVED, fields)
                self._send(comment, message, partial(self._saves.keep_comment, current.draft, text))
            case Rate(word):
                self._send(
                    partial(annotate.rate, who, key, word), save_results.describe_rating(word)
                )
            case Finish(verb, reason):
                self._finish(session, open_sample, verb, reason=reason)
            case Undo(redo):
                self._undo(session, open_sample.sample.key, redo=redo)
            case _:
                return False
        return True

    def _send(
        self,
        call: Callable[..., SaveResult],
        message: AnyMessage,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        def done(saved: SaveResult) -> None:
            self._saves.apply_save_result(saved)
            if current := self._screen.current:
                stored = single_document.exchange_all_sides(
                    current.open_sample.sample, saved.annotations
                )
                self._screen.perform(
                    save_results.replace_annotations(current.draft, stored, message)
                )

        self._saves.send_timed(lambda seconds: call(seconds=seconds), done, failed)

    def _save(
        self,
        call: Callable[..., SaveResult],
        sample: Sample,
        annotation: Annotation,
        *,
        new: bool,
    ) -> None:
        screen = self._screen
        seconds = self._saves.stopwatch.take()
        draft = screen.draft
        if draft is None:
            return
        screen.loader.last_label = draft.last_label

        def save() -> SaveResult:
            saved = call(seconds=seconds)
            draft.saves.confirm(annotation, new=new)
            return saved

        def done(saved: SaveResult) -> None:
            self._saves.apply_save_result(saved)
            made = saved.annotation and single_document.exchange_sides(sample, saved.annotation)
            stored = single_document.exchange_all_sides(sample, saved.annotations)
            effects = save_results.apply_saved(draft, made or annotation, stored)
            if draft is screen.draft:
                screen.perform(effects)
                screen.loader.keep_place()

        failed = partial(self._saves.show_refused_save, draft, annotation)
        self._saves.send(StoreJob(save, done, failed, writes=True, shown=True))

    # the end of a sample

    def _finish(
        self, session: AnnotatorSession, open_sample: ShownSample, verb: str, *, reason: str
    ) -> None:
        screen = self._screen
        if self._saves.busy or screen.draft is None:
            return
        self._saves.busy = True
        who = session.person.id
        key = open_sample.sample.key
        leave = screen.loader.position_writer()
        annotate = session.annotate
        seconds = self._saves.stopwatch.take()
        seen = screen.draft.tree.version
        calls: dict[str, Callable[[], SaveResult]] = {
            "done": partial(annotate.finish, who, key, seconds=seconds, label_set=seen),
            "skip": partial(annotate.skip, who, key, reason=reason, seconds=seconds),
            "flag": partial(annotate.flag, who, key, reason=reason, seconds=seconds),
        }

        def call() -> FinishedSample:
            saved = calls[verb]()
            leave()
            was_practice = open_sample.practice and verb == "done"
            feedback = annotate.feedback(who, key) if was_practice else None
            practice = annotate.end_practice(who) if open_sample.practice else None
            if paused := annotate.pause(who):
                return FinishedSample(saved, None, feedback, paused=paused)

            def find(damaged: Sequence[SampleKey]) -> SampleKey | None:
                following = self._find_next(session, open_sample.sample, damaged)
                if following is None:
                    after = damaged[-1] if damaged else key
                    following = annotate.next_skipped(
                        who, after, order=session.order, without=damaged
                    )
                # Practice that begins again may begin with this sample.
                return following if following != key or practice is not None else None

            found = open_undamaged(find, screen.loader.open)
            again = 0
            if found.open_sample is None:
                again = annotate.line.find_reopened(session.person)
            return FinishedSample(
                saved, found.open_sample, feedback, again, found.damaged, practice=practice
            )

        self._saves.send(
            StoreJob(call, self._on_finished, self._saves.show_refused_action, shown=True)
        )

    def _find_next(
        self, session: AnnotatorSession, sample: Sample, damaged: Sequence[SampleKey]
    ) -> SampleKey | None:
        """Return the next sample to do, past the damaged ones that were found before it."""
        if damaged:
            sample = replace(sample, dataset=damaged[-1].dataset, id=damaged[-1].id)
        for feature in self._screen.features:
            found = feature.next_sample(session, sample)
            if found and found not in damaged:
                return found
        return session.annotate.next_unfinished(
            session.person.id, sample.key, order=session.order, without=damaged
        )

    def _on_finished(self, result: FinishedSample) -> None:
        go_on = partial(self._go_on, result)
        if not any(feature.finished(result, go_on) for feature in self._screen.features):
            go_on()

    def _go_on(self, result: FinishedSample) -> None:
        screen = self._screen
        self._saves.busy = False
        self._saves.apply_save_result(result.saved)
        fields = {
            "sample": result.saved.key.id,
            "state": result.saved.assignment.state.display_name,
        }
        open_sample = screen.open_sample
        session = screen.session
        if result.paused:
            self._saves.refused(result.paused)
            screen.loader.listen()
            return
        if result.next and session:
            is_last_round = result.next.assignment.state is State.SKIPPED
            code = MessageCode.BACK_TO_SKIPPED if is_last_round else MessageCode.SAMPLE_ENDED
            if (practice := result.practice) and practice.passed is not None:
                code = _PRACTICE_MESSAGES[practice.passed, practice.final]
                fields = {"score": f"{practice.score:.0%}", "needed": f"{practice.needed:.0%}"}
            message = StatusMessage(code, fields, SAVED)
            screen.begin(session, result.next, name_damaged(message, result.damaged))
            return
        if result.damaged:
            ended = StatusMessage(MessageCode.SAMPLE_ENDED, fields)
            screen.show_message(name_damaged(ended, result.damaged), WARNING)
        elif open_sample and open_sample.completed >= open_sample.total:
            screen.show_message(MessageCode.ALL_FINISHED, SAVED)
        elif open_sample and open_sample.completed >= open_sample.possible:
            screen.show_message(MessageCode.ALL_BUT_LOCKED, SAVED, count=open_sample.locked)
        elif open_sample and open_sample.finished >= open_sample.possible:
            fields["count"] = describe_set_aside(open_sample.skipped, open_sample.flagged)
            screen.show_message(MessageCode.SET_ASIDE_LEFT, SAVED, **fields)
        else:
            screen.show_message(MessageCode.LAST_SAMPLE_ENDED, SAVED, **fields)
        screen.loader.listen()

    # undo

    def _undo(self, session: AnnotatorSession, here: SampleKey, *, redo: bool) -> None:
        if self._saves.busy:
            return
        annotate = session.annotate
        who = session.person.id
        loader = self._screen.loader
        leave = loader.position_writer()

        def call() -> tuple[SaveResult, FoundSample] | None:
            saved = annotate.redo(who) if redo else annotate.undo(who)
            if saved is None or saved.key == here:
                return (saved, FoundSample(None)) if saved else None
            leave()
            return saved, open_undamaged(lambda _: saved.key, loader.open)

        self._saves.busy = True
        done = partial(self._on_undone, redo=redo)
        self._saves.send(StoreJob(call, done, self._saves.show_refused_action, shown=True))

    def _on_undone(self, answer: tuple[SaveResult, FoundSample] | None, *, redo: bool) -> None:
        """Show the sample of an undone or redone action, with the message about the action."""
        self._saves.busy = False
        current = self._screen.current
        if answer is None or current is None:
            none = MessageCode.NOTHING_TO_REDO if redo else MessageCode.NOTHING_TO_UNDO
            self._screen.show_message(none)
            return
        saved, found = answer
        if found.open_sample or found.damaged:
            self._show_undone_elsewhere(current.session, saved, found, redo=redo)
        else:
            self._show_undone_here(current, saved, redo=redo)

    def _show_undone_elsewhere(
        self, session: AnnotatorSession, saved: SaveResult, found: FoundSample, *, redo: bool
    ) -> None:
        undone = save_results.describe_undone(saved.undone, redo=redo)
        fields = {"undone": undone, "sample": saved.key}
        message = _name_passed(
            StatusMessage(MessageCode.UNDONE_ELSEWHERE, fields, SAVED), saved.passed
        )
        if found.open_sample:
            self._screen.begin(session, found.open_sample, message)
        else:
            self._screen.show_message(name_damaged(message, found.damaged), WARNING)

    def _show_undone_here(self, current: SampleSession, saved: SaveResult, *, redo: bool) -> None:
        draft = current.draft
        before = draft.suggestions
        self._saves.apply_save_result(saved)
        stored = single_document.exchange_all_sides(current.open_sample.sample, saved.annotations)
        left = {annotation.id for annotation in stored}
        lost = [known for known in draft.annotations if known.id not in left]
        reopened = suggestion_actions.find_reopened(draft, before)
        gone = lost[0] if len(lost) == 1 and not (redo or reopened) else None
        changed = list(lost)
        if saved.annotation:
            changed.append(saved.annotation)
        labels = describe_labels(changed[0].labels) if len(changed) == 1 else ""
        undone = save_results.describe_undone(saved.undone, labels, redo=redo)
        code = MessageCode.REDONE if redo else MessageCode.UNDONE
        message = _name_passed(StatusMessage(code, {"undone": undone}), saved.passed)
        effects = save_results.replace_annotations(draft, stored, message, gone=gone)
        if reopened and not (draft.open or draft.selection):
            effects += navigation.show(draft, reopened)
        self._screen.perform(effects)


def _name_passed(message: StatusMessage, passed: Sequence[SampleKey]) -> StatusMessage:
    """Return a message that also names the locked samples that an undo left as they are."""
    if not passed:
        return message
    code = MessageCode.LOCKED_STAYS if len(passed) == 1 else MessageCode.LOCKED_STAY
    fields = {"sample": passed[0].id, "count": len(passed)}
    return combine_messages(message, StatusMessage(code, fields), WARNING)
