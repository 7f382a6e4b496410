"""The queue of one person: position, neighbours, next unfinished, pages.

It is a line of several orders: what is for practice, alone until it is finished; what they were
given or drew; then, in an order that all people walk, the datasets that are handed out to nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, select, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.orders import by_score
from tui_annotate.domain.people import OPERATOR, Actor, Person, Verb, again, reader, require
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import ORDERS
from tui_annotate.storage.database import Database
from tui_annotate.storage.ranks import PRACTICE, SHARE, ready
from tui_annotate.storage.scores import orders
from tui_annotate.storage.shares import pools
from tui_annotate.storage.statements import sample_row
from tui_annotate.storage.walks import TOP, Place, Walk, around, step_over

_ANY_POOL: Final = text("SELECT 1 FROM dataset_settings WHERE name = 'pool' LIMIT 1")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a sample stands in somebody's line.

    Attributes:
        position: from 1.
        total: of the line, with what they may still draw.
        finished: how many of these the person has finished.
        practice: the sample is for practice.
    """

    position: int
    total: int
    finished: int
    practice: bool = False


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
    """Reads of the queue; every method takes the name of an order that all people walk.

    Raises:
        NotAllowed: every method, where the queue is somebody else's to see or to walk.
    """

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor
        self._orders: dict[str, int] = {}

    def _order(self, name: str) -> int:
        if scored := by_score(name):
            # Another process may have ended a run meanwhile, so that is looked up each time.
            return orders.ready(self._database, scored)
        if name not in self._orders:
            self._orders[name] = ready(self._database, name)
        return self._orders[name]

    def _walked(
        self, person: str, order: str
    ) -> AbstractContextManager[tuple[Connection, list[Walk]]]:
        """Somebody's line, at one moment."""
        require(self._actor, Verb.READ, person)
        return _walking(self._database, person, self._order(order))

    def standing(self, person: str, key: SampleKey, *, order: str) -> Standing:
        """Where a sample stands.

        Raises:
            NotFound: there is no such sample, or it is not in this person's line.
            InvalidInput: there is no such order.
        """
        with self._walked(person, order) as (connection, line):
            at, place = _found(connection, line, key)
            totals = [walk.total() for walk in line]
            drawable = 0 if line[0].practice and len(line) == 1 else _left(connection, person)
            return Standing(
                sum(totals[:at]) + line[at].before(place) + 1,
                sum(totals) + drawable,
                sum(walk.finished() for walk in line),
                line[at].practice,
            )

    def holds(self, person: str, key: SampleKey, *, order: str) -> bool:
        """Whether a sample is in somebody's line.

        Raises:
            NotFound: there is no such sample.
            InvalidInput: there is no such order.
        """
        with self._walked(person, order) as (connection, line):
            return bool(_places(connection, line, key))

    def first(self, person: str, *, order: str) -> SampleKey | None:
        """The first sample of somebody's line; None where it is empty.

        Raises:
            InvalidInput: there is no such order.
        """
        with self._walked(person, order) as (_, line):
            return next((found for walk in line if (found := walk.step(TOP, 1))), None)

    def neighbour(self, person: str, key: SampleKey, step: int, *, order: str) -> SampleKey | None:
        """The sample `step` places further on (back, where negative); None behind the ends.

        Raises:
            NotFound, InvalidInput: as `standing`.
        """
        with self._walked(person, order) as (connection, line):
            at, place = _found(connection, line, key)
            return step_over(line, at, place, step=step) if step else key

    def next_unfinished(
        self, person: str, after: SampleKey | None, *, order: str
    ) -> SampleKey | None:
        """The first sample behind `after` that the person has not finished.

        What is theirs comes first and is gone round in a circle; then they draw, where they may;
        then come the samples that are for everybody, in a circle as well. It begins at the top
        where `after` is None, or is not in their line any more.

        Returns:
            None where all are finished; `after` itself where it alone is not.

        Raises:
            NotFound, InvalidInput: as `standing`.
        """
        require(self._actor, Verb.WRITE, person)
        order_id = self._order(order)
        with self._database.reading() as connection:
            line = _line(connection, person, order_id)
            common = [walk for walk in line if walk.order == order_id]
            own = [walk for walk in line if walk.order != order_id]
            places = _places(connection, line, after)
            found = around(own, places)
            drawing = found is None and bool(_left(connection, person))
            if found is None and not drawing:
                return around(common, places)
        return found or self._draw(person) or self._next_common(person, places, order_id)

    def _draw(self, person: str) -> SampleKey | None:
        with self._database.writing() as connection:
            return pools.draw(connection, person)

    def _next_common(
        self, person: str, places: dict[int, Place], order_id: int
    ) -> SampleKey | None:
        with self._database.reading() as connection:
            return around([Walk(connection, order_id, person)], places)

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
        pattern = search.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        scope = {
            "search": f"%{pattern}%" if search else "",
            "states": "," + ",".join(states) + "," if states else "",
        }
        rows: list[QueueRow] = []
        total = 0
        with self._walked(person, order) as (_, line):
            for walk in line:
                skipped = max(offset - total, 0)
                wanted = limit - len(rows)
                if wanted > 0:
                    rows += map(_row, walk.rows(scope, offset=skipped, limit=wanted))
                total += walk.count(scope)
        return QueuePage(tuple(rows), total)

    def siblings(self, person: str, key: SampleKey, *, order: str) -> tuple[QueueRow, ...]:
        """Rows of the samples of one group in somebody's line, as they came; none without a group.

        Raises:
            InvalidInput: there is no such order.
        """
        with self._walked(person, order) as (_, line):
            return tuple(_row(row) for walk in line for row in walk.group(key))

    def open_again(self, person: Person) -> int:
        """How many samples somebody is still to read a second time."""
        name = again(person).id
        require(self._actor, Verb.READ, name)
        with self._database.reading() as connection:
            return sum(walk.total() - walk.finished() for walk in _own(connection, name))


