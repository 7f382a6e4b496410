"""Temporary index of the samples in a file, to find and read them without a workspace.

The index is a SQLite database without a name. It spills to a file that no other process can open
and that ends with this process. As it need not survive a power cut, it is ten times as fast as the
store of a workspace.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from tui_annotate.domain.annotations import LabelPath, annotation_from_json, annotation_to_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
from tui_annotate.storage.codec import (
    check_storable,
    from_json,
    replace_unstorable,
    request_from_json,
    request_to_json,
    to_json,
)
from tui_annotate.storage.corpus.intake import summary_start
from tui_annotate.storage.corpus.sample_names import LAST_CHARACTER, only_key, split_name

MOST_LABELS: Final = 1000
"""Maximum number of labels to count; a file with more labels probably uses ids as labels."""

_SCHEMA: Final = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-16000;
CREATE TABLE samples (id INTEGER PRIMARY KEY, dataset TEXT, external TEXT, "group" TEXT,
  annotations INTEGER, annotators INTEGER, summary TEXT, UNIQUE (external, dataset));
CREATE TABLE work (sample INTEGER, person TEXT, annotations INTEGER, PRIMARY KEY (sample, person))
  WITHOUT ROWID;
CREATE TABLE records (id INTEGER PRIMARY KEY, record TEXT);
CREATE TABLE texts (hash BLOB PRIMARY KEY, text BLOB);
"""
_FILTER: Final = (
    " FROM samples s LEFT JOIN work w ON w.sample = s.id AND w.person = :person"
    " WHERE (:search = '' OR s.external LIKE :search ESCAPE '!' OR s.dataset LIKE :search"
    "   ESCAPE '!' OR s.\"group\" LIKE :search ESCAPE '!' OR s.summary LIKE :search ESCAPE '!')"
    " AND (:marked IS NULL OR :marked ="
    "   (CASE WHEN :person = '' THEN s.annotations ELSE coalesce(w.annotations, 0) END > 0))"
)
_ROWS: Final = (
    'SELECT s.dataset, s.external, s."group",'
    " CASE WHEN :person = '' THEN s.annotations ELSE coalesce(w.annotations, 0) END,"
    f" s.annotators, s.summary{_FILTER} ORDER BY s.id LIMIT :limit OFFSET :offset"
)
_COUNT: Final = f"SELECT count(*){_FILTER}"


@dataclass(frozen=True, slots=True)
class IndexedSample:
    """A sample in the list of a file.

    Attributes:
        annotations: number of annotations: of one person if the list is limited to them.
        annotators: number of all people with annotations, without those who marked nothing.
    """

    key: SampleKey
    group: str
    annotations: int
    annotators: int
    summary_start: str

    @property
    def state(self) -> State:
        """`DONE` for a sample with annotations, else `NEW`."""
        return State.DONE if self.annotations else State.NEW


