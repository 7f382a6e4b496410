"""The file: private, safe for many, told in our words when it fails."""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event, insert, select

from tests.helpers.effort import by_effort
from tests.helpers.stores import SEGMENTER, create_schema, fill, ids, new, new_database, sample
from tui_annotate.domain.errors import Conflict, Damaged, NotFound, Unavailable
from tui_annotate.storage import database as protocol
from tui_annotate.storage import migrate, tables
from tui_annotate.storage import sqlite_database as databases
from tui_annotate.storage.columns import EVENTS, SETTINGS
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import SCHEMA
from tui_annotate.storage.sqlite_database import SqliteDatabase

ROOT = Path(__file__).parents[2]


_OWN = select(SETTINGS).where(SETTINGS.c.name.not_like("record:%"))
"""The settings of a test, without the record of changes."""


@pytest.fixture
def database(sqlite_store: SqliteDatabase) -> SqliteDatabase:
    """An empty store, in SQLite alone."""
    return sqlite_store


def set_schema(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """Make the program one whose newest tables have this version."""
    monkeypatch.setattr(protocol, "SCHEMA", version)
    monkeypatch.setattr(databases, "SCHEMA", version)


def test_a_new_store_is_private_and_of_this_version(tmp_path: Path) -> None:
    """The file and its side files are for their owner alone, whatever the umask says."""
    old = os.umask(0)
    try:
        with closing_database(SqliteDatabase.create(tmp_path / "store.sqlite")) as database:
            assert database.version() == SCHEMA
            modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("store.sqlite*")}
    finally:
        os.umask(old)
    assert modes == {0o600}


def closing_database(database: SqliteDatabase) -> closing[SqliteDatabase]:
    """A store that is closed at the end."""
    return closing(database)


def test_a_store_is_never_made_over_a_file(tmp_path: Path) -> None:
    """What is there stays: a store, and a file that is none."""
    new_database(tmp_path).close()
    with pytest.raises(Conflict, match=r"store\.sqlite"):
        SqliteDatabase.create(tmp_path / "store.sqlite")
    (tmp_path / "store.sqlite").write_text("mine")
    with pytest.raises(Damaged):
        SqliteDatabase.create(tmp_path / "store.sqlite")
    assert (tmp_path / "store.sqlite").read_text() == "mine"


def test_a_store_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    """Opening never makes one, and says how to begin anew, as `init` refuses a workspace."""
    with pytest.raises(NotFound) as found:
        SqliteDatabase.open(tmp_path / "store.sqlite")
    assert "rm " in found.value.hint
    assert not list(tmp_path.iterdir())


def test_the_migrations_make_what_the_tables_say(database: SqliteDatabase) -> None:
    """Alembic finds no difference between the models and a new store."""
    with database.reading() as connection:
        options = {"version_table": "schema_version", "render_as_batch": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, tables.METADATA) == []


def test_a_backup_that_was_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    """Its unfinished file makes room for the next."""
    with closing(new_database(tmp_path)) as database:
        left = tmp_path / "backups" / "store-0001.part"
        left.parent.mkdir()
        left.write_bytes(b"half")
        made = database.back_up()
    assert [made] == list(left.parent.iterdir())


def test_the_pragmas_that_keep_work_safe_are_set(database: SqliteDatabase) -> None:
    """WAL, FULL and foreign keys, on both engines."""
    for transaction in (database.reading, database.writing):
        with transaction() as connection:
            report = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]
        assert report == ["wal", 2, 1, 30_000]


class _Careless(sqlite3.Connection):
    """A connection as builds of SQLite make it whose default leaves deleted rows in the file."""

    opened: ClassVar[list[_Careless]] = []

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.execute("PRAGMA secure_delete=OFF")
        self.name = str(args[0])
        self.secure = 0
        self.opened.append(self)

    def close(self) -> None:
        """Remember the setting at the end."""
        self.secure = self.execute("PRAGMA secure_delete").fetchone()[0]
        super().close()


