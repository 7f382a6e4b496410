"""Lets admins create, change, disable, delete and import accounts; annotations always stay."""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tui_annotate.domain.accounts import Account, check_unix_user, normalize_email, parse_role
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.keyword_names import check_field_names, check_keywords, earlier_keywords
from tui_annotate.domain.passwords import check_password
from tui_annotate.domain.people import (
    DELETED_DOMAIN,
    OPERATOR,
    SETTLED,
    Actor,
    Permission,
    Person,
    PersonKind,
    Role,
    base_person,
    require_permission,
)
from tui_annotate.domain.people_directory import (
    ambiguous_person,
    find_person,
    unknown_person,
)
from tui_annotate.domain.records import Problem
from tui_annotate.domain.similar_names import check_new_name, name_skeleton
from tui_annotate.plugins.account_files import UserRow
from tui_annotate.services.authentication.hashing import Argon2Hasher, hash_code, is_hash, new_code
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import Session, SessionStore
from tui_annotate.storage.people.store import PeopleStore, match_id

INVITED_FOR: Final = timedelta(days=7)

_CLAIMABLE_KINDS: Final = frozenset({PersonKind.LOCAL, PersonKind.IMPORTED})


@check_field_names(unix="unix_user", claim="link_imported")
@dataclass(frozen=True, slots=True)
class NewAccount:
    """Values of a new account; without a password, the user sets one with an invitation code.

    Attributes:
        role: None for an annotator, or for an admin if it is the first account.
        link_imported: id or name of a user without an account, whose work the account takes over.
    """

    name: str
    email: str
    role: Role | None = None
    unix_user: str = ""
    link_imported: str = ""
    password: str = field(default="", repr=False)


