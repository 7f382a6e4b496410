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
from tui_annotate.domain.people import Person, base_person
from tui_annotate.settings import state_folder
from tui_annotate.tui.session import ForcedIdentity
from tui_annotate.tui.store_thread import describe_error

if TYPE_CHECKING:
    from tui_annotate.services.authentication import AuthenticationService, SignInResult
    from tui_annotate.storage.people.presence import Presence
    from tui_annotate.workspace import Workspace

_NO_NAME: Final = "this workspace has accounts, so --as names nobody: sign in"
_LONGEST: Final = 4096  # bytes; a token has some dozens
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class SessionGuard:
    """Sign-in of one process to a workspace.

    Attributes:
        required: the workspace has accounts.
        person: the signed-in user; None before sign-in.
        email: address of the user; before sign-in the remembered one.
        must_change: the user must change the password first.
        known: signed in by ssh key or user of the machine, without a password.
        elsewhere: another process in which the user works; None for none.
        hint: a message for the sign-in page; empty for none.
    """

    def __init__(
        self,
        space: Workspace,
        *,
        name: str = "",
        bound: ForcedIdentity | None = None,
        own: bool = True,
    ) -> None:
        """`own`: the machine's user is one person, so that it can sign them in."""
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
        """The workspace with the rights of the signed-in user."""
        return self._workspace.acting(self._signed_in.actor) if self._signed_in else self._workspace

    @property
    def where(self) -> str:
        """The name of the workspace's folder."""
        return self._workspace.path.name

    @property
    def idle(self) -> int:
        """Minutes without a key until the screen is locked; 0 for never."""
        return self._workspace.settings.idle_minutes if self.required else 0

    @property
    def can_stay_signed_in(self) -> bool:
        """Whether a user can stay signed in on this machine."""
        return self._tokens is not None

    # sign-in

    def enter(self) -> None:
        """Sign in by ssh key, by the machine's user, or by the stored token, if possible.

        Raises:
            NotAllowed: the ssh key belongs to no active account.
        """
        if not self.required:
            self.person = self._workspace.person(self._name)
        elif self._bound:
            self._accept(
                self._accounts.by_key(self._bound.person, client=client_name()), known=True
            )
        elif not self._sign_in_by_machine():
            self.hint = _NO_NAME if self._name else self.hint

    def _sign_in_by_machine(self) -> bool:
        if self._tokens is None:
            return False
        if name := user_name():
            with suppress(NotAllowed):
                self._accept(self._accounts.by_unix(name, client=client_name()), known=True)
                return True
        try:
            kept = self._tokens.read()
            if kept is None:
                return False
            self.email = kept.email
            self._accept(self._accounts.resume(kept.token, client=client_name()))
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
        """Sign in by password.

        Raises:
            NotAllowed: as `AuthenticationService.sign_in`; or another user works in this process.
        """
        signed = self._accounts.sign_in(email.strip(), password, client=client_name())
        self._accept(signed)
        if stay or self._stays_signed_in:
            self._store_token(signed)

    def unlock(self, password: str) -> None:
        """Unlock the screen by the user's password.

        Raises:
            NotAllowed: wrong password, closed account, or another role than before.
            Throttled: too many attempts.
        """
        try:
            signed = self._accounts.sign_in(self.email, password, client=client_name())
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
        """Sign in an invited user, with their first password.

        Raises:
            NotAllowed, InvalidInput: as `AuthenticationService.redeem`.
        """
        self._accept(self._accounts.redeem(code.strip(), new, client=client_name()))
        if stay and self._signed_in:
            self._store_token(self._signed_in)

    def renew(self) -> None:
        """Sign in again without a password, if the session has ended meanwhile.

        Raises:
            NotAllowed: the user has no active account any more.
        """
        try:
            self._check_session()
        except NotAllowed:
            self.enter()
            self._check_session()

    def _accept(self, signed: SignInResult, *, known: bool = False) -> None:
        """Replace the session by another one of the same actor, and end the former.

        Raises:
            NotAllowed: it is of another actor, who may have other rights.
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

    # work

    def change_password(self, old: str, new: str) -> None:
        """Change the user's password, which ends their other sessions.

        Raises:
            NotAllowed, InvalidInput: as `AuthenticationService.change_password`.
        """
        if self._signed_in:
            signed = self._signed_in
            self._accounts.change_password(signed.person.id, old, new, session=signed.session)
            self._signed_in, self.must_change = replace(signed, must_change=False), False

    def find_other_session(self) -> Presence | None:
        """Another running process in which this person works."""
        if self.person:
            self.elsewhere = self._presence.find_other(base_person(self.person.id), self._holder)
        return self.elsewhere

    def take_over_session(self) -> None:
        """Make this the process in which the person works, instead of the other one.

        Raises:
            Conflict: a third process was faster.
        """
        if self.person:
            over = self.elsewhere.holder if self.elsewhere else ""
            self._hold_presence(self.person, over=over)

    def check(self) -> None:
        """Check before each job that the person may go on.

        Raises:
            NotAllowed: the session has ended.
            Conflict: the person went on in another process.
        """
        self._check_session()
        if self.person:
            with suppress(Unavailable):  # a job that writes reports it
                self._hold_presence(self.person)

    def _check_session(self) -> None:
        if self._signed_in:
            self._accounts.check(self._signed_in.session)

    def _hold_presence(self, person: Person, *, over: str = "") -> None:
        self.elsewhere = self._presence.hold(base_person(person.id), self._holder, over=over)
        if self.elsewhere:
            raise Conflict(
                f"you went on elsewhere at {format_clock_time(self.elsewhere.since)}",
                "nothing of this was saved",
            )

    # sign-out

    def sign_out(self) -> None:
        """End the session, and delete the stored token."""
        if self._signed_in:
            self._accounts.sign_out(self._signed_in.session)
        if self._tokens:
            self._tokens.forget()
        self._stays_signed_in = False

    def print_own(self, space: Workspace) -> None:
        """Write the person's own annotations to standard output; `space` is opened again."""
        if self.person:
            mine = space.acting(self._signed_in.actor) if self._signed_in else space
            mine.export(person=self.person.id)

    def leave(self) -> None:
        """End the person's presence, and the session unless it stays signed in."""
        if self.person:
            self._presence.leave(base_person(self.person.id), self._holder)
        if self._signed_in and not self._stays_signed_in:
            self._accounts.sign_out(self._signed_in.session)


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A secret that resumes a session, and the user's address."""

    token: str
    email: str


