"""The SQLite file of a workspace: safe access by many processes, and readable error messages.

A writer takes the lock when its transaction begins (`BEGIN IMMEDIATE`) and waits up to 30 s for it.
Readers have an engine of their own and never wait. A commit is on the disk when it returns
(`synchronous=FULL`).
"""

from __future__ import annotations

import logging
import os
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from enum import StrEnum
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
    ReadOnly,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.workspace_files import BACKUPS, DATABASE_PARTS
from tui_annotate.storage import change_record
from tui_annotate.storage.database import (
    LOCK_SECONDS,
    MOST_CONNECTIONS,
    SCHEMA,
    SharedRead,
    parse_version,
    require_known_version,
    require_migratable_version,
)
from tui_annotate.storage.repair import WRONG_TYPE, make_again, numbered_backups, restore_command

SAVE: Final = "run tui-annotate doctor: it prints a command that saves what can be read"
_WATCHED: Final = "watched"
"""Mark of a connection that notes the changes of covered rows."""

_SECURE_DELETE: Final = "PRAGMA secure_delete=ON"
"""SQL that makes SQLite overwrite deleted rows with zeros."""

LARGEST_JOURNAL: Final = 16 * 2**20
"""Size in bytes to which SQLite's write-ahead log is truncated when it is not needed."""

# Python prints records that no handler takes: a traceback, if ctrl+c interrupts a pool.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())

_NO_ACCESS: Final = "the disk or folder cannot be written"
_DISK_FULL: Final = "the disk accepts no more data"
_UNWRITABLE: Final = {
    "SQLITE_READONLY": _NO_ACCESS,
    "SQLITE_CANTOPEN": _NO_ACCESS,
    "SQLITE_FULL": _DISK_FULL,
    "SQLITE_IOERR_SHMOPEN": _DISK_FULL,
    "SQLITE_IOERR_SHMSIZE": _DISK_FULL,
    "SQLITE_IOERR_WRITE": _DISK_FULL,
}
"""Reasons why a database cannot be written, by the name (or its start) of SQLite's error."""

_JOURNALS: Final = ("-wal", "-journal")
"""Endings of files that hold changes which are not in the database's main file yet."""


class _Access(StrEnum):
    """Ways in which SQLite opens a database file, as parameters of the file's URI.

    `FROZEN` reads the main file alone, without locks and without the side files of the write-ahead
    log, which SQLite cannot create on a read-only or full disk.
    """

    WRITE = "mode=rw"
    READ = "mode=ro"
    FROZEN = "mode=ro&immutable=1"


