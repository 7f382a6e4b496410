"""The SQLite file: opened safely for many processes, and every error of it told in our words.

Writers take the lock at once (`BEGIN IMMEDIATE`) and wait up to 30 s for it; readers have an engine
of their own and never wait. A commit is on the disk when it returns (`synchronous=FULL`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from tui_annotate.domain.errors import (
    Conflict,
    Damaged,
    InvalidInput,
    NotFound,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.people import OPERATOR, Actor
from tui_annotate.storage.repair import make_again, numbered_backups, restore_command

SAVE: Final = "tui-annotate doctor prints the line that saves what can be read"
SCHEMA: Final = 4
"""The version of the tables that this code reads and writes."""

OLDEST_SCHEMA: Final = 4
"""The oldest version that can be migrated, that of the first revision in `migrations`."""

LOCK_SECONDS: Final = 30.0
"""How long a writer waits for another one."""

MOST_CONNECTIONS: Final = 32
"""Threads of one process that read, and that write, at a time; more of them wait."""

LARGEST_JOURNAL: Final = 16 * 2**20  # bytes of the write-ahead log, once nobody reads the past


class Database:
    """An open store. Threads may share it; processes open their own.

    Raises:
        Unavailable: every method, where the file can not be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._companion: Database | None = None
        self._watcher: sqlite3.Connection | None = None
        self._watching = Lock()
        self._reader = _create_engine(path, "BEGIN")
        self._writer = _create_engine(path, "BEGIN IMMEDIATE")

    @classmethod
    def create(cls, path: Path) -> Database:
        """Makes a new store; also out of one whose making was killed.

        Raises:
            Conflict: there is one already.
            Damaged: there is a file that is no store.
        """
        with translate_errors(path):
            path.touch(mode=0o600)  # SQLite's side files take its mode
        with _close_on_error(cls(path)) as database:
            if database.version():
                raise Conflict(f"there is a store at {path} already", "choose another folder")
            _create_tables(database)
            return database

    @classmethod
    def open(cls, path: Path) -> Database:
        """Opens a store; one of an older version is backed up to `backups/`, then migrated.

        Raises:
            NotFound: there is no such file, or it is empty.
            Damaged: it does not hold together.
            Unavailable: it was written by a newer version or a very old one, or can not be read.
        """
        if not path.is_file():
            raise NotFound(f"there is no store at {path}", make_again(path))
        with _close_on_error(cls(path)) as database:
            version = database.version()
            if not version:
                raise NotFound(f"the store {path} is empty", make_again(path))
            if version > SCHEMA:
                raise Unavailable(
                    f"the store {path} has version {version}; this program knows up to {SCHEMA}",
                    "install a newer tui-annotate",
                )
            if version < OLDEST_SCHEMA:
                raise Unavailable(
                    f"the store {path} has version {version}; the oldest that this program "
                    f"migrates is {OLDEST_SCHEMA}",
                    "open it once with the tui-annotate before this one",
                )
            if version < SCHEMA:
                from tui_annotate.storage.migrate import upgrade

                database.back_up()
                with database.writing() as connection:
                    upgrade(connection)
            return database

    def back_up(self) -> Path:
        """Copy the store, also one in use, to a new file in `backups`; return its path."""
        folder = self.path.parent / "backups"
        with translate_errors(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            last = max(numbered_backups(self.path), default=0)
            target = folder / f"store-{last + 1:04d}.sqlite"
            unfinished = target.with_suffix(".part")
            unfinished.unlink(missing_ok=True)
            self.copy_to(unfinished)
            unfinished.rename(target)
        return target

    def copy_to(self, target: Path) -> None:
        """Copy one moment of the store, also of one in use, to a new file without side files."""
        with translate_errors(target):
            target.touch(mode=0o600, exist_ok=False)
            with closing(_connect(self.path)) as source, closing(sqlite3.connect(target)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")

    def version(self) -> int:
        """The version of the tables as the store has it; 0 for an empty file."""
        with self.reading() as connection:
            query = "SELECT name FROM sqlite_master WHERE name = 'schema_version'"
            if connection.exec_driver_sql(query).first() is None:
                return 0
            row = connection.exec_driver_sql("SELECT version_num FROM schema_version").first()
        if row is None:
            return 0
        if not str(row[0]).isdecimal():
            what = f"{self.path} is damaged, or none of tui-annotate: its version is {row[0]!r}"
            raise Unavailable(what, restore_command(self.path))
        return int(row[0])

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads one moment of the store, whatever is written meanwhile."""
        with translate_errors(self.path), self._reader.connect() as connection:
            yield connection

    def moment(self) -> int:
        """A number that is another once anything was committed since, by whatever process.

        Only numbers of the same open store, not closed in between, can be compared. One costs
        20 µs: it is asked of a connection that reads and writes nothing else.
        """
        with translate_errors(self.path), self._watching:
            if self._watcher is None:
                self._watcher = _connect(self.path)
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that holds the write lock; committed at the end, rolled back by any error.

        Raises:
            Unavailable: also where the store stayed locked for 30 s.
            Conflict: a row is there already.
        """
        with translate_errors(self.path), self._writer.begin() as connection:
            yield connection

    def companion(self, path: Path, *, make: bool = False) -> Database:
        """Open a second store, closed with this one; `make` creates it. Raises as `open`."""
        if self._companion is None:
            made = make and not path.exists()
            self._companion = Database.create(path) if made else Database.open(path)
        return self._companion

    def close(self) -> None:
        """Gives back the file; using the store again opens it again."""
        if self._companion is not None:
            self._companion.close()
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()
            self._watcher = None
        self._reader.dispose()
        self._writer.dispose()


class CommonStore:
    """A topic of a store that is the same for every actor."""

    def __init__(self, database: Database) -> None:
        self._database = database


class Store:
    """A topic of a store, as one actor may read and write it."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor


def _create_tables(database: Database) -> None:
    from tui_annotate.storage.migrate import create  # Alembic costs 250 ms

    with database.writing() as connection:
        create(connection)


@contextmanager
def _close_on_error(database: Database) -> Iterator[Database]:
    """Closes a store if anything is raised: nobody else has it."""
    try:
        yield database
    except BaseException:
        database.close()
        raise


def _create_engine(path: Path, begin: str) -> Engine:
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


_HINTS: Final = {
    "SQLITE_FULL": ("the disk is full", "free some space; nothing of the last action was kept"),
    "SQLITE_IOERR": (
        "the disk refused to read or write",
        "is it full, or was it taken away? nothing of the last action was kept",
    ),
    "SQLITE_READONLY": ("it is read-only", "make file and folder writable: chmod u+w"),
    "SQLITE_CANTOPEN": ("it can not be opened", "check that its folder is there and writable"),
    "SQLITE_PERM": ("access is refused", "check its owner and mode"),
    "SQLITE_AUTH": ("access is refused", "check its owner and mode"),
    "SQLITE_BUSY": ("another process holds it", "wait for it to end, then do it again"),
    "SQLITE_LOCKED": ("another process holds it", "wait for it to end, then do it again"),
    "SQLITE_PROTOCOL": ("another process holds it", "wait for it to end, then do it again"),
    "SQLITE_CORRUPT": ("it is damaged", SAVE),
    "SQLITE_NOTADB": ("it is not a store", SAVE),
    "SQLITE_ERROR": ("", SAVE),  # tables are missing, or others than ours
    "SQLITE_NOMEM": ("no memory is left", "close other programs, then do it again"),
    "SQLITE_TOOBIG": ("a value is too large", "split the document"),
}


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Tells what is raised within of the store at a path.

    Raises:
        Conflict: a row breaks a rule of the tables.
        InvalidInput: a text is none that can be stored.
        Unavailable: anything else, with the reason and the next step.
    """
    try:
        yield
    except DBAPIError as error:
        raise _translate_error(error.orig, path) from error
    except (sqlite3.Error, PoolTimeout) as error:
        raise _translate_error(error, path) from error
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{error.object!r} holds half a character at offset {error.start}",
            "it was cut or typed in another encoding; write it anew",
            code="half-character",
        ) from error
    except OSError as error:
        raise Unavailable(
            f"the store {path} can not be used: {error.strerror or error}",
            "check the disk and the folder's owner and mode",
        ) from error


def _translate_error(error: Any, path: Path) -> TuiAnnotateError:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith("SQLITE_CONSTRAINT"):
        return Conflict(f"the store refuses it: {error}", "look at it as it is now")
    if isinstance(error, PoolTimeout):
        name = "SQLITE_BUSY"
    reason, hint = _HINTS.get("_".join(name.split("_")[:2]), ("", "do it again"))
    kind = Damaged if hint == SAVE else Unavailable
    # The reason goes before the path, which may be longer than the screen is wide.
    return kind(f"the store can not be used, {reason or error}: {path}", hint)
