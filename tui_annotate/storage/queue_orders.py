"""Orders of samples in queues: each gives every sample a sort value.

Samples, and the samples that a person completed, are counted by buckets of sort values. So looking
up a position among 100,000 samples costs as much as among 100.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, select, true, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.queue_orders import BY_SOURCE, INGESTED, RANDOM, by_score, check_order
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.columns import (
    ASSIGNMENTS,
    DATASET_SETTINGS,
    DATASETS,
    ORDERS,
    RANKS,
    SAMPLES,
    TALLIES,
    columns_of,
)
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import add_counts

SHARE: Final = "share:"
PRACTICE: Final = "practice:"
"""Prefixes of names of queue orders that belong to one person; the names end with an id."""

HANDED_OUT: Final = "handed-out"
"""Name of the dataset setting that hides a dataset from everyone except assignees."""

EVERYONE: Final = ""
"""Value of `person` in table rows that count all samples, not one person's."""

UNSCORED: Final = 1 << 40
"""Smallest sort value of samples without a score, in queue orders that sort by a score."""

_BATCH: Final = 1000
RANDOM_BITS: Final = 53
_RANDOM_BUCKET_BITS: Final = 44
_BUCKET_BITS: Final = 8

_ADD_TALLY: Final = add_counts(TALLIES, "order_id", "person", "bucket")
_FINISHED: Final = select(ASSIGNMENTS.c.person, ASSIGNMENTS.c.sample_id).where(
    ASSIGNMENTS.c.sample_id.in_(bindparam("sample_ids", expanding=True)), ASSIGNMENTS.c.finished
)
_BUCKETS: Final = select(RANKS.c.sample_id, RANKS.c.order_id, RANKS.c.bucket).where(
    RANKS.c.sample_id.in_(bindparam("sample_ids", expanding=True))
)


class RankedSample(NamedTuple):
    """A sample to add to queue orders; `first`: row id of the first sample of the same source."""

    sample_id: int
    first: int
    dataset: str
    external: str


def sort_value_of(order: str) -> Callable[[RankedSample], int]:
    """Return the function that computes the value by which a queue sorts a sample."""
    if order == BY_SOURCE:
        return lambda newcomer: newcomer.first
    if order == INGESTED:
        return lambda newcomer: newcomer.sample_id
    if by_score(order):
        return lambda newcomer: UNSCORED + newcomer.sample_id

    def shuffled(newcomer: RankedSample) -> int:
        name = f"{order}\0{newcomer.dataset}\0{newcomer.external}"
        drawn = hashlib.sha256(name.encode()).digest()
        return int.from_bytes(drawn[:8], "big") >> (64 - RANDOM_BITS)

    return shuffled


def add_ranks(connection: Connection, newcomers: Sequence[RankedSample]) -> None:
    """Add samples to all queue orders that are the same for all annotators."""
    for order_id, order, filled, until in common_orders(connection):
        # `fill_order` adds the samples between `filled` and `until`; adding them here too fails.
        fresh = [each for each in newcomers if not filled < each.sample_id <= until]
        value = sort_value_of(order)
        places = [(value(newcomer), newcomer.sample_id) for newcomer in fresh]
        insert_ranks(connection, places, order_id=order_id, order=order)


def common_orders(connection: Connection) -> list[tuple[int, str, int, int]]:
    """Return the table rows of the queue orders that are the same for all annotators."""
    query = select(*columns_of(ORDERS, "id name filled until"))
    rows = map(tuple, connection.execute(query))
    return [row for row in rows if not row[1].startswith((SHARE, PRACTICE))]


def ensure_own_order(connection: Connection, name: str) -> int:
    """Return the row id of an order, which is created without samples if it is missing."""
    row = {"name": name, "filled": 0, "until": 0}
    connection.execute(insert(ORDERS).values(row).on_conflict_do_nothing())
    return int(connection.execute(select(ORDERS.c.id).where(ORDERS.c.name == name)).scalar_one())


def find_last_value(connection: Connection, order_id: int) -> int:
    """Return the sort value at the end of an order; -1 for an empty order."""
    query = select(RANKS.c.value).where(RANKS.c.order_id == order_id)
    last = query.order_by(RANKS.c.bucket.desc(), RANKS.c.value.desc()).limit(1)
    found = connection.execute(last).scalar()
    return -1 if found is None else int(found)


def insert_ranks(
    connection: Connection, places: Sequence[tuple[int, int]], *, order_id: int, order: str
) -> None:
    """Add samples (sort value, row id) to a queue order, and update the counts of its samples."""
    shift = _RANDOM_BUCKET_BITS if order.startswith(RANDOM) else _BUCKET_BITS
    rows = [
        {"order_id": order_id, "bucket": value >> shift, "value": value, "sample_id": row}
        for value, row in places
    ]
    for some in split_batches(rows, _BATCH):
        connection.execute(insert(RANKS), some)
        counts = Counter(row["bucket"] for row in some)
        _add_tallies(connection, [(order_id, EVERYONE, *item) for item in counts.items()])
        bucket = {row["sample_id"]: row["bucket"] for row in some}
        finished = connection.execute(_FINISHED, {"sample_ids": list(bucket)})
        _add_tallies(connection, [(order_id, who, bucket[row], 1) for who, row in finished])


def _add_tallies(connection: Connection, changes: Sequence[tuple[int, str, int, int]]) -> None:
    names = ("order_id", "person", "bucket", "count")
    if rows := [dict(zip(names, change, strict=True)) for change in changes]:
        connection.execute(_ADD_TALLY, rows)


