"""Walks the whole log and holds it against itself, and the tables of what stands against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select, text

from tui_annotate.domain.chains import Break, Head, LogHead, contradiction, heads_digest
from tui_annotate.domain.history import DISCARD, Action, StreamState, acted_since, canonical
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import ANNOTATIONS, ANSWERS, ASSIGNMENTS, EVENTS, TOMBSTONES
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import SAMPLE_ROW
from tui_annotate.storage.work import events
from tui_annotate.storage.work.plans import (
    Stream,
    annotation_row,
    answer_row,
    assignment_row,
)

_STREAM: Final = itemgetter("person", "dataset", "sample")
_TELL_EVERY: Final = 1000
_MINE: Final[dict[str, Any]] = {"person": bindparam("person"), "sample_id": bindparam("sample_id")}
_ASSIGNED: Final = select(ASSIGNMENTS).where(
    *(ASSIGNMENTS.c[name] == value for name, value in _MINE.items())
)
_STANDING: Final = select(ANNOTATIONS).where(
    *(ANNOTATIONS.c[name] == value for name, value in _MINE.items())
)
_ANSWERED: Final = select(ANSWERS).where(
    *(ANSWERS.c[name] == value for name, value in _MINE.items())
)
_BURIED: Final = select(TOMBSTONES.c.id).where(
    TOMBSTONES.c.id.in_(bindparam("names", expanding=True))
)
_UNTOLD: Final = text(
    "SELECT w.person, d.name, s.external FROM"
    " (SELECT person, sample_id FROM assignments UNION SELECT person, sample_id FROM annotations"
    "  UNION SELECT person, sample_id FROM answers) w"
    " JOIN samples s ON s.id = w.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE NOT EXISTS (SELECT 1 FROM events e"
    "   WHERE e.person = w.person AND e.dataset = d.name AND e.sample = s.external)"
)
_MISCOUNTED: Final = text(
    "SELECT order_id, person, bucket FROM"
    " (SELECT order_id, person, bucket, count FROM tallies WHERE person <> ''"
    "  UNION ALL SELECT r.order_id, a.person, r.bucket, -count(*) FROM ranks r"
    "  JOIN assignments a ON a.sample_id = r.sample_id AND a.finished GROUP BY 1, 2, 3)"
    " GROUP BY 1, 2, 3 HAVING sum(count) <> 0 LIMIT 1"
)
_HEADS: Final = text(
    # SQLite gives `hash` of the row that has the largest `seq`.
    "SELECT person, dataset, sample, max(seq), hash FROM events WHERE arrival <= :last"
    " GROUP BY person, dataset, sample ORDER BY person, dataset, sample"
)
_LAST: Final = text("SELECT arrival, at FROM events ORDER BY arrival LIMIT 1 OFFSET :before")
_PAGED: Final = {"yield_per": 1000}
_PLACE: Final = ("person", "dataset", "sample", "seq")
_AT: Final = select(EVENTS.c.hash).where(*(EVENTS.c[name] == bindparam(name) for name in _PLACE))


class AuditStore:
    """The log as one moment has it; what people do meanwhile waits for nothing, and is not seen."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def breaks(self, tell: Callable[[int, int], None] | None = None) -> Iterator[Break]:
        """The first thing of each stream that does not fit, stream by stream; reads all.

        Args:
            tell: how many events were looked at, and of how many, now and then.
        """
        with self._database.reading() as connection:
            yield from _breaks(connection, tell or (lambda _done, _all: None))

    def events(self) -> int:
        """How many events there are."""
        with self._database.reading() as connection:
            return _count(connection)

    @contextmanager
    def heads(self, *, first: int | None = None) -> Iterator[Iterator[Head]]:
        """Where the streams end, sorted; streamed while the context lasts.

        Args:
            first: how many events, in the order in which they came, are looked at; None for all.
        """
        with self._database.reading() as connection:
            yield _heads(connection, _count(connection) if first is None else first)

    def head(self, *, first: int | None = None) -> LogHead:
        """All heads as one digest.

        Args:
            first: as of `heads`; more than there are counts as all.
        """
        with self._database.reading() as connection:
            count = _count(connection)
            count = count if first is None else min(first, count)
            last = connection.execute(_LAST, {"before": count - 1}).first() if count else None
            streams, digest = heads_digest(_heads(connection, count))
            return LogHead(count, streams, last[1] if last else "", digest)

    def lost(self, heads: Iterable[Head]) -> Iterator[tuple[Head, str]]:
        """Of heads that were kept, those that the log holds no more, and what stands there."""
        with self._database.reading() as connection:
            for head in heads:
                found = connection.execute(_AT, dict(zip(_PLACE, head[:4], strict=True))).scalar()
                if found is None:
                    yield head, f"number {head.seq} of its stream is gone"
                elif found != head.hash:
                    yield head, f"number {head.seq} of its stream is another event now"


def _count(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(EVENTS)).scalar_one())


def _heads(connection: Connection, first: int) -> Iterator[Head]:
    last = connection.execute(_LAST, {"before": first - 1}).first() if first > 0 else None
    if last is not None:
        rows = connection.execute(_HEADS, {"last": last[0]}, execution_options=_PAGED)
        for row in rows:
            yield Head(*row)