@check_keywords
@dataclass(frozen=True, slots=True)
class AccountService:
    """Manages the accounts of a workspace; `people` may include users without an account.

    Raises:
        NotAllowed: every method, if the current user is not an admin.
        NotFound: methods with the argument `who`, same as for `find`.
    """

    store: AccountStore
    sessions: SessionStore
    people: PeopleStore
    hasher: Argon2Hasher = field(default_factory=Argon2Hasher)
    actor: Actor = OPERATOR
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def all(self) -> tuple[Account, ...]:
        """Return all accounts; NotAllowed unless the current user may manage the workspace."""
        require_permission(self.actor, Permission.MANAGE)
        return self.store.all()

    def find(self, who: str) -> Account:
        """Return the account with the given address, id, or unique name, also of a merged person.

        Raises:
            NotFound: no account matches, or several have the name.
        """
        accounts = self.all()
        by_key = [each for each in accounts if who.lower() == each.email or who == each.person.id]
        named = [each for each in accounts if each.person.name == who]
        found = by_key or named
        if not found:  # a person who was merged into the owner of an account
            owners = {each.id for each in self.people.find_named(who)}
            found = [each for each in accounts if each.person.id in owners]
        if not found:
            known = [word for each in accounts for word in (each.person.name, each.email)]
            advice = "list all accounts with: tui-annotate users list"
            raise unknown_person(who, known, advice=advice, kind="account")
        if len(found) > 1:
            addresses = [each.email for each in found]
            raise ambiguous_person(who, addresses, kind="account", key="address")
        return found[0]

    def find_namesakes(self, who: str) -> list[Account]:
        """Return the other accounts whose names are equal to an account's name, or look like it."""
        account = self.find(who)
        skeleton = name_skeleton(account.person.name)
        return [
            each
            for each in self.all()
            if each.person.id != account.person.id and name_skeleton(each.person.name) == skeleton
        ]

    def find_unlinked_namesakes(self, who: str) -> list[Person]:
        """Return the people without an account who have an account's name, or a similar one.

        Without such a person, the name may be the id of an imported person. They worked with
        `--as`, or came from an imported file, and may be the user of the account.
        """
        account = self.find(who)
        skeleton = name_skeleton(account.person.name)
        others = [
            each
            for each in self.people.all()
            if each.kind in _CLAIMABLE_KINDS and each.id != account.person.id
        ]
        named = [each for each in others if name_skeleton(each.name) == skeleton]
        imported = [each for each in others if each.kind is PersonKind.IMPORTED]
        return named or match_id(account.person.name, imported)

    def signed_in(self) -> tuple[Session, ...]:
        """Return all active sessions; NotAllowed as for `all`."""
        require_permission(self.actor, Permission.MANAGE)
        now = self.clock().isoformat(timespec="microseconds")
        return self.sessions.active_sessions(now=now)

    def add(self, new: NewAccount) -> Account:
        """Create an account; after the first one, an admin's, all users must sign in.

        A password that another user typed must be changed at the first sign-in.

        Raises:
            NotFound: the claimed user does not exist.
            Conflict: the address, the system user or the claimed user already has an account.
            InvalidInput: the first account is not an admin's, or a text is invalid.
        """
        require_permission(self.actor, Permission.MANAGE)
        first = not self.store.any()
        role = new.role or (Role.ADMIN if first else Role.ANNOTATOR)
        if first and role is not Role.ADMIN:
            raise InvalidInput(
                f"the first account must be an admin's, not one with the role {role}",
                "create the admin's account first",
            )
        name = check_new_name(new.name)
        email = normalize_email(new.email)
        made = self._hash_password(new.password, name, email) if new.password else ""
        person_id = (
            self.find_claimable_person(new.link_imported).id
            if new.link_imported
            else uuid.uuid4().hex
        )
        account = Account(
            Person(person_id, name, PersonKind.ACCOUNT),
            email,
            role,
            hash=made,
            must_change=bool(made) and not first,
            unix=check_unix_user(new.unix_user),
        )
        self.store.add([account])
        self.people.keep(account.person)
        return account

    def find_claimable_person(self, who: str, *, without: str = "") -> Person:
        """Return the user without an account who has the given id or name.

        `without`: id of a user who is not searched.

        Raises:
            NotFound: no user matches, or several have the name.
        """
        require_permission(self.actor, Permission.MANAGE)
        free = [
            person
            for person in self.people.all()
            if person.kind in _CLAIMABLE_KINDS and person.id != without
        ]
        return find_person(
            who,
            free,
            advice="list all people with: tui-annotate users list --all",
            kind="person without an account",
        )

    def invite(self, who: str) -> tuple[Account, str]:
        """Return a new invitation code for a user, which is valid once and for 7 days.

        Raises:
            Conflict: the account is disabled.
        """
        account = self.find(who)
        if not account.active:
            raise Conflict(f"the account {account.email} is disabled", "enable the account first")
        code = new_code()
        expires = (self.clock() + INVITED_FOR).isoformat(timespec="microseconds")
        self.store.invite(account.person.id, hash_code(code), expires=expires)
        return account, code

    @earlier_keywords(unix="unix_user")
    def update(
        self,
        who: str,
        *,
        name: str | None = None,
        email: str | None = None,
        role: Role | None = None,
        unix_user: str | None = None,
    ) -> Account:
        """Change the values of an account; a change of the role ends the user's sessions.

        Raises:
            InvalidInput: a value is wrong.
            Conflict: the address or the system user is taken, or no admin would be left.
        """
        account = self.find(who)
        values: dict[str, Any] = {}
        if name is not None:
            values["name"] = check_new_name(name)
        if email is not None:
            values["email"] = normalize_email(email)
        if unix_user is not None:
            values["unix"] = check_unix_user(unix_user)
        if role is not None:
            values["role"] = role.value
        return self._change(account, ends=role not in (None, account.role), **values)

    def disable(self, who: str) -> Account:
        """Disable an account and end its sessions; annotations stay."""
        return self._change(self.find(who), ends=True, active=False)

    def enable(self, who: str) -> Account:
        """Let a user sign in again; sessions that `disable` ended stay ended."""
        return self._change(self.find(who), ends=False, active=True)

    def reset_password(self, who: str, password: str) -> Account:
        """Set a password that a user must change at the next sign-in.

        Raises:
            InvalidInput: the password is too weak.
        """
        account = self.find(who)
        made = self._hash_password(password, account.person.name, account.email)
        return self._change(account, ends=True, hash=made, must_change=True)

    def delete(self, who: str, *, pseudonymize: bool = False) -> Account:
        """Disable an account for good; `pseudonymize` also removes name, address and keys."""
        account = self.disable(who)
        if not pseudonymize:
            return account
        name = account.person.name
        email = account.email
        if not email.endswith(DELETED_DOMAIN):
            word = secrets.token_hex(3)
            name = f"person {word}"
            email = word + DELETED_DOMAIN
        self.store.forget(account.person.id, name=name, email=email)
        person = replace(account.person, name=name)
        self.people.keep(person)
        return replace(account, person=person, email=email, hash="", unix="")

    def take(self, accounts: Sequence[Account]) -> None:
        """Store imported accounts, all or none; the imported users keep their ids."""
        require_permission(self.actor, Permission.MANAGE)
        self.store.add(accounts)
        for account in accounts:
            self.people.keep(account.person)

    def _change(self, account: Account, *, ends: bool, **values: Any) -> Account:
        after = self.store.change(account.person.id, ends_sessions=ends, **values)
        self.people.keep(after.person)
        return after

    def _hash_password(self, password: str, name: str, email: str) -> str:
        return self.hasher.hash(check_password(password, own=(name, email)))


