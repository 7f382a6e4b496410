"""Orders of samples by a score, each computed when a run of a scorer has ended.

An order is stored under its name and a digest of its runs, so that no annotator ever sees half of
an order. Samples that were added since, and samples without the score, come last, in order of
arrival.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from statistics import median
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, func, select, text, tuple_, update

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.queue_orders import ByScore, ScoreDirection, by_score
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import ORDERS, RANKS, RUNS, SAMPLES, SCORES, SUGGESTIONS, TALLIES
from tui_annotate.storage.database import Database
from tui_annotate.storage.queue_orders import (
    UNSCORED,
    RankedSample,
    fill_order,
    insert_ranks,
    remove_ranks,
)
from tui_annotate.storage.scores import runs
from tui_annotate.storage.scores.runs import StoredRun

_MARK: Final = "#"
_OUTDATED: Final = "outdated"
_BATCH: Final = 5000  # rows of an order that one transaction drops
_VALUES: Final = text(
    "SELECT s.id, c.raw, c.value, s.external FROM samples s JOIN scores c ON c.sample_id = s.id"
    " WHERE s.dataset_id = :dataset AND c.run = :run AND c.name = :name AND c.extra = 0"
    " AND c.value IS NOT NULL ORDER BY s.id"
)


def ensure_order(database: Database, order: ByScore) -> int:
    """Return the row id of a queue order by score, computed anew if outdated; or InvalidInput."""
    with database.reading() as connection:
        current_runs = _select_runs(runs.list_visible_runs(connection), order.score)
        name = _name_order(order, current_runs)
        found = connection.execute(_FILLED, {"name": name}).scalar()
        if found is not None:
            return int(found)
        line = _compute_positions(connection, order, current_runs)
    made = fill_order(database, name, value=partial(position_value, line))
    _drop_older_orders(database, order, made)
    return made


def position_value(line: Mapping[int, int], newcomer: RankedSample) -> int:
    """Return a sample's position in a queue by score; samples without a score come last."""
    return line.get(newcomer.sample_id, UNSCORED + newcomer.sample_id)


_FILLED: Final = select(ORDERS.c.id).where(
    ORDERS.c.name == bindparam("name"), ORDERS.c.filled >= ORDERS.c.until
)


def read_positions(connection: Connection, order: ByScore, dataset_id: int) -> dict[int, int]:
    """Return the positions, from 0, of scored samples by row id; InvalidInput without the score."""
    found = [each for each in runs.list_runs(connection) if each.dataset_id == dataset_id]
    return _compute_positions(
        connection, order, _select_runs(runs.current_runs(found), order.score)
    )


def read_support(connection: Connection, score: str) -> dict[SampleKey, float]:
    """Return how well the source supports each sample by a score, in [0, 1]; or InvalidInput."""
    found: dict[SampleKey, float] = {}
    for each in _select_runs(runs.current_runs(runs.list_runs(connection)), score):
        wanted = {"dataset": each.dataset_id, "run": each.number, "name": score}
        for _, _, value, sample in connection.execute(_VALUES, wanted):
            good = 1.0 - value if score in each.run.low else value
            found[SampleKey(each.run.dataset, sample)] = min(max(good, 0.0), 1.0)
    return found


def _select_runs(current_runs: Mapping[tuple[int, str], StoredRun], score: str) -> list[StoredRun]:
    valued = {at: each for at, each in current_runs.items() if at[1] in each.valued}
    found = [each for (_, name), each in valued.items() if name == score]
    if not found:
        known = f"choose one of: {', '.join(sorted({name for _, name in valued}))}"
        hint = known if valued else "compute scores with: tui-annotate lab scores compute"
        raise InvalidInput(f"there is no score {score!r}", hint)
    return sorted(found, key=lambda each: each.number)


def _name_order(order: ByScore, current_runs: Sequence[StoredRun]) -> str:
    run_ids = "\n".join(each.run.id for each in current_runs)
    return f"{order}{_MARK}{hashlib.sha256(run_ids.encode()).hexdigest()[:16]}"


def _compute_positions(
    connection: Connection, order: ByScore, current_runs: Sequence[StoredRun]
) -> dict[int, int]:
    distances: list[tuple[float, int]] = []
    for each in current_runs:
        wanted = {"dataset": each.dataset_id, "run": each.number, "name": order.score}
        found = connection.execute(_VALUES, wanted).all()
        distances += _compute_sort_keys(found, order, each)
    return {sample_id: place for place, (_, sample_id) in enumerate(sorted(distances))}


def _compute_sort_keys(
    found: Sequence[Any], order: ByScore, stored: StoredRun
) -> list[tuple[float, int]]:
    """Return a sort key (smaller comes earlier) and the row id of each sample with a score."""
    if order.sense is ScoreDirection.UNCERTAIN:
        middle = _find_middle(found, order, stored)
        return [(abs(each.value - middle), each.id) for each in found]
    worst_is_low = order.score not in stored.run.low
    sign = 1.0 if worst_is_low == (order.sense is ScoreDirection.WORST) else -1.0
    return [(sign * each.value, each.id) for each in found]


