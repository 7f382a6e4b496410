"""Members of a workspace: their accounts, the current actor, and pseudonyms for exports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import NotAllowed, NotFound
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Permission,
    Person,
    PersonKind,
    is_allowed,
    require_permission,
)
from tui_annotate.settings import Settings, person_name
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.workspace.folder import PSEUDONYMS

if TYPE_CHECKING:
    from tui_annotate.services.authentication import AuthenticationService
    from tui_annotate.services.authentication.account_management import AccountService
    from tui_annotate.services.authentication.hashing import Argon2Hasher
    from tui_annotate.services.export.pseudonyms import PseudonymKeys, Pseudonyms


@dataclass(frozen=True)
class WorkspaceMembers:
    """Accounts of one workspace, in its own store or in one that several share."""

    path: Path
    settings: Settings
    database: Database
    people: PeopleStore
    actor: Actor

    @cached_property
    def authenticate(self) -> AuthenticationService:
        """Signing in, on the workspace's own accounts or on those of the people store it names."""
        from tui_annotate.services.authentication import AuthenticationService
        from tui_annotate.storage.people.accounts import AccountStore
        from tui_annotate.storage.people.sessions import AttemptStore, SessionStore

        home = self.account_database()
        stores = (AccountStore(home), SessionStore(home), AttemptStore(home))
        life = timedelta(minutes=self.settings.expire_minutes)
        return AuthenticationService(*stores, self.people.keep, self._hasher, life)

    def required(self) -> bool:
        """As `AuthenticationService.required`; without any account, nothing of it is imported.

        Raises:
            NotFound: the accounts are said to be in a store that is not there.
        """
        if not self.settings.people_store and not self.people.accounts():
            return False
        return self.authenticate.required()

    def disabled(self) -> frozenset[str]:
        """Ids of those whose account lets them in no more."""
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
        """What admins do with accounts."""
        from tui_annotate.services.authentication.account_management import AccountService
        from tui_annotate.storage.people.accounts import AccountStore
        from tui_annotate.storage.people.sessions import SessionStore

        home = self.account_database()
        stores = (AccountStore(home), SessionStore(home), self.people)
        return AccountService(*stores, self._hasher, self.actor)

    @cached_property
    def _hasher(self) -> Argon2Hasher:
        from tui_annotate.services.authentication.hashing import Argon2Hasher

        chosen = self.settings
        return Argon2Hasher(chosen.argon2_time, chosen.argon2_memory, chosen.argon2_parallelism)

    def account_database(self) -> Database:
        """The store of the accounts: this workspace's own, or one that several share.

        Raises:
            NotFound: one is named and not there; then nobody is let in.
        """
        if self._shared_store is None:
            return self.database
        if not self._shared_store.exists():
            raise NotFound(
                f"the store of people {self._shared_store} is not there",
                "is it mounted? where there was none yet, tui-annotate users add makes it",
            )
        return self.database.companion(self._shared_store)

    def create_people_store(self) -> None:
        """Makes the store of people that is named and not there, for its owner alone.

        Raises:
            NotAllowed: who acts may not manage the workspace.
            Unavailable: it can not be written.
        """
        require_permission(self.actor, Permission.MANAGE)
        if self._shared_store is not None:
            self.database.companion(self._shared_store, make=True)

    @property
    def _shared_store(self) -> Path | None:
        named = self.settings.people_store
        return self.path / Path(named).expanduser() if named else None

    def person(self, name: str) -> Person:
        """Who works here.

        Without accounts: the name given, else the one remembered, else the login name.
        With them: who acts; the owner of the files, too, has to be somebody, and is whom the
        account with their user of this machine says.

        Raises:
            InvalidInput: it is no name.
            NotAllowed: with accounts, a name says nothing, and nobody is signed in.
        """
        if self.actor.person:
            return self.people.person(self.actor.person)
        if not self.required():
            return self.people.local(person_name(name))
        own = self._person_of_user()
        if own and not name:
            return own
        raise NotAllowed(
            "this workspace has accounts: a name alone says nothing"
            if name
            else "this workspace has accounts, and nobody is signed in",
            f"without --as you are {own.name} here"
            if own
            else "sign in on the screen, without --as; for commands: "
            "tui-annotate users update WHO --unix NAME",
        )

    def _person_of_user(self) -> Person | None:
        try:
            return self.people.person(self.authenticate.actor_of(_user_name()).person)
        except NotAllowed:
            return None

    def at_shell(self) -> Actor:
        """Who gives commands at a shell: the owner of the store's file, or who the account says.

        Raises:
            NotAllowed: there are accounts, and none of them is this user's.
        """
        owners = (0, self.database.path.stat().st_uid)
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
"""The setting of the store that holds the mark of the key."""


@dataclass(frozen=True, slots=True)
class PseudonymKeeper:
    """What exports need to name nobody."""

    corpus: CorpusStore
    members: WorkspaceMembers

    def keys(self) -> PseudonymKeys:
        """The key: in the workspace's folder, or where its settings say."""
        from tui_annotate.services.export.pseudonyms import PseudonymKeys

        named = self.members.settings.pseudonyms_key
        path = self.members.path / Path(named or PSEUDONYMS).expanduser()
        return PseudonymKeys(
            path,
            lambda: self.corpus.setting(_KEY_MARK_SETTING),
            lambda mark: self.corpus.set_setting(_KEY_MARK_SETTING, mark),
        )

    def names(self) -> Pseudonyms:
        """Pseudonyms by the key, which is made at the first use.

        Raises:
            NotFound, Conflict, InvalidInput, Unavailable: as `Keys.current`.
            NotAllowed: it would have to be made, and who acts may not manage the workspace.
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
        """Puts a new key in the place of the one before; where it lies.

        Raises:
            NotAllowed: who acts may not manage the workspace.
            Unavailable: it can not be written.
        """
        require_permission(self.members.actor, Permission.MANAGE)
        keys = self.keys()
        keys.renew()
        return keys.path

    def list_people(self) -> list[tuple[Person, str]]:
        """People, each with their pseudonym, by name.

        Raises:
            NotAllowed: who acts may not manage the workspace; else as `names`.
        """
        require_permission(self.members.actor, Permission.MANAGE)
        names = self.names()
        words = {person: names.id(person.id) for person in self.members.people.all()}
        return [
            (person, word)
            for person, word in words.items()
            if word != person.id and person.kind is not PersonKind.AGAIN
        ]
