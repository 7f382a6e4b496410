"""Sharing of work during annotation: a background thread pulls and pushes changes.

Only the thread waits for the network, so no key is delayed. Changes are pushed after some seconds
without a further change, and at the latest after a longer time. Changes that are saved during a
push are sent with the next push.
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
from tui_annotate.editor.key_map import key_map, shown_keys
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.screen_message import ScreenMessage, describe_error
from tui_annotate.tui.widgets.header_bar import HeaderBar
from tui_annotate.tui.workspace_texts import WorkspaceText

if TYPE_CHECKING:
    from textual.timer import Timer

    from tui_annotate.storage.log.stream_merge import StreamMergeReport
    from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
    from tui_annotate.workspace import Workspace

_log = logging.getLogger(__name__)

QUIET: Final = 5.0
"""Number of seconds without a further change after which a push starts."""
LONGEST: Final = 30.0
"""Maximum number of seconds from the first unsent change to the start of a push."""
_RETRY = 30.0
_RETRY_LONGEST = 300.0
"""First and longest delay, in seconds, before a failed pull or push is tried again."""
_CLOSE_SECONDS: Final = 3.0
"""Seconds that quitting waits for a push; remaining changes are sent at the next start."""
_MOST_LISTED: Final = 20
"""Maximum number of samples with refused work to list after the app is closed."""
SLOW: Final = 5.0
"""Seconds after which a pull or push that is still running is announced on the screen."""
_DIALOG_RETRY: Final = 0.5
"""Seconds between attempts to show a sync conflict while a note, question or dialog is open."""


class SharingMessage(ScreenMessage):
    """Messages about the exchange of annotations with other machines."""

    CONFLICTS_TITLE = "Samples changed here and on another machine"
    CONFLICTS_HEAD = "sample changed here and on another machine"
    CONFLICT = (
        "{dataset}/{sample}\n"
        "version in use: {kept} ({kept_on}, {kept_at})\n"
        "version only in the event log: {replaced} ({replaced_on}, {replaced_at})"
    )
    REFUSED = "shared work was refused: {where}: {reason}"
    MORE_REFUSED = (
        "{count} more parts of the shared work were refused; list them with: tui-annotate sync pull"
    )
    THIS_MACHINE = "this machine"
    OTHER_MACHINE = "another machine"
    NOT_ALL_SENT = "some work is not shared yet; it is sent when the program starts again"
    NOT_ALL_SENT_BECAUSE = (
        "some work is not shared yet; it is sent when the program starts again: {problem}"
    )


class SyncState(StrEnum):
    """The state of work sharing; `offline` means that the user chose not to share."""

    IDLE = "idle"
    PENDING = "pending"
    SYNCING = "syncing"
    SUCCESS = "success"
    ERROR = "error"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class WorkExchange:
    """The functions that pull and push one user's work; both are called in the sharing thread.

    Attributes:
        push: returns the number of samples that wait for a pull because another machine changed
            them, and the reason why something cannot be sent (empty for no problem).
    """

    pull: Callable[[], StreamMergeReport]
    push: Callable[[], tuple[int, str]]


@dataclass
class SyncUpdate(Message):
    """Message that the sharing state changed, a pull brought changes, or a pull or push failed."""

    state: SyncState
    merged: StreamMergeReport | None = None
    problem: str = ""


class BackgroundSync:
    """A background thread that pulls at the start and pushes saved changes.

    Args:
        notify: gets the updates; called in any thread; must not wait.
        online: whether work is shared before `go` is called.
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
        self._quiet = quiet
        self._longest = longest
        self._clock = clock
        self._wake = Condition()
        # The fields below change only under `_wake`, which is never held during network use.
        self._online = online
        self._closing = False
        self._pull = True
        self._first_change: float | None = None  # time of the first change that was not sent
        self._due = self._clock()
        self._failures = 0
        self._thread = Thread(target=self._run, name="sync", daemon=True)

    @property
    def online(self) -> bool:
        """Whether work is shared now."""
        return self._online

    @property
    def has_unsent(self) -> bool:
        """Whether sharing is online and a saved change is not sent yet."""
        still_going = self._closing and self._thread.is_alive()
        return self._online and (self._has_changes or still_going)

    def start(self) -> None:
        """Post the first state, and start the thread."""
        self._notify(SyncUpdate(SyncState.IDLE if self._online else SyncState.OFFLINE))
        self._thread.start()

    def changed(self) -> None:
        """Record that a change was saved, and schedule its push to the shared store."""
        with self._wake:
            now = self._clock()
            if self._first_change is None:
                self._first_change = now
            if self._failures:
                self._due = min(self._due, now + _RETRY)
            else:
                self._due = min(now + self._quiet, self._first_change + self._longest)
            # Under the lock, so that the thread's own update comes after this one.
            if self._online and not self._failures:
                self._notify(SyncUpdate(SyncState.PENDING))
            self._wake.notify()

    def go(self, *, online: bool) -> None:
        """Go online (pull and push at once) or offline (keep all changes on this machine)."""
        with self._wake:
            self._online = online
            self._pull = online
            self._failures = 0
            self._due = self._clock()
            self._notify(SyncUpdate(SyncState.IDLE if online else SyncState.OFFLINE))
            self._wake.notify()

    def close(self) -> None:
        """Send unsent changes before the thread ends, and wait a few seconds at most."""
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
        """Wait for the next exchange; return False if the sync is being closed."""
        with self._wake:
            while not self._closing:
                wanted = self._online and (self._pull or self._has_changes)
                left = self._due - self._clock() if wanted else None
                if left is not None and left <= 0:
                    return True
                self._wake.wait(left)
        return False

    def _exchange_once(self) -> None:
        """Pull changes if a pull is due, and push changes; retry later after a failure."""
        with self._wake:
            # A change that is saved from here on is sent by the next push.
            first = self._first_change
            self._first_change = None
            pull = self._pull
            self._pull = False
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
        if merged.streams or merged.refused or merged.damaged:
            self._notify(SyncUpdate(SyncState.SYNCING, merged=merged))

    def _schedule_retry(self, error: Exception, first: float | None, *, pull: bool) -> None:
        """Post the failure, and try again later; the delay doubles each time."""
        if not isinstance(error, TuiAnnotateError):
            _log.error("sync: unexpected: %s", type(error).__name__, exc_info=error)
            message = WorkspaceText.UNEXPECTED.text(error=type(error).__name__)
            error = Unavailable(message, code="unexpected")
        with self._wake:
            self._failures += 1
            now = self._clock()
            self._first_change = now if first is None else first
            self._pull = self._pull or pull
            self._due = now + min(_RETRY * 2 ** (self._failures - 1), _RETRY_LONGEST)
            state = SyncState.ERROR if self._online else SyncState.OFFLINE
            self._notify(SyncUpdate(state, problem=describe_error(error)))


