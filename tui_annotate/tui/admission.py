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
from tui_annotate.tui import here
from tui_annotate.tui.session import Bound
from tui_annotate.tui.tokens import Kept, TokenFile

if TYPE_CHECKING:
    from tui_annotate.services.authenticate import Authenticate, SignedIn
    from tui_annotate.storage.people.presence import Presence
    from tui_annotate.workspace import Workspace

_NO_NAME: Final = "this workspace has accounts, so --as names nobody: sign in"


class Admission:
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
        self, space: Workspace, *, name: str = "", bound: Bound | None = None, own: bool = True
    ) -> None:
        """`own`: the user of the machine is one person's, so that they can be known by it."""
        from tui_annotate.storage.people.presence import new_holder

        self._space, self._name, self._bound = space, name, bound
        self._presence = space.team.presence
        self._holder = new_holder()
        self._signed: SignedIn | None = None
        self._tokens = TokenFile.of(space.path) if own else None
        self.required = bound is not None or space.team.members.required()
        self._stays = False
        self.person: Person | None = None
        self.email = self.hint = ""
        self.must_change = self.known = False
        self.elsewhere: Presence | None = None

    @cached_property
    def _accounts(self) -> Authenticate:
        return self._space.team.authenticate

    @property
    def workspace(self) -> Workspace:
        """The workspace as it is for whoever is in."""
        return self._space.acting(self._signed.actor) if self._signed else self._space

    @property
    def where(self) -> str:
        """The workspace by the name of its folder, which gives away nothing of the machine."""
        return self._space.path.name

    @property
    def idle(self) -> int:
        """Minutes without a key until whoever signed in is locked out; 0 for never."""
        return self._space.settings.idle_minutes if self.required else 0

    @property
    def may_stay(self) -> bool:
        """Whether somebody who signs in can be kept signed in on this machine."""
        return self._tokens is not None

    # coming in

    def enter(self) -> None:
        """Lets in whom the machine knows: by key, by its user, by a token that was kept.

        Raises:
            NotAllowed: sshd knows somebody who has no active account.
        """
        if not self.required:
            self.person = self._space.person(self._name)
        elif self._bound:
            self._take(self._accounts.by_key(self._bound.person, client=here.client()), known=True)
        elif not self._known_here():
            self.hint = _NO_NAME if self._name else self.hint

    def _known_here(self) -> bool:
        if self._tokens is None:
            return False
        if name := here.user():
            with suppress(NotAllowed):
                self._take(self._accounts.by_unix(name, client=here.client()), known=True)
                return True
        try:
            kept = self._tokens.read()
            if kept is None:
                return False
            self.email = kept.email
            self._take(self._accounts.resume(kept.token, client=here.client()))
            self._stays = True
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
            NotAllowed: as `Authenticate.sign_in`; or somebody else is at work here.
        """
        signed = self._accounts.sign_in(email.strip(), password, client=here.client())
        self._take(signed)
        if stay or self._stays:
            self._keep(signed)

    def unlock(self, password: str) -> None:
        """Lets whoever is in go on, by their password.

        Raises:
            NotAllowed: it is not theirs, or their account is closed by now, or they may not do the
                same as before any more; Throttled, as ever.
        """
        try:
            signed = self._accounts.sign_in(self.email, password, client=here.client())
        except Throttled:
            raise
        except NotAllowed as error:
            raise NotAllowed(
                "this does not open it", "type your password; if your account is closed, leave"
            ) from error
        self._take(signed)
        if self._stays:
            self._keep(signed)

    def redeem(self, code: str, new: str, *, stay: bool = False) -> None:
        """Lets somebody in who was invited, with their first password.

        Raises:
            NotAllowed, InvalidInput: as `Authenticate.redeem`.
        """
        self._take(self._accounts.redeem(code.strip(), new, client=here.client()))
        if stay and self._signed:
            self._keep(self._signed)

    def go_on(self) -> None:
        """Lets in again whom the machine vouches for, if their session has ended meanwhile.

        Raises:
            NotAllowed: they have no active account any more.
        """
        try:
            self._check()
        except NotAllowed:
            self.enter()
            self._check()

    def _take(self, signed: SignedIn, *, known: bool = False) -> None:
        """In place of a session from before, which is then over; for the same actor alone.

        Raises:
            NotAllowed: it is another one, to whom not everything here is open.
        """
        before = self._signed
        if before and before.actor != signed.actor:
            self._accounts.sign_out(signed.session)
            if before.person.id == signed.person.id:
                raise NotAllowed("your role is another one now", "leave, and start again")
            raise NotAllowed(f"{before.person.name} is at work here", "leave, and start again")
        if before:
            self._accounts.sign_out(before.session)
        self._signed, self.known, self.hint = signed, known, ""
        self.must_change = signed.must_change
        self.person = self.person or signed.person
        account = self._accounts.accounts.by_person(signed.person.id)
        self.email = account.email if account else self.email

    def _keep(self, signed: SignedIn) -> None:
        if self._tokens:
            try:
                self._tokens.keep(Kept(signed.token, self.email))
                self._stays = True
            except Unavailable as error:
                self.hint = f"{error.message} · {error.hint}"

    # being in

    def change_password(self, old: str, new: str) -> None:
        """Gives whoever is in another password; their other sessions end.

        Raises:
            NotAllowed, InvalidInput: as `Authenticate.change_password`.
        """
        if self._signed:
            signed = self._signed
            self._accounts.change_password(signed.person.id, old, new, session=signed.session)
            self._signed, self.must_change = replace(signed, must_change=False), False

    def look_elsewhere(self) -> Presence | None:
        """Another living process in which this person is at work."""
        if self.person:
            self.elsewhere = self._presence.elsewhere(reader(self.person.id), self._holder)
        return self.elsewhere

    def take_place(self) -> None:
        """Makes this the process in which the person works, also where another one was told of.

        Raises:
            Conflict: a third one came in between.
        """
        if self.person:
            over = self.elsewhere.holder if self.elsewhere else ""
            self._hold(self.person, over=over)

    def check(self) -> None:
        """Whether the person may go on; stands before each of their jobs.

        Raises:
            NotAllowed: the session has ended.
            Conflict: they went on in another process.
        """
        self._check()
        if self.person:
            with suppress(Unavailable):  # what can not be written is told by whoever has to write
                self._hold(self.person)

    def _check(self) -> None:
        if self._signed:
            self._accounts.check(self._signed.session)

    def _hold(self, person: Person, *, over: str = "") -> None:
        self.elsewhere = self._presence.hold(reader(person.id), self._holder, over=over)
        if self.elsewhere:
            raise Conflict(
                f"you went on elsewhere at {here.clock_time(self.elsewhere.since)}",
                "nothing of this was saved",
            )

    # going

    def sign_out(self) -> None:
        """Ends the session, and forgets what kept it."""
        if self._signed:
            self._accounts.sign_out(self._signed.session)
        if self._tokens:
            self._tokens.forget()
        self._stays = False

    def print_own(self, space: Workspace) -> None:
        """Writes the person's own annotations to standard output, in the native form.

        Args:
            space: the workspace, opened again.
        """
        if self.person:
            mine = space.acting(self._signed.actor) if self._signed else space
            mine.export(person=self.person.id)

    def leave(self) -> None:
        """Gives the person's place back; a session that nothing keeps ends."""
        if self.person:
            self._presence.leave(reader(self.person.id), self._holder)
        if self._signed and not self._stays:
            self._accounts.sign_out(self._signed.session)
