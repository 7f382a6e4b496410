"""Verifies the event log: hash chains of events, and derived tables against the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select, text

from tui_annotate.domain.change_record import RecordHead, RowFault
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.hash_chain import (
    ChainFault,
    LogHead,
    StreamHead,
    digest_heads,
    find_contradiction,
)
from tui_annotate.domain.history import (
    DISCARD,
    PendingEvent,
    StreamState,
    canonical_json,
    later_action_time,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage import change_record
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import ANNOTATIONS, EVENTS
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.documents import find_altered_texts
from tui_annotate.storage.log import events
from tui_annotate.storage.log.event_log import REMOVED_IDS
from tui_annotate.storage.log.write_plans import annotation_row, answer_row, assignment_row
from tui_annotate.storage.statements import SAMPLE_ROW
from tui_annotate.storage.storage_classes import find_wrong_values

_REPORT_EVERY: Final = 1000
_ROWS: Final = [
    text(f"SELECT * FROM {table} WHERE person = :person AND sample_id = :sample_id")  # noqa: S608  constants
    for table in ("assignments", "annotations", "answers")
]
_WORK_WITHOUT_EVENTS: Final = text(
    "SELECT w.person, d.name, s.external FROM"
    " (SELECT person, sample_id FROM assignments UNION SELECT person, sample_id FROM annotations"
    "  UNION SELECT person, sample_id FROM answers) w"
    " JOIN samples s ON s.id = w.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE NOT EXISTS (SELECT 1 FROM events e"
    "   WHERE e.person = w.person AND e.dataset = d.name AND e.sample = s.external)"
)
_WRONG_TALLIES: Final = text(
    "SELECT o.name, t.person FROM"
    " (SELECT order_id, person, bucket, count FROM tallies"
    "  UNION ALL SELECT r.order_id, a.person, r.bucket, -count(*) FROM ranks r"
    "  JOIN assignments a ON a.sample_id = r.sample_id AND a.finished GROUP BY 1, 2, 3"
    "  UNION ALL SELECT order_id, '', bucket, -count(*) FROM ranks GROUP BY 1, 3) t"
    # The samples of an order that is being deleted are removed before its counts.
    " JOIN orders o ON o.id = t.order_id AND o.name NOT LIKE '%#outdated-%'"
    " GROUP BY o.name, t.order_id, t.person, t.bucket HAVING sum(t.count) <> 0 LIMIT 1"
)
_TOMBSTONES: Final = text("SELECT id, dataset FROM tombstones")
_PRESENT_TOMBSTONES: Final = text(
    "SELECT t.id, t.dataset FROM tombstones t JOIN annotations a ON a.id = t.id"
)
_WRONG_RANKS: Final = text(
    "WITH assigned AS (SELECT o.id AS order_id, a.sample_id, a.rank, a.person FROM allotments a"
    "   LEFT JOIN orders o"
    "   ON o.name = CASE WHEN a.practice THEN 'practice:' ELSE 'share:' END || a.person)"
    " SELECT p.name, d.name, s.external, a.rank, r.value FROM assigned a"
    "   JOIN people p ON p.id = a.person JOIN samples s ON s.id = a.sample_id"
    "   JOIN datasets d ON d.id = s.dataset_id"
    "   LEFT JOIN ranks r ON r.order_id = a.order_id AND r.sample_id = a.sample_id"
    "   WHERE r.value IS NULL OR r.value <> a.rank"
    " UNION ALL SELECT o.name, d.name, s.external, NULL, r.value FROM orders o"
    "   JOIN ranks r ON r.order_id = o.id JOIN samples s ON s.id = r.sample_id"
    "   JOIN datasets d ON d.id = s.dataset_id"
    "   WHERE (o.name LIKE 'share:%' OR o.name LIKE 'practice:%') AND NOT EXISTS"
    "     (SELECT 1 FROM assigned a WHERE a.order_id = o.id AND a.sample_id = r.sample_id)"
)
_WRONG_POOL_COUNTS: Final = text(
    "SELECT d.name, c.person, sum(c.stored), sum(c.counted) FROM"
    " (SELECT dataset_id, person, count AS stored, 0 AS counted FROM pool_counts"
    "  UNION ALL SELECT dataset_id, '', 0, count(*) FROM pool WHERE room > 0 GROUP BY 1"
    "  UNION ALL SELECT q.dataset_id, a.person, 0, count(*) FROM pool q"
    "    JOIN allotments a ON a.sample_id = q.sample_id"
    "    JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    "    WHERE q.room > 0 GROUP BY 1, 2) c"
    " JOIN datasets d ON d.id = c.dataset_id"
    " GROUP BY d.id, d.name, c.person HAVING sum(c.stored) <> sum(c.counted)"
)
_HEADS: Final = text(
    "SELECT e.person, e.dataset, e.sample, e.seq, e.hash FROM"
    " (SELECT person, dataset, sample, max(seq) AS seq FROM events WHERE arrival <= :last"
    "  GROUP BY person, dataset, sample) h"
    " JOIN events e ON e.person = h.person AND e.dataset = h.dataset AND e.sample = h.sample"
    "   AND e.seq = h.seq ORDER BY e.person, e.dataset, e.sample"
)
_LAST: Final = text("SELECT arrival, at FROM events ORDER BY arrival LIMIT 1 OFFSET :before")
_PAGED: Final = {"yield_per": 1000}
_EVENT_KEY: Final = ("person", "dataset", "sample", "seq")
_HASH_AT: Final = select(EVENTS.c.hash).where(
    *(EVENTS.c[name] == bindparam(name) for name in _EVENT_KEY)
)


class AuditStore(CommonStore):
    """Checks of the event log in one read transaction, without blocking concurrent work."""

    def find_faults(
        self, progress: Callable[[int, int], None] | None = None
    ) -> Iterator[ChainFault]:
        """Yield the first inconsistency of each person's chain of events on a sample."""
        with self._database.reading() as connection:
            total = _count_events(connection)
            done = 0
            # Tombstones without a removal in the log: those that remain after all streams.
            unexplained = {(name, dataset) for name, dataset in connection.execute(_TOMBSTONES)}
            for person, key, rows in events.streams(connection):
                check = _StreamCheck(connection, person, key)
                for row in rows:
                    check.step(row)
                    if unexplained:
                        unexplained.difference_update(_read_removals(row))
                    done += 1
                    if progress and done % _REPORT_EVERY == 0:
                        progress(done, total)
                if found := check.found or check.compare_with_tables():
                    yield found
            if progress:
                progress(done, total)
            for person, dataset, sample in connection.execute(_WORK_WITHOUT_EVENTS):
                says = (
                    "the database tables have work that is missing in the event log: events were"
                    " removed"
                )
                yield ChainFault(person, dataset, sample, 0, "", "", total + 1, says)
            if (wrong := connection.execute(_WRONG_TALLIES).first()) is not None:
                says = f"the counts of completed samples of {wrong[1]} are wrong"
                if not wrong[1]:
                    says = f"the counts of samples in the queue order {wrong[0]!r} are wrong"
                yield ChainFault(wrong[1], "", "", 0, "", "", total + 1, says)
            unexplained.update((row[0], row[1]) for row in connection.execute(_PRESENT_TOMBSTONES))
            for name, dataset in sorted(unexplained):
                says = (
                    f"annotation {name} is marked as removed, but no event removed it: an import"
                    " would not add it"
                )
                yield ChainFault("", dataset, "", 0, "", "", total + 1, says)

    def events(self) -> int:
        """Return the number of events in the log."""
        with self._database.reading() as connection:
            return _count_events(connection)

    def find_row_faults(self) -> Iterator[RowFault]:
        """Yield rows that another program changed, as far as records or other tables show it."""
        with self._database.reading() as connection:
            yield from change_record.find_row_faults(connection)
            yield from _find_queue_faults(connection)

    def find_altered_texts(self) -> Iterator[str]:
        """Yield a message for each text or sample that is not as it was imported."""
        with self._database.reading() as connection:
            for value in find_wrong_values(connection):
                if value.document:
                    yield str(value)
            yield from find_altered_texts(connection)

    def record_head(self) -> RecordHead:
        """Return the last entry of the record of changes."""
        with self._database.reading() as connection:
            return change_record.read_head(connection)

    def is_record_removed(self) -> bool:
        """Return whether another program removed the whole record of changes."""
        with self._database.reading() as connection:
            return change_record.is_removed(connection)

    def continues(self, head: RecordHead) -> bool:
        """Return whether the record of changes still has the entries of an earlier head."""
        with self._database.reading() as connection:
            return change_record.continues(connection, head)

    def start_record(self) -> None:
        """Start or extend the record of a store that an earlier version made, if it is writable."""
        with self._database.reading() as connection:
            complete = change_record.is_complete(connection)
        if not complete and not self.read_only:
            self._database.start_record()

    @contextmanager
    def heads(self, *, first: int | None = None) -> Iterator[Iterator[StreamHead]]:
        """Yield the hash of each person's last event on each sample, among the `first` events."""
        with self._database.reading() as connection:
            yield _read_heads(connection, _count_events(connection) if first is None else first)

    def head(self, *, first: int | None = None) -> LogHead:
        """Return one digest of the streams' last hashes, among the `first` events (None: all)."""
        with self._database.reading() as connection:
            count = _count_events(connection)
            count = count if first is None else min(first, count)
            last = connection.execute(_LAST, {"before": count - 1}).first() if count else None
            streams, digest = digest_heads(_read_heads(connection, count))
            return LogHead(count, streams, last[1] if last else "", digest)

    def lost(self, heads: Iterable[StreamHead]) -> Iterator[tuple[StreamHead, str]]:
        """Yield each given event that is missing or replaced in the log, and a description."""
        with self._database.reading() as connection:
            for head in heads:
                found = connection.execute(
                    _HASH_AT, dict(zip(_EVENT_KEY, head[:4], strict=True))
                ).scalar()
                if found is None:
                    yield head, f"event {head.seq} of this event stream is missing"
                elif found != head.hash:
                    yield (
                        head,
                        f"event {head.seq} of this event stream was replaced by another event",
                    )


