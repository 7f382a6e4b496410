"""The tables and statements of the store are the same for SQLite and PostgreSQL."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    ClauseElement,
    Connection,
    Executable,
    create_engine,
    insert,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError

from tests.helpers.postgresql_server import PostgresqlServer
from tui_annotate import storage
from tui_annotate.storage import migrate
from tui_annotate.storage.columns import PEOPLE, RANKS
from tui_annotate.storage.log.annotation_store import _SHOWN
from tui_annotate.storage.log.events import _WHO
from tui_annotate.storage.statements import DECODED_TEXT, json_is_true, json_number
from tui_annotate.storage.tables import METADATA

SQLITE_MODULES = {
    "change_record": "records changes with temporary triggers",
    "completion_names": "reads the file without the rest of the program",
    "corpus.file_index": "indexes a viewed file in a temporary database",
    "sqlite_database": "opens the file",
    "integrity": "checks the file",
    "log.rebuild": "cuts the copy that a snapshot is made of",
    "repair": "prints commands for the file",
    "storage_classes": "finds values of a wrong type, which PostgreSQL does not store",
}
"""Modules that name SQLite in their SQL, with the reason."""
BOTH_DIALECTS = {
    "migrate": "creates the tables of both",
    "postgresql_dialect": "compiles statements of one dialect for the other",
    "postgresql_schema": "describes functions of SQLite",
    "tables": "has options for both",
    "migrations.env": "runs migrations",
}
"""Modules that treat the two stores differently, with the reason."""
FRAGMENTS = {id(_SHOWN), id(_WHO)}
"""Parts of statements, which cannot be prepared alone."""
OF_SQLITE = re.compile(
    r"sqlite3|sqlite_master|\bPRAGMA\b|\browid\b|\bIS NOT [a-z]+\.|->>|\biif\(|\blastrowid\b"
    r"|\bGLOB\b|INSERT OR |\btypeof\("
    r"|sum\([a-z]\.[^()]* (=|<>|IN|IS) |CROSS JOIN [a-z_]+ [a-z]+ ON\b"
)


def module_names() -> list[str]:
    """The modules of the package, without its name."""
    found = pkgutil.walk_packages(storage.__path__, f"{storage.__name__}.")
    names = [each.name.removeprefix(f"{storage.__name__}.") for each in found]
    return [name for name in names if not name.startswith("migrations.versions")]


def statements(dialect: str) -> dict[str, ClauseElement]:
    """All statements at the level of a module for one store, by its name and theirs."""
    found: dict[int, tuple[str, ClauseElement]] = {}
    for name in module_names():
        if name in SQLITE_MODULES or name == "migrations.env":
            continue
        for variable, value in vars(importlib.import_module(f"{storage.__name__}.{name}")).items():
            several = value if isinstance(value, list | tuple) else [value]
            if isinstance(value, dict) and dialect in value:
                several = [value[dialect]]
            for number, each in enumerate(several):
                if isinstance(each, Executable) and isinstance(each, ClauseElement):
                    found.setdefault(id(each), (f"{name}.{variable}[{number}]", each))
    return dict(value for key, value in found.items() if key not in FRAGMENTS)


def render(statement: Any, dialect: Any) -> str:
    """The statement with one parameter for each list."""
    compiled = statement.compile(dialect=dialect)
    values = {name: [1] if each.expanding else None for name, each in compiled.binds.items()}
    if any(values.values()):
        given = statement.params(values)
        return str(given.compile(dialect=dialect, compile_kwargs={"render_postcompile": True}))
    return str(compiled)


@pytest.fixture
def on_sqlite() -> Iterator[Connection]:
    """A new store in memory."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        migrate.create(connection)
        yield connection
    engine.dispose()


@pytest.fixture
def on_postgresql(postgresql: PostgresqlServer) -> Iterator[Connection]:
    """A new schema."""
    with postgresql.connecting() as connection:
        migrate.create(connection)
        yield connection


@pytest.fixture(params=["sqlite", "postgresql"])
def connection(request: pytest.FixtureRequest) -> Connection:
    """A new store of each kind."""
    found = request.getfixturevalue(f"on_{request.param}")
    assert isinstance(found, Connection)
    return found


def test_every_statement_can_be_prepared_on_postgresql(on_postgresql: Connection) -> None:
    """Its server parses it, and finds tables, functions and the types of parameters."""
    import tui_annotate.storage.postgresql_dialect  # noqa: F401  registers how to compile upserts

    numbered: Any = make_url("postgresql+psycopg://").get_dialect()
    numbered = numbered(paramstyle="numeric_dollar")
    wrong = []
    for name, statement in statements("postgresql").items():
        nested = on_postgresql.begin_nested()
        try:
            sql = render(statement, numbered).replace("%", "%%")
            on_postgresql.exec_driver_sql(f"PREPARE statement AS {sql}")
            on_postgresql.exec_driver_sql("DEALLOCATE statement")
            nested.commit()
        except DBAPIError as error:
            nested.rollback()
            wrong.append(f"{name}: {error.orig}")
    assert not wrong, "\n".join(wrong)


