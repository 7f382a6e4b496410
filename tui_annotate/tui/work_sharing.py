"""Sharing of work while an annotator works: the app's side, and a thread that pulls and pushes.

The thread waits for the network, so no key does. Changes are pushed when nothing more came for a
while, and at the latest after a longer one. What comes during a push goes with the next.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from threading import Condition, Thread
from typing import TYPE_CHECKING, Final

from textual.message import Message

from tui_annotate.domain.errors import TuiAnnotateError, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.stream_merge import Fork, describe_state
from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.tui.draft.messages import MessageCode
from tui_annotate.tui.store_thread import describe_error
from tui_annotate.tui.widgets.header_bar import HeaderBar

if TYPE_CHECKING:
    from tui_annotate.storage.log.stream_merge import StreamMergeReport
    from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
    from tui_annotate.workspace import Workspace

_log = logging.getLogger(__name__)

QUIET: Final = 5.0
"""Seconds without a change before a push."""
LONGEST: Final = 30.0
"""Seconds after the first change at which a push comes in any case."""
_RETRY, _RETRY_LONGEST = 30.0, 300.0
"""Seconds until a push that failed is tried again: first and after a change, and at most."""
_CLOSE_SECONDS: Final = 3.0
"""Seconds that quitting waits for a running exchange; what is left goes the next time."""
_DIALOG_RETRY: Final = 0.5
"""Seconds until the app tries again to show a conflict."""


class SyncState(StrEnum):
    """The state of sharing; `offline` is an idle that the user chose."""

    IDLE = "idle"
    PENDING = "pending"
    SYNCING = "syncing"
    SUCCESS = "success"
    ERROR = "error"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class WorkExchange:
    """A shared store, for one person; both are called in the thread.

    Attributes:
        push: returns how many samples wait for a pull, as another machine changed them, and why
            something can not be sent; empty for no problem.
    """

    pull: Callable[[], StreamMergeReport]
    push: Callable[[], tuple[int, str]]


@dataclass
class SyncUpdate(Message):
    """The state changed, a pull brought something, or an exchange failed."""

    state: SyncState
    merged: StreamMergeReport | None = None
    problem: str = ""


class BackgroundSync:
    """Pulls at the start, and pushes what changes.

    Args:
        notify: called in any thread; must not wait.
        online: False sends nothing before `go`.
        quiet, longest: seconds, as `QUIET` and `LONGEST`.
    """

    def __init__(
        self,
        exchange: WorkExchange,
        notify: Callable[[SyncUpdate], object],
        *,
        online: bool = True,
        quiet: float = QUIET,
        longest: float = LONGEST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exchange = exchange
        self._notify = notify
        self._quiet, self._longest, self._clock = quiet, longest, clock
        self._wake = Condition()
        # All below changes only under `_wake`, which is never held while the network is used.
        self._online = online
        self._closing = False
        self._pull = True
        self._first_change: float | None = None  # time of the first change that was not sent
        self._due = self._clock()
        self._failures = 0
        self._thread = Thread(target=self._run, name="sync", daemon=True)

    @property
    def online(self) -> bool:
        """Whether it may send and take."""
        return self._online

    @property
    def has_unsent(self) -> bool:
        """Whether it is online and something that was saved is not sent yet."""
        still_going = self._closing and self._thread.is_alive()
        return self._online and (self._has_changes or still_going)

    def start(self) -> None:
        """Begins: with a pull, and a push of what is left from before."""
        self._notify(SyncUpdate(SyncState.IDLE if self._online else SyncState.OFFLINE))
        self._thread.start()

    def changed(self) -> None:
        """Something was saved."""
        with self._wake:
            now = self._clock()
            self._first_change = now if self._first_change is None else self._first_change
            if self._failures:
                self._due = min(self._due, now + _RETRY)
            else:
                self._due = min(now + self._quiet, self._first_change + self._longest)
            # Under the lock, so that the thread's own update comes after this one.
            if self._online and not self._failures:
                self._notify(SyncUpdate(SyncState.PENDING))
            self._wake.notify()

    def go(self, *, online: bool) -> None:
        """Go online, which pulls and pushes at once, or offline, which keeps all changes."""
        with self._wake:
            self._online = online
            self._pull, self._failures, self._due = online, 0, self._clock()
            self._notify(SyncUpdate(SyncState.IDLE if online else SyncState.OFFLINE))
            self._wake.notify()

    def close(self) -> None:
        """Sends what is left, as far as that is quick; the thread ends by itself."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_SECONDS)

    @property
    def _has_changes(self) -> bool:
        return self._first_change is not None

    def _run(self) -> None:
        while self._wait_until_due():
            self._exchange_once()
        if self._online and self._has_changes and not self._failures:
            self._exchange_once()

    def _wait_until_due(self) -> bool:
        with self._wake:
            while not self._closing:
                wanted = self._online and (self._pull or self._has_changes)
                left = self._due - self._clock() if wanted else None
                if left is not None and left <= 0:
                    return True
                self._wake.wait(left)
        return False

    def _exchange_once(self) -> None:
        """One pull where one is due, and one push; whatever fails is tried again later."""
        with self._wake:
            # A change that comes from here on is sent by the next push.
            first, self._first_change = self._first_change, None
            pull, self._pull = self._pull, False
        self._notify(SyncUpdate(SyncState.SYNCING))
        try:
            if pull:
                self._pull_changes()
            waiting, problem = self._exchange.push()
            if waiting:
                self._pull_changes()
                _, problem = self._exchange.push()
        except Exception as error:  # noqa: BLE001  a thread that dies would lose the next push
            self._schedule_retry(error, first, pull=pull)
            return
        with self._wake:
            self._failures = 0
            state = SyncState.PENDING if self._has_changes else SyncState.SUCCESS
            self._notify(SyncUpdate(state if self._online else SyncState.OFFLINE, problem=problem))

    def _pull_changes(self) -> None:
        merged = self._exchange.pull()
        if merged.streams or merged.refused:
            self._notify(SyncUpdate(SyncState.SYNCING, merged=merged))

    def _schedule_retry(self, error: Exception, first: float | None, *, pull: bool) -> None:
        if not isinstance(error, TuiAnnotateError):
            _log.error("sync: unexpected: %s", type(error).__name__, exc_info=error)
            error = Unavailable(f"something unexpected happened: {type(error).__name__}")
        with self._wake:
            self._failures += 1
            now = self._clock()
            self._first_change = now if first is None else first
            self._pull = self._pull or pull
            self._due = now + min(_RETRY * 2 ** (self._failures - 1), _RETRY_LONGEST)
            state = SyncState.ERROR if self._online else SyncState.OFFLINE
            self._notify(SyncUpdate(state, problem=describe_error(error)))


