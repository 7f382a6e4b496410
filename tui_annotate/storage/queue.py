"""The queue of samples of one annotator: positions, previous and next samples, open samples.

The queue joins several orders: first practice samples, alone until they are completed; then the
samples that the annotator was assigned or took from a pool; then the datasets that are not
assigned, in an order that all annotators share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, TextClause, select, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Permission,
    Person,
    base_person,
    require_permission,
    second_reader,
)
from tui_annotate.domain.queue_orders import by_score
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.adjudication_lock import EDITS_SETTING, locked_condition
from tui_annotate.storage.assignments import pools
from tui_annotate.storage.assignments.pauses import list_pauses
from tui_annotate.storage.columns import ORDERS
from tui_annotate.storage.database import Database, Store
from tui_annotate.storage.queue_orders import PRACTICE, SHARE, ensure_order
from tui_annotate.storage.scores import orders
from tui_annotate.storage.second_readings import hidden_first_reading, is_hidden
from tui_annotate.storage.statements import sample_row

_PLACE: Final = text(
    "SELECT r.bucket, r.value, r.sample_id FROM samples s JOIN datasets d ON d.id = s.dataset_id"
    " JOIN ranks r ON r.sample_id = s.id AND r.order_id = :order"
    " WHERE d.name = :dataset AND s.external = :sample"
)
_BEFORE: Final = text(
    "SELECT (SELECT coalesce(sum(count), 0) FROM tallies"
    "   WHERE order_id = :order AND person = '' AND bucket < :bucket)"
    " + (SELECT count(*) FROM ranks WHERE order_id = :order AND bucket = :bucket"
    "   AND (value, sample_id) < (:value, :id))"
)
_COUNTS: Final = text(
    "SELECT coalesce(sum(CASE WHEN person = '' THEN count ELSE 0 END), 0),"
    "  coalesce(sum(CASE WHEN person <> '' THEN count ELSE 0 END), 0)"
    " FROM tallies WHERE order_id = :order AND person IN ('', :person)"
)
_SHOWN: Final = (
    " AND NOT EXISTS (SELECT 1 FROM (SELECT :person AS person, r.sample_id AS sample_id) w"  # noqa: S608
    f" WHERE {hidden_first_reading('w')})"
)
"""SQL condition: the person may open the sample of row `r`."""
_KEY: Final = (
    "SELECT d.name, s.external FROM ranks r JOIN samples s ON s.id = r.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE r.order_id = :order"
)
_FORWARD: Final = text(
    _KEY + _SHOWN + " AND (r.bucket, r.value, r.sample_id) > (:bucket, :value, :id)"
    " ORDER BY r.bucket, r.value, r.sample_id LIMIT 1 OFFSET :skip"
)
_BACKWARD: Final = text(
    _KEY + _SHOWN + " AND (r.bucket, r.value, r.sample_id) < (:bucket, :value, :id)"
    " ORDER BY r.bucket DESC, r.value DESC, r.sample_id DESC LIMIT 1 OFFSET :skip"
)
_AFTER_COUNT: Final = text(
    "SELECT count(*) FROM ranks r WHERE r.order_id = :order"  # noqa: S608  constants
    " AND (r.bucket, r.value, r.sample_id) > (:bucket, :value, :id)" + _SHOWN
)
_BEFORE_COUNT: Final = text(
    "SELECT count(*) FROM ranks r WHERE r.order_id = :order"  # noqa: S608  constants
    " AND (r.bucket, r.value, r.sample_id) < (:bucket, :value, :id)" + _SHOWN
)
_OWN_STATE: Final = (
    "(SELECT o.state FROM assignments o WHERE o.person = :person AND o.sample_id = r.sample_id)"
)
_OPEN_IN_BUCKET: Final = text(
    _KEY + " AND r.bucket = :bucket AND (r.value, r.sample_id) > (:value, :id)"  # noqa: S608  constants
    " AND NOT EXISTS (SELECT 1 FROM assignments a"
    "   WHERE a.person = :person AND a.sample_id = r.sample_id AND a.finished)"
    f" AND NOT {locked_condition('r.sample_id', person=':person', state=_OWN_STATE)}"
    + _SHOWN
    + " ORDER BY r.value, r.sample_id LIMIT 1"
)
_LOCKED: Final = text(
    "SELECT coalesce(a.state, 'new'), count(*) FROM assignments j"  # noqa: S608  constants alone
    " CROSS JOIN ranks r"
    " LEFT JOIN assignments a ON a.person = :person AND a.sample_id = j.sample_id"
    " WHERE r.sample_id = j.sample_id AND r.order_id = :order"
    f" AND j.person = '{SETTLED}' AND coalesce(a.state, 'new') <> 'done'"
    f" AND {locked_condition('j.sample_id', person=':person', state='a.state')} GROUP BY 1"
)
_FEATURES: Final = text(
    f"SELECT EXISTS (SELECT 1 FROM assignments WHERE person = '{SETTLED}'),"  # noqa: S608  constants
    " EXISTS (SELECT 1 FROM dataset_settings WHERE name = 'pool')"
)
_LAST_EVENT: Final = text("SELECT coalesce(max(arrival), 0) FROM events")
_LOCK_SETTINGS: Final = text(
    "SELECT dataset_id, name, value FROM dataset_settings"  # noqa: S608  constants
    f" WHERE name IN ('{EDITS_SETTING}', 'pool', 'gold') ORDER BY dataset_id, name"
)
_LOCKS_CHANGED: Final = text(
    "SELECT 1 FROM events e WHERE e.arrival > :since AND e.verb <> 'read'"  # noqa: S608  constants
    f" AND (e.person = '{SETTLED}' OR (e.person = :person AND EXISTS"
    "   (SELECT 1 FROM samples s JOIN datasets d ON d.id = s.dataset_id"
    f"    JOIN assignments w ON w.person = '{SETTLED}' AND w.sample_id = s.id"
    "    WHERE d.name = e.dataset AND s.external = e.sample))) LIMIT 1"
)
_SET_ASIDE: Final = text(
    "SELECT a.state, count(*) FROM assignments a"
    " JOIN ranks r ON r.sample_id = a.sample_id AND r.order_id = :order"
    " WHERE a.person = :person AND a.state IN ('skipped', 'flagged') GROUP BY 1"
)
_SKIPPED_AFTER: Final = text(
    _KEY + " AND (r.bucket, r.value, r.sample_id) > (:bucket, :value, :id)"  # noqa: S608  constants
    " AND EXISTS (SELECT 1 FROM assignments a"
    "   WHERE a.person = :person AND a.sample_id = r.sample_id AND a.state = 'skipped')"
    f" AND NOT {locked_condition('r.sample_id', person=':person', state=_OWN_STATE)}"
    + _SHOWN
    + " ORDER BY r.bucket, r.value, r.sample_id LIMIT 1"
)
_OPEN_BUCKET: Final = text(
    "SELECT t.bucket FROM tallies t LEFT JOIN tallies f"
    "   ON f.order_id = t.order_id AND f.person = :person AND f.bucket = t.bucket"
    " WHERE t.order_id = :order AND t.person = '' AND t.bucket >= :bucket"
    " AND t.count > coalesce(f.count, 0) ORDER BY t.bucket LIMIT 1"
)
_WHERE: Final = """
 FROM ranks r JOIN samples s ON s.id = r.sample_id JOIN datasets d ON d.id = s.dataset_id
 LEFT JOIN assignments a ON a.person = :person AND a.sample_id = s.id
 WHERE r.order_id = :order
 AND (:states = '' OR instr(:states, ',' || coalesce(a.state, 'new') || ',') > 0)
 AND (:search = '' OR lower(s.external) LIKE lower(:search) ESCAPE '!'
   OR lower(s."group") LIKE lower(:search) ESCAPE '!'
   OR lower(d.name) LIKE lower(:search) ESCAPE '!'
   OR lower(s.summary) LIKE lower(:search) ESCAPE '!')