@contextmanager
def _walking(
    database: Database, person: str, order: int
) -> Iterator[tuple[Connection, list[Walk]]]:
    with database.reading() as connection:
        yield connection, _line(connection, person, order)


def _line(connection: Connection, person: str, order: int) -> list[Walk]:
    """The orders that somebody walks, in turn; a second reading knows its own alone."""
    own = _own(connection, person)
    practice = _unfinished_practice(own)
    if practice:
        return practice
    if reader(person) != person:
        return own
    return [*own, Walk(connection, order, person)]


def _unfinished_practice(own: Sequence[Walk]) -> list[Walk]:
    practice = [walk for walk in own if walk.practice]
    return practice if any(walk.finished() < walk.total() for walk in practice) else []


def practising(connection: Connection, person: str) -> bool:
    """Whether somebody has practice to finish, before which they have nothing else."""
    return bool(_unfinished_practice(_own(connection, person)))


def _own(connection: Connection, person: str) -> list[Walk]:
    names = (PRACTICE + person, SHARE + person)  # in the order in which they are walked
    query = select(ORDERS.c.name, ORDERS.c.id).where(ORDERS.c.name.in_(names))
    rows = sorted(tuple(row) for row in connection.execute(query))
    return [Walk(connection, row[1], person, row[0] == names[0]) for row in rows]


def _found(connection: Connection, line: Sequence[Walk], key: SampleKey) -> tuple[int, Place]:
    """Which order of a line a sample stands in, and where."""
    for at, walk in enumerate(line):
        if place := walk.place(key):
            return at, place
    sample_row(connection, key)
    raise NotFound(f"the sample {key} is not among yours", "what is yours stands in the queue: q")


def _places(
    connection: Connection, line: Sequence[Walk], key: SampleKey | None
) -> dict[int, Place]:
    """By order, where in it a sample stands; empty where it stands in none of a line."""
    if key is None:
        return {}
    for walk in line:
        if place := walk.place(key):
            return {walk.order: place}
    sample_row(connection, key)
    return {}


def _left(connection: Connection, person: str) -> int:
    if reader(person) != person or connection.execute(_ANY_POOL).first() is None:
        return 0
    return pools.left(connection, person)


def _row(row: Any) -> QueueRow:
    dataset, sample, group, state, annotations, summary, updated = row
    key = SampleKey(dataset, sample)
    return QueueRow(key, group, State(state), annotations, summary, updated)
