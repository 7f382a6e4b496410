"""Assigns and unassigns samples inside one transaction, and updates annotators' own queue orders.

The samples of an assigned dataset are in no shared order; each annotator has only the samples that
are assigned to them. Samples that annotators had begun before are assigned to them.

How many more annotators each sample of a pool needs, and how many samples each annotator could take
from it, is counted by dataset and person. So 100,000 samples cost as much as 100.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, text, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.assignment_rules import AssignmentCause
from tui_annotate.domain.people import base_person
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import (
    ALLOTMENTS,
    DATASET_SETTINGS,
    DATASETS,
    HANDOUTS,
    POOL,
    POOL_COUNTS,
    SAMPLES,
    columns_of,
)
from tui_annotate.storage.queue_orders import (
    EVERYONE,
    HANDED_OUT,
    PRACTICE,
    SHARE,
    RankedSample,
    add_ranks,
    common_orders,
    ensure_own_order,
    find_last_value,
    first_values_by_source,
    insert_ranks,
    remove_ranks,
)
from tui_annotate.storage.scores.orders import mark_orders_outdated
from tui_annotate.storage.statements import (
    add_counts,
    dataset_setting,
    set_dataset_setting,
    worked_on_condition,
)

_BATCH: Final = 1000
_DROP: Final = delete(ALLOTMENTS).where(
    ALLOTMENTS.c.person == bindparam("who"), ALLOTMENTS.c.sample_id == bindparam("row")
)
_STARTED_BEFORE: Final = text(
    "SELECT a.person, a.sample_id FROM assignments a"  # noqa: S608  constants
    " JOIN samples s ON s.id = a.sample_id"
    " JOIN people p ON p.id = a.person AND p.kind IN ('local', 'account')"
    f" WHERE s.dataset_id = :dataset AND {worked_on_condition('a')}"
    " ORDER BY a.person, a.updated, a.sample_id"
)
_OF_DATASET: Final = text(
    "SELECT a.person, a.sample_id, h.kind FROM samples s JOIN allotments a ON a.sample_id = s.id"
    " JOIN handouts h ON h.id = a.handout WHERE s.dataset_id = :dataset"
)


class AssignedRow(NamedTuple):
    """A person, and the row id of a sample that is or will be assigned to the person."""

    person: str
    sample_id: int
    practice: bool = False
    handout: int = 0


def record_handout(
    connection: Connection,
    kind: AssignmentCause,
    *,
    dataset: str,
    by: str,
    at: str,
    request: Mapping[str, Any],
) -> int:
    """Store the record that samples were assigned; return the number of this assignment."""
    row = {"at": at, "by": by, "kind": kind.value, "dataset": dataset, "undone": ""}
    row["request"] = to_json(dict(request))
    made = connection.execute(insert(HANDOUTS).values(row).returning(HANDOUTS.c.id))
    return int(made.scalar_one())


def assign_samples(
    connection: Connection, rows: Iterable[AssignedRow], *, handout: int
) -> list[AssignedRow]:
    """Add samples to people's queues; return the assignments that did not exist before."""
    wanted: defaultdict[tuple[str, bool], dict[int, int]] = defaultdict(dict)
    for row in rows:
        wanted[row.person, row.practice].setdefault(row.sample_id, row.handout or handout)
    new = []
    for (person, practice), handouts in wanted.items():
        fresh = _find_unassigned(connection, person, list(handouts))
        if not fresh:
            continue
        name = (PRACTICE if practice else SHARE) + person
        order = ensure_own_order(connection, name)
        start = find_last_value(connection, order) + 1
        ranks = list(enumerate(fresh, start))
        insert_ranks(connection, ranks, order_id=order, order=name)
        common = {"person": person, "practice": practice}
        values = [
            {**common, "handout": handouts[sample_id], "sample_id": sample_id, "rank": rank}
            for rank, sample_id in ranks
        ]
        connection.execute(insert(ALLOTMENTS), values)
        new += [AssignedRow(person, sample_id, practice) for sample_id in fresh]
    _change_capacity(connection, new, by=-1)
    return new


def _find_unassigned(connection: Connection, person: str, sample_ids: Sequence[int]) -> list[int]:
    there: set[int] = set()
    for batch in split_batches(sample_ids, _BATCH):
        some = ALLOTMENTS.c.sample_id.in_(batch)
        query = select(ALLOTMENTS.c.sample_id).where(ALLOTMENTS.c.person == person, some)
        there.update(connection.execute(query).scalars())
    return [sample_id for sample_id in sample_ids if sample_id not in there]


