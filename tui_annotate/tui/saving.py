"""One thread for the store, one thing after another; and the time that was worked.

What an action promised is told as kept only after its transaction is committed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from textual.message import Message

from tui_annotate.domain.assignments import IDLE_CAP, working_seconds
from tui_annotate.domain.errors import Conflict, NotAllowed, TuiAnnotateError, Unavailable

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Job(Generic[Result]):
    """A call of the store, and who is told of its end, on the screen's own thread.

    Attributes:
        writes: something of the annotator's is lost if it fails; what leads away from the sample
            is not done then.
        shown: the header says that it is on its way.
        free: it is done whatever failed before, and whether or not the person may still work.
    """

    call: Callable[[], Result]
    done: Callable[[Result], None]
    failed: Callable[[TuiAnnotateError], None]
    writes: bool = False
    shown: bool = False
    free: bool = False


@dataclass
class JobFinished(Message):
    """A job came to its end in the thread."""

    job: Job[Any]
    future: Future[Any]


class _EarlierSaveFailed(Exception):
    """A save before it failed, so the job was not begun."""


class _SessionEnded(Exception):
    """The person may not work any more, so the job was not begun."""

    def __init__(self, reason: TuiAnnotateError) -> None:
        super().__init__()
        self.reason = reason


class Saver:
    """Does jobs in the order in which they were given, in a thread.

    Attributes:
        waiting: jobs that have no answer yet.
        shown: those of them that the header tells of.
        closed: nothing is taken any more.
        guard: called in the thread before each job that is not free; by `NotAllowed` or `Conflict`
            it says that the person may not go on, and why.
        kept: told on the screen's thread of each deed that the store has now.
        stopped: told on the screen's thread when it did, after the job's `failed`.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self.guard: Callable[[], None] = lambda: None
        self.kept: Callable[[], None] = lambda: None
        self.stopped: Callable[[TuiAnnotateError], None] = lambda _: None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        # Each is counted by one thread alone, so that no answer can overtake a job behind it.
        self._failed_saves = 0  # saves that failed: by the store's thread
        self._reported_failures = 0  # those of them that were told: by the screen's
        self._shown_jobs: dict[Future[Any], None] = {}  # in their order
        self._deferred: list[Job[Any]] = []  # the frame
        self.waiting = self.shown = 0
        self.closed = False

    def send(self, job: Job[Any]) -> None:
        """Puts a job behind those that are waiting; drops it once this is closed."""
        if self.closed:
            return
        self.go_on()
        self._submit(job)

    def send_deferred(self, job: Job[Any]) -> None:
        """Puts a job behind the next frame, so that its commits hold that up for no moment.

        It is done before whatever is given after it, though that come before the frame.
        """
        if not self.closed:
            self._deferred.append(job)

    def go_on(self) -> None:
        """The frame is painted: what was to be done behind it is begun."""
        behind, self._deferred = self._deferred, []
        for job in behind:
            self._submit(job)

    def _submit(self, job: Job[Any]) -> None:
        self.waiting += 1
        self.shown += job.shown
        future = self._thread.submit(self._run, job, self._reported_failures)
        if job.shown:
            self._shown_jobs[future] = None
        future.add_done_callback(lambda ended: self._post(JobFinished(job, ended)))

    def _run(self, job: Job[Any], told: int) -> Any:
        """`told`: how many refused saves were told when the job was given."""
        if self._failed_saves > told and not (job.writes or job.free):
            raise _EarlierSaveFailed
        done = False
        try:
            if not job.free:
                self._check()
            result = job.call()
            done = True
        finally:
            if job.writes and not done:
                self._failed_saves += 1
        return result

    def _check(self) -> None:
        try:
            self.guard()
        except (NotAllowed, Conflict) as error:
            raise _SessionEnded(error) from error

    def answer(self, answered: JobFinished) -> None:
        """Tells who gave the job; to be called on the screen's thread, once a message."""
        job, error = answered.job, answered.future.exception()
        self.waiting -= 1
        self.shown -= job.shown
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
        """Puts a call behind those that are waiting, whatever became of them; nobody is told.

        It is left out where the person may not work any more.
        """

        def checked() -> None:
            self._check()
            call()

        self.go_on()
        self._thread.submit(checked).add_done_callback(_log_failure)

    def close(self) -> tuple[TuiAnnotateError, ...]:
        """Waits until everything that was given is done.

        Returns:
            Why deeds were refused that nobody has been told of yet, in their order.
        """
        self.go_on()
        self.closed = True
        self._thread.shutdown(wait=True)
        errors = (future.exception() for future in self._shown_jobs)
        return tuple(
            _as_own_error(error)
            for error in errors
            if error and not isinstance(error, _EarlierSaveFailed)
        )


def _as_own_error(error: BaseException) -> TuiAnnotateError:
    if isinstance(error, TuiAnnotateError):
        return error
    if isinstance(error, _SessionEnded):
        return error.reason
    _log.error("unexpected: %s", type(error).__name__, exc_info=error)
    return Unavailable(f"something unexpected happened: {type(error).__name__}: {error}")


def _log_failure(future: Future[None]) -> None:
    error = future.exception()
    if error is not None and not isinstance(error, _SessionEnded):
        _log.error("the place was not kept: %s", type(error).__name__, exc_info=error)


_FULL_SECONDS: Final = IDLE_CAP * 0.9


@dataclass
class Stopwatch:
    """Seconds of work, pauses taken out.

    The store counts at most a minute an event, so `full` says when it is time to send one.
    """

    clock: Callable[[], float] = time.monotonic
    _last: float | None = None
    _seconds: float = field(default=0.0)

    def touch(self) -> None:
        """Something was done just now."""
        now = self.clock()
        if self._last is not None:
            self._seconds += working_seconds(now - self._last)
        self._last = now

    @property
    def full(self) -> bool:
        """Whether the store would begin to cut what was counted."""
        return self._seconds >= _FULL_SECONDS

    def take(self) -> float:
        """The seconds since they were last taken."""
        self.touch()
        seconds, self._seconds = self._seconds, 0.0
        return seconds


def describe_error(error: TuiAnnotateError) -> str:
    """An error of ours in one line, with what to do about it."""
    return f"{error.message} · {error.hint}" if error.hint else error.message
