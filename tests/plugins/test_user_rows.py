"""Accounts as CSV: out and in again, and Mercury's own files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person, Role
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.account_files import UserRow, read_users, write_users

NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), min_size=1
)
HEAD = "user_id,user_name,email,hashed_password"


def written(*accounts: Account) -> str:
    """The file of some accounts."""
    target = io.StringIO()
    assert write_users(accounts, target) == len(accounts)
    return target.getvalue()


def read(folder: Path, text: str | bytes) -> list[UserRow | Problem]:
    """What a file with this content holds."""
    file = folder / "people.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_users(file))


@given(name=NAMES, active=st.booleans(), must_change=st.booleans(), role=st.sampled_from(Role))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    active: bool,
    must_change: bool,
    role: Role,
) -> None:
    """Whatever people are called, and with every field."""
    account = Account(
        Person("a1", name), "a@example.org", role, "$argon2id$x", active=active,
        must_change=must_change, unix="ana",
    )  # fmt: skip
    (row,) = read(tmp_path_factory.mktemp("rows"), written(account))
    assert isinstance(row, UserRow)
    assert (row.id, row.name, row.email, row.hash) == ("a1", name, "a@example.org", "$argon2id$x")
    assert (row.role, row.active, row.must_change) == (role.value, active, must_change)
    assert row.unix == "ana"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_file_that_a_spreadsheet_saved_is_read(tmp_path: Path, delimiter: str) -> None:
    """With its mark of UTF-8, its ends of lines, and semicolons in some languages."""
    lines = [HEAD.split(","), ["a1", "Ana, B.", "a@example.org", "$argon2id$x"]]
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter).writerows(lines)
    (row,) = read(tmp_path, target.getvalue().encode("utf-8-sig"))
    assert isinstance(row, UserRow)
    assert (row.id, row.name, row.email) == ("a1", "Ana, B.", "a@example.org")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "'x", "'=1"])
def test_no_name_is_a_formula(tmp_path: Path, name: str) -> None:
    """A spreadsheet would run it; here it is read as it was."""
    text = written(Account(Person("a1", name), "a@example.org"))
    cells = next(iter(list(csv.reader(io.StringIO(text, newline="")))[1:]))
    assert cells[1] == f"'{name}"
    (row,) = read(tmp_path, text)
    assert isinstance(row, UserRow)
    assert row.name == name


def test_our_columns_are_enough(tmp_path: Path) -> None:
    """In any order, with others between them, with a byte order mark; what is not said is usual."""
    text = (
        "\ufeffemail,more,user_name,user_id,hashed_password\r\na@b.org,x,Ana,ab12,$argon2id$x\r\n"
    )
    assert read(tmp_path, text) == [
        UserRow(f"{tmp_path}/people.csv:2", "ab12", "Ana", "a@b.org", "$argon2id$x")
    ]


@pytest.mark.parametrize(("tail", "active"), [("", True), (",0", True), (",1", False)])
def test_mercurys_files_have_plain_passwords(tmp_path: Path, tail: str, active: bool) -> None:
    """Those of the migrator, and those of the user tools with their column `delete`."""
    head = "user_id,user_name,email,password" + (",delete" if tail else "")
    (row,) = read(tmp_path, f"\ufeff{head}\r\nab12,Ana,a@b.org,'=paper boats{tail}\r\n")
    assert isinstance(row, UserRow)
    assert (row.id, row.hash, row.password, row.active) == ("ab12", "", "'=paper boats", active)
    assert "paper" not in repr(row)


def test_a_bad_row_is_told_and_the_next_one_read(tmp_path: Path) -> None:
    """With file and line."""
    rows = read(
        tmp_path,
        f"{HEAD},active\n1,Ana,a@b.org\n\n2,Ben,b@b.org,x,maybe\n3,Li,l@b.org,x,0\n",
    )
    short, odd = (row for row in rows if isinstance(row, Problem))
    assert (short.where, odd.where) == (f"{tmp_path}/people.csv:2", f"{tmp_path}/people.csv:4")
    assert "3" in short.message
    assert "5" in short.message
    assert "'maybe'" in odd.message
    assert [(row.id, row.active) for row in rows if isinstance(row, UserRow)] == [("3", False)]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"", "'user_id'"),
        (b"user_id,user_name,email\n", "'hashed_password' or 'password'"),
        (b"\xff\xfe", "byte 0"),
        (f'{HEAD}\n1,"a"b,c,d\n'.encode(), "people.csv:2"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes, value: str) -> None:
    """As a whole, with the missing column or the place of the fault."""
    with pytest.raises(InvalidInput, match=value):
        read(tmp_path, content)


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    """Absent, a folder, or far too large."""
    with pytest.raises(NotFound):
        list(read_users(tmp_path / "no.csv"))
    with pytest.raises(InvalidInput):
        list(read_users(tmp_path))
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    with pytest.raises(InvalidInput, check=has_code("too-large")):
        list(read_users(large))
