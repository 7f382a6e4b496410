"""Mercury's databases of users, opened for reading alone: a file, or a folder of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.accounts.rows import NEEDED, UserRow

_MAGIC: Final = b"SQLite format 3\x00"
_COLUMNS: Final = "SELECT name FROM pragma_table_info('users')"
_ROWS: Final = f"SELECT {', '.join(NEEDED)} FROM users ORDER BY rowid"  # noqa: S608  constants


def databases(paths: list[Path]) -> list[Path]:
    """The files that hold users: those named, and those of the folders that are named, sorted.

    Raises:
        NotFound: a path is not there, or a folder has no such file.
        InvalidInput: a file that is named holds no users.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [file for file in sorted(path.iterdir()) if _has_users(file)]
            if not inside:
                raise NotFound(f"no file in {path} is a database with a table 'users'", "")
            found += inside
        elif not path.exists():
            raise NotFound(f"there is no file {path}", "check its name")
        elif not _has_users(path):
            raise InvalidInput(
                f"{path} is no database with a table 'users' of Mercury",
                f"it needs the columns {', '.join(NEEDED)}; a CSV file: tui-annotate users import",
            )
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def read_mercury(path: Path) -> Iterator[UserRow | Problem]:
    """The users of one database, in the order of its rows; a bad row does not end it.

    Raises:
        Unavailable: it can not be read.
    """
    try:
        with closing(_connected(path)) as connection:
            for number, row in enumerate(connection.execute(_ROWS), start=1):
                yield _user(f"{path}, row {number}", row)
    except (sqlite3.Error, UnicodeError) as error:
        raise Unavailable(
            f"{path} can not be read: {error}", "is Mercury still writing?"
        ) from error


def _user(where: str, row: tuple[Any, ...]) -> UserRow | Problem:
    for name, value in zip(NEEDED, row, strict=True):
        if not isinstance(value, str):
            return Problem(where, f"{name} is {'missing' if value is None else 'no text'}")
    return UserRow(where, *row)


def _has_users(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
        with closing(_connected(path)) as connection:
            columns = {row[0] for row in connection.execute(_COLUMNS)}
    except (OSError, sqlite3.Error, UnicodeError):  # its words may be no UTF-8
        return False
    return columns.issuperset(NEEDED)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    connection.text_factory = _decoded
    return connection


def _decoded(value: bytes) -> str:
    """Text of a database; what is no UTF-8 in it is refused where it is checked."""
    return value.decode("utf-8", "surrogateescape")
