"""Who has which samples, inside one transaction: given and taken back, in everybody's own order.

A dataset that is handed out stands in no order that all people walk; there everybody has what is
theirs. What was begun before belongs to whoever began it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, text
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.handouts import HandoutKind
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import (
    ALLOTMENTS,
    DATASET_SETTINGS,
    DATASETS,
    HANDOUTS,
    SAMPLES,
)
from tui_annotate.storage.ranks import (
    HANDED_OUT,
    PRACTICE,
    SHARE,
    Newcomer,
    add_ranks,
    common_orders,
    first_of_source,
    last_value,
    own_order,
    place,
    remove_ranks,
)
from tui_annotate.storage.scores.orders import outdate
from tui_annotate.storage.shares import pool_rooms
from tui_annotate.storage.statements import upsert, worked_on

_BATCH: Final = 1000
_DROP: Final = delete(ALLOTMENTS).where(
    ALLOTMENTS.c.person == bindparam("who"), ALLOTMENTS.c.sample_id == bindparam("row")
)
_BEGUN_BEFORE: Final = text(
    "SELECT a.person, a.sample_id FROM assignments a"  # noqa: S608  constants
    " JOIN samples s ON s.id = a.sample_id"
    " JOIN people p ON p.id = a.person AND p.kind IN ('local', 'account')"
    f" WHERE s.dataset_id = :dataset AND {worked_on('a')}"
    " ORDER BY a.person, a.updated, a.sample_id"
)
_OF_DATASET: Final = text(
    "SELECT a.person, a.sample_id, h.kind FROM samples s JOIN allotments a ON a.sample_id = s.id"
    " JOIN handouts h ON h.id = a.handout WHERE s.dataset_id = :dataset"
)
_SET: Final = upsert(DATASET_SETTINGS, "dataset_id", "name")


class Allotted(NamedTuple):
    """A sample's row that somebody has, or is to have."""

    person: str
    sample_id: int
    practice: bool = False


def handout(
    connection: Connection,
    kind: HandoutKind,
    *,
    dataset: str,
    by: str,
    at: str,
    request: Mapping[str, Any],
) -> int:
    """Writes down that work is handed out; the row's number."""
    row = {
        "at": at,
        "by": by,
        "kind": kind.value,
        "dataset": dataset,
        "request": to_json(dict(request)),
        "undone": "",
    }
    made = connection.execute(insert(HANDOUTS).values(row).returning(HANDOUTS.c.id))
    return int(made.scalar_one())


def setting(connection: Connection, dataset_id: int, name: str) -> Any:
    """A dataset's setting; None where it has none of that name."""
    query = select(DATASET_SETTINGS.c.value).where(
        DATASET_SETTINGS.c.dataset_id == dataset_id, DATASET_SETTINGS.c.name == name
    )
    found = connection.execute(query).scalar()
    return None if found is None else from_json(found)


def keep_setting(connection: Connection, dataset_id: int, name: str, *, value: Any) -> None:
    """Writes a setting of a dataset; None takes it away."""
    if value is None:
        mine = (DATASET_SETTINGS.c.dataset_id == dataset_id, DATASET_SETTINGS.c.name == name)
        connection.execute(delete(DATASET_SETTINGS).where(*mine))
    else:
        row = {"dataset_id": dataset_id, "name": name, "value": to_json(value)}
        connection.execute(_SET, row)


def allot(connection: Connection, rows: Iterable[Allotted], *, handout: int) -> list[Allotted]:
    """Puts samples behind what people have; what somebody has already stays as it is.

    Args:
        rows: each person's in their order.

    Returns:
        Those that are new.
    """
    wanted: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
    for row in dict.fromkeys(rows):
        wanted[row.person, row.practice].append(row.sample_id)
    new = []
    for (person, practice), sample_ids in wanted.items():
        fresh = _not_yet(connection, person, sample_ids)
        if not fresh:
            continue
        name = (PRACTICE if practice else SHARE) + person
        order = own_order(connection, name)
        start = last_value(connection, order) + 1
        places = list(enumerate(fresh, start))
        place(connection, places, order_id=order, order=name)
        values = [
            {
                "person": person,
                "sample_id": sample_id,
                "rank": value,
                "handout": handout,
                "practice": practice,
            }
            for value, sample_id in places
        ]
        connection.execute(insert(ALLOTMENTS), values)
        new += [Allotted(person, sample_id, practice) for sample_id in fresh]
    pool_rooms.taken(connection, [row[:2] for row in new])
    return new


