"""Keeps the record of changes in each write transaction, and compares the tables with it.

Temporary triggers of a writing connection note which covered rows a transaction changes, so that no
code which writes a table can forget the record, and other programs do not write it. The same
transaction stores an entry with these rows. The entries are rows of the table `settings`.

There is a record in SQLite only, whose file every program of its owner can write. In PostgreSQL the
rights of roles and the server's log protect rows against other programs.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, text

from tui_annotate.domain.change_record import (
    NO_ENTRY,
    RecordEntry,
    RecordHead,
    RowChange,
    RowFault,
    commit_content,
    describe_change,
    entry_from_text,
    represent_content,
)
from tui_annotate.domain.version import VERSION
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.clock import utc_now

_ROWS_OF_ENTRY: Final = 1000
"""Maximum number of changed rows in one entry."""
_HASH_CHARACTERS: Final = 64
"""Length of the hash at the start of a stored entry; the entry follows it."""
_PREFIX: Final = "record:"
_ENTRIES: Final = "FROM settings WHERE name >= 'record:' AND name < 'record;'"
_LAST: Final = f"SELECT name, substr(value, 1, 64) {_ENTRIES} ORDER BY name DESC LIMIT 1"
_TRACE: Final = (
    "SELECT (SELECT user_version FROM pragma_user_version) > 0"
    " OR EXISTS (SELECT 1 FROM settings WHERE name >= 'recorded:' AND name < 'recorded;')"
)
"""Query: whether a store had a record once."""
_ALL: Final = text(f"SELECT name, value {_ENTRIES} ORDER BY name").execution_options(yield_per=10)
_ONE: Final = text("SELECT substr(value, 1, 64) FROM settings WHERE name = :name")
_ADD: Final = "INSERT INTO settings (name, value) VALUES (:name, :value)"
OTHER_SETTINGS: Final = text(
    "SELECT name, value FROM settings WHERE NOT"
    " (name >= 'record:' AND name < 'record;' OR name >= 'recorded:' AND name < 'recorded;')"
)
"""Rows of the table `settings` that are not part of the record of changes."""


@dataclass(frozen=True, slots=True)
class _Covered:
    """Columns of a table that the record covers, by the key of a row; `only` limits the rows.

    `name` is the name in entries: the table's, or `TABLE.COLUMN` for columns that are covered since
    a later version. `only` is an SQL condition with `{row}` for the row. An entry has a short
    content as it is, unless it is `personal` (represented by a salted hash that can be forgotten)
    or `hashed`. `later`: records that an earlier version started lack these columns, so a row
    without a recorded content is not compared until the record is extended; the value is the
    smallest `_EXTENT_NUMBER` of a record that has them, 0 for all records. `derived`: the columns
    are computed from a text, so that a damaged row may be computed again.
    """

    name: str
    key: str
    columns: str
    only: str = ""
    personal: bool = False
    hashed: bool = False
    later: int = 0
    derived: bool = False

    @property
    def table(self) -> str:
        return self.name.partition(".")[0]

    def key_of(self, row: str = "") -> str:
        """Return SQL of the key columns as one text; `row` is a prefix of the columns."""
        return _join_columns(self.key, row)

    def content_of(self, row: str = "") -> str:
        """Return SQL of the recorded columns as one text, like `key_of`."""
        return _join_columns(self.columns, row)

    def condition(self, row: str = "") -> str:
        """Return the SQL condition of the recorded rows; `1` if all are recorded."""
        return self.only.format(row=row) if self.only else "1"


# The texts of documents need no entries: the content of a sample has the hash of its texts' hashes.
# Their sentences do: no hash covers the boundaries.
_COVERED: Final = (
    _Covered("people", "id", "name kind", personal=True),
    _Covered("accounts", "person", "email role active unix", personal=True),
    _Covered("datasets", "id", "name labels guidelines"),
    _Covered("dataset_settings", "dataset_id name", "value"),
    _Covered(
        "samples",
        "dataset_id external",
        "kind group digest source summary request meta imported",
        hashed=True,
    ),
    _Covered(
        "documents",
        "sha256",
        "language segmenter segments boundaries",
        hashed=True,
        later=1,
        derived=True,
    ),
    _Covered("remarks", "id", "dataset sample author reader answers text at", hashed=True, later=1),
    _Covered("texts", "kind hash", "text", hashed=True),
    _Covered("editions", "id", "kind dataset hash at by"),
    _Covered("label_changes", "id", "dataset kind request before after batch arrival undone at by"),
    _Covered("handouts", "id", "at by kind dataset request undone"),
    _Covered("allotments", "person sample_id", "handout practice"),
    _Covered("allotments.rank", "person sample_id", "rank", later=1),
    _Covered("pool", "sample_id", "dataset_id value room", later=1),
    # The digest of a sample covers the sides and texts of its documents. The program adds and
    # removes these rows, and never updates one.
    _Covered(
        "sample_documents",
        "sample_id ordinal",
        "key title",
        only="({row}key <> '' OR {row}title <> '')",
        hashed=True,
        later=2,
    ),
    # They decide which samples a shared order still gets, and so what people are shown.
    _Covered("orders", "id", "name filled until", later=2),
    _Covered(
        "settings",
        "name",
        "value",
        only="{row}name IN ('assist_weights', 'merged-people', 'labels', 'guidelines')",
    ),
)


_BY_NAME: Final = {each.name: each for each in _COVERED}
_DERIVED: Final = frozenset(each.name for each in _COVERED if each.derived)
_LATER: Final = frozenset(each.name for each in _COVERED if each.later)

_EXTENT: Final = "extent"
"""Stands for a table in the change that lists which `later` columns the record covers from then."""
_EXTENT_NUMBER: Final = 2
"""SQLite's `user_version` of a store whose record covers all of `_COVERED`; 0 without a record.

