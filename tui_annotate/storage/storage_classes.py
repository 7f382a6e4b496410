"""Finds values that SQLite stores with another type than the program writes into their column.

SQLite accepts a value of any type in almost every column, so another program can store, for
example, a number where the program reads a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Boolean, Column, Connection, Float, Integer, LargeBinary, Table, text

from tui_annotate.storage.documents import name_document

_CLASSES: Final[tuple[tuple[type, str], ...]] = (
    (LargeBinary, "blob"),
    (Boolean, "integer"),
    (Integer, "integer"),
    (Float, "real"),
)
_MAX_KEY: Final = 40
"""Maximum number of characters of a row's key that a message quotes."""


@dataclass(frozen=True, slots=True)
class WrongValue:
    """A value with a wrong type; `row` describes its row, `document` names a text's samples."""

    table: str
    row: str
    column: str
    found: str
    expected: str
    document: str = ""

    def __str__(self) -> str:
        where = f"table {self.table}, row {self.row}, column {self.column}"
        says = f"{where}: the value is stored as {self.found}, not as {self.expected}"
        return (
            f"the text of a document is damaged: {self.document}; {says}" if self.document else says
        )


def find_wrong_values(connection: Connection) -> Iterator[WrongValue]:
    """Yield the values of all tables that have a wrong type, by table and key.

    PostgreSQL stores no such values.
    """
    if connection.dialect.name != "sqlite":
        return
    from tui_annotate.storage.tables import METADATA  # here, as importing SQLModel takes 130 ms

    for table in METADATA.sorted_tables:
        yield from _find_in_table(connection, table)


def _find_in_table(connection: Connection, table: Table) -> Iterator[WrongValue]:
    columns = list(table.columns)
    keys = list(table.primary_key.columns)
    types = [f'typeof("{each.name}")' for each in columns]
    wrong = " OR ".join(
        f"{found} NOT IN ({_quote(_allowed_classes(each))})"
        for found, each in zip(types, columns, strict=True)
    )
    names = ", ".join(f'quote("{each.name}")' for each in keys)
    query = f'SELECT {names}, {", ".join(types)} FROM "{table.name}" WHERE {wrong}'  # noqa: S608  names of our tables
    for row in connection.execute(text(query)):
        key = [
            f"{each.name} {str(value)[:_MAX_KEY]}" for each, value in zip(keys, row, strict=False)
        ]
        for each, found in zip(columns, row[len(keys) :], strict=True):
            allowed = _allowed_classes(each)
            if found not in allowed:
                is_text = (table.name, each.name) == ("documents", "text")
                document = _name_document(connection, row[0]) if is_text else ""
                yield WrongValue(table.name, ", ".join(key), each.name, found, allowed[0], document)


def _name_document(connection: Connection, document_id: str) -> str:
    query = text(f"SELECT CAST(sha256 AS TEXT) FROM documents WHERE id = {document_id}")  # noqa: S608  quoted by SQLite
    return name_document(connection, str(connection.execute(query).scalar_one()))


def _allowed_classes(column: Column[Any]) -> list[str]:
    """Return the names of SQLite's types that are right in a column, the usual one first."""
    usual = next((name for kind, name in _CLASSES if isinstance(column.type, kind)), "text")
    return [usual, "null"] if column.nullable else [usual]


def _quote(names: list[str]) -> str:
    return ", ".join(f"'{each}'" for each in names)