def test_deleted_rows_do_not_stay_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each connection that writes overwrites what it deletes, in a store and in its copies."""
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=_Careless))
    _Careless.opened.clear()
    path, secret = tmp_path / "store.sqlite", "left.behind@example.org"
    with closing_database(SqliteDatabase.create(path)) as database:
        with database.writing() as connection:
            rows = [{"name": f"{secret} {number}", "value": secret} for number in range(99)]
            connection.execute(insert(SETTINGS), rows)
        with database.writing() as connection:
            connection.execute(SETTINGS.delete())
        copy = database.back_up()
    assert [path.read_bytes().count(secret.encode()) for path in (path, copy)] == [0, 0]
    assert {each.secure for each in _Careless.opened if "mode=ro" not in each.name} == {1}


def test_a_reader_sees_one_moment(database: SqliteDatabase) -> None:
    """What is written meanwhile is seen by the next one."""
    row = {"name": "x", "value": "1"}
    with database.reading() as connection:
        assert connection.execute(_OWN).all() == []
        with database.writing() as other:
            other.execute(insert(SETTINGS), row)
        assert connection.execute(_OWN).all() == []
    with database.reading() as connection:
        assert connection.execute(_OWN).all() == [("x", "1")]


def test_the_journal_shrinks_once_a_long_reader_is_gone(database: SqliteDatabase) -> None:
    """It grows as long as somebody reads an older moment, and is cut by the saves that follow."""
    corpus = CorpusStore(database)
    journal = database.path.with_name("store.sqlite-wal")
    with database.reading() as connection:
        connection.execute(select(SETTINGS)).all()
        for number in range(3):
            corpus.set_setting(f"large {number}", "x" * (databases.LARGEST_JOURNAL // 2))
        assert journal.stat().st_size > databases.LARGEST_JOURNAL
    for number in range(2):
        corpus.set_setting("small", str(number))
    assert journal.stat().st_size <= databases.LARGEST_JOURNAL


def test_an_error_inside_takes_everything_back(database: SqliteDatabase) -> None:
    """A transaction is whole or not at all."""
    row = {"name": "x", "value": "1"}
    with pytest.raises(ZeroDivisionError), database.writing() as connection:  # noqa: PT012
        connection.execute(insert(SETTINGS), row)
        raise ZeroDivisionError
    with database.reading() as connection:
        assert connection.execute(_OWN).all() == []


def test_a_row_that_is_there_is_a_conflict(database: SqliteDatabase) -> None:
    """Broken rules of the tables have a name."""
    row = {"name": "x", "value": "1"}
    with pytest.raises(Conflict), database.writing() as connection:
        connection.execute(insert(SETTINGS), [row, row])


def test_the_log_only_grows(database: SqliteDatabase) -> None:
    """The store itself refuses to change or to drop an event."""
    event = dict.fromkeys(("person", "dataset", "sample", "verb", "before", "after"), "")
    event |= dict.fromkeys(("undoes", "batch", "at", "versions", "app", "prev", "hash"), "")
    with database.writing() as connection:
        connection.execute(insert(EVENTS), {**event, "id": "e", "seq": 1, "seconds": 0.0})
    for statement in ("UPDATE events SET verb = 'x'", "DELETE FROM events"):
        with pytest.raises(Conflict), database.writing() as connection:
            connection.exec_driver_sql(statement)


# what is wrong with a store, in words ------------------------------------------------------------


def test_a_newer_store_is_refused_untouched(tmp_path: Path) -> None:
    """The message has both versions, and nothing was written."""
    new_database(tmp_path).close()
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE schema_version SET version_num = '0099'")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(Unavailable, match=f"{SCHEMA}"):
        SqliteDatabase.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("statement", ["UPDATE schema_version SET version_num = 'x'"])
def test_a_version_that_makes_no_sense_is_told(tmp_path: Path, statement: str) -> None:
    """A store of somebody else's Alembic is no store of ours."""
    new_database(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(Unavailable, match="'x'") as caught:
        SqliteDatabase.open(tmp_path / "store.sqlite")
    assert "tui-annotate backup restore" in caught.value.hint


def test_a_store_whose_making_was_killed_is_made(tmp_path: Path) -> None:
    """An empty file becomes a store, and so does one with an empty table of versions."""
    path = tmp_path / "store.sqlite"
    path.touch()
    with closing_database(SqliteDatabase.create(path)) as database:
        assert database.version() == SCHEMA
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE schema_version (version_num VARCHAR(32) PRIMARY KEY)")
    with closing_database(SqliteDatabase.create(other)) as database:
        assert database.version() == SCHEMA


def test_an_empty_store_is_never_taken_for_a_new_one(tmp_path: Path) -> None:
    """A store that lost its content is told with what brings it back."""
    path = tmp_path / "store.sqlite"
    path.touch()
    with pytest.raises(NotFound) as caught:
        SqliteDatabase.open(path)
    assert "rm " in caught.value.hint
    (tmp_path / "backups").mkdir()
    for number in (9, 10):
        (tmp_path / "backups" / f"store-{number:04d}.sqlite").touch()
    with pytest.raises(NotFound) as caught:
        SqliteDatabase.open(path)
    assert caught.value.hint.startswith("cp ")
    assert "store-0010.sqlite" in caught.value.hint


@pytest.mark.parametrize("content", [b"this is no database, " * 300, None])
def test_a_damaged_store_is_told(tmp_path: Path, content: bytes | None) -> None:
    """A foreign file, and a store with a torn page, are told with a way out."""
    database = new_database(tmp_path)
    corpus = CorpusStore(database)
    fill(corpus, *map(str, range(50)))
    database.close()
    path = tmp_path / "store.sqlite"
    whole = path.read_bytes()
    torn = whole[:4096] + b"\xff" * (len(whole) - 4096)
    path.write_bytes(torn if content is None else content)
    with pytest.raises(Damaged) as caught:
        CorpusStore(SqliteDatabase.open(path)).sample(sample("7").key)
    assert "doctor" in caught.value.hint


@pytest.mark.parametrize("fault", ["newer", "empty", "damaged", "unmigrated"])
def test_a_store_that_is_refused_is_not_held_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Whatever keeps a store from being opened, its connections are closed again."""
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def recorded(*arguments: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*arguments, **options))
        return made[-1]

    path = tmp_path / "store.sqlite"
    new_database(tmp_path).close()
    if fault == "newer":
        set_schema(monkeypatch, SCHEMA - 1)
    elif fault == "unmigrated":
        set_schema(monkeypatch, SCHEMA + 1)
        monkeypatch.setattr(migrate, "upgrade", interrupted)
    else:
        path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8192 if fault == "damaged" else b"")
    monkeypatch.setattr(sqlite3, "connect", recorded)
    with pytest.raises((Unavailable, NotFound, KeyboardInterrupt)):
        SqliteDatabase.open(path)
    assert made
    for connection in made:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def interrupted(_connection: object) -> None:
    """A migration that somebody stops."""
    raise KeyboardInterrupt


def test_a_store_that_stays_locked_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer that does not end is named as the reason."""
    monkeypatch.setattr(databases, "LOCK_SECONDS", 0.01)
    with (
        closing_database(new_database(tmp_path)) as one,
        closing_database(SqliteDatabase.open(tmp_path / "store.sqlite")) as other,
    ):
        with one.writing(), pytest.raises(Unavailable), other.writing():
            pass
        with other.writing():
            pass


def test_a_pool_that_is_used_up_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many threads at once wait, and then hear why."""
    monkeypatch.setattr(databases, "LOCK_SECONDS", 0.01)
    monkeypatch.setattr(databases, "MOST_CONNECTIONS", 1)
    database = new_database(tmp_path)
    with (
        database.reading(),
        pytest.raises(Unavailable),
        database.reading(),
    ):
        pass
    database.close()


def test_a_full_disk_is_told_and_nothing_is_half_written(tmp_path: Path) -> None:
    """A store that can not grow refuses the whole batch, and is sound."""
    database = new_database(tmp_path)
    corpus = CorpusStore(database)
    fill(corpus, "before")
    with database.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()

    # The limit belongs to a connection, and the pool hands out the same one again.
    with database.writing() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    long = sample("long", source="x" * 100_000)
    with pytest.raises(Unavailable):
        corpus.add([new(sample("short")), new(long)], segmenter=SEGMENTER)
    assert ids(corpus) == ["before"]
    with database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    database.close()


SMALL_FILES = """
import resource, signal, sys
from pathlib import Path
from typing import Any, ClassVar
from tests.helpers.stores import SEGMENTER, new, sample
from tui_annotate.domain.errors import Unavailable
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
path = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
corpus = CorpusStore(SqliteDatabase.open(path))
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10_000,) * 2)
for number in range(1000):
    try:
        corpus.add([new(sample(str(number), source=f"{number}" * 1000))], segmenter=SEGMENTER)
    except Unavailable as error:
        print(error.message)
        break
    print(number, flush=True)
