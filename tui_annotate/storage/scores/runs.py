"""Runs of scorers and judges over a dataset: begin, finish and drop runs, find the newest.

The newest finished run of each maker and dataset is current. An interrupted run is dropped by the
next run of the same maker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, delete, func, select, text, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.storage.blind_datasets import hidden_rows
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import check_storable, from_json, to_json
from tui_annotate.storage.columns import DATASETS, RUNS, SAMPLES, SCORES, columns_of
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import dataset_row

_AT_ONCE: Final = 2000  # rows of samples whose scores one transaction drops
_COLUMNS: Final = "number dataset_id id kind maker parameters embedder low names at by"
_RUNS: Final[Select[Any]] = (
    select(*columns_of(RUNS, _COLUMNS), DATASETS.c.name)
    .join(DATASETS, DATASETS.c.id == RUNS.c.dataset_id)
    .order_by(RUNS.c.number)
)
_KILLED: Final = text(
    "SELECT r.number FROM runs r JOIN datasets d ON d.id = r.dataset_id"
    " WHERE d.name = :dataset AND r.kind = :kind AND r.maker = :maker AND r.finished = ''"
)


class StoredRun(NamedTuple):
    """A run of a scorer or judge, with its row id and the row id of its dataset.

    `valued` is the number of samples with a value, by score name; only these scores can sort a
    queue.
    """

    number: int
    dataset_id: int
    names: tuple[str, ...]
    valued: Mapping[str, int]
    run: ScoreRun


def begin(database: Database, run: ScoreRun, *, by: str) -> int:
    """Store a new run of a scorer; the run's scores are ignored until it is finished.

    Interrupted runs of the same kind, maker and dataset are dropped. `by` is stored if the run
    names no person.

    Raises:
        NotFound: there is no such dataset.
        Conflict: there is a run with this id already.
        InvalidInput: the maker's name cannot be stored.
    """
    with database.reading() as connection:
        scope = {"dataset": run.dataset, "kind": run.kind.value, "maker": run.maker}
        left = connection.execute(_KILLED, scope).scalars().all()
    for number in left:
        drop(database, number)
    with database.writing() as connection:
        dataset_id = dataset_row(connection, run.dataset)
        if connection.execute(select(RUNS.c.id).where(RUNS.c.id == run.id)).first():
            raise Conflict(f"there is a run {run.id} already", "give the new run a different id")
        number = (connection.execute(select(func.max(RUNS.c.number))).scalar() or 0) + 1
        row = {
            "number": number,
            "id": run.id,
            "dataset_id": dataset_id,
            "kind": run.kind.value,
            "maker": check_storable(run.maker, "maker"),
            "parameters": to_json(dict(run.parameters)),
            "embedder": run.embedder,
            "low": to_json(sorted(run.low)),
            "names": "{}",
            "at": run.at or utc_now(),
            "by": run.by or by,
            "finished": "",
        }
        connection.execute(insert(RUNS), row)
        return number


def finish(connection: Connection, number: int, names: Mapping[str, int] | None = None) -> None:
    """Mark a run of a scorer or judge as finished, so that its scores are used."""
    values = {"names": to_json(dict(sorted((names or {}).items()))), "finished": utc_now()}
    connection.execute(update(RUNS).where(RUNS.c.number == number).values(values))


def drop(database: Database, number: int) -> None:
    """Delete a run of a scorer or judge and its scores, in short transactions."""
    with database.writing() as connection:
        mine = RUNS.c.number == number
        connection.execute(update(RUNS).where(mine).values(finished=""))
        last = connection.execute(select(func.max(SAMPLES.c.id))).scalar() or 0
    for start in range(0, last + 1, _AT_ONCE):
        some = SCORES.c.sample_id.between(start, start + _AT_ONCE - 1)
        with database.writing() as connection:
            connection.execute(delete(SCORES).where(some, SCORES.c.run == number))
    with database.writing() as connection:
        connection.execute(delete(RUNS).where(RUNS.c.number == number))


def list_runs(
    connection: Connection, dataset: str = "", *, finished: bool = True
) -> list[StoredRun]:
    """Return the finished or the unfinished runs of scorers and judges, the oldest first."""
    query = _RUNS.where((RUNS.c.finished != "") == finished)
    if dataset:
        query = query.where(DATASETS.c.name == dataset)
    return [_build_stored_run(*row) for row in connection.execute(query)]


def select_newest(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Return the newest run of each scorer or model on each dataset, the oldest first."""
    last = {(each.dataset_id, each.run.kind, each.run.maker): each for each in runs}
    return [each for each in runs if last[each.dataset_id, each.run.kind, each.run.maker] is each]


def current_runs(runs: Sequence[StoredRun]) -> dict[tuple[int, str], StoredRun]:
    """Map each dataset and score name to the newest run that computed the score."""
    return {(each.dataset_id, name): each for each in select_newest(runs) for name in each.names}


def list_visible_runs(connection: Connection) -> dict[tuple[int, str], StoredRun]:
    """Return the newest run of each score in each dataset that does not hide scores."""
    hidden = hidden_rows(connection)
    current = current_runs(list_runs(connection))
    return {at: each for at, each in current.items() if at[0] not in hidden}


@lru_cache(maxsize=1024)
def _build_stored_run(*row: Any) -> StoredRun:
    number, dataset_id, id_, kind, maker, parameters, embedder, low, names, at, by, dataset = row
    counts = from_json(names)
    run = ScoreRun(
        id=id_,
        kind=RunKind(kind),
        maker=maker,
        dataset=dataset,
        parameters=from_json(parameters),
        embedder=embedder,
        low=frozenset(from_json(low)),
        at=at,
        by=by,
    )
    valued = {name: count for name, count in counts.items() if count}
    return StoredRun(number, dataset_id, tuple(counts), valued, run)
