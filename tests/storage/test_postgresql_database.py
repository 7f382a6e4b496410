"""The schema of a workspace in PostgreSQL, whose processes may be on several machines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select, text, update

from tests.helpers.errors import has_code
from tests.helpers.postgresql_server import DATABASE, USER, PostgresqlServer
from tests.helpers.socket_proxy import SocketProxy
from tests.helpers.stores import annotate, claim, fill
from tests.helpers.terminal import PATIENCE
from tui_annotate.domain.errors import (
    OUTCOME_UNKNOWN,
    UNREACHABLE,
    Conflict,
    InvalidInput,
    NotFound,
    ReadOnly,
    Unavailable,
)
from tui_annotate.storage import postgresql_database as module
from tui_annotate.storage.columns import SETTINGS
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.postgresql_database import (
    PostgresqlDatabase,
    parse_url,
    require_schema_name,
)

_WRITERS = 8


@pytest.fixture
def database(postgresql_store: PostgresqlDatabase) -> PostgresqlDatabase:
    """An empty store, in PostgreSQL alone."""
    return postgresql_store


@pytest.fixture
def other(reopen: Callable[[], Database]) -> Iterator[Database]:
    """The same store, as another process has it."""
    opened = reopen()
    yield opened
    opened.close()


def write(database: Database, name: str, value: str = "") -> None:
    """Store a setting."""
    with database.writing() as connection:
        connection.execute(insert(SETTINGS).values(name=name, value=value))


def names(database: Database) -> list[str]:
    """The names of the settings."""
    with database.reading() as connection:
        return list(connection.execute(select(SETTINGS.c.name).order_by(SETTINGS.c.name)).scalars())


def changed(database: Database, since: int) -> bool:
    """Whether a commit of another process is noticed, however long its notification takes."""
    waiting = threading.Event()
    for _ in range(int(PATIENCE * 100)):
        if database.moment() != since:
            return True
        waiting.wait(0.01)
    return False


def test_a_new_store_has_the_tables_of_this_version(postgresql: PostgresqlServer) -> None:
    """It is sound, empty, and not created twice; another schema is another store."""
    for schema in ("first_study", "second_study"):
        with PostgresqlDatabase.create(postgresql.url, schema) as database:
            assert database.version() == SCHEMA
            assert [each.state for each in inspect_store(database)] == ["ok", "ok"]
            write(database, schema)
    with pytest.raises(Conflict, check=has_code("store-exists")):
        PostgresqlDatabase.create(postgresql.url, "first_study")
    with PostgresqlDatabase.open(postgresql.url, "first_study") as database:
        assert names(database) == ["first_study"]


def test_of_several_that_create_a_store_one_does(postgresql: PostgresqlServer) -> None:
    """The others find its store."""

    def create(_: int) -> bool:
        try:
            PostgresqlDatabase.create(postgresql.url, "contested").close()
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(_WRITERS) as pool:
        assert sorted(pool.map(create, range(_WRITERS))) == [False] * (_WRITERS - 1) + [True]


def test_a_schema_without_a_store_is_not_found(postgresql: PostgresqlServer) -> None:
    """Nothing is created."""
    for _ in range(2):
        with pytest.raises(NotFound, check=has_code("no-store")):
            PostgresqlDatabase.open(postgresql.url, "missing")


@pytest.mark.parametrize(("version", "code"), [(9999, "store-too-new"), (1, "store-too-old")])
def test_stores_of_other_versions_are_refused(
    database: PostgresqlDatabase, reopen: Callable[[], Database], version: int, code: str
) -> None:
    """Also by a process that has the store open, before it writes to newer tables."""
    with database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE schema_version SET version_num = '{version:04}'")
    with pytest.raises(Unavailable, check=has_code(code)):
        reopen()
    if version > SCHEMA:
        with pytest.raises(Unavailable, check=has_code(code)):
            write(database, "one")
        assert names(database) == []


def test_an_error_rolls_the_transaction_back(database: PostgresqlDatabase) -> None:
    """And the connection can be used again."""

    def fail() -> None:
        with database.writing() as connection:
            connection.execute(insert(SETTINGS).values(name="one", value=""))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    write(database, "two")
    assert names(database) == ["two"]


def test_writers_wait_for_one_another(database: PostgresqlDatabase, other: Database) -> None:
    """Each reads what the earlier ones wrote, so that no count is lost."""
    write(database, "count", "0")
    mine = SETTINGS.c.name == "count"

    def add(number: int) -> None:
        with (database if number % 2 else other).writing() as connection:
            value = connection.execute(select(SETTINGS.c.value).where(mine)).scalar_one()
            connection.execute(update(SETTINGS).where(mine).values(value=str(int(value) + 1)))

    with ThreadPoolExecutor(_WRITERS) as pool:
        list(pool.map(add, range(10 * _WRITERS)))
    with database.reading() as connection:
        assert connection.execute(select(SETTINGS.c.value).where(mine)).scalar() == str(
            10 * _WRITERS
        )


def test_a_writer_does_not_wait_for_ever(
    database: PostgresqlDatabase,
    reopen: Callable[[], Database],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error says so; readers do not wait at all."""
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.1)
    other = reopen()
    with database.writing():
        with pytest.raises(Unavailable, match="locked"):
            write(other, "one")
        assert names(other) == []
    write(other, "two")
    other.close()


