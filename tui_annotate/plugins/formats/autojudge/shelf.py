"""What was read of a collection, topic by topic; on disk once it is much."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.formats.autojudge.judgements import Words
from tui_annotate.plugins.formats.autojudge.reports import Page, RunReport, packed, unpacked

_TABLE: Final = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8000;
CREATE TABLE lines (
    kind TEXT, place INTEGER, name TEXT, stands TEXT, line TEXT, PRIMARY KEY (kind, place, name)
) WITHOUT ROWID;
BEGIN
"""
_REPORT, _PAGE, _WORDS = "report", "page", "words"
_AND: Final = "\0"
"""Between the parts of a name: no id holds it, and it sorts before all else."""


class Placed(NamedTuple):
    """A report, and `file:line` of where it stands."""

    where: str
    report: RunReport


class Shelf:
    """Keeps reports, documents and judgements by the place of their topic.

    Args:
        completed: gives a report the documents that stand elsewhere; done late, as reports share
            them.

    Attributes:
        judged: whether there are judgements.
    """

    def __init__(self, completed: Callable[[RunReport], RunReport]) -> None:
        # Without a name SQLite keeps it in its cache, and spills to a file that goes with it.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLE)
        self._completed = completed
        self.judged = False

    def close(self) -> None:
        """Frees its file."""
        self._database.close()

    def put(self, place: int, placed: Placed) -> None:
        """Keeps a report; the same once more is nothing new.

        Raises:
            InvalidInput: the run has another report on the topic already.
            Unavailable: there is no space left.
        """
        where, report = placed
        run, team = report.run
        key = (_REPORT, place, f"{run}{_AND}{team}")
        before = self._put(key, where, packed(report))
        if before is not None and self._whole(key) != packed(self._completed(report)):
            raise InvalidInput(
                f"run {run!r} of {team!r} has another report on topic {report.topic!r} at {before}",
                "a run has one report on a topic",
            )

    def _whole(self, key: tuple[str, int, str]) -> str:
        """The report under a key, with all its documents."""
        query = "SELECT line FROM lines WHERE (kind, place, name) = (?, ?, ?)"
        (line,) = self._database.execute(query, key).fetchone()
        return packed(self._completed(unpacked(line)))

    def put_page(self, place: int, key: str, page: Page, *, where: str) -> None:
        """Keeps a document of a topic that came without a report.

        Raises:
            InvalidInput: it has another text already.
            Unavailable: there is no space left.
        """
        if before := self._put((_PAGE, place, key), where, json.dumps(page)):
            raise InvalidInput(f"document {key!r} has another text at {before}")

    def put_words(self, place: int, item: str, words: Words) -> None:
        """Keeps what somebody said of an item.

        Raises:
            InvalidInput: they said something else of it already.
            Unavailable: there is no space left.
        """
        said = json.dumps([words.rating, words.comment, words.spans], ensure_ascii=False)
        name = f"{item}{_AND}{words.person}"
        if before := self._put((_WORDS, place, name), words.where, said):
            raise InvalidInput(
                f"{words.person!r} said something else of it at {before}",
                "take one of the lines out",
            )
        self.judged = True

    def _put(self, key: tuple[str, int, str], where: str, line: str) -> str | None:
        """Keeps a line; where another one stands in its place, None for nowhere."""
        with _space():
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
        teams = Counter(name.partition(_AND)[0] for (name,) in found)
        return frozenset(run for run, count in teams.items() if count > 1)

    def reports(self, place: int) -> Iterator[Placed]:
        """The reports on a topic, by run and team."""
        found = self._lines(_REPORT, place)
        return (Placed(where, self._completed(unpacked(line))) for _, where, line in found)

    def pages(self, place: int) -> Iterator[tuple[str, dict[str, Page]]]:
        """A topic's documents that came without a report, by id; where each stands."""
        found = self._lines(_PAGE, place)
        return ((where, {key: Page(*json.loads(line))}) for key, where, line in found)

    def all_pages(self, place: int) -> Iterator[tuple[str, Mapping[str, Page]]]:
        """A topic's documents: those of each report, then the others; where they stand."""
        yield from ((placed.where, placed.report.documents) for placed in self.reports(place))
        yield from self.pages(place)

    def _lines(self, kind: str, place: int) -> Iterator[tuple[str, str, str]]:
        found = self._database.execute(
            "SELECT name, stands, line FROM lines WHERE (kind, place) = (?, ?) ORDER BY name",
            (kind, place),
        )
        yield from found

    def words(self, place: int, item: str) -> list[Words]:
        """What was said of an item, by person."""
        found = self._database.execute(
            "SELECT name, stands, line FROM lines"
            " WHERE (kind, place) = (?, ?) AND name BETWEEN ? AND ? ORDER BY name",
            (_WORDS, place, f"{item}{_AND}", f"{item}\1"),
        )
        return [
            Words(name.partition(_AND)[2], where, *json.loads(said)) for name, where, said in found
        ]


@contextmanager
def _space() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Unavailable(
            f"no temporary space to order the reports: {error}",
            "free some, or name another folder with TMPDIR",
        ) from error
