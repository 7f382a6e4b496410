"""Signing in: who somebody is, for how long, and how often they may try; decides no right."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.people import Actor, Person


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
    token: str
    must_change: bool


@dataclass(frozen=True)
class Authenticate:
    """Signs people in to a workspace. Whatever the reason, a refusal has the same words."""

    def required(self) -> bool:
        """Whether there is any account, so that everybody must be somebody."""
        raise NotImplementedError

    def sign_in(self, email: str, password: str, *, client: str) -> SignedIn:
        """Signs in with a password; about 20 ms, also for an address that nobody has.

        Args:
            client: where they come from, as an address or the name of a terminal; for throttling.

        Raises:
            NotAllowed: address and password do not belong together, or the account is disabled.
            Throttled: there were too many failures; says when to try again.
        """
        raise NotImplementedError

    def resume(self, token: str, *, client: str) -> SignedIn:
        """Goes on with a session; its time to live begins anew.

        Raises:
            NotAllowed: no session that lives has this token.
        """
        raise NotImplementedError

    def by_key(self, person: str, *, client: str) -> SignedIn:
        """Signs in the person, by id, whom sshd told by their key.

        Raises:
            NotAllowed: they have no account that is active.
        """
        raise NotImplementedError

    def by_unix(self, name: str, *, client: str) -> SignedIn:
        """Signs in the person whose account names this user of the machine.

        Raises:
            NotAllowed: no active account does.
        """
        raise NotImplementedError

    def check(self, session: str) -> None:
        """Whether a session still lives, and that it was seen now; cheap enough for each save.

        Raises:
            NotAllowed: it was ended or expired, or the account was disabled or changed.
        """
        raise NotImplementedError

    def sign_out(self, session: str) -> None:
        """Ends a session; one that is over stays over."""
        raise NotImplementedError

    def sign_out_everywhere(self, person: str) -> int:
        """Ends all sessions of a person; how many there were."""
        raise NotImplementedError

    def sign_everybody_out(self) -> int:
        """Ends all sessions; how many there were."""
        raise NotImplementedError

    def change_password(self, person: str, old: str, new: str, *, session: str = "") -> None:
        """Gives a person another password and ends their other sessions.

        Args:
            session: the one that goes on.

        Raises:
            NotAllowed: `old` is not their password.
            InvalidInput: `new` is no good password.
            Throttled: as `sign_in`.
        """
        raise NotImplementedError

    def redeem(self, code: str, new: str, *, client: str) -> SignedIn:
        """Sets the first password of somebody who was invited, and signs them in.

        Raises:
            NotAllowed: the code is unknown, used or out of date.
            InvalidInput: `new` is no good password; the code is still good.
            Throttled: as `sign_in`.
        """
        raise NotImplementedError
