"""Splits texts into sentences; uses several processes if there is enough text.

The processes end with the main process, even if it is killed, and ignore Ctrl-C.
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
from types import ModuleType
from typing import Self

from tui_annotate.domain.samples import Segment
from tui_annotate.methods.segmentation import segment_all
from tui_annotate.storage.batches import split_batches

Text = tuple[str, str]
Segments = tuple[Segment, ...]

_POOL_CHARACTERS = 400_000
"""Minimum amount of text, in code points, for which more processes save time."""
_TASK_CHARACTERS = 100_000
"""Number of code points of a task of one process: about a second, so that Ctrl-C is fast."""

_NICENESS = 10
"""Niceness of the processes that split texts into sentences: annotators have priority."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class SegmentationTask:
    """Texts to split into sentences; `future` is set once a process works on them."""

    texts: list[Text]
    future: Future[list[Segments]] | None = None


class SegmentationPool:
    """Splits texts into sentences in up to `workers` processes (1: the main one); close it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._waiting: list[SegmentationTask] = []
        self._size = 0
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._broken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._lifeline is not None and kind is not None:
            self._lifeline.close()  # the processes end at once, even while they split a text
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        if self._lifeline is not None:
            self._lifeline.close()

    def submit(self, texts: Sequence[Text]) -> list[SegmentationTask]:
        """Queue texts (text, language) for splitting; return the tasks for `result`.

        The processes start once enough text waits; a smaller amount is split in this process.
        """
        parts = split_batches(texts, _TASK_CHARACTERS, weight=lambda text: len(text[0]))
        tasks = [SegmentationTask(part) for part in parts]
        self._waiting += tasks
        self._size += sum(len(text) for text, _ in texts)
        if self._pool is None and self._size >= _POOL_CHARACTERS and self._workers > 1:
            self._start()
        if self._pool is not None:
            with _without_main(), _block_interrupts():
                for task in self._waiting:
                    task.future = self._send(task)
            self._waiting = []
        return tasks

    def result(self, tasks: Sequence[SegmentationTask]) -> list[Segments]:
        """Return the sentences of each text of some tasks, in order; wait for their processes."""
        found: list[Segments] = []
        for task in tasks:
            found += self._wait_for(task)
            if task in self._waiting:
                self._waiting.remove(task)
                self._size -= sum(len(text) for text, _ in task.texts)
        return found

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        end, self._lifeline = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            self._workers,
            mp_context=context,
            initializer=_init_worker,
            initargs=(end, os.getpid()),
        )

    def _send(self, task: SegmentationTask) -> Future[list[Segments]] | None:
        try:
            return self._pool.submit(_segment, task.texts) if self._pool else None
        except BrokenProcessPool:
            self._note_broken()
            return None

    def _wait_for(self, task: SegmentationTask) -> list[Segments]:
        if task.future is not None:
            try:
                return task.future.result()
            except BrokenProcessPool:
                self._note_broken()
        return segment_all(task.texts)

    def _note_broken(self) -> None:
        if not self._broken:
            self._broken = True
            _log.warning("a segmentation process ended unexpectedly; continuing in one process")


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep new processes from running the user's script again, if the script has no guard."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Delay ctrl+c; processes that start meanwhile never receive it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_may_not_end = threading.Lock()
"""Held by the main thread of a worker process except while it splits texts.

The main process would wait forever for the rest of a result that a worker has begun to send.
"""


def _init_worker(lifeline: Connection, parent: int) -> None:
    """Prepare a worker process; `parent` is the id of the main process."""
    os.nice(_NICENESS)
    _may_not_end.acquire()
    threading.Thread(target=_end_with_lifeline, args=(lifeline, parent), daemon=True).start()


def _segment(texts: list[Text]) -> list[Segments]:
    _may_not_end.release()
    try:
        return segment_all(texts)
    finally:
        _may_not_end.acquire()


def _end_with_lifeline(lifeline: Connection, parent: int) -> None:
    """End this process once the main process closes the lifeline or is killed.

    A main process that is alive gets the result that is on its way, and ends idle workers itself.
    """
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        while not _may_not_end.acquire(timeout=0.1):
            if os.getppid() != parent:
                break
        os._exit(1)
