"""Addresses, roles and user names of accounts."""

from __future__ import annotations

import pytest

from tests.helpers.errors import has_code
from tui_annotate.domain.accounts import Account, check_unix_user, normalize_email, parse_role
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Actor, Person, Role


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("ana@example.org", "ana@example.org"),
        (" Ana.B+c@Example.ORG ", "ana.b+c@example.org"),
        ("ана@пример.org", "ана@пример.org"),
        ("root@localhost", "root@localhost"),
    ],
)
def test_an_address_is_kept_in_lower_case(typed: str, kept: str) -> None:
    """So that it is the same however it is typed."""
    assert normalize_email(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "", "ana", "@", "ana@", "@example.org", "a b@c", "a@b@c", "a@b\nc", "a\x1b@b", "\ud800@b",
        "x" * 250 + "@b.org",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_its_value(typed: str) -> None:
    """With what it should look like."""
    with pytest.raises(InvalidInput) as caught:
        normalize_email(typed)
    assert repr(typed) in caught.value.message
    assert caught.value.hint


def test_roles_and_users_are_checked() -> None:
    """A role by its name; a user of the machine as Debian allows them, or none."""
    assert parse_role("reviewer") is Role.REVIEWER
    assert [check_unix_user(name) for name in ("", "ana", "_x-1.b", "machine$")][1] == "ana"
    with pytest.raises(InvalidInput, match="'boss'"):
        parse_role("boss")
    for name in ("a b", "-x", "a/b", "x" * 40, "é"):
        with pytest.raises(InvalidInput, check=has_code("user-name")):
            check_unix_user(name)


def test_an_account_shows_no_hash() -> None:
    """Neither in a log nor in a failed test; who signs in with it acts in its role."""
    account = Account(Person("a", "ana"), "ana@example.org", Role.REVIEWER, hash="$argon2id$x")
    assert "argon2" not in repr(account)
    assert account.actor == Actor("a", Role.REVIEWER)
