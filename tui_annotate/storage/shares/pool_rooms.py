"""How many more people each sample of a pool takes, and how many samples that leaves to whom.

Counted by dataset and person, so that a hundred thousand samples cost what a hundred cost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, text, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.people import reader
from tui_annotate.storage.columns import ALLOTMENTS, POOL, POOL_COUNTS

EVERYONE: Final = ""
"""The `person` of a count that is of all open samples, not of those that somebody has."""

_BATCH: Final = 1000
_ROOM: Final = (
    update(POOL)
    .where(POOL.c.sample_id == bindparam("row"))
    .values(room=POOL.c.room + bindparam("by"))
)
_ADD = insert(POOL_COUNTS)
_ADD = _ADD.on_conflict_do_update(
    index_elements=["dataset_id", "person"],
    set_={"count": POOL_COUNTS.c.count + _ADD.excluded.count},
)
_RECOUNT: Final = text(
    "INSERT INTO pool_counts (dataset_id, person, count)"
    " SELECT :dataset, '', count(*) FROM pool WHERE dataset_id = :dataset AND room > 0"
    " UNION ALL SELECT :dataset, a.person, count(*) FROM pool q"
    "   JOIN allotments a ON a.sample_id = q.sample_id"
    "   JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    "   WHERE q.dataset_id = :dataset AND q.room > 0 GROUP BY a.person"
)
_LEFT: Final = text(
    "SELECT coalesce(sum(CASE person WHEN '' THEN count ELSE -count END), 0) FROM pool_counts"
    " WHERE dataset_id = :dataset AND person IN ('', :person)"
)


class _Place(NamedTuple):
    """A sample of a pool, and how many more people it takes."""

    sample_id: int
    dataset_id: int
    room: int


def left(connection: Connection, dataset_id: int, *, person: str) -> int:
    """How many samples of a pool somebody could draw, if nobody else did."""
    scope = {"dataset": dataset_id, "person": person}
    return int(connection.execute(_LEFT, scope).scalar_one())


def recount(connection: Connection, dataset_id: int) -> None:
    """Counts a pool anew."""
    mine = POOL_COUNTS.c.dataset_id == dataset_id
    connection.execute(delete(POOL_COUNTS).where(mine))
    connection.execute(_RECOUNT, {"dataset": dataset_id})


def came(connection: Connection, dataset_id: int, count: int) -> None:
    """So many samples came into a pool that nobody has."""
    _count(connection, Counter({(dataset_id, EVERYONE): count}))


def taken(connection: Connection, rows: Iterable[tuple[str, int]]) -> None:
    """People got samples just now: (person, sample's row); they have them already."""
    _change(connection, rows, by=-1)


def given_back(connection: Connection, rows: Iterable[tuple[str, int]]) -> None:
    """Samples were taken from people just now; they do not have them any more."""
    _change(connection, rows, by=1)


def leave(connection: Connection, sample_id: int) -> None:
    """A sample is about to be taken out of the store."""
    for place in _places(connection, [sample_id]):
        if place.room > 0:
            people = [EVERYONE, *_holders(connection, [sample_id])[sample_id]]
            _count(connection, Counter({(place.dataset_id, who): -1 for who in people}))


def _change(connection: Connection, rows: Iterable[tuple[str, int]], *, by: int) -> None:
    people: defaultdict[int, list[str]] = defaultdict(list)
    for person, sample_id in rows:
        if reader(person) == person:  # a second reading is by nobody new
            people[sample_id].append(person)
    samples = sorted(people)
    for first in range(0, len(samples), _BATCH):
        some = samples[first : first + _BATCH]
        _change_some(connection, {row: people[row] for row in some}, by=by)


def _change_some(connection: Connection, people: Mapping[int, Sequence[str]], *, by: int) -> None:
    places = _places(connection, list(people))
    if not places:
        return
    changes = [{"row": each.sample_id, "by": by * len(people[each.sample_id])} for each in places]
    connection.execute(_ROOM, changes)
    counts: Counter[tuple[int, str]] = Counter()
    turned = []
    for place, change in zip(places, changes, strict=True):
        before, after = place.room > 0, place.room + change["by"] > 0
        counted = after if by < 0 else before
        if counted:
            for person in people[place.sample_id]:
                counts[place.dataset_id, person] -= by
        if before != after:
            turned.append(place)
            counts[place.dataset_id, EVERYONE] += by
    holders = _holders(connection, [place.sample_id for place in turned])
    for place in turned:
        for person in holders[place.sample_id]:
            if by > 0 or person not in people[place.sample_id]:
                counts[place.dataset_id, person] += by
    _count(connection, counts)


def _places(connection: Connection, sample_ids: Sequence[int]) -> list[_Place]:
    query = select(POOL.c.sample_id, POOL.c.dataset_id, POOL.c.room)
    rows = connection.execute(query.where(POOL.c.sample_id.in_(sample_ids)))
    return [_Place(*row) for row in rows]


def _holders(connection: Connection, sample_ids: Sequence[int]) -> defaultdict[int, list[str]]:
    """By sample, who has it; second readings apart."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    query = select(ALLOTMENTS.c.sample_id, ALLOTMENTS.c.person)
    for row, person in connection.execute(query.where(ALLOTMENTS.c.sample_id.in_(sample_ids))):
        if reader(person) == person:
            found[row].append(person)
    return found


def _count(connection: Connection, counts: Counter[tuple[int, str]]) -> None:
    rows = [
        {"dataset_id": dataset, "person": person, "count": count}
        for (dataset, person), count in counts.items()
        if count
    ]
    if rows:
        connection.execute(_ADD, rows)
