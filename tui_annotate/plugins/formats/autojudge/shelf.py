"""The reports that were read of a collection, topic by topic; on disk once they are many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.formats.autojudge.reports import RunReport, packed, unpacked

_TABLES: Final = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8000;
CREATE TABLE reports (
    place INTEGER, run TEXT, team TEXT, stands TEXT, report TEXT, PRIMARY KEY (place, run, team)
) WITHOUT ROWID;
BEGIN
"""


class Placed(NamedTuple):
    """A report, and `file:line` of where it stands."""

    where: str
    report: RunReport


class Shelf:
    """Keeps reports by the place of their topic, run and team."""

    def __init__(self) -> None:
        # Without a name SQLite keeps it in its cache, and spills to a file that goes with it.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLES)
        self.count = 0

    def close(self) -> None:
        """Frees its file."""
        self._database.close()

    def put(self, place: int, where: str, report: RunReport) -> str:
        """Keeps a report, and says where it stood first: at `where`, if it is new.

        Raises:
            InvalidInput: the run has another report on the topic already.
            Unavailable: there is no space left.
        """
        key, line = (place, report.run.run, report.run.team), packed(report)
        with _space():
            new = self._database.execute(
                "INSERT OR IGNORE INTO reports VALUES (?, ?, ?, ?, ?)", (*key, where, line)
            )
        if new.rowcount:
            self.count += 1
            return where
        before, other = self._database.execute(
            "SELECT stands, report FROM reports WHERE (place, run, team) = (?, ?, ?)", key
        ).fetchone()
        if other != line:
            raise InvalidInput(
                f"run {report.run.run!r} of {report.run.team!r} has another report on topic "
                f"{report.topic!r} at {before}",
                "a run has one report on a topic",
            )
        return str(before)

    def places(self) -> list[int]:
        """The places of the topics that have reports, in order."""
        found = self._database.execute("SELECT DISTINCT place FROM reports ORDER BY place")
        return [place for (place,) in found]

    def shared(self, place: int) -> frozenset[str]:
        """The ids of runs that several teams have on a topic."""
        found = self._database.execute(
            "SELECT run FROM reports WHERE place = ? GROUP BY run HAVING COUNT(*) > 1", (place,)
        )
        return frozenset(run for (run,) in found)

    def reports(self, place: int) -> Iterator[Placed]:
        """The reports on a topic, by run and team."""
        found = self._database.execute(
            "SELECT stands, report FROM reports WHERE place = ? ORDER BY run, team", (place,)
        )
        return (Placed(where, unpacked(line)) for where, line in found)


@contextmanager
def _space() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Unavailable(
            f"no temporary space to order the reports: {error}",
            "free some, or name another folder with TMPDIR",
        ) from error
