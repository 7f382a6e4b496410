"""Walks one order: places, neighbours, what is open, pages; a line is made of several walks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, text

from tui_annotate.domain.samples import SampleKey

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
_ROW: Final = (
    "SELECT d.name, s.external, s.\"group\", coalesce(a.state, 'new'),"
    " coalesce(a.annotations, 0), s.summary, coalesce(a.updated, '')"
)
_COUNT: Final = text("SELECT count(*)" + _WHERE)
_PAGE: Final = text(
    _ROW + _WHERE + " ORDER BY r.bucket, r.value, r.sample_id LIMIT :limit OFFSET :offset"
)
_GROUP: Final = text(
    _ROW
    + """
 FROM samples o JOIN datasets d ON d.id = o.dataset_id
 CROSS JOIN samples s ON s.dataset_id = d.id AND s."group" = o."group" AND s."group" <> ''
 CROSS JOIN ranks r ON r.sample_id = s.id AND r.order_id + 0 = :order
 LEFT JOIN assignments a ON a.person = :person AND a.sample_id = s.id
 WHERE d.name = :dataset AND o.external = :sample ORDER BY s.id
"""
)


class Place(NamedTuple):
    """Where a sample stands in an order."""

    bucket: int
    value: int
    id: int


TOP: Final = Place(-1, -1, -1)
"""Before the first."""
END: Final = Place(2**63 - 1, 2**63 - 1, 2**63 - 1)
"""Behind the last."""


@dataclass(frozen=True, slots=True)
class Walk:
    """One order as one person walks it, inside a transaction.

    Attributes:
        practice: its samples are for practice.
    """

    connection: Connection
    order: int
    person: str
    practice: bool = False

    def place(self, key: SampleKey) -> Place | None:
        """Where a sample stands; None where it does not."""
        scope = {"order": self.order, "dataset": key.dataset, "sample": key.id}
        row = self.connection.execute(_PLACE, scope).first()
        return Place(*row) if row else None

    def before(self, place: Place) -> int:
        """How many stand before a place."""
        scope = {"order": self.order, **place._asdict()}
        return int(self.connection.execute(_BEFORE, scope).scalar_one())

    def total(self) -> int:
        """How many there are."""
        return self._sum("")

    def finished(self) -> int:
        """How many of them the person has finished."""
        return self._sum(self.person)

    def _sum(self, person: str) -> int:
        scope = {"order": self.order, "person": person}
        return int(self.connection.execute(_SUM, scope).scalar_one())

    def step(self, place: Place, step: int) -> SampleKey | None:
        """The sample `step` places behind a place (before, where negative); None past the ends."""
        query = _FORWARD if step > 0 else _BACKWARD
        scope = {"order": self.order, **place._asdict(), "skip": abs(step) - 1}
        row = self.connection.execute(query, scope).first()
        return SampleKey(*row) if row else None

    def first_open(self, place: Place) -> SampleKey | None:
        """The first behind a place that the person has not finished.

        Buckets that are finished are passed over.
        """
        start: dict[str, Any] = {"order": self.order, "person": self.person, **place._asdict()}
        row, scope = None, start
        while row is None:
            bucket = self.connection.execute(_OPEN_BUCKET, scope).scalar()
            if bucket is None:
                return None
            if bucket != start["bucket"]:
                scope = {**scope, "bucket": bucket, "value": -1, "id": -1}
            row = self.connection.execute(_OPEN_IN_BUCKET, scope).first()
            scope = {**scope, "bucket": bucket + 1}
        return SampleKey(*row)

    def count(self, scope: Mapping[str, str]) -> int:
        """How many there are under a `search` and `states`, both may be empty."""
        if not scope["search"] and not scope["states"]:
            return self.total()
        mine = {"order": self.order, "person": self.person, **scope}
        return int(self.connection.execute(_COUNT, mine).scalar_one())

    def rows(self, scope: Mapping[str, str], *, offset: int, limit: int) -> Sequence[Any]:
        """Rows as the queue shows them, under a `search` and `states`."""
        mine = {"order": self.order, "person": self.person, **scope}
        return self.connection.execute(_PAGE, {**mine, "offset": offset, "limit": limit}).all()

    def group(self, key: SampleKey) -> Sequence[Any]:
        """Rows, as `rows` gives them, of a sample's group in this order, as they came."""
        mine = {"order": self.order, "person": self.person}
        names = {"dataset": key.dataset, "sample": key.id}
        return self.connection.execute(_GROUP, {**mine, **names}).all()


def around(walks: Sequence[Walk], places: dict[int, Place]) -> SampleKey | None:
    """The first open sample of some orders in turn, behind a place in one of them, then before."""
    here = next((at for at, walk in enumerate(walks) if walk.order in places), 0)
    for walk in walks[here:]:
        if found := walk.first_open(places.get(walk.order, TOP)):
            return found
    before = walks[: here + 1] if places else ()
    return next((found for walk in before if (found := walk.first_open(TOP))), None)


def step_over(line: Sequence[Walk], at: int, place: Place, *, step: int) -> SampleKey | None:
    """As many steps as are asked for, over the ends of orders."""
    onward = 1 if step > 0 else -1
    while True:
        if found := line[at].step(place, step):
            return found
        if not 0 <= at + onward < len(line):
            return None
        before = line[at].before(place)
        inside = place not in (TOP, END)
        passed = line[at].total() - before - inside if step > 0 else before
        step -= onward * passed
        at, place = at + onward, TOP if step > 0 else END