"""


def test_a_file_that_may_not_grow_is_told_and_what_was_told_stays(tmp_path: Path) -> None:
    """The kernel refuses to write: every batch that was said to be stored is there."""
    new_database(tmp_path).close()
    path = tmp_path / "store.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", SMALL_FILES, str(path)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    *stored, report = done.stdout.splitlines()
    assert str(path) in report
    with closing_database(SqliteDatabase.open(path)) as database:
        assert ids(CorpusStore(database)) == stored
        with database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


NOBODY = 65534
READ_ONLY = """
import os, sys
from pathlib import Path
from typing import Any, ClassVar
from tests.helpers.stores import SEGMENTER, new, sample
from tui_annotate.domain.errors import Unavailable
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
if os.getuid() == 0:
    os.setgid({nobody}); os.setuid({nobody})
path = Path(sys.argv[1])
try:
    corpus = CorpusStore(SqliteDatabase.open(path))
    corpus.add([new(sample("new"))], segmenter=SEGMENTER)
except Unavailable as error:
    print(error.message, "/", error.hint)
"""


@pytest.fixture
def reachable(tmp_path: Path) -> Iterator[Path]:
    """A folder that another user can get to."""
    folders = [tmp_path, *tmp_path.parents]
    changed = [
        (folder, folder.stat().st_mode)
        for folder in folders
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o001
    ]
    for folder, mode in changed:
        folder.chmod(mode | 0o011)
    yield tmp_path
    for folder, mode in changed:
        folder.chmod(mode)


@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_read_only_store_is_told(reachable: Path, folder_mode: int) -> None:
    """Whether file or folder can not be written, the message says so, and nothing changes."""
    folder = reachable / "store"
    folder.mkdir()
    new_database(folder).close()
    path = folder / "store.sqlite"
    path.chmod(0o444)
    folder.chmod(folder_mode)
    before = path.read_bytes()
    script = READ_ONLY.format(nobody=NOBODY)
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    folder.chmod(0o755)
    if os.getuid() == 0 and "Permission" in done.stderr:
        pytest.skip("the tests' own files can not be read by another user here")
    assert str(path) in done.stdout, done.stderr
    assert path.read_bytes() == before
    assert path.read_bytes() == before


# migrations --------------------------------------------------------------------------------------

NEXT = '''
"""One column more."""
import sqlalchemy as sa
from alembic import op
revision = "{revision:04}"
down_revision = "{before:04}"

def upgrade() -> None:
    with op.batch_alter_table("people") as people:
        people.add_column(sa.Column("email", sa.String(), nullable=False, server_default=""))
    {extra}
'''


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Migrations with one more behind ours, in force; the path of the new one."""
    folder = tmp_path / "migrations 100%"
    (folder / "versions").mkdir(parents=True)
    for path in migrate.MIGRATIONS.rglob("*"):
        if path.suffix in {".py", ".mako"}:
            (folder / path.relative_to(migrate.MIGRATIONS)).write_text(path.read_text("utf-8"))
    last = folder / "versions" / "v9999_next.py"
    write_next(last)
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    set_schema(monkeypatch, SCHEMA + 1)
    return last


