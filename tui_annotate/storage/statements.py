"""Statements that are built once, as building one costs more than running it; no values in them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, TableClause, bindparam, select
from sqlalchemy.dialects.sqlite import Insert, insert

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


SAMPLE_ROW: Select[Any] = (
    select(SAMPLES.c.id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(DATASETS.c.name == bindparam("dataset"), SAMPLES.c.external == bindparam("sample"))
)
"""The row of a sample: takes `dataset` and `sample`."""

SAMPLE_KEY = select(DATASETS.c.name, SAMPLES.c.external).join(
    SAMPLES, SAMPLES.c.dataset_id == DATASETS.c.id
)
"""(dataset, id) of samples; to be narrowed."""
