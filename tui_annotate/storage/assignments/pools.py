"""Pools: samples that annotators take one after the other until each sample has enough annotators.

A sample is taken in a write transaction, so that two annotators who take one at the same time never
exceed the number of annotators of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.assignment_rules import AssignmentCause, Pool
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.queue_orders import BY_SOURCE, RANDOM, by_score
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.adjudication_lock import adjudicated_condition
from tui_annotate.storage.assignments import assignment_rows
from tui_annotate.storage.assignments.assignment_rows import AssignedRow, assign_samples
from tui_annotate.storage.assignments.gold import GoldSource, find_gold, gold_of
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import POOL, SAMPLES, columns_of
from tui_annotate.storage.queue_orders import RANDOM_BITS, RankedSample, sort_value_of
from tui_annotate.storage.scores.orders import position_value, read_positions
from tui_annotate.storage.statements import dataset_setting

_BATCH: Final = 1000


def fixed_condition(handout: str, dataset: str) -> str:
    """Return an SQL condition: an admin assigned samples of the dataset to the person."""
    return (
        f"({handout}.kind IN ('give', 'topup') AND {handout}.dataset = {dataset}.name"
        f" AND {handout}.undone = '')"
    )


_OPEN_POOLS: Final = text(
    "SELECT s.dataset_id, d.name, s.value FROM dataset_settings s JOIN datasets d"  # noqa: S608  constants
    "   ON d.id = s.dataset_id WHERE s.name = 'pool' AND NOT EXISTS ("
    f"   SELECT 1 FROM handouts h WHERE {fixed_condition('h', 'd')} AND EXISTS"
    "       (SELECT 1 FROM allotments a WHERE a.handout = h.id AND a.person = :person))"
    " ORDER BY s.dataset_id"
)
_LAST: Final = text(
    "SELECT p.value, p.sample_id FROM allotments a JOIN pool p ON p.sample_id = a.sample_id"
    " WHERE a.handout = :handout AND a.person = :person ORDER BY a.rank DESC LIMIT 1"
)
_NEXT: Final = text(
    "SELECT p.sample_id FROM pool p WHERE p.dataset_id = :dataset AND p.room > 0"  # noqa: S608  constants
    " AND (p.value, p.sample_id) > (:value, :row) AND NOT EXISTS"
    "   (SELECT 1 FROM allotments a WHERE a.person = :person AND a.sample_id = p.sample_id)"
    f" AND NOT {adjudicated_condition('p.sample_id')}"
    " ORDER BY p.value, p.sample_id LIMIT 1"
)
_LOCKED: Final = text(
    "SELECT p.dataset_id, count(*) FROM assignments j JOIN pool p ON p.sample_id = j.sample_id"  # noqa: S608  constants
    f" WHERE j.person = '{SETTLED}' AND p.room > 0 AND NOT EXISTS"
    "   (SELECT 1 FROM allotments a WHERE a.person = :person AND a.sample_id = p.sample_id)"
    f" AND {adjudicated_condition('p.sample_id')} GROUP BY 1"
)
_NAME: Final = text("SELECT external FROM samples WHERE id = :row")
_ASSIGNEE_COUNTS: Final = text(
    "SELECT a.sample_id, count(*) FROM allotments a JOIN people p ON p.id = a.person"
    " JOIN handouts h ON h.id = a.handout AND h.kind <> 'gold'"
    " WHERE a.sample_id IN :rows AND p.kind <> 'again' GROUP BY a.sample_id"
).bindparams(bindparam("rows", expanding=True))


class _OpenPool(NamedTuple):
    dataset_id: int
    dataset: str
    pool: Pool


def pool_of(connection: Connection, dataset_id: int) -> Pool | None:
    """Return the rule by which annotators take a dataset's samples one by one, or None."""
    found = dataset_setting(connection, dataset_id, AssignmentCause.POOL)
    return Pool(**found) if found else None


def add_to_pool(
    connection: Connection, dataset_id: int, rows: Sequence[tuple[int, str, str]]
) -> None:
    """Add new samples to a dataset's pool, if it has one; no effect without a pool."""
    pool = _pool_with_order(connection, dataset_id, pool_of(connection, dataset_id))
    if pool is not None:
        value = sort_value_of(pool.order)
        _insert_batches(connection, dataset_id, pool=pool, rows=rows, value=value)
        assignment_rows.record_added(connection, dataset_id, len(rows))


def fill(connection: Connection, dataset_id: int, pool: Pool | None) -> None:
    """Fill a dataset's pool, from which annotators take their next samples."""
    connection.execute(delete(POOL).where(POOL.c.dataset_id == dataset_id))
    pool = _pool_with_order(connection, dataset_id, pool)
    if pool is not None:
        query = select(*columns_of(SAMPLES, "id source external")).order_by(SAMPLES.c.id)
        rows = connection.execute(query.where(SAMPLES.c.dataset_id == dataset_id))
        value = sort_value_of(pool.order)
        if order := by_score(pool.order):
            line = read_positions(connection, order, dataset_id)
            value = partial(position_value, line)
        gold = gold_of(connection, dataset_id)
        left_out = frozenset(gold.samples if gold else ())
        joining = [tuple(row) for row in rows if row.external not in left_out]
        _insert_batches(connection, dataset_id, pool=pool, rows=joining, value=value)
    assignment_rows.recount_pool(connection, dataset_id)


