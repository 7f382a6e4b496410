"""What admins do with accounts: make, change, disable, forget, hand over; never delete any work."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tui_annotate.domain.accounts import Account, checked_email, checked_unix
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.passwords import checked_password
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Person,
    PersonKind,
    Role,
    Verb,
    checked_name,
    require,
)
from tui_annotate.services.authenticate.codes import code_hash, new_code
from tui_annotate.services.authenticate.hashing import Hasher
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import Session, SessionStore
from tui_annotate.storage.people.store import PeopleStore

INVITED_FOR: Final = timedelta(days=7)

_CLAIMED: Final = frozenset({PersonKind.LOCAL, PersonKind.IMPORTED})


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What an account is asked to be.

    Attributes:
        role: None for an annotator, or for an admin where there is no account yet.
        claim: id or name of a person without an account whose work it takes over; empty for none.
        password: empty for one who is invited.
    """

    name: str
    email: str
    role: Role | None = None
    unix: str = ""
    claim: str = ""
    password: str = field(default="", repr=False)


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Accounts:
    """Accounts of a workspace, for those who may manage it.

    Attributes:
        people: those of the workspace, who may have work without having an account.
    """

    store: AccountStore
    sessions: SessionStore
    people: PeopleStore
    hasher: Hasher = field(default_factory=Hasher)
    actor: Actor = OPERATOR
    clock: Callable[[], datetime] = _utc

    # looking -----------------------------------------------------------------------------------

    def all(self) -> tuple[Account, ...]:
        """All accounts, by name.

        Raises:
            NotAllowed: as every method of this class, for whoever may not manage the workspace.
        """
        require(self.actor, Verb.MANAGE)
        return self.store.all()

    def find(self, who: str) -> Account:
        """The account that is meant: by address, by id, or by a name that one alone has.

        Raises:
            NotFound: there is none, or several.
        """
        accounts = self.all()
        by_key = [each for each in accounts if who.lower() == each.email or who == each.person.id]
        named = [each for each in accounts if each.person.name == who]
        found = by_key or named
        if len(found) != 1:
            several = ", ".join(each.email for each in named[:5])
            raise NotFound(
                f"{who!r} is {'more than one' if named else 'no'} account",
                f"give the address: {several}" if named else "see: tui-annotate users list",
            )
        return found[0]

    def signed_in(self) -> tuple[Session, ...]:
        """The sessions that live, by name."""
        require(self.actor, Verb.MANAGE)
        return self.sessions.living(now=self._now())

    # making ------------------------------------------------------------------------------------

    def add(self, new: NewAccount) -> Account:
        """Makes an account. The first one is an admin's, and turns signing in on.

        A password that somebody else typed has to be changed at the first sign-in; that of the
        first account was typed by its owner.

        Raises:
            InvalidInput: a value is wrong.
            NotFound: nobody is there to be claimed.
            Conflict: the address, the user or the person has an account already.
        """
        require(self.actor, Verb.MANAGE)
        first = not self.store.any()
        role = new.role or (Role.ADMIN if first else Role.ANNOTATOR)
        if first and role is not Role.ADMIN:
            raise InvalidInput(
                f"the first account is an admin's, not one of {role}", "make the admin's first"
            )
        name, email = checked_name(new.name), checked_email(new.email)
        made = self._hashed(new.password, name, email) if new.password else ""
        person_id = self.claimable(new.claim).id if new.claim else uuid.uuid4().hex
        account = Account(
            Person(person_id, name, PersonKind.ACCOUNT),
            email,
            role,
            hash=made,
            must_change=bool(made) and not first,
            unix=checked_unix(new.unix),
        )
        self.store.add([account])
        self.people.keep(account.person)
        return account

    def claimable(self, who: str) -> Person:
        """The person without an account who is meant, by id or name.

        Raises:
            NotFound: there is none, or several.
        """
        require(self.actor, Verb.MANAGE)
        free = [person for person in self.people.all() if person.kind in _CLAIMED]
        found = [person for person in free if who == person.id]
        found = found or [person for person in free if who == person.name]
        if len(found) != 1:
            several = ", ".join(person.id for person in found)
            raise NotFound(
                f"{who!r} is {'more than one' if found else 'no'} person without an account",
                f"give the id: {several}" if found else "see who is there: tui-annotate status",
            )
        return found[0]

    def invite(self, who: str) -> tuple[Account, str]:
        """A new code that is good once, for 7 days; one given out before is void.

        Raises:
            NotFound: as `find`.
            Conflict: the account is disabled.
        """
        account = self.find(who)
        if not account.active:
            raise Conflict(f"the account {account.email} is disabled", "enable it first")
        code = new_code()
        expires = (self.clock() + INVITED_FOR).isoformat(timespec="microseconds")
        self.store.invite(account.person.id, code_hash(code), expires=expires)
        return account, code

    # changing ----------------------------------------------------------------------------------

    def update(
        self,
        who: str,
        *,
        name: str | None = None,
        email: str | None = None,
        role: Role | None = None,
        unix: str | None = None,
    ) -> Account:
        """Gives an account other values; another role signs the person out.

        Raises:
            InvalidInput, NotFound: a value is wrong; as `find`.
            Conflict: address or user are somebody else's, or no admin would be left.
        """
        account = self.find(who)
        values: dict[str, Any] = {}
        if name is not None:
            values["name"] = checked_name(name)
        if email is not None:
            values["email"] = checked_email(email)
        if unix is not None:
            values["unix"] = checked_unix(unix)
        if role is not None:
            values["role"] = role.value
        return self._change(account, ends=role not in (None, account.role), **values)

    def disable(self, who: str) -> Account:
        """Signs a person out and lets them in no more; their work stays.

        Raises:
            NotFound, Conflict: as `update`.
        """
        return self._change(self.find(who), ends=True, active=False)

    def enable(self, who: str) -> Account:
        """Lets a person in again."""
        return self._change(self.find(who), ends=False, active=True)

    def reset_password(self, who: str, password: str) -> Account:
        """Sets a password that is to be changed at the next sign-in, and signs the person out.

        Raises:
            InvalidInput: it is no good password.
            NotFound: as `find`.
        """
        account = self.find(who)
        made = self._hashed(password, account.person.name, account.email)
        return self._change(account, ends=True, hash=made, must_change=True)

    def delete(self, who: str, *, pseudonymise: bool = False) -> Account:
        """Disables an account for good; annotations stay.

        Args:
            pseudonymise: whether a name that says nothing takes the place of the person's, also in
                exports from now on, and their address, keys and sessions are forgotten.

        Raises:
            NotFound, Conflict: as `update`.
        """
        account = self.disable(who)
        if not pseudonymise:
            return account
        name, email = account.person.name, account.email
        if not email.endswith(_NOBODY):
            word = secrets.token_hex(3)
            name, email = f"person {word}", word + _NOBODY
        self.store.forget(account.person.id, name=name, email=email)
        person = replace(account.person, name=name)
        self.people.keep(person)
        return replace(account, person=person, email=email, hash="", unix="")

    def take(self, accounts: Sequence[Account]) -> None:
        """Stores accounts that were read from elsewhere, all or none; people keep their ids.

        Raises:
            Conflict: as `AccountStore.add`.
        """
        require(self.actor, Verb.MANAGE)
        self.store.add(accounts)
        for account in accounts:
            self.people.keep(account.person)

    def _change(self, account: Account, *, ends: bool, **values: Any) -> Account:
        after = self.store.change(account.person.id, ends_sessions=ends, **values)
        self.people.keep(after.person)
        return after

    def _hashed(self, password: str, name: str, email: str) -> str:
        return self.hasher.hash(checked_password(password, own=(name, email)))

    def _now(self) -> str:
        return self.clock().isoformat(timespec="microseconds")


_NOBODY: Final = "@deleted.invalid"
"""Ends the address of a person who was forgotten; no mail can be sent there."""
