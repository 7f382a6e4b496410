"""The schema of a workspace in PostgreSQL: safe access by many machines, and readable errors.

Writers wait for one another by an advisory lock, so that each transaction reads what all earlier
ones wrote, as in SQLite. A read transaction sees one state of the data (`REPEATABLE READ`). Each
commit notifies the other processes by `NOTIFY` in the same transaction.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import URL, Connection, Engine, RootTransaction, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tui_annotate.domain.errors import (
    OUTCOME_UNKNOWN,
    UNREACHABLE,
    Conflict,
    Damaged,
    InvalidInput,
    NotFound,
    ReadOnly,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.database import (
    LOCK_SECONDS,
    MOST_CONNECTIONS,
    RESTORE_DUMP,
    SCHEMA,
    Database,
    SharedRead,
    parse_version,
    require_known_version,
    require_migratable_version,
)

if TYPE_CHECKING:
    from psycopg import Connection as DriverConnection

INSTALL: Final = "install the PostgreSQL driver: pip install 'tui-annotate[postgres]'"
_SCHEMA_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_PORT: Final = 5432
_SOCKET_FOLDER: Final = re.compile(r"/[^:,]*")
_URL_PARAMETERS: Final = frozenset({
    *("host", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl"),
    *("channel_binding", "gssencmode", "target_session_attrs", "requirepeer"),
})  # fmt: skip
"""Parameters of a URL. Others of libpq could lead to a different server or read other files."""

_CONNECTION_SETTINGS: Final = {
    "application_name": "tui-annotate",
    "connect_timeout": "5",
    "client_encoding": "utf8",
    # A server that is gone is noticed after 5 s, not after the system's two hours.
    "keepalives_idle": "3",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "5000",
}

_SERVER_SETTINGS: Final = {
    # A client that is gone must not keep the lock of the writers until the system's keepalives.
    "tcp_keepalives_idle": 5,
    "tcp_keepalives_interval": 2,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

_STANDBY: Final = "the database server is a standby, which accepts no changes"
_NO_RIGHT: Final = "the database role has no right to write"
_ACCESS: Final = "SELECT pg_is_in_recovery(), has_table_privilege('events', 'INSERT')"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%(schema)s, 0))"
_VERSION: Final = "SELECT version_num FROM schema_version"
_NOTIFY: Final = (
    # A transaction without changes has no id.
    "SELECT pg_current_xact_id_if_assigned()::text, pg_notify(%(channel)s, %(sender)s)"
    " WHERE pg_current_xact_id_if_assigned() IS NOT NULL"
)
_OUTCOME: Final = "SELECT pg_xact_status(%(transaction)s::xid8)"
_RETRY_SECONDS: Final = 0.5
_OUTCOME_SECONDS: Final = 60.0
"""Time in seconds for which a process asks whether a COMMIT without an answer was executed."""


class PostgresqlDatabase:
    """An open schema of a PostgreSQL database, which threads may share; see `Database`.

    The URL has no password: libpq reads it from `PGPASSFILE`, `~/.pgpass` or `PGPASSWORD`.
    """

    def __init__(self, url: str, schema: str) -> None:
        self.schema = require_schema_name(schema)
        self._url = parse_url(url)
        self._given_url = url
        self.read_only = ""
        self.shared = True
        self._sender = uuid.uuid4().hex
        self._channel = f"tui_annotate_{schema}"[:63]
        self._companion: Database | None = None
        self._moment = 0
        self._listening = Lock()
        self._shared = SharedRead()
        self._listener: DriverConnection[Any] | None = None
        _require_driver()
        self._reader = self._create_engine(read_only=True)
        self._writer = self._create_engine(read_only=False)

    @classmethod
    def create(
        cls, url: str, schema: str, *, fill: Callable[[Connection], object] | None = None
    ) -> PostgresqlDatabase:
        """Create the tables in a new or empty schema; Conflict if the schema has a store.

        Args:
            fill: adds the first rows, in the transaction that creates the tables.
        """
        with _close_on_error(cls(url, schema)) as database:
            database.create_tables(fill)
            return database

    @classmethod
    def open(cls, url: str, schema: str) -> PostgresqlDatabase:
        """Open the schema of a workspace; an older version is migrated in one transaction.

        A store on a standby server, or of a role without the right to write, is read-only.

        Raises:
            NotFound: the schema does not exist, or has no store.
            Unavailable: the server cannot be reached, or the store has a newer version or one that
                is too old.
        """
        with _close_on_error(cls(url, schema)) as database:
            version = database.version()
            if not version:
                raise NotFound(
                    f"there is no store in {database.name}",
                    "check the URL and the schema in the workspace's settings",
                    code="no-store",
                )
            require_migratable_version(database.name, version)
            database.choose_access()
            if version < SCHEMA:
                database.migrate()
            return database

    @property
    def name(self) -> str:
        """The URL, and the schema."""
        return f"{self._given_url} (schema {self.schema})"

    def create_tables(self, fill: Callable[[Connection], object] | None = None) -> None:
        """Create the schema if it is missing, and its tables; Conflict if it has a store."""
        from tui_annotate.storage.migrate import create  # here, as importing Alembic takes 250 ms

        with self._translate_errors(), self._writer.begin() as connection:
            # The lock comes first, so that of two programs one finds the store of the other.
            connection.exec_driver_sql(_LOCK, {"schema": self.schema})
            connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
            if self._read_version(connection):
                raise Conflict(
                    f"{self.name} is a store already",
                    "choose a different schema: --schema NAME",
                    code="store-exists",
                )
            create(connection)
            if fill is not None:
                fill(connection)

    def choose_access(self) -> None:
        """Make the store read-only if the server or the rights of the role require it."""
        with self.reading() as connection:
            standby, writable = connection.exec_driver_sql(_ACCESS).one()
        if standby or not writable:
            self.read_only = _STANDBY if standby else _NO_RIGHT

    def migrate(self) -> None:
        """Migrate the tables to the newest version, in one transaction."""
        from tui_annotate.storage.migrate import upgrade

        with self.writing() as connection:
            # Another process may have migrated the store while this one waited for the lock.
            if self._read_version(connection) < SCHEMA:
                upgrade(connection)

    def version(self) -> int:
        """Return the schema version of the store; 0 if the schema has none."""
        with self.reading() as connection:
            return self._read_version(connection)

    def _read_version(self, connection: Connection) -> int:
        if connection.exec_driver_sql("SELECT to_regclass('schema_version')").scalar() is None:
            return 0
        row = connection.exec_driver_sql(_VERSION).first()
        return 0 if row is None else parse_version(self.name, row[0], hint=RESTORE_DUMP)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read transaction; see `Database.reading`."""
        if self._shared.connection is not None:
            yield self._shared.connection
            return
        # It ends with COMMIT: at ROLLBACK psycopg forgets prepared statements, and to plan one of
        # the conditions on locked work takes 2 to 4 ms each time.
        with self._translate_errors(), self._reader.begin() as connection:
            yield connection

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread in a `with` block share one transaction."""
        return self._shared.share(self.reading)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a write transaction: committed at the end, rolled back after any error.

        Raises:
            ReadOnly: the store cannot be written.
            Unavailable: also if another process writes for 30 s.
            Conflict: a row with the same key exists already.
            InvalidInput: a text cannot be stored.
        """
        self.require_writable()
        with self._translate_errors():
            with self._writer.connect() as connection, connection.begin() as transaction:
                connection.exec_driver_sql(_LOCK, {"schema": self.schema})
                # A newer program may have migrated the store since this process opened it.
                row = connection.exec_driver_sql(_VERSION).first()
                version = parse_version(self.name, row[0] if row else "", hint=RESTORE_DUMP)
                require_known_version(self.name, version)
                yield connection
                names = {"channel": self._channel, "sender": self._sender}
                changed = connection.exec_driver_sql(_NOTIFY, names).first()
                if changed is not None:
                    self._commit(transaction, changed[0])
            if changed is not None:
                # Counted here, as the notification may arrive only after the next `moment`.
                with self._listening:
                    self._moment += 1

    def _commit(self, transaction: RootTransaction, number: str) -> None:
        """Commit; if the connection is lost meanwhile, ask the server whether it has committed.

        Args:
            number: the server's number of the transaction.
        """
        try:
            transaction.commit()
        except DBAPIError as error:
            if not error.connection_invalidated or not self._was_committed(number):
                raise

    def _was_committed(self, number: str) -> bool:
        """Return whether a transaction was committed, as soon as the server can be asked."""
        end = time.monotonic() + _OUTCOME_SECONDS
        while True:
            try:
                with self._reader.begin() as connection:
                    outcome = connection.exec_driver_sql(_OUTCOME, {"transaction": number}).scalar()
            except DBAPIError as error:
                lost: DBAPIError | None = error
            else:
                if outcome != "in progress":
                    return bool(outcome == "committed")
                lost = None
            if time.monotonic() > end:
                raise Unavailable(
                    "it is unknown whether the last change is stored, because the connection was"
                    f" lost when it was committed: {self.name}",
                    "when the database server can be reached again, check what is stored",
                    code=OUTCOME_UNKNOWN,
                ) from lost
            time.sleep(_RETRY_SECONDS)

    def moment(self) -> int:
        """Return a counter that changes after each commit to the database by any process.

        Only counters of one open database can be compared. A commit of another process counts as
        soon as its notification arrived. The counter has a connection of its own, which asks the
        server nothing.
        """
        with self._translate_errors(), self._listening:
            if self._listener is None or self._listener.closed:
                self._listen()
            if not self._receive():
                # Notifications may be lost with the connection.
                self._listen()
            return self._moment

    def _listen(self) -> None:
        """Connect the listener; whatever was committed before counts as a change."""
        import psycopg

        if self._listener is not None:
            self._listener.close()
        self._listener = psycopg.connect(**self._driver_arguments(), autocommit=True)
        self._listener.execute(f"LISTEN {self._channel}")
        self._moment += 1

    def _receive(self) -> bool:
        """Count the notifications that have arrived; return whether the connection is sound."""
        import psycopg

        assert self._listener is not None  # noqa: S101  the caller connects it
        try:
            for notification in self._listener.notifies(timeout=0):
                if notification.payload != self._sender:
                    self._moment += 1
        except psycopg.OperationalError:
            return False
        return True

    def require_writable(self) -> None:
        """Raise `ReadOnly`, with the reason, if the database cannot be written."""
        if self.read_only:
            raise ReadOnly(
                f"the workspace is read-only, because {self.read_only}: {self.name}",
                "connect to the primary server, with a role that may write",
                reason=self.read_only,
            )

    def stop_writing(self, error: ReadOnly) -> None:
        """Refuse all writes to the database from now on, because of an error."""
        self.read_only = self.read_only or error.reason

    def explain_wrong_types(self) -> nullcontext[None]:
        """Do nothing: PostgreSQL stores no value of a wrong type."""
        return nullcontext()

    def start_record(self) -> None:
        """Do nothing: there is no record of changes in PostgreSQL (see `change_record`)."""

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy to a new SQLite file, while others may write to the database."""
        from tui_annotate.storage.sqlite_database import write_file
        from tui_annotate.storage.store_copy import copy_rows

        with self.reading() as rows:
            write_file(target, partial(copy_rows, rows))

    @contextmanager
    def retire(self) -> Iterator[Connection]:
        """Lock out writers during a `with` block, and rename the schema after it.

        Other processes that have the store open can write neither during the block nor after it:
        they find no tables. The schema keeps its data, and gets the name in `name`. After an error
        in the block, the store stays as it is.

        Yields a connection that reads the last state of the store.
        """
        now = "".join(each for each in utc_now() if each.isdigit())[:14]
        retired = f"{self.schema[:41]}_moved_{now}"
        with self.writing() as connection:
            yield connection
            connection.exec_driver_sql(f"ALTER SCHEMA {self.schema} RENAME TO {retired}")
        self.schema = retired

    def delete(self) -> None:
        """Delete the schema, with all rows."""
        with self.writing() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {self.schema} CASCADE")

    def companion(self, path: Path, *, make: bool = False) -> Database:
        """Open a second database, to be closed with this one; if `make`, create a missing file."""
        from tui_annotate.storage.sqlite_database import SqliteDatabase

        if self._companion is None:
            made = make and not path.exists()
            self._companion = SqliteDatabase.create(path) if made else SqliteDatabase.open(path)
        return self._companion

    def close(self) -> None:
        """Close all connections; the database must not be used afterwards."""
        if self._companion is not None:
            self._companion.close()
        with self._listening:
            if self._listener is not None:
                self._listener.close()
            self._listener = None
        self._reader.dispose()
        self._writer.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _driver_arguments(self) -> dict[str, Any]:
        """Return what psycopg connects with: the URL, our settings, and the schema."""
        from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

        _, named = PGDialect_psycopg().create_connect_args(self._url)  # type: ignore[no-untyped-call]
        settings = {"search_path": self.schema, "lock_timeout": int(LOCK_SECONDS * 1000)}
        settings |= _SERVER_SETTINGS
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        return {**_CONNECTION_SETTINGS, **named, "options": options}

    def _create_engine(self, *, read_only: bool) -> Engine:
        import tui_annotate.storage.postgresql_dialect  # noqa: F401  registers how to compile

        engine = create_engine(
            "postgresql+psycopg://",
            creator=lambda: self._connect(read_only=read_only),
            pool_size=MOST_CONNECTIONS,
            max_overflow=0,
            pool_timeout=LOCK_SECONDS,
            pool_pre_ping=True,
            execution_options={"preserve_rowcount": True},
        )

        @event.listens_for(engine, "handle_error")
        def _(context: Any) -> None:
            # An operator who ends one connection does not mean the others, which are tested again.
            context.invalidate_pool_on_disconnect = False

        return engine

    def _connect(self, *, read_only: bool) -> DriverConnection[Any]:
        import psycopg
        from psycopg import IsolationLevel

        connection = psycopg.connect(**self._driver_arguments())
        connection.adapters.register_loader("numeric", _number_loader())
        connection.isolation_level = (
            IsolationLevel.REPEATABLE_READ if read_only else IsolationLevel.READ_COMMITTED
        )
        connection.read_only = read_only
        return connection

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert errors of PostgreSQL in a `with` block into the program's own errors."""
        import psycopg

        try:
            yield
        except DBAPIError as error:
            raise _translate_error(error.orig, self.name) from error
        except (psycopg.Error, PoolTimeout) as error:
            raise _translate_error(error, self.name) from error
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{error.object!r} contains half a character at offset {error.start}",
                "type the text again; the character was cut, or the text has a different encoding",
                code="half-character",
            ) from error


