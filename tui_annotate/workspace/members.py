"""Members of a workspace: where their accounts are, who acts at a shell, who works here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import NotAllowed, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Person, Verb, require
from tui_annotate.settings import Settings, person_name
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore

if TYPE_CHECKING:
    from tui_annotate.services.authenticate import Authenticate
    from tui_annotate.services.authenticate.hashing import Hasher
    from tui_annotate.services.authenticate.managing import Accounts


@dataclass(frozen=True)
class Members:
    """Accounts of one workspace, in its own store or in one that several share.

    Attributes:
        people: those of the workspace.
        actor: who acts.
    """

    path: Path
    settings: Settings
    database: Database
    people: PeopleStore
    actor: Actor

    @cached_property
    def authenticate(self) -> Authenticate:
        """Signing in, on the workspace's own accounts or on those of the people store it names."""
        from tui_annotate.services.authenticate import Authenticate
        from tui_annotate.storage.people.accounts import AccountStore
        from tui_annotate.storage.people.attempts import AttemptStore
        from tui_annotate.storage.people.sessions import SessionStore

        home = self.home()
        stores = (AccountStore(home), SessionStore(home), AttemptStore(home))
        life = timedelta(minutes=self.settings.expire_minutes)
        return Authenticate(*stores, self.people.keep, self._hasher, life)

    def required(self) -> bool:
        """As `Authenticate.required`; where nobody has an account, nothing of it is imported.

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
            each.person.id for each in AccountStore(self.home()).all() if not each.active
        )

    @cached_property
    def accounts(self) -> Accounts:
        """What admins do with accounts."""
        from tui_annotate.services.authenticate.managing import Accounts
        from tui_annotate.storage.people.accounts import AccountStore
        from tui_annotate.storage.people.sessions import SessionStore

        home = self.home()
        stores = (AccountStore(home), SessionStore(home), self.people)
        return Accounts(*stores, self._hasher, self.actor)

    @cached_property
    def _hasher(self) -> Hasher:
        from tui_annotate.services.authenticate.hashing import Hasher

        chosen = self.settings
        return Hasher(chosen.argon2_time, chosen.argon2_memory, chosen.argon2_parallelism)

    def home(self) -> Database:
        """The store of the accounts: this workspace's own, or one that several share.

        Raises:
            NotFound: one is named and not there; then nobody is let in.
        """
        if self._shared is None:
            return self.database
        if not self._shared.exists():
            raise NotFound(
                f"the store of people {self._shared} is not there",
                "is it mounted? where there was none yet, tui-annotate users add makes it",
            )
        return self.database.companion(self._shared)

    def furnish(self) -> None:
        """Makes the store of people that is named and not there, for its owner alone.

        Raises:
            NotAllowed: who acts may not manage the workspace.
            Unavailable: it can not be written.
        """
        require(self.actor, Verb.MANAGE)
        if self._shared is not None:
            self.database.companion(self._shared, make=True)

    @property
    def _shared(self) -> Path | None:
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
        own = self._of_user()
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

    def _of_user(self) -> Person | None:
        """Whose account names this user of the machine; None where no active one does."""
        try:
            return self.people.person(self.authenticate.actor_of(_user()).person)
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
        return self.authenticate.actor_of(_user())


def _user() -> str:
    """The name of the user whose rights this process has; empty where the machine has none."""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return ""
