"""Accounts as rows of a CSV file, with the hashes of their passwords; Mercury's files as well."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Final, TextIO

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.files.whole import read_text

NEEDED: Final = ("user_id", "user_name", "email", "hashed_password")
"""Columns that a file must have; those that Mercury writes."""
_OURS: Final = ("role", "active", "must_change", "unix")
_FORMULA: Final = tuple("=+-@\t\r\0＝＋－＠'")


@dataclass(frozen=True, slots=True)
class UserRow:
    """Somebody in a file, not checked.

    Attributes:
        where: file and row, for messages.
        role, unix: empty where the file says nothing.
    """

    where: str
    id: str
    name: str
    email: str
    hash: str = field(repr=False)
    _: KW_ONLY
    role: str = ""
    active: bool = True
    must_change: bool = False
    unix: str = ""


def write_users(accounts: Iterable[Account], target: TextIO) -> int:
    """Writes accounts as CSV, and says how many.

    A cell that a spreadsheet would run as a formula gets a leading `'`; so does one that begins
    with a `'`, and reading takes one off again.
    """
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([*NEEDED, *_OURS])
    count = 0
    for each in accounts:
        flags = (str(int(each.active)), str(int(each.must_change)))
        cells = (each.person.id, each.person.name, each.email, each.hash)
        writer.writerow([_harmless(cell) for cell in (*cells, each.role.value, *flags, each.unix)])
        count += 1
    return count


def read_users(path: Path) -> Iterator[UserRow | Problem]:
    """Reads accounts of a CSV file with a line of column names; a bad row does not end it.

    Raises:
        NotFound, Unavailable: the file is not there, or can not be read.
        InvalidInput: it is no UTF-8, too large, or lacks a column.
    """
    rows = csv.reader(read_text(path).splitlines(keepends=True), strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        missing = [name for name in NEEDED if name not in names]
        if missing:
            raise InvalidInput(
                f"{path} has no column {missing[0]!r}",
                f"it needs {', '.join(NEEDED)}; for new people, who have no id and no password: "
                "tui-annotate users add --invite, once for each",
            )
        for cells in rows:
            if cells:
                yield _row(f"{path}:{rows.line_num}", names, cells)
    except csv.Error as error:
        raise InvalidInput(
            f"{path}:{rows.line_num} is no CSV: {error}", "mend that line"
        ) from error


def _row(where: str, names: Sequence[str], cells: Sequence[str]) -> UserRow | Problem:
    if len(cells) != len(names):
        return Problem(where, f"{len(cells)} cells under {len(names)} column names")
    values = {name: _plain(cell) for name, cell in zip(names, cells, strict=True)}
    for name in ("active", "must_change"):
        if values.get(name, "") not in ("", "0", "1"):
            return Problem(where, f"{name} is {values[name]!r}", "write 0 or 1")
    needed = (values[name] for name in NEEDED)
    return UserRow(
        where,
        *needed,
        role=values.get("role", ""),
        active=values.get("active", "") != "0",
        must_change=values.get("must_change", "") == "1",
        unix=values.get("unix", ""),
    )


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
