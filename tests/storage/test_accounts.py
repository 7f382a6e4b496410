"""Accounts in the store: whole or not at all, and one change behind the other."""

from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.helpers.stores import new_database
from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.people import Person, PersonKind, Role
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.store import PeopleStore

NOW, LATER = "2026-01-01T00:00:00.000000+00:00", "2026-01-02T00:00:00.000000+00:00"


def account(name: str, role: Role = Role.ADMIN) -> Account:
    """Somebody's."""
    return Account(Person(name, name.title(), PersonKind.ACCOUNT), f"{name}@example.org", role)


@pytest.fixture
def accounts(database: Database) -> AccountStore:
    """Those of an admin."""
    store = AccountStore(database)
    store.add([account("ana")])
    return store


def test_accounts_are_found_by_what_is_their_own(accounts: AccountStore) -> None:
    """An empty user of the machine is nobody's."""
    accounts.change("ana", unix="a")
    for found in (
        accounts.by_person("ana"), accounts.by_email("ana@example.org"), accounts.by_unix("a"),
    ):  # fmt: skip
        assert found == accounts.all()[0]
    accounts.change("ana", unix="")
    for missing in (accounts.by_person("x"), accounts.by_email("x"), accounts.by_unix("")):
        assert missing is None


def test_several_come_in_together_or_none(accounts: AccountStore, database: Database) -> None:
    """Their people as well."""
    with pytest.raises(Conflict):
        accounts.add([account("ben"), account("ana")])
    assert len(accounts.all()) == len(PeopleStore(database).all()) == 1


def test_without_an_admin_nothing_comes_in(database: Database) -> None:
    """Whatever else is true."""
    with pytest.raises(Conflict):
        AccountStore(database).add([account("ben", Role.REVIEWER)])
    assert not AccountStore(database).any()


def test_who_has_no_account_can_not_be_changed(accounts: AccountStore) -> None:
    """Nor forgotten."""
    with pytest.raises(NotFound, match="'x'"):
        accounts.change("x", active=False)
    with pytest.raises(NotFound):
        accounts.forget("x", name="y", email="y@y")


def test_of_several_at_once_one_redeems_a_code(
    accounts: AccountStore, reopen: Callable[[], Database]
) -> None:
    """The others are refused, whoever comes first."""
    accounts.invite("ana", "code", expires=LATER)

    def redeem(number: int) -> bool:
        database = reopen()
        try:
            return AccountStore(database).redeem("code", f"hash {number}", now=NOW) is not None
        finally:
            database.close()

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(redeem, range(6))) == [False] * 5 + [True]
    assert accounts.invited("code", now=NOW) is None


def test_a_companion_is_opened_once_and_closed_with_it(tmp_path: Path) -> None:
    """Made only where it is asked for, for its owner alone."""
    database = new_database(tmp_path)
    path = tmp_path / "people.sqlite"
    with pytest.raises(NotFound):
        database.companion(path)
    made = database.companion(path, make=True)
    assert database.companion(path) is made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    database.close()
    again = new_database(tmp_path)
    assert again.companion(path, make=True).version() == made.version()
    again.close()
    made.close()