_ID_PATTERN: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,127}")


@dataclass(frozen=True, slots=True)
class ImportedAccount:
    """A row of an import that belongs to an account which exists, or which an earlier row made.

    Attributes:
        email, id: values of the row.
        kept, kept_email: id and address of the account.
        differs: whether the row has another id or another password than the account.
    """

    where: str
    email: str
    id: str
    kept: str
    kept_email: str
    differs: bool


@dataclass(frozen=True, slots=True)
class SameName:
    """People of one name with different ids, who may be one person.

    Attributes:
        accounts: their accounts, in the order of the import.
        others: people without an account whose work can be merged, in the order of the import.
    """

    name: str
    accounts: tuple[Account, ...]
    others: tuple[Person, ...]


@dataclass(slots=True)
class AccountImportReport:
    """Result of an import of accounts.

    Attributes:
        people: users without an e-mail address, who are imported as people without an account.
        weak_passwords: addresses of the new accounts whose plain password is not allowed as a new
            password.
        same_names: people of one name who may be one person.
    """

    added: list[Account] = field(default_factory=list)
    matched: list[ImportedAccount] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    people: list[Person] = field(default_factory=list)
    weak_passwords: list[str] = field(default_factory=list)
    same_names: list[SameName] = field(default_factory=list)


@earlier_keywords(join_names="join_same_names")
def register(
    accounts: AccountService,
    rows: Iterable[UserRow | Problem],
    *,
    admin: str = "",
    join_same_names: bool = False,
    dry_run: bool = False,
) -> AccountImportReport:
    """Create accounts from the rows of an imported file.

    Users keep their ids and passwords; plain passwords are stored as hashes and must be changed at
    the first sign-in. The first row of an address counts, an existing account more. A user with
    another id and the address of an account, or without an address, becomes a person without an
    account. With `join_same_names`, users of one name count as users of one address.

    Raises:
        NotAllowed: the current user is not an admin.
        InvalidInput: `admin` is not the address of a row, or there would be no admin.
        Conflict: an account was created meanwhile.
    """
    known = {account.email: account for account in accounts.all()}
    ids = {account.person.id for account in known.values()}
    named = {name_skeleton(account.person.name): account for account in known.values()}
    found = AccountImportReport()
    chosen = normalize_email(admin) if admin else ""
    others: dict[str, Person] = {}
    for row in rows:
        account: Account | Person | Problem = (
            _parse_user(row, accounts.hasher) if isinstance(row, UserRow) else row
        )
        if isinstance(account, Problem):
            found.problems.append(account)
        elif isinstance(account, Person):
            if account.id not in ids | others.keys():
                found.people.append(account)
                others[account.id] = account
        elif kept := known.get(account.email) or (
            named.get(name_skeleton(account.person.name)) if join_same_names else None
        ):
            found.matched.append(_match_account(row, account, kept, hasher=accounts.hasher))
            if account.person.id not in ids:
                person = replace(account.person, kind=PersonKind.IMPORTED)
                others.setdefault(person.id, person)
        elif account.person.id in ids:
            message = f"the id {account.person.id!r} belongs to another user"
            found.problems.append(
                Problem(row.where, message, "give one of the two users a different id")
            )
        else:
            role = Role.ADMIN if account.email == chosen else account.role
            account = replace(account, role=role)
            found.added.append(account)
            if _is_weak(row, account):
                found.weak_passwords.append(account.email)
            known[account.email] = account
            named.setdefault(name_skeleton(account.person.name), account)
            ids.add(account.person.id)
    _check_admin(known, chosen)
    people = [person for person in others.values() if person.id not in ids]
    concerned = [*found.added, *(known[each.kept_email] for each in found.matched)]
    found.same_names = _find_same_names(concerned, people, accounts.people.all())
    if not dry_run:
        if found.added:
            accounts.take(found.added)
        for person in people:
            accounts.people.imported(person.id, person.name)
    return found


