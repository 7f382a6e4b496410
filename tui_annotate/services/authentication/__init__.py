"""Signing in: who somebody is, for how long, and how often they may try; decides no right."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import NotAllowed, Throttled
from tui_annotate.domain.passwords import check_password
from tui_annotate.domain.people import Actor, Person
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.throttle import ACCOUNT, CLIENT, OWN_PAIR, PAIR, ThrottleRule, longest_wait
from tui_annotate.services.authentication.hashing import (
    Argon2Hasher,
    hash_code,
    hash_token,
    new_token,
)
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import AttemptStore, Session, SessionStore

_NO_MATCH: Final = "e-mail address and password do not belong together"
_SIGNED_OUT: Final = "you are signed out"
_SEEN_INTERVAL: Final = timedelta(minutes=1)
"""How old the note of when a session was seen may be, so that few saves write it."""
_CLIENT_MEMORY: Final = timedelta(days=90)
"""How long it is remembered where people signed in from."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """An attempt that was counted, for the account at the client (`pair`) and for each alone."""

    pair: str
    wide: tuple[str, ...]
    wait: int


@dataclass(frozen=True, slots=True)
class SignInResult:
    """A signed-in person.

    Attributes:
        token: the secret that resumes the session; never stored.
        must_change: whether the password was set by someone else.
    """

    person: Person
    actor: Actor
    session: str
    token: str = field(repr=False)
    must_change: bool


@dataclass(frozen=True)
class AuthenticationService:
    """Signs people in. Whatever the reason, a refusal has the same words.

    `keep` is called with everyone who signs in; `life` is the length of a session.
    """

    accounts: AccountStore
    sessions: SessionStore
    attempts: AttemptStore
    keep: Callable[[Person], None]
    hasher: Argon2Hasher = field(default_factory=Argon2Hasher)
    life: timedelta = timedelta(days=7)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def required(self) -> bool:
        """Whether there is any account, so that everybody must sign in.

        Raises:
            NotFound: the accounts are said to be in a store that is not there.
        """
        return self.accounts.any()

    def sign_in(self, email: str, password: str, *, client: str) -> SignInResult:
        """Sign in with a password; about 20 ms, also for an unknown address.

        `client` is an address or the name of a terminal, for throttling.

        Raises:
            NotAllowed: wrong address or password, or the account is disabled.
            Throttled: too many failures; says when to try again.
        """
        address = email.strip().lower().encode("utf-8", "replace").decode()
        account = self.accounts.by_email(address)
        known = account is not None and self.sessions.knows(account.person.id, client)
        ticket = self._count_attempt(address, client, known=known)
        right = self.hasher.verify(password, account.hash if account else "")
        if account is None or not right or not account.active or (ticket.wait and not known):
            if ticket.wait:
                raise _throttled(ticket.wait)
            raise NotAllowed(_NO_MATCH, "check both; an admin can give you a new password")
        self._forgive(ticket)
        if self.hasher.is_weaker(account.hash):
            account = self.accounts.change(account.person.id, hash=self.hasher.hash(password))
        return self._begin_session(account, "password", client)

    def resume(self, token: str, *, client: str) -> SignInResult:
        """Resume a session, also from another client, until it expires.

        Raises:
            NotAllowed: no live session has this token.
        """
        del client  # a laptop changes its address; the token alone says who it is
        session = self.sessions.by_token(hash_token(token), now=self._now())
        account = self.accounts.by_person(session.person) if session else None
        if session is None or account is None:
            raise NotAllowed(_SIGNED_OUT, "sign in again")
        self.keep(account.person)
        self.sessions.mark_used(session.id, now=self._now())
        must_change = account.must_change and session.means == "password"
        return SignInResult(account.person, account.actor, session.id, token, must_change)

    def by_key(self, person: str, *, client: str) -> SignInResult:
        """Sign in a person by id, as sshd identified them by their key.

        Raises:
            NotAllowed: they have no account that is active.
        """
        account = self._require_active(self.accounts.by_person(person))
        return self._begin_session(account, "key", client)

    def by_unix(self, name: str, *, client: str) -> SignInResult:
        """Sign in the person whose account names this user of the machine.

        Raises:
            NotAllowed: no active account does.
        """
        account = self._require_active(self.accounts.by_unix(name))
        return self._begin_session(account, "unix", client)

    def actor_of(self, name: str) -> Actor:
        """Return the actor of a machine's user for one command, without a session."""
        account = self._require_active(self.accounts.by_unix(name))
        self.keep(account.person)
        return account.actor

    def check(self, session: str) -> None:
        """Check that a session is live, and record that; cheap enough for each save.

        Raises:
            NotAllowed: it was ended or expired, or the account was disabled or changed.
        """
        now = self.clock()
        found = self.sessions.by_id(session, now=_format_time(now))
        if found is None:
            raise NotAllowed(_SIGNED_OUT, "sign in again; what was saved stays saved")
        if now - datetime.fromisoformat(found.seen) >= _SEEN_INTERVAL:
            self.sessions.mark_used(session, now=_format_time(now))

    def sign_out(self, session: str) -> None:
        """End a session; idempotent."""
        self.sessions.end(now=self._now(), session=session)

    def sign_out_everywhere(self, person: str) -> int:
        """End all sessions of a person; return how many there were."""
        return self.sessions.end(now=self._now(), person=person)

    def sign_everybody_out(self) -> int:
        """End all sessions; return how many there were."""
        return self.sessions.end(now=self._now())

    def change_password(self, person: str, old: str, new: str, *, session: str = "") -> None:
        """Change a password and end the person's other sessions.

        Raises:
            NotAllowed: `old` is wrong.
            InvalidInput: `new` is too weak.
            Throttled: as `sign_in`.
        """
        account = self._require_active(self.accounts.by_person(person))
        ticket = self._count_attempt(account.email, f"signed in as {person}", known=True)
        if not self.hasher.verify(old, account.hash):
            raise NotAllowed("that is not your password", "type the one that you signed in with")
        self._forgive(ticket)
        made = self.hasher.hash(check_password(new, own=(account.person.name, account.email)))
        after = self.accounts.change(person, ends_sessions=True, hash=made, must_change=False)
        if session:
            self.sessions.keep_through_epoch(session, epoch=after.epoch)

    def redeem(self, code: str, new: str, *, client: str) -> SignInResult:
        """Set the first password of an invited person, and sign them in.

        Raises:
            NotAllowed: the code is unknown, used or expired.
            InvalidInput: `new` is too weak; the code stays valid.
            Throttled: as `sign_in`.
        """
        refusal = NotAllowed("this code is not good", "codes work once, and for 7 days")
        name = hash_code(code)
        ticket = self._count_attempt(name, client, known=False)
        account = self.accounts.invited(name, now=self._now())
        if account is None:
            raise _throttled(ticket.wait) if ticket.wait else refusal
        # Nobody guesses a code that is good, so whoever has one waits for nobody's guesses.
        self._forgive(ticket)
        made = self.hasher.hash(check_password(new, own=(account.person.name, account.email)))
        redeemed = self.accounts.redeem(name, made, now=self._now())
        if redeemed is None:  # another process was quicker
            raise refusal
        return self._begin_session(redeemed, "invite", client)

    def _count_attempt(self, name: str, client: str, *, known: bool) -> SignInAttempt:
        """Count an attempt as failed; refuse it where the client has to wait.

        Each counts before it is looked at, so that many processes that guess at once get no more
        answers than one. Who signed in from a client before is let in with the right password,
        however much others fail there: their account is `known` at that client.
        """
        now, own = self.clock(), OWN_PAIR if known else PAIR
        rules: dict[str, ThrottleRule] = {_scope_hash("client", client): CLIENT}
        if not known:
            rules[_scope_hash("account", name)] = ACCOUNT
        with self.attempts.counting(now) as tallies:
            pair = _scope_hash("pair", name, client)
            wait = tallies.of(pair).wait(now, own)
            if wait:
                raise _throttled(longest_wait([wait]))
            slowed = longest_wait(
                tallies.of(scope).wait(now, rule) for scope, rule in rules.items()
            )
            if slowed and not known:
                # Nothing typed here leaves a row of its own, or rows would grow with each guess.
                pair = _scope_hash("pair", "", client)
            counted = {pair: own} if slowed else {pair: own, **rules}
            for scope, rule in counted.items():
                tallies.keep(scope, tallies.of(scope).failed(now, rule))
        return SignInAttempt(pair, () if slowed else tuple(rules), slowed)

    def _forgive(self, ticket: SignInAttempt) -> None:
        with self.attempts.counting(self.clock()) as tallies:
            tallies.drop(ticket.pair)
            for scope in ticket.wide:
                tallies.keep(scope, tallies.of(scope).forgive())

    def _require_active(self, account: Account | None) -> Account:
        if account is None or not account.active:
            raise NotAllowed("you have no account here", "ask an admin of the workspace")
        return account

    def _begin_session(self, account: Account, means: str, client: str) -> SignInResult:
        self.keep(account.person)
        now, token = self.clock(), new_token()
        session = Session(
            uuid.uuid4().hex,
            account.person.id,
            means,
            client,
            account.epoch,
            _format_time(now),
            _format_time(now),
            _format_time(now + self.life),
        )
        before = _format_time(now - _CLIENT_MEMORY)
        self.sessions.begin(session, hash_token(token), before=before)
        must_change = account.must_change and means == "password"
        return SignInResult(account.person, account.actor, session.id, token, must_change)

    def _now(self) -> str:
        return _format_time(self.clock())


def _format_time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def _throttled(seconds: int) -> Throttled:
    again = f"try again in {format_count(seconds, 'second')}"
    return Throttled("too many attempts failed", again, seconds=seconds)


def _scope_hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
