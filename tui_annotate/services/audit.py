"""Audit: whether the log is what it was, and what to keep elsewhere so that it can be shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.hash_chain import ChainFault, LogHead, StreamHead
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.storage.log.audit import AuditStore

KEPT_BREAKS = 1000
"""Streams that a verdict names; with more of them, the rest is counted."""


@dataclass(frozen=True, slots=True)
class RecordedHead:
    """A head that was recorded elsewhere; `heads` of all streams may be empty."""

    events: int
    digest: str
    heads: Sequence[StreamHead] = ()


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of an audit; `breaks` are the first problems of at most 1,000 broken streams.

    Attributes:
        contains: whether the log still begins with the `kept` head; None without one.
        lost: kept heads of streams that the log lacks.
    """

    head: LogHead
    broken: int
    breaks: tuple[ChainFault, ...]
    kept: RecordedHead | None = None
    contains: bool | None = None
    lost: tuple[tuple[StreamHead, str], ...] = ()

    @property
    def sound(self) -> bool:
        """Whether no problem was found."""
        return not self.broken and self.contains is not False


@dataclass(frozen=True, slots=True)
class AuditService:
    """Checks the log; changes nothing, and blocks nobody."""

    store: AuditStore

    def head(self) -> LogHead:
        """Return the current head of the log."""
        return self.store.head()

    def heads(self) -> list[StreamHead]:
        """Return the current head of each stream, sorted."""
        with self.store.heads() as found:
            return list(found)

    def verify(
        self,
        *,
        against: RecordedHead | None = None,
        progress: Callable[[TaskProgress], None] | None = None,
    ) -> AuditReport:
        """Read every event and all tables; compare with a head that was kept elsewhere."""
        broken, breaks = 0, list[ChainFault]()
        for found in self.store.find_faults(_progress_callback(progress)):
            broken += 1
            if len(breaks) < KEPT_BREAKS:
                breaks.append(found)
        breaks.sort(key=lambda each: each.arrival)
        head = self.store.head()
        if against is None:
            return AuditReport(head, broken, tuple(breaks))
        lost = tuple(self.store.lost(against.heads))
        then = self.store.head(first=against.events)
        same = (then.events, then.digest) == (against.events, against.digest)
        return AuditReport(head, broken, tuple(breaks), against, same and not lost, lost)


def _progress_callback(
    progress: Callable[[TaskProgress], None] | None,
) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        share = done / total if total else 1.0
        progress(TaskProgress("reading", done, share=share, seconds=time.monotonic() - began))

    return tell
