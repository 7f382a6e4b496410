"""The thread that runs all jobs on the store in order, and a stopwatch of working time.

An action is shown as saved only after its transaction is committed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Final, Generic, TypeVar

from textual.message import Message

from tui_annotate.domain.assignments import IDLE_CAP, working_seconds
from tui_annotate.domain.errors import (
    UNREACHABLE,
    Conflict,
    NotAllowed,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.tui.workspace_texts import WorkspaceText

_RETRY_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StoreJob(Generic[Result]):
    """A function call in the thread that accesses the store, with callbacks in the screen's thread.

    Attributes:
        writes: whether the job saves the annotator's work; if it fails, later jobs that do not
            write are not run.
        shown: whether the header shows the job while it runs.
        free: whether the job runs even after a failed save and without a check of the session.
    """

    call: Callable[[], Result]
    done: Callable[[Result], None]
    failed: Callable[[TuiAnnotateError], None]
    writes: bool = False
    shown: bool = False
    free: bool = False


@dataclass
class JobFinished(Message):
    """Message that a job of the store's thread has ended, with its result or error."""

    job: StoreJob[Any]
    future: Future[Any]


class _EarlierSaveFailed(Exception):
    """An earlier save failed, so the job was not run."""


class _SessionEnded(Exception):
    """The user may no longer work in this process, so the job was not run."""

    def __init__(self, reason: TuiAnnotateError) -> None:
        super().__init__()
        self.reason = reason


class StoreThread:
    """A thread that runs jobs which read and write the store, in the order of sending.

    While the database server cannot be reached, a job that writes is tried again every second until
    it is stored or the thread is closed; later jobs wait.

    Attributes:
        waiting: number of jobs without an answer.
        shown: number of jobs without an answer that the header shows.
        trouble: why the present job is tried again; empty if it is not.
        check_session: called in the thread before each job that is not free; raises `NotAllowed` or
            `Conflict` if the user may not go on working.
        kept: called on the screen's thread after each shown job that succeeded.
        stopped: called on the screen's thread after `check_session` raised an error and the job's
            `failed` was called.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self.check_session: Callable[[], None] = lambda: None
        self.kept: Callable[[], None] = lambda: None
        self.stopped: Callable[[TuiAnnotateError], None] = lambda _: None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        # Each counter is changed by one thread only. A job that was sent before the screen knew
        # of a failed save is dropped; a job that is sent after the report runs.
        self._failed_saves = 0  # by the store's thread
        self._reported_failures = 0  # by the screen's thread
        self._shown_jobs: dict[Future[Any], None] = {}  # in their order
        self._deferred: list[StoreJob[Any]] = []  # until after the next frame
        self._closing = Event()
        self.trouble = ""
        self.waiting = 0
        self.shown = 0
        self.closed = False

    def send(self, job: StoreJob[Any]) -> None:
        """Add a job to the queue of the thread; jobs after `close` are ignored."""
        if self.closed:
            return
        self.start_deferred()
        self._submit(job)

    def send_deferred(self, job: StoreJob[Any]) -> None:
        """Add a job that starts after the next frame, so that its commits do not delay the frame.

        The job runs before all jobs that are sent later, even if they are sent before the frame.
        """
        if not self.closed:
            self._deferred.append(job)

    def start_deferred(self) -> None:
        """Start the deferred jobs, in the order of sending."""
        deferred = self._deferred
        self._deferred = []
        for job in deferred:
            self._submit(job)

    def _submit(self, job: StoreJob[Any]) -> None:
        self.waiting += 1
        if job.shown:
            self.shown += 1
        future = self._thread.submit(self._run, job, self._reported_failures)
        if job.shown:
            self._shown_jobs[future] = None
        future.add_done_callback(lambda ended: self._post(JobFinished(job, ended)))

    def _run(self, job: StoreJob[Any], reported: int) -> Any:
        """Run a job in the thread, unless an earlier save failed.

        Args:
            reported: number of failed saves that were reported when the job was sent.
        """
        if self._failed_saves > reported and not (job.writes or job.free):
            raise _EarlierSaveFailed
        try:
            return self._call_until_stored(job)
        except BaseException:
            if job.writes:
                self._failed_saves += 1
            raise

    def _call_until_stored(self, job: StoreJob[Any]) -> Any:
        while True:
            try:
                if not job.free:
                    self._check()
                found = job.call()
            except Unavailable as error:
                is_lost = error.code == UNREACHABLE and job.writes
                self.trouble = error.message if is_lost else ""
                if not is_lost or self._closing.wait(_RETRY_SECONDS):
                    raise
            else:
                self.trouble = ""
                return found

    def _check(self) -> None:
        """Call `check_session`; its errors about the session become `_SessionEnded`."""
        try:
            self.check_session()
        except (NotAllowed, Conflict) as error:
            raise _SessionEnded(error) from error

    def answer(self, answered: JobFinished) -> None:
        """Call the callbacks of a finished job; runs in the screen's thread, once for each job."""
        job = answered.job
        error = answered.future.exception()
        self.waiting -= 1
        if job.shown:
            self.shown -= 1
        self._shown_jobs.pop(answered.future, None)
        if error is None:
            job.done(answered.future.result())
            if job.shown:
                self.kept()
            return
        if isinstance(error, _EarlierSaveFailed):
            return
        if job.writes:
            self._reported_failures += 1
        job.failed(_as_own_error(error))
        if isinstance(error, _SessionEnded):
            self.stopped(error.reason)

    def send_last(self, call: Callable[[], None]) -> None:
        """Add the last job, which has no callbacks and runs even if earlier saves failed.

        The call does not run if the user may no longer work in this process. If the store cannot be
        asked, it runs, and keeps in a file what it cannot store.
        """

        def checked() -> None:
            with suppress(Unavailable):
                self._check()
            call()

        self.start_deferred()
        self._thread.submit(checked).add_done_callback(_log_failure)

    def close(self) -> tuple[TuiAnnotateError, ...]:
        """Finish all jobs and close the thread; return errors that were not reported, in order."""
        self.start_deferred()
        self.closed = True
        self._closing.set()
        self._thread.shutdown(wait=True)
        errors = filter(None, (future.exception() for future in self._shown_jobs))
        return tuple(_as_own_error(e) for e in errors if not isinstance(e, _EarlierSaveFailed))


