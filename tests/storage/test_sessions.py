"""Sessions in the store: what ends one, whatever else was forgotten."""

from __future__ import annotations

import pytest

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.people import Person, PersonKind, Role
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import Session, SessionStore

NOW, LATER = "2026-01-01T00:00:00.000000+00:00", "2026-01-02T00:00:00.000000+00:00"


@pytest.fixture
def accounts(database: Database) -> AccountStore:
    """Those of two admins."""
    store = AccountStore(database)
    for name in ("ana", "ben"):
        person = Person(name, name, PersonKind.ACCOUNT)
        store.add([Account(person, f"{name}@example.org", Role.ADMIN)])
    return store


@pytest.fixture
def sessions(database: Database, accounts: AccountStore) -> SessionStore:
    """Each of them has signed in once."""
    store = SessionStore(database)
    for each in accounts.all():
        begin(store, each)
    return store


def begin(sessions: SessionStore, account: Account, *, token: str = "") -> None:
    """Somebody signs in, at the epoch that their account has."""
    name = account.person.id
    session = Session(f"s{token}{name}", name, "key", "here", account.epoch, NOW, NOW, "2026-01-03")
    sessions.begin(session, f"{token}{name}", before="")


def living(sessions: SessionStore) -> list[str]:
    """Whose sessions live, by what each question gives."""
    found = [each.person for each in sessions.active_sessions(now=LATER)]
    for name in ("ana", "ben"):
        for one in (sessions.by_token(name, now=LATER), sessions.by_id(f"s{name}", now=LATER)):
            assert bool(one) is (name in found)
    return found


def test_who_is_disabled_is_out_at_once(accounts: AccountStore, sessions: SessionStore) -> None:
    """Also where nobody ended their sessions."""
    accounts.change("ben", active=False)
    assert living(sessions) == ["ana"]


def test_an_account_that_went_on_ends_its_sessions(
    accounts: AccountStore, sessions: SessionStore
) -> None:
    """All but those that are told to go on."""
    for name in ("ana", "ben"):
        accounts.change(name, ends_sessions=True)
    sessions.keep_through_epoch("sana", epoch=1)
    assert living(sessions) == ["ana"]


def test_a_session_ends_with_its_time(sessions: SessionStore) -> None:
    """To the moment."""
    assert living(sessions) == ["ana", "ben"]
    assert sessions.by_token("ana", now="2026-01-03") is None
    assert sessions.active_sessions(now="2026-01-03") == ()


@pytest.mark.parametrize("person", ["ben", None])
def test_who_signs_in_while_all_are_signed_out_is_out_as_well(
    accounts: AccountStore, sessions: SessionStore, person: str | None
) -> None:
    """They had read the account before; it has gone on since."""
    before = {each.person.id: each for each in accounts.all()}
    assert sessions.end(now=LATER, person=person) == (1 if person else 2)
    begin(sessions, before["ben"], token="late")
    begin(sessions, before["ana"], token="late")
    found = {each.id for each in sessions.active_sessions(now=LATER)}
    assert found == ({"sana", "slateana"} if person else set())


def test_one_session_ends_alone(sessions: SessionStore) -> None:
    """Of others of the same person nothing is changed."""
    assert sessions.end(now=LATER, session="sana") == 1
    assert sessions.end(now=LATER, session="sana") == 0
    assert living(sessions) == ["ben"]
