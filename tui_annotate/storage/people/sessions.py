"""Sessions of people who signed in, by the hash of their token; the token itself is nowhere."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Select, and_, delete, insert, select, update

from tui_annotate.storage.columns import ACCOUNTS, PEOPLE, SESSIONS
from tui_annotate.storage.database import Database

_FIELDS: Final = (
    "id", "person", "means", "client", "epoch", "created", "seen", "expires", "ended",
)  # fmt: skip
_SESSION: Final[Select[Any]] = (
    select(*(SESSIONS.c[name] for name in _FIELDS), PEOPLE.c.name)
    .join(PEOPLE, PEOPLE.c.id == SESSIONS.c.person)
    .join(ACCOUNTS, ACCOUNTS.c.person == SESSIONS.c.person)
)
_OPEN: Final = and_(SESSIONS.c.ended == "", SESSIONS.c.epoch == ACCOUNTS.c.epoch, ACCOUNTS.c.active)


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody signed in; times are ISO 8601, `ended` empty so far.

    Attributes:
        person, name: who.
        means: how: password, key, unix, invite.
        client: where from.
        epoch: of the account, when the session began.
    """

    id: str
    person: str
    means: str
    client: str
    epoch: int
    created: str
    seen: str
    expires: str
    ended: str = ""
    name: str = ""


class SessionStore:
    """A session lives until it expires, is ended, or its account is disabled or goes on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, session: Session, token: str, *, before: str) -> None:
        """Stores a session under the hash of its token.

        Args:
            before: sessions that expired earlier are forgotten.
        """
        row = asdict(session) | {"token": token}
        del row["name"]
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires < before))
            connection.execute(insert(SESSIONS).values(row))

    def by_token(self, token: str, *, now: str) -> Session | None:
        """The session with the hash of a token, where it lives."""
        return self._one(SESSIONS.c.token == token, now)

    def by_id(self, session: str, *, now: str) -> Session | None:
        """The session with an id, where it lives."""
        return self._one(SESSIONS.c.id == session, now)

    def _one(self, condition: Any, now: str) -> Session | None:
        query = _SESSION.where(condition, _OPEN, SESSIONS.c.expires > now)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        return Session(**row) if row else None

    def living(self, *, now: str) -> tuple[Session, ...]:
        """All that live, by name, then the time that they began."""
        query = _SESSION.where(_OPEN, SESSIONS.c.expires > now)
        query = query.order_by(PEOPLE.c.name, SESSIONS.c.created, SESSIONS.c.id)
        with self._database.reading() as connection:
            return tuple(Session(**row) for row in connection.execute(query).mappings())

    def saw(self, session: str, *, now: str) -> None:
        """Notes that a session was in use."""
        with self._database.writing() as connection:
            mine = SESSIONS.c.id == session
            connection.execute(update(SESSIONS).where(mine).values(seen=now))

    def goes_on(self, session: str, *, epoch: int) -> None:
        """Lets a session live although its account went on to another epoch."""
        with self._database.writing() as connection:
            mine = SESSIONS.c.id == session
            connection.execute(update(SESSIONS).where(mine).values(epoch=epoch))

    def end(self, *, now: str, session: str | None = None, person: str | None = None) -> int:
        """Ends a session, those of a person, or, with neither, all; how many lived."""
        condition = SESSIONS.c.ended == ""
        if session is not None:
            condition &= SESSIONS.c.id == session
        if person is not None:
            condition &= SESSIONS.c.person == person
        living = (
            select(SESSIONS.c.id)
            .join(ACCOUNTS, ACCOUNTS.c.person == SESSIONS.c.person)
            .where(condition, _OPEN, SESSIONS.c.expires > now)
        )
        with self._database.writing() as connection:
            names = connection.execute(living).scalars().all()
            connection.execute(update(SESSIONS).where(condition).values(ended=now))
            if session is None:  # whoever signs in at this very moment is signed out as well
                moved = update(ACCOUNTS).values(epoch=ACCOUNTS.c.epoch + 1)
                mine = moved if person is None else moved.where(ACCOUNTS.c.person == person)
                connection.execute(mine)
        return len(names)

    def knows(self, person: str, client: str) -> bool:
        """Whether a person ever signed in from a client, as far as is remembered."""
        query = select(SESSIONS.c.id).where(
            SESSIONS.c.person == person, SESSIONS.c.client == client
        )
        with self._database.reading() as connection:
            return connection.execute(query.limit(1)).first() is not None
