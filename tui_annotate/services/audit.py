"""Audits the event log, to find events that were changed or removed after they were stored.

An audit checks the hash chain of each event stream (one person's events on one sample), and
compares the log with a head (number of events and digest) that was recorded earlier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tui_annotate.domain.change_record import RecordHead, RowFault
from tui_annotate.domain.hash_chain import ChainFault, LogHead, StreamHead
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.storage.log.audit import AuditStore

KEPT_BREAKS = 1000
"""Maximum number of faults in the event log that an audit report names; others are counted."""


@dataclass(frozen=True, slots=True)
class RecordedHead:
    """Number of events and digest of an event log, recorded outside the workspace.

    Attributes:
        heads: the same for each event stream (one person's events on one sample), if recorded.
        record: the last entry of the record of changes; None in the short form of a head.
    """

    events: int
    digest: str
    heads: Sequence[StreamHead] = ()
    record: RecordHead | None = None


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of an audit: the faults that were found in the event log.

    Attributes:
        matches: whether the stored hashes of the log's first events have the recorded digest; None
            without a recorded head.
        lost: recorded heads of streams that the log does not contain, with the reason.
        record: the record of changes; without entries, rows of tables could not be checked.
        rows: the first rows that another program changed; `altered_rows` counts all.
        texts: messages on the first texts and samples that are not as they were imported;
            `altered_texts` counts all.
        record_matches: whether the record of changes still has the entries of the recorded head;
            None if that head does not cover the record.
        record_removed: whether another program removed the whole record of changes; `rows` names
            this fault as well.
    """

    head: LogHead
    broken: int
    breaks: tuple[ChainFault, ...]
    kept: RecordedHead | None = None
    matches: bool | None = None
    lost: tuple[tuple[StreamHead, str], ...] = ()
    record: RecordHead = field(default_factory=RecordHead)
    rows: tuple[RowFault, ...] = ()
    altered_rows: int = 0
    texts: tuple[str, ...] = ()
    altered_texts: int = 0
    record_matches: bool | None = None
    record_removed: bool = False

    @property
    def is_unaltered(self) -> bool:
        """Whether events, rows and texts are as the program wrote them, apart from any head."""
        return not (self.broken or self.altered_rows or self.altered_texts)

    @property
    def sound(self) -> bool:
        """Whether all is unaltered, and has what a recorded head names, if there is one."""
        return self.is_unaltered and self.matches is not False and self.record_matches is not False

    @property
    def contains(self) -> bool | None:
        """Whether the event log begins with the events of a digest recorded outside the workspace.

        The digest covers the stored hashes only, so altered contents or tables are no match.
        """
        return None if self.matches is None else self.matches and self.sound


@check_keywords
@dataclass(frozen=True, slots=True)
class AuditService:
    """Returns heads of the event log and of the record of changes, and verifies both."""

    store: AuditStore

    def head(self) -> LogHead:
        """Return the number of events and the digest of the whole log; 0 for an empty log."""
        return self.store.head()

    def record_head(self) -> RecordHead:
        """Return the number of entries and the last hash of the record of changes."""
        return self.store.record_head()

    def start_record(self) -> None:
        """Start or extend the record of changes of an earlier version's store, if it is writable.

        The record covers what the store has now: earlier changes by other programs stay unknown.
        """
        self.store.start_record()

    def is_record_removed(self) -> bool:
        """Return whether another program removed the whole record of changes."""
        return self.store.is_record_removed()

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
        rows, altered_rows = _keep_first(self.store.find_row_faults())
        texts, altered_texts = _keep_first(self.store.find_altered_texts())
        broken = 0
        breaks: list[ChainFault] = []
        for found in self.store.find_faults(_progress_callback(progress)):
            broken += 1
            if len(breaks) < KEPT_BREAKS:
                breaks.append(found)
        breaks.sort(key=lambda each: each.arrival)
        head = self.store.head()
        report = AuditReport(
            head=head,
            broken=broken,
            breaks=tuple(breaks),
            record=self.store.record_head(),
            rows=rows,
            altered_rows=altered_rows,
            texts=texts,
            altered_texts=altered_texts,
            record_removed=self.store.is_record_removed(),
        )
        if against is None:
            return report
        lost = tuple(self.store.lost(against.heads))
        then = self.store.head(first=against.events)
        same = (then.events, then.digest) == (against.events, against.digest)
        continued = None
        if against.record is not None:
            continued = self.store.continues(against.record)
        return replace(
            report,
            kept=against,
            matches=same and not lost,
            lost=lost,
            record_matches=continued,
        )


_T = TypeVar("_T")


def _keep_first(found: Iterable[_T]) -> tuple[tuple[_T, ...], int]:
    """Return the first faults, and how many there are."""
    kept: list[_T] = []
    count = 0
    for each in found:
        count += 1
        if len(kept) < KEPT_BREAKS:
            kept.append(each)
    return tuple(kept), count


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
