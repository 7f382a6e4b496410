"""Bound keys: one owner each, found by name, address or id."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.ssh_keys import KEYS, account
from tests.helpers.stores import new_database
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.ssh_keys import parse_key
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.accounts import SshKeyStore


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """A store with two people who have accounts, and one who has none."""
    made = new_database(tmp_path)
    account(made, "ana")
    account(made, "ben", address="ben.b@example.org")
    return made


def test_a_key_has_one_owner(database: Database) -> None:
    """Bound twice it is there once; bound to another it stays where it is."""
    store = SshKeyStore(database)
    key = parse_key(f"{KEYS[0]} ana@desk")
    assert store.add(key, "anaana") == "anaana"
    assert store.add(key, "anaana") == "anaana"
    assert store.add(key, "benben") == "anaana"
    (bound,) = store.all()
    assert (bound.person.name, bound.line) == ("ana", KEYS[0])
    assert bound.fingerprint == key.fingerprint
    assert bound.created


def test_keys_are_listed_by_their_owners(database: Database) -> None:
    """By name, then in the order in which they were bound; what is removed is gone."""
    store = SshKeyStore(database)
    for line, owner in zip(KEYS, ("benben", "anaana", "anaana"), strict=True):
        store.add(parse_key(line), owner)
    assert [bound.line for bound in store.all()] == [KEYS[1], KEYS[2], KEYS[0]]
    assert store.remove(parse_key(KEYS[2]).fingerprint)
    assert not store.remove(parse_key(KEYS[2]).fingerprint)
    assert [bound.line for bound in store.all()] == [KEYS[1], KEYS[0]]


def test_a_key_of_nobody_is_refused(database: Database) -> None:
    """A person who is not there can own none."""
    with pytest.raises(Conflict):
        SshKeyStore(database).add(parse_key(KEYS[0]), "nobody")