def test_stores_do_not_wait_for_each_other(
    database: PostgresqlDatabase, postgresql: PostgresqlServer
) -> None:
    """Each schema has a lock of its own."""
    schema = postgresql.create_store()
    with database.writing(), PostgresqlDatabase.open(postgresql.url, schema) as another:
        write(another, "one")
    postgresql.drop_store(schema)


def test_a_reader_sees_one_state(database: PostgresqlDatabase, other: Database) -> None:
    """Whatever others commit in between; and it can not write."""
    with database.reading() as connection:
        count = text("SELECT count(*) FROM settings")
        assert connection.execute(count).scalar() == 0
        write(other, "one")
        assert connection.execute(count).scalar() == 0
    assert names(database) == ["one"]
    with pytest.raises(ReadOnly), database.reading() as connection:
        connection.execute(insert(SETTINGS).values(name="two", value=""))


def test_the_server_keeps_the_plans_of_statements(database: PostgresqlDatabase) -> None:
    """Over transactions: to plan a condition on locked work takes longer than to read the rows."""
    for _ in range(10):
        names(database)
    with database.reading() as connection:
        query = "SELECT statement FROM pg_prepared_statements"
        prepared = connection.exec_driver_sql(query).scalars().all()
    assert any("settings.name" in each for each in prepared)


def test_the_moment_changes_with_each_commit(database: PostgresqlDatabase, other: Database) -> None:
    """Of this process at once, of others when they notify; not by reading or an empty write."""
    begun = database.moment()
    write(database, "one")
    own = database.moment()
    assert own != begun
    names(database)
    with database.writing():
        pass
    assert database.moment() == own
    write(other, "two")
    assert changed(database, own)


def test_a_lost_listener_is_a_change(
    database: PostgresqlDatabase, postgresql: PostgresqlServer
) -> None:
    """Notifications may be lost with it, and later ones arrive again."""
    begun = database.moment()
    end_connections(postgresql, "query LIKE 'LISTEN%'")
    assert changed(database, begun)
    again = database.moment()
    with PostgresqlDatabase.open(postgresql.url, database.schema) as third:
        write(third, "one")
    assert changed(database, again)


def end_connections(postgresql: PostgresqlServer, condition: str) -> None:
    """End connections as an administrator or a restart of the server does."""
    import psycopg

    with psycopg.connect(postgresql.address, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            f" WHERE pid <> pg_backend_pid() AND {condition}".encode()
        )


def test_ended_connections_are_replaced(
    database: PostgresqlDatabase, postgresql: PostgresqlServer
) -> None:
    """The next action finds new ones; one in the middle of a transaction stores nothing."""
    ours = "application_name = 'tui-annotate'"
    write(database, "one")
    end_connections(postgresql, ours)
    write(database, "two")
    end_connections(postgresql, ours)
    assert names(database) == ["one", "two"]

    def lose() -> None:
        with database.writing() as connection:
            connection.execute(insert(SETTINGS).values(name="three", value=""))
            end_connections(postgresql, ours)

    with pytest.raises(Unavailable):
        lose()
    assert names(database) == ["one", "two"]


def test_a_server_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    """The message names the reason, and its hint what to check."""
    with pytest.raises(Unavailable, match="cannot be reached") as caught:
        PostgresqlDatabase.open(f"postgresql://{USER}@/{DATABASE}?host={tmp_path}", "study")
    assert "server" in caught.value.hint


def test_texts_that_can_not_be_stored_are_refused(database: PostgresqlDatabase) -> None:
    """NUL and half a character, which SQLite stores or refuses as well."""
    with pytest.raises(InvalidInput, check=has_code("control-character")):
        write(database, "a\0b")
    with pytest.raises(InvalidInput, check=has_code("half-character")):
        write(database, "\ud800")
    assert names(database) == []