@dataclass(frozen=True, slots=True)
class TokenFile:
    """The file of a token; it need not exist."""

    path: Path

    @classmethod
    def of(cls, workspace: Path) -> TokenFile:
        """The file of a workspace."""
        name = sha256(str(workspace.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return cls(state_folder() / f"signed-in-{name[:16]}")

    def read(self) -> StoredToken | None:
        """The stored token; None for none.

        Raises:
            Unavailable: other users can read the file, or it can not be read.
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
        """Write the file atomically, with mode 0600.

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
        """Delete the file, if possible."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _unusable(self, why: str) -> Unavailable:
        return Unavailable(
            f"what kept you signed in {why}, so it is not used: {self.path}",
            "it is written anew when you sign in",
        )


def user_name() -> str:
    """The name of the process's user, from the system, not the environment; empty if unknown."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def client_name() -> str:
    """The client's address by sshd, else the user of this machine."""
    address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return address or f"user {user_name() or 'unknown'}"


def format_clock_time(moment: str) -> str:
    """A time in ISO 8601 as local hour and minute, with the day if it is not today."""
    then = datetime.fromisoformat(moment).astimezone()
    today = datetime.now(UTC).astimezone().date()
    return then.strftime("%H:%M") if then.date() == today else then.strftime("%d %b %H:%M")
