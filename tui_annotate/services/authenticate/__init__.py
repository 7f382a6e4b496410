"""Signing in: who somebody is, for how long, and how often they may try; decides no right."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.passwords import checked_password
from tui_annotate.domain.people import Actor, Person
from tui_annotate.services.authenticate.codes import code_hash, new_token, token_hash
from tui_annotate.services.authenticate.guard import Guard, throttled
from tui_annotate.services.authenticate.hashing import Hasher
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.attempts import AttemptStore
from tui_annotate.storage.people.sessions import Session, SessionStore

_REFUSED: Final = "e-mail address and password do not belong together"
_OVER: Final = "you are signed out"
_SEEN: Final = timedelta(minutes=1)
"""How old the note of when a session was seen may be, so that few saves write it."""
_REMEMBERED: Final = timedelta(days=90)
"""How long it is remembered where people signed in from."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who signed in.

    Attributes:
        session: id of the session, for `check` and `sign_out`; no secret.
        token: what resumes the session; a secret that the store does not have.
        must_change: the password was set by somebody else, and is to be changed before any work.
    """

    person: Person
    actor: Actor
    session: str
    token: str = field(repr=False)
    must_change: bool


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Authenticate:
    """Signs people in to a workspace. Whatever the reason, a refusal has the same words.

    Attributes:
        keep: told of everybody who signs in; a workspace whose accounts are elsewhere knows them
            by it.
        life: of a session, from its beginning.
    """

    accounts: AccountStore
    sessions: SessionStore
    attempts: AttemptStore
    keep: Callable[[Person], None]
    hasher: Hasher = field(default_factory=Hasher)
    life: timedelta = timedelta(days=7)
    clock: Callable[[], datetime] = _utc

    @property
    def _guard(self) -> Guard:
        return Guard(self.attempts, self.clock)

    def required(self) -> bool:
        """Whether there is any account, so that everybody must be somebody.

        Raises:
            NotFound: the accounts are said to be in a store that is not there.
        """
        return self.accounts.any()

    def sign_in(self, email: str, password: str, *, client: str) -> SignedIn:
        """Signs in with a password; about 20 ms, also for an address that nobody has.

        Args:
            client: where they come from, as an address or the name of a terminal; for throttling.

        Raises:
            NotAllowed: address and password do not belong together, or the account is disabled.
            Throttled: there were too many failures; says when to try again.
        """
        address = email.strip().lower().encode("utf-8", "replace").decode()
        account = self.accounts.by_email(address)
        known = account is not None and self.sessions.knows(account.person.id, client)
        ticket = self._guard.admit(address, client, known=known)
        right = self.hasher.verify(password, account.hash if account else "")
        if account is None or not right or not account.active or (ticket.wait and not known):
            if ticket.wait:
                raise throttled(ticket.wait)
            raise NotAllowed(_REFUSED, "check both; an admin can give you a new password")
        self._guard.forgive(ticket)
        if self.hasher.is_weaker(account.hash):
            account = self.accounts.change(account.person.id, hash=self.hasher.hash(password))
        return self._begin(account, "password", client)

    def resume(self, token: str, *, client: str) -> SignedIn:
        """Goes on with a session, until it expires as it would have.

        Args:
            client: as `sign_in`; a session may move.

        Raises:
            NotAllowed: no session that lives has this token.
        """
        del client  # a laptop changes its address; the token alone says who it is
        session = self.sessions.by_token(token_hash(token), now=self._now())
        account = self.accounts.by_person(session.person) if session else None
        if session is None or account is None:
            raise NotAllowed(_OVER, "sign in again")
        self.keep(account.person)
        self.sessions.saw(session.id, now=self._now())
        must_change = account.must_change and session.means == "password"
        return SignedIn(account.person, account.actor, session.id, token, must_change)

    def by_key(self, person: str, *, client: str) -> SignedIn:
        """Signs in the person, by id, whom sshd told by their key.

        Raises:
            NotAllowed: they have no account that is active.
        """
        return self._without_password(self.accounts.by_person(person), "key", client)

    def by_unix(self, name: str, *, client: str) -> SignedIn:
        """Signs in the person whose account names this user of the machine.

        Raises:
            NotAllowed: no active account does.
        """
        return self._without_password(self.accounts.by_unix(name), "unix", client)

    def actor_of(self, name: str) -> Actor:
        """Who acts for a user of this machine, for one command and without a session.

        Raises:
            NotAllowed: as `by_unix`.
        """
        account = self._active(self.accounts.by_unix(name))
        self.keep(account.person)
        return account.actor

    def check(self, session: str) -> None:
        """Whether a session still lives, and that it was seen now; cheap enough for each save.

        Raises:
            NotAllowed: it was ended or expired, or the account was disabled or changed.
        """
        now = self.clock()
        found = self.sessions.by_id(session, now=_text(now))
        if found is None:
            raise NotAllowed(_OVER, "sign in again; what was saved stays saved")
        if now - datetime.fromisoformat(found.seen) >= _SEEN:
            self.sessions.saw(session, now=_text(now))

    def sign_out(self, session: str) -> None:
        """Ends a session; one that is over stays over."""
        self.sessions.end(now=self._now(), session=session)

    def sign_out_everywhere(self, person: str) -> int:
        """Ends all sessions of a person; how many there were."""
        return self.sessions.end(now=self._now(), person=person)

    def sign_everybody_out(self) -> int:
        """Ends all sessions; how many there were."""
        return self.sessions.end(now=self._now())

    def change_password(self, person: str, old: str, new: str, *, session: str = "") -> None:
        """Gives a person another password and ends their other sessions.

        Args:
            session: the one that goes on.

        Raises:
            NotAllowed: `old` is not their password.
            InvalidInput: `new` is no good password.
            Throttled: as `sign_in`.
        """
        account = self._active(self.accounts.by_person(person))
        ticket = self._guard.admit(account.email, f"signed in as {person}", known=True)
        if not self.hasher.verify(old, account.hash):
            raise NotAllowed("that is not your password", "type the one that you signed in with")
        self._guard.forgive(ticket)
        made = self.hasher.hash(checked_password(new, own=(account.person.name, account.email)))
        after = self.accounts.change(person, ends_sessions=True, hash=made, must_change=False)
        if session:
            self.sessions.goes_on(session, epoch=after.epoch)

    def redeem(self, code: str, new: str, *, client: str) -> SignedIn:
        """Sets the first password of somebody who was invited, and signs them in.

        Raises:
            NotAllowed: the code is unknown, used or out of date.
            InvalidInput: `new` is no good password; the code is still good.
            Throttled: as `sign_in`.
        """
        refusal = NotAllowed("this code is not good", "codes work once, and for 7 days")
        name = code_hash(code)
        ticket = self._guard.admit(name, client, known=False)
        account = self.accounts.invited(name, now=self._now())
        if account is None:
            raise throttled(ticket.wait) if ticket.wait else refusal
        # Nobody guesses a code that is good, so whoever has one waits for nobody's guesses.
        self._guard.forgive(ticket)
        made = self.hasher.hash(checked_password(new, own=(account.person.name, account.email)))
        redeemed = self.accounts.redeem(name, made, now=self._now())
        if redeemed is None:  # another process was quicker
            raise refusal
        return self._begin(redeemed, "invite", client)

    def _without_password(self, account: Account | None, means: str, client: str) -> SignedIn:
        return self._begin(self._active(account), means, client)

    def _active(self, account: Account | None) -> Account:
        if account is None or not account.active:
            raise NotAllowed("you have no account here", "ask an admin of the workspace")
        return account

    def _begin(self, account: Account, means: str, client: str) -> SignedIn:
        self.keep(account.person)
        now, token = self.clock(), new_token()
        session = Session(
            uuid.uuid4().hex,
            account.person.id,
            means,
            client,
            account.epoch,
            _text(now),
            _text(now),
            _text(now + self.life),
        )
        before = _text(now - _REMEMBERED)
        self.sessions.begin(session, token_hash(token), before=before)
        must_change = account.must_change and means == "password"
        return SignedIn(account.person, account.actor, session.id, token, must_change)

    def _now(self) -> str:
        return _text(self.clock())


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
