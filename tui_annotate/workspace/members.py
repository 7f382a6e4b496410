"""Members of a workspace: their accounts, the current user, and pseudonyms for exports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import NotAllowed, NotFound
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Permission,
    Person,
    PersonKind,
    is_allowed,
    require_permission,
)
from tui_annotate.domain.workspace_files import PSEUDONYMS
from tui_annotate.settings import Settings, person_name
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.workspace.stores import find_owner

if TYPE_CHECKING:
    from tui_annotate.services.authentication import AuthenticationService
    from tui_annotate.services.authentication.account_management import AccountService
    from tui_annotate.services.authentication.hashing import Argon2Hasher
    from tui_annotate.services.export.pseudonyms import PseudonymKeys, Pseudonyms


@check_keywords
@dataclass(frozen=True)
class WorkspaceMembers:
    """The accounts of one workspace, in its own store or in a shared store of accounts."""

    path: Path
    settings: Settings
    database: Database
    people: PeopleStore
    actor: Actor

    @cached_property
    def authenticate(self) -> AuthenticationService:
        """The sign-in service, for the workspace's own accounts or those of a shared store."""
        from tui_annotate.services.authentication import AuthenticationService
        from tui_annotate.storage.people.accounts import AccountStore
        from tui_annotate.storage.people.sessions import AttemptStore, SessionStore

        home = self.account_database()
        return AuthenticationService(
            accounts=AccountStore(home),
            sessions=SessionStore(home),
            attempts=AttemptStore(home),
            keep=self.people.keep,
            hasher=self._hasher,
            life=timedelta(minutes=self.settings.expire_minutes),
        )

    def required(self) -> bool:
        """Return whether users must sign in, that is, whether the workspace has accounts.

        Raises:
            NotFound: the settings name a shared store of accounts that does not exist.
        """
        if not self.settings.people_store and not self.people.accounts():
            return False
        return self.authenticate.required()

    def disabled(self) -> frozenset[str]:
        """Return the ids of people whose account is disabled; empty without accounts."""
        if not self.required():
            return frozenset()
        from tui_annotate.storage.people.accounts import AccountStore

        return frozenset(
            each.person.id
            for each in AccountStore(self.account_database()).all()
            if not each.active
        )

    @cached_property
    def accounts(self) -> AccountService:
        """The service that manages accounts; most of its methods are only for admins."""
        from tui_annotate.services.authentication.account_management import AccountService
        from tui_annotate.storage.people.accounts import AccountStore
        from tui_annotate.storage.people.sessions import SessionStore

        home = self.account_database()
        return AccountService(
            store=AccountStore(home),
            sessions=SessionStore(home),
            people=self.people,
            hasher=self._hasher,
            actor=self.actor,
        )

    @cached_property
    def _hasher(self) -> Argon2Hasher:
        from tui_annotate.services.authentication.hashing import Argon2Hasher

        return Argon2Hasher(
            time=self.settings.argon2_time,
            memory=self.settings.argon2_memory,
            parallelism=self.settings.argon2_parallelism,
        )

    def account_database(self) -> Database:
        """Return the store of the accounts: this workspace's own store, or a shared one.

        Raises:
            NotFound: the shared store does not exist; then no user can sign in.
        """
        if self._shared_store is None:
            return self.database
        if not self._shared_store.exists():
            raise NotFound(
                f"the shared store of accounts {self._shared_store} does not exist",
                "check that the store's disk is mounted, or create the store:"
                " tui-annotate users create",
                code="no-account-store",
            )
        return self.database.companion(self._shared_store)

    def create_people_store(self) -> None:
        """Create the shared store of accounts if it is missing, readable only by its owner.

        Raises:
            NotAllowed: the current actor may not manage the workspace.
            Unavailable: the store cannot be written.
        """
        require_permission(self.actor, Permission.MANAGE)
        if self._shared_store is not None:
            self.database.companion(self._shared_store, make=True)

    @property
    def _shared_store(self) -> Path | None:
        named = self.settings.people_store
        return self.path / Path(named).expanduser() if named else None

    def new_name(self, name: str) -> str:
        """Return the user's name if the user is new in a workspace that has other people.

        Empty for a person who is known, and for the first person of a workspace.

        Raises:
            InvalidInput: the name is invalid.
        """
        if self.actor.person or self.required():
            return ""
        found = person_name(self.path, name)
        return found if self.people.all() and not self.people.find_local(found) else ""

    def person(self, name: str) -> Person:
        """Return the person who uses the workspace, by the sign-in or by `name`.

        Without accounts: the given name, else the remembered name, else the login name. With
        accounts: the signed-in actor; for the owner of the files, the person whose account has
        their Unix user name.

        Raises:
            InvalidInput: the name is invalid.
            NotAllowed: the workspace has accounts, and a name was given or no user is signed in.
        """
        if self.actor.person:
            return self.people.person(self.actor.person)
        if not self.required():
            return self.people.local(person_name(self.path, name))
        own = self._person_of_user()
        if own and not name:
            return own
        raise NotAllowed(
            f"this workspace has accounts, so --as {name!r} does not replace a sign-in"
            if name
            else "this workspace has accounts, and no user is signed in",
            f"remove --as to work as {own.name}"
            if own
            else "sign in on the screen, without --as; for commands: "
            "tui-annotate users edit PERSON --unix-user NAME",
            code="name-without-effect",
        )

    def _person_of_user(self) -> Person | None:
        try:
            return self.people.person(self.authenticate.actor_of(_user_name()).person)
        except NotAllowed:
            return None

    def at_shell(self) -> Actor:
        """Return the user who runs a shell command: the operator or the owner of an account.

        The operator is root, the owner of the store's file (for a store in PostgreSQL, of the
        settings file), or any user if there are no accounts.

        Raises:
            NotAllowed: the workspace has accounts, but none with this Unix user name.
        """
        owners = (0, find_owner(self.path))
        if os.geteuid() in owners or not self.required():
            return OPERATOR
        return self.authenticate.actor_of(_user_name())


