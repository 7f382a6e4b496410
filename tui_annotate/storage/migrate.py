"""Brings the tables of a store to the version of this code, with Alembic; for nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

MIGRATIONS: Final = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, *, to: str = "head") -> None:
    """Runs the migrations that a store lacks, inside the caller's transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
