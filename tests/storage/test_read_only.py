"""Stores on disks that take no data: they are read, never written, and never half read."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.media import without_space
from tests.helpers.stores import annotate, fill, ids, new_database
from tui_annotate.domain.errors import ReadOnly, Unavailable
from tui_annotate.domain.queue_orders import BY_SOURCE
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed store of two samples."""
    with closing(new_database(tmp_path)) as database:
        annotate(database)
        fill(CorpusStore(database), "a", "b")
    return tmp_path / "store.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[SqliteDatabase]:
    """The same store, opened on a full disk."""
    with closing(open_without_space(path)) as opened:
        yield opened


def open_without_space(path: Path) -> SqliteDatabase:
    """Open a store while the disk is full."""
    with without_space():
        return SqliteDatabase.open(path)


def test_a_store_on_a_full_disk_is_read_only(database: SqliteDatabase) -> None:
    """All can be read, and each write is refused with the reason, even once there is space."""
    with without_space():
        assert ids(CorpusStore(database)) == ["a", "b"]
    with pytest.raises(ReadOnly) as caught:
        fill(CorpusStore(database), "c")
    assert caught.value.reason == database.read_only
    assert caught.value.exit_code == 1
    assert str(database.path) in caught.value.message
    assert str(database.path.parent) in caught.value.hint


def test_a_store_with_space_is_writable(path: Path) -> None:
    """A store that can be written has no reason to be read-only."""
    with closing(SqliteDatabase.open(path)) as database:
        assert database.read_only == ""
        database.require_writable()


def test_changes_in_a_side_file_are_not_left_out(path: Path, tmp_path: Path) -> None:
    """A store whose newest changes can not be read is refused; a copy with space shows them."""
    killed = tmp_path / "killed" / path.name
    killed.parent.mkdir()
    with closing(SqliteDatabase.open(path)) as database:
        fill(CorpusStore(database), "c")
        for side in ("", "-wal"):
            shutil.copy(f"{path}{side}", f"{killed}{side}")
    with pytest.raises(ReadOnly) as caught:
        open_without_space(killed)
    assert f"{killed}-wal" in caught.value.message
    assert str(killed.parent) in caught.value.hint
    with closing(SqliteDatabase.open(killed)) as copy:
        assert ids(CorpusStore(copy)) == ["a", "b", "c"]


def test_an_empty_side_file_holds_nothing(path: Path) -> None:
    """A store is read although a killed program left an empty write-ahead log."""
    Path(f"{path}-wal").touch()
    with closing(open_without_space(path)) as database:
        assert ids(CorpusStore(database)) == ["a", "b"]


def test_a_store_that_changes_while_it_is_read_is_refused(database: SqliteDatabase) -> None:
    """What a program with space writes meanwhile ends the reading, as pages could be mixed."""
    with closing(sqlite3.connect(database.path)) as other:
        other.execute("UPDATE datasets SET name = 'other'")
        other.commit()
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with pytest.raises(Unavailable) as caught:
        ids(CorpusStore(database))
    assert not isinstance(caught.value, ReadOnly)
    assert str(database.path) in caught.value.message


def test_a_read_only_store_can_be_copied(database: SqliteDatabase, tmp_path: Path) -> None:
    """The copy has all data, and can be written."""
    database.copy_to(tmp_path / "copy.sqlite")
    with closing(SqliteDatabase.open(tmp_path / "copy.sqlite")) as copy:
        fill(CorpusStore(copy), "c")
        assert ids(CorpusStore(copy)) == ["a", "b", "c"]


def test_a_new_reader_of_a_read_only_store_is_not_stored(database: SqliteDatabase) -> None:
    """Somebody without work in the store can read, under a name that the store does not have."""
    people = PeopleStore(database)
    assert people.local("stranger").name == "stranger"
    assert people.all() == ()


def test_a_store_that_runs_full_becomes_read_only(path: Path) -> None:
    """Where a new person can not be stored, nothing of the person's work could be either."""
    with closing(SqliteDatabase.open(path)) as database:
        people = PeopleStore(database)
        with without_space():
            assert people.local("stranger").name == "stranger"
        with pytest.raises(ReadOnly):
            fill(CorpusStore(database), "c")


def test_the_queue_of_a_read_only_store_takes_nothing_from_a_pool(database: SqliteDatabase) -> None:
    """The next sample is found without a write, and an order that is not stored is refused."""
    service = annotate(database, labels="")
    person = service.people.local("ana").id
    found = service.next_unfinished(person, None)
    assert found is not None
    assert found.id == "a"
    assert service.queue(person).total == 2
    with pytest.raises(Unavailable) as caught:
        service.next_unfinished(person, None, order="random:3")
    assert BY_SOURCE in caught.value.hint