It is in the header of the file, so that removing all rows of the record leaves a trace.
"""


def _join_columns(columns: str, row: str) -> str:
    # quote() keeps the type, and names no column, so that a column which is added later fits.
    return " || ',' || ".join(f'quote({row}"{each}")' for each in columns.split())


# writing -----------------------------------------------------------------------------------------


def watch(connection: sqlite3.Connection) -> None:
    """Let a connection note the changes of covered rows; to be called outside a transaction."""
    connection.execute("PRAGMA temp_store=MEMORY")  # a full disk must not matter
    connection.execute(
        "CREATE TEMP TABLE recorded_changes"
        " (number INTEGER PRIMARY KEY, tbl TEXT, key TEXT, before TEXT, after TEXT)"
    )
    for covered in _COVERED:
        for statement in _triggers(covered):
            connection.execute(statement)


def _triggers(covered: _Covered) -> Iterator[str]:
    old = "OLD."
    new = "NEW."
    add = "INSERT INTO recorded_changes (tbl, key, before, after) SELECT"
    name = f"'{covered.name}'"
    yield (
        f'CREATE TEMP TRIGGER "record_insert_{covered.name}" AFTER INSERT ON main.{covered.table}'
        f" WHEN {covered.condition(new)} BEGIN"
        f" {add} {name}, {covered.key_of(new)}, NULL, {covered.content_of(new)}; END"
    )
    yield (
        f'CREATE TEMP TRIGGER "record_delete_{covered.name}" AFTER DELETE ON main.{covered.table}'
        f" WHEN {covered.condition(old)} BEGIN"
        f" {add} {name}, {covered.key_of(old)}, {covered.content_of(old)}, NULL; END"
    )
    columns = ", ".join(f'"{each}"' for each in f"{covered.key} {covered.columns}".split())
    # A row that gets another key is removed and added.
    yield (
        f'CREATE TEMP TRIGGER "record_update_{covered.name}"'
        f" AFTER UPDATE OF {columns} ON main.{covered.table}"
        f" WHEN {covered.condition(new)} BEGIN"
        f" {add} {name}, {covered.key_of(old)}, {covered.content_of(old)}, NULL;"
        f" {add} {name}, {covered.key_of(new)}, NULL, {covered.content_of(new)}; END"
    )


def store_entries(connection: sqlite3.Connection) -> None:
    """Store what a transaction changed, at its end; nothing if no record was started."""
    noted = connection.execute(
        "SELECT tbl, key, before, after FROM recorded_changes ORDER BY number"
    ).fetchall()
    if not noted:
        return
    connection.execute("DELETE FROM recorded_changes")
    last = connection.execute(_LAST).fetchone()
    if last is None:
        return  # a store of an earlier version: see `start`
    before: dict[tuple[str, str], str | None] = {}
    after: dict[tuple[str, str], str | None] = {}
    for table, key, old, new in noted:
        before.setdefault((table, key), old)
        after[table, key] = new
    changes = [
        _represent_change(connection, RowChange(*row, before[row], content))
        for row, content in after.items()
        if before[row] != content
    ]
    _append(connection, changes, last)


def start(connection: sqlite3.Connection) -> None:
    """Start the record of a store with all covered rows that it has, or extend an earlier record.

    An earlier record gets the rows that its version did not cover. Nothing happens if the record
    covers all, or if it was removed: a new record would hide what was changed since.
    """
    last = connection.execute(_LAST).fetchone()
    number = connection.execute("PRAGMA user_version").fetchone()[0]
    if last is None:
        if connection.execute(_TRACE).fetchone()[0]:
            return
        _append(connection, _read_first_rows(connection), ("", NO_ENTRY))
    elif number < _EXTENT_NUMBER:
        _append(connection, _read_later_rows(connection, number), last)
    connection.execute(f"PRAGMA user_version = {_EXTENT_NUMBER}")


def _read_first_rows(connection: sqlite3.Connection) -> Iterator[RowChange]:
    """Yield all covered rows as added rows, and what the record covers."""
    for covered in _COVERED:
        for key, content in connection.execute(_select_rows(covered)).fetchall():
            yield _represent_change(connection, RowChange(covered.name, key, None, content))
    yield _EXTENT_CHANGE


def _read_later_rows(connection: sqlite3.Connection, number: int) -> Iterator[RowChange]:
    """Yield the rows that a record with an extent number lacks as unchanged, and what is covered.

    Rows that it has are not repeated: an altered row would be recorded with its altered content.
    """
    for covered in _COVERED:
        if covered.later <= number:
            continue
        for key, content in connection.execute(_select_rows(covered)).fetchall():
            change = RowChange(covered.name, key, content, content)
            yield _represent_change(connection, change)
    yield _EXTENT_CHANGE


_EXTENT_CHANGE: Final = RowChange(_EXTENT, "", None, " ".join(sorted(_LATER)))


def _represent_change(connection: sqlite3.Connection, change: RowChange) -> RowChange:
    """Return a change with its contents as an entry has them.

    The salt and the content of a person are stored apart and replaced at each change, so that an
    entry no longer shows a name or an address that was deleted.
    """
    covered = _BY_NAME[change.table]
    if not covered.personal:
        before, after = (
            None if each is None else represent_content(each, hashed=covered.hashed)
            for each in change[2:]
        )
        return RowChange(change.table, change.key, before, after)
    name = _personal_name(change.table, change.key)
    row = connection.execute("SELECT value FROM settings WHERE name = ?", [name]).fetchone()
    salt, _ = _parse_personal(row[0] if row else None)
    before = None if change.before is None else commit_content(change.before, salt=salt)
    connection.execute("DELETE FROM settings WHERE name = ?", [name])
    if change.after is None:
        return RowChange(change.table, change.key, before, None)
    salt = secrets.token_hex(16)
    value = json.dumps([salt, change.after])
    connection.execute(_ADD, {"name": name, "value": value})
    return RowChange(change.table, change.key, before, commit_content(change.after, salt=salt))


def _personal_name(table: str, key: str) -> str:
    return f"recorded:{table}:{key}"


def _parse_personal(value: Any) -> tuple[str, str | None]:
    """Return the salt and the recorded content of a person's row; "" and None if unreadable."""
    try:
        salt, content = json.loads(value or "")
        return str(salt), str(content)
    except (ValueError, TypeError):
        return "", None


