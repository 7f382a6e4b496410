"""Groups rows of a table that have the same texts: several people or spans of one summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from hashlib import sha256
from typing import Any, NamedTuple, Self

from tui_annotate.plugins.record_validation import check_temporary_space, open_temporary_database


class GroupedRow(NamedTuple):
    """A row of a table with the values of its cells.

    `where` is its position in the file; `names` are its dataset and its name there.
    """

    where: str
    fields: dict[str, Any]
    names: tuple[str, str] = ("", "")


class RowGroups(AbstractContextManager["RowGroups"]):
    """Rows by key, stored on disk if they are many; groups are in the order of their first rows."""

    def __init__(self) -> None:
        self._database = open_temporary_database(
            "CREATE TABLE rows (number INTEGER PRIMARY KEY, key TEXT, row TEXT);"
            "CREATE INDEX by_key ON rows (key, number);"
        )

    def add(self, key: object, row: GroupedRow) -> None:
        """Add a row to the group of a key, which is any JSON value."""
        digest = sha256(json.dumps(key).encode()).hexdigest()
        with check_temporary_space("group the rows of the table"):
            self._database.execute(
                "INSERT INTO rows (key, row) VALUES (?, ?)", (digest, json.dumps(row))
            )

    def groups(self) -> Iterator[list[GroupedRow]]:
        """Yield the rows of each group in order, the groups in the order of their first rows."""
        firsts = "SELECT key FROM rows GROUP BY key ORDER BY min(number)"
        of_group = "SELECT row FROM rows WHERE key = ? ORDER BY number"
        for key in self._database.execute(firsts):
            rows = self._database.execute(of_group, key)
            yield [_parse_row(json.loads(row)) for (row,) in rows]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()


def _parse_row(values: list[Any]) -> GroupedRow:
    where, fields, (dataset, name) = values
    return GroupedRow(where, fields, (dataset, name))


def merge_fields(rows: list[GroupedRow], columns: set[str]) -> dict[str, Any]:
    """Return the cells of several rows: those in `columns` of the first row, and lists of others.

    A column with the same value in all rows keeps this value.
    """
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in rows for name in row.fields):
        values = [row.fields.get(name) for row in rows]
        is_same = name in columns or all(value == values[0] for value in values)
        merged[name] = values[0] if is_same else values
    return merged