class WorkSharing:
    """Sharing of one user's work, if a store is configured; `post` runs in the sharing thread."""

    def __init__(self, screen: WorkspaceScreen, post: Callable[[Message], object]) -> None:
        self._screen = screen
        self._post = post
        self._exchange: WorkExchange | None = None
        self._syncer: BackgroundSync | None = None
        self._problem = ""
        self._timer: Timer | None = None  # runs during an exchange
        self._slow = False  # whether the slow exchange was announced
        self._forks: list[Fork] = []  # not shown yet
        self._refused: list[tuple[str, str]] = []  # of the last pull: where, reason
        self._waiting = False  # whether forks are shown once no dialog is open
        self._ended = False

    def prepare(self, workspace: Workspace, person: Person) -> None:
        """Prepare the exchange, if a folder or a table for shared work is configured."""
        from tui_annotate.plugins.sync import sync_key

        if not (sync_key.read_folder() or sync_key.read_address()):
            return
        from tui_annotate.workspace import bundles

        shared = bundles.PersonSync(workspace, person)
        self._exchange = WorkExchange(shared.pull, shared.push)

    def begin(self, *, online: bool) -> None:
        """Start the sharing thread once, if an exchange was prepared."""
        if self._exchange is None or self._syncer is not None:
            return
        self._syncer = BackgroundSync(self._exchange, self._receive, online=online)
        self._screen.saver.kept = self._syncer.changed
        self._screen.shares_work = True
        self._syncer.start()

    @property
    def begun(self) -> bool:
        """Whether the sharing thread was started."""
        return self._syncer is not None

    def toggle(self) -> None:
        """Go offline or online, and store the choice for the user."""
        if self._syncer is None:
            self._screen.show_message(MessageCode.NOTHING_SHARED)
            return
        online = not self._syncer.online
        self._screen.remember("sync", "online" if online else "offline")
        self._screen.show_message(MessageCode.ONLINE if online else MessageCode.OFFLINE)
        self._syncer.go(online=online)

    def _receive(self, update: SyncUpdate) -> None:
        """Keep the conflicts and refused samples of a sync update to show them; post the update."""
        if update.merged is not None:
            self._forks += update.merged.forks
            self._refused = _list_refused(update.merged)
        self._post(update)

    def show(self, update: SyncUpdate) -> None:
        """Show the state of the sync in the header, and a new problem in the status line.

        After a pull, the open sample is read again, and sync conflicts are shown.
        """
        self._screen.query_one(HeaderBar).show_sync(update.state)
        self._watch(update.state)
        if update.problem and update.problem != self._problem:
            code = MessageCode.NOT_SHARED_YET
            values = {"problem": update.problem}
            if update.state is SyncState.ERROR:
                code = MessageCode.SYNC_FAILED
                values = values | {"key": self._offline_key()}
            self._screen.show_message(code, "warning", **values)
        if update.problem or update.state is SyncState.SUCCESS:
            self._problem = update.problem
        if update.merged is not None:
            self._screen.reload()
            self._show_merge(update.merged)

    def _watch(self, state: SyncState) -> None:
        """Announce the first pull or push since a success that takes more than `SLOW` seconds.

        A server that does not answer is reported as a failure only after its time-outs.
        """
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if state is SyncState.SUCCESS:
            self._slow = False
        elif state is SyncState.SYNCING and not (self._slow or self._ended):
            self._timer = self._screen.set_timer(SLOW, self._announce_slow)

    def _announce_slow(self) -> None:
        self._slow = True
        self._screen.show_message(
            MessageCode.SYNC_SLOW, "warning", seconds=round(SLOW), key=self._offline_key()
        )

    def _offline_key(self) -> str:
        keys = self._screen.key_map or key_map()
        return shown_keys(keys.get("sync.toggle").keys[:1]) or ":"  # else in the palette

    def _show_merge(self, merged: StreamMergeReport) -> None:
        if refused := _list_refused(merged):
            where, reason = refused[0]
            self._screen.show_message(
                MessageCode.LEFT_OUT_OF_PULL, "warning", sample=where, reason=reason
            )
        if self._forks and not self._waiting:
            self._show_forks()

    def _show_forks(self) -> None:
        """Show both versions of each sync conflict, as soon as no note or question is open."""
        draft = self._screen.draft
        self._waiting = bool(self._forks and not self._ended)
        if not self._waiting:
            return
        if not self._screen.is_current or (draft and (draft.writing or draft.pending)):
            self._screen.set_timer(_DIALOG_RETRY, self._show_forks)
            return
        from tui_annotate.tui.dialogs.message import MessageDialog

        forks = self._forks
        self._forks = []
        self._waiting = False
        self._screen.forget_keys()  # keys pressed so far were meant for the screen below
        text = "\n\n".join(map(_describe_fork, forks))
        pages = [(SharingMessage.CONFLICTS_TITLE.text(), text)]
        self._screen.app.push_screen(MessageDialog(pages))

    def end(self) -> None:
        """Stop sharing: wait some seconds for unsent changes, and show no further messages."""
        self._ended = True
        if self._syncer is not None:
            self._syncer.close()

    def print_unsent(self) -> None:
        """Print conflicts that were not shown, refused work and unsent work on standard error."""
        for fork in self._forks:
            lines = (SharingMessage.CONFLICTS_HEAD.text(), *_describe_fork(fork).splitlines())
            sys.stderr.writelines(f"{make_visible(line)}\n" for line in lines)
        self._print_refused()
        if self._syncer is not None and self._syncer.has_unsent:
            message = SharingMessage.NOT_ALL_SENT.text()
            if self._problem:
                problem = make_visible(self._problem)
                message = SharingMessage.NOT_ALL_SENT_BECAUSE.text(problem=problem)
            sys.stderr.write(f"{message}\n")

    def _print_refused(self) -> None:
        for where, reason in self._refused[:_MOST_LISTED]:
            line = SharingMessage.REFUSED.text(where=where, reason=reason)
            sys.stderr.write(f"{make_visible(line)}\n")
        if (more := len(self._refused) - _MOST_LISTED) > 0:
            line = SharingMessage.MORE_REFUSED.text(count=more)
            sys.stderr.write(f"{line}\n")


def _list_refused(merged: StreamMergeReport) -> list[tuple[str, str]]:
    """Return the location and the reason of everything that a merge refused."""
    streams = [(str(each.key), each.refused) for each in merged.refused]
    return streams + [(each.where, each.message) for each in merged.damaged]


def _describe_fork(fork: Fork) -> str:
    sides = [
        (SharingMessage.OTHER_MACHINE, fork.there_at, fork.there),
        (SharingMessage.THIS_MACHINE, fork.here_at, fork.here),
    ]
    (side, at, kept), (other, other_at, replaced) = sides if fork.there_wins else sides[::-1]
    return SharingMessage.CONFLICT.text(
        dataset=fork.dataset,
        sample=fork.sample,
        kept=describe_state(kept),
        kept_on=side.text(),
        kept_at=at[:19],
        replaced=describe_state(replaced),
        replaced_on=other.text(),
        replaced_at=other_at[:19],
    )