def write_next(file: Path, extra: str = "") -> None:
    """A migration that follows ours."""
    file.write_text(NEXT.format(revision=SCHEMA + 1, before=SCHEMA, extra=extra))


def test_an_older_store_is_backed_up_and_migrated(tmp_path: Path, newer: Path) -> None:
    """All that was in it is in the new one and in the backup, which is private."""
    del newer
    database = new_store_of_this_version(tmp_path)
    keys = fill(CorpusStore(database), "1", "2")
    database.close()
    with closing_database(SqliteDatabase.open(tmp_path / "store.sqlite")) as opened:
        assert opened.version() == SCHEMA + 1
        assert ids(CorpusStore(opened)) == [key.id for key in keys]
        with opened.reading() as connection:
            assert connection.exec_driver_sql("SELECT email FROM people").all() == []
    (backup,) = (tmp_path / "backups").iterdir()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT version_num FROM schema_version").fetchall() == [
            (f"{SCHEMA:04}",)
        ]
        assert copy.execute("SELECT count(*) FROM samples").fetchone() == (2,)


def new_store_of_this_version(folder: Path) -> SqliteDatabase:
    """A store as this version makes it, opened without a look at its version."""
    new_file = folder / "one"
    new_file.mkdir()
    script = (
        "import sys; from pathlib import Path; from tests.helpers.stores import new_database;"
        "new_database(Path(sys.argv[1])).close()"
    )
    subprocess.run([sys.executable, "-c", script, str(new_file)], cwd=ROOT, check=True)
    (new_file / "store.sqlite").rename(folder / "store.sqlite")
    return SqliteDatabase(folder / "store.sqlite")


