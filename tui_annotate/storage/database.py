"""The SQLite file: opened safely for many processes, and every error of it told in our words.

Writers take the lock at once (`BEGIN IMMEDIATE`) and wait up to 30 s for it; readers have an engine
of their own and never wait. A commit is on the disk when it returns (`synchronous=FULL`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from tui_annotate.domain.errors import Conflict, NotFound, Unavailable
from tui_annotate.storage.moments import Moments
from tui_annotate.storage.repair import bring_another, make_again
from tui_annotate.storage.telling import translated

SCHEMA: Final = 4
"""The version of the tables that this code reads and writes."""

LOCK_SECONDS: Final = 30.0
"""How long a writer waits for another one."""

MOST_CONNECTIONS: Final = 32
"""Threads of one process that read, and that write, at a time; more of them wait."""

LARGEST_JOURNAL: Final = 16 * 2**20  # bytes of the write-ahead log, once nobody reads the past


class Database:
    """An open store. Threads may share it; processes open their own.

    Attributes:
        path: the SQLite file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._companion: Database | None = None
        self._moments = Moments(lambda: _connect(path))
        self._reader = _engine(path, "BEGIN")
        self._writer = _engine(path, "BEGIN IMMEDIATE")

    @classmethod
    def create(cls, path: Path) -> Database:
        """Makes a new store; also out of one whose making was killed.

        Raises:
            Conflict: there is one already.
            Damaged: there is a file that is no store.
            Unavailable: it can not be written.
        """
        with translated(path):
            path.touch(mode=0o600)  # SQLite's side files take its mode
        with _kept(cls(path)) as database:
            if database.version():
                raise Conflict(f"there is a store at {path} already", "choose another folder")
            _upgrade(database)
            return database

    @classmethod
    def open(cls, path: Path) -> Database:
        """Opens a store; one of an older version is backed up to `backups/`, then migrated.

        Raises:
            NotFound: there is no such file, or it is empty.
            Damaged: it does not hold together.
            Unavailable: it was written by a newer version, or can not be read.
        """
        if not path.is_file():
            raise NotFound(f"there is no store at {path}", make_again(path))
        with _kept(cls(path)) as database:
            version = database.version()
            if not version:
                raise NotFound(f"the store {path} is empty", make_again(path))
            if version > SCHEMA:
                raise Unavailable(
                    f"the store {path} has version {version}; this program knows up to {SCHEMA}",
                    "install a newer tui-annotate",
                )
            if version < SCHEMA:
                database.back_up()
                _upgrade(database)
            return database

    def back_up(self) -> Path:
        """Copies the store, also one in use, to a new file of `backups/` beside it; its path.

        Raises:
            Unavailable: the copy can not be written.
        """
        folder = self.path.parent / "backups"
        with translated(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            names = [path.stem.removeprefix("store-") for path in folder.glob("store-*.sqlite")]
            last = max((int(name) for name in names if name.isdecimal()), default=0)
            target = folder / f"store-{last + 1:04d}.sqlite"
            unfinished = target.with_suffix(".part")
            unfinished.unlink(missing_ok=True)
            self.copy_to(unfinished)
            unfinished.rename(target)
        return target

    def copy_to(self, target: Path) -> None:
        """Copies one moment of the store, also of one in use, to a new file without side files.

        Raises:
            Unavailable: the copy can not be written.
        """
        with translated(target):
            target.touch(mode=0o600, exist_ok=False)
            with closing(_connect(self.path)) as source, closing(sqlite3.connect(target)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")

    def version(self) -> int:
        """The version of the tables as the store has it; 0 for an empty file.

        Raises:
            Unavailable: it can not be read, or its version makes no sense.
        """
        with self.reading() as connection:
            query = "SELECT name FROM sqlite_master WHERE name = 'schema_version'"
            if connection.exec_driver_sql(query).first() is None:
                return 0
            row = connection.exec_driver_sql("SELECT version_num FROM schema_version").first()
        if row is None:
            return 0
        if not str(row[0]).isdecimal():
            what = f"{self.path} is damaged, or none of tui-annotate: its version is {row[0]!r}"
            raise Unavailable(what, bring_another(self.path))
        return int(row[0])

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads one moment of the store, whatever is written meanwhile.

        Raises:
            Unavailable: the store can not be read.
        """
        with translated(self.path), self._reader.connect() as connection:
            yield connection

    def moment(self) -> int:
        """A number that is another once anything was committed since; see `Moments.now`.

        Raises:
            Unavailable: the store can not be read.
        """
        with translated(self.path):
            return self._moments.now()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that holds the write lock; committed at the end, rolled back by any error.

        Raises:
            Unavailable: the store can not be written, or stayed locked for 30 s.
            Conflict: a row is there already.
        """
        with translated(self.path), self._writer.begin() as connection:
            yield connection

    def companion(self, path: Path, *, make: bool = False) -> Database:
        """A second store that is opened once, and closed with this one.

        Args:
            make: whether it is made where it is not there; for its owner alone.

        Raises:
            NotFound, Damaged, Unavailable: as `open`.
        """
        if self._companion is None:
            made = make and not path.exists()
            self._companion = Database.create(path) if made else Database.open(path)
        return self._companion

    def close(self) -> None:
        """Gives back the file; using the store again opens it again."""
        if self._companion is not None:
            self._companion.close()
        self._moments.close()
        self._reader.dispose()
        self._writer.dispose()


def _upgrade(database: Database) -> None:
    from tui_annotate.storage.migrate import upgrade  # Alembic costs 250 ms

    with database.writing() as connection:
        upgrade(connection)


@contextmanager
def _kept(database: Database) -> Iterator[Database]:
    """Closes a store if anything is raised: nobody else has it."""
    try:
        yield database
    except BaseException:
        database.close()
        raise


def _engine(path: Path, begin: str) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=lambda: _connect(path),
        poolclass=QueuePool,
        pool_size=MOST_CONNECTIONS,
        max_overflow=0,
        pool_timeout=LOCK_SECONDS,
    )

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw",
        uri=True,
        timeout=LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        limit = f"journal_size_limit={LARGEST_JOURNAL}"
        for pragma in ("journal_mode=WAL", limit, "synchronous=FULL", "foreign_keys=ON"):
            connection.execute("PRAGMA " + pragma)
    except BaseException:
        connection.close()
        raise
    return connection
