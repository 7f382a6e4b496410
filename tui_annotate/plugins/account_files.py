"""Reads and writes files of user accounts: our CSV, and the CSV files and databases of Mercury."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.files.packing import begins_with
from tui_annotate.plugins.files.small_text import read_text

_NAME_COLUMNS: Final = ("user_id", "user_name")
NEEDED_COLUMNS: Final = (*_NAME_COLUMNS, "email", "hashed_password")
_PLAIN_PASSWORD: Final = "password"  # noqa: S105  the name of a column
"""Column with plain passwords, or hashes, in the CSV files of Mercury's migrator and user tools."""
_DELETE: Final = "delete"
"""Column of Mercury's user tools that marks the users whom the tools delete."""
_YES: Final = frozenset({"1", "true", "yes", "y", "x"})
_NO: Final = frozenset({"", "0", "false", "no", "n"})
_OUR_COLUMNS: Final = ("role", "active", "must_change", "unix")
_FORMULA: Final = tuple("=+-@\t\r\0＝＋－＠'")


@dataclass(frozen=True, slots=True)
class UserRow:
    """A user from a file, with values that are not yet checked.

    Attributes:
        email: empty for a user of Mercury's first versions, who has only an id and a name.
        hash: hash of the password; may be empty.
        password: plain password, which is never stored, printed or logged; may be empty, or a hash.
    """

    where: str
    id: str
    name: str
    email: str
    hash: str = field(repr=False)
    _: KW_ONLY
    password: str = field(default="", repr=False)
    role: str = ""
    active: bool = True
    must_change: bool = False
    unix: str = ""


def write_users(accounts: Iterable[Account], target: TextIO) -> int:
    """Write accounts as CSV; return the number of accounts.

    A cell that a spreadsheet would run as a formula, or that begins with `'`, gets a leading `'`.
    Reading removes this `'` again.
    """
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([*NEEDED_COLUMNS, *_OUR_COLUMNS])
    count = 0
    for count, each in enumerate(accounts, start=1):  # noqa: B007  the last one counts
        flags = (str(int(each.active)), str(int(each.must_change)))
        cells = (each.person.id, each.person.name, each.email, each.hash)
        values = (*cells, each.role.value, *flags, each.unix)
        writer.writerow([f"'{one}" if one.startswith(_FORMULA) else one for one in values])
    return count