def _as_own_error(error: BaseException) -> TuiAnnotateError:
    if isinstance(error, TuiAnnotateError):
        return error
    if isinstance(error, _SessionEnded):
        return error.reason
    _log.error("unexpected: %s", type(error).__name__, exc_info=error)
    named = f"{type(error).__name__}: {error}"
    return Unavailable(WorkspaceText.UNEXPECTED.text(error=named), code="unexpected")


def _log_failure(future: Future[None]) -> None:
    error = future.exception()
    if error is not None and not isinstance(error, _SessionEnded):
        _log.error("the position was not saved: %s", type(error).__name__, exc_info=error)


_FULL_SECONDS: Final = IDLE_CAP * 0.9


@dataclass
class Stopwatch:
    """A stopwatch that counts seconds of work without long pauses.

    The store counts at most one minute per event, so `full` shows when to send an event.
    """

    clock: Callable[[], float] = time.monotonic
    _last: float | None = None
    _seconds: float = field(default=0.0)

    def touch(self) -> None:
        """Add the time since the previous call, at most one minute, to the working time."""
        now = self.clock()
        if self._last is not None:
            self._seconds += working_seconds(now - self._last)
        self._last = now

    @property
    def full(self) -> bool:
        """Whether the counted working time is close to the maximum that one event can store."""
        return self._seconds >= _FULL_SECONDS

    def take(self) -> float:
        """Return the counted seconds, and begin again at 0."""
        self.touch()
        seconds = self._seconds
        self._seconds = 0.0
        return seconds