def _find_queue_faults(connection: Connection) -> Iterator[RowFault]:
    """Yield positions in people's queues and counts of pools that differ from the assignments."""
    for person, dataset, sample, rank, value in connection.execute(_WRONG_RANKS):
        says = "the position in the person's queue was changed outside the program"
        recorded, found = (None if each is None else str(each) for each in (rank, value))
        name = f"{person} and {dataset}/{sample}"
        yield RowFault("ranks", f"{person},{dataset}/{sample}", name, recorded, found, says)
    for dataset, person, stored, counted in connection.execute(_WRONG_POOL_COUNTS):
        says = "the number of free samples in the pool was changed outside the program"
        key = f"{dataset},{person}"
        yield RowFault("pool_counts", key, dataset, str(counted), str(stored), says)


def _count_events(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(EVENTS)).scalar_one())


def _read_heads(connection: Connection, first: int) -> Iterator[StreamHead]:
    last = connection.execute(_LAST, {"before": first - 1}).first() if first > 0 else None
    if last is not None:
        rows = connection.execute(_HEADS, {"last": last[0]}, execution_options=_PAGED)
        for row in rows:
            yield StreamHead(*row)


class _StreamCheck:
    """Verification of a person's events on a sample, up to the first inconsistent event."""

    def __init__(self, connection: Connection, person: str, key: SampleKey) -> None:
        self.found: ChainFault | None = None
        self._connection = connection
        self._person = person
        self._key = key
        self._state = StreamState()
        self._last: Any = None
        self._seq = 0
        self._arrival = 0
        self._head = ""
        self._acted = ""
        self._removed: set[str] = set()

    def step(self, row: Any) -> None:
        """Verify the next event, in order of arrival; no effect after the first fault (`found`)."""
        if self.found is None:
            self._last = row
            self._seq += 1
            self.found = self._build_break(self._apply_event(row))
            self._arrival = row["arrival"]

    def _apply_event(self, row: Any) -> str:
        """Apply the next event to the state, or return why it contradicts the events before."""
        if row["arrival"] <= self._arrival:  # undo follows the order of arrival, no hash covers it
            return "the event is stored before the person's previous event on the sample"
        try:
            event = events.row_to_event(row)
            problem = find_contradiction(event, seq=self._seq, prev=self._head, state=self._state)
            if not problem:
                self._state = self._state.applied(event.action, seconds=event.seconds)
                self._head = event.hash
                self._acted = later_action_time(self._acted, event)
                self._track_removed(event.action)
        except events.UNREADABLE:
            return "the event cannot be read"
        return problem

    def _track_removed(self, action: PendingEvent) -> None:
        """Track the ids of removed annotations, which imports must not add again."""
        if action.verb == DISCARD:
            self._removed.clear()
            return
        for name, payload in action.after.annotations.items():
            (self._removed.add if payload is None else self._removed.discard)(name)

    def compare_with_tables(self) -> ChainFault | None:
        """Return the first difference between derived tables and event log; None if they agree."""
        scope = {"dataset": self._key.dataset, "sample": self._key.id}
        sample_id = self._connection.execute(SAMPLE_ROW, scope).scalar()
        if sample_id is None:
            return None  # its dataset was removed; the log outlives it
        head = (self._state, self._seq, self._head, self._acted)
        logged = EventStream(self._person, self._key, sample_id, *head)
        ended = self._last["verb"] == DISCARD
        problem = _find_difference(self._connection, logged, ended=ended)
        problem = problem or _find_missing_tombstone(self._connection, self._removed)
        return self._build_break(problem)

    def _build_break(self, problem: str) -> ChainFault | None:
        row = self._last
        place = (row["seq"], row["id"], row["at"], row["arrival"])
        return ChainFault(self._person, *self._key, *place, problem) if problem else None