def test_a_migration_that_fails_leaves_the_old_store(tmp_path: Path, newer: Path) -> None:
    """All of it or none: after the reason is gone, it goes through."""
    write_next(newer, 'op.execute("SELECT 1 FROM nowhere")')
    new_store_of_this_version(tmp_path).close()
    with pytest.raises(Unavailable):
        SqliteDatabase.open(tmp_path / "store.sqlite")
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as connection:
        assert connection.execute("SELECT version_num FROM schema_version").fetchall() == [
            (f"{SCHEMA:04}",)
        ]
        columns = [row[1] for row in connection.execute("PRAGMA table_info(people)")]
    assert "email" not in columns
    write_next(newer)
    with closing_database(SqliteDatabase.open(tmp_path / "store.sqlite")) as database:
        assert database.version() == SCHEMA + 1
    assert len(list((tmp_path / "backups").iterdir())) == 2


MIGRATE = """
import sys
from pathlib import Path
from tui_annotate.storage import database, migrate, sqlite_database
migrate.MIGRATIONS = Path(sys.argv[2])
database.SCHEMA = sqlite_database.SCHEMA = int(sys.argv[3])
sqlite_database.SqliteDatabase.open(Path(sys.argv[1])).close()
"""
KILLS = by_effort(push=2, full=4, torture=200)


