"""Records of a file, gathered to be looked at: sought and read one by one, never changed.

They lie in a database without a name: SQLite keeps it in its cache and spills to a file that nobody
else can open, and that is gone with the process, however it ends. Nothing of it has to outlive a
power cut, so it is ten times as fast as the store of a workspace; its schema is nobody's.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.storage.codec import from_json, plain, storable, to_json
from tui_annotate.storage.corpus.intake import SUMMARY_START
from tui_annotate.storage.corpus.whole_records import packed, unpacked

MOST_LABELS: Final = 1000
"""Labels that are remembered; a file with more of them has ids in that field, or worse."""

_SCHEMA: Final = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-16000;
CREATE TABLE samples (id INTEGER PRIMARY KEY, dataset TEXT, external TEXT, "group" TEXT,
  annotations INTEGER, workers INTEGER, summary TEXT, UNIQUE (external, dataset));
CREATE TABLE work (sample INTEGER, person TEXT, annotations INTEGER, PRIMARY KEY (sample, person))
  WITHOUT ROWID;
CREATE TABLE records (id INTEGER PRIMARY KEY, record TEXT);
CREATE TABLE texts (hash BLOB PRIMARY KEY, text BLOB);
"""
_WANTED: Final = (
    " FROM samples s LEFT JOIN work w ON w.sample = s.id AND w.person = :person"
    " WHERE (:search = '' OR s.external LIKE :search ESCAPE '!' OR s.dataset LIKE :search"
    "   ESCAPE '!' OR s.\"group\" LIKE :search ESCAPE '!' OR s.summary LIKE :search ESCAPE '!')"
    " AND (:marked IS NULL OR :marked ="
    "   (CASE WHEN :person = '' THEN s.annotations ELSE coalesce(w.annotations, 0) END > 0))"
)
_ROWS: Final = (
    'SELECT s.dataset, s.external, s."group",'
    " CASE WHEN :person = '' THEN s.annotations ELSE coalesce(w.annotations, 0) END,"
    f" s.workers, s.summary{_WANTED} ORDER BY s.id LIMIT :limit OFFSET :offset"
)
_COUNT: Final = f"SELECT count(*){_WANTED}"


@dataclass(frozen=True, slots=True)
class Gathering:
    """A sample as it is listed.

    Attributes:
        annotations: of everybody, or of the person that was asked for.
        workers: how many people did anything on it.
        summary_start: one line.
    """

    key: SampleKey
    group: str
    annotations: int
    workers: int
    summary_start: str