def _breaks(connection: Connection, tell: Callable[[int, int], None]) -> Iterator[Break]:
    total, done = _count(connection), 0
    for _, rows in groupby(events.rows(connection), key=_STREAM):
        walk = _Walk(connection)
        for row in rows:
            walk.step(row)
            done += 1
            if done % _TELL_EVERY == 0:
                tell(done, total)
        if found := walk.found or walk.held_against_tables():
            yield found
    tell(done, total)
    for person, dataset, sample in connection.execute(_UNTOLD):
        says = "work stands there that no event tells of: its events were removed"
        yield Break(person, dataset, sample, 0, "", "", total + 1, says)
    if (wrong := connection.execute(_MISCOUNTED).first()) is not None:
        says = f"the finished samples of {wrong[1]} are counted wrongly"
        yield Break(wrong[1], "", "", 0, "", "", total + 1, says)


class _Walk:
    """One stream, event by event; after the first that does not fit, nothing more is looked at."""

    def __init__(self, connection: Connection) -> None:
        self.found: Break | None = None
        self._connection = connection
        self._state = StreamState()
        self._last: Any = None
        self._seq = 0
        self._head = ""
        self._acted = ""
        self._removed: set[str] = set()

    def step(self, row: Any) -> None:
        """Takes the next event."""
        if self.found is not None:
            return
        self._last = row
        self._seq += 1
        says = self._checked(row)
        if says:
            self.found = self._broken(says)

    def _checked(self, row: Any) -> str:
        try:
            event = events.from_row(row)
            says = contradiction(event, seq=self._seq, prev=self._head, state=self._state)
            if not says:
                self._state = self._state.applied(event.action, seconds=event.seconds)
                self._head = event.hash
                self._acted = acted_since(self._acted, event)
                self._note_removed(event.action)
        except (ValueError, KeyError, TypeError, AttributeError):
            return "it can not be read"
        return says

    def _note_removed(self, action: Action) -> None:
        """What imports must not bring back; with a sample that is taken out that is forgotten."""
        if action.verb == DISCARD:
            self._removed.clear()
            return
        for name, payload in action.after.annotations.items():
            (self._removed.add if payload is None else self._removed.discard)(name)

    def held_against_tables(self) -> Break | None:
        """What the tables say otherwise than the log; None where they agree."""
        person, dataset, sample = _STREAM(self._last)
        scope = {"dataset": dataset, "sample": sample}
        sample_id = self._connection.execute(SAMPLE_ROW, scope).scalar()
        if sample_id is None:
            return None  # its dataset was removed; the log outlives it
        told = Stream(
            person, SampleKey(dataset, sample), sample_id, self._state, self._seq, self._head,
            self._acted,
        )  # fmt: skip
        says = _difference(self._connection, told, ended=self._last["verb"] == DISCARD)
        says = says or _unburied(self._connection, self._removed)
        return self._broken(says) if says else None

    def _broken(self, says: str) -> Break:
        row = self._last
        person, dataset, sample = _STREAM(row)
        place = (row["seq"], row["id"], row["at"], row["arrival"])
        return Break(person, dataset, sample, *place, says)


def _difference(connection: Connection, told: Stream, *, ended: bool) -> str:
    """What stands in the tables otherwise than a stream tells; empty where nothing does.

    Args:
        ended: whether the sample was taken out at the end: then the tables need not know it.
    """
    scope = {"person": told.person, "sample_id": told.sample_id}
    row = connection.execute(_ASSIGNED, scope).mappings().first()
    rows = {each["id"]: dict(each) for each in connection.execute(_STANDING, scope).mappings()}
    answers = [dict(each) for each in connection.execute(_ANSWERED, scope).mappings()]
    if row is None:
        rest = rows or answers
        return "" if ended and not rest else "the tables know nothing of this work"
    if row["seq"] > told.seq:
        return f"the log ends here, and the tables know number {row['seq']}: events were removed"
    if row["seq"] < told.seq:
        return f"the tables know no more than number {row['seq']}"
    if row["head"] != told.head:
        return "the tables know another event in its place"
    if dict(row) != assignment_row(told):
        return "state, rating, comment or time are not what the log says"
    payloads = told.state.annotations
    if rows.keys() != payloads.keys():
        return "the annotations that stand are not those that the log says"
    for name, payload in payloads.items():
        if _plain(rows[name]) != _plain(annotation_row(told, payload)):
            return f"annotation {name} is not what the log says"
    wanted = [answer_row(told, *each) for each in told.state.suggestions.items()]
    same = _sorted(answers) == _sorted(wanted)
    return "" if same else "the answers to suggestions are not those that the log says"


def _sorted(answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(map(_plain, answers), key=itemgetter("suggestion"))


def _unburied(connection: Connection, removed: set[str]) -> str:
    """Which removed annotation an import could bring back, in words; empty for none.

    One that stands elsewhere needs no tombstone.
    """
    names = {"names": sorted(removed)}
    there = set(connection.execute(_BURIED, names).scalars()) if removed else removed
    for name in sorted(removed - there):
        standing = select(ANNOTATIONS.c.id).where(ANNOTATIONS.c.id == name)
        if connection.execute(standing).first() is None:
            return f"annotation {name} was removed, and an import could bring it back"
    return ""


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row of an annotation or an answer, in whatever order its JSON names things."""
    try:
        return {**row, "payload": canonical(from_json(row["payload"]))}
    except ValueError:
        return row
