"""Who is let in, and whether they may still work; every call of it reaches a store, in its thread.

In a workspace without accounts whoever comes is let in under a local name, as before.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Conflict, NotAllowed, Throttled, Unavailable
from tui_annotate.domain.people import Person, reader
from tui_annotate.tui import client_info
from tui_annotate.tui.session import ForcedIdentity
from tui_annotate.tui.session_token_file import StoredToken, TokenFile

if TYPE_CHECKING:
    from tui_annotate.services.authentication import AuthenticationService, SignInResult
    from tui_annotate.storage.people.presence import Presence
    from tui_annotate.workspace import Workspace

_NO_NAME: Final = "this workspace has accounts, so --as names nobody: sign in"


class SessionGuard:
    """One process at the door of a workspace.

    Attributes:
        required: the workspace has accounts.
        person: who is in; None while nobody is.
        email: their address; before somebody is in, the one that was remembered.
        must_change: they can not work before they changed their password.
        known: the machine vouches for them, so they have no password to give.
        elsewhere: another process in which they are at work; None where there is none.
        hint: what is to be told where they sign in; empty for nothing.
    """

    def __init__(
        self,
        space: Workspace,
        *,
        name: str = "",
        bound: ForcedIdentity | None = None,
        own: bool = True,
    ) -> None:
        """`own`: the user of the machine is one person's, so that they can be known by it."""
        from tui_annotate.storage.people.presence import new_holder

        self._workspace, self._name, self._bound = space, name, bound
        self._presence = space.team.presence
        self._holder = new_holder()
        self._signed_in: SignInResult | None = None
        self._tokens = TokenFile.of(space.path) if own else None
        self.required = bound is not None or space.team.members.required()
        self._stays_signed_in = False
        self.person: Person | None = None
        self.email = self.hint = ""
        self.must_change = self.known = False
        self.elsewhere: Presence | None = None

    @cached_property
    def _accounts(self) -> AuthenticationService:
        return self._workspace.team.authenticate

    @property
    def workspace(self) -> Workspace:
        """The workspace as it is for whoever is in."""
        return self._workspace.acting(self._signed_in.actor) if self._signed_in else self._workspace

    @property
    def where(self) -> str:
        """The workspace by the name of its folder, which gives away nothing of the machine."""
        return self._workspace.path.name

    @property
    def idle(self) -> int:
        """Minutes without a key until whoever signed in is locked out; 0 for never."""
        return self._workspace.settings.idle_minutes if self.required else 0

    @property
    def can_stay_signed_in(self) -> bool:
        """Whether somebody who signs in can be kept signed in on this machine."""
        return self._tokens is not None

    # coming in

    def enter(self) -> None:
        """Lets in whom the machine knows: by key, by its user, by a token that was kept.

        Raises:
            NotAllowed: sshd knows somebody who has no active account.
        """
        if not self.required:
            self.person = self._workspace.person(self._name)
        elif self._bound:
            self._accept(
                self._accounts.by_key(self._bound.person, client=client_info.client()), known=True
            )
        elif not self._sign_in_by_machine():
            self.hint = _NO_NAME if self._name else self.hint

    def _sign_in_by_machine(self) -> bool:
        if self._tokens is None:
            return False
        if name := client_info.user():
            with suppress(NotAllowed):
                self._accept(self._accounts.by_unix(name, client=client_info.client()), known=True)
                return True
        try:
            kept = self._tokens.read()
            if kept is None:
                return False
            self.email = kept.email
            self._accept(self._accounts.resume(kept.token, client=client_info.client()))
            self._stays_signed_in = True
        except Unavailable as error:
            self.hint = f"{error.message} · {error.hint}"
            return False
        except NotAllowed as error:
            self._tokens.forget()
            self.hint = error.message
            return False
        return True

    def sign_in(self, email: str, password: str, *, stay: bool = False) -> None:
        """Lets somebody in by their password.

        Raises:
            NotAllowed: as `AuthenticationService.sign_in`; or somebody else is at work here.
        """
        signed = self._accounts.sign_in(email.strip(), password, client=client_info.client())
        self._accept(signed)
        if stay or self._stays_signed_in:
            self._store_token(signed)

    def unlock(self, password: str) -> None:
        """Lets whoever is in go on, by their password.

        Raises:
            NotAllowed: it is not theirs, or their account is closed by now, or they may not do the
                same as before any more; Throttled, as ever.
        """
        try:
            signed = self._accounts.sign_in(self.email, password, client=client_info.client())
        except Throttled:
            raise
        except NotAllowed as error:
            raise NotAllowed(
                "this does not open it", "type your password; if your account is closed, leave"
            ) from error
        self._accept(signed)
        if self._stays_signed_in:
            self._store_token(signed)

    def redeem(self, code: str, new: str, *, stay: bool = False) -> None:
        """Lets somebody in who was invited, with their first password.

        Raises:
            NotAllowed, InvalidInput: as `AuthenticationService.redeem`.
        """
        self._accept(self._accounts.redeem(code.strip(), new, client=client_info.client()))
        if stay and self._signed_in:
            self._store_token(self._signed_in)

    def go_on(self) -> None:
        """Lets in again whom the machine vouches for, if their session has ended meanwhile.

        Raises:
            NotAllowed: they have no active account any more.
        """
        try:
            self._check_session()
        except NotAllowed:
            self.enter()
            self._check_session()

    def _accept(self, signed: SignInResult, *, known: bool = False) -> None:
        """In place of a session from before, which is then over; for the same actor alone.

        Raises:
            NotAllowed: it is another one, to whom not everything here is open.
        """
        before = self._signed_in
        if before and before.actor != signed.actor:
            self._accounts.sign_out(signed.session)
            if before.person.id == signed.person.id:
                raise NotAllowed("your role is another one now", "leave, and start again")
            raise NotAllowed(f"{before.person.name} is at work here", "leave, and start again")
        if before:
            self._accounts.sign_out(before.session)
        self._signed_in, self.known, self.hint = signed, known, ""
        self.must_change = signed.must_change
        self.person = self.person or signed.person
        account = self._accounts.accounts.by_person(signed.person.id)
        self.email = account.email if account else self.email

    def _store_token(self, signed: SignInResult) -> None:
        if self._tokens:
            try:
                self._tokens.keep(StoredToken(signed.token, self.email))
                self._stays_signed_in = True
            except Unavailable as error:
                self.hint = f"{error.message} · {error.hint}"

    # being in

    def change_password(self, old: str, new: str) -> None:
        """Gives whoever is in another password; their other sessions end.

        Raises:
            NotAllowed, InvalidInput: as `AuthenticationService.change_password`.
        """
        if self._signed_in:
            signed = self._signed_in
            self._accounts.change_password(signed.person.id, old, new, session=signed.session)
            self._signed_in, self.must_change = replace(signed, must_change=False), False

    def find_other_session(self) -> Presence | None:
        """Another living process in which this person is at work."""
        if self.person:
            self.elsewhere = self._presence.elsewhere(reader(self.person.id), self._holder)
        return self.elsewhere

    def take_over_session(self) -> None:
        """Makes this the process in which the person works, also where another one was told of.

        Raises:
            Conflict: a third one came in between.
        """
        if self.person:
            over = self.elsewhere.holder if self.elsewhere else ""
            self._hold_presence(self.person, over=over)

    def check(self) -> None:
        """Whether the person may go on; stands before each of their jobs.

        Raises:
            NotAllowed: the session has ended.
            Conflict: they went on in another process.
        """
        self._check_session()
        if self.person:
            with suppress(Unavailable):  # what can not be written is told by whoever has to write
                self._hold_presence(self.person)

    def _check_session(self) -> None:
        if self._signed_in:
            self._accounts.check(self._signed_in.session)

    def _hold_presence(self, person: Person, *, over: str = "") -> None:
        self.elsewhere = self._presence.hold(reader(person.id), self._holder, over=over)
        if self.elsewhere:
            raise Conflict(
                f"you went on elsewhere at {client_info.clock_time(self.elsewhere.since)}",
                "nothing of this was saved",
            )

    # going

    def sign_out(self) -> None:
        """Ends the session, and forgets what kept it."""
        if self._signed_in:
            self._accounts.sign_out(self._signed_in.session)
        if self._tokens:
            self._tokens.forget()
        self._stays_signed_in = False

    def print_own(self, space: Workspace) -> None:
        """Writes the person's own annotations to standard output, in the native form.

        Args:
            space: the workspace, opened again.
        """
        if self.person:
            mine = space.acting(self._signed_in.actor) if self._signed_in else space
            mine.export(person=self.person.id)

    def leave(self) -> None:
        """Gives the person's place back; a session that nothing keeps ends."""
        if self.person:
            self._presence.leave(reader(self.person.id), self._holder)
        if self._signed_in and not self._stays_signed_in:
            self._accounts.sign_out(self._signed_in.session)
