"""SQL statements of several modules, built once because building costs more than running."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    String,
    TableClause,
    bindparam,
    delete,
    select,
)
from sqlalchemy.dialects.sqlite import Insert, insert

from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.records import DatasetDescription
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import DATASET_SETTINGS, DATASETS, SAMPLES


def upsert(table: TableClause, *keys: str) -> Insert:
    """Return a statement that inserts whole rows and replaces rows with the same key."""
    statement = insert(table)
    changed = {
        column.name: statement.excluded[column.name]
        for column in table.columns
        if column.name not in keys
    }
    return statement.on_conflict_do_update(index_elements=keys, set_=changed)


def add_counts(table: TableClause, *keys: str) -> Insert:
    """Return a statement that inserts counts and adds to the counts of rows with the same key."""
    statement = insert(table)
    grown = {"count": table.c["count"] + statement.excluded["count"]}
    return statement.on_conflict_do_update(index_elements=keys, set_=grown)


def add_missing(table: TableClause) -> Insert:
    """Return a statement that inserts whole rows and keeps existing rows with the same key."""
    return insert(table).on_conflict_do_nothing()


DESCRIPTION: Final = "about"
"""Setting of a dataset that holds its license, origin and citation."""
COLUMNS: Final = "columns"
"""Setting of a dataset that holds the columns of the imported tables, the last first."""
FIRST_ROW: Final = "first_row"
"""Setting of a dataset that holds the number of a table's first row, if row numbers are ids."""
_SET_SETTING: Final = upsert(DATASET_SETTINGS, "dataset_id", "name")


def text_list(name: str) -> BindParameter[str]:
    """Return a parameter for the texts of an SQL list, as in `person IN :people`.

    With its type, also an empty list has a type that PostgreSQL compares with texts.
    """
    return bindparam(name, expanding=True, type_=String())


ROW_IDS: Final = "SELECT CAST(value AS BIGINT) FROM json_each(:rows)"
"""SQL: the row ids of the parameter `rows`, a JSON array.

One parameter, because expanding a list of a hundred ids takes as long as reading its rows.
"""


DECODED_TEXT: Final = {"sqlite": "CAST(u.text AS TEXT)", "postgresql": "decode_text(u.text)"}
"""SQL of a document's text, by dialect: PostgreSQL's cast would give hexadecimal digits."""


def json_number(document: str, name: str) -> str:
    """Return an SQL expression: the whole number that a field of a JSON object has, or NULL."""
    return f"CAST(json_extract({document}, '$.{name}') AS BIGINT)"


def json_is_true(document: str, name: str) -> str:
    """Return an SQL condition: whether a field of a JSON object is true, or a number except 0."""
    return f"coalesce(CAST(json_extract({document}, '$.{name}') AS REAL), 0) <> 0"


def worked_on_condition(assignment: str) -> str:
    """Return an SQL condition that is true if a person worked on a sample, not only opened it."""
    said = " OR ".join(f"{assignment}.{name} <> ''" for name in ("rating", "comment"))
    return f"({assignment}.state <> 'new' OR {assignment}.annotations > 0 OR {said})"


def gold_condition(work: str) -> str:
    """Return an SQL condition: whether a sample was assigned to check the person's accuracy."""
    mine = f"g.person = {work}.person AND g.sample_id = {work}.sample_id"
    return (
        "EXISTS (SELECT 1 FROM allotments g JOIN handouts b ON b.id = g.handout AND b.kind = 'gold'"  # noqa: S608
        f" WHERE {mine})"
    )


def practice_condition(work: str) -> str:
    """Return an SQL condition: whether a sample was assigned to the person for practice."""
    return (
        f"EXISTS (SELECT 1 FROM allotments p WHERE p.person = {work}.person"  # noqa: S608
        f" AND p.sample_id = {work}.sample_id AND p.practice)"
    )


def seen_scope(seen: Sequence[str] | None) -> dict[str, Any]:
    """Return parameters for queries of work that a user may see (of the people in `seen`, or all).

    A query with these parameters has `person <> :settled AND (:everybody OR person IN :seen)`.
    """
    return {"settled": SETTLED, "everybody": seen is None, "seen": list(seen or ())}


SAMPLE_ROW: Final[Select[Any]] = (
    select(SAMPLES.c.id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(DATASETS.c.name == bindparam("dataset"), SAMPLES.c.external == bindparam("sample"))
)

SAMPLE_KEY = select(DATASETS.c.name, SAMPLES.c.external).join(
    SAMPLES, SAMPLES.c.dataset_id == DATASETS.c.id
)
"""Query for (dataset name, sample id) of all samples, to which callers add conditions."""


def sample_row(connection: Connection, key: SampleKey) -> int:
    """Return the row id of a sample; NotFound for an unknown key."""
    found = connection.execute(SAMPLE_ROW, {"dataset": key.dataset, "sample": key.id}).scalar()
    if found is None:
        raise NotFound(f"there is no sample {key}", "check whether the dataset was removed")
    return int(found)


def known_digests(connection: Connection, keys: Sequence[SampleKey]) -> dict[SampleKey, str]:
    """Return the digest of each of these samples that is stored."""
    known: dict[SampleKey, str] = {}
    by_dataset: dict[str, list[str]] = {}
    for key in keys:
        by_dataset.setdefault(key.dataset, []).append(key.id)
    for dataset, ids in by_dataset.items():
        query = SAMPLE_KEY.add_columns(SAMPLES.c.digest).where(
            DATASETS.c.name == dataset, SAMPLES.c.external.in_(ids)
        )
        known |= {SampleKey(*key): digest for *key, digest in connection.execute(query)}
    return known


def dataset_row(connection: Connection, name: str) -> int:
    """Return the row id of a dataset; NotFound, with similar names, for an unknown name."""
    found = connection.execute(select(DATASETS.c.id).where(DATASETS.c.name == name)).scalar()
    if found is None:
        raise unknown_dataset(name, connection.execute(select(DATASETS.c.name)).scalars())
    return int(found)


def dataset_setting(connection: Connection, dataset_id: int, name: str) -> Any:
    """Return a dataset's setting, parsed from JSON; None if the dataset has no such setting."""
    query = select(DATASET_SETTINGS.c.value).where(
        DATASET_SETTINGS.c.dataset_id == dataset_id, DATASET_SETTINGS.c.name == name
    )
    found = connection.execute(query).scalar()
    return None if found is None else from_json(found)


def dataset_settings(connection: Connection, name: str) -> dict[str, Any]:
    """Return a setting of all datasets that have it, parsed from JSON, by dataset name."""
    query = select(DATASETS.c.name, DATASET_SETTINGS.c.value).where(
        DATASET_SETTINGS.c.dataset_id == DATASETS.c.id, DATASET_SETTINGS.c.name == name
    )
    return {dataset: from_json(value) for dataset, value in connection.execute(query)}


def dataset_descriptions(connection: Connection) -> dict[str, DatasetDescription]:
    """Return the descriptions of datasets by name, without datasets that have none."""
    found = dataset_settings(connection, DESCRIPTION)
    return {name: DatasetDescription(**value) for name, value in found.items()}


def set_dataset_setting(connection: Connection, dataset_id: int, name: str, *, value: Any) -> None:
    """Store a setting of a dataset, whose value JSON can represent; None removes the setting."""
    if value is None:
        mine = (DATASET_SETTINGS.c.dataset_id == dataset_id, DATASET_SETTINGS.c.name == name)
        connection.execute(delete(DATASET_SETTINGS).where(*mine))
    else:
        row = {"dataset_id": dataset_id, "name": name, "value": to_json(value)}
        connection.execute(_SET_SETTING, row)
