"""Progress of a long task, reported while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """Progress of a long task.

    Attributes:
        phase: of an ingest `checking`, `storing` or `vectors`.
        records: done, refused ones too.
        share: in [0, 1] or None.
        seconds: since the phase began.
    """

    phase: str
    records: int
    added: int = 0
    known: int = 0
    refused: int = 0
    share: float | None = None
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds to go at this pace; None where nothing can be said."""
        if not self.share:
            return None
        return self.seconds * (1 - self.share) / self.share


def time_phase(
    progress: Callable[[TaskProgress], None] | None, phase: str, *, total: int = 0
) -> Callable[[int], None]:
    """Return a function that reports how many records are done since now; 0: of unknown total."""
    began = time.monotonic()

    def report(done: int) -> None:
        if progress is not None:
            share = min(done / total, 1.0) if total else None
            progress(TaskProgress(phase, done, share=share, seconds=time.monotonic() - began))

    return report
