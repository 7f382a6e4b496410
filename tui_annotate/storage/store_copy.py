"""Copies all rows of a store to new tables, which may be of the other kind of database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, insert, select

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.change_record import OTHER_SETTINGS
from tui_annotate.storage.columns import ORDERS

_ROWS: Final = 1000
"""Number of rows that are read and written at once."""


def copy_rows(source: Connection, target: Connection) -> int:
    """Copy the rows of all tables, without the record of changes; return their number.

    `target` has the tables of a new store and is in a write transaction. The record of changes
    remains, because it describes the rows of one SQLite file; `Database.start_record` starts the
    record of a copy.

    Raises:
        InvalidInput: PostgreSQL cannot store a text; the message names its table and row.
    """
    from tui_annotate.storage.tables import METADATA  # here, as importing SQLModel takes 130 ms

    count = 0
    target.execute(delete(ORDERS))  # a new store has two already
    for table in METADATA.sorted_tables:
        query = OTHER_SETTINGS if table.name == "settings" else select(table)
        rows = source.execute(query.execution_options(yield_per=_ROWS)).mappings()
        for batch in split_batches(rows, _ROWS):
            values = [dict(row) for row in batch]
            if target.dialect.name == "postgresql":
                _require_storable(table, values)
            target.execute(insert(table), values)
            count += len(values)
        if target.dialect.name == "postgresql":
            _continue_numbers(target, table)
    return count


def _require_storable(table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    """Check that no text contains NUL, which PostgreSQL does not store."""
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str) and "\0" in value:
                key = ", ".join(repr(row[each.name]) for each in table.primary_key)
                raise InvalidInput(
                    f"the table {table.name} has a text with the character NUL (U+0000), which"
                    f" PostgreSQL does not store: column {name} of row {key}",
                    "remove the character from the text, or keep the store in SQLite",
                    code="control-character",
                )


def _continue_numbers(connection: Connection, table: Table) -> None:
    """Let PostgreSQL number new rows of a table after the copied ones."""
    column = table.autoincrement_column
    if column is None:
        return
    connection.exec_driver_sql(
        # Both names are constants of `tables`.
        f"SELECT setval(pg_get_serial_sequence('{table.name}', '{column.name}'),"  # noqa: S608
        f" coalesce(max({column.name}), 0) + 1, false) FROM {table.name}"
    )