def _not_yet(connection: Connection, person: str, sample_ids: Sequence[int]) -> list[int]:
    there: set[int] = set()
    for first in range(0, len(sample_ids), _BATCH):
        some = ALLOTMENTS.c.sample_id.in_(sample_ids[first : first + _BATCH])
        query = select(ALLOTMENTS.c.sample_id).where(ALLOTMENTS.c.person == person, some)
        there.update(connection.execute(query).scalars())
    return [sample_id for sample_id in sample_ids if sample_id not in there]


def release(connection: Connection, rows: Sequence[Allotted]) -> None:
    """Takes samples from people; what they did with them stays theirs."""
    by_person: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        by_person[row.person].append(row.sample_id)
    for person, sample_ids in by_person.items():
        orders = [own_order(connection, kind + person) for kind in (SHARE, PRACTICE)]
        remove_ranks(connection, sample_ids, orders)
    if rows:
        connection.execute(_DROP, [{"who": row.person, "row": row.sample_id} for row in rows])
    pool_rooms.given_back(connection, [row[:2] for row in rows])


# datasets ----------------------------------------------------------------------------------------


def hand_out(connection: Connection, dataset_id: int, *, by: str, at: str) -> None:
    """From now on people see of a dataset what they have; those who began samples have these."""
    if setting(connection, dataset_id, HANDED_OUT) is not None:
        return
    keep_setting(connection, dataset_id, HANDED_OUT, value=True)
    name = connection.execute(select(DATASETS.c.name).where(DATASETS.c.id == dataset_id)).scalar()
    rows = select(SAMPLES.c.id).where(SAMPLES.c.dataset_id == dataset_id)
    orders = [order[0] for order in common_orders(connection)]
    if orders:
        remove_ranks(connection, connection.execute(rows).scalars().all(), orders)
    begun = connection.execute(_BEGUN_BEFORE, {"dataset": dataset_id}).all()
    if begun:
        number = handout(connection, HandoutKind.FOUND, dataset=str(name), by=by, at=at, request={})
        allot(connection, [Allotted(*row) for row in begun], handout=number)


def free(connection: Connection, dataset_id: int) -> bool:
    """Gives a dataset back to everybody where nothing of it is handed out any more.

    Returns:
        Whether it is free.
    """
    rules = select(DATASET_SETTINGS.c.name).where(
        DATASET_SETTINGS.c.dataset_id == dataset_id,
        DATASET_SETTINGS.c.name.in_([HandoutKind.POOL.value, HandoutKind.PRACTICE.value]),
    )
    if connection.execute(rules.limit(1)).first() is not None:
        return False
    rows = connection.execute(_OF_DATASET, {"dataset": dataset_id}).all()
    if {row[2] for row in rows} - {HandoutKind.FOUND, HandoutKind.REPEAT}:
        return False
    if setting(connection, dataset_id, HANDED_OUT) is None:
        return True
    found = [Allotted(row[0], row[1]) for row in rows if row[2] == HandoutKind.FOUND]
    release(connection, found)
    keep_setting(connection, dataset_id, HANDED_OUT, value=None)
    _rank_again(connection, dataset_id)
    return True


def _rank_again(connection: Connection, dataset_id: int) -> None:
    query = (
        select(SAMPLES.c.id, SAMPLES.c.source, DATASETS.c.name, SAMPLES.c.external)
        .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
        .where(SAMPLES.c.dataset_id == dataset_id)
        .order_by(SAMPLES.c.id)
    )
    rows = connection.execute(query).all()
    sources = list(dict.fromkeys(row[1] for row in rows))
    first: dict[str, int] = {}
    for at in range(0, len(sources), _BATCH):
        first |= first_of_source(connection, sources[at : at + _BATCH])
    newcomers = [Newcomer(row[0], first.setdefault(row[1], row[0]), row[2], row[3]) for row in rows]
    add_ranks(connection, newcomers)
    outdate(connection)