"""
_ROW: Final = (
    "SELECT d.name, s.external, s.\"group\", coalesce(a.state, 'new'),"
    f" CASE WHEN {hidden_first_reading('a')} THEN 0 ELSE coalesce(a.annotations, 0) END,"
    " s.summary, coalesce(a.updated, '')"
)
_COUNT: Final = text("SELECT count(*)" + _WHERE)
_PAGE: Final = text(
    _ROW + _WHERE + " ORDER BY r.bucket, r.value, r.sample_id LIMIT :limit OFFSET :offset"
)
_GROUP: Final = text(
    _ROW
    + """
 FROM samples o JOIN datasets d ON d.id = o.dataset_id
 CROSS JOIN samples s CROSS JOIN ranks r
 LEFT JOIN assignments a ON a.person = :person AND a.sample_id = s.id
 WHERE s.dataset_id = d.id AND s."group" = o."group" AND s."group" <> ''
 AND r.sample_id = s.id AND r.order_id + 0 = :order
 AND d.name = :dataset AND o.external = :sample ORDER BY s.id
"""
)
_ANY_POOL: Final = text("SELECT 1 FROM dataset_settings WHERE name = 'pool' LIMIT 1")


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Position of a sample in an annotator's queue, from 1, and the queue's size.

    `total` includes the samples that the annotator can take from pools. `finished` includes the
    samples that the annotator skipped or flagged, which are not completed. `locked`: samples that
    were adjudicated before the annotator completed them; the other numbers except `total` do not
    include them.
    """

    position: int
    total: int
    finished: int
    practice: bool = False
    skipped: int = 0
    flagged: int = 0
    locked: int = 0