def test_rows_that_contradict_others_are_conflicts(database: PostgresqlDatabase) -> None:
    """With the codes that SQLite's have."""
    write(database, "one")
    with pytest.raises(Conflict, check=has_code("store-refuses")):
        write(database, "one")
    with pytest.raises(Conflict, check=has_code("not-stored")):
        PeopleStore(database).keep_preference("missing", "theme", "dark")


def test_a_role_that_may_only_read_has_a_read_only_store(
    database: PostgresqlDatabase, postgresql: PostgresqlServer
) -> None:
    """Writing says why not."""
    import psycopg

    with psycopg.connect(postgresql.address, autocommit=True) as admin:
        admin.execute(f"GRANT USAGE ON SCHEMA {database.schema} TO {visitor(admin)}".encode())
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {database.schema} TO visitor".encode())
    url = postgresql.url.replace(f"{USER}@", "visitor@")
    with PostgresqlDatabase.open(url, database.schema) as visited:
        assert visited.read_only
        assert names(visited) == []
        with pytest.raises(ReadOnly) as caught:
            write(visited, "one")
    assert caught.value.reason == visited.read_only


def visitor(admin: object) -> str:
    """Create the role `visitor` once; return its name."""
    import psycopg

    assert isinstance(admin, psycopg.Connection)
    if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = 'visitor'").fetchone() is None:
        admin.execute("CREATE ROLE visitor LOGIN")
    return "visitor"


def test_sums_are_numbers_of_python(database: PostgresqlDatabase) -> None:
    """PostgreSQL adds whole numbers of 64 bits up to decimal ones, which JSON does not have."""
    query = text("SELECT sum(CAST(n AS BIGINT)), -1.5 FROM (VALUES (1), (2)) v (n)")
    with database.reading() as connection:
        total, half = connection.execute(query).one()
    assert (total, half) == (3, -1.5)
    assert not isinstance(total, Decimal)
    assert not isinstance(half, Decimal)


def test_work_is_stored(database: PostgresqlDatabase, other: Database) -> None:
    """And another process has it."""
    (key,) = fill(CorpusStore(database), "1")
    reader = PeopleStore(database).local("reader").id
    annotate(database).add(reader, key, claim("a"), seconds=1)
    found = annotate(other, labels="").open(reader, key)
    assert [each.id for each in found.annotations] == ["a"]


def test_writers_of_one_stream_keep_its_chain_whole(
    database: PostgresqlDatabase, other: Database
) -> None:
    """Each action is stored once, behind all earlier ones; undo finds the last."""
    (key,) = fill(CorpusStore(database), "1")
    reader = PeopleStore(database).local("reader").id
    services = [annotate(each) for each in (database, other)]

    def add(number: int) -> None:
        span = number % 3, 16 + number
        services[number % 2].add(reader, key, claim(f"a{number}", *span), seconds=1)

    with ThreadPoolExecutor(_WRITERS) as pool:
        list(pool.map(add, range(4 * _WRITERS)))
    found = services[0].open(reader, key).annotations
    assert sorted(each.id for each in found) == sorted(f"a{n}" for n in range(4 * _WRITERS))
    assert [each.state for each in inspect_store(database)] == ["ok", "ok"]
    undone = services[1].undo(reader)
    assert undone is not None
    assert len(services[0].open(reader, key).annotations) == 4 * _WRITERS - 1


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://u:secret@h/d", "store-url-password"),
        ("postgresql://h/d?password=secret", "store-url-password"),
        ("mysql://h/d", "store-url"),
        ("nonsense", "store-url"),
    ],
)
def test_urls_that_are_refused(url: str, code: str) -> None:
    """No message repeats a password."""
    with pytest.raises(InvalidInput, check=has_code(code)) as caught:
        parse_url(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "Study", "1st", "a-b", "a;b", "pg_x", "a" * 64, 'a"b'])
def test_names_of_schemas_need_no_quotes(name: str) -> None:
    """Others would be another name in PostgreSQL, or SQL."""
    with pytest.raises(InvalidInput, check=has_code("store-schema")):
        require_schema_name(name)
    assert require_schema_name("study_1") == "study_1"


def test_the_driver_is_required_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, the hint is the command that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(Unavailable, check=has_code("no-psycopg")) as caught:
        PostgresqlDatabase("postgresql://h/d", "study")
    assert "[postgres]" in caught.value.hint