def parse_url(url: str) -> URL:
    """Return the parts of the URL of a database.

    Raises:
        InvalidInput: it is not the URL of a PostgreSQL database, or it has a password.
    """
    hint = "write postgresql://USER@HOST/DATABASE, without a password"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise InvalidInput("the store's URL cannot be read", hint, code="store-url") from error
    # The text may have a password where none belongs, so it is not shown.
    if parsed.drivername not in ("postgresql", "postgres"):
        what = f"the store's URL begins with {parsed.drivername}://, and not with postgresql://"
        raise InvalidInput(what, hint, code="store-url")
    unknown = sorted(set(parsed.query) - _URL_PARAMETERS - {"password"})
    if unknown:
        raise InvalidInput(
            f"the store's URL has the parameter {unknown[0]!r}",
            f"use only: {', '.join(sorted(_URL_PARAMETERS))}",
            code="store-url",
        )
    if parsed.password is not None or "password" in parsed.query:
        raise InvalidInput(
            "the store's URL has a password, which others could read",
            "remove it, and write it to the file that PGPASSFILE names (by default ~/.pgpass)",
            code="store-url-password",
        )
    socket = parsed.query.get("host")
    if socket is not None and not (
        isinstance(socket, str) and _SOCKET_FOLDER.fullmatch(socket) and not parsed.host
    ):
        raise InvalidInput(
            f"the store's URL has the parameter host={socket!r}, which names no folder of a socket",
            "write the host before the name of the database: postgresql://USER@HOST/DATABASE",
            code="store-url",
        )
    return parsed.set(drivername="postgresql+psycopg")