@dataclass(frozen=True, slots=True)
class _LockedSamples:
    """The locked samples in one person's queue, and what these counts depend on.

    Attributes:
        states: number of samples that the person did not complete, by state.
        pools: number of samples that the person could take otherwise, by row id of the dataset.
        last: number of the last event that is counted.
        shape: the sizes of the queue's orders, and the settings of datasets.
    """

    states: Mapping[State, int]
    pools: Mapping[int, int]
    last: int
    shape: object


_NOTHING_LOCKED: Final = _LockedSamples({}, {}, last=0, shape=None)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A row of the queue; `updated`: the sample's time in ISO 8601, or an empty string."""

    key: SampleKey
    group: str
    state: State
    annotations: int
    summary_start: str
    updated: str


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Some rows of the queue, and the total number of rows that match the same filter."""

    rows: tuple[QueueRow, ...]
    total: int


class QueueStore(Store):
    """Access to annotators' queues; `order` names a queue order that all annotators share.

    Raises:
        NotAllowed: every method, if the actor may not see this person's queue or work on it.
        InvalidInput: every method, if there is no such order.
        NotFound: every method with a key, if there is no such sample.
    """

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        super().__init__(database, actor=actor)
        self._orders: dict[str, int] = {}
        self._locked: dict[str, _LockedSamples] = {}

    def _find_order(self, name: str) -> int:
        if scored := by_score(name):
            # No cache here: another process may have completed a run meanwhile.
            return orders.ensure_order(self._database, scored)
        if name not in self._orders:
            self._orders[name] = ensure_order(self._database, name)
        return self._orders[name]

    @contextmanager
    def _open_walks(self, person: str, order: str) -> Iterator[tuple[Connection, list[OrderWalk]]]:
        require_permission(self._actor, Permission.READ, person)
        order_id = self._find_order(order)
        with self._database.reading() as connection:
            yield connection, _load_walks(connection, person, order_id)

    def queue_status(self, person: str, key: SampleKey, *, order: str) -> QueueStatus:
        """Return a sample's position in a person's queue; NotFound also if it is not in it."""
        with self._open_walks(person, order) as (connection, line):
            at, place = _find_position(connection, line, key)
            totals = [walk.total() for walk in line]
            aside: Counter[State] = Counter()
            for walk in line:
                aside.update(walk.set_aside())
            any_adjudication, any_pool = connection.execute(_FEATURES).one()
            locks = _NOTHING_LOCKED
            if any_adjudication:
                locks = self._count_locked(connection, person, line)
            locked = locks.states
            practising = line[0].practice and len(line) == 1
            drawable = 0
            if any_pool and not practising:
                drawable = _count_left(connection, person, locked=locks.pools)
            finished = sum(walk.finished() for walk in line)
            locked_finished = sum(count for state, count in locked.items() if state.finished)
            return QueueStatus(
                position=sum(totals[:at]) + line[at].before(place) + 1,
                total=sum(totals) + drawable,
                finished=finished - locked_finished,
                practice=line[at].practice,
                skipped=aside[State.SKIPPED] - locked.get(State.SKIPPED, 0),
                flagged=aside[State.FLAGGED] - locked.get(State.FLAGGED, 0),
                locked=sum(locked.values()),
            )

    def _count_locked(
        self, connection: Connection, person: str, line: Sequence[OrderWalk]
    ) -> _LockedSamples:
        """Count the locked samples of a queue, or return the known counts if they still hold.

        The counts read every adjudicated sample: 10,000 of them take 15 ms, at each opened sample.
        """
        settings = tuple(tuple(row) for row in connection.execute(_LOCK_SETTINGS))
        shape = (tuple((walk.order, walk.total()) for walk in line), settings)
        last = int(connection.execute(_LAST_EVENT).scalar_one())
        known = self._locked.get(person)
        if known and known.shape == shape and known.last <= last:
            since = {"since": known.last, "person": person}
            if connection.execute(_LOCKS_CHANGED, since).first() is None:
                self._locked[person] = replace(known, last=last)
                return known
        states: Counter[State] = Counter()
        for walk in line:
            states.update(walk.count_locked())
        in_pools = pools.count_locked(connection, person)
        self._locked[person] = _LockedSamples(states, in_pools, last, shape)
        return self._locked[person]

    def contains(self, person: str, key: SampleKey, *, order: str) -> bool:
        """Return whether a person can open a sample of the queue."""
        with self._open_walks(person, order) as (connection, line):
            listed = _look_up_position(connection, line, key) is not None
            return listed and not is_hidden(connection, person, key)

    def first(self, person: str, *, order: str) -> SampleKey | None:
        """Return the first sample of a person's queue; None for an empty queue."""
        with self._open_walks(person, order) as (_, line):
            for walk in line:
                if found := walk.step(TOP, 1):
                    return found
            return None

    def neighbour(self, person: str, key: SampleKey, step: int, *, order: str) -> SampleKey | None:
        """Return the sample `step` positions after a sample (before, if negative); else None."""
        with self._open_walks(person, order) as (connection, line):
            at, place = _find_position(connection, line, key)
            return step_across(line, at, place, step=step) if step else key

    def next_unfinished(
        self,
        person: str,
        after: SampleKey | None,
        *,
        order: str,
        without: Collection[SampleKey] = (),
    ) -> SampleKey | None:
        """Return the next sample after a given one that the person has not ended, or None.

        Assigned samples come first, cyclically; then a sample is taken from a pool; then come the
        samples that all annotators share, cyclically. The search begins at the top of the queue if
        `after` is None or is no longer in the person's queue. Samples of `without` are passed over.
        None also while work is paused.
        """
        require_permission(self._actor, Permission.WRITE, person)
        order_id = self._find_order(order)
        with self._database.reading() as connection:
            if list_pauses(connection, person):
                return None
            line = _load_walks(connection, person, order_id)
            common = [walk for walk in line if walk.order == order_id]
            own = [walk for walk in line if walk.order != order_id]
            position = _look_up_position(connection, line, after) if after else None
            places = {line[position[0]].order: position[1]} if position else {}
            if found := find_open_around(own, places, without=without):
                return found
            if self._database.read_only or not _count_left(connection, person):
                return find_open_around(common, places, without=without)
        with self._database.writing() as connection:
            if found := pools.take_from_pool(connection, person):
                return found
        with self._database.reading() as connection:
            shared = [OrderWalk(connection, order_id, person)]
            return find_open_around(shared, places, without=without)

    def next_skipped(
        self,
        person: str,
        after: SampleKey | None,
        *,
        order: str,
        without: Collection[SampleKey] = (),
    ) -> SampleKey | None:
        """Return the next sample that the person skipped, cyclically; None if there is none.

        Samples of `without` are passed over.
        """
        with self._open_walks(person, order) as (connection, line):
            if not line:
                return None
            position = _look_up_position(connection, line, after) if after else None
            at, place = position or (0, TOP)
            starts = [
                (line[at], place),
                *((walk, TOP) for walk in (*line[at + 1 :], *line[: at + 1])),
            ]
            for walk, start in starts:
                if found := walk.first_without(walk.skipped, start, without):
                    return found
            return None

    def page(
        self,
        person: str,
        *,
        order: str,
        search: str = "",
        states: Collection[State] = (),
        offset: int = 0,
        limit: int = 200,
    ) -> QueuePage:
        """Return a page of a queue; `search`: part of id, group, dataset or summary, any case."""
        pattern = search.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        scope = {
            "search": f"%{pattern}%" if search else "",
            "states": "," + ",".join(states) + "," if states else "",
        }
        rows: list[QueueRow] = []
        total = 0
        with self._open_walks(person, order) as (_, line):
            for walk in line:
                skipped = max(offset - total, 0)
                wanted = limit - len(rows)
                if wanted > 0:
                    rows += map(build_row, walk.rows(scope, offset=skipped, limit=wanted))
                total += walk.count(scope)
        return QueuePage(tuple(rows), total)

    def siblings(self, person: str, key: SampleKey, *, order: str) -> tuple[QueueRow, ...]:
        """Return the queue rows of all samples in a sample's group, in order of import."""
        with self._open_walks(person, order) as (_, line):
            return tuple(build_row(row) for walk in line for row in walk.group(key))

    def find_reopened(self, person: Person) -> int:
        """Return the number of samples that a person still has to annotate a second time.

        Samples that were adjudicated in the meantime do not count.
        """
        name = second_reader(person).id
        require_permission(self._actor, Permission.READ, name)
        with self._database.reading() as connection:
            return sum(
                walk.total()
                - walk.finished()
                - sum(n for state, n in walk.count_locked().items() if not state.finished)
                for walk in _load_own_walks(connection, name)
            )