def test_every_statement_can_be_prepared_on_sqlite(on_sqlite: Connection) -> None:
    """The same statements as on PostgreSQL."""
    driver = on_sqlite.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    wrong = []
    for name, statement in statements("sqlite").items():
        sql = render(statement, sqlite.dialect(paramstyle="named"))
        names = dict.fromkeys(re.findall(r":(\w+)", sql))
        try:
            driver.execute(f"EXPLAIN {sql}", names)
        except sqlite3.Error as error:
            wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


def test_hundreds_of_statements_are_found() -> None:
    """The tests above would pass without any."""
    found = statements("sqlite")
    assert len(found) > 300
    assert {name.split(".")[0] for name in found} > {"assignments", "corpus", "log", "queue"}


def test_only_listed_modules_have_sql_of_sqlite() -> None:
    """Also in SQL that is built when it runs; the list has no module without such SQL."""
    folder = Path(storage.__file__).parent
    found = {
        name
        for name in module_names()
        if (path := folder.joinpath(*name.split(".")).with_suffix(".py")).is_file()
        and OF_SQLITE.search(path.read_text("utf-8"))
    }
    assert found - BOTH_DIALECTS.keys() == SQLITE_MODULES.keys()


def test_the_tables_are_the_same(on_sqlite: Connection, on_postgresql: Connection) -> None:
    """With the same columns, keys, indexes and conditions of indexes, but one of long texts."""
    found, other = describe(on_sqlite), describe(on_postgresql)
    for each, columns in ((found, ["person", "note"]), (other, ["person", None])):
        indexes = each["annotations"]["indexes"]
        (of_notes,) = (index for index in indexes if columns in index)
        indexes.remove(of_notes)
    assert found == other
    version = "SELECT version_num FROM schema_version"
    assert on_sqlite.exec_driver_sql(version).all() == on_postgresql.exec_driver_sql(version).all()


def describe(connection: Connection) -> dict[str, Any]:
    """What the tables of a store have, by name."""
    inspector = inspect(connection)
    found = {}
    for name in METADATA.tables:
        keys = inspector.get_foreign_keys(name)
        found[name] = {
            "columns": [(each["name"], each["nullable"]) for each in inspector.get_columns(name)],
            "key": inspector.get_pk_constraint(name)["constrained_columns"],
            "references": sorted(
                (
                    each["constrained_columns"],
                    each["referred_table"],
                    each["options"].get("ondelete"),
                )
                for each in keys
            ),
            "unique": sorted(
                each["column_names"] for each in inspector.get_unique_constraints(name)
            ),
            "indexes": sorted(
                (each["name"], each["column_names"])
                for each in inspector.get_indexes(name)
                if not each.get("duplicates_constraint")
            ),
        }
    return found


def test_the_event_log_only_grows(connection: Connection) -> None:
    """Neither store changes or removes an event."""
    connection.execute(
        text(
            "INSERT INTO events (id, person, dataset, sample, seq, verb, before, after, undoes,"
            ' batch, at, seconds, versions, app, prev, "hash")'
            " VALUES ('e', 'p', 'd', 's', 1, 'add', '', '', '', '', '', 0, '', '', '', '')"
        )
    )
    for change in ("UPDATE events SET verb = 'edit'", "DELETE FROM events"):
        nested = connection.begin_nested()
        with pytest.raises(DBAPIError, match="the log only grows"):
            connection.exec_driver_sql(change)
        nested.rollback()
    assert connection.exec_driver_sql("SELECT verb FROM events").scalars().all() == ["add"]


def test_texts_are_ordered_by_code_points(connection: Connection) -> None:
    """Whatever the order of the database is: ids and hashes are compared like this in Python."""
    texts = ["a", "B", "Z", "z", "ä", "é", "中", "😀", "a b", "a-b", "ab", "_", "1", "10", "2"]
    rows = [{"id": each, "name": "", "kind": "local", "created": ""} for each in texts]
    connection.execute(insert(PEOPLE), rows)
    found = connection.execute(select(PEOPLE.c.id).order_by(PEOPLE.c.id)).scalars().all()
    assert found == sorted(texts)
    after = select(PEOPLE.c.id).where(PEOPLE.c.id > "Z").order_by(PEOPLE.c.id)
    assert connection.execute(after).scalars().all() == sorted(t for t in texts if t > "Z")