def _append(
    connection: sqlite3.Connection,
    changes: Iterable[RowChange],
    last: tuple[str, str],
) -> None:
    """Add entries after the last one, given as name and hash."""
    name, prev = last
    number = int(name.removeprefix(_PREFIX) or 0)
    for batch in split_batches(changes, _ROWS_OF_ENTRY):
        number += 1
        entry = RecordEntry(number, utc_now(), VERSION, tuple(batch), prev)
        row = {"name": _entry_name(number), "value": f"{entry.hash}{entry.as_text()}"}
        connection.execute(_ADD, row)
        prev = entry.hash


def _entry_name(number: int) -> str:
    return f"{_PREFIX}{number:012}"


# reading -----------------------------------------------------------------------------------------


def read_head(connection: Connection) -> RecordHead:
    """Return the number and hash of the last entry; zero and an empty hash without entries."""
    row = connection.exec_driver_sql(_LAST).first()
    return RecordHead(int(row[0].removeprefix(_PREFIX)), row[1]) if row else RecordHead()


def is_removed(connection: Connection) -> bool:
    """Return whether a store that had a record has none; False in PostgreSQL."""
    if not _has_record(connection):
        return False
    has_entries = connection.exec_driver_sql(_LAST).first() is not None
    return not has_entries and bool(connection.exec_driver_sql(_TRACE).scalar())