@pytest.fixture
def proxy(postgresql: PostgresqlServer) -> Iterator[SocketProxy]:
    """A proxy between a program and the server."""
    with SocketProxy(postgresql.folder) as proxy:
        yield proxy


@pytest.fixture
def remote(database: PostgresqlDatabase, proxy: SocketProxy) -> Iterator[PostgresqlDatabase]:
    """The same store through the proxy."""
    url = f"postgresql://{USER}@/{DATABASE}?host={proxy.folder}"
    with PostgresqlDatabase.open(url, database.schema) as opened:
        with opened.writing():
            pass  # the first connection of a process commits what it asks the server
        yield opened


def test_a_commit_whose_answer_is_lost_is_stored_once(
    database: PostgresqlDatabase, remote: PostgresqlDatabase, proxy: SocketProxy
) -> None:
    """The server is asked: the caller gets no error, and does not write it again."""
    proxy.cut_after_commit = True
    write(remote, "once")
    assert names(database) == ["once"] == names(remote)


def test_a_commit_that_never_arrived_is_an_error(
    database: PostgresqlDatabase, remote: PostgresqlDatabase, proxy: SocketProxy
) -> None:
    """Nothing is stored, so that the same change can be tried again."""
    proxy.cut_before_commit = True
    with pytest.raises(Unavailable, check=has_code(UNREACHABLE)):
        write(remote, "later")
    assert names(database) == []
    write(remote, "later")
    assert names(database) == ["later"]


def test_a_connection_lost_within_a_transaction_stores_nothing(
    database: PostgresqlDatabase, remote: PostgresqlDatabase, proxy: SocketProxy
) -> None:
    """And the next transaction has a connection of its own."""

    def cut_off() -> None:
        with remote.writing() as connection:
            connection.execute(insert(SETTINGS).values(name="half", value=""))
            proxy.cut()
            connection.execute(insert(SETTINGS).values(name="other", value=""))

    with pytest.raises(Unavailable, check=has_code(UNREACHABLE)):
        cut_off()
    assert names(database) == []
    write(remote, "whole")
    assert names(database) == ["whole"]


def test_a_server_that_is_away_is_an_error_at_once(
    database: PostgresqlDatabase, remote: PostgresqlDatabase, proxy: SocketProxy
) -> None:
    """And is used again as soon as it is back."""
    proxy.stop()
    for attempt in (partial(write, remote, "a"), partial(names, remote)):
        with pytest.raises(Unavailable, check=has_code(UNREACHABLE)):
            attempt()
    proxy.restart()
    write(remote, "b")
    assert names(database) == ["b"]


def test_an_unknown_outcome_is_reported(
    remote: PostgresqlDatabase, proxy: SocketProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the server stays away after a COMMIT, nothing is claimed."""
    monkeypatch.setattr(module, "_OUTCOME_SECONDS", 0.1)
    proxy.stays_away = True
    proxy.cut_after_commit = True
    with pytest.raises(Unavailable, check=has_code(OUTCOME_UNKNOWN)):
        write(remote, "unknown")


def test_a_transaction_that_does_not_end_is_not_waited_for(
    remote: PostgresqlDatabase, proxy: SocketProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may not notice for long that a client is gone, and keeps its transaction."""
    monkeypatch.setattr(module, "_OUTCOME_SECONDS", 0.1)
    monkeypatch.setattr(module, "_OUTCOME", "SELECT 'in progress' WHERE %(transaction)s <> ''")
    proxy.cut_after_commit = True
    with pytest.raises(Unavailable, check=has_code(OUTCOME_UNKNOWN)):
        write(remote, "unknown")


def test_an_error_of_the_server_is_no_lost_connection(database: PostgresqlDatabase) -> None:
    """A change that the server refuses each time must not be tried for ever."""
    with database.reading() as connection:
        connection.exec_driver_sql("SET LOCAL statement_timeout = 1")
        with pytest.raises(Unavailable, check=lambda error: error.code != UNREACHABLE):
            _sleep(database, connection)


def _sleep(database: PostgresqlDatabase, connection: Connection) -> None:
    with database._translate_errors():
        connection.exec_driver_sql("SELECT pg_sleep(1)")


def test_a_long_note_is_stored(database: PostgresqlDatabase) -> None:
    """An index of PostgreSQL has rows of at most 2,700 bytes."""
    (key,) = fill(CorpusStore(database), "a")
    person = PeopleStore(database).local("ana").id
    note = "".join(chr(0x4E00 + number) for number in range(9000))
    made = annotate(database).add(person, key, claim("x", note=note), seconds=1)
    assert made.annotations[0].note == note