def test_a_killed_migration_leaves_the_old_or_the_new_store(tmp_path: Path, newer: Path) -> None:
    """All work is in it, and the next start completes the migration."""
    database = new_store_of_this_version(tmp_path)
    keys = fill(CorpusStore(database), *map(str, range(50)))
    database.close()
    filled = (tmp_path / "store.sqlite").read_bytes()
    took, luck, versions = 0.0, random.Random(1), set()
    for number in range(KILLS + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "store.sqlite"
        path.write_bytes(filled)
        words = [str(path), str(newer.parent.parent), str(SCHEMA + 1)]
        began = time.monotonic()
        process = subprocess.Popen([sys.executable, "-c", MIGRATE, *words], cwd=ROOT)
        if number:  # the first one is not killed: it shows how long a migration takes
            with suppress(subprocess.TimeoutExpired):
                process.wait(took * luck.uniform(0.5, 1))  # the first half imports modules
        else:
            assert process.wait() == 0
        process.kill()
        process.wait()
        took = took or time.monotonic() - began
        with closing(sqlite3.connect(path)) as connection:
            ((version,),) = connection.execute("SELECT version_num FROM schema_version").fetchall()
        versions.add(int(version))
        with closing_database(SqliteDatabase.open(path)) as opened:
            assert opened.version() == SCHEMA + 1
            assert ids(CorpusStore(opened)) == [key.id for key in keys]
    assert versions <= {SCHEMA, SCHEMA + 1}


@pytest.mark.parametrize("version", ["0001", "0003"])
def test_a_store_that_is_too_old_is_refused_untouched(tmp_path: Path, version: str) -> None:
    """The message has both versions, and nothing was written."""
    new_database(tmp_path).close()
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE schema_version SET version_num = ?", (version,))
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(Unavailable, match=f"{int(version)}"):
        SqliteDatabase.open(path)
    assert path.read_bytes() == before
    assert not (tmp_path / "backups").exists()


def test_a_backup_is_the_store_of_that_moment(
    database: SqliteDatabase, corpus: CorpusStore
) -> None:
    """It can be opened as a store, and later writes are not in it."""
    fill(corpus, "1")
    copy = database.back_up()
    fill(corpus, "2")
    again = database.back_up()
    assert copy != again
    with closing_database(SqliteDatabase.open(copy)) as opened:
        assert ids(CorpusStore(opened)) == ["1"]


def test_what_other_tests_work_on_is_what_alembic_makes(tmp_path: Path) -> None:
    """Every table, index and row of a new store, in order."""
    for name in ("one", "other"):
        (tmp_path / name).touch()
    SqliteDatabase.create(tmp_path / "one").close()
    with closing_database(SqliteDatabase(tmp_path / "other")) as made:
        create_schema(made)
        assert made.version() == SCHEMA
    found = []
    for name in ("one", "other"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            # The record of changes starts with the time of the store's creation.
            found.append([each for each in connection.iterdump() if "'record:" not in each])
    assert found[0] == found[1]


def test_a_moment_lasts_until_somebody_commits(database: SqliteDatabase) -> None:
    """It is the same after reading, another after each commit, of other processes too."""
    begun = database.moment()
    with database.reading() as connection:
        connection.execute(select(SETTINGS.c.name)).all()
    assert database.moment() == begun
    with database.writing() as connection:
        connection.execute(insert(SETTINGS).values(name="one", value="1"))
        assert database.moment() == begun
    own = database.moment()
    assert own != begun
    with (
        closing_database(SqliteDatabase.open(database.path)) as other,
        other.writing() as connection,
    ):
        connection.execute(insert(SETTINGS).values(name="two", value="2"))
    assert database.moment() != own


def test_other_files_among_the_backups_are_left_alone(database: SqliteDatabase) -> None:
    """A copy that somebody named takes no number and stops no backup."""
    folder = database.path.parent / "backups"
    folder.mkdir()
    (folder / "store-before the move.sqlite").write_text("mine")
    assert database.back_up().name == "store-0001.sqlite"
    assert (folder / "store-before the move.sqlite").read_text() == "mine"


def test_a_backup_that_can_not_be_written_is_told(database: SqliteDatabase) -> None:
    """A file in the place of the folder."""
    (database.path.parent / "backups").write_text("mine")
    with pytest.raises(Unavailable):
        database.back_up()


def test_the_limit_of_this_process_is_untouched() -> None:
    """The tests of full disks limit processes of their own."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.parametrize("change", ["deleted", "moved", "replaced"])
def test_a_store_that_left_its_path_is_not_written(tmp_path: Path, change: str) -> None:
    """A commit into it would be lost; with the file back, work goes on."""
    path, elsewhere = tmp_path / "store.sqlite", tmp_path / "elsewhere.sqlite"
    with closing(SqliteDatabase.create(path)) as database:
        _insert(database, "before")
        os.link(path, elsewhere)
        path.unlink()
        if change == "replaced":
            shutil.copy(elsewhere, path)
        if change == "deleted":
            elsewhere.unlink()
        with pytest.raises(Unavailable, match=f"the store was .*{change}"):
            _insert(database, "lost")
        if change != "deleted":
            elsewhere.rename(path)
            _insert(database, "after")
            with database.reading() as connection:
                found = connection.execute(select(SETTINGS.c.name)).scalars().all()
            assert [name for name in sorted(found) if ":" not in name] == ["after", "before"]


def test_a_store_that_is_deleted_during_a_commit_is_reported(tmp_path: Path) -> None:
    """After the last look before the commit, too."""
    path = tmp_path / "store.sqlite"
    with closing(SqliteDatabase.create(path)) as database:
        event.listen(database._writer, "commit", lambda _: path.unlink())
        with pytest.raises(Unavailable, match="the store was deleted"):
            _insert(database, "lost")


def _insert(database: SqliteDatabase, name: str) -> None:
    with database.writing() as connection:
        connection.execute(insert(SETTINGS), {"name": name, "value": "1"})


INTERRUPTED: str = """
import sys
from contextlib import suppress
from pathlib import Path
from sqlalchemy import event
from sqlalchemy.pool import Pool
from tui_annotate.storage.sqlite_database import SqliteDatabase

@event.listens_for(Pool, "reset")
def _(*_):
    raise KeyboardInterrupt

with suppress(KeyboardInterrupt):
    with SqliteDatabase.open(Path(sys.argv[1])).reading():
        pass
    print("not interrupted")
"""


def test_an_interrupted_pool_prints_no_traceback(tmp_path: Path) -> None:
    """Ctrl+C while a connection goes back to its pool ends the command, and prints nothing."""
    new_database(tmp_path).close()
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path / "store.sqlite")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
