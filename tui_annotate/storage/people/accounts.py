"""Accounts and invitations; each change is whole, and leaves an admin who can undo it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.people import Person, PersonKind, Role
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import ACCOUNTS, INVITES, PEOPLE, SESSIONS, SSH_KEYS
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import put_person

_ACCOUNT: Final[Select[Any]] = select(ACCOUNTS, PEOPLE.c.name, PEOPLE.c.kind).join(
    PEOPLE, PEOPLE.c.id == ACCOUNTS.c.person
)
_PLAIN: Final = (
    "email", "hash", "active", "must_change", "epoch", "unix", "created", "changed",
)  # fmt: skip
_LEADERS: Final = (
    select(func.count())
    .select_from(ACCOUNTS)
    .where(ACCOUNTS.c.role == Role.ADMIN.value, ACCOUNTS.c.active)
)


class AccountStore:
    """Accounts by person; an address and a user of the machine belong to one of them at most."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # reading -----------------------------------------------------------------------------------

    def any(self) -> bool:
        """Whether there is an account, active or not."""
        with self._database.reading() as connection:
            return connection.execute(select(ACCOUNTS.c.person).limit(1)).first() is not None

    def all(self) -> tuple[Account, ...]:
        """All accounts, by name, then id."""
        query = _ACCOUNT.order_by(PEOPLE.c.name, PEOPLE.c.id)
        with self._database.reading() as connection:
            return tuple(map(_account, connection.execute(query).mappings()))

    def by_person(self, person: str) -> Account | None:
        """The account of a person."""
        return self._one(ACCOUNTS.c.person == person)

    def by_email(self, email: str) -> Account | None:
        """The account with an address, which is in lower case."""
        return self._one(ACCOUNTS.c.email == email)

    def by_unix(self, name: str) -> Account | None:
        """The account that names a user of this machine; none for an empty name."""
        return self._one(ACCOUNTS.c.unix == name) if name else None

    def _one(self, condition: ColumnElement[bool]) -> Account | None:
        with self._database.reading() as connection:
            return _first(connection, condition)

    # writing -----------------------------------------------------------------------------------

    def add(self, accounts: Sequence[Account]) -> None:
        """Stores new accounts and their people, all or none.

        A person who is there already gets the name and becomes one with an account.

        Raises:
            Conflict: a person or an address has an account already, or no admin would be there.
        """
        with self._database.writing() as connection:
            for account in accounts:
                _refuse_taken(connection, account)
                put_person(connection, account.person)
                now = utc_now()
                values = {name: getattr(account, name) for name in _PLAIN}
                values |= {"person": account.person.id, "role": account.role.value}
                values |= {"created": account.created or now, "changed": now}
                connection.execute(insert(ACCOUNTS).values(values))
            _need_admin(connection)

    def change(self, person: str, *, ends_sessions: bool = False, **values: Any) -> Account:
        """Gives an account other values; the account as it is then.

        Args:
            ends_sessions: whether everybody who signed in as this person is signed out.
            values: fields of `Account`, and `name` of the person.

        Raises:
            NotFound: this person has no account.
            Conflict: the address or the user has another account, or no admin would be there.
        """
        with self._database.writing() as connection:
            before = _known(connection, person)
            own = {key: values.get(key, getattr(before, key)) for key in ("email", "unix")}
            _refuse_taken(connection, replace(before, **own), but=person)
            name = values.pop("name", before.person.name)
            put_person(connection, Person(person, name, PersonKind.ACCOUNT))
            if ends_sessions:
                values["epoch"] = before.epoch + 1
            mine = ACCOUNTS.c.person == person
            connection.execute(update(ACCOUNTS).where(mine).values(**values, changed=utc_now()))
            _need_admin(connection)
            return _known(connection, person)

    def forget(self, person: str, *, name: str, email: str) -> None:
        """Puts a pseudonym for a person, and takes out what tells who they were but their work.

        Raises:
            NotFound, Conflict: as `change`.
        """
        values = {"email": email, "hash": "", "unix": "", "active": False}
        self.change(person, ends_sessions=True, name=name, **values)
        with self._database.writing() as connection:
            for table in (SESSIONS, SSH_KEYS, INVITES):
                connection.execute(delete(table).where(table.c.person == person))

    # invitations -------------------------------------------------------------------------------

    def invite(self, person: str, code: str, *, expires: str) -> None:
        """Keeps the hash of a code; codes that the person had before are void."""
        row = {"code": code, "person": person, "expires": expires, "used": ""}
        with self._database.writing() as connection:
            connection.execute(delete(INVITES).where(INVITES.c.person == person))
            connection.execute(insert(INVITES).values(row))

    def invited(self, code: str, *, now: str) -> Account | None:
        """The account that the hash of a code is good for now; None where it is for none."""
        with self._database.reading() as connection:
            return _invited(connection, code, now)

    def redeem(self, code: str, password_hash: str, *, now: str) -> Account | None:
        """Uses up a code and sets its person's password; the account, or None where it is void."""
        with self._database.writing() as connection:
            account = _invited(connection, code, now)
            if account is None:
                return None
            connection.execute(update(INVITES).where(INVITES.c.code == code).values(used=now))
            values = {"hash": password_hash, "must_change": False, "epoch": account.epoch + 1}
            mine = ACCOUNTS.c.person == account.person.id
            connection.execute(update(ACCOUNTS).where(mine).values(**values, changed=now))
            return _known(connection, account.person.id)


def _account(row: Any) -> Account:
    person = Person(row["person"], row["name"], PersonKind(row["kind"]))
    values = {name: row[name] for name in _PLAIN}
    values |= {name: bool(row[name]) for name in ("active", "must_change")}
    return Account(person=person, role=Role(row["role"]), **values)


def _first(connection: Connection, condition: ColumnElement[bool]) -> Account | None:
    row = connection.execute(_ACCOUNT.where(condition)).mappings().first()
    return _account(row) if row else None


def _known(connection: Connection, person: str) -> Account:
    found = _first(connection, ACCOUNTS.c.person == person)
    if found is None:
        raise NotFound(f"{person!r} has no account", "see: tui-annotate users list")
    return found


def _invited(connection: Connection, code: str, now: str) -> Account | None:
    query = select(INVITES.c.person).where(
        INVITES.c.code == code, INVITES.c.used == "", INVITES.c.expires > now
    )
    person = connection.execute(query).scalar()
    found = _first(connection, ACCOUNTS.c.person == person) if person else None
    return found if found and found.active else None


def _refuse_taken(connection: Connection, account: Account, *, but: str = "") -> None:
    """Refuses an account that would share what is one's own; `but` is whose it may be."""
    taken = [("the person", account.person.id, ACCOUNTS.c.person == account.person.id)] * (not but)
    taken.append(("the address", account.email, ACCOUNTS.c.email == account.email))
    if account.unix:
        taken.append(("the user", account.unix, ACCOUNTS.c.unix == account.unix))
    for what, value, condition in taken:
        if _first(connection, condition & (ACCOUNTS.c.person != but)):
            raise Conflict(
                f"{what} {value!r} has an account already", "see: tui-annotate users list"
            )


def _need_admin(connection: Connection) -> None:
    if not connection.execute(_LEADERS).scalar_one():
        raise Conflict(
            "there would be no admin",
            "make somebody an admin first: tui-annotate users update WHO --role admin",
        )