def unassign_samples(connection: Connection, rows: Sequence[AssignedRow]) -> None:
    """Unassign samples from people, but keep the people's work on these samples."""
    by_person: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        by_person[row.person].append(row.sample_id)
    for person, sample_ids in by_person.items():
        orders = [ensure_own_order(connection, kind + person) for kind in (SHARE, PRACTICE)]
        remove_ranks(connection, sample_ids, orders)
    if rows:
        connection.execute(_DROP, [{"who": row.person, "row": row.sample_id} for row in rows])
    _change_capacity(connection, rows, by=1)


# datasets ----------------------------------------------------------------------------------------


def restrict_to_assigned(connection: Connection, dataset_id: int, *, by: str, at: str) -> None:
    """Show a dataset only to its assignees; annotators who have begun samples become assignees."""
    if dataset_setting(connection, dataset_id, HANDED_OUT) is not None:
        return
    set_dataset_setting(connection, dataset_id, HANDED_OUT, value=True)
    name = connection.execute(select(DATASETS.c.name).where(DATASETS.c.id == dataset_id)).scalar()
    if orders := [order_id for order_id, *_ in common_orders(connection)]:
        rows = select(SAMPLES.c.id).where(SAMPLES.c.dataset_id == dataset_id)
        remove_ranks(connection, connection.execute(rows).scalars().all(), orders)
    begun = connection.execute(_STARTED_BEFORE, {"dataset": dataset_id}).all()
    if begun:
        number = record_handout(
            connection, AssignmentCause.FOUND, dataset=str(name), by=by, at=at, request={}
        )
        assign_samples(connection, [AssignedRow(*row) for row in begun], handout=number)


def free_dataset(connection: Connection, dataset_id: int) -> bool:
    """Show a dataset to all annotators, unless its samples are assigned; return True if shown."""
    rules = select(DATASET_SETTINGS.c.name).where(
        DATASET_SETTINGS.c.dataset_id == dataset_id,
        DATASET_SETTINGS.c.name.in_([AssignmentCause.POOL.value, AssignmentCause.PRACTICE.value]),
    )
    if connection.execute(rules.limit(1)).first() is not None:
        return False
    rows = connection.execute(_OF_DATASET, {"dataset": dataset_id}).all()
    if {kind for _, _, kind in rows} - {AssignmentCause.FOUND, AssignmentCause.REPEAT}:
        return False
    if dataset_setting(connection, dataset_id, HANDED_OUT) is None:
        return True
    found = [
        AssignedRow(person, sample_id)
        for person, sample_id, kind in rows
        if kind == AssignmentCause.FOUND
    ]
    unassign_samples(connection, found)
    set_dataset_setting(connection, dataset_id, HANDED_OUT, value=None)
    _restore_ranks(connection, dataset_id)
    return True


def _restore_ranks(connection: Connection, dataset_id: int) -> None:
    query = (
        select(SAMPLES.c.id, SAMPLES.c.source, DATASETS.c.name, SAMPLES.c.external)
        .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
        .where(SAMPLES.c.dataset_id == dataset_id)
        .order_by(SAMPLES.c.id)
    )
    rows = connection.execute(query).all()
    first: dict[str, int] = {}
    for sources in split_batches(dict.fromkeys(row.source for row in rows), _BATCH):
        first |= first_values_by_source(connection, sources)
    newcomers = [
        RankedSample(row_id, first.setdefault(source, row_id), dataset=dataset, external=external)
        for row_id, source, dataset, external in rows
    ]
    add_ranks(connection, newcomers)
    mark_orders_outdated(connection)


# pools -------------------------------------------------------------------------------------------

_ADD_ROOM: Final = (
    update(POOL)
    .where(POOL.c.sample_id == bindparam("row"))
    .values(room=POOL.c.room + bindparam("by"))
)
_ADD_COUNTS: Final = add_counts(POOL_COUNTS, "dataset_id", "person")
_RECOUNT: Final = text(
    "INSERT INTO pool_counts (dataset_id, person, count)"
    " SELECT :dataset, '', count(*) FROM pool WHERE dataset_id = :dataset AND room > 0"
    " UNION ALL SELECT :dataset, a.person, count(*) FROM pool q"
    "   JOIN allotments a ON a.sample_id = q.sample_id"
    "   JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    "   WHERE q.dataset_id = :dataset AND q.room > 0 GROUP BY a.person"
)
_AVAILABLE: Final = text(
    "SELECT coalesce(sum(CASE person WHEN '' THEN count ELSE -count END), 0) FROM pool_counts"
    " WHERE dataset_id = :dataset AND person IN ('', :person)"
)


