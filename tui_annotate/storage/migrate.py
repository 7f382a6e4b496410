"""Creates the tables of a workspace's database and migrates older databases with Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from tui_annotate.storage.tables import METADATA

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_FIRST_ROWS: Final = (
    "INSERT INTO orders (id, name, filled, until) VALUES (1, 'by-source', 0, 0)",
    "INSERT INTO orders (id, name, filled, until) VALUES (2, 'ingested', 0, 0)",
    *(
        f"CREATE TRIGGER events_refuse_{action.lower()} BEFORE {action} ON events "
        "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END"
        for action in ("UPDATE", "DELETE")
    ),
)
"""SQL for a new database: adds default queue orders, and makes the event log append-only."""


def create(connection: Connection) -> None:
    """Create all tables of a new database."""
    METADATA.create_all(connection)
    for statement in _FIRST_ROWS:
        connection.exec_driver_sql(statement)
    command.stamp(_make_config(connection), "head")


def upgrade(connection: Connection) -> None:
    """Migrate a database to the newest version; no effect if it has this version."""
    command.upgrade(_make_config(connection), "head")


def _make_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