def _user_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return ""


_KEY_MARK_SETTING: Final = "pseudonyms"


@check_keywords
@dataclass(frozen=True, slots=True)
class PseudonymKeeper:
    """The manager of people's pseudonyms in exports, and of the key that they are computed with."""

    corpus: CorpusStore
    members: WorkspaceMembers

    def keys(self) -> PseudonymKeys:
        """Return the keeper of the key's file; the key itself is neither read nor created yet."""
        from tui_annotate.services.export.pseudonyms import PseudonymKeys

        named = self.members.settings.pseudonyms_key
        path = self.members.path / Path(named or PSEUDONYMS).expanduser()
        return PseudonymKeys(
            path,
            lambda: self.corpus.setting(_KEY_MARK_SETTING),
            lambda mark: self.corpus.set_setting(_KEY_MARK_SETTING, mark),
        )

    def names(self) -> Pseudonyms:
        """Return the pseudonyms of all people; the first call creates the secret key for them.

        Raises:
            NotFound, Conflict, InvalidInput, Unavailable: as `PseudonymKeys.current`.
            NotAllowed: no key exists, and the current actor may not manage the workspace.
        """
        from tui_annotate.services.export.pseudonyms import Pseudonyms

        if self.corpus.setting(_KEY_MARK_SETTING) is None:
            require_permission(self.members.actor, Permission.MANAGE)
        people = [each for each in self.members.people.all() if each.kind is not PersonKind.AGAIN]
        addresses = {}
        if is_allowed(self.members.actor, Permission.MANAGE) and self.members.required():
            addresses = {each.email: each.person.id for each in self.members.accounts.all()}
        return Pseudonyms(self.keys().current(), people, addresses)

    def renew(self) -> Path:
        """Replace the key from which pseudonyms are computed by a new key, and return its path.

        Raises:
            NotAllowed: the current actor may not manage the workspace.
            Unavailable: the key cannot be written.
        """
        require_permission(self.members.actor, Permission.MANAGE)
        keys = self.keys()
        keys.renew()
        return keys.path

    def list_people(self) -> list[tuple[Person, str]]:
        """Return people with their pseudonyms, ordered by name.

        Raises:
            NotAllowed: the current actor may not manage the workspace; other errors as `names`.
        """
        require_permission(self.members.actor, Permission.MANAGE)
        names = self.names()
        words = {person: names.id(person.id) for person in self.members.people.all()}
        return [
            (person, word)
            for person, word in words.items()
            if word != person.id and person.kind is not PersonKind.AGAIN
        ]