class _PoolSample(NamedTuple):
    sample_id: int
    dataset_id: int
    room: int


def count_available_in_pool(connection: Connection, dataset_id: int, *, person: str) -> int:
    """Return how many samples of a dataset's pool a person could take, if no one else took any."""
    scope = {"dataset": dataset_id, "person": person}
    return int(connection.execute(_AVAILABLE, scope).scalar_one())


def recount_pool(connection: Connection, dataset_id: int) -> None:
    """Count a pool's samples with free slots again: all of them, and those that each person has."""
    mine = POOL_COUNTS.c.dataset_id == dataset_id
    connection.execute(delete(POOL_COUNTS).where(mine))
    connection.execute(_RECOUNT, {"dataset": dataset_id})


def record_added(connection: Connection, dataset_id: int, count: int) -> None:
    """Increase the number of available samples in a dataset's pool after samples were added."""
    _add_counts(connection, Counter({(dataset_id, EVERYONE): count}))


def record_removal(connection: Connection, sample_id: int) -> None:
    """Update the numbers of available samples in a dataset's pool before a sample is deleted."""
    for place in _find_pool_samples(connection, [sample_id]):
        if place.room > 0:
            people = [EVERYONE, *_find_assignees(connection, [sample_id])[sample_id]]
            _add_counts(connection, Counter({(place.dataset_id, who): -1 for who in people}))


def _change_capacity(connection: Connection, rows: Iterable[AssignedRow], *, by: int) -> None:
    """Add `by` to the number of annotators that a pool needs for each sample in `rows`."""
    people: defaultdict[int, list[str]] = defaultdict(list)
    for person, sample_id, *_ in rows:
        if base_person(person) == person:  # a second reading adds no new annotator
            people[sample_id].append(person)
    for some in split_batches(sorted(people), _BATCH):
        _change_capacity_batch(connection, {row: people[row] for row in some}, by=by)


def _change_capacity_batch(
    connection: Connection, people: Mapping[int, Sequence[str]], *, by: int
) -> None:
    places = _find_pool_samples(connection, people)
    if not places:
        return
    changes = [{"row": each.sample_id, "by": by * len(people[each.sample_id])} for each in places]
    connection.execute(_ADD_ROOM, changes)
    # A person's count is of samples that still have room, so it changes also for the assignees of
    # a sample that gets its first free slot or loses its last one.
    counts: Counter[tuple[int, str]] = Counter()
    turned = []
    for place, change in zip(places, changes, strict=True):
        before = place.room > 0
        after = place.room + change["by"] > 0
        if after if by < 0 else before:
            for person in people[place.sample_id]:
                counts[place.dataset_id, person] -= by
        if before != after:
            turned.append(place)
            counts[place.dataset_id, EVERYONE] += by
    assignees = _find_assignees(connection, [place.sample_id for place in turned])
    for place in turned:
        for person in assignees[place.sample_id]:
            if by > 0 or person not in people[place.sample_id]:
                counts[place.dataset_id, person] += by
    _add_counts(connection, counts)


def _find_pool_samples(connection: Connection, sample_ids: Iterable[int]) -> list[_PoolSample]:
    query = select(*columns_of(POOL, "sample_id dataset_id room"))
    rows = connection.execute(query.where(POOL.c.sample_id.in_(sample_ids)))
    return [_PoolSample(*row) for row in rows]


def _find_assignees(
    connection: Connection, sample_ids: Iterable[int]
) -> defaultdict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    query = select(ALLOTMENTS.c.sample_id, ALLOTMENTS.c.person)
    for row, person in connection.execute(query.where(ALLOTMENTS.c.sample_id.in_(sample_ids))):
        if base_person(person) == person:
            found[row].append(person)
    return found


def _add_counts(connection: Connection, counts: Counter[tuple[int, str]]) -> None:
    rows = [
        {"dataset_id": dataset, "person": person, "count": count}
        for (dataset, person), count in counts.items()
        if count
    ]
    if rows:
        connection.execute(_ADD_COUNTS, rows)