def count_finished(connection: Connection, changes: Sequence[tuple[str, int, int]]) -> None:
    """Update the counts of completed samples by changes (person, sample row id, 1 or -1)."""
    places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for some in split_batches(sorted({sample_id for _, sample_id, _ in changes}), _BATCH):
        for sample_id, order_id, bucket in connection.execute(_BUCKETS, {"sample_ids": some}):
            places[sample_id].append((order_id, bucket))
    _add_tallies(
        connection,
        [
            (order_id, person, bucket, by)
            for person, sample_id, by in changes
            for order_id, bucket in places[sample_id]
        ],
    )


def remove_ranks(
    connection: Connection, sample_ids: Sequence[int], orders: Collection[int] = ()
) -> None:
    """Remove samples, while they are still assigned, from some queue orders, or from all."""
    key = (RANKS.c.order_id, RANKS.c.bucket)
    for batch in split_batches(sample_ids, _BATCH):
        # The sum keeps SQLite from the primary key, with which it would read all of an order.
        in_orders = (RANKS.c.order_id + 0).in_(orders) if orders else true()
        among = RANKS.c.sample_id.in_(batch) & in_orders
        everyone = select(*key, func.count()).where(among).group_by(*key)
        finished = (
            select(*key, ASSIGNMENTS.c.person, func.count())
            .join(ASSIGNMENTS, ASSIGNMENTS.c.sample_id == RANKS.c.sample_id)
            .where(among, ASSIGNMENTS.c.finished)
            .group_by(*key, ASSIGNMENTS.c.person)
        )
        changes = [(order, EVERYONE, at, -n) for order, at, n in connection.execute(everyone)]
        changes += [(order, who, at, -n) for order, at, who, n in connection.execute(finished)]
        _add_tallies(connection, changes)
        connection.execute(delete(RANKS).where(among))


def first_values_by_source(connection: Connection, sources: Sequence[str]) -> dict[str, int]:
    """Return the smallest sort value of each source in the queue order `by-source`."""
    order = select(ORDERS.c.id).where(ORDERS.c.name == BY_SOURCE).scalar_subquery()
    query = (
        select(SAMPLES.c.source, func.min(RANKS.c.value))
        .join(RANKS, RANKS.c.sample_id == SAMPLES.c.id)
        # The sum keeps SQLite from the index on orders, with which it would read all samples.
        .where(SAMPLES.c.source.in_(sources), RANKS.c.order_id + 0 == order)
        .group_by(SAMPLES.c.source)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def ensure_order(database: Database, order: str) -> int:
    """Return the row id of a queue order that is the same for everyone; create it if necessary.

    A random order is filled when it is first requested, in short transactions; an interrupted fill
    continues here.
    """
    name = check_order(order)
    return fill_order(database, name, value=sort_value_of(name))


def fill_order(database: Database, name: str, *, value: Callable[[RankedSample], int]) -> int:
    """Create a queue order for everyone if it is missing, add all samples; return its row id."""
    query = select(ORDERS.c.id, ORDERS.c.filled >= ORDERS.c.until).where(ORDERS.c.name == name)
    with database.reading() as connection:
        row = connection.execute(query).first()
    if database.read_only and not (row and row[1]):
        raise Unavailable(
            f"the queue order {name!r} is not stored, and the workspace is read-only, because"
            f" {database.read_only}",
            f"use a different order: --order {BY_SOURCE}",
        )
    if row is None:
        with database.writing() as connection:
            last = connection.execute(select(func.max(SAMPLES.c.id))).scalar() or 0
            connection.execute(
                insert(ORDERS).values(name=name, filled=0, until=last).on_conflict_do_nothing()
            )
    while row is None or not row[1]:
        with database.writing() as connection:
            _fill_batch(connection, name, value)
            row = connection.execute(query).one()
    return int(row[0])


def _fill_batch(connection: Connection, order: str, value: Callable[[RankedSample], int]) -> None:
    query = select(*columns_of(ORDERS, "id filled until")).where(ORDERS.c.name == order)
    order_id, filled, until = connection.execute(query).one()
    query = (
        select(SAMPLES.c.id, DATASETS.c.name, SAMPLES.c.external, SAMPLES.c.dataset_id)
        .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
        .where(SAMPLES.c.id > filled, SAMPLES.c.id <= until)
        .order_by(SAMPLES.c.id)
        .limit(_BATCH)
    )
    rows = connection.execute(query).all()
    handed = assigned_datasets(connection)
    newcomers = [
        RankedSample(sample_id, first=sample_id, dataset=dataset, external=external)
        for sample_id, dataset, external, dataset_id in rows
        if dataset_id not in handed
    ]
    places = [(value(newcomer), newcomer.sample_id) for newcomer in newcomers]
    insert_ranks(connection, places, order_id=order_id, order=order)
    reached = rows[-1][0] if len(rows) == _BATCH else until
    connection.execute(update(ORDERS).where(ORDERS.c.id == order_id).values(filled=reached))


def assigned_datasets(connection: Connection) -> frozenset[int]:
    """Return the row ids of the datasets that only their assignees have in their queues."""
    query = select(DATASET_SETTINGS.c.dataset_id).where(DATASET_SETTINGS.c.name == HANDED_OUT)
    return frozenset(connection.execute(query).scalars())
