"""Temporary store of the reports, documents and judgements of an import, by topic."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.formats.autojudge.judgements import PersonJudgement
from tui_annotate.plugins.formats.autojudge.reports import (
    ReportDocument,
    RunReport,
    pack_report,
    unpack_report,
)
from tui_annotate.plugins.record_validation import check_temporary_space, open_temporary_database

_TABLE: Final = """
CREATE TABLE lines (
    kind TEXT, place INTEGER, name TEXT, stands TEXT, line TEXT, PRIMARY KEY (kind, place, name)
) WITHOUT ROWID;
"""
# Values of the column `kind`.
_REPORT = "report"
_PAGE = "page"
_JUDGEMENT = "words"
_NAME_SEPARATOR: Final = "\0"
"""Separator between the ids in a stored name: U+0000, which no id contains.

It sorts before all other characters, so stored names are sorted by the first id.
"""


class StoredReport(NamedTuple):
    """A report in the temporary store; `where` is its line in the file, for messages."""

    where: str
    report: RunReport


class SpillCache:
    """Temporary store of reports, documents and judgements by topic; large data move to disk.

    `completed` adds documents from a separate file to a report when the report is read back.
    """

    def __init__(self, completed: Callable[[RunReport], RunReport]) -> None:
        self._database = open_temporary_database(_TABLE)
        self._completed = completed
        self.judged = False

    def close(self) -> None:
        """Close the store, which deletes its file."""
        self._database.close()

    def put(self, place: int, placed: StoredReport) -> None:
        """Store a report on a topic; raise InvalidInput if the run already has a different one."""
        where, report = placed
        run, team = report.run
        key = (_REPORT, place, f"{run}{_NAME_SEPARATOR}{team}")
        if (before := self._put(key, where, pack_report(report))) is None:
            return
        query = "SELECT line FROM lines WHERE (kind, place, name) = (?, ?, ?)"
        (line,) = self._database.execute(query, key).fetchone()
        stored = self._completed(unpack_report(line))
        given = self._completed(report)
        # Both reports are completed first: one may contain documents that the other only cites.
        if pack_report(stored) != pack_report(given):
            raise InvalidInput(
                f"run {run!r} of team {team!r} already has a different report on topic"
                f" {report.topic!r}, at {before}",
                "keep only one report of this run on this topic",
            )

    def put_page(self, place: int, key: str, page: ReportDocument, *, where: str) -> None:
        """Store a document of no report; raise InvalidInput if it already has a different text."""
        if before := self._put((_PAGE, place, key), where, json.dumps(page)):
            raise InvalidInput(f"document {key!r} already has a different text, at {before}")

    def put_judgement(self, place: int, item: str, judgement: PersonJudgement) -> None:
        """Store one person's judgement; raise InvalidInput if the person already has another."""
        person, where, *values = judgement
        line = json.dumps(values, ensure_ascii=False)
        name = f"{item}{_NAME_SEPARATOR}{person}"
        if before := self._put((_JUDGEMENT, place, name), where, line):
            raise InvalidInput(
                f"{person!r} already judged this report, document or citation differently, at"
                f" {before}",
                "remove one of the two judgements",
            )
        self.judged = True

    def _put(self, key: tuple[str, int, str], where: str, line: str) -> str | None:
        with check_temporary_space("sort the reports"):
            done = self._database.execute(
                "INSERT OR IGNORE INTO lines VALUES (?, ?, ?, ?, ?)", (*key, where, line)
            )
        if done.rowcount:
            return None
        stands, before = self._database.execute(
            "SELECT stands, line FROM lines WHERE (kind, place, name) = (?, ?, ?)", key
        ).fetchone()
        return None if before == line else str(stands)

    def count(self) -> int:
        """Return the number of reports of all topics."""
        query = "SELECT COUNT(*) FROM lines WHERE kind = ?"
        return int(self._database.execute(query, (_REPORT,)).fetchone()[0])

    def places(self) -> list[int]:
        """Return the index of each topic for which data are stored, in ascending order."""
        found = self._database.execute("SELECT DISTINCT place FROM lines ORDER BY place")
        return [place for (place,) in found]

    def shared(self, place: int) -> frozenset[str]:
        """Return the names of systems that more than one team uses for reports on a topic."""
        found = self._database.execute(
            "SELECT name FROM lines WHERE (kind, place) = (?, ?)", (_REPORT, place)
        )
        teams = Counter(name.partition(_NAME_SEPARATOR)[0] for (name,) in found)
        return frozenset(run for run, count in teams.items() if count > 1)

    def reports(self, place: int) -> Iterator[StoredReport]:
        """Yield the reports of a topic, each with the documents that it cites."""
        for _, where, line in self._lines(_REPORT, place):
            yield StoredReport(where, self._completed(unpack_report(line)))

    def pages(self, place: int) -> Iterator[tuple[str, dict[str, ReportDocument]]]:
        """Yield a topic's documents outside reports, and the `file:line` of each document."""
        for key, where, line in self._lines(_PAGE, place):
            yield where, {key: ReportDocument(*json.loads(line))}

    def all_pages(self, place: int) -> Iterator[tuple[str, Mapping[str, ReportDocument]]]:
        """Yield a topic's documents with `file:line`; documents in the report file come first."""
        yield from ((placed.where, placed.report.documents) for placed in self.reports(place))
        yield from self.pages(place)

    def _lines(self, kind: str, place: int) -> Iterator[tuple[str, str, str]]:
        query = "SELECT name, stands, line FROM lines WHERE (kind, place) = (?, ?) ORDER BY name"
        return self._database.execute(query, (kind, place))

    def judgements(self, place: int, item: str) -> list[PersonJudgement]:
        """Return the judgements of a report, document or citation, ordered by annotator."""
        found = self._database.execute(
            "SELECT name, stands, line FROM lines"
            " WHERE (kind, place) = (?, ?) AND name BETWEEN ? AND ? ORDER BY name",
            (_JUDGEMENT, place, f"{item}{_NAME_SEPARATOR}", f"{item}\1"),
        )
        return [
            PersonJudgement(name.partition(_NAME_SEPARATOR)[2], where, *json.loads(line))
            for name, where, line in found
        ]
