"""Sessions of signed-in users, by the hash of their token; the token itself is never stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, delete, insert, select, update

from tui_annotate.domain.throttle import FailureCount
from tui_annotate.storage.columns import ACCOUNTS, ATTEMPTS, PEOPLE, SESSIONS, columns_of
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.statements import upsert

_KEEP: Final = upsert(ATTEMPTS, "scope")
_FORGET_AFTER: Final = timedelta(hours=12)
"""Time after which records of failed sign-ins are deleted; longer than any sign-in delay."""
_FIELDS: Final = "id person means client epoch created seen expires ended"
_SESSION: Final[Select[Any]] = (
    select(*columns_of(SESSIONS, _FIELDS), PEOPLE.c.name)
    .join(PEOPLE, PEOPLE.c.id == SESSIONS.c.person)
    .join(ACCOUNTS, ACCOUNTS.c.person == SESSIONS.c.person)
)
_OPEN: Final = and_(SESSIONS.c.ended == "", SESSIONS.c.epoch == ACCOUNTS.c.epoch, ACCOUNTS.c.active)


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a signed-in user; times are ISO 8601.

    `means` is how the user signed in: password, key, unix or invite; `epoch` is that of the account
    when the session began.
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


class SessionStore(CommonStore):
    """Access to sessions; a session ends on expiry, when closed, or when its account changes."""

    def begin(self, session: Session, token: str, *, before: str) -> None:
        """Store a session under its token's hash; delete sessions that expired before a time."""
        row = {name: getattr(session, name) for name in _FIELDS.split()} | {"token": token}
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires < before))
            connection.execute(insert(SESSIONS).values(row))

    def by_token(self, token: str, *, now: str) -> Session | None:
        """Return the open session with the hash of a token; None for none."""
        return self._find_session(SESSIONS.c.token == token, now)

    def by_id(self, session: str, *, now: str) -> Session | None:
        """Return the open session with an id; None for none."""
        return self._find_session(SESSIONS.c.id == session, now)

    def _find_session(self, condition: Any, now: str) -> Session | None:
        query = _SESSION.where(condition, _OPEN, SESSIONS.c.expires > now)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        return Session(**row) if row else None

    def active_sessions(self, *, now: str) -> tuple[Session, ...]:
        """Return all open sessions, sorted by the names of their people."""
        query = _SESSION.where(_OPEN, SESSIONS.c.expires > now)
        query = query.order_by(PEOPLE.c.name, SESSIONS.c.created, SESSIONS.c.id)
        with self._database.reading() as connection:
            return tuple(Session(**row) for row in connection.execute(query).mappings())

    def mark_used(self, session: str, *, now: str) -> None:
        """Store that a session was used at a time."""
        self._update(session, seen=now)

    def keep_through_epoch(self, session: str, *, epoch: int) -> None:
        """Keep one session valid when an account change, such as a new password, ends others."""
        self._update(session, epoch=epoch)

    def _update(self, session: str, **values: Any) -> None:
        with self._database.writing() as connection:
            connection.execute(update(SESSIONS).where(SESSIONS.c.id == session).values(values))

    def end(self, *, now: str, session: str | None = None, person: str | None = None) -> int:
        """End a session, all sessions of a person, or all sessions; return how many were live."""
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
            if session is None:  # a new epoch also ends a session that begins right now
                moved = update(ACCOUNTS).values(epoch=ACCOUNTS.c.epoch + 1)
                mine = moved if person is None else moved.where(ACCOUNTS.c.person == person)
                connection.execute(mine)
        return len(names)

    def knows(self, person: str, client: str) -> bool:
        """Return whether a person ever signed in from a client."""
        query = select(SESSIONS.c.id).where(
            SESSIONS.c.person == person, SESSIONS.c.client == client
        )
        with self._database.reading() as connection:
            return connection.execute(query.limit(1)).first() is not None


@dataclass(frozen=True, slots=True)
class AttemptCounts:
    """Counts failed sign-ins by account, client, and pair of both, inside a transaction."""

    _connection: Connection

    def of(self, scope: str) -> FailureCount:
        """Return the count of failed sign-ins for an account, a client, or a pair of both."""
        query = select(*columns_of(ATTEMPTS, "failures last until"))
        row = self._connection.execute(query.where(ATTEMPTS.c.scope == scope)).first()
        return FailureCount(row[0], *map(_parse_time, row[1:])) if row else FailureCount()

    def keep(self, scope: str, tally: FailureCount) -> None:
        """Store the failed sign-ins of a scope, such as an account or a client."""
        times = {"last": tally.last, "until": tally.until}
        row = {name: time.isoformat() if time else "" for name, time in times.items()}
        self._connection.execute(_KEEP, {"scope": scope, "failures": tally.failures, **row})

    def drop(self, scope: str) -> None:
        """Forget the failed sign-ins of a scope."""
        self._connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.scope == scope))


class AttemptStore(CommonStore):
    """Access to counts of failed sign-ins, by hash of an account, of a client, or of both."""

    @contextmanager
    def counting(self, now: datetime) -> Iterator[AttemptCounts]:
        """Open a transaction on the counts of failed sign-ins; outdated counts are deleted."""
        with self._database.writing() as connection:
            past = (now - _FORGET_AFTER).isoformat()
            connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.last < past))
            yield AttemptCounts(connection)


def _parse_time(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