def _load_walks(connection: Connection, person: str, order: int) -> list[OrderWalk]:
    """Return the sorted sample lists that, one after the other, form a person's queue."""
    own = _load_own_walks(connection, person)
    practice = _find_unfinished_practice(own)
    if practice:
        return practice
    if base_person(person) != person:
        return own
    return [*own, OrderWalk(connection, order, person)]


def _find_unfinished_practice(own: Sequence[OrderWalk]) -> list[OrderWalk]:
    practice = [walk for walk in own if walk.practice]
    return practice if any(walk.finished() < walk.total() for walk in practice) else []


def is_practising(connection: Connection, person: str) -> bool:
    """Return whether a person has unfinished practice; the queue then has only practice samples."""
    return bool(_find_unfinished_practice(_load_own_walks(connection, person)))


def waits_for_practice(connection: Connection, person: str, key: SampleKey) -> bool:
    """Return whether a person must finish practice before they may work on a sample."""
    practice = _find_unfinished_practice(_load_own_walks(connection, person))
    return bool(practice) and all(walk.place(key) is None for walk in practice)


def _load_own_walks(connection: Connection, person: str) -> list[OrderWalk]:
    names = (PRACTICE + person, SHARE + person)  # practice comes first
    query = select(ORDERS.c.name, ORDERS.c.id).where(ORDERS.c.name.in_(names))
    rows = sorted(tuple(row) for row in connection.execute(query))
    return [OrderWalk(connection, row_id, person, name == names[0]) for name, row_id in rows]


