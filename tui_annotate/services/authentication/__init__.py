"""Authentication: sign-in, sessions, and limits on failed attempts; grants no permissions."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import NotAllowed, Throttled
from tui_annotate.domain.keyword_names import check_keywords
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

_NO_MATCH: Final = "wrong e-mail address or password"
_SIGNED_OUT: Final = "you are signed out"
_SEEN_INTERVAL: Final = timedelta(minutes=1)
"""Minimum time between two updates of the time at which a session was last used."""
_CLIENT_MEMORY: Final = timedelta(days=90)
"""Time for which an expired session is kept, so that its network address stays trusted."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """Attempt to sign in, which counts as failed until the password has been checked."""

    pair: str
    wide: tuple[str, ...]
    wait: int


@dataclass(frozen=True, slots=True)
class SignInResult:
    """Signed-in user; `token`, which is never stored, is the secret that resumes the session."""

    person: Person
    actor: Actor
    session: str
    token: str = field(repr=False)
    must_change: bool


@check_keywords
@dataclass(frozen=True)
class AuthenticationService:
    """Manages sign-in and sessions; a refusal of a sign-in does not reveal its reason.

    `keep` is called with every user who signs in; `life` is the duration of a session.
    """

    accounts: AccountStore
    sessions: SessionStore
    attempts: AttemptStore
    keep: Callable[[Person], None]
    hasher: Argon2Hasher = field(default_factory=Argon2Hasher)
    life: timedelta = timedelta(days=7)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def required(self) -> bool:
        """Return whether users must sign in, because the workspace has accounts.

        Raises:
            NotFound: the configured account database does not exist.
        """
        return self.accounts.any()

    def sign_in(self, email: str, password: str, *, client: str) -> SignInResult:
        """Sign in with address and password, in the same time even for an unknown address.

        If passwords were hashed with several costs, each sign-in computes a hash of each cost.
        `client` is an address or a terminal's name, for the limit on failed attempts.

        Raises:
            NotAllowed: wrong address or password, or the account is disabled.
            Throttled: too many failed sign-in attempts; the hint gives the time to wait.
        """
        address = email.strip().lower().encode("utf-8", "replace").decode()
        account = self.accounts.by_email(address)
        known = account is not None and self.sessions.knows(account.person.id, client)
        ticket = self._count_attempt(address, client, known=known)
        known_hash = account.hash if account else ""
        right = self.hasher.verify(password, known_hash, stored=self.accounts.hashes())
        is_delayed = bool(ticket.wait) and not known
        if account is None or not account.active or not right or is_delayed:
            if ticket.wait:
                raise _throttled(ticket.wait)
            raise NotAllowed(
                _NO_MATCH,
                "check the address and the password, or ask an admin for a new password",
                code="sign-in-wrong",
            )
        self._forgive(ticket)
        if self.hasher.is_weaker(account.hash):
            account = self.accounts.change(account.person.id, hash=self.hasher.hash(password))
        return self._begin_session(account, "password", client)

    def resume(self, token: str, *, client: str) -> SignInResult:
        """Resume a session, also from another client, until the session expires.

        Raises:
            NotAllowed: no active session has this token.
        """
        del client  # a laptop changes its address; only the token identifies the user
        session = self.sessions.by_token(hash_token(token), now=self._now())
        account = self.accounts.by_person(session.person) if session else None
        if session is None or account is None:
            raise NotAllowed(_SIGNED_OUT, "sign in again", code="signed-out")
        self.keep(account.person)
        self.sessions.mark_used(session.id, now=self._now())
        must_change = account.must_change and session.means == "password"
        return SignInResult(account.person, account.actor, session.id, token, must_change)

    def by_key(self, person: str, *, client: str) -> SignInResult:
        """Sign in the user with the given id, whom sshd has identified by an SSH key.

        Raises:
            NotAllowed: the user has no active account.
        """
        account = self._require_active(self.accounts.by_person(person))
        return self._begin_session(account, "key", client)

    def by_unix(self, name: str, *, client: str) -> SignInResult:
        """Sign in the user whose account is linked to the given operating system user.

        Raises:
            NotAllowed: no active account names this user.
        """
        account = self._require_active(self.accounts.by_unix(name))
        return self._begin_session(account, "unix", client)

    def actor_of(self, name: str) -> Actor:
        """Return the user whose account is linked to an operating system user; or NotAllowed."""
        account = self._require_active(self.accounts.by_unix(name))
        self.keep(account.person)
        return account.actor

    def check(self, session: str) -> None:
        """Check that a session is active, and record its use; NotAllowed if it has ended."""
        now = self.clock()
        found = self.sessions.by_id(session, now=_format_time(now))
        if found is None:
            raise NotAllowed(
                _SIGNED_OUT, "sign in again; all saved work is stored", code="signed-out"
            )
        if now - datetime.fromisoformat(found.seen) >= _SEEN_INTERVAL:
            self.sessions.mark_used(session, now=_format_time(now))

    def sign_out(self, session: str) -> None:
        """End a session; an ended session stays unchanged."""
        self.sessions.end(now=self._now(), session=session)

    def sign_out_everywhere(self, person: str) -> int:
        """End all sessions of a person id, and return their number."""
        return self.sessions.end(now=self._now(), person=person)

    def sign_everybody_out(self) -> int:
        """End all sessions, and return how many were active."""
        return self.sessions.end(now=self._now())

    def change_password(self, person: str, old: str, new: str, *, session: str = "") -> None:
        """Change a password and end the user's other sessions.

        Raises:
            NotAllowed: `old` is wrong.
            InvalidInput: `new` is too weak.
            Throttled: same as for `sign_in`.
        """
        account = self._require_active(self.accounts.by_person(person))
        ticket = self._count_attempt(account.email, f"signed in as {person}", known=True)
        if not self.hasher.verify(old, account.hash):
            raise NotAllowed(
                "the old password is wrong",
                "type the password of your last sign-in",
                code="old-password-wrong",
            )
        self._forgive(ticket)
        made = self.hasher.hash(check_password(new, own=(account.person.name, account.email)))
        after = self.accounts.change(person, ends_sessions=True, hash=made, must_change=False)
        if session:
            self.sessions.keep_through_epoch(session, epoch=after.epoch)

    def redeem(self, code: str, new: str, *, client: str) -> SignInResult:
        """Set the first password of a user with an invitation code, and start a session.

        Raises:
            NotAllowed: the code is unknown, used or expired.
            InvalidInput: `new` is too weak; the code stays valid.
            Throttled: same as for `sign_in`.
        """
        refusal = NotAllowed(
            "this invitation code is not valid",
            "ask an admin for a new code: a code works once, for 7 days",
            code="invitation-invalid",
        )
        name = hash_code(code)
        ticket = self._count_attempt(name, client, known=False)
        account = self.accounts.invited(name, now=self._now())
        if account is None:
            raise _throttled(ticket.wait) if ticket.wait else refusal
        # A valid code cannot be guessed, so its owner does not wait because of others' guesses.
        self._forgive(ticket)
        made = self.hasher.hash(check_password(new, own=(account.person.name, account.email)))
        redeemed = self.accounts.redeem(name, made, now=self._now())
        if redeemed is None:  # another process redeemed the code first
            raise refusal
        return self._begin_session(redeemed, "invite", client)

    def _count_attempt(self, name: str, client: str, *, known: bool) -> SignInAttempt:
        """Count a sign-in as failed before the password is checked, or refuse it.

        Counting comes first, so that many processes that guess at once get no more answers than
        one. A user who signed in from a client before (`known`) is let in with the right password,
        however often others fail there.
        """
        now = self.clock()
        own = OWN_PAIR if known else PAIR
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
                # Do not store a row for each guessed name, or the table would grow with guesses.
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
            raise NotAllowed(
                "you have no account here",
                "ask an admin of the workspace for an account",
                code="no-account",
            )
        return account

    def _begin_session(self, account: Account, means: str, client: str) -> SignInResult:
        self.keep(account.person)
        now = self.clock()
        token = new_token()
        session = Session(
            id=uuid.uuid4().hex,
            person=account.person.id,
            means=means,
            client=client,
            epoch=account.epoch,
            created=_format_time(now),
            seen=_format_time(now),
            expires=_format_time(now + self.life),
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
    return Throttled("too many failed sign-in attempts", again, seconds=seconds)


def _scope_hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
