"""What was read of a collection, topic by topic; on disk once it is much."""

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
_REPORT, _PAGE, _JUDGEMENT = "report", "page", "words"
_NAME_SEPARATOR: Final = "\0"
"""Between the parts of a name: no id holds it, and it sorts before all else."""


class StoredReport(NamedTuple):
    """A report, and its `file:line`."""

    where: str
    report: RunReport


class SpillCache:
    """Stores reports, documents and judgements by topic; `completed` adds shared documents late."""

    def __init__(self, completed: Callable[[RunReport], RunReport]) -> None:
        self._database = open_temporary_database(_TABLE)
        self._completed = completed
        self.judged = False

    def close(self) -> None:
        """Frees its file."""
        self._database.close()

    def put(self, place: int, placed: StoredReport) -> None:
        """Store a report; InvalidInput where the run has another one on the topic already."""
        where, report = placed
        run, team = report.run
        key = (_REPORT, place, f"{run}{_NAME_SEPARATOR}{team}")
        if (before := self._put(key, where, pack_report(report))) is None:
            return
        query = "SELECT line FROM lines WHERE (kind, place, name) = (?, ?, ?)"
        (line,) = self._database.execute(query, key).fetchone()
        stored, given = self._completed(unpack_report(line)), self._completed(report)
        if pack_report(stored) != pack_report(given):
            raise InvalidInput(
                f"run {run!r} of {team!r} has another report on topic {report.topic!r} at {before}",
                "a run has one report on a topic",
            )

    def put_page(self, place: int, key: str, page: ReportDocument, *, where: str) -> None:
        """Store a document without a report; InvalidInput where it has another text already."""
        if before := self._put((_PAGE, place, key), where, json.dumps(page)):
            raise InvalidInput(f"document {key!r} has another text at {before}")

    def put_judgement(self, place: int, item: str, judgement: PersonJudgement) -> None:
        """Store a judgement of an item; InvalidInput where the person has another one."""
        person, where, *values = judgement
        line = json.dumps(values, ensure_ascii=False)
        name = f"{item}{_NAME_SEPARATOR}{person}"
        if before := self._put((_JUDGEMENT, place, name), where, line):
            raise InvalidInput(
                f"{person!r} said something else of it at {before}", "take one of the lines out"
            )
        self.judged = True

    def _put(self, key: tuple[str, int, str], where: str, line: str) -> str | None:
        with check_temporary_space("order the reports"):
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
        """How many reports there are."""
        query = "SELECT COUNT(*) FROM lines WHERE kind = ?"
        return int(self._database.execute(query, (_REPORT,)).fetchone()[0])

    def places(self) -> list[int]:
        """The places of the topics of which there is something, in order."""
        found = self._database.execute("SELECT DISTINCT place FROM lines ORDER BY place")
        return [place for (place,) in found]

    def shared(self, place: int) -> frozenset[str]:
        """The ids of runs that several teams have on a topic."""
        found = self._database.execute(
            "SELECT name FROM lines WHERE (kind, place) = (?, ?)", (_REPORT, place)
        )
        teams = Counter(name.partition(_NAME_SEPARATOR)[0] for (name,) in found)
        return frozenset(run for run, count in teams.items() if count > 1)

    def reports(self, place: int) -> Iterator[StoredReport]:
        """The reports on a topic, by run and team."""
        for _, where, line in self._lines(_REPORT, place):
            yield StoredReport(where, self._completed(unpack_report(line)))

    def pages(self, place: int) -> Iterator[tuple[str, dict[str, ReportDocument]]]:
        """A topic's documents that came without a report, by id, each with its `file:line`."""
        for key, where, line in self._lines(_PAGE, place):
            yield where, {key: ReportDocument(*json.loads(line))}

    def all_pages(self, place: int) -> Iterator[tuple[str, Mapping[str, ReportDocument]]]:
        """A topic's documents: those of each report, then the others, with their `file:line`."""
        yield from ((placed.where, placed.report.documents) for placed in self.reports(place))
        yield from self.pages(place)

    def _lines(self, kind: str, place: int) -> Iterator[tuple[str, str, str]]:
        query = "SELECT name, stands, line FROM lines WHERE (kind, place) = (?, ?) ORDER BY name"
        return self._database.execute(query, (kind, place))

    def judgements(self, place: int, item: str) -> list[PersonJudgement]:
        """What was said of an item, by person."""
        found = self._database.execute(
            "SELECT name, stands, line FROM lines"
            " WHERE (kind, place) = (?, ?) AND name BETWEEN ? AND ? ORDER BY name",
            (_JUDGEMENT, place, f"{item}{_NAME_SEPARATOR}", f"{item}\1"),
        )
        return [
            PersonJudgement(name.partition(_NAME_SEPARATOR)[2], where, *json.loads(line))
            for name, where, line in found
        ]
