"""Audit: whether the log is what it was, and what to keep elsewhere so that it can be shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.chains import Break, Head, LogHead
from tui_annotate.domain.progress import Progress
from tui_annotate.storage.work.audit import AuditStore

__all__ = ["Audit", "Break", "Kept", "LogHead", "Verdict"]

KEPT_BREAKS = 1000
"""Streams that a verdict names; with more of them, the rest is counted."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A head that was kept elsewhere.

    Attributes:
        heads: of all streams at that time; empty where only count and digest were kept.
    """

    events: int
    digest: str
    heads: Sequence[Head] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an audit found.

    Attributes:
        head: of the log as it was read.
        broken: streams with something that does not fit.
        breaks: the first thing of each, in the order in which the events came, at most 1,000.
        kept: the head that the log was held against; None for none.
        contains: whether the log still begins with what that head stands for; None without one.
        lost: of the kept heads of streams, those that the log holds no more, with what is there.
    """

    head: LogHead
    broken: int
    breaks: tuple[Break, ...]
    kept: Kept | None = None
    contains: bool | None = None
    lost: tuple[tuple[Head, str], ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not self.broken and self.contains is not False


@dataclass(frozen=True, slots=True)
class Audit:
    """Looks at the log; changes nothing, and stops nobody."""

    store: AuditStore

    def head(self) -> LogHead:
        """What the log ends in now."""
        return self.store.head()

    def heads(self) -> list[Head]:
        """What each stream ends in now, sorted."""
        with self.store.heads() as found:
            return list(found)

    def verify(
        self, *, against: Kept | None = None, progress: Callable[[Progress], None] | None = None
    ) -> Verdict:
        """Reads every event, and the tables of what stands.

        Args:
            against: a head that was kept elsewhere.
        """
        broken, breaks = 0, list[Break]()
        for found in self.store.breaks(_teller(progress)):
            broken += 1
            if len(breaks) < KEPT_BREAKS:
                breaks.append(found)
        breaks.sort(key=lambda each: each.arrival)
        head = self.store.head()
        if against is None:
            return Verdict(head, broken, tuple(breaks))
        lost = tuple(self.store.lost(against.heads))
        contains = self._contains(against) and not lost
        return Verdict(head, broken, tuple(breaks), against, contains, lost)

    def _contains(self, kept: Kept) -> bool:
        then = self.store.head(first=kept.events)
        return then.events == kept.events and then.digest == kept.digest


def _teller(progress: Callable[[Progress], None] | None) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        share = done / total if total else 1.0
        progress(Progress("reading", done, share=share, seconds=time.monotonic() - began))

    return tell
