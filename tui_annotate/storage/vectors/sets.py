"""Sets of embedding vectors: which exist, which is in use, and which documents each covers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from sqlalchemy import Connection, delete, select, text, update

from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import EMBEDDED, SETTINGS, VECTOR_SETS
from tui_annotate.storage.database import Store
from tui_annotate.storage.documents import read_segments, read_text
from tui_annotate.storage.statements import add_missing, upsert

IN_USE: Final = "vectors"
"""Setting that names the vector table in use: empty for lexical retrieval, absent if undecided."""

_AT_ONCE: Final = 500
_INTERNAL: Final = ("record", "[")
"""How the names of settings begin that are no settings, but rows of other modules."""

_ALL_ROWS: Final = 2**63 - 1
_COLUMNS: Final = (
    'SELECT embedder, label, version, segmenter, vectors AS "table", dimensions,'
    " token_dimensions, instant, base_url, asked_dimensions FROM vector_sets"
)
_ALL = text(f"{_COLUMNS} ORDER BY created, vectors")
_IN_USE = text(f"{_COLUMNS} WHERE vectors = (SELECT value FROM settings WHERE name = '{IN_USE}')")  # noqa: S608  constants
_ADD = add_missing(VECTOR_SETS)
_SET: Final = upsert(SETTINGS, "name")
_DECIDE = add_missing(SETTINGS)

_ADD_EMBEDDED = add_missing(EMBEDDED)
_UNEMBEDDED = text(
    "SELECT u.sha256, u.text, u.boundaries FROM documents u"
    " WHERE u.id > :after AND NOT EXISTS"
    "   (SELECT 1 FROM embedded e WHERE e.vectors = :vectors AND e.sha256 = u.sha256)"
    " AND u.sha256 NOT IN (SELECT value FROM json_each(:without)) ORDER BY u.id LIMIT :limit"
)
_EMBEDDED_ONE = text(
    "SELECT u.sha256, u.text, u.boundaries FROM embedded e JOIN documents u ON u.sha256 = e.sha256"
    " WHERE e.vectors = :vectors LIMIT 1"
)
_EMBEDDED_COUNT = text(
    "SELECT count(*), count(*) FILTER (WHERE unknown) FROM embedded WHERE vectors = :vectors"
)
_LAST_EMBEDDED = text(
    "SELECT coalesce(max(u.id), 0) FROM documents u"
    " WHERE u.sha256 = (SELECT value FROM settings WHERE name = :mark)"
)
_GONE = text(
    "SELECT e.sha256 FROM embedded e WHERE e.vectors = :vectors AND NOT EXISTS"
    "   (SELECT 1 FROM documents u WHERE u.sha256 = e.sha256)"
)
_FORGET = text(
    "DELETE FROM embedded WHERE vectors = :vectors AND sha256 = :name AND NOT EXISTS"
    "   (SELECT 1 FROM documents u WHERE u.sha256 = embedded.sha256)"
)
_WAITING = text(
    "SELECT count(*), coalesce(sum(u.segments), 0) FROM documents u WHERE NOT EXISTS"
    "   (SELECT 1 FROM embedded e WHERE e.vectors = :vectors AND e.sha256 = u.sha256)"
)


class VectorSetStore(Store):
    """Access to vector sets, to the documents with vectors in each, and to workspace settings.

    Methods that change anything raise `NotAllowed` if the actor may not manage the workspace.
    """

    def _writing_as_manager(self) -> AbstractContextManager[Connection]:
        require_permission(self._actor, Permission.MANAGE)
        return self._database.writing()

    # sets --------------------------------------------------------------------------------------

    def vector_set(self) -> VectorSet | None:
        """Return the vector set in use; None if retrieval is lexical (words only)."""
        with self._database.reading() as connection:
            row = connection.execute(_IN_USE).mappings().first()
        return _build_vector_set(row) if row else None

    def vector_sets(self) -> tuple[VectorSet, ...]:
        """Return all vector sets, the oldest first."""
        with self._database.reading() as connection:
            return tuple(map(_build_vector_set, connection.execute(_ALL).mappings()))

    def vectors_decided(self) -> bool:
        """Return whether someone chose a vector set, or chose to use none."""
        return self.setting(IN_USE) is not None

    def keep_vector_set(self, kept: VectorSet) -> None:
        """Store a vector set; if a set of the same table is stored already, replace its values."""
        row = {name: getattr(kept, name) for name in VectorSet.__slots__ if name != "table"}
        added = {**row, "vectors": kept.table, "loose": False, "created": utc_now()}
        with self._writing_as_manager() as connection:
            connection.execute(_ADD, added)
            changed = update(VECTOR_SETS).where(VECTOR_SETS.c.vectors == kept.table)
            connection.execute(changed.values(row))

    def decide_vectors(self, table: str) -> bool:
        """Put a vector set in use if the workspace has none; return whether this set is in use."""
        with self._writing_as_manager() as connection:
            connection.execute(_DECIDE, {"name": IN_USE, "value": table})
            query = select(SETTINGS.c.value).where(SETTINGS.c.name == IN_USE)
            return bool(connection.execute(query).scalar_one() == table)

    def use_vector_set(self, table: str) -> None:
        """Use a vector set from now on; an empty table name for none."""
        self.set_setting(IN_USE, table)

    def drop_vector_set(self, table: str) -> None:
        """Delete a vector set and its list of documents, but not its table of vectors."""
        with self._writing_as_manager() as connection:
            connection.execute(delete(VECTOR_SETS).where(VECTOR_SETS.c.vectors == table))
            _forget_embedded(connection, table)

    def is_loose(self, table: str) -> bool:
        """Return whether a vector table was written to since it was last optimized."""
        query = select(VECTOR_SETS.c.loose).where(VECTOR_SETS.c.vectors == table)
        with self._database.reading() as connection:
            return bool(connection.execute(query).scalar())

    def set_loose(self, table: str, *, loose: bool) -> None:
        """Store whether a table has rows that were not optimized yet."""
        mine = update(VECTOR_SETS).where(VECTOR_SETS.c.vectors == table)
        with self._writing_as_manager() as connection:
            connection.execute(mine.values(loose=loose))

    # documents ---------------------------------------------------------------------------------

    def unembedded(
        self, table: str, limit: int, *, without: Collection[str] = ()
    ) -> list[tuple[str, str, tuple[Segment, ...]]]:
        """Return (hash, text, segments) of documents without vectors in a table, oldest first.

        `without`: hashes of documents that are not wanted.
        """
        scope = {
            "vectors": table,
            "limit": limit,
            "mark": _mark_name(table),
            "without": to_json(sorted(without)),
        }
        with self._database.reading() as connection:
            after = connection.execute(_LAST_EMBEDDED, scope).scalar_one()
            rows = connection.execute(_UNEMBEDDED, {**scope, "after": after}).all()
            if not rows and after:
                rows = connection.execute(_UNEMBEDDED, {**scope, "after": 0}).all()
            return [_parse_document(connection, row) for row in rows]

    def stream_unembedded(self, table: str) -> Iterator[tuple[str, str, tuple[Segment, ...]]]:
        """Yield (hash, text, segments) of each document without vectors in a table."""
        query = _UNEMBEDDED.execution_options(yield_per=100)
        scope = {"vectors": table, "after": 0, "limit": _ALL_ROWS, "without": "[]"}
        with self._database.reading() as connection:
            for row in connection.execute(query, scope):
                yield _parse_document(connection, row)

    def find_embedded_document(self, table: str) -> tuple[str, str, tuple[Segment, ...]] | None:
        """Return (hash, text, segments) of some document with vectors in a table, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_EMBEDDED_ONE, {"vectors": table}).first()
            return _parse_document(connection, row) if row else None

    def waiting(self, table: str) -> tuple[int, int]:
        """Count the documents that have no vectors in a table, and those documents' segments."""
        with self._database.reading() as connection:
            documents, segments = connection.execute(_WAITING, {"vectors": table}).one()
        return documents, segments

    def mark_embedded(
        self, table: str, hashes: Sequence[str], *, unknown: Collection[str] = ()
    ) -> None:
        """Record which documents have vectors; matches in `unknown` documents are lexical."""
        if hashes:
            common = {"vectors": table}
            rows = [{**common, "sha256": name, "unknown": name in unknown} for name in hashes]
            with self._writing_as_manager() as connection:
                connection.execute(_ADD_EMBEDDED, rows)
                connection.execute(_SET, {"name": _mark_name(table), "value": hashes[-1]})

    def embedded(self, table: str) -> tuple[int, int]:
        """Count the documents of a vector table, and those ranked lexically (words only)."""
        with self._database.reading() as connection:
            documents, unknown = connection.execute(_EMBEDDED_COUNT, {"vectors": table}).one()
        return int(documents), int(unknown)

    def forget_embedded(self, table: str) -> None:
        """Forget which documents have vectors in a table, so that all are embedded again."""
        with self._writing_as_manager() as connection:
            _forget_embedded(connection, table)

    def forget_removed_documents(self, table: str) -> list[str]:
        """Remove entries of embedded documents that are no longer stored; return their hashes."""
        with self._database.reading() as connection:
            gone = list(connection.execute(_GONE, {"vectors": table}).scalars())
        forgotten: list[str] = []
        for batch in split_batches(gone, _AT_ONCE):
            with self._writing_as_manager() as connection:
                # A document that was stored again meanwhile keeps its vectors.
                forgotten += [
                    name
                    for name in batch
                    if connection.execute(_FORGET, {"vectors": table, "name": name}).rowcount
                ]
        return forgotten

    # settings ----------------------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """Return the value of a setting; None if it is not set.

        Raises:
            NotAllowed: the name is that of an entry of the record of changes, or of another's sync,
                and the actor may not read the work of all people.
        """
        # The record names gold samples, and a mark of a sync the samples that a person worked on.
        if name.startswith(_INTERNAL):
            require_permission(self._actor, Permission.REPORT)
        query = select(SETTINGS.c.value).where(SETTINGS.c.name == name)
        with self._database.reading() as connection:
            return connection.execute(query).scalar()

    def set_setting(self, name: str, value: str) -> None:
        """Store a setting of the workspace."""
        self.change_setting(name, lambda _: value)

    def change_setting(self, name: str, change: Callable[[str | None], str]) -> None:
        """Replace the value of a setting by `change` of it, in one write transaction."""
        query = select(SETTINGS.c.value).where(SETTINGS.c.name == name)
        with self._writing_as_manager() as connection:
            value = change(connection.execute(query).scalar())
            connection.execute(_SET, {"name": name, "value": value})


def _build_vector_set(row: Any) -> VectorSet:
    return VectorSet(**{**row, "instant": bool(row["instant"])})


def _parse_document(
    connection: Connection, row: Sequence[Any]
) -> tuple[str, str, tuple[Segment, ...]]:
    name, content, ends = row
    whole = read_text(connection, content, name)
    return name, whole, read_segments(connection, ends, name, length=len(whole))


def _forget_embedded(connection: Connection, table: str) -> None:
    connection.execute(delete(EMBEDDED).where(EMBEDDED.c.vectors == table))
    connection.execute(delete(SETTINGS).where(SETTINGS.c.name == _mark_name(table)))


def _mark_name(table: str) -> str:
    return f"embedded:{table}"
