"""The loader of samples: opens them, reads the next ones in advance, and stores positions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from textual import events

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Damaged, TuiAnnotateError, Unavailable
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import completion, save_results, single_document
from tui_annotate.editor.citations import list_citations
from tui_annotate.editor.effects import Effects
from tui_annotate.editor.label_set_change import describe_reopened
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    AnyMessage,
    Kind,
    MessageCode,
    StatusMessage,
    add_state,
    make_message,
)
from tui_annotate.editor.resume_state import dump_state, omit_stored, restore
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import SAVED, WARNING
from tui_annotate.tui.screens.annotate.damaged_samples import name_damaged, open_undamaged
from tui_annotate.tui.screens.annotate.sample_session import SampleSession, SessionHost
from tui_annotate.tui.screens.sample.feature import FoundSample
from tui_annotate.tui.store_thread import StoreJob
from tui_annotate.tui.workspace_texts import no_workspace_error

if TYPE_CHECKING:
    from tui_annotate.storage.log.adjudications import WorkLock
    from tui_annotate.tui.frame_guard import FrameGuard
    from tui_annotate.tui.screens.sample.panes import PaneController
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession
    from tui_annotate.tui.store_thread import Stopwatch, StoreThread
    from tui_annotate.tui.widgets.document_pane import DocumentPane

Found = TypeVar("Found")

PLACE_PAUSE: Final = 1.0
"""Seconds from a key press until the position is stored, together with that of later keys."""

PREFETCH_PAUSE: Final = 0.1
"""Seconds without a key press until the neighbouring samples are read in advance."""


def name_lock(lock: WorkLock, *, last: bool = False) -> MessageCode:
    """Return the message about locked work; `last`: no other sample is left."""
    if lock.hidden:
        return MessageCode.LOCKED_BY_REVIEW_AND_LAST if last else MessageCode.LOCKED_BY_REVIEW
    return MessageCode.LOCKED_AND_LAST if last else MessageCode.LOCKED


def _describe_state(open_sample: ShownSample, draft: Draft) -> AnyMessage:
    """Return why a sample cannot be changed, or was reopened; empty if neither applies."""
    lock = open_sample.lock
    if lock.locked:
        return StatusMessage(name_lock(lock))
    if lock.reopened:
        return StatusMessage(MessageCode.REOPENED_FOR, {"reason": lock.reopened})
    if open_sample.assignment.state is State.REOPENED:
        return describe_reopened(draft)
    return ""


def _restore_position(session: AnnotatorSession, draft: Draft, open_sample: ShownSample) -> None:
    place = open_sample.place
    if session.read_only:  # nothing can be saved, and the stored position stays as it is
        place = {**place, "unsaved": []}
    restore(draft, place, locked=open_sample.lock.locked)


def _lacks_rating(open_sample: ShownSample) -> bool:
    """Return whether a reopened sample is not rated, although its kind has a rating scale."""
    work = open_sample.assignment
    return work.state is State.REOPENED and bool(open_sample.scale) and not work.rating


class SampleSource:
    """Source of the samples in an annotator's queue; a subclass reads the review queue.

    Its methods run in the store's thread, except `new_draft`, `position_writer` and `spend`.
    """

    def first(self, session: AnnotatorSession, sample: str) -> FoundSample:
        """Find the first sample to show; none for an empty queue. Called in the store's thread.

        Args:
            sample: an id, or dataset/id; empty for the sample where the annotator stopped.

        Raises:
            NotFound: `sample` matches no sample, or more than one.
        """
        annotate = session.annotate
        who = session.person.id

        def find(damaged: Sequence[SampleKey]) -> SampleKey | None:
            if damaged:
                return annotate.start_past(who, damaged, order=session.order)
            return annotate.start(who, order=session.order, sample=sample)

        return open_undamaged(find, partial(self.open, session))

    def first_again(self, session: AnnotatorSession) -> FoundSample:
        """Find the first sample of a second reading; from now on, first readings are hidden."""
        found = self.first(session, "")
        if (open_sample := found.open_sample) and not session.read_only:
            key = open_sample.sample.key
            place = open_sample.place
            session.annotate.people.keep_place(session.person.id, key, place)
        return found

    def open(self, session: AnnotatorSession, key: SampleKey) -> ShownSample:
        """Read a sample with the person's work on it; raise Damaged if its text was changed."""
        return session.annotate.open(session.person.id, key, order=session.order)

    def neighbour(self, session: AnnotatorSession, key: SampleKey, step: int) -> SampleKey | None:
        """Return the sample `step` positions after a sample in the queue; None beyond the ends."""
        return session.annotate.neighbour(session.person.id, key, step, order=session.order)

    def new_draft(self, open_sample: ShownSample, *, last_label: tuple[str, ...]) -> Draft:
        """Create the state on screen of a newly opened sample, without unsaved work."""
        sample = single_document.to_screen_sample(open_sample.sample)
        return Draft(
            sample,
            open_sample.segments,
            open_sample.labels,
            single_document.exchange_all_sides(open_sample.sample, open_sample.annotations),
            last_label=last_label,
            scale=open_sample.scale,
            rating=open_sample.assignment.rating,
            comment=open_sample.assignment.comment,
            asks_rating=_lacks_rating(open_sample),
            citations=list_citations(sample),
        )

    def position_writer(
        self, current: SampleSession, kept: Mapping[str, Any]
    ) -> Callable[[], None] | None:
        """Return a function that stores the annotator's position in the sample; None in review.

        If the store cannot be written, the function keeps the position in a file, and raises the
        store's error.
        """
        annotate = current.session.annotate
        who = current.session.person.id
        key = current.open_sample.sample.key
        saves = current.draft.saves
        positions = current.session.positions

        def write() -> None:
            place = omit_stored(kept, saves)
            try:
                annotate.people.keep_place(who, key, place)
            except Unavailable:
                if positions is not None:
                    positions.write(key, place)
                raise
            if positions is not None:
                positions.delete(key)

        return write

    def spend(self, current: SampleSession, seconds: float) -> Callable[[], None]:
        """Return a function that stores the working time, to be called in the store's thread."""
        annotate = current.session.annotate
        who = current.session.person.id
        return partial(annotate.read, who, current.open_sample.sample.key, seconds=seconds)