def find_origin(url: URL) -> str:
    """Return the server of a URL, such as `postgresql://db.example.org`; see `EndpointTrust`.

    The server at a Unix socket is `postgresql://` and the socket's folder; without a host in the
    URL, it is `postgresql://localhost`, although `PGHOST` may name a different one.
    """
    if "host" in url.query:
        port = "" if url.port in (None, _PORT) else f":{url.port}"
        return f"postgresql://{url.query['host']}{port}"
    host = url.host or "localhost"
    address = f"[{host}]" if ":" in host else host
    return f"postgresql://{address}" + ("" if url.port in (None, _PORT) else f":{url.port}")


def require_schema_name(name: str) -> str:
    """Return a name that PostgreSQL takes for a schema without quotes; InvalidInput for others."""
    if not _SCHEMA_NAME.fullmatch(name) or name.startswith("pg_"):
        raise InvalidInput(
            f"{name!r} is not the name of a schema",
            "use at most 63 lower-case letters, digits and underscores, and begin with a letter",
            code="store-schema",
        )
    return name


def _require_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        what = "the store is in PostgreSQL, and the package psycopg is not installed"
        raise Unavailable(what, INSTALL, code="no-psycopg") from error


@contextmanager
def _close_on_error(database: PostgresqlDatabase) -> Iterator[PostgresqlDatabase]:
    try:
        yield database
    except BaseException:
        database.close()
        raise


