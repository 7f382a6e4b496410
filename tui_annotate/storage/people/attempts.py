"""Failed sign-ins, counted in the store, since each session over SSH is a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, select

from tui_annotate.domain.throttle import Tally
from tui_annotate.storage.columns import ATTEMPTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import upsert

_KEEP: Final = upsert(ATTEMPTS, "scope")
_REMEMBERED: Final = timedelta(hours=12)
"""Longer than any count needs to fade."""


class Tallies:
    """The counts as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, scope: str) -> Tally:
        """What is counted for a scope; nothing so far for a new one."""
        query = select(ATTEMPTS.c.failures, ATTEMPTS.c.last, ATTEMPTS.c.until)
        row = self._connection.execute(query.where(ATTEMPTS.c.scope == scope)).first()
        return Tally(row[0], _moment(row[1]), _moment(row[2])) if row else Tally()

    def keep(self, scope: str, tally: Tally) -> None:
        """Puts a count in the place of the one before."""
        row = {
            "scope": scope,
            "failures": tally.failures,
            "last": tally.last.isoformat() if tally.last else "",
            "until": tally.until.isoformat() if tally.until else "",
        }
        self._connection.execute(_KEEP, row)

    def drop(self, scope: str) -> None:
        """Forgets a count."""
        self._connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.scope == scope))


class AttemptStore:
    """Counts by scope: an account, a client, or both together, as hashes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def counting(self, now: datetime) -> Iterator[Tallies]:
        """The counts in a transaction that holds the write lock; those long past are forgotten."""
        with self._database.writing() as connection:
            past = (now - _REMEMBERED).isoformat()
            connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.last < past))
            yield Tallies(connection)


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
