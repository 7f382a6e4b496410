"""Sharing work while somebody annotates: a thread of its own, so that no key waits for a network.

What was done since the last push is pushed when nothing more came for a while, and at the latest
after a longer one. What comes while a push is on its way is pushed by the next.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from threading import Condition, Thread
from typing import TYPE_CHECKING, Final

from textual.message import Message

from tui_annotate.domain.errors import TuiAnnotateError, Unavailable

if TYPE_CHECKING:
    from tui_annotate.storage.log.stream_merge import StreamMergeReport

_log = logging.getLogger(__name__)

QUIET: Final = 5.0
"""Seconds without a change before a push."""
LONGEST: Final = 30.0
"""Seconds after the first change at which a push comes in any case."""
_RETRY, _RETRY_LONGEST = 30.0, 300.0
"""Seconds until a push that failed is tried again: first and after a change, and at most."""
_CLOSE_SECONDS: Final = 3.0
"""Seconds that leaving waits for what is on its way; what is left goes the next time."""


class SyncState(StrEnum):
    """How it stands with what is shared; `offline` is an idle that somebody chose."""

    IDLE = "idle"
    PENDING = "pending"
    SYNCING = "syncing"
    SUCCESS = "success"
    ERROR = "error"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A shared place, for one person; both are called in the thread.

    Attributes:
        pull: takes in what is new there.
        push: sends what is new here; how many samples another machine changed, which wait, and
            what can not be sent, in words.
    """

    pull: Callable[[], StreamMergeReport]
    push: Callable[[], tuple[int, str]]


@dataclass
class SyncUpdate(Message):
    """Something changed: the state; what a pull brought; why something failed."""

    state: SyncState
    merged: StreamMergeReport | None = None
    problem: str = ""


class BackgroundSync:
    """Pulls at the start, and pushes what changes.

    Args:
        tell: is given what changes; called in any thread, and must not wait.
        online: False sends nothing before `go` says so.
        quiet, longest: seconds, as `QUIET` and `LONGEST`.
    """

    def __init__(
        self,
        exchange: Exchange,
        tell: Callable[[SyncUpdate], object],
        *,
        online: bool = True,
        quiet: float = QUIET,
        longest: float = LONGEST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exchange = exchange
        self._notify = tell
        self._quiet, self._longest, self._clock = quiet, longest, clock
        self._wake = Condition()
        # All below is changed under `_wake` alone, which nobody holds while a network is asked.
        self._online = online
        self._closing = False
        self._pull = True
        self._first_change: float | None = None  # when the first change came that was not sent
        self._due = self._clock()
        self._failures = 0
        self._thread = Thread(target=self._run, name="sync", daemon=True)

    @property
    def online(self) -> bool:
        """Whether it may send and take."""
        return self._online

    @property
    def unsent(self) -> bool:
        """Whether something was saved that did not go yet, though it might."""
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
            # Told with the lock held, so that what the thread tells of it comes after.
            if self._online and not self._failures:
                self._notify(SyncUpdate(SyncState.PENDING))
            self._wake.notify()

    def go(self, *, online: bool) -> None:
        """Online, which pulls and pushes at once; or offline, which keeps all changes for later."""
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
            # What comes from here on is a change anew.
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
            told = f"{error.message} · {error.hint}" if error.hint else error.message
            self._notify(
                SyncUpdate(SyncState.ERROR if self._online else SyncState.OFFLINE, problem=told)
            )