def _pool_with_order(connection: Connection, dataset_id: int, pool: Pool | None) -> Pool | None:
    """Return a pool with the order in force: a secret random one if the dataset has gold samples.

    In any other order, the gold samples would be those that do not follow it.
    """
    gold = gold_of(connection, dataset_id)
    return replace(pool, order=f"{RANDOM}{gold.seed}") if pool and gold else pool


def _insert_batches(
    connection: Connection,
    dataset_id: int,
    *,
    pool: Pool,
    rows: Sequence[tuple[int, str, str]],
    value: Callable[[RankedSample], int],
) -> None:
    for some in split_batches(rows, _BATCH):
        first: dict[str, int] = {}
        if pool.order == BY_SOURCE:
            first = _find_first_of_source(connection, dataset_id, [source for _, source, _ in some])
        counts = connection.execute(_ASSIGNEE_COUNTS, {"rows": [row for row, *_ in some]})
        assignees: dict[int, int] = dict(counts.all())
        values = [
            {
                "sample_id": row,
                "dataset_id": dataset_id,
                "value": value(
                    RankedSample(row, first.setdefault(source, row), dataset="", external=external)
                ),
                "room": pool.overlap - assignees.get(row, 0),
            }
            for row, source, external in some
        ]
        connection.execute(insert(POOL), values)


def _find_first_of_source(
    connection: Connection, dataset_id: int, sources: Sequence[str]
) -> dict[str, int]:
    query = (
        select(SAMPLES.c.source, func.min(POOL.c.value))
        .join(POOL, POOL.c.sample_id == SAMPLES.c.id)
        .where(SAMPLES.c.source.in_(sources), POOL.c.dataset_id == dataset_id)
        .group_by(SAMPLES.c.source)
    )
    return dict(connection.execute(query).all())


def count_locked(connection: Connection, person: str) -> dict[int, int]:
    """Return the number of free samples in each dataset's pool that are locked for a person."""
    return dict(connection.execute(_LOCKED, {"person": person}).all())


def count_available(
    connection: Connection, person: str, *, locked: Mapping[int, int] | None = None
) -> int:
    """Return how many samples a person could take from pools, if no one else took any.

    Args:
        locked: adjudicated samples among them by dataset, from `count_locked`; None to ignore them.
    """
    found = 0
    for each in _find_open_pools(connection, person):
        dataset_id = each.dataset_id
        real = assignment_rows.count_available_in_pool(connection, dataset_id, person=person)
        real = max(real - (locked or {}).get(dataset_id, 0), 0)
        gold = find_gold(connection, dataset_id, person=person) if real else None
        found += real + (gold.count_ahead(real) if gold else 0)
    return found


def take_from_pool(connection: Connection, person: str) -> SampleKey | None:
    """Assign the next free sample of a pool to a person; return its key, or None if there is none.

    A person goes through a pool in its order, and then returns to samples that became free before.
    Where a sample with known answers is due, the person gets such a sample instead. In a dataset
    with such samples each person takes free samples at random.
    """
    for each in _find_open_pools(connection, person):
        gold = find_gold(connection, each.dataset_id, person=person)
        row = _find_next(connection, each, person, gold=gold)
        if row is None:
            continue
        due = gold.next() if gold else None
        taken = due or AssignedRow(person, row)
        assign_samples(connection, [taken], handout=each.pool.handout)
        name = connection.execute(_NAME, {"row": taken.sample_id}).scalar_one()
        return SampleKey(each.dataset, str(name))
    return None


def _find_next(
    connection: Connection, pool: _OpenPool, person: str, *, gold: GoldSource | None
) -> int | None:
    scope: dict[str, Any] = {"dataset": pool.dataset_id, "person": person}
    if gold:
        # A new random position for each sample: two people with one order in common would see
        # that only the gold samples do not follow it.
        starts = [(gold.draw_value(RANDOM_BITS), 0)]
    else:
        last = connection.execute(_LAST, {"handout": pool.pool.handout, "person": person}).first()
        starts = [tuple(last)] if last else []
    for value, row in [*starts, (-1, -1)]:
        found = connection.execute(_NEXT, {**scope, "value": value, "row": row}).scalar()
        if found is not None:
            return int(found)
    return None


def _find_open_pools(connection: Connection, person: str) -> Iterator[_OpenPool]:
    rows = connection.execute(_OPEN_POOLS, {"person": person}).all()
    return (_OpenPool(row, name, Pool(**from_json(rule))) for row, name, rule in rows)
