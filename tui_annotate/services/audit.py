"""Audits the event log, to find events that were changed or removed after they were stored.

An audit checks the hash chain of each event stream (one person's events on one sample), and
compares the log with a head (number of events and digest) that was recorded earlier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.hash_chain import ChainFault, LogHead, StreamHead
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.storage.log.audit import AuditStore

KEPT_BREAKS = 1000
"""Maximum number of faults in the event log that an audit report names; others are counted."""


@dataclass(frozen=True, slots=True)
class RecordedHead:
    """Number of events and digest of an event log, recorded outside the workspace.

    `heads`: the same for each event stream (one person's events on one sample), if recorded.
    """

    events: int
    digest: str
    heads: Sequence[StreamHead] = ()


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of an audit: the faults that were found in the event log.

    Attributes:
        matches: whether the stored hashes of the log's first events have the recorded digest; None
            without a recorded head.
        lost: recorded heads of streams that the log does not contain, with the reason.
    """

    head: LogHead
    broken: int
    breaks: tuple[ChainFault, ...]
    kept: RecordedHead | None = None
    matches: bool | None = None
    lost: tuple[tuple[StreamHead, str], ...] = ()

    @property
    def sound(self) -> bool:
        return not self.broken and self.matches is not False

    @property
    def contains(self) -> bool | None:
        """Whether the event log begins with the events of a digest recorded outside the workspace.

        The digest covers the stored hashes only, so altered contents or tables are no match.
        """
        return None if self.matches is None else self.matches and not self.broken


@dataclass(frozen=True, slots=True)
class AuditService:
    store: AuditStore

    def head(self) -> LogHead:
        """Return the number of events and the digest of the whole log; 0 for an empty log."""
        return self.store.head()

    def heads(self) -> list[StreamHead]:
        """Return the number and the hash of the last event for each person and sample."""
        with self.store.heads() as found:
            return list(found)

    def verify(
        self,
        *,
        against: RecordedHead | None = None,
        progress: Callable[[TaskProgress], None] | None = None,
    ) -> AuditReport:
        """Check that all events and tables of the workspace are as the program wrote them."""
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