def _find_same_names(
    accounts: Iterable[Account], imported: Iterable[Person], stored: Iterable[Person]
) -> list[SameName]:
    by_id = {each.person.id: each for each in accounts}
    free = {each.id: each for each in imported} | {each.id: each for each in stored}
    for person_id in [one.id for one in free.values() if one.kind not in _CLAIMABLE_KINDS]:
        del free[person_id]
    names = {name_skeleton(each.person.name): each.person.name for each in by_id.values()}
    names |= {name_skeleton(each.name): each.name for each in imported}
    found = []
    for skeleton, name in sorted(names.items()):
        own = [each for each in by_id.values() if name_skeleton(each.person.name) == skeleton]
        others = [
            each
            for each in free.values()
            if name_skeleton(each.name) == skeleton and each.id not in by_id
        ]
        if len(own) + len(others) > 1:
            found.append(SameName(name, tuple(own), tuple(others)))
    return found


def _is_weak(row: UserRow | Problem, account: Account) -> bool:
    """Return whether a plain password may not be chosen as a new password."""
    if not (isinstance(row, UserRow) and row.password and account.must_change and account.active):
        return False
    try:
        check_password(row.password, own=(account.person.name, account.email))
    except InvalidInput:
        return True
    return False


_OTHER_HASH: Final = re.compile(r"\$(argon2\w*|2[abxy]?|1|5|6|7|y|s?crypt|pbkdf2[\w-]*)\$.+")
"""Password hash of a kind that is not argon2id, or an argon2id hash that is too costly."""


def _parse_user(row: UserRow, hasher: Argon2Hasher) -> Account | Person | Problem:
    try:
        if not _ID_PATTERN.fullmatch(row.id) or row.id == SETTLED or base_person(row.id) != row.id:
            raise InvalidInput(f"{row.id!r} is not a valid user id")
        if not (row.email.strip() or row.hash or row.password):
            return Person(row.id, check_new_name(row.name), PersonKind.IMPORTED)
        known = row.hash or (row.password if _OTHER_HASH.fullmatch(row.password) else "")
        if known and not is_hash(known):
            raise InvalidInput(
                f"the password of {row.email!r} is not an argon2id hash",
                "empty this cell, import the row, and invite the user; plain passwords belong into"
                " a column 'password'",
            )
        email = normalize_email(row.email)
        name = check_new_name(row.name or email.partition("@")[0])
        plain = row.password if not known else ""
        return Account(
            Person(row.id, name, PersonKind.ACCOUNT),
            email,
            parse_role(row.role or Role.ANNOTATOR.value),
            hash=known or (hasher.hash(plain) if plain else ""),
            active=row.active,
            must_change=row.must_change or bool(plain),
            unix=check_unix_user(row.unix),
        )
    except InvalidInput as error:
        return Problem(row.where, error.message, error.hint)


def _match_account(
    row: UserRow | Problem, account: Account, kept: Account, *, hasher: Argon2Hasher
) -> ImportedAccount:
    same_password = account.hash == kept.hash
    if not same_password and isinstance(row, UserRow) and row.password and not row.hash:
        same_password = hasher.verify(row.password, kept.hash)  # each hash has another salt
    differs = account.person.id != kept.person.id or not same_password
    return ImportedAccount(
        where=row.where,
        email=account.email,
        id=account.person.id,
        kept=kept.person.id,
        kept_email=kept.email,
        differs=differs,
    )


def _check_admin(known: dict[str, Account], chosen: str) -> None:
    if chosen and (chosen not in known or known[chosen].role is not Role.ADMIN):
        raise InvalidInput(
            f"this import creates no account with the address {chosen!r}",
            "to make an existing account an admin, run: tui-annotate users edit WHO --role admin",
        )
    if known and not any(each.active and each.role is Role.ADMIN for each in known.values()):
        raise InvalidInput(
            "after this import, no active account would be an admin",
            "name the user who becomes an admin: --admin ADDRESS",
        )