def test_numbers_have_64_bits(connection: Connection) -> None:
    """The values of a queue order are numbers below 2**63."""
    dataset = (
        "INSERT INTO datasets (id, name, labels, guidelines, created) VALUES (1, 'd', '', '', '')"
    )
    connection.exec_driver_sql(dataset)
    connection.exec_driver_sql(
        'INSERT INTO samples (id, dataset_id, external, kind, "group", digest, source, summary,'
        " request, meta, imported) VALUES (1, 1, 's', 'pair', '', '', '', '', '', '', '')"
    )
    row = {"order_id": 1, "bucket": 2**62, "value": 2**63 - 1, "sample_id": 1}
    connection.execute(insert(RANKS), row)
    assert (
        connection.execute(select(RANKS.c.value).where(RANKS.c.bucket == 2**62)).scalar()
        == 2**63 - 1
    )


DOCUMENT = (
    '{"a": {"b": [1, "two", null, {"c": true}]},'
    ' "n": 12, "f": 0.5, "t": true, "x": false, "z": null}'
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$.n", "12"),
        ("$.f", "0.5"),
        ("$.t", "1"),
        ("$.x", "0"),
        ("$.z", None),
        ("$.missing", None),
        ("$.a.b[1]", "two"),
        ("$.a.b[2]", None),
        ("$.a.b[3].c", "1"),
        ("$.a.b[9]", None),
    ],
)
def test_parts_of_json(connection: Connection, path: str, value: str | None) -> None:
    """A path leads to the same value in both, compared as text."""
    query = text("SELECT CAST(json_extract(CAST(:document AS TEXT), :path) AS TEXT)")
    assert connection.execute(query, {"document": DOCUMENT, "path": path}).scalar() == value


@pytest.mark.parametrize(
    ("text_of_json", "value"),
    [
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\u4e2d", "中"),
        (r"a\\ud800", r"a\ud800"),
        (r"\ud83d\ude00 \\ud800", "\U0001f600 \\ud800"),
    ],
)
def test_escaped_characters_of_json(connection: Connection, text_of_json: str, value: str) -> None:
    """Pairs of halves are a character, and an escaped backslash begins no escape."""
    query = text("SELECT json_extract(CAST(:document AS TEXT), '$.a')")
    assert connection.execute(query, {"document": f'{{"a":"{text_of_json}"}}'}).scalar() == value


@pytest.mark.parametrize("part", [r"\ud800", r"\udc00", r"\u0000", r"\ud800\ud800", r"x\udfffy"])
def test_unusual_characters_of_json_are_no_error(on_postgresql: Connection, part: str) -> None:
    """An imported record may have halves of characters and NUL, which PostgreSQL refuses."""
    document = f'{{"labels":["Fine"],"note":"{part}"}}'
    query = text("SELECT json_extract(CAST(:document AS TEXT), '$.labels')")
    assert on_postgresql.execute(query, {"document": document}).scalar() == '["Fine"]'
    query = text("SELECT json_extract(CAST(:document AS TEXT), '$.note')")
    assert "\ufffd" in on_postgresql.execute(query, {"document": document}).scalar_one()


def test_elements_of_json(connection: Connection) -> None:
    """Of arrays and of objects, in order."""
    query = "SELECT CAST(key AS TEXT), CAST(value AS TEXT) FROM json_each(:document, :path)"

    def elements(path: str) -> list[tuple[str, Any]]:
        rows = connection.execute(text(query), {"document": DOCUMENT, "path": path})
        return [tuple(row) for row in rows]

    assert elements("$.a.b")[:3] == [("0", "1"), ("1", "two"), ("2", None)]
    assert [key for key, _ in elements("$")] == ["a", "n", "f", "t", "x", "z"]
    assert not elements("$.missing")


def test_length_of_texts(connection: Connection) -> None:
    """In characters, up to NUL, of which only a document has one."""
    decoded = DECODED_TEXT[connection.dialect.name].replace("u.text", ":content")
    for content, length in (("", 0), ("aä中😀", 4), ("ab\0c", 2)):
        query = text(f"SELECT length({decoded})")
        assert connection.execute(query, {"content": content.encode()}).scalar() == length


def test_valid_json(connection: Connection) -> None:
    """An imported record may have NaN, which neither store accepts as JSON."""
    query = text("SELECT json_valid(CAST(:document AS TEXT))")
    for document, valid in ((DOCUMENT, True), ("NaN", False), ('{"a": NaN}', False), ("", False)):
        assert bool(connection.execute(query, {"document": document}).scalar()) is valid


@pytest.mark.parametrize(
    ("name", "true", "number"),
    [
        ("n", True, 12),
        ("t", True, 1),
        ("x", False, 0),
        ("z", False, None),
        ("missing", False, None),
    ],
)
def test_fields_of_json(connection: Connection, name: str, true: bool, number: int | None) -> None:
    """As conditions and as numbers."""
    document = "CAST(:document AS TEXT)"
    query = text(f"SELECT {json_is_true(document, name)}, {json_number(document, name)}")
    condition, value = connection.execute(query, {"document": DOCUMENT}).one()
    assert (bool(condition), value) == (true, number)
