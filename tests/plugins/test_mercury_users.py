"""Mercury's databases of users, read and never written."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.account_files import UserRow, find_databases, read_mercury

TABLE = "CREATE TABLE users (user_id TEXT, user_name TEXT, email TEXT, hashed_password TEXT)"


def database(path: Path, *rows: Sequence[Any], table: str = TABLE) -> Path:
    """A database as Mercury makes it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(table)
        connection.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", rows)
    return path


def test_users_are_read_as_they_are(tmp_path: Path) -> None:
    """In the order of the rows, each with its place; the file stays as it was."""
    made = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1).hash("lamps over water")
    path = database(
        tmp_path / "user.sqlite", ("ab12", "Ana", "Ana@example.org", made), ("cd", "B", "b@b", "x")
    )
    before = path.read_bytes()
    first, second = read_mercury(path)
    assert first == UserRow(f"{path}, row 1", "ab12", "Ana", "Ana@example.org", made)
    assert isinstance(second, UserRow)
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == (before, [path])


def test_the_first_versions_stored_names_alone(tmp_path: Path) -> None:
    """Without addresses and passwords."""
    path = tmp_path / "corpus.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE users (user_id TEXT, user_name TEXT)")
        connection.execute("INSERT INTO users VALUES ('ab12', 'Ana')")
    assert find_databases([tmp_path]) == [path]
    assert list(read_mercury(path)) == [UserRow(f"{path}, row 1", "ab12", "Ana", "", "")]


def test_a_bad_row_is_told_with_file_and_row(tmp_path: Path) -> None:
    """What is missing, a number, or bytes; the others are read."""
    path = database(
        tmp_path / "user.sqlite",
        ("a", None, "a@b", "x"), ("b", 7.5, "b@b", "x"), ("c", b"\xff", "c@b", "x"),
        ("d", "D", "d@b", "x"),
        table="CREATE TABLE users (user_id, user_name, email, hashed_password)",
    )  # fmt: skip
    rows = list(read_mercury(path))
    problems = [row for row in rows if isinstance(row, Problem)]
    assert len(problems) == 3
    for number, problem in enumerate(problems, start=1):
        assert problem.where.startswith(str(path))
        assert problem.where.endswith(str(number))
        assert "user_name" in problem.message
    assert [row.id for row in rows if isinstance(row, UserRow)] == ["d"]


def test_text_that_is_no_utf_8_does_not_end_it(tmp_path: Path) -> None:
    """It is refused where names are checked."""
    path = database(tmp_path / "user.sqlite")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO users VALUES ('a', CAST(x'ff41' AS TEXT), 'a@b', 'x')")
    (row,) = read_mercury(path)
    assert isinstance(row, UserRow)
    assert row.name == "\udcffA"


def test_a_folder_stands_for_the_databases_in_it(tmp_path: Path) -> None:
    """Sorted; other files of it are passed over, and a file is read once."""
    one = database(tmp_path / "b.sqlite")
    two = database(tmp_path / "a.db")
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    (tmp_path / "inner").mkdir()
    with closing(sqlite3.connect(tmp_path / "corpus.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE chunks (x)")
    assert find_databases([tmp_path, one]) == [two, one]


def test_a_path_without_users_is_told(tmp_path: Path) -> None:
    """Absent; a folder or a file without any; a table of another shape."""
    with pytest.raises(NotFound):
        find_databases([tmp_path / "no.sqlite"])
    with pytest.raises(NotFound):
        find_databases([tmp_path])
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE users (id, name)")
    text = tmp_path / "people.csv"
    text.write_text("user_id", "utf-8")
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"SQLite format 3\x00" + b"x" * 100)
    for path in (other, text, damaged):
        with pytest.raises(InvalidInput, match="'users'"):
            find_databases([path])


def test_a_database_that_breaks_is_told(tmp_path: Path) -> None:
    """Not with what was read so far as if it were all."""
    path = database(tmp_path / "user.sqlite", *((str(n), "n" * 900, "e", "x") for n in range(50)))
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 3] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(Unavailable):
        list(read_mercury(path))


def test_a_broken_file_with_words_that_are_no_utf_8_is_told(tmp_path: Path) -> None:
    """The database quotes its own broken schema, byte by byte."""
    path = database(tmp_path / "user.sqlite")
    path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE users", b"CREATE TABLE \xff\xfe\xff\xfe")
    )
    with pytest.raises(InvalidInput, match="'users'"):
        find_databases([path])
