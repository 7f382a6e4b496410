"""Locks that let each person work in only one process at a time."""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select, text

from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import PRESENCES, columns_of
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import upsert

SILENCE: Final = timedelta(minutes=5)
"""Time without activity after which another process may take a person's lock without asking."""

TAKEOVERS: Final = "takeovers"
"""Preference of a person: how often another process replaced their open session."""

_REFRESH_AFTER: Final = timedelta(minutes=1)
_HOLD: Final = upsert(PRESENCES, "person")
_COUNT_TAKEOVER: Final = text(
    f"INSERT INTO preferences (person, name, value) VALUES (:person, '{TAKEOVERS}', '1')"  # noqa: S608
    " ON CONFLICT (person, name) DO UPDATE"
    " SET value = CAST(CAST(preferences.value AS INTEGER) + 1 AS TEXT)"
)
_PRESENCE: Final = select(*columns_of(PRESENCES, "holder since seen")).where(
    PRESENCES.c.person == bindparam("person")
)


@dataclass(frozen=True, slots=True)
class Presence:
    """The only process in which a person may work; times are ISO 8601 in UTC."""

    holder: str
    since: str
    seen: str


def new_holder() -> str:
    """Return a unique name for this process: machine, process id and random part."""
    return f"{platform.node()}/{os.getpid()}/{uuid.uuid4().hex}"


class PresenceStore:
    """Stores in which process a person works, so that two processes do not work at once."""

    def __init__(self, database: Database, *, clock: Callable[[], str] = utc_now) -> None:
        self._database = database
        self.clock = clock

    def find_other(self, person: str, holder: str) -> Presence | None:
        """Return another live process in which a person works; None if there is none."""
        with self._database.reading() as connection:
            found = _load_presence(connection, person)
        return found if self._is_blocking(found, holder) else None

    def hold(self, person: str, holder: str, *, over: str = "") -> Presence | None:
        """Acquire or renew a person's lock to work in one process; None means success.

        Else the result is the other live process that holds the lock. The method writes at most
        once a minute, so that it can precede each save. `over` names a process to replace.
        """
        with self._database.reading() as connection:
            found = _load_presence(connection, person)
        if found and found.holder == holder and self._compute_age(found) < _REFRESH_AFTER:
            return None
        if self._is_blocking(found, holder, over):
            return found
        with self._database.writing() as connection:
            found = _load_presence(connection, person)
            if self._is_blocking(found, holder, over):
                return found
            now = self.clock()
            since = found.since if found and found.holder == holder else now
            row = {"person": person, "holder": holder, "since": since, "seen": now}
            connection.execute(_HOLD, row)
            if found and over and found.holder == over:
                connection.execute(_COUNT_TAKEOVER, {"person": person})
        return None

    def leave(self, person: str, holder: str) -> None:
        """End the presence of a person's process `holder`; that of another process stays."""
        mine = (PRESENCES.c.person == person) & (PRESENCES.c.holder == holder)
        with self._database.writing() as connection:
            connection.execute(delete(PRESENCES).where(mine))

    def _is_blocking(self, found: Presence | None, holder: str, over: str = "") -> bool:
        if found is None or found.holder in (holder, over):
            return False
        return self._compute_age(found) < SILENCE and not _has_ended(found.holder)

    def _compute_age(self, found: Presence) -> timedelta:
        return datetime.fromisoformat(self.clock()) - datetime.fromisoformat(found.seen)


def _load_presence(connection: Connection, person: str) -> Presence | None:
    row = connection.execute(_PRESENCE, {"person": person}).first()
    return Presence(*row) if row else None


def _has_ended(holder: str) -> bool:
    """Return whether a process is known to have ended; False for one on another machine."""
    machine, _, rest = holder.rpartition("/")[0].rpartition("/")
    if os.name != "posix" or machine != platform.node() or not rest.isdecimal():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False  # the process belongs to another user, so it exists
    return False