class SqliteDatabase:
    """An open workspace database in a file, which threads may share; each process opens its own.

    `read_only` is why it cannot be written, as an end of the sentence "it is read-only, because";
    empty if it can be written.

    Raises:
        Unavailable: every method, if the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)
        self.shared = False
        self.read_only = ""
        self._access = _Access.WRITE
        self._frozen: tuple[int, int] | None = None  # size and time of the file when it was opened
        self._file: tuple[int, int] | None = None  # device and inode of the open file
        self._companion: SqliteDatabase | None = None
        self._watcher: sqlite3.Connection | None = None
        self._watching = Lock()
        self._shared = SharedRead()
        self._reader = _create_engine(self._connect, "BEGIN")
        self._writer = _create_engine(self._connect, "BEGIN IMMEDIATE", prepare=_watch_changes)

    @classmethod
    def create(
        cls, path: Path, *, fill: Callable[[Connection], object] | None = None
    ) -> SqliteDatabase:
        """Create a database, also in an empty file; Conflict for a store, Damaged for others.

        Args:
            fill: adds the first rows, in the transaction that creates the tables.
        """
        with translate_errors(path):
            path.touch(mode=0o600)  # SQLite's side files take its mode
        with _close_on_error(cls(path)) as database:
            if database.version():
                raise Conflict(
                    f"{path} is a store already", "choose a different folder", code="store-exists"
                )
            _create_tables(database, fill)
            database.start_record()
            return database

    @classmethod
    def open(cls, path: Path) -> SqliteDatabase:
        """Open a workspace database; an older version is first backed up, and then migrated.

        A store on a read-only or full disk is opened for reading only.

        Raises:
            NotFound: there is no file at this path, or it is empty.
            Damaged: the file is not a sound store.
            Unavailable: the store has a newer version or one that is too old, or it cannot be
                read.
        """
        if not path.is_file():
            raise NotFound(f"there is no store at {path}", make_again(path), code="no-store")
        with _close_on_error(cls(path)) as database:
            version = database.choose_access()
            if not version:
                raise NotFound(f"the store {path} is empty", make_again(path), code="store-empty")
            require_migratable_version(path, version)
            if version < SCHEMA:
                from tui_annotate.storage.migrate import upgrade

                database.require_writable()
                database.back_up()
                with database.writing() as connection:
                    upgrade(connection)
            return database

    def start_record(self) -> None:
        """Start the record of changes with what the store has, or extend an earlier record."""
        with self.writing() as connection:
            change_record.start(_driver_connection(connection))

    def choose_access(self) -> int:
        """Open the database for writing, or only for reading if need be; return its version."""
        if not os.access(self.path, os.W_OK):
            self._access = _Access.READ
            self.read_only = _NO_ACCESS
        try:
            return self.version()
        except ReadOnly as error:
            self._refuse_journal(error)
            self.stop_writing(error)
        self._access = _Access.FROZEN
        with translate_errors(self.path):
            self._frozen = _stamp(self.path)
        return self.version()

    def _refuse_journal(self, error: ReadOnly) -> None:
        """Raise an error if the newest changes are in a side file that SQLite cannot read."""
        sides = (self.path.with_name(self.path.name + ending) for ending in _JOURNALS)
        with translate_errors(self.path):
            journal = next((each for each in sides if each.is_file() and each.stat().st_size), None)
        if journal:
            raise ReadOnly(
                f"the newest changes of the store are in {journal}, which can only be read with"
                f" write access, but the store is read-only, because {error.reason}",
                f"{_copy_hint(self.path)}; or make the disk and the folder writable",
                reason=error.reason,
            ) from error

    def stop_writing(self, error: ReadOnly) -> None:
        """Refuse all writes to the database from now on, because of an error."""
        self.read_only = self.read_only or error.reason

    def require_writable(self) -> None:
        """Raise `ReadOnly`, with the reason, if the database cannot be written."""
        if self.read_only:
            raise ReadOnly(
                f"the workspace is read-only, because {self.read_only}: {self.path}",
                _copy_hint(self.path),
                reason=self.read_only,
            )

    def back_up(self) -> Path:
        """Copy the database, even if it is in use, to a new file in `backups`; return the path."""
        folder = self.path.parent / BACKUPS
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
        """Write a consistent copy to a new file, while others may write to the database."""
        with translate_errors(target):
            target.touch(mode=0o600, exist_ok=False)
            with closing(self._connect()) as source, closing(sqlite3.connect(target)) as copy:
                copy.execute(_SECURE_DELETE)
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")

    @contextmanager
    def retire(self) -> Iterator[Connection]:
        """Lock out writers during a `with` block, and remove the store after it.

        Other processes that have the store open can write neither during the block nor after it:
        they report that the store was moved. A copy in `backups` remains, whose path is then
        `name`. After an error in the block, the store stays as it is.

        Yields a connection that reads the last state of the store.
        """
        self.require_writable()
        with translate_errors(self.path), self._writer.begin() as connection:
            yield connection
            self.name = str(self.back_up())
            # While the lock is held: no process may store anything in a file that is then removed.
            self.delete()

    def delete(self) -> None:
        """Delete the file, with all rows."""
        with translate_errors(self.path):
            for ending in ("", *DATABASE_PARTS):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    def version(self) -> int:
        """Return the schema version of the database; 0 for an empty file."""
        with self.reading() as connection:
            return self._read_version(connection)

    def _read_version(self, connection: Connection) -> int:
        query = "SELECT name FROM sqlite_master WHERE name = 'schema_version'"
        if connection.exec_driver_sql(query).first() is None:
            return 0
        row = connection.exec_driver_sql("SELECT version_num FROM schema_version").first()
        if row is None:
            return 0
        return parse_version(self.path, row[0], hint=restore_command(self.path))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read transaction; see `Database.reading`."""
        if self._shared.connection is not None:
            yield self._shared.connection
            return
        with (
            translate_errors(self.path),
            self._detect_change(),
            self.explain_wrong_types(),
            self._reader.connect() as connection,
        ):
            yield connection

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread in a `with` block share one transaction."""
        return self._shared.share(self.reading)

    @contextmanager
    def explain_wrong_types(self) -> Iterator[None]:
        """Raise Damaged for an error in a `with` block whose cause is a value of a wrong type.

        Values are not checked when they are read: such checks would slow down every command.
        """
        try:
            yield
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            if damage := self.find_wrong_type():
                raise damage from error
            raise

    def find_wrong_type(self) -> Damaged | None:
        """Return the error that names the first value of a wrong type; None if there is none."""
        from tui_annotate.storage.storage_classes import find_wrong_values

        with translate_errors(self.path), self._reader.connect() as connection:
            wrong = next(find_wrong_values(connection), None)
        if wrong is None:
            return None
        hint = "find all damaged values, and how to restore them, with: tui-annotate doctor"
        return Damaged(f"the store is damaged: {wrong}", hint, code=WRONG_TYPE)

    @contextmanager
    def _detect_change(self) -> Iterator[None]:
        """Raise an error if another program changed the database during a read without locks."""
        try:
            yield
        finally:
            if self._frozen and self._frozen != _stamp(self.path):
                raise Unavailable(
                    f"another program changed the store while it was read: {self.path}",
                    "run the command again",
                    code="store-changed-by-other",
                )

    def moment(self) -> int:
        """Return a counter that changes after each commit to the database by any process.

        Only counters of one open database can be compared. One call costs 20 µs. The counter has a
        connection of its own, because SQLite counts the commits of other connections only.
        """
        with translate_errors(self.path), self._watching:
            if self._watcher is None:
                self._watcher = self._connect()
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a write transaction: committed at the end, rolled back after any error.

        Raises:
            ReadOnly: the store cannot be written.
            Unavailable: also if the store stays locked for 30 s, or if its file was replaced,
                moved or deleted since this process opened it.
            Conflict: a row with the same key exists already.
        """
        self.require_writable()
        with translate_errors(self.path):
            with self._writer.begin() as connection:
                # A newer program may have migrated the store since this process opened it.
                require_known_version(self.path, self._read_version(connection))
                with self.explain_wrong_types():
                    yield connection
                if connection.info.get(_WATCHED):
                    change_record.store_entries(_driver_connection(connection))
                self._check_same_file()
            # Again, as a commit into a deleted file succeeds, but is lost.
            self._check_same_file()

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None:
            self._check_same_file()
        connection = _connect(self.path, self._access)
        try:
            self._check_same_file()
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_same_file(self) -> None:
        """Check that the path still leads to the database file that this process opened first."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            found = None
        file = (found.st_dev, found.st_ino) if found and found.st_nlink else None
        self._file = self._file or file
        if file is None or file != self._file:
            gone = "the store was deleted or moved"
            what = gone if file is None else "the store was replaced by another file"
            raise Unavailable(
                f"{what}: {self.path}",
                "put the original file back, or quit and open the workspace again;"
                " the last action is not saved",
                code="store-unavailable",
            )

    def companion(self, path: Path, *, make: bool = False) -> SqliteDatabase:
        """Open a second database, to be closed with this one; if `make`, create a missing file."""
        if self._companion is None:
            made = make and not path.exists()
            self._companion = SqliteDatabase.create(path) if made else SqliteDatabase.open(path)
        return self._companion

    def close(self) -> None:
        """Close all connections; the database must not be used afterwards."""
        if self._companion is not None:
            self._companion.close()
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()
            self._watcher = None
            self._file = None
        self._reader.dispose()
        self._writer.dispose()


def write_file(path: Path, fill: Callable[[Connection], object]) -> None:
    """Write a new store with the rows that `fill` adds; it is a single file, as for a backup."""
    SqliteDatabase.create(path, fill=fill).close()
    with translate_errors(path), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _create_tables(
    database: SqliteDatabase, fill: Callable[[Connection], object] | None = None
) -> None:
    from tui_annotate.storage.migrate import create  # here, as importing Alembic takes 250 ms

    with database.writing() as connection:
        create(connection)
        if fill is not None:
            fill(connection)


def _watch_changes(connection: Connection) -> None:
    """Let a writing connection note changes for the record, once the store has its tables."""
    if connection.info.get(_WATCHED):
        return
    driver = _driver_connection(connection)
    query = "SELECT 1 FROM sqlite_master WHERE name = 'schema_version'"
    if driver.execute(query).fetchone() is None:
        return
    version = driver.execute("SELECT version_num FROM schema_version").fetchone()
    # A migration creates tables again, and triggers would not let it.
    if version is not None and str(version[0]) == str(SCHEMA).zfill(len(str(version[0]))):
        change_record.watch(driver)
        connection.info[_WATCHED] = True


def _driver_connection(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101  the engine creates no other
    return driver


@contextmanager
def _close_on_error(database: SqliteDatabase) -> Iterator[SqliteDatabase]:
    try:
        yield database
    except BaseException:
        database.close()
        raise


def _create_engine(
    connect: Callable[[], sqlite3.Connection],
    begin: str,
    *,
    prepare: Callable[[Connection], None] = lambda _: None,
) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=MOST_CONNECTIONS,
        max_overflow=0,
        pool_timeout=LOCK_SECONDS,
    )

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        prepare(connection)
        connection.exec_driver_sql(begin)

    return engine


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _copy_hint(path: Path) -> str:
    folder = shlex.quote(str(path.parent))
    return f"copy the workspace to a disk with free space: cp -r {folder} COPY; then use -w COPY"


def _connect(path: Path, access: _Access) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{access}",
        uri=True,
        timeout=LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        limit = f"journal_size_limit={LARGEST_JOURNAL}"
        if access is _Access.WRITE:
            connection.execute("PRAGMA journal_mode=WAL")  # changes the file's header
        for pragma in (limit, "synchronous=FULL", "foreign_keys=ON"):
            connection.execute("PRAGMA " + pragma)
        connection.execute(_SECURE_DELETE)
    except BaseException:
        connection.close()
        raise
    return connection


_HINTS: Final = {
    "SQLITE_FULL": ("the disk is full", "free some space; the last action was not saved"),
    "SQLITE_IOERR": (
        "the disk refused to read or write",
        "check that the disk is not full and is connected; the last action was not saved",
    ),
    "SQLITE_READONLY": ("the file is read-only", "make file and folder writable: chmod u+w"),
    "SQLITE_CANTOPEN": (
        "the file cannot be opened",
        "check that the store's folder exists and is writable",
    ),
    "SQLITE_PERM": ("access is refused", "check the owner and permissions of the store"),
    "SQLITE_AUTH": ("access is refused", "check the owner and permissions of the store"),
    "SQLITE_BUSY": (
        "another process has locked the file",
        "wait until the process that locked the file ends, then try again",
    ),
    "SQLITE_LOCKED": (
        "another process has locked the file",
        "wait until the process that locked the file ends, then try again",
    ),
    "SQLITE_PROTOCOL": (
        "another process has locked the file",
        "wait until the process that locked the file ends, then try again",
    ),
    "SQLITE_CORRUPT": ("the file is damaged", SAVE),
    "SQLITE_NOTADB": ("the file is not a store", SAVE),
    "SQLITE_ERROR": ("", SAVE),  # a table is missing, or a table is not ours
    "SQLITE_NOMEM": ("no memory is left", "close other programs, then try again"),
    "SQLITE_TOOBIG": ("a value is too large", "split the document"),
}


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Convert errors of SQLite and of files in a `with` block into the program's own errors.

    Raises:
        Conflict: a row breaks a constraint of the tables.
        InvalidInput: a text cannot be stored.
        Unavailable: any other error, with the reason and the next step.
    """
    try:
        yield
    except DBAPIError as error:
        raise _translate_error(error.orig, path) from error
    except (sqlite3.Error, PoolTimeout) as error:
        raise _translate_error(error, path) from error
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{error.object!r} contains half a character at offset {error.start}",
            "type the text again; the character was cut, or the text has a different encoding",
            code="half-character",
        ) from error
    except OSError as error:
        raise Unavailable(
            f"the store {path} cannot be used: {error.strerror or error}",
            "check the disk and the folder's owner and permissions",
            code="store-unavailable",
        ) from error


