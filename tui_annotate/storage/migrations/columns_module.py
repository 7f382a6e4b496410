"""Writes `storage/columns.py` from the classes of `storage/tables.py`: make columns.

A test compares the file that is checked in with what this module writes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tui_annotate.storage.tables import METADATA

MODULE: Final = Path(__file__).parents[1] / "columns.py"
_HEAD: Final = '''\
"""Names of all tables and columns, for queries, without the slow import of `tables`.

Importing SQLModel takes 130 ms, as long as the rest of a start, and no query needs it.

Generated from `storage/tables.py` by `make columns`: do not edit.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, TableClause, column, table


def columns_of(table: FromClause, names: str) -> list[ColumnElement[Any]]:
    """Return the columns of a table with some names, which are separated by spaces."""
    return [table.c[name] for name in names.split()]


def _define_table(name: str, *columns: str) -> TableClause:
    return table(name, *map(column, columns))


'''


def write_module() -> str:
    """Return the source of `storage/columns.py`, with one column a line."""
    lines = []
    for table in METADATA.tables.values():
        lines.append(f"{table.name.upper()}: Final = _define_table(")
        lines.append(f'    "{table.name}",')
        lines += [f'    "{column.name}",' for column in table.columns]
        lines.append(")")
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    MODULE.write_text(write_module(), "utf-8")