def _find_position(
    connection: Connection, line: Sequence[OrderWalk], key: SampleKey
) -> tuple[int, QueuePlace]:
    if position := _look_up_position(connection, line, key):
        return position
    raise NotFound(f"sample {key} is not in your queue", "press q to see your samples in the queue")


def _look_up_position(
    connection: Connection, line: Sequence[OrderWalk], key: SampleKey
) -> tuple[int, QueuePlace] | None:
    for at, walk in enumerate(line):
        if place := walk.place(key):
            return at, place
    sample_row(connection, key)
    return None


def _count_left(
    connection: Connection, person: str, *, locked: Mapping[int, int] | None = None
) -> int:
    if base_person(person) != person or connection.execute(_ANY_POOL).first() is None:
        return 0
    return pools.count_available(connection, person, locked=locked or {})


def build_row(row: Any) -> QueueRow:
    """Convert a database row of a queue, which starts with the sample's key, group and state."""
    dataset, sample, group, state, *rest = row
    return QueueRow(SampleKey(dataset, sample), group, State(state), *rest)


class QueuePlace(NamedTuple):
    """Position of a sample in an order of the queue; positions are compared field by field."""

    bucket: int
    value: int
    id: int


TOP: Final = QueuePlace(-1, -1, -1)
END: Final = QueuePlace(2**63 - 1, 2**63 - 1, 2**63 - 1)


