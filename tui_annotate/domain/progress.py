"""Progress reports of a long-running task."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a long-running task, such as an import.

    Attributes:
        records: processed records, including refused ones.
        share: finished fraction in [0, 1], or None if the total is unknown.
        seconds: seconds since the phase began.
        note: message for the user at this point; usually empty.
        waiting: what the task waits for, such as replies from a host; empty if it computes.
    """

    phase: str
    records: int
    added: int = 0
    known: int = 0
    refused: int = 0
    share: float | None = None
    seconds: float = 0.0
    waiting: str = ""
    note: str = ""

    @property
    def rate(self) -> float:
        """Records per second; 0 before any time has passed."""
        return self.records / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Estimated remaining seconds of the task at its current speed; None if unknown."""
        if not self.share:
            return None
        return self.seconds * (1 - self.share) / self.share


def time_phase(
    progress: Callable[[TaskProgress], None] | None,
    phase: str,
    *,
    total: int = 0,
    waiting: str = "",
) -> Callable[[int], None]:
    """Time a phase of `total` records (0: unknown); return a function to call with their count."""
    began = time.monotonic()

    def report(done: int) -> None:
        if progress is not None:
            share = min(done / total, 1.0) if total else None
            seconds = time.monotonic() - began
            progress(TaskProgress(phase, done, share=share, seconds=seconds, waiting=waiting))

    return report


def replies_from(host: str) -> str:
    """Return what a task waits for while a host computes, for `TaskProgress.waiting`."""
    return f"replies from {host}" if host else ""