def _number_loader() -> Any:
    """Return a loader for sums of whole numbers, which PostgreSQL computes as decimal numbers."""
    from psycopg.adapt import Loader

    class NumberLoader(Loader):
        def load(self, data: Any) -> int | float:
            digits = bytes(data)
            return int(digits) if digits.lstrip(b"-").isdigit() else float(digits)

    return NumberLoader


_LOST_STATES: Final = frozenset({"57P01", "57P02", "57P03", "53300"})
"""States of errors of a server that shuts down, starts, or has no connection left."""

_BUSY: Final = (
    "another process has locked the store",
    "wait until the process that locked the store ends, then try again",
)
_MOVED: Final = f"quit, and open the workspace again; if this does not help, {RESTORE_DUMP}"
_AUTHENTICATE: Final = (
    "write the password to the file that PGPASSFILE names (by default ~/.pgpass), which only you"
    " may read: HOST:PORT:DATABASE:USER:PASSWORD"
)
_UNREACHABLE: Final = "check that the database server runs, and the network; then try again"


def _translate_error(error: Any, name: str) -> TuiAnnotateError:
    from psycopg import DataError, InterfaceError, OperationalError, errors

    if isinstance(error, errors.ForeignKeyViolation):
        hint = "check the id of the person; workspace.person(NAME) creates a person"
        return Conflict(
            "the change names a person or a sample that is not stored", hint, code="not-stored"
        )
    if isinstance(error, errors.UniqueViolation) and (
        error.diag.constraint_name == "pk_annotations"
    ):
        return Conflict(
            "another sample or person has an annotation with the same id",
            "give each annotation an id of its own, for example str(uuid.uuid4())",
            code="annotation-id-used",
        )
    if isinstance(error, errors.IntegrityError):
        what = f"the store refuses this change: {_first_line(error)}"
        return Conflict(what, "reload, then try again", code="store-refuses")
    if isinstance(error, DataError) and "NUL" in str(error):
        return InvalidInput(
            "a text contains the character NUL (U+0000), which PostgreSQL does not store",
            "remove the character from the text",
            code="control-character",
        )
    return _translate_state(error, name, lost=(OperationalError, InterfaceError))