def _translate_error(error: Any, path: Path) -> TuiAnnotateError:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name == "SQLITE_CONSTRAINT_FOREIGNKEY":
        hint = "check the id of the person; workspace.person(NAME) creates a person"
        return Conflict(
            "the change names a person or a sample that is not stored", hint, code="not-stored"
        )
    if name.startswith("SQLITE_CONSTRAINT") and str(error).endswith(": annotations.id"):
        hint = "give each annotation an id of its own, for example str(uuid.uuid4())"
        return Conflict(
            "another sample or person has an annotation with the same id",
            hint,
            code="annotation-id-used",
        )
    if name.startswith("SQLITE_CONSTRAINT"):
        return Conflict(
            f"the store refuses this change: {error}",
            "reload, then try again",
            code="store-refuses",
        )
    if not name and str(error).startswith("Could not decode to UTF-8"):
        return Damaged(
            f"the store has a text that is not UTF-8: {path}", SAVE, code="text-not-utf8"
        )
    if isinstance(error, PoolTimeout):
        name = "SQLITE_BUSY"
    family = "_".join(name.split("_")[:2])
    reason, hint = _HINTS.get(family, ("", "try again"))
    # The reason comes before the path, because the path may be longer than the screen is wide.
    message = f"the store cannot be used because {reason or error}: {path}"
    if why := _UNWRITABLE.get(name, _UNWRITABLE.get(family)):
        return ReadOnly(message, hint, reason=why)
    return Damaged(message, hint) if hint == SAVE else Unavailable(message, hint)