@dataclass(frozen=True, slots=True)
class PrefetchedSamples:
    """Samples that were read before they are opened; `moment` is the version of the store.

    Attributes:
        here: the sample that was open when the samples were read.
        neighbours: the next (1) and the previous (-1) sample of the queue; None beyond the ends.
        samples: what was read, by key: the neighbours, and what the keys of features may open.
    """

    session: AnnotatorSession
    here: SampleKey
    moment: int
    neighbours: Mapping[int, SampleKey | None]
    samples: Mapping[SampleKey, ShownSample]


class LoaderSaves(Protocol):
    """What the loader needs of the controller of the saves."""

    busy: bool

    @property
    def saver(self) -> StoreThread: ...
    @property
    def stopwatch(self) -> Stopwatch: ...


class LoaderHost(SessionHost, Protocol):
    """What the loader needs of the annotating or the reviewing screen."""

    awaiting_sample: bool

    @property
    def guard(self) -> FrameGuard: ...
    @property
    def is_current(self) -> bool: ...
    @property
    def panes(self) -> PaneController: ...
    @property
    def read_only(self) -> str: ...

    def begin(
        self, session: AnnotatorSession, open_sample: ShownSample, message: StatusMessage
    ) -> None: ...
    def call_later(self, callback: Callable[[], None]) -> bool: ...
    def follow(self) -> None: ...
    def free_keys(self) -> None: ...
    def load_documents(self, draft: Draft) -> None: ...
    def load_features(self) -> None: ...
    def perform(self, effects: Effects) -> None: ...
    def pane(self, side: Side) -> DocumentPane: ...
    def show_draft(self) -> None: ...
    def show_error(self, error: TuiAnnotateError) -> None: ...
    def show_message(self, message: AnyMessage, kind: Kind) -> None: ...
    def submit(
        self,
        call: Callable[[], Found],
        done: Callable[[Found], None] | None = None,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None: ...


class SampleLoader:
    """Opener of samples, which uses a sample read in advance if the store has not changed since."""

    def __init__(self, screen: LoaderHost, saves: LoaderSaves, source: SampleSource) -> None:
        self._screen = screen
        self._saves = saves
        self.source = source
        self.prefetched: PrefetchedSamples | None = None
        self.last_label: tuple[str, ...] = ()  # label of the last saved annotation
        self._last_key_at = 0.0
        self._waiting_for_rest = False
        self._is_place_due = False
        self._stored_place: tuple[SampleKey, Mapping[str, Any]] | None = None

    # the sample on screen

    def begin(
        self, session: AnnotatorSession, open_sample: ShownSample, message: StatusMessage
    ) -> None:
        """Show an opened sample at its stored position; keys wait until it is drawn."""
        screen = self._screen
        self._saves.busy = False
        draft = self.source.new_draft(open_sample, last_label=self.last_label)
        for feature in screen.features:
            feature.drafted(draft, open_sample)
        if open_sample.place:
            _restore_position(session, draft, open_sample)
        else:
            completion.move_to_first_unmarked(draft)
        screen.current = SampleSession(session, open_sample, draft)
        screen.guard.close()  # no key stores work until the user has seen this sample
        self._saves.stopwatch.touch()
        screen.load_documents(draft)
        screen.follow()
        if why := _describe_state(open_sample, draft):
            message = add_state(message, why, sample=open_sample.sample.id, kind=WARNING)
        if message:
            draft.message = message
        effects = save_results.restore_first_refused(draft)
        screen.show_draft()
        if effects:
            screen.perform(effects)
        # The pane asks for the refresh, because the screen may not know yet that it must paint.
        screen.pane(draft.side).call_after_refresh(self._on_first_frame)

    def _on_first_frame(self) -> None:
        screen = self._screen
        current = screen.current
        self.listen(screen.pane(current.draft.side).painted_since if current else None)
        self._saves.saver.start_deferred()
        if current:
            open_sample = current.open_sample
            screen.panes.prepare_assist(
                current.session.assist, open_sample.sample, open_sample.segments
            )
            self._read_former(current)
        self._prefetch_later()

    def listen(self, since: float | None = None) -> None:
        """Start to accept keys for the sample on screen.

        Keys that were pressed before the time `since` (by default now) were not meant for this
        sample, and run only actions that change nothing. Without `since`, the user asked for
        another sample in vain, which they have yet to see.
        """
        screen = self._screen
        if screen.current:
            moment = events.Event().time if since is None else since
            if since is None:
                screen.guard.restart(moment)
            else:
                screen.guard.draw(moment)
            screen.current = replace(screen.current, listening_since=moment)
        screen.free_keys()

    def begun(self) -> None:
        """Record that the annotator has acted on the open sample."""
        if (current := self._screen.current) and not current.begun:
            self._screen.current = replace(current, begun=True)

    def _read_former(self, current: SampleSession) -> None:
        """Read the evidence that the annotator took in other samples with the same source."""
        session = current.session
        draft = current.draft

        def done(found: Mapping[str, tuple[Span, ...]]) -> None:
            documents = draft.sample.side(Side.SOURCE)
            draft.former_evidence = {
                at: found[document.sha256]
                for at, document in enumerate(documents)
                if document.sha256 in found
            }
            if draft.former_evidence and draft is self._screen.draft:
                self._screen.show_draft()

        read = partial(session.annotate.former_evidence, session.person.id, draft.sample)
        self._screen.submit(read, done)

    # in the store's thread

    def first(self, session: AnnotatorSession, sample: str) -> FoundSample:
        """Import the plug-ins' features, and find the first sample; see `SampleSource.first`."""
        self._screen.load_features()
        found = self.source.first(session, sample)
        if found.open_sample:
            self._notify_features(session, found.open_sample)
        return found

    def open(self, key: SampleKey) -> ShownSample:
        """Return a sample, from memory if it was read in advance and the store has not changed."""
        session = self._screen.session
        if session is None:
            raise no_workspace_error()
        ahead = self._valid_prefetch()
        open_sample = (ahead and ahead.samples.get(key)) or self.source.open(session, key)
        self._notify_features(session, open_sample)
        return open_sample

    def _notify_features(self, session: AnnotatorSession, open_sample: ShownSample) -> None:
        for feature in self._screen.features:
            feature.opened(session, open_sample)

    def _neighbour(self, session: AnnotatorSession, key: SampleKey, step: int) -> SampleKey | None:
        """Return the sample `step` positions after `key`; None beyond the ends of the queue."""
        ahead = self._valid_prefetch()
        if ahead and ahead.here == key and step in ahead.neighbours:
            return ahead.neighbours[step]
        return self.source.neighbour(session, key, step)

    def _valid_prefetch(self) -> PrefetchedSamples | None:
        """Return the samples read in advance; None if the store or the session has changed."""
        ahead = self.prefetched
        if ahead is None or ahead.session is not self._screen.session:
            return None
        return ahead if ahead.moment == ahead.session.annotate.store.moment() else None

    # to another sample

    def step(self, step: int) -> None:
        """Go `step` samples forward in the queue, or back if it is negative."""
        if current := self._screen.current:
            neighbour = partial(self._neighbour, current.session, step=step)
            self.go(
                partial(neighbour, current.open_sample.sample.key),
                MessageCode.LAST_SAMPLE if step > 0 else MessageCode.FIRST_SAMPLE,
                after=neighbour,
                prefetched=step,
            )

    def go(
        self,
        find: Callable[[], SampleKey | None],
        none: AnyMessage,
        *,
        after: Callable[[SampleKey], SampleKey | None] | None = None,
        prefetched: SampleKey | int | None = None,
    ) -> None:
        """Store the position with all unsaved work, and go to the sample that `find` returns.

        Args:
            find: called in the store's thread.
            none: message if `find` returns None.
            after: returns the sample to try after a damaged one; called in the store's thread.
            prefetched: key or step of a sample that may be prefetched; None if there is none.
        """
        screen = self._screen
        if self._saves.busy:
            return
        known = self._take_prefetched(prefetched)
        self._saves.busy = screen.awaiting_sample = True
        leave = self.leaving()

        def find_past(damaged: Sequence[SampleKey]) -> SampleKey | None:
            if not damaged:
                return find()
            return after(damaged[-1]) if after else None

        def done(found: FoundSample) -> None:
            self._saves.busy = screen.awaiting_sample = False
            open_sample = found.open_sample
            damaged = name_damaged(NO_MESSAGE, found.damaged)
            if open_sample and screen.session:
                screen.begin(screen.session, open_sample, damaged)
                if current := screen.current:  # stored after the first frame, in case of a crash
                    kept = open_sample.place or dump_state(current.draft)
                    self._send_position(current, kept, self._saves.saver.send_deferred)
            else:
                screen.show_message(damaged or none, damaged.kind)
                self.listen()
                self._saves.saver.start_deferred()

        def failed(error: TuiAnnotateError) -> None:
            screen.awaiting_sample = False
            self._saves.saver.start_deferred()
            screen.show_error(error)

        if known:
            screen.call_later(partial(done, FoundSample(known)))
        else:
            screen.submit(partial(open_undamaged, find_past, self.open), done, failed)
        self._saves.saver.send_deferred(StoreJob(leave, lambda _: None, screen.show_error))

    def switch_session(
        self,
        session: AnnotatorSession,
        find: Callable[[], FoundSample],
        *,
        words: AnyMessage,
        none: AnyMessage,
    ) -> None:
        """Show another annotator's sample, which `find` returns in the store's thread."""
        screen = self._screen
        if self._saves.busy:
            return
        self._saves.busy = True
        leave = self.leaving()

        def call() -> FoundSample:
            leave()  # before a second reading begins, which hides the sample that is left
            return find()

        def done(found: FoundSample) -> None:
            self._saves.busy = False
            damaged = name_damaged(NO_MESSAGE, found.damaged)
            if found.open_sample is None:
                screen.show_message(damaged or none, damaged.kind)
            else:
                self.last_label = ()  # of the other reading
                message = name_damaged(make_message(words, SAVED), found.damaged)
                screen.begin(session, found.open_sample, message)

        screen.submit(call, done)

    # position and working time

    def leaving(self) -> Callable[[], None]:
        """Return a function that stores position and working time in the store's thread.

        The working time so far is taken from the stopwatch now.
        """
        keep = self.position_writer()
        current = self._screen.current
        if current is None:
            return keep
        spend = self.source.spend(current, self._saves.stopwatch.take())

        def call() -> None:
            keep()
            spend()

        return call

    def position_writer(self) -> Callable[[], None]:
        """Return a function that stores the current position, without the working time."""
        current = self._screen.current
        keep = self.source.position_writer(current, dump_state(current.draft)) if current else None
        return keep or (lambda: None)

    def keep_place(self, *, quiet: bool = False) -> None:
        """Store the position of the open sample with all unsaved work.

        Args:
            quiet: shows no error if it fails, because the screen shows a more important one.
        """
        if current := self._screen.current:
            kept = dump_state(current.draft)
            self._send_position(current, kept, self._saves.saver.send, quiet=quiet)

    def _send_position(
        self,
        current: SampleSession,
        kept: Mapping[str, Any],
        send: Callable[[StoreJob[None]], None],
        *,
        quiet: bool = False,
    ) -> None:
        keep = self.source.position_writer(current, kept)
        if keep is None:
            return

        def done(_: None) -> None:
            self._stored_place = current.open_sample.sample.key, kept

        def ignore(_: TuiAnnotateError) -> None: ...

        send(StoreJob(keep, done, ignore if quiet else self._screen.show_error))

    def spend(self) -> None:
        """Add the time that the user spent on an action to the sample's working time."""
        screen = self._screen
        stopwatch = self._saves.stopwatch
        stopwatch.touch()
        if stopwatch.full and screen.current:
            screen.submit(self.source.spend(screen.current, stopwatch.take()))
        self._prefetch_later()
        self._send_position_later()

    def _send_position_later(self) -> None:
        """Store the position soon, as a killed process stores nothing when it ends."""
        if not self._is_place_due:
            self._is_place_due = True
            loop = asyncio.get_running_loop()
            loop.call_later(PLACE_PAUSE, self._screen.call_later, self._on_place_due)

    def _on_place_due(self) -> None:
        self._is_place_due = False
        current = self._screen.current
        if current is None or self._saves.busy or self._screen.read_only:
            return  # another sample is being opened, which stores the position
        place = current.open_sample.sample.key, dump_state(current.draft)
        if place != self._stored_place:
            self._send_position(current, place[1], self._saves.saver.send)
            self._prefetch_later()  # a commit makes samples that were read before outdated

    # prefetching

    def _take_prefetched(self, to: SampleKey | int | None) -> ShownSample | None:
        """Return a sample that can be shown at once; None if it must be read first."""
        if to is None:
            return None
        screen = self._screen
        ahead = self._valid_prefetch()
        draft = screen.draft
        if (
            ahead is None
            or draft is None
            or ahead.here != draft.sample.key
            or self._saves.saver.waiting
        ):
            return None
        key = ahead.neighbours.get(to) if isinstance(to, int) else to
        open_sample = ahead.samples.get(key) if key else None
        if open_sample is None:
            return None
        ready = all(feature.ready(open_sample.sample) for feature in screen.features)
        return open_sample if ready else None

    def _prefetch_later(self) -> None:
        self._last_key_at = time.monotonic()
        if not self._waiting_for_rest:  # one pause for a series of keys
            self._waiting_for_rest = True
            self._wait_for_rest(PREFETCH_PAUSE)

    def _wait_for_rest(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self._screen.call_later, self._on_rest)

    def _on_rest(self) -> None:
        left = self._last_key_at + PREFETCH_PAUSE - time.monotonic()
        self._waiting_for_rest = left > 0 or self._saves.saver.waiting > 0
        if self._waiting_for_rest:
            self._wait_for_rest(left if left > 0 else PREFETCH_PAUSE)
        elif self._screen.current and self._screen.is_current:
            self._prefetch(self._screen.current)

    def _prefetch(self, current: SampleSession) -> None:
        """Read the samples in advance that the next keys may open, while no other job waits."""
        draft = current.draft
        session = current.session
        saver = self._saves.saver
        found = [feature.upcoming(draft) for feature in self._screen.features]
        if all(keys is None for keys in found):
            return
        here = draft.sample.key
        keys = [key for some in found for key in some or ()]

        def call() -> PrefetchedSamples | None:
            moment = session.annotate.store.moment()
            held = self.prefetched
            if held and (held.session, held.here, held.moment) == (session, here, moment):
                return held
            neighbours = {step: self.source.neighbour(session, here, step) for step in (1, -1)}
            samples: dict[SampleKey, ShownSample] = {}
            for key in dict.fromkeys([*keys, *filter(None, neighbours.values())]):
                if saver.waiting > 1:
                    return None  # another job waits for the store
                with suppress(Damaged):  # named when the user goes there
                    samples[key] = self.source.open(session, key)
            return PrefetchedSamples(session, here, moment, neighbours, samples)

        def done(found: PrefetchedSamples | None) -> None:
            self.prefetched = found
            if found is None:
                self._prefetch_later()

        self._screen.submit(call, done, lambda _: None)
