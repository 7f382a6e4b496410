"""Accounts that come from elsewhere: checked, joined by their address, stored all at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from tui_annotate.domain.accounts import (
    Account,
    checked_email,
    checked_role,
    checked_unix,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import SETTLED, Person, PersonKind, Role, checked_name, reader
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.accounts.rows import UserRow
from tui_annotate.services.authenticate.hashing import is_hash
from tui_annotate.services.authenticate.managing import Accounts

_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,127}")


@dataclass(frozen=True, slots=True)
class Joined:
    """A row whose address somebody has already.

    Attributes:
        id: of the row.
        kept: the id under which the person goes on.
        differs: whether the row has another id or another password than what is kept.
    """

    where: str
    email: str
    id: str
    kept: str
    differs: bool


@dataclass(slots=True)
class Registered:
    """What came of some rows.

    Attributes:
        added: new accounts, in the order of the rows.
    """

    added: list[Account] = field(default_factory=list)
    joined: list[Joined] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def register(
    accounts: Accounts,
    rows: Iterable[UserRow | Problem],
    *,
    admin: str = "",
    dry_run: bool = False,
) -> Registered:
    """Makes accounts of rows; good ones are stored together, bad ones are told.

    People keep their ids, and so the work that is stored under them; passwords go on working. Where
    several rows have one address, or somebody here has it, the first one counts.

    Args:
        admin: address of a row that is to be an admin's.

    Raises:
        NotAllowed: who acts may not manage the workspace.
        InvalidInput: `admin` is none of the rows, or nobody would be an admin.
        Conflict: an account came in between.
    """
    known = {account.email: account for account in accounts.all()}
    ids = {account.person.id for account in known.values()}
    found = Registered()
    chosen = checked_email(admin) if admin else ""
    for row in rows:
        account = _account(row) if isinstance(row, UserRow) else row
        if isinstance(account, Problem):
            found.problems.append(account)
        elif account.email in known:
            found.joined.append(_joined(row, account, known[account.email]))
        elif account.person.id in ids:
            told = f"the id {account.person.id!r} is somebody else's"
            found.problems.append(Problem(_where(row), told, "one of the two needs another id"))
        else:
            role = Role.ADMIN if account.email == chosen else account.role
            account = replace(account, role=role)
            found.added.append(account)
            known[account.email] = account
            ids.add(account.person.id)
    _check_admin(known, chosen)
    if found.added and not dry_run:
        accounts.take(found.added)
    return found


def _account(row: UserRow) -> Account | Problem:
    try:
        if not _ID.fullmatch(row.id) or row.id == SETTLED or reader(row.id) != row.id:
            raise InvalidInput(f"{row.id!r} is no id of a person")
        if row.hash and not is_hash(row.hash):
            raise InvalidInput(f"the password of {row.email!r} is no hash of argon2id")
        email = checked_email(row.email)
        name = checked_name(row.name or email.partition("@")[0])
        return Account(
            Person(row.id, name, PersonKind.ACCOUNT),
            email,
            checked_role(row.role or Role.ANNOTATOR.value),
            hash=row.hash,
            active=row.active,
            must_change=row.must_change,
            unix=checked_unix(row.unix),
        )
    except InvalidInput as error:
        return Problem(row.where, error.message, error.hint)


def _joined(row: UserRow | Problem, account: Account, kept: Account) -> Joined:
    differs = account.person.id != kept.person.id or account.hash != kept.hash
    return Joined(_where(row), account.email, account.person.id, kept.person.id, differs)


def _where(row: UserRow | Problem) -> str:
    return row.where


def _check_admin(known: dict[str, Account], chosen: str) -> None:
    if chosen and (chosen not in known or known[chosen].role is not Role.ADMIN):
        raise InvalidInput(
            f"no new account has the address {chosen!r}",
            "for one that is here: tui-annotate users update WHO --role admin",
        )
    if known and not any(each.active and each.role is Role.ADMIN for each in known.values()):
        raise InvalidInput("nobody would be an admin", "say who is: --admin ADDRESS")
