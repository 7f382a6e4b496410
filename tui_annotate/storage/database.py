"""What the parts of the store need of a database, whether it is SQLite or PostgreSQL.

`sqlite_database` opens the file of a workspace, `postgresql_database` a schema on a server.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Connection

from tui_annotate.domain.errors import ReadOnly, Unavailable
from tui_annotate.domain.people import OPERATOR, Actor

SCHEMA: Final = 4
"""Version of the database tables that this code reads and writes."""

OLDEST_SCHEMA: Final = 4
"""Oldest schema version of a workspace's database that can be migrated."""

LOCK_SECONDS: Final = 30.0
"""Maximum time in seconds for which a writer waits for other writers."""

MOST_CONNECTIONS: Final = 32
"""Maximum number of threads in one process that read a database, and of those that write."""


RESTORE_DUMP: Final = "restore a dump of the schema with pg_restore"
"""Next step for a damaged store in PostgreSQL."""


class SharedRead(threading.local):
    """The read transaction that the reads of a thread share during `Database.snapshot`, if any."""

    connection: Connection | None = None

    @contextmanager
    def share(self, reading: Callable[[], AbstractContextManager[Connection]]) -> Iterator[None]:
        """Share one transaction, which `reading` opens, unless this thread shares one already."""
        if self.connection is not None:
            yield
            return
        with reading() as connection:
            self.connection = connection
            try:
                yield
            finally:
                self.connection = None


class Database(Protocol):
    """An open workspace database, which threads may share; each process opens its own.

    Raises:
        Unavailable: every method, if the database cannot be used.
    """

    @property
    def name(self) -> str:
        """Where the database is: the path of its file, or the URL and the schema."""

    @property
    def read_only(self) -> str:
        """Why the database cannot be written, to follow "it is read-only, because"; else empty."""

    @property
    def shared(self) -> bool:
        """Whether workspace folders on several machines may use the database."""

    def version(self) -> int:
        """Return the schema version of the database; 0 for an empty one."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Open a read transaction, in which the data stays the same even during writes.

        Within `snapshot`, it is the transaction of the snapshot.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread in a `with` block share one transaction.

        So they see the same data, and need fewer exchanges with the store. Writes are not part of
        it: what this thread writes meanwhile is not seen by the reads of the block.
        """

    def writing(self) -> AbstractContextManager[Connection]:
        """Open a write transaction: committed at the end, rolled back after any error.

        Writers wait for one another, so that a transaction reads what all earlier ones wrote.

        Raises:
            ReadOnly: the store cannot be written.
            Unavailable: also if another process writes for 30 s.
            Conflict: a row with the same key exists already.
            InvalidInput: a text cannot be stored.
        """

    def moment(self) -> int:
        """Return a counter that changes after each commit to the database by any process.

        Only counters of one open database can be compared.
        """

    def require_writable(self) -> None:
        """Raise `ReadOnly`, with the reason, if the database cannot be written."""

    def stop_writing(self, error: ReadOnly) -> None:
        """Refuse all writes to the database from now on, because of an error."""

    def explain_wrong_types(self) -> AbstractContextManager[None]:
        """Raise Damaged for an error in a `with` block whose cause is a value of a wrong type."""

    def start_record(self) -> None:
        """Start the record of changes, or extend an earlier record; see `change_record`."""

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy to a new SQLite file, while others may write to the database."""

    def retire(self) -> AbstractContextManager[Connection]:
        """Lock out writers during a `with` block, and make the store unusable after it.

        Other processes that have the store open can write neither during the block nor after it. A
        copy remains, which `name` then names. After an error in the block, the store stays as it
        is.

        Yields a connection that reads the last state of the store.
        """

    def delete(self) -> None:
        """Delete the store, with all rows."""

    def companion(self, path: Path, *, make: bool = False) -> Database:
        """Open a second database, to be closed with this one; if `make`, create a missing file."""

    def close(self) -> None:
        """Close all connections; the database must not be used afterwards."""


class CommonStore:
    """Base class for access to a part of the database, independent of the acting user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def read_only(self) -> str:
        """Why the database cannot be written; empty if it can."""
        return self._database.read_only

    @property
    def shared(self) -> bool:
        """Whether workspace folders on several machines may use the database."""
        return self._database.shared


class Store:
    """Base class for access to a part of the database, limited by the acting user's rights."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread in a `with` block, also by other stores, see the same data.

        See `Database.snapshot`.
        """
        return self._database.snapshot()


def require_known_version(where: object, version: int) -> None:
    """Raise Unavailable if a newer program made the store, whose version this one cannot read."""
    if version > SCHEMA:
        raise Unavailable(
            f"the store {where} has version {version}; the newest supported is {SCHEMA}",
            "install a newer tui-annotate",
            code="store-too-new",
        )


def require_migratable_version(where: object, version: int) -> None:
    """Raise Unavailable if the version of a store is newer than known, or too old to migrate."""
    require_known_version(where, version)
    if version < OLDEST_SCHEMA:
        raise Unavailable(
            f"the store {where} has version {version}; the oldest that this program "
            f"migrates is {OLDEST_SCHEMA}",
            "open the store once with the previous version of tui-annotate",
            code="store-too-old",
        )


def parse_version(where: object, found: object, *, hint: str) -> int:
    """Return the schema version of a store, or raise Unavailable if it is not a number."""
    if not str(found).isdecimal():
        what = f"{where} is damaged or not a tui-annotate store: its version is {found!r}"
        raise Unavailable(what, hint, code="store-unavailable")
    return int(str(found))
