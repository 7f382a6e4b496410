"""Walks the orders of the queue for one person: position, neighbours, next unfinished, pages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import OPERATOR, Actor
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.database import Database
from tui_annotate.storage.ranks import ready

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
_SUM: Final = text(
    "SELECT coalesce(sum(count), 0) FROM tallies WHERE order_id = :order AND person = :person"
)
_KEY: Final = (
    "SELECT d.name, s.external FROM ranks r JOIN samples s ON s.id = r.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE r.order_id = :order"
)
_FORWARD: Final = text(
    _KEY + " AND (r.bucket, r.value, r.sample_id) > (:bucket, :value, :id)"
    " ORDER BY r.bucket, r.value, r.sample_id LIMIT 1 OFFSET :skip"
)
_BACKWARD: Final = text(
    _KEY + " AND (r.bucket, r.value, r.sample_id) < (:bucket, :value, :id)"
    " ORDER BY r.bucket DESC, r.value DESC, r.sample_id DESC LIMIT 1 OFFSET :skip"
)
_OPEN_IN_BUCKET: Final = text(
    _KEY  # noqa: S608  constants alone
    + " AND r.bucket = :bucket AND (r.value, r.sample_id) > (:value, :id)"
    " AND NOT EXISTS (SELECT 1 FROM assignments a"
    "   WHERE a.person = :person AND a.sample_id = r.sample_id AND a.finished)"
    " ORDER BY r.value, r.sample_id LIMIT 1"
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
 AND (:states = '' OR instr(:states, ',' || coalesce(a.state, 'new') || ','))
 AND (:search = '' OR s.external LIKE :search ESCAPE '!' OR s."group" LIKE :search ESCAPE '!'
   OR d.name LIKE :search ESCAPE '!' OR s.summary LIKE :search ESCAPE '!')
"""
_COUNT: Final = text("SELECT count(*)" + _WHERE)
_PAGE: Final = text(
    "SELECT d.name, s.external, s.\"group\", coalesce(a.state, 'new'),"
    " coalesce(a.annotations, 0), s.summary, coalesce(a.updated, '')"
    + _WHERE
    + " ORDER BY r.bucket, r.value, r.sample_id LIMIT :limit OFFSET :offset"
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a sample stands in an order: from 1, of how many, of which how many are finished."""

    position: int
    total: int
    finished: int


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A sample as the queue shows it; `summary_start` is one line, `updated` ISO 8601 or empty."""

    key: SampleKey
    group: str
    state: State
    annotations: int
    summary_start: str
    updated: str


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Some rows of the queue, and how many rows there are in all under the same filter."""

    rows: tuple[QueueRow, ...]
    total: int


class QueueStore:
    """Reads of the queue; every method takes the name of an order."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor
        self._orders: dict[str, int] = {}

    def _order(self, name: str) -> int:
        if name not in self._orders:
            self._orders[name] = ready(self._database, name)
        return self._orders[name]

    def standing(self, person: str, key: SampleKey, *, order: str) -> Standing:
        """Where a sample stands.

        Raises:
            NotFound: there is no such sample.
            InvalidInput: there is no such order.
        """
        order_id = self._order(order)
        with self._database.reading() as connection:
            place = _place(connection, order_id, key)
            before = connection.execute(_BEFORE, place).scalar_one()
            total = connection.execute(_SUM, {"order": order_id, "person": ""}).scalar_one()
            finished = connection.execute(_SUM, {"order": order_id, "person": person}).scalar_one()
        return Standing(before + 1, total, finished)

    def neighbour(self, key: SampleKey, step: int, *, order: str) -> SampleKey | None:
        """The sample `step` places further on (back, where negative); None behind the ends.

        Raises:
            NotFound, InvalidInput: as `standing`.
        """
        order_id = self._order(order)
        with self._database.reading() as connection:
            place = _place(connection, order_id, key)
            if not step:
                return key
            query = _FORWARD if step > 0 else _BACKWARD
            row = connection.execute(query, {**place, "skip": abs(step) - 1}).first()
        return SampleKey(*row) if row else None

    def next_unfinished(
        self, person: str, after: SampleKey | None, *, order: str
    ) -> SampleKey | None:
        """The first sample behind `after` that the person has not finished.

        It goes on from the top at the end, and begins there where `after` is None.

        Returns:
            None where all are finished; `after` itself where it alone is not.

        Raises:
            NotFound, InvalidInput: as `standing`.
        """
        order_id = self._order(order)
        with self._database.reading() as connection:
            start: dict[str, Any] = {"order": order_id, "bucket": -1, "value": -1, "id": -1}
            if after is not None:
                start = _place(connection, order_id, after)
            start["person"] = person
            row = _first_open(connection, start)
            if row is None and start["bucket"] >= 0:
                row = _first_open(connection, {**start, "bucket": -1, "value": -1, "id": -1})
        return SampleKey(*row) if row else None

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
        """Rows of the queue in order, by this person's states.

        Args:
            search: a part of the id, the group, the dataset or the summary's start, in any case.
            states: only samples in one of them; all where empty.

        Raises:
            InvalidInput: there is no such order.
        """
        order_id = self._order(order)
        pattern = search.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        scope = {
            "order": order_id,
            "person": person,
            "search": f"%{pattern}%" if search else "",
            "states": "," + ",".join(states) + "," if states else "",
        }
        with self._database.reading() as connection:
            if search or states:
                total = connection.execute(_COUNT, scope).scalar_one()
            else:
                total = connection.execute(_SUM, {"order": order_id, "person": ""}).scalar_one()
            rows = connection.execute(_PAGE, {**scope, "limit": limit, "offset": offset}).all()
        return QueuePage(tuple(_row(row) for row in rows), total)


def _place(connection: Connection, order_id: int, key: SampleKey) -> dict[str, Any]:
    scope = {"order": order_id, "dataset": key.dataset, "sample": key.id}
    row = connection.execute(_PLACE, scope).first()
    if row is None:
        raise NotFound(f"there is no sample {key}", "the queue lists all samples")
    return {"order": order_id, "bucket": row[0], "value": row[1], "id": row[2]}


def _first_open(connection: Connection, start: dict[str, Any]) -> Any:
    """The first unfinished sample behind a place; buckets that are finished are passed over."""
    row, scope = None, start
    while row is None:
        bucket = connection.execute(_OPEN_BUCKET, scope).scalar()
        if bucket is None:
            return None
        if bucket != start["bucket"]:
            scope = {**scope, "bucket": bucket, "value": -1, "id": -1}
        row = connection.execute(_OPEN_IN_BUCKET, scope).first()
        scope = {**scope, "bucket": bucket + 1}
    return row


def _row(row: Any) -> QueueRow:
    dataset, sample, group, state, annotations, summary, updated = row
    key = SampleKey(dataset, sample)
    return QueueRow(key, group, State(state), annotations, summary, updated)
