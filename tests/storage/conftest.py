"""A store of its own for every test: in SQLite, and once more in PostgreSQL.

Tests of the file itself take `sqlite_store`, or make a file with `new_database`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.helpers.postgresql_server import PostgresqlServer
from tests.helpers.stores import new_database
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.postgresql_database import PostgresqlDatabase
from tui_annotate.storage.sqlite_database import SqliteDatabase


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """An empty store in a file."""
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def postgresql_store(postgresql: PostgresqlServer) -> Iterator[PostgresqlDatabase]:
    """An empty store in a schema."""
    schema = postgresql.create_store()
    opened = PostgresqlDatabase.open(postgresql.url, schema)
    yield opened
    opened.close()
    postgresql.drop_store(schema)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """An empty store of each kind."""
    opened: Database = request.getfixturevalue(f"{request.param}_store")
    return opened


@pytest.fixture
def reopen(database: Database, request: pytest.FixtureRequest) -> Callable[[], Database]:
    """Opens the same store once more, as another process would."""
    if isinstance(database, SqliteDatabase):
        return partial(SqliteDatabase.open, database.path)
    assert isinstance(database, PostgresqlDatabase)
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return partial(PostgresqlDatabase.open, server.url, database.schema)


@pytest.fixture
def corpus(database: Database) -> CorpusStore:
    """Its corpus."""
    return CorpusStore(database)