def _find_difference(connection: Connection, logged: EventStream, *, ended: bool) -> str:
    scope = {"person": logged.person, "sample_id": logged.sample_id}
    assignments, annotations, answers = (
        [dict(row) for row in connection.execute(query, scope).mappings()] for query in _ROWS
    )
    if not assignments:
        rest = annotations or answers
        return "" if ended and not rest else "the event log has work that the database tables lack"
    row = assignments[0]
    if row["seq"] > logged.seq:
        return (
            f"the database tables include event {row['seq']}, which the event log lacks: events"
            " were removed"
        )
    if row["seq"] < logged.seq:
        return (
            f"the database tables end with event {row['seq']}, but the event log has later events"
        )
    if row["head"] != logged.head:
        return "the database tables and the event log have different hashes of this event"
    if row != assignment_row(logged):
        return "state, rating, comment or time in the database tables differ from the event log"
    payloads = logged.state.annotations
    rows = {each["id"]: each for each in annotations}
    if rows.keys() != payloads.keys():
        return "the annotations in the database tables differ from the event log"
    for name, payload in payloads.items():
        if _normalize_row(rows[name]) != _normalize_row(annotation_row(logged, payload)):
            return f"annotation {name} in the database tables differs from the event log"
    wanted = [answer_row(logged, *each) for each in logged.state.suggestions.items()]
    if _sort_answers(answers) != _sort_answers(wanted):
        return "the answers to suggestions in the database tables differ from the event log"
    return ""


def _sort_answers(answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(map(_normalize_row, answers), key=itemgetter("suggestion"))


def _read_removals(row: Any) -> list[tuple[str, str]]:
    """Return the id and the dataset of each annotation that an event removed."""
    # A discarded annotation leaves no tombstone. Most events remove nothing, and are not parsed.
    if row["verb"] == DISCARD or "null" not in str(row["after"]):
        return []
    try:
        annotations = events.row_to_event(row).action.after.annotations
    except events.UNREADABLE:
        return []
    return [(name, row["dataset"]) for name, payload in annotations.items() if payload is None]


def _find_missing_tombstone(connection: Connection, removed: set[str]) -> str:
    buried = connection.execute(REMOVED_IDS, {"names": sorted(removed)}).scalars()
    for name in sorted(removed.difference(buried)):
        present = select(ANNOTATIONS.c.id).where(ANNOTATIONS.c.id == name)
        if connection.execute(present).first() is None:
            return f"annotation {name} was removed, but an import could add it again"
    return ""


def _normalize_row(row: dict[str, Any]) -> dict[str, Any]:
    try:
        return {**row, "payload": canonical_json(from_json(row["payload"]))}
    except ValueError:
        return row
