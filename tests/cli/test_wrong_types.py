"""Values that SQLite stores with another type than ours: errors that name them, no traceback."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from shutil import copytree
from typing import Any, Final

import pytest

from tests.cli.conftest import Command
from tests.helpers.effort import example_limit
from tui_annotate.storage.tables import METADATA

VALUES: Final = ("NULL", "1.5", "'word'", "x'ff00'", "7")
COMMANDS: Final = ("export --to native", "status", "audit verify", "agreement")
COLUMNS: Final = [(each.name, column.name) for each in METADATA.sorted_tables for column in each.c]


def store_value(store: Path, table: str, column: str, value: str) -> bool:
    """Stores a value in one row; returns whether the row's type is another one now."""
    keys = [each.name for each in METADATA.tables[table].primary_key]
    first = " AND ".join(f'"{key}" = (SELECT "{key}" FROM "{table}" LIMIT 1)' for key in keys)
    types = f'SELECT typeof("{column}") FROM "{table}" ORDER BY 1'
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DROP TRIGGER events_refuse_update")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
        connection.commit()
    with closing(sqlite3.connect(store)) as connection:
        before: list[Any] = connection.execute(types).fetchall()
        with suppress(sqlite3.Error):  # a key that exists already, or no integer as a row id
            connection.execute(f'UPDATE "{table}" SET "{column}" = {value} WHERE {first}')
            connection.commit()
        return bool(connection.execute(types).fetchall() != before)


def filled_columns(store: Path) -> list[tuple[str, str]]:
    """The columns of all tables that have rows."""
    with closing(sqlite3.connect(store)) as connection:
        return [
            (table, column)
            for table, column in COLUMNS
            if connection.execute(f'SELECT 1 FROM "{table}"').fetchone()
        ]


@pytest.mark.parametrize("seed", range(5))
def test_no_wrong_type_is_a_traceback(
    annotated: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    """`doctor` names table, row and column; other commands work, or refuse the store.

    Each value is tried in a folder of its own: an error that is still referred to keeps a store
    open, and nothing may be put in the place of a store that is open.
    """
    assert (
        annotated("assignments", "create", "--dataset", "pairs", "--person", "ana", "--create").code
        == 0
    )
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    luck = random.Random(seed)
    cases = [
        (*each, value) for each in filled_columns(tmp_path / "store.sqlite") for value in VALUES
    ]
    for number, (table, column, value) in enumerate(luck.sample(cases, example_limit(60))):
        folder = copytree(tmp_path, tmp_path.with_name(f"{tmp_path.name}-{number}"))
        monkeypatch.chdir(folder)
        if not store_value(folder / "store.sqlite", table, column, value):
            continue
        doctor = annotated("doctor", "--json")
        named = [each["message"] for each in doctor.json if each["state"] == "error"]
        assert doctor.code == 1
        assert any(f"table {table}, " in says and f"column {column}:" in says for says in named), (
            table,
            column,
            value,
            named,
        )
        for words in COMMANDS:
            done = annotated(*words.split())
            assert done.code in {0, 1, 2}, (table, column, value, words)
