"""Creates the tables of a workspace's database and migrates older databases with Alembic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from tui_annotate.storage import postgresql_schema
from tui_annotate.storage.tables import METADATA

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_FIRST_ROWS: Final = (
    "INSERT INTO orders (id, name, filled, until) VALUES (1, 'by-source', 0, 0)",
    "INSERT INTO orders (id, name, filled, until) VALUES (2, 'ingested', 0, 0)",
)
"""SQL for a new database: adds the default queue orders."""
_SQLITE_TRIGGERS: Final = tuple(
    f"CREATE TRIGGER events_refuse_{action.lower()} BEFORE {action} ON events "
    "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END"
    for action in ("UPDATE", "DELETE")
)
"""SQL that makes the event log append-only."""
_CONTINUE_ORDER_IDS: Final = "SELECT setval(pg_get_serial_sequence('orders', 'id'), 2)"
"""SQL that PostgreSQL needs after rows with explicit ids, so that the next id is a new one."""


def create(connection: Connection) -> None:
    """Create all tables of a new database, or of the schema of PostgreSQL that is in use."""
    if connection.dialect.name == "postgresql":
        _run(connection, postgresql_schema.FUNCTIONS)
        METADATA.create_all(connection)
        _run(connection, (*_FIRST_ROWS, _CONTINUE_ORDER_IDS, *postgresql_schema.TRIGGERS))
    else:
        METADATA.create_all(connection)
        _run(connection, (*_FIRST_ROWS, *_SQLITE_TRIGGERS))
    command.stamp(_make_config(connection), "head")


def _run(connection: Connection, statements: Iterable[str]) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement)


def upgrade(connection: Connection) -> None:
    """Migrate a database to the newest version; no effect if it has this version."""
    command.upgrade(_make_config(connection), "head")


def _make_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