class WorkSharing:
    """One person's work in one shared store; inactive if the environment names none.

    Args:
        post: posts to the app; called in the thread that shares.
    """

    def __init__(self, screen: WorkspaceScreen, post: Callable[[Message], object]) -> None:
        self._screen = screen
        self._post = post
        self._exchange: WorkExchange | None = None
        self._syncer: BackgroundSync | None = None
        self._problem = ""
        self._forks: list[Fork] = []  # not shown yet
        self._waiting = self._ended = False

    def prepare(self, workspace: Workspace, person: Person) -> None:
        """Connect to the shared store, if there is one; in the store's thread."""
        from tui_annotate.plugins.sync import sync_key

        if not (sync_key.read_folder() or sync_key.read_address()):
            return
        from tui_annotate.workspace import bundles

        shared = bundles.PersonSync(workspace, person)
        self._exchange = WorkExchange(shared.pull, shared.push)

    def begin(self, *, online: bool) -> None:
        """Pull, and from here on push what the user does."""
        if self._exchange is None or self._syncer is not None:
            return
        self._syncer = BackgroundSync(self._exchange, self._receive, online=online)
        self._screen.saver.kept = self._syncer.changed
        self._syncer.start()

    @property
    def begun(self) -> bool:
        """Whether work is shared, so that something may have to be sent at the end."""
        return self._syncer is not None

    def toggle(self) -> None:
        """Go online or offline, remembered for this person."""
        if self._syncer is None:
            self._screen.show_message(MessageCode.NOTHING_SHARED)
            return
        online = not self._syncer.online
        self._screen.remember("sync", "online" if online else "offline")
        self._screen.show_message(MessageCode.ONLINE if online else MessageCode.OFFLINE)
        self._syncer.go(online=online)

    def _receive(self, update: SyncUpdate) -> None:
        """In the thread: keeps conflicts until they are shown."""
        if update.merged is not None:
            self._forks += update.merged.forks
        self._post(update)

    def show(self, update: SyncUpdate) -> None:
        """Show an update on the screen; the same problem only once."""
        self._screen.query_one(HeaderBar).show_sync(update.state)
        if update.problem and update.problem != self._problem:
            self._screen.show_message(MessageCode.NOT_SHARED_YET, "warning", problem=update.problem)
        if update.problem or update.state is SyncState.SUCCESS:
            self._problem = update.problem
        if update.merged is not None:
            self._screen.reload()
            self._show_merge(update.merged)

    def _show_merge(self, merged: StreamMergeReport) -> None:
        if merged.refused:
            first = merged.refused[0]
            self._screen.show_message(
                MessageCode.LEFT_OUT_OF_PULL, "warning", sample=first.key, reason=first.refused
            )
        if self._forks and not self._waiting:
            self._show_forks()

    def _show_forks(self) -> None:
        """Show both versions of each conflict, once no note and no question is open."""
        draft = self._screen.draft
        self._waiting = bool(self._forks and not self._ended)
        if not self._waiting:
            return
        if not self._screen.is_current or (draft and (draft.writing or draft.pending)):
            self._screen.set_timer(_DIALOG_RETRY, self._show_forks)
            return
        from tui_annotate.tui.dialogs.message import MessageDialog

        forks, self._forks, self._waiting = self._forks, [], False
        self._screen.forget_keys()  # they were meant for what it covers
        pages = [("Changed on both sides", "\n\n".join(map(_describe_fork, forks)))]
        self._screen.app.push_screen(MessageDialog(pages))

    def end(self) -> None:
        """Send what is left, if that is quick; nothing is shown after it."""
        self._ended = True
        if self._syncer is not None:
            self._syncer.close()

    def print_unsent(self) -> None:
        """Print on standard error, after the screen is gone, what was not shown or not sent."""
        for fork in self._forks:
            lines = _describe_fork(fork).splitlines()
            sys.stderr.writelines(
                f"{make_visible(line)}\n" for line in ("changed on both sides", *lines)
            )
        if self._syncer is not None and self._syncer.has_unsent:
            why = f": {make_visible(self._problem)}" if self._problem else ""
            sys.stderr.write(f"not all work is shared yet; it goes the next time{why}\n")


def _describe_fork(fork: Fork) -> str:
    sides = [("elsewhere", fork.there_at, fork.there), ("here", fork.here_at, fork.here)]
    (side, at, kept), (other, other_at, lost) = sides if fork.there_wins else sides[::-1]
    return (
        f"{fork.dataset}/{fork.sample}\n"
        f"stands: {describe_state(kept)} ({side}, {at[:19]})\n"
        f"in the log: {describe_state(lost)} ({other}, {other_at[:19]})"
    )