class Gathered:
    """Records in the order in which they came. Threads may share it; to be closed.

    Attributes:
        people: who did anything, by id, in the order in which they came.
        annotations: how many each of them made.
        labels: all that were given, by how often.
        total: how many records there are.
    """

    def __init__(self) -> None:
        """Begins without any.

        Raises:
            Unavailable: there is no temporary space.
        """
        self.people: dict[str, Person] = {}
        self.annotations: Counter[str] = Counter()
        self.labels: Counter[LabelPath] = Counter()
        self.total = 0
        self._lock = Lock()
        with _told():
            self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Frees what it takes."""
        self._database.close()

    @contextmanager
    def _at_work(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _told():
            yield self._database

    # taking in ---------------------------------------------------------------------------------

    def add(self, records: Iterable[Record]) -> list[tuple[Record, InvalidInput]]:
        """Takes records in, in one transaction.

        Returns:
            Those that can not be taken, and why: an id twice, or one that can not be kept.
        """
        refused = []
        with self._at_work() as database:
            database.execute("BEGIN")
            for record in records:
                try:
                    self._keep(database, record)
                except InvalidInput as error:
                    refused.append((record, error))
            database.execute("COMMIT")
        return refused

    def _keep(self, database: sqlite3.Connection, record: Record) -> None:
        sample = record.sample
        made = Counter(owned.person for owned in record.annotations)
        workers = dict.fromkeys([*made, *(each.person for each in record.assignments)])
        new = database.execute(
            "INSERT OR IGNORE INTO samples VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                self.total + 1,
                storable(sample.dataset, "dataset"),
                storable(sample.id, "sample id"),
                plain(sample.group),
                len(record.annotations),
                len(workers),
                plain(_summary_start(sample)),
            ),
        )
        if not new.rowcount:
            raise InvalidInput(f"{sample.key} was given already", "give each sample its own id")
        self.total += 1
        database.executemany(
            "INSERT OR IGNORE INTO texts VALUES (?, ?)",
            [(_short(one.sha256), one.text.encode()) for one in sample.documents],
        )
        database.execute("INSERT INTO records VALUES (?, ?)", (self.total, to_json(packed(record))))
        database.executemany(
            "INSERT INTO work VALUES (?, ?, ?)",
            [(self.total, plain(person), made[person]) for person in workers],
        )
        self._count(record, made)

    def _count(self, record: Record, made: Counter[str]) -> None:
        told = {person.id: person for person in record.people}
        for person in (*made, *(each.person for each in record.assignments)):
            if person not in self.people:
                self.people[person] = told.get(person, Person(person, person))
        self.annotations.update(made)
        for owned in record.annotations:
            for path in owned.annotation.labels:
                if path in self.labels or len(self.labels) < MOST_LABELS:
                    self.labels[path] += 1

    # looking -----------------------------------------------------------------------------------

    def record(self, key: SampleKey) -> tuple[Record, int]:
        """A record, its annotations in the order of the file; and its place, from 1.

        Raises:
            NotFound: there is none with that key.
        """
        query = (
            "SELECT id, record FROM samples JOIN records USING (id)"
            " WHERE external = ? AND dataset = ?"
        )
        with self._at_work() as database:
            row = database.execute(query, (key.id, key.dataset)).fetchone()
            if row is None:
                raise NotFound(f"there is no sample {key}", "the list has all of them: q")
            value = from_json(row[1])
            wanted = {document[0] for document in value["documents"]}
            texts = {name: self._text(database, name) for name in wanted}
        return unpacked(key, value, texts=texts, people=self.people), row[0]

    def _text(self, database: sqlite3.Connection, name: str) -> str:
        found = database.execute(
            "SELECT text FROM texts WHERE hash = ?", (_short(name),)
        ).fetchone()
        return str(found[0].decode())

    def key(self, position: int) -> SampleKey | None:
        """What stands at a place, from 1; None outside."""
        query = "SELECT dataset, external FROM samples WHERE id = ?"
        with self._at_work() as database:
            row = database.execute(query, (position,)).fetchone()
        return SampleKey(*row) if row else None

    def find(self, name: str) -> SampleKey:
        """The sample that somebody means: by id, by dataset/id, or by the start of one id alone.

        Raises:
            NotFound: none, or several; the hint names some.
        """
        with self._at_work() as database:
            rows = _meant(database, storable(name, "sample id"))
        if len(rows) != 1:
            several = ", ".join(f"{dataset}/{external}" for dataset, external in rows[:3])
            raise NotFound(
                f"{name!r} names {'more than one' if rows else 'no'} sample",
                f"for example {several}" if rows else "give an id, its start, or dataset/id",
            )
        return SampleKey(*rows[0])

    def page(
        self,
        search: str = "",
        *,
        person: str = "",
        marked: bool | None = None,
        offset: int = 0,
        limit: int = 200,
    ) -> tuple[list[Gathering], int]:
        """Samples in their order, and how many there are in all under the same filter.

        Args:
            search: a part of the id, the group, the dataset or the summary's start, in any case.
            person: whose annotations are counted; empty for everybody's.
            marked: with annotations alone, or without any; None for all.
        """
        pattern = search.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        scope = {
            "search": plain(f"%{pattern}%") if search else "",
            "person": plain(person),
            "marked": marked,
        }
        with self._at_work() as database:
            rows = database.execute(_ROWS, {**scope, "limit": limit, "offset": offset}).fetchall()
            total = database.execute(_COUNT, scope).fetchone()[0]
        return [Gathering(SampleKey(*row[:2]), *row[2:]) for row in rows], total


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Unavailable(
            f"no temporary space for what is looked at: {error}",
            "free some, or name another folder with TMPDIR",
        ) from error


def _meant(database: sqlite3.Connection, name: str) -> Sequence[Any]:
    found = "SELECT dataset, external FROM samples WHERE"
    end = "ORDER BY dataset, external LIMIT 4"
    rows = database.execute(f"{found} external = ? {end}", (name,)).fetchall()
    splits = [place for place, character in enumerate(name) if character == "/"]
    for at in splits:
        query = f"{found} external = ? AND dataset = ? {end}"
        rows = rows or database.execute(query, (name[at + 1 :], name[:at])).fetchall()
    begins = f"{found} external >= ? AND external < ? {end}"
    return rows or database.execute(begins, (name, name + "\U0010ffff")).fetchall()


def _short(sha256: str) -> bytes:
    """Half of a hash: a quarter of the index, which texts of any order are looked up in."""
    return bytes.fromhex(sha256)[:16]


def _summary_start(sample: Sample) -> str:
    summaries = sample.side(Side.SUMMARY) or sample.documents
    start = summaries[0].text[: 2 * SUMMARY_START] if summaries else ""
    return " ".join(start.replace("\0", " ").split())[:SUMMARY_START]
