"""Sign-in of one process, and whether its user may still work; the token file; the client.

Every call reaches a store, so it runs in the store's thread. Where a workspace has no accounts,
every user gets in under a local name.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Conflict, NotAllowed, Throttled, Unavailable
from tui_annotate.domain.people import Person, reader
from tui_annotate.settings import state_folder
from tui_annotate.tui.saving import describe_error
from tui_annotate.tui.session import ForcedIdentity

if TYPE_CHECKING:
    from tui_annotate.services.authentication import AuthenticationService, SignInResult
    from tui_annotate.storage.people.presence import Presence
    from tui_annotate.workspace import Workspace

_NO_NAME: Final = "this workspace has accounts, so --as names nobody: sign in"
_LONGEST: Final = 4096  # bytes; a token has some dozens
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


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
            self._accept(self._accounts.by_key(self._bound.person, client=client()), known=True)
        elif not self._sign_in_by_machine():
            self.hint = _NO_NAME if self._name else self.hint

    def _sign_in_by_machine(self) -> bool:
        if self._tokens is None:
            return False
        if name := user():
            with suppress(NotAllowed):
                self._accept(self._accounts.by_unix(name, client=client()), known=True)
                return True
        try:
            kept = self._tokens.read()
            if kept is None:
                return False
            self.email = kept.email
            self._accept(self._accounts.resume(kept.token, client=client()))
            self._stays_signed_in = True
        except Unavailable as error:
            self.hint = describe_error(error)
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
        signed = self._accounts.sign_in(email.strip(), password, client=client())
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
            signed = self._accounts.sign_in(self.email, password, client=client())
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
        self._accept(self._accounts.redeem(code.strip(), new, client=client()))
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
                self.hint = describe_error(error)

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
                f"you went on elsewhere at {clock_time(self.elsewhere.since)}",
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


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What resumes a session, a secret; and the address to ask the password for."""

    token: str
    email: str


@dataclass(frozen=True, slots=True)
class TokenFile:
    """Where a token is kept; it need not exist."""

    path: Path

    @classmethod
    def of(cls, workspace: Path) -> TokenFile:
        """The file of a workspace."""
        name = sha256(str(workspace.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return cls(state_folder() / f"signed-in-{name[:16]}")

    def read(self) -> StoredToken | None:
        """What was kept; None where there is nothing.

        Raises:
            Unavailable: others can read the file, so it is not used; or it can not be read.
        """
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(f"can not be read: {error.strerror}") from error
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & _OTHERS):
                raise self._unusable("can be read by others")
            token, _, email = file.read(_LONGEST).decode("utf-8", "replace").partition("\n")
        return StoredToken(token.strip(), email.strip()) if token.strip() else None

    def keep(self, kept: StoredToken) -> None:
        """Writes the file anew, with mode 0600; it appears whole or not at all.

        Raises:
            Unavailable: it can not be written.
        """
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            unfinished.unlink(missing_ok=True)
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{kept.token}\n{kept.email}\n")
            unfinished.replace(self.path)
        except OSError as error:
            raise Unavailable(
                f"you can not stay signed in, {error.strerror or error}: {self.path}",
                "you are signed in until you leave",
            ) from error

    def forget(self) -> None:
        """Takes the file away; one that can not be taken away is left."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _unusable(self, why: str) -> Unavailable:
        return Unavailable(
            f"what kept you signed in {why}, so it is not used: {self.path}",
            "it is written anew when you sign in",
        )


def user() -> str:
    """The name of the user of this process, from the system and not the environment; or nothing."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def client() -> str:
    """Where somebody comes from: the address that sshd tells, else the user of this machine."""
    address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return address or f"user {user() or 'unknown'}"


def clock_time(moment: str) -> str:
    """A moment in ISO 8601 as clocks here show it: hour and minute, before today also the day."""
    then = datetime.fromisoformat(moment).astimezone()
    today = datetime.now(UTC).astimezone().date()
    return then.strftime("%H:%M") if then.date() == today else then.strftime("%d %b %H:%M")
