"""Sign-in and session of one running program: session guard, token file, client name.

Every call of the guard uses a store, so it runs in the store's thread. In a workspace without
accounts, every user works under a local name without signing in.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Conflict, NotAllowed, Throttled, Unavailable
from tui_annotate.domain.people import (
    Actor,
    Permission,
    Person,
    Role,
    base_person,
    require_permission,
)
from tui_annotate.editor.screen_message import ScreenMessage, describe_error, error_texts
from tui_annotate.settings import person_name, workspace_state_file
from tui_annotate.tui.session import ForcedIdentity

if TYPE_CHECKING:
    from tui_annotate.services.authentication import AuthenticationService, SignInResult
    from tui_annotate.storage.people.presence import Presence
    from tui_annotate.workspace import Workspace

_LONGEST: Final = 4096  # bytes read from a token file; a token has a few dozen
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class SessionText(ScreenMessage):
    """Hints and errors about the session of a user."""

    NAME_WITHOUT_EFFECT = "this workspace has accounts, so --as has no effect: sign in"
    NOT_UNLOCKED = "the password does not unlock the screen"
    UNLOCK_AGAIN = "type your password again; if your account is closed, quit"
    ROLE_CHANGED = "your role has changed"
    OTHER_USER = "another user, {name}, is signed in in this session"
    START_AGAIN = "quit, and start the program again"
    REPLACED = "another session replaced this one at {time}"
    LAST_ACTION_LOST = "your last action is not saved"
    TOKEN_NOT_READ = "the stored sign-in cannot be read: {error}: {path}"
    TOKEN_SHARED = "the stored sign-in is ignored, because other users can read it: {path}"
    TOKEN_NOT_STORED = "the sign-in cannot be stored: {error}: {path}"
    UNTIL_QUIT = "you stay signed in until you quit"
    SIGN_IN_AGAIN = "sign in again: this replaces the file of the stored sign-in"


class SessionGuard:
    """Guard of one process in one workspace: handles sign-in, and checks the user's session.

    Attributes:
        person: the signed-in user; None before sign-in.
        email: e-mail address of the user; before sign-in, the remembered address.
        known: whether an ssh key or the machine account identified the user.
        elsewhere: another process in which the same user works; None if there is none.
        namesakes: imported people who may be the user; the user is first asked about them.
        new_name: the name of a user who annotates here for the first time; else empty.
    """

    def __init__(
        self,
        space: Workspace,
        *,
        name: str = "",
        bound: ForcedIdentity | None = None,
        own: bool = True,
        needs: Permission | None = None,
    ) -> None:
        """Prepare the sign-in of this process; no user is signed in yet.

        Args:
            name: local name of the user, from `--as`; empty if there is none.
            bound: the user that an ssh key identifies; None if there is none.
            own: whether the machine account belongs to one user, who can sign in by it.
            needs: permission that the process requires of its user; None for annotating.
        """
        from tui_annotate.storage.people.presence import new_holder

        self._workspace = space
        self._name = name
        self._bound = bound
        self._needs = needs
        self._presence = space.team.presence
        self._holder = new_holder()
        self._signed_in: SignInResult | None = None
        self._tokens = TokenFile.of(space.path) if own else None
        self.required = bound is not None or space.team.members.required()
        self._stays_signed_in = False
        self.person: Person | None = None
        self.email = ""
        self.hint = ""
        self.new_name = ""
        self.namesakes: tuple[Person, ...] = ()
        self.must_change = False
        self.known = False
        self.elsewhere: Presence | None = None

    @cached_property
    def _accounts(self) -> AuthenticationService:
        return self._workspace.team.authenticate

    @property
    def workspace(self) -> Workspace:
        """The workspace as the signed-in user may use it."""
        return self._workspace.acting(self._signed_in.actor) if self._signed_in else self._workspace

    @property
    def where(self) -> str:
        """Name of the workspace, for the forms."""
        return self._workspace.path.name

    @property
    def idle(self) -> int:
        """Minutes without a key press after which the screen is locked; 0 for never."""
        return self._workspace.settings.idle_minutes if self.required else 0

    @property
    def can_stay_signed_in(self) -> bool:
        """Whether a sign-in can be stored for the next start."""
        return self._tokens is not None

    # sign-in

    def enter(self) -> None:
        """Sign in without a password if possible.

        The user is identified by an ssh key, by the name of the operating system's user, or by the
        stored token of an earlier sign-in.

        Raises:
            NotAllowed: the ssh key belongs to no active account.
        """
        if not self.required:
            self.namesakes = self._find_namesakes()
            if not self.namesakes:
                if self._needs is None:
                    self.new_name = self._workspace.team.members.new_name(self._name)
                self.person = self._workspace.person(self._name)
        elif self._bound:
            self._accept(
                self._accounts.by_key(self._bound.person, client=client_name()), known=True
            )
        elif not self._sign_in_by_machine() and self._name:
            self.hint = SessionText.NAME_WITHOUT_EFFECT.text()

    def _find_namesakes(self) -> tuple[Person, ...]:
        if self._workspace.read_only:
            return ()
        return self._workspace.people.find_namesakes(person_name(self._workspace.path, self._name))

    def link_namesake(self, *, same: bool) -> None:
        """Store whether this user did the imported work; raise Conflict if it cannot be merged."""
        imported, *others = self.namesakes
        people = self._workspace.people
        name = person_name(self._workspace.path, self._name)
        if same and not others:
            owner = people.find_local(name)
            if owner is None:  # a name in another case stays the name that the user works under
                owner = imported if imported.name == name else people.local(name)
            self._workspace.team.person_merges.merge(imported, owner)
        else:
            people.keep_apart(name)
        self.namesakes = ()
        self.person = self._workspace.person(self._name)

    def _sign_in_by_machine(self) -> bool:
        """Sign in by the machine account or a stored token; return whether it worked."""
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
            self.hint, _ = error_texts(error)
            return False
        return True

    def sign_in(self, email: str, password: str, *, stay: bool = False) -> None:
        """Sign in by e-mail address and password.

        Raises:
            NotAllowed: `AuthenticationService.sign_in` refuses, or another user works in this
                process.
        """
        signed = self._accounts.sign_in(email.strip(), password, client=client_name())
        self._accept(signed)
        if stay or self._stays_signed_in:
            self._store_token(signed)

    def unlock(self, password: str) -> None:
        """Unlock the screen by the user's password.

        Raises:
            NotAllowed: wrong password, closed account, or a different role than before.
            Throttled: too many attempts.
        """
        try:
            signed = self._accounts.sign_in(self.email, password, client=client_name())
        except Throttled:
            raise
        except NotAllowed as error:
            raise NotAllowed(
                SessionText.NOT_UNLOCKED.text(),
                SessionText.UNLOCK_AGAIN.text(),
                code="not-unlocked",
            ) from error
        self._accept(signed)
        if self._stays_signed_in:
            self._store_token(signed)

    def redeem(self, code: str, new: str, *, stay: bool = False) -> None:
        """Redeem an invitation code with a first password; see `AuthenticationService.redeem`."""
        self._accept(self._accounts.redeem(code.strip(), new, client=client_name()))
        if stay and self._signed_in:
            self._store_token(self._signed_in)

    def renew(self) -> None:
        """If the user's session has ended, sign in again without a password if possible.

        Raises:
            NotAllowed: the user no longer has an active account.
        """
        try:
            self._check_session()
        except NotAllowed:
            self.enter()
            self._check_session()

    def _accept(self, signed: SignInResult, *, known: bool = False) -> None:
        """Replace the current session with a new session of the same user, and end the old one.

        Raises:
            NotAllowed: the new session belongs to another actor, who may have other rights.
        """
        before = self._signed_in
        if before and before.actor != signed.actor:
            self._accounts.sign_out(signed.session)
            if before.person.id == signed.person.id:
                raise NotAllowed(
                    SessionText.ROLE_CHANGED.text(),
                    SessionText.START_AGAIN.text(),
                    code="role-changed",
                )
            raise NotAllowed(
                SessionText.OTHER_USER.text(name=before.person.name),
                SessionText.START_AGAIN.text(),
                code="other-user",
            )
        if before:
            self._accounts.sign_out(before.session)
        self._signed_in = signed
        self.known = known
        self.hint = ""
        self.must_change = signed.must_change
        self.person = self.person or signed.person
        if account := self._accounts.accounts.by_person(signed.person.id):
            self.email = account.email

    def _store_token(self, signed: SignInResult) -> None:
        if self._tokens:
            try:
                self._tokens.keep(StoredToken(signed.token, self.email))
                self._stays_signed_in = True
            except Unavailable as error:
                self.hint = describe_error(error)

    # work

    def change_password(self, old: str, new: str) -> None:
        """Change the user's password (see `AuthenticationService`); end the other sessions."""
        if self._signed_in:
            signed = self._signed_in
            self._accounts.change_password(signed.person.id, old, new, session=signed.session)
            self._signed_in = replace(signed, must_change=False)
            self.must_change = False

    def find_other_session(self) -> Presence | None:
        """Return another running process in which the user works, or None.

        In a read-only workspace, a user may read in several processes.

        Raises:
            NotAllowed: the user lacks the permission that this process requires.
        """
        if self._signed_in and self._needs:
            require_permission(self._signed_in.actor, self._needs)
        if self.person and not self._workspace.read_only:
            self.elsewhere = self._presence.find_other(base_person(self.person.id), self._holder)
        return self.elsewhere

    def take_over_session(self) -> None:
        """Take the user's session over; raise Conflict if a third process took it over first."""
        if self.person:
            over = self.elsewhere.holder if self.elsewhere else ""
            self._hold_presence(self.person, over=over)

    def check(self) -> None:
        """Check that the session is valid and that no other process took the session over.

        The thread that accesses the workspace makes this check before a job.

        Raises:
            NotAllowed: the session has ended.
            Conflict: another process took the user's session over.
        """
        self._check_session()
        if self.person and not self._workspace.read_only:
            with suppress(Unavailable):  # a job that writes reports it
                self._hold_presence(self.person)

    def _check_session(self) -> None:
        if self._signed_in:
            self._accounts.check(self._signed_in.session)

    def _hold_presence(self, person: Person, *, over: str = "") -> None:
        self.elsewhere = self._presence.hold(base_person(person.id), self._holder, over=over)
        if self.elsewhere:
            raise Conflict(
                SessionText.REPLACED.text(time=format_clock_time(self.elsewhere.since)),
                SessionText.LAST_ACTION_LOST.text(),
                code="session-replaced",
            )

    # sign-out

    def sign_out(self) -> None:
        """End the session, and delete the stored sign-in."""
        if self._signed_in:
            self._accounts.sign_out(self._signed_in.session)
        if self._tokens:
            self._tokens.forget()
        self._stays_signed_in = False

    def print_own(self, space: Workspace) -> None:
        """Print the user's own work as an export to standard output."""
        if self.person:
            # As an annotator: the owner's export would contain hidden first readings.
            mine = space.acting(Actor(base_person(self.person.id), Role.ANNOTATOR))
            mine.export(person=self.person.id)

    def leave(self) -> None:
        """Record that the user left, and end the session unless the user stays signed in."""
        if self.person and not self._workspace.read_only:
            self._presence.leave(base_person(self.person.id), self._holder)
        if self._signed_in and not self._stays_signed_in:
            self._accounts.sign_out(self._signed_in.session)


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A stored sign-in: the session's token, and the e-mail address of its user."""

    token: str
    email: str


