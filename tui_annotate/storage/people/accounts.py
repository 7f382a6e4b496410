"""Accounts and invitations; each change is one transaction and never removes the last admin."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.people import Person, PersonKind, Role
from tui_annotate.domain.ssh_keys import PublicKey
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import ACCOUNTS, INVITES, PEOPLE, SESSIONS, SSH_KEYS
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.people.store import save_person

_ACCOUNT: Final[Select[Any]] = select(ACCOUNTS, PEOPLE.c.name, PEOPLE.c.kind).join(
    PEOPLE, PEOPLE.c.id == ACCOUNTS.c.person
)
_PLAIN_FIELDS: Final = (
    "email", "hash", "active", "must_change", "epoch", "unix", "created", "changed",
)  # fmt: skip
_ADMIN_COUNT: Final = (
    select(func.count())
    .select_from(ACCOUNTS)
    .where(ACCOUNTS.c.role == Role.ADMIN.value, ACCOUNTS.c.active)
)


class AccountStore(CommonStore):
    """Access to accounts; a person, an email address or an OS user has at most one account."""

    # reading -----------------------------------------------------------------------------------

    def any(self) -> bool:
        """Return whether the workspace has accounts, so that users must sign in."""
        with self._database.reading() as connection:
            return connection.execute(select(ACCOUNTS.c.person).limit(1)).first() is not None

    def all(self) -> tuple[Account, ...]:
        """Return all accounts, sorted by the names of their people."""
        query = _ACCOUNT.order_by(PEOPLE.c.name, PEOPLE.c.id)
        with self._database.reading() as connection:
            return tuple(map(_build_account, connection.execute(query).mappings()))

    def hashes(self) -> tuple[str, ...]:
        """Return the password hashes of all accounts that have a password, active or not."""
        query = select(ACCOUNTS.c.hash).where(ACCOUNTS.c.hash != "")
        with self._database.reading() as connection:
            return tuple(connection.execute(query).scalars())

    def by_person(self, person: str) -> Account | None:
        """Return the account of a person; None for none."""
        return self._find_account(ACCOUNTS.c.person == person)

    def by_email(self, email: str) -> Account | None:
        """Return the account with a normalized email address; None for none."""
        return self._find_account(ACCOUNTS.c.email == email)

    def by_unix(self, name: str) -> Account | None:
        """Return the account that is bound to an operating-system user; None for an empty name."""
        return self._find_account(ACCOUNTS.c.unix == name) if name else None

    def _find_account(self, condition: ColumnElement[bool]) -> Account | None:
        with self._database.reading() as connection:
            return _load_account(connection, condition)

    # writing -----------------------------------------------------------------------------------

    def add(self, accounts: Sequence[Account]) -> None:
        """Store all accounts and users' names, or none; Conflict if taken, or without an admin."""
        with self._database.writing() as connection:
            for account in accounts:
                _refuse_taken(connection, account)
                save_person(connection, account.person)
                now = utc_now()
                values = {name: getattr(account, name) for name in _PLAIN_FIELDS}
                values |= {"person": account.person.id, "role": account.role.value}
                values |= {"created": account.created or now, "changed": now}
                connection.execute(insert(ACCOUNTS).values(values))
            _require_admin(connection)

    def change(self, person: str, *, ends_sessions: bool = False, **values: Any) -> Account:
        """Change an account or name, end sessions on request; NotFound or Conflict as `add`."""
        with self._database.writing() as connection:
            before = _require_account(connection, person)
            own = {key: values.get(key, getattr(before, key)) for key in ("email", "unix")}
            _refuse_taken(connection, replace(before, **own), but=person)
            name = values.pop("name", before.person.name)
            save_person(connection, Person(person, name, PersonKind.ACCOUNT))
            if ends_sessions:
                values["epoch"] = before.epoch + 1
            mine = ACCOUNTS.c.person == person
            connection.execute(update(ACCOUNTS).where(mine).values(**values, changed=utc_now()))
            _require_admin(connection)
            return _require_account(connection, person)

    def forget(self, person: str, *, name: str, email: str) -> None:
        """Replace name and address by pseudonyms, disable the account; errors as for `change`."""
        values = {"email": email, "hash": "", "unix": "", "active": False}
        self.change(person, ends_sessions=True, name=name, **values)
        with self._database.writing() as connection:
            for table in (SESSIONS, SSH_KEYS, INVITES):
                connection.execute(delete(table).where(table.c.person == person))

    # invitations -------------------------------------------------------------------------------

    def invite(self, person: str, code: str, *, expires: str) -> None:
        """Store the hash of an invitation code, and invalidate the person's earlier codes."""
        row = {"code": code, "person": person, "expires": expires, "used": ""}
        with self._database.writing() as connection:
            connection.execute(delete(INVITES).where(INVITES.c.person == person))
            connection.execute(insert(INVITES).values(row))

    def invited(self, code: str, *, now: str) -> Account | None:
        """Return the account for the hash of an invitation code; None if the code is not valid."""
        with self._database.reading() as connection:
            return _load_invited(connection, code, now)

    def redeem(self, code: str, password_hash: str, *, now: str) -> Account | None:
        """Use up an invitation code and set the person's password; None if the code is invalid."""
        with self._database.writing() as connection:
            account = _load_invited(connection, code, now)
            if account is None:
                return None
            connection.execute(update(INVITES).where(INVITES.c.code == code).values(used=now))
            values = {"hash": password_hash, "must_change": False, "epoch": account.epoch + 1}
            mine = ACCOUNTS.c.person == account.person.id
            connection.execute(update(ACCOUNTS).where(mine).values(**values, changed=now))
            return _require_account(connection, account.person.id)