def _find_middle(found: Sequence[Any], order: ByScore, stored: StoredRun) -> float:
    """Return the most uncertain value: that of the order or of the scorer, else the median."""
    named: Any = order.middle
    if named is None:
        named = stored.run.parameters.get("middle")
    if isinstance(named, dict):
        named = named.get(order.score)
    known = [(each.raw, each.value) for each in found if each.raw is not None]
    if order.middle is not None and not known:
        return order.middle  # scores that were imported as scaled values have no other scale
    if not isinstance(named, int | float) or not known:
        return median([each.value for each in found]) if found else 0.0
    # Values are linear in raw scores, so two pairs determine the line.
    low, low_value = min(known)
    high, high_value = max(known)
    share = (named - low) / (high - low) if high != low else 0.0
    return float(low_value + share * (high_value - low_value))


# updates after runs and changes -------------------------------------------------------------------


def refresh_orders(database: Database, names: Collection[str]) -> None:
    """Recompute the queue orders that sort by given scores; drop orders whose score is gone."""
    with database.reading() as connection:
        made = _list_stored_orders(connection)
    for order in sorted({order for _, order in made if order.score in names}, key=str):
        with suppress(InvalidInput):
            ensure_order(database, order)
            continue
        _drop_orders(database, order, [number for number, each in made if each == order])


def mark_orders_outdated(connection: Connection) -> None:
    """Mark all queue orders by score as outdated, for example after samples were added."""
    for number, order in _list_stored_orders(connection):
        _rename_outdated(connection, number, order)


def _rename_outdated(connection: Connection, number: int, order: ByScore) -> None:
    values = {"name": f"{order}{_MARK}{_OUTDATED}-{number}"}
    connection.execute(update(ORDERS).where(ORDERS.c.id == number).values(values))


def _move_to_end(connection: Connection, sample_ids: Sequence[int]) -> None:
    for number, order in _list_stored_orders(connection):
        among = select(RANKS.c.sample_id).where(
            RANKS.c.sample_id.in_(sample_ids), RANKS.c.order_id == number
        )
        rows = list(connection.execute(among).scalars())
        if rows:
            remove_ranks(connection, rows, [number])
            places = [(UNSCORED + row, row) for row in rows]
            insert_ranks(connection, places, order_id=number, order=str(order))


def _list_stored_orders(connection: Connection) -> list[tuple[int, ByScore]]:
    query = select(ORDERS.c.id, ORDERS.c.name).where(ORDERS.c.name.contains(_MARK))
    named = [(row[0], by_score(row[1].rpartition(_MARK)[0])) for row in connection.execute(query)]
    return [(number, order) for number, order in named if order]


def _drop_older_orders(database: Database, order: ByScore, made: int) -> None:
    """Delete old versions of a queue order; keep the last one, as it may still be in use."""
    with database.reading() as connection:
        others = [n for n, each in _list_stored_orders(connection) if each == order and n != made]
    _drop_orders(database, order, sorted(others)[:-1])


def _drop_orders(database: Database, order: ByScore, numbers: Collection[int]) -> None:
    """Rename each given queue order, then delete it in short transactions."""
    for number in numbers:
        with database.writing() as connection:
            _rename_outdated(connection, number, order)
        mine = RANKS.c.order_id == number
        some: Any = select(RANKS.c.sample_id).where(mine).limit(_BATCH)
        left = 1
        while left:
            with database.writing() as connection:
                connection.execute(delete(RANKS).where(mine, RANKS.c.sample_id.in_(some)))
                count = select(func.count()).select_from(RANKS).where(mine)
                left = connection.execute(count).scalar_one()
        with database.writing() as connection:
            connection.execute(delete(TALLIES).where(TALLIES.c.order_id == number))
            connection.execute(delete(ORDERS).where(ORDERS.c.id == number))


# texts that change -------------------------------------------------------------------------------

_READ_COLUMNS: Final = ("digest", "request", "meta", "group")
"""Columns of the sample table from which scores may be computed."""


def drop_stale_results(connection: Connection, coming: Mapping[int, Mapping[str, Any]]) -> None:
    """Delete the scores and suggestions of samples whose texts or other fields change.

    Those of all samples of the same group are also deleted, since a score may compare their texts.
    `coming` has the new columns of each sample by row id; they are not written yet.
    """
    if connection.execute(select(RUNS.c.number).limit(1)).first() is None:
        return
    query = select(SAMPLES.c.id, SAMPLES.c.dataset_id, *(SAMPLES.c[name] for name in _READ_COLUMNS))
    found = connection.execute(query.where(SAMPLES.c.id.in_(list(coming)))).mappings()
    changed: list[int] = []
    groups: set[tuple[int, str]] = set()
    for row in found:
        new = coming[row["id"]]
        if any(row[name] != new[name] for name in _READ_COLUMNS):
            changed.append(row["id"])
            groups |= {(row["dataset_id"], each) for each in (row["group"], new["group"]) if each}
    if groups:
        among = tuple_(SAMPLES.c.dataset_id, SAMPLES.c.group).in_(sorted(groups))
        changed += connection.execute(select(SAMPLES.c.id).where(among)).scalars()
    if changed:
        for table in (SCORES, SUGGESTIONS):
            connection.execute(delete(table).where(table.c.sample_id.in_(changed)))
        _move_to_end(connection, changed)