@dataclass(frozen=True, slots=True)
class TokenFile:
    """The file that stores the session token for one workspace; the file need not exist."""

    path: Path

    @classmethod
    def of(cls, workspace: Path) -> TokenFile:
        """Return the file for the workspace in a folder."""
        return cls(workspace_state_file("signed-in", workspace))

    def read(self) -> StoredToken | None:
        """Return the stored token; None if the file is missing or empty.

        Raises:
            Unavailable: other users can read the file, or the file cannot be read.
        """
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            message = SessionText.TOKEN_NOT_READ.text(error=error.strerror, path=self.path)
            raise self._unusable(message, code="token-not-readable") from error
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & _OTHERS):
                message = SessionText.TOKEN_SHARED.text(path=self.path)
                raise self._unusable(message, code="token-shared")
            token, _, email = file.read(_LONGEST).decode("utf-8", "replace").partition("\n")
        return StoredToken(token.strip(), email.strip()) if token.strip() else None

    def keep(self, kept: StoredToken) -> None:
        """Write a token atomically, with mode 0600; raise Unavailable if it cannot be written."""
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
                SessionText.TOKEN_NOT_STORED.text(error=error.strerror or error, path=self.path),
                SessionText.UNTIL_QUIT.text(),
                code="token-not-stored",
            ) from error

    def forget(self) -> None:
        """Delete the file; errors are ignored."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    @staticmethod
    def _unusable(message: str, *, code: str) -> Unavailable:
        return Unavailable(message, SessionText.SIGN_IN_AGAIN.text(), code=code)


def user_name() -> str:
    """Return the user name of the process from the operating system; empty if unknown."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def client_name() -> str:
    """Return the client's address that sshd reports, else the user name on this machine."""
    address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return address or f"user {user_name() or 'unknown'}"


def format_clock_time(moment: str) -> str:
    """Format an ISO 8601 time as local hour and minute, with the day if the day is not today."""
    then = datetime.fromisoformat(moment).astimezone()
    today = datetime.now(UTC).astimezone().date()
    return then.strftime("%H:%M") if then.date() == today else then.strftime("%d %b %H:%M")