class FileIndex:
    """Index of a file's samples in the order of the file; threads may share an index.

    `people` are by id, in the order of the file; `labels` are numbers of annotations by label path.

    Raises:
        Unavailable: the constructor, if there is no temporary space.
    """

    def __init__(self) -> None:
        self.people: dict[str, Person] = {}
        self.labels: Counter[LabelPath] = Counter()
        self.total = 0
        self._lock = Lock()
        with _translate_errors():
            self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the index, which deletes its temporary database."""
        self._database.close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _translate_errors():
            yield self._database

    # writing -----------------------------------------------------------------------------------

    def add(self, records: Iterable[Record]) -> list[tuple[Record, InvalidInput]]:
        """Add samples to the index; return those whose id is in use or invalid, with the errors."""
        refused = []
        with self._connection() as database:
            database.execute("BEGIN")
            for record in records:
                try:
                    self._insert(database, record)
                except InvalidInput as error:
                    refused.append((record, error))
            database.execute("COMMIT")
        return refused

    def _insert(self, database: sqlite3.Connection, record: Record) -> None:
        sample = record.sample
        counts = Counter(owned.person for owned in record.annotations)
        people = dict.fromkeys([*counts, *(each.person for each in record.assignments)])
        new = database.execute(
            "INSERT OR IGNORE INTO samples VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                self.total + 1,
                check_storable(sample.dataset, "dataset"),
                check_storable(sample.id, "sample id"),
                replace_unstorable(sample.group),
                len(record.annotations),
                len(counts),
                replace_unstorable(summary_start(sample)),
            ),
        )
        if not new.rowcount:
            raise InvalidInput(f"{sample.key} appears twice", "give each sample its own id")
        self.total += 1
        database.executemany(
            "INSERT OR IGNORE INTO texts VALUES (?, ?)",
            [(_short_hash(one.sha256), one.text.encode()) for one in sample.documents],
        )
        database.execute(
            "INSERT INTO records VALUES (?, ?)", (self.total, to_json(_pack_record(record)))
        )
        database.executemany(
            "INSERT INTO work VALUES (?, ?, ?)",
            [(self.total, replace_unstorable(person), counts[person]) for person in people],
        )
        self._count_work(record, counts)

    def _count_work(self, record: Record, counts: Counter[str]) -> None:
        people = {person.id: person for person in record.people}
        for person in (*counts, *(each.person for each in record.assignments)):
            self.people.setdefault(person, people.get(person, Person(person, person)))
        for owned in record.annotations:
            for path in owned.annotation.labels:
                if path in self.labels or len(self.labels) < MOST_LABELS:
                    self.labels[path] += 1

    # reading -----------------------------------------------------------------------------------

    def record(self, key: SampleKey) -> tuple[Record, int]:
        """Return a sample with its work as in the file, and its position from 1; or NotFound."""
        query = (
            "SELECT id, record FROM samples JOIN records USING (id)"
            " WHERE external = ? AND dataset = ?"
        )
        with self._connection() as database:
            row = database.execute(query, (key.id, key.dataset)).fetchone()
            if row is None:
                raise NotFound(f"there is no sample {key}", "press q to list all samples")
            value = from_json(row[1])
            wanted = {document[0] for document in value["documents"]}
            texts = {name: self._text(database, name) for name in wanted}
        return _unpack_record(key, value, texts=texts, people=self.people), row[0]

    def _text(self, database: sqlite3.Connection, name: str) -> str:
        query = "SELECT text FROM texts WHERE hash = ?"
        return str(database.execute(query, (_short_hash(name),)).fetchone()[0].decode())

    def key(self, position: int) -> SampleKey | None:
        """Return the key of the sample at a position in the file, from 1; None if there is none."""
        query = "SELECT dataset, external FROM samples WHERE id = ?"
        with self._connection() as database:
            row = database.execute(query, (position,)).fetchone()
        return SampleKey(*row) if row else None

    def find(self, name: str) -> SampleKey:
        """Return the sample that a user names by its id, dataset/id, or the start of its id."""
        with self._connection() as database:
            rows = _find_keys(database, check_storable(name.strip(), "sample id"))

            def load_ids(start: str, limit: int) -> Sequence[str]:
                query = "SELECT external FROM samples WHERE external BETWEEN ? AND ? LIMIT ?"
                found = database.execute(query, (start, start + LAST_CHARACTER, limit))
                return [each[0] for each in found]

            return only_key(name, rows, load_ids)

    def page(
        self,
        search: str = "",
        *,
        person: str = "",
        marked: bool | None = None,
        offset: int = 0,
        limit: int = 200,
    ) -> tuple[list[IndexedSample], int]:
        """Return one page of the matching samples in order, and the number of all matching samples.

        Args:
            search: part of the id, group, dataset or summary's start, in any case.
            person: count only annotations of this person; empty for all people.
            marked: True for samples with annotations, False for samples without, None for all.
        """
        pattern = search.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        scope = {
            "search": replace_unstorable(f"%{pattern}%") if search else "",
            "person": replace_unstorable(person),
            "marked": marked,
        }
        with self._connection() as database:
            rows = database.execute(_ROWS, {**scope, "limit": limit, "offset": offset}).fetchall()
            total = database.execute(_COUNT, scope).fetchone()[0]
        return [IndexedSample(SampleKey(*row[:2]), *row[2:]) for row in rows], total


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Unavailable(
            f"no temporary space for the index of the file: {error}",
            "free some disk space, or set TMPDIR to a different folder",
        ) from error


def _find_keys(database: sqlite3.Connection, name: str) -> Sequence[Any]:
    found = "SELECT dataset, external FROM samples WHERE"
    end = "ORDER BY dataset, external LIMIT 4"
    rows = database.execute(f"{found} external = ? {end}", (name,)).fetchall()
    for dataset, external in split_name(name):
        query = f"{found} external = ? AND dataset = ? {end}"
        rows = rows or database.execute(query, (external, dataset)).fetchall()
    begins = f"{found} external BETWEEN ? AND ? {end}"
    return rows or database.execute(begins, (name, name + LAST_CHARACTER)).fetchall()


def _short_hash(sha256: str) -> bytes:
    """Return the first 16 bytes of a text's hash, so that the index of texts is small."""
    return bytes.fromhex(sha256)[:16]


def _pack_record(record: Record) -> dict[str, Any]:
    sample = record.sample
    return {
        "kind": sample.kind.value,
        "group": sample.group,
        "request": request_to_json(sample.request),
        "meta": dict(sample.meta),
        "documents": [
            [one.sha256, one.side.value, one.key, one.title, one.language]
            for one in sample.documents
        ],
        "annotations": [
            [owned.person, annotation_to_json(owned.annotation)] for owned in record.annotations
        ],
        "assignments": [
            [one.person, one.state.value, one.rating, one.comment, one.seconds, one.updated]
            for one in record.assignments
        ],
    }


def _unpack_record(
    key: SampleKey,
    value: Mapping[str, Any],
    *,
    texts: Mapping[str, str],
    people: Mapping[str, Person],
) -> Record:
    sample = Sample(
        *key,
        tuple(
            Document(Side(side), texts[name], document, title, language)
            for name, side, document, title, language in value["documents"]
        ),
        SampleKind(value["kind"]),
        value["group"],
        request_from_json(value["request"]),
        value["meta"],
    )
    owned = tuple(
        OwnedAnnotation(who, annotation_from_json(one)) for who, one in value["annotations"]
    )
    assigned = tuple(Assignment(one[0], State(one[1]), *one[2:]) for one in value["assignments"])
    names = dict.fromkeys([*(one.person for one in owned), *(one.person for one in assigned)])
    return Record(sample, owned, assigned, tuple(people[name] for name in names))