def read_users(path: Path) -> Iterator[UserRow | Problem]:
    """Yield the accounts in a CSV file, and a Problem in place of each invalid row.

    Raises:
        NotFound, Unavailable: the file does not exist, or cannot be read.
        InvalidInput: the file is not UTF-8, is too large, or lacks a column.
    """
    lines = read_text(path).splitlines(keepends=True)
    rows = csv.reader(lines, delimiter=_find_delimiter(lines), strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        missing = [repr(name) for name in NEEDED_COLUMNS[:-1] if name not in names]
        secrets = (NEEDED_COLUMNS[-1], _PLAIN_PASSWORD)
        if not missing and not set(secrets) & set(names):
            missing = [" or ".join(map(repr, secrets))]
        if missing:
            raise InvalidInput(
                f"{path} has no column {missing[0]}",
                f"the file needs the columns {', '.join(NEEDED_COLUMNS)} (or, with plain passwords,"
                f" {_PLAIN_PASSWORD}); to create a user who has no id and password yet, run:"
                " tui-annotate users create --invite",
            )
        for cells in rows:
            if cells:
                yield _read_row(f"{path}:{rows.line_num}", names, cells)
    except csv.Error as error:
        raise InvalidInput(
            f"{path}:{rows.line_num} is not valid CSV: {error}", "fix this line"
        ) from error


def _find_delimiter(lines: Sequence[str]) -> str:
    """Return the separator of the header; a spreadsheet writes semicolons in many languages."""
    header = lines[0] if lines else ""
    return max(",;\t", key=header.count)


def _read_row(where: str, names: Sequence[str], cells: Sequence[str]) -> UserRow | Problem:
    if len(cells) != len(names):
        return Problem(where, f"the row has {len(cells)} cells, but there are {len(names)} columns")
    given = dict(zip(names, cells, strict=True))
    values = {name: _unescape_formula(cell) for name, cell in given.items()}
    deleted = values.get(_DELETE, "").strip().casefold()
    if deleted not in _YES | _NO:
        return Problem(where, f"{_DELETE} is {values[_DELETE]!r}", "write 0 or 1")
    for name in ("active", "must_change"):
        if values.get(name, "") not in ("", "0", "1"):
            return Problem(where, f"{name} is {values[name]!r}", "write 0 or 1")
    return UserRow(
        where,
        *(values.get(name, "") for name in NEEDED_COLUMNS),
        # No export of ours has this column, so a leading ' is part of the password.
        password=given.get(_PLAIN_PASSWORD, ""),
        role=values.get("role", ""),
        active=values.get("active", "") != "0" and deleted not in _YES,
        must_change=values.get("must_change", "") == "1",
        unix=values.get("unix", ""),
    )


def _unescape_formula(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


_MAGIC: Final = b"SQLite format 3\x00"
_SELECT_COLUMNS: Final = "SELECT name FROM pragma_table_info('users')"


def find_databases(paths: list[Path]) -> list[Path]:
    """Return the Mercury user databases among the given files and inside the given folders.

    Raises:
        NotFound: a path does not exist, or a folder contains no such database.
        InvalidInput: a given file is not such a database.
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
                f"{path} is not a Mercury database with a table 'users'",
                f"required columns: {', '.join(_NAME_COLUMNS)}, and for accounts also"
                f" {', '.join(NEEDED_COLUMNS[len(_NAME_COLUMNS) :])}",
            )
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def read_accounts(paths: Iterable[Path | str]) -> Iterator[UserRow | Problem]:
    """Yield the accounts of CSV files, Mercury databases, and folders of such databases, in order.

    All paths are checked before the first account is read.

    Raises:
        NotFound: a path does not exist; other errors as `read_users`, `find_databases` and
            `read_mercury`.
    """
    sources: dict[Path, Callable[[Path], Iterator[UserRow | Problem]]] = {}
    for path in map(Path, paths):
        if path.is_dir() or (path.is_file() and begins_with(path, _MAGIC)):
            sources |= dict.fromkeys(find_databases([path]), read_mercury)
        elif path.exists():
            sources[path] = read_users
        else:
            raise NotFound(f"there is no file {path}", "check its name")
    return (row for path, read in sources.items() for row in read(path))


def read_mercury(path: Path) -> Iterator[UserRow | Problem]:
    """Yield a Mercury database's users, or Problems, in order; raise Unavailable if unreadable.

    The first versions of Mercury stored no e-mail address and password; these are then empty.
    """
    known = _user_columns(path)
    columns = ", ".join(name if name in known else f"'' AS {name}" for name in NEEDED_COLUMNS)
    try:
        with closing(open_database(path)) as connection:
            rows = connection.execute(f"SELECT {columns} FROM users ORDER BY rowid")  # noqa: S608  constants
            for number, row in enumerate(rows, start=1):
                yield _make_user(f"{path}, row {number}", row)
    except (sqlite3.Error, UnicodeError) as error:
        raise Unavailable(
            f"{path} cannot be read: {error}",
            "if the program Mercury is writing to the database, close it, and try again",
        ) from error


def _make_user(where: str, row: tuple[Any, ...]) -> UserRow | Problem:
    for name, value in zip(NEEDED_COLUMNS, row, strict=True):
        if not isinstance(value, str):
            return Problem(where, f"{name} is {'missing' if value is None else 'not text'}")
    return UserRow(where, *row)


def _has_users(path: Path) -> bool:
    return _user_columns(path).issuperset(_NAME_COLUMNS)


def _user_columns(path: Path) -> set[str]:
    return {row[0] for row in query_database(path, _SELECT_COLUMNS)}


def query_database(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query on an SQLite file; an empty list if the file is not a database."""
    if not begins_with(path, _MAGIC):
        return []
    try:
        with closing(open_database(path)) as connection:
            return connection.execute(query).fetchall()
    except (OSError, sqlite3.Error, UnicodeError):  # the message may not be UTF-8
        return []


def open_database(path: Path) -> sqlite3.Connection:
    """Open a SQLite database read-only; text that is not valid UTF-8 keeps its bytes."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    connection.text_factory = decode_text
    return connection


def decode_text(value: bytes) -> str:
    """Decode a text of a database; invalid UTF-8 becomes surrogates, which later checks reject."""
    return value.decode("utf-8", "surrogateescape")
