"""Accounts in a store of the test, with a clock that stands still and passwords cheaply hashed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tui_annotate.domain.people import OPERATOR, Actor, Role
from tui_annotate.services.authentication import AuthenticationService
from tui_annotate.services.authentication.account_management import AccountService, NewAccount
from tui_annotate.services.authentication.hashing import Argon2Hasher
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import AttemptStore, SessionStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

PASSWORD = "lamps over water"
CHEAP = (1, 8, 1)
HERE = "203.0.113.7"


@dataclass
class Clock:
    """A time that stands still until it is moved."""

    now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """This moment."""
        return self.now

    def goes_on(self, **passed: float) -> None:
        """Moves it, as `timedelta` says."""
        self.now += timedelta(**passed)


@dataclass(frozen=True)
class Counting(Argon2Hasher):
    """Counts what it is asked to verify."""

    verified: list[str] = field(default_factory=list)

    def verify(self, password: str, known: str, *, stored: Iterable[str] = ()) -> bool:
        """As ever."""
        self.verified.append(known)
        return super().verify(password, known, stored=stored)


@dataclass
class Doors:
    """Signing in and managing over one store."""

    database: SqliteDatabase
    clock: Clock = field(default_factory=Clock)
    hasher: Counting = field(default_factory=lambda: Counting(*CHEAP))

    @property
    def people(self) -> PeopleStore:
        """The people of the store."""
        return PeopleStore(self.database)

    @property
    def authenticate(self) -> AuthenticationService:
        """Signing in."""
        database = self.database
        return AuthenticationService(
            AccountStore(database),
            SessionStore(database),
            AttemptStore(database),
            self.people.keep,
            self.hasher,
            clock=self.clock,
        )

    def accounts(self, actor: Actor = OPERATOR) -> AccountService:
        """Managing, for somebody."""
        stores = (AccountStore(self.database), SessionStore(self.database), self.people)
        return AccountService(*stores, self.hasher, actor, clock=self.clock)

    def add(self, name: str, role: Role | None = None) -> str:
        """Makes an account with the usual password, and gives its person's id."""
        new = NewAccount(name, f"{name}@example.org", role, password=PASSWORD)
        return self.accounts().add(new).person.id