@dataclass(frozen=True)
class OrderWalk:
    """The samples of one annotator in one queue order, read inside a read transaction."""

    connection: Connection
    order: int
    person: str
    practice: bool = False

    def place(self, key: SampleKey) -> QueuePlace | None:
        """Return the position of a sample in a queue order; None if it is not in the order."""
        row = self._execute(_PLACE, dataset=key.dataset, sample=key.id).first()
        return QueuePlace(*row) if row else None

    def before(self, place: QueuePlace) -> int:
        """Return the number of samples before a position in a queue order."""
        return int(self._execute(_BEFORE, **place._asdict()).scalar_one())

    def total(self) -> int:
        """Return the number of samples in the order."""
        return self._counts[0]

    def finished(self) -> int:
        """Return the number of samples that the annotator finished."""
        return self._counts[1]

    @cached_property
    def _counts(self) -> tuple[int, int]:
        total, finished = self._execute(_COUNTS).one()
        return int(total), int(finished)

    def count_locked(self) -> dict[State, int]:
        """Return how many samples are locked before the annotator completed them, by state."""
        return {State(state): count for state, count in self._execute(_LOCKED)}

    def set_aside(self) -> dict[State, int]:
        """Return how many samples the annotator skipped and flagged."""
        if not self.finished():
            return {}
        return {State(state): count for state, count in self._execute(_SET_ASIDE)}

    def skipped(self, place: QueuePlace) -> SampleKey | None:
        """Return the first skipped sample after a position in a queue."""
        row = self._execute(_SKIPPED_AFTER, **place._asdict()).first()
        return SampleKey(*row) if row else None

    def step(self, place: QueuePlace, step: int) -> SampleKey | None:
        """Return the sample `step` positions after a position in a queue order, or None."""
        query = _FORWARD if step > 0 else _BACKWARD
        row = self._execute(query, **place._asdict(), skip=abs(step) - 1).first()
        return SampleKey(*row) if row else None

    def count_beyond(self, place: QueuePlace, step: int) -> int:
        """Return the number of samples after a position (before, if `step` is negative)."""
        query = _AFTER_COUNT if step > 0 else _BEFORE_COUNT
        return int(self._execute(query, **place._asdict()).scalar_one())

    def first_open(self, place: QueuePlace) -> SampleKey | None:
        """Return the first uncompleted sample after a position in a queue."""
        row = None
        at = place
        while row is None:
            bucket = self._execute(_OPEN_BUCKET, bucket=at.bucket).scalar()
            if bucket is None:
                return None
            if bucket != place.bucket:
                at = QueuePlace(bucket, -1, -1)
            row = self._execute(_OPEN_IN_BUCKET, **at._asdict()).first()
            at = at._replace(bucket=bucket + 1)
        return SampleKey(*row)

    def first_without(
        self,
        find: Callable[[QueuePlace], SampleKey | None],
        place: QueuePlace,
        without: Collection[SampleKey],
    ) -> SampleKey | None:
        """Return the first sample that `find` returns after a position, except those listed."""
        found = find(place)
        while found and found in without:
            passed = self.place(found)
            found = find(passed) if passed else None
        return found

    def count(self, scope: Mapping[str, str]) -> int:
        """Count the samples of the queue that match a search text and states."""
        if not scope["search"] and not scope["states"]:
            return self.total()
        return int(self._execute(_COUNT, **scope).scalar_one())

    def rows(self, scope: Mapping[str, str], *, offset: int, limit: int) -> Sequence[Any]:
        """Return a page of database rows in queue order, for `build_row`.

        Args:
            scope: values of the filter, such as the state.
            offset: number of rows to skip.
        """
        rows: Sequence[Any] = self._execute(_PAGE, **scope, offset=offset, limit=limit).all()
        return rows

    def group(self, key: SampleKey) -> Sequence[Any]:
        """Return the database rows of all samples in the same group as a sample."""
        rows: Sequence[Any] = self._execute(_GROUP, dataset=key.dataset, sample=key.id).all()
        return rows

    def _execute(self, query: TextClause, **scope: Any) -> Any:
        known = {"order": self.order, "person": self.person}
        return self.connection.execute(query, known | scope)


def find_open_around(
    walks: Sequence[OrderWalk],
    places: dict[int, QueuePlace],
    *,
    without: Collection[SampleKey] = (),
) -> SampleKey | None:
    """Return the next open sample in queue orders, cyclically; `places`: starts by order row id."""
    here = next((at for at, walk in enumerate(walks) if walk.order in places), 0)
    starts = [(walk, places.get(walk.order, TOP)) for walk in walks[here:]]
    if places:
        starts += [(walk, TOP) for walk in walks[: here + 1]]
    for walk, start in starts:
        if found := walk.first_without(walk.first_open, start, without):
            return found
    return None


def step_across(
    line: Sequence[OrderWalk], at: int, place: QueuePlace, *, step: int
) -> SampleKey | None:
    """Return the sample `step` after a position in `line[at]`, across queue orders, or None."""
    onward = 1 if step > 0 else -1
    while True:
        if found := line[at].step(place, step):
            return found
        if not 0 <= at + onward < len(line):
            return None
        step -= onward * line[at].count_beyond(place, step)
        at += onward
        place = TOP if step > 0 else END