def _build_account(row: Any) -> Account:
    person = Person(row["person"], row["name"], PersonKind(row["kind"]))
    values = {name: row[name] for name in _PLAIN_FIELDS}
    values |= {name: bool(row[name]) for name in ("active", "must_change")}
    return Account(person=person, role=Role(row["role"]), **values)


def _load_account(connection: Connection, condition: ColumnElement[bool]) -> Account | None:
    row = connection.execute(_ACCOUNT.where(condition)).mappings().first()
    return _build_account(row) if row else None


def _require_account(connection: Connection, person: str) -> Account:
    found = _load_account(connection, ACCOUNTS.c.person == person)
    if found is None:
        raise NotFound(f"{person!r} has no account", "list all users with: tui-annotate users list")
    return found


def _load_invited(connection: Connection, code: str, now: str) -> Account | None:
    query = select(INVITES.c.person).where(
        INVITES.c.code == code, INVITES.c.used == "", INVITES.c.expires > now
    )
    person = connection.execute(query).scalar()
    found = _load_account(connection, ACCOUNTS.c.person == person) if person else None
    return found if found and found.active else None


def _refuse_taken(connection: Connection, account: Account, *, but: str = "") -> None:
    taken = [("the address", account.email, ACCOUNTS.c.email == account.email)]
    if not but:
        taken.insert(0, ("the person", account.person.id, ACCOUNTS.c.person == account.person.id))
    if account.unix:
        taken.append(("the user", account.unix, ACCOUNTS.c.unix == account.unix))
    for what, value, condition in taken:
        owner = _load_account(connection, condition & (ACCOUNTS.c.person != but))
        if owner is None:
            continue
        if owner.active:
            hint = "list all users with: tui-annotate users list"
            raise Conflict(f"{what} {value!r} has an account already", hint)
        who = shlex.quote(owner.email)
        raise Conflict(
            f"{what} {value!r} belongs to a disabled or deleted account",
            f"to use this account again: tui-annotate users enable {who}; to delete its name and"
            f" address for good: tui-annotate users delete {who} --pseudonymize",
        )


def _require_admin(connection: Connection) -> None:
    if not connection.execute(_ADMIN_COUNT).scalar_one():
        raise Conflict(
            "this change would leave no admin",
            "make another user an admin first: tui-annotate users edit WHO --role admin",
        )


@dataclass(frozen=True, slots=True)
class OwnedSshKey:
    """An SSH key and its owner; `line` is the key in the format of OpenSSH, without a comment."""

    fingerprint: str
    person: Person
    line: str
    created: str


_ALL: Final = text(
    "SELECT k.fingerprint, k.line, k.created, p.id, p.name, p.kind"
    " FROM ssh_keys k JOIN people p ON p.id = k.person"
    " ORDER BY p.name, p.id, k.created, k.fingerprint"
)
_OWNER: Final = select(SSH_KEYS.c.person).where(SSH_KEYS.c.fingerprint == bindparam("fingerprint"))
_REMOVE: Final = delete(SSH_KEYS).where(SSH_KEYS.c.fingerprint == bindparam("fingerprint"))


class SshKeyStore(CommonStore):
    """Stores the SSH public keys of people; each key belongs to one person."""

    def all(self) -> tuple[OwnedSshKey, ...]:
        """Return all keys with their owners."""
        with self._database.reading() as connection:
            rows = connection.execute(_ALL).all()
        return tuple(
            OwnedSshKey(fingerprint, Person(person, name, PersonKind(kind)), line, created)
            for fingerprint, line, created, person, name, kind in rows
        )

    def add(self, key: PublicKey, person: str) -> str:
        """Bind an SSH key to a person unless bound; return the owner's id. Conflict if unknown."""
        name = {"fingerprint": key.fingerprint}
        row = {**name, "person": person, "line": key.line, "created": utc_now()}
        with self._database.writing() as connection:
            owner = connection.execute(_OWNER, name).scalar()
            if owner is None:
                connection.execute(insert(SSH_KEYS), row)
        return str(owner or person)

    def remove(self, fingerprint: str) -> bool:
        """Delete a key; return False if there is no key with this fingerprint."""
        with self._database.writing() as connection:
            return bool(connection.execute(_REMOVE, {"fingerprint": fingerprint}).rowcount)
