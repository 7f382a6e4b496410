"""A real PostgreSQL server for tests: an ordinary user's, in a folder of its own, without TCP.

The server sorts texts by the rules of English, so that tests find an order which depends on them.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from sqlalchemy import Connection, create_engine, event

from tests.helpers.terminal import PATIENCE
from tui_annotate.storage import migrate

NO_SERVER: Final = "no PostgreSQL server on this machine"
NO_DRIVER: Final = "no psycopg installed"
USER: Final = "annotate"
DATABASE: Final = "postgres"


@cache
def find_programs() -> Path | None:
    """The folder with `initdb` and `postgres` of the newest server; None if there is none."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: each.parent.name)
    on_path = shutil.which("initdb")
    for folder in (*reversed(debian), *([Path(on_path).resolve().parent] if on_path else [])):
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    return None


class PostgresqlServer:
    """A running server; `folder` has its socket and its data."""

    def __init__(self) -> None:
        programs = find_programs()
        if programs is None:
            pytest.skip(NO_SERVER)
        if find_spec("psycopg") is None:
            pytest.skip(NO_DRIVER)
        # The path of a socket has at most 107 bytes, too few for a folder of pytest.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        ordinary: dict[str, Any] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            ordinary = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self.folder, "nobody", "nogroup")
        data = self.folder / "data"
        initdb: list[str | Path] = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            USER,
            "-A",
            "trust",
            "--no-sync",
        ]
        initdb += ["--encoding=UTF8", "--locale=C.UTF-8"]
        initdb += ["--locale-provider=icu", "--icu-locale=en-US"]
        subprocess.run(initdb, check=True, capture_output=True, cwd="/", **ordinary)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": self.folder,
            "fsync": "off",  # no test switches off power
            "shared_buffers": "32MB",
            "max_connections": "200",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [programs / "postgres", "-D", data, *options],
                stdout=log,
                stderr=log,
                cwd="/",
                **ordinary,
            )
        self._wait()

    def _wait(self) -> None:
        import psycopg

        end = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.address).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.02)
            else:
                return

    @property
    def address(self) -> str:
        """Where psycopg finds the database."""
        return f"host={self.folder} user={USER} dbname={DATABASE}"

    @property
    def url(self) -> str:
        """The same as a URL, which is what a user writes."""
        return f"postgresql://{USER}@/{DATABASE}?host={self.folder}"

    def stop(self) -> None:
        """End the server at once, and remove its folder."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def create_store(self) -> str:
        """Create the schema of a new store in a tenth of the time of Alembic; return its name."""
        import psycopg

        schema = f"test_{uuid4().hex}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {schema}; SET search_path TO {schema}")
            connection.execute(self._statements.encode())
        return schema

    def schemas(self) -> list[str]:
        """The names of all schemas of tests."""
        import psycopg

        query = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'test%'"
        with psycopg.connect(self.address, autocommit=True) as connection:
            return [name for (name,) in connection.execute(query)]

    def drop_store(self, schema: str) -> None:
        """Remove a schema, whose data would fill the disk."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())

    @cached_property
    def _statements(self) -> str:
        """What makes an empty schema what the program makes of it."""
        found: list[str] = []
        with self.connecting() as connection:

            @event.listens_for(connection, "before_cursor_execute")
            def _(*arguments: object) -> None:
                statement = str(arguments[2]).strip()
                if not statement.startswith("SELECT pg_catalog"):
                    found.append(statement.replace("%%", "%"))

            migrate.create(connection)
        return ";\n".join(found)

    @contextmanager
    def connecting(self) -> Iterator[Connection]:
        """Yield a connection in a transaction that ends with its schema, which is empty."""
        engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:", 1))
        schema = f"test_{uuid4().hex}"
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
            connection.exec_driver_sql(f"SET LOCAL search_path TO {schema}")
            yield connection
        engine.dispose()