def is_complete(connection: Connection) -> bool:
    """Return whether the record of a store covers all of `_COVERED`, or cannot be started again."""
    if not _has_record(connection):
        return True
    number = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    return number >= _EXTENT_NUMBER or is_removed(connection)


def _has_record(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def continues(connection: Connection, head: RecordHead) -> bool:
    """Return whether the record still has the last entry of an earlier head."""
    if not head.entries:
        return head.hash == NO_ENTRY
    return connection.execute(_ONE, {"name": _entry_name(head.entries)}).scalar() == head.hash


def find_row_faults(connection: Connection) -> Iterator[RowFault]:
    """Yield the covered rows that do not have the recorded content.

    A store that an earlier version made has no record, and no faults. A record that was removed is
    a fault.
    """
    if is_removed(connection):
        says = "the record of changes was removed outside the program"
        yield RowFault("settings", _entry_name(1), "", None, None, says)
    if connection.exec_driver_sql(_LAST).first() is None:
        return
    # A table and not a dict: a workspace may have millions of samples. It exists if an earlier call
    # was left before its end.
    connection.exec_driver_sql("DROP TABLE IF EXISTS temp.recorded_rows")
    connection.exec_driver_sql(
        "CREATE TEMP TABLE recorded_rows (tbl TEXT, key TEXT, content TEXT, PRIMARY KEY (tbl, key))"
        " WITHOUT ROWID"
    )
    replay = _Replay(connection)
    yield from replay.read_entries()
    if replay.complete:
        yield from replay.compare()
    connection.exec_driver_sql("DROP TABLE temp.recorded_rows")


DOCUMENT_CONTENT: Final = _BY_NAME["documents"].content_of()
"""SQL expression of the content of a row of the table `documents`."""
_CONTENTS: Final = text(
    f"SELECT sha256, {DOCUMENT_CONTENT} FROM documents WHERE sha256 IN :names"  # noqa: S608  constant
).bindparams(bindparam("names", expanding=True))


def find_altered_documents(connection: Connection) -> dict[str, str]:
    """Return the recorded content, by hash, of documents that now have another one.

    The contents are as `represent_content` returns them. The replay ends at an entry that was
    altered; memory is needed for the returned documents only.
    """
    altered: dict[str, str] = {}
    prev = NO_ENTRY
    for number, (_, value) in enumerate(connection.execute(_ALL), start=1):
        entry = entry_from_text(number, str(value)[_HASH_CHARACTERS:], prev=prev)
        if entry is None:
            break
        prev = str(value)[:_HASH_CHARACTERS]
        recorded = {
            change.key.strip("'"): change.after
            for change in entry.changes
            if change.table == "documents" and change.after is not None
        }
        if not recorded:
            continue
        for sha256, content in connection.execute(_CONTENTS, {"names": list(recorded)}):
            if represent_content(content, hashed=True) == recorded[sha256]:
                altered.pop(sha256, None)  # an earlier entry has an earlier content
            else:
                altered[sha256] = recorded[sha256]
    return altered


_RECORDED: Final = text("SELECT content FROM temp.recorded_rows WHERE tbl = :tbl AND key = :key")
_SET_RECORDED: Final = text(
    "INSERT OR REPLACE INTO temp.recorded_rows VALUES (:tbl, :key, :content)"
)
_DROP_RECORDED: Final = text("DELETE FROM temp.recorded_rows WHERE tbl = :tbl AND key = :key")
_LEFT: Final = text("SELECT tbl, key, content FROM temp.recorded_rows ORDER BY tbl, key")


class _Replay:
    """A replay of the record of changes into a temporary table, which is then compared."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.complete = True
        self._uncovered = _LATER

    def read_entries(self) -> Iterator[RowFault]:
        """Yield rows that had another content than the recorded one when the program changed them.

        The replay ends at an entry that was altered or removed.
        """
        prev = NO_ENTRY
        for number, (name, value) in enumerate(self._connection.execute(_ALL), start=1):
            entry = None
            if name == _entry_name(number):
                entry = entry_from_text(number, str(value)[_HASH_CHARACTERS:], prev=prev)
            if entry is None or str(value)[:_HASH_CHARACTERS] != entry.hash:
                self.complete = False
                says = f"entry {number} of the record of changes was changed or removed"
                yield RowFault("settings", _entry_name(number), "", None, None, says)
                return
            prev = entry.hash
            for change in entry.changes:
                if change.table == _EXTENT:
                    self._uncovered -= set((change.after or "").split())
                    continue
                recorded = self._read_recorded(change.table, change.key)
                fits = recorded == change.before
                if change.table in self._uncovered:
                    fits = fits or recorded is None
                if change.table in _DERIVED:
                    fits = fits or recorded in (None, change.after)
                if not fits:
                    when = f"before the change of {entry.at[:19]}"
                    says = f"{describe_change(recorded, change.before)}, {when}"
                    yield self._build_fault(
                        change.table, change.key, recorded, change.before, says=says
                    )
                self._set_recorded(change)

    def compare(self) -> Iterator[RowFault]:
        """Yield the rows of the tables that differ from the recorded ones."""
        for covered in _COVERED:
            table = covered.name
            query = text(_select_rows(covered))
            rows = self._connection.execute(query, execution_options={"yield_per": 100})
            for key, content in rows:
                recorded = self._read_recorded(table, key)
                if recorded is not None:
                    self._connection.execute(_DROP_RECORDED, {"tbl": table, "key": key})
                elif table in self._uncovered:
                    continue
                if recorded != self._represent(covered, key, content):
                    shown = content if covered.personal else self._represent(covered, key, content)
                    yield self._build_fault(table, key, recorded, shown)
        for table, key, recorded in self._connection.execute(_LEFT).all():
            yield self._build_fault(table, key, recorded, None)

    def _represent(self, covered: _Covered, key: str, content: str) -> str:
        if not covered.personal:
            return represent_content(content, hashed=covered.hashed)
        return commit_content(content, salt=self._read_personal(covered.name, key)[0])

    def _read_personal(self, table: str, key: str) -> tuple[str, str | None]:
        query = text("SELECT value FROM settings WHERE name = :name")
        name = _personal_name(table, key)
        return _parse_personal(self._connection.execute(query, {"name": name}).scalar())

    def _read_recorded(self, table: str, key: str) -> str | None:
        found = self._connection.execute(_RECORDED, {"tbl": table, "key": key}).scalar()
        return None if found is None else str(found)

    def _set_recorded(self, change: RowChange) -> None:
        row = {"tbl": change.table, "key": change.key}
        if change.after is None:
            self._connection.execute(_DROP_RECORDED, row)
        else:
            self._connection.execute(_SET_RECORDED, row | {"content": change.after})

    def _build_fault(self, table: str, key: str, *contents: str | None, says: str = "") -> RowFault:
        recorded, found = contents
        if table in _BY_NAME and _BY_NAME[table].personal:
            salt, content = self._read_personal(table, key)
            if content is not None and commit_content(content, salt=salt) == recorded:
                recorded = content
        name = _name_row(self._connection, table, key)
        return RowFault(table, key, name, recorded, found, says or describe_change(recorded, found))


def _select_rows(covered: _Covered) -> str:
    return (
        f"SELECT {covered.key_of()}, {covered.content_of()} FROM {covered.table}"  # noqa: S608  constants
        f" WHERE {covered.condition()}"
    )


_ASSIGNMENT_NAME: Final = (
    "SELECT p.name || ' and ' || d.name || '/' || s.external FROM allotments a"
    " JOIN people p ON p.id = a.person JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE quote(a.person) || ',' || quote(a.sample_id) = :key"
)
_NAMES: Final = {
    "people": "SELECT name FROM people WHERE quote(id) = :key",
    "accounts": "SELECT email FROM accounts WHERE quote(person) = :key",
    "datasets": "SELECT name FROM datasets WHERE quote(id) = :key",
    "dataset_settings": "SELECT d.name || ': ' || s.name FROM dataset_settings s JOIN datasets d"
    " ON d.id = s.dataset_id WHERE quote(s.dataset_id) || ',' || quote(s.name) = :key",
    "samples": "SELECT d.name || '/' || s.external FROM samples s JOIN datasets d"
    " ON d.id = s.dataset_id WHERE quote(s.dataset_id) || ',' || quote(s.external) = :key",
    "remarks": "SELECT dataset || '/' || sample FROM remarks WHERE quote(id) = :key",
    "documents": "SELECT 'sentences of ' || d.name || '/' || s.external FROM documents u"
    " JOIN sample_documents p ON p.document_id = u.id JOIN samples s ON s.id = p.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE quote(u.sha256) = :key ORDER BY s.id LIMIT 1",
    "sample_documents": "SELECT d.name || '/' || s.external FROM sample_documents p"
    " JOIN samples s ON s.id = p.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE quote(p.sample_id) || ',' || quote(p.ordinal) = :key",
    "orders": "SELECT name FROM orders WHERE quote(id) = :key",
    "allotments": _ASSIGNMENT_NAME,
    "allotments.rank": _ASSIGNMENT_NAME,
    "pool": "SELECT d.name || '/' || s.external FROM pool q JOIN samples s ON s.id = q.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE quote(q.sample_id) = :key",
}
"""Queries for the name of a row that a message shows, by table."""


def _name_row(connection: Connection, table: str, key: str) -> str:
    """Return what a row is about, such as a sample's key; empty if the row has no name."""
    if table not in _NAMES:
        return ""
    found: Any = connection.execute(text(_NAMES[table]), {"key": key}).scalar()
    return "" if found is None else str(found)