def _translate_state(
    error: Any, name: str, *, lost: tuple[type[Exception], ...]
) -> TuiAnnotateError:
    """Return the error for a server that cannot do what was asked.

    Args:
        lost: classes of errors without a more special class: the connection is gone.
    """
    from psycopg import errors

    kinds: tuple[tuple[Any, str, str], ...] = (
        ((PoolTimeout, errors.LockNotAvailable), *_BUSY),
        ((errors.DeadlockDetected, errors.SerializationFailure), "of other changes", "try again"),
        (errors.InsufficientPrivilege, _NO_RIGHT, "ask the database's administrator for rights"),
        (errors.ReadOnlySqlTransaction, _STANDBY, "connect to the primary server"),
        (errors.DiskFull, "the server's disk is full", "free some space on the server"),
        (errors.UndefinedTable, "a table is missing: the store was moved or is damaged", _MOVED),
        (errors.UndefinedColumn, "a table is damaged", RESTORE_DUMP),
    )
    if isinstance(error, lost) and _is_lost(error):
        reached = f"the database server cannot be reached: {_first_line(error)}"
        kinds = (*kinds, (lost, reached, _UNREACHABLE))
    for kind, reason, hint in kinds:
        if isinstance(error, kind):
            # The reason comes before the name, because that may be longer than the screen is wide.
            message = f"the store cannot be used because {reason}: {name}"
            if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
                return ReadOnly(message, hint, reason=reason)
            if isinstance(error, errors.DiskFull):
                return ReadOnly(message, hint, reason=reason)
            if hint in (RESTORE_DUMP, _MOVED):
                return Damaged(message, hint)
            if kind is lost and "password" in reason:
                return Unavailable(message, _AUTHENTICATE)
            return Unavailable(message, hint, code=UNREACHABLE if kind is lost else "")
    return Unavailable(
        f"the store cannot be used because {_first_line(error)}: {name}",
        "try again",
        code="store-unavailable",
    )


def _is_lost(error: Any) -> bool:
    """Return whether the connection failed or was ended; the same change may succeed later."""
    state = error.sqlstate or ""
    return not state or state.startswith("08") or state in _LOST_STATES


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0]
