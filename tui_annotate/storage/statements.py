"""Statements of several stores, built once, as building one costs more than running it."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Select, TableClause, bindparam, select
from sqlalchemy.dialects.sqlite import Insert, insert

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import DATASETS, SAMPLES


def upsert(table: TableClause, *keys: str) -> Insert:
    """Writes whole rows; one whose key is there takes the new values."""
    statement = insert(table)
    changed = {
        column.name: statement.excluded[column.name]
        for column in table.columns
        if column.name not in keys
    }
    return statement.on_conflict_do_update(index_elements=keys, set_=changed)


def add_missing(table: TableClause) -> Insert:
    """Writes whole rows; one whose key is there stays as it is."""
    return insert(table).on_conflict_do_nothing()


def worked_on(assignment: str) -> str:
    """SQL that is true of an assignment, by its alias, which tells of anything but time."""
    said = " OR ".join(f"{assignment}.{name} <> ''" for name in ("rating", "comment"))
    return f"({assignment}.state <> 'new' OR {assignment}.annotations > 0 OR {said})"


SAMPLE_ROW: Final[Select[Any]] = (
    select(SAMPLES.c.id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(DATASETS.c.name == bindparam("dataset"), SAMPLES.c.external == bindparam("sample"))
)
"""The row of a sample: takes `dataset` and `sample`."""

SAMPLE_KEY = select(DATASETS.c.name, SAMPLES.c.external).join(
    SAMPLES, SAMPLES.c.dataset_id == DATASETS.c.id
)
"""(dataset, id) of samples; to be narrowed."""


def sample_row(connection: Connection, key: SampleKey) -> int:
    """The row of a sample.

    Raises:
        NotFound: there is no such sample.
    """
    found = connection.execute(SAMPLE_ROW, {"dataset": key.dataset, "sample": key.id}).scalar()
    if found is None:
        raise NotFound(f"there is no sample {key}", "was its dataset removed meanwhile?")
    return int(found)
