"""Segmentation beside the main thread: in processes once there is enough to do, else in place.

The processes end with this one, also when it is killed, and leave Ctrl-C to it.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import ModuleType, TracebackType
from typing import Self

from tui_annotate.domain.samples import Segment
from tui_annotate.methods.segmentation import segment_all

Text = tuple[str, str]
"""A text and its language."""
Segments = tuple[Segment, ...]

_WORTH_A_POOL = 400_000
"""Code points that one process segments in about the time that starting two more takes."""
_TASK = 100_000
"""Code points of one task: about a second, so that Ctrl-C and the last task do not take long."""

_NICENESS = 10
"""So that whoever holds the store's lock, and whoever annotates meanwhile, goes first."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Task:
    texts: list[Text]
    future: Future[list[Segments]] | None = None


@dataclass(slots=True)
class Ticket:
    """Texts that were handed in together."""

    tasks: list[_Task]


class Sentences:
    """Segments texts; hand them in early, ask for them late. To be closed.

    Args:
        workers: processes at most; 1 for none beside this one.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._waiting: list[_Task] = []
        self._size = 0
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._broken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lifeline is not None and kind is not None:
            self._lifeline.close()  # the processes end at once, whatever they are at
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        if self._lifeline is not None:
            self._lifeline.close()

    def submit(self, texts: Sequence[Text]) -> Ticket:
        """Hands in texts; work on them begins where there are processes."""
        ticket = Ticket([_Task(part) for part in _parts(texts)])
        self._waiting += ticket.tasks
        self._size += sum(len(text) for text, _ in texts)
        if self._pool is None and self._size >= _WORTH_A_POOL and self._workers > 1:
            self._start()
        if self._pool is not None:
            with _without_main():
                for task in self._waiting:
                    task.future = self._sent(task)
            self._waiting = []
        return ticket

    def result(self, ticket: Ticket) -> list[Segments]:
        """The segments of the texts of a ticket, in order."""
        found: list[Segments] = []
        for task in ticket.tasks:
            found += self._done(task)
            if task in self._waiting:
                self._waiting.remove(task)
                self._size -= sum(len(text) for text, _ in task.texts)
        return found

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        end, self._lifeline = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            self._workers, mp_context=context, initializer=_begin, initargs=(end,)
        )

    def _sent(self, task: _Task) -> Future[list[Segments]] | None:
        try:
            return self._pool.submit(segment_all, task.texts) if self._pool else None
        except BrokenProcessPool:
            self._note_broken()
            return None

    def _done(self, task: _Task) -> list[Segments]:
        if task.future is not None:
            try:
                return task.future.result()
            except BrokenProcessPool:
                self._note_broken()
        return segment_all(task.texts)

    def _note_broken(self) -> None:
        if not self._broken:
            self._broken = True
            _log.warning("a process that segments ended unasked; going on in one process")


@contextmanager
def _without_main() -> Iterator[None]:
    """New processes would run the script that started this one, once more, to find its names.

    They need none of them, and a script without `if __name__ == "__main__"` would start itself.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _begin(lifeline: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    threading.Thread(target=_follow, args=(lifeline,), daemon=True).start()


def _follow(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


def _parts(texts: Sequence[Text]) -> Iterator[list[Text]]:
    part: list[Text] = []
    size = 0
    for text in texts:
        part.append(text)
        size += len(text[0])
        if size >= _TASK:
            yield part
            part, size = [], 0
    if part:
        yield part
