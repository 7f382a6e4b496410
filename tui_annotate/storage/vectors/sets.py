"""Which sets of vectors a workspace has, which is in use, and what has vectors in each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, select, text, update

from tui_annotate.domain.samples import Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.storage.codec import unpack
from tui_annotate.storage.columns import EMBEDDED, SETTINGS, VECTOR_SETS
from tui_annotate.storage.statements import add_missing, upsert

IN_USE: Final = "vectors"
"""The setting that names the table of the set in use: empty for words alone, absent at first."""

_COLUMNS = (
    VECTOR_SETS.c.embedder,
    VECTOR_SETS.c.label,
    VECTOR_SETS.c.version,
    VECTOR_SETS.c.segmenter,
    VECTOR_SETS.c.vectors.label("table"),
    VECTOR_SETS.c.dimensions,
    VECTOR_SETS.c.token_dimensions,
    VECTOR_SETS.c.instant,
    VECTOR_SETS.c.base_url,
    VECTOR_SETS.c.asked_dimensions,
)
_ALL = select(*_COLUMNS).order_by(VECTOR_SETS.c.created, VECTOR_SETS.c.vectors)
_IN_USE = select(*_COLUMNS).where(
    VECTOR_SETS.c.vectors == select(SETTINGS.c.value).where(SETTINGS.c.name == IN_USE)
    .scalar_subquery()
)  # fmt: skip
_ADD = add_missing(VECTOR_SETS)
SET: Final = upsert(SETTINGS, "name")
"""Writes a setting."""
_DECIDE = add_missing(SETTINGS)

_ADD_EMBEDDED = add_missing(EMBEDDED)
_UNEMBEDDED = text(
    "SELECT u.id, u.sha256, u.text, u.boundaries FROM documents u"
    " WHERE u.id > :after AND NOT EXISTS"
    "   (SELECT 1 FROM embedded e WHERE e.vectors = :vectors AND e.sha256 = u.sha256)"
    " ORDER BY u.id LIMIT :limit"
)
_EMBEDDED_ONE = text(
    "SELECT u.sha256, u.text, u.boundaries FROM embedded e JOIN documents u ON u.sha256 = e.sha256"
    " WHERE e.vectors = :vectors LIMIT 1"
)
_EMBEDDED_COUNT = text(
    "SELECT count(*), coalesce(sum(unknown), 0) FROM embedded WHERE vectors = :vectors"
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


def in_use(connection: Connection) -> VectorSet | None:
    """The set by whose vectors the assist finds; None for words alone."""
    row = connection.execute(_IN_USE).mappings().first()
    return _made(row) if row else None


def all_sets(connection: Connection) -> tuple[VectorSet, ...]:
    """All sets, the oldest first; also those that are not finished."""
    return tuple(_made(row) for row in connection.execute(_ALL).mappings())


def _made(row: Any) -> VectorSet:
    return VectorSet(**{**row, "instant": bool(row["instant"])})


def keep(connection: Connection, kept: VectorSet, now: str) -> None:
    """Remembers a set; one that is there takes the new values."""
    row = {name: getattr(kept, name) for name in VectorSet.__slots__ if name != "table"}
    added = {**row, "vectors": kept.table, "loose": False, "created": now}
    connection.execute(_ADD, added)
    changed = update(VECTOR_SETS).where(VECTOR_SETS.c.vectors == kept.table)
    connection.execute(changed.values(row))


def use(connection: Connection, table: str) -> None:
    """Takes a set into use; an empty name for words alone."""
    connection.execute(SET, {"name": IN_USE, "value": table})


def decide(connection: Connection, table: str) -> bool:
    """As `use`, where nobody decided before; whether it is what is in use then."""
    connection.execute(_DECIDE, {"name": IN_USE, "value": table})
    query = select(SETTINGS.c.value).where(SETTINGS.c.name == IN_USE)
    return bool(connection.execute(query).scalar_one() == table)


def drop(connection: Connection, table: str) -> None:
    """Forgets a set, and what had vectors in it."""
    connection.execute(delete(VECTOR_SETS).where(VECTOR_SETS.c.vectors == table))
    forget_embedded(connection, table)


def is_loose(connection: Connection, table: str) -> bool:
    """Whether a table was written to and not put in order yet."""
    query = select(VECTOR_SETS.c.loose).where(VECTOR_SETS.c.vectors == table)
    return bool(connection.execute(query).scalar())


def set_loose(connection: Connection, table: str, *, loose: bool) -> None:
    """Says whether a table is to be put in order."""
    mine = update(VECTOR_SETS).where(VECTOR_SETS.c.vectors == table)
    connection.execute(mine.values(loose=loose))


def unembedded(connection: Connection, table: str, limit: int) -> list[Any]:
    """(row, hash, text, boundaries) of documents that have no vectors in a table yet."""
    scope = {"vectors": table, "limit": limit, "mark": _mark(table)}
    after = connection.execute(_LAST_EMBEDDED, scope).scalar_one()
    rows = list(connection.execute(_UNEMBEDDED, {**scope, "after": after}))
    if not rows and after:
        rows = list(connection.execute(_UNEMBEDDED, {**scope, "after": 0}))
    return rows


def bare(connection: Connection, table: str) -> Iterator[Any]:
    """(hash, text, boundaries) of all documents that have no vectors in a table, streamed."""
    query = _UNEMBEDDED.execution_options(yield_per=100)
    scope = {"vectors": table, "after": 0, "limit": -1}
    return (row[1:] for row in connection.execute(query, scope))


def embedded_one(connection: Connection, table: str) -> Any:
    """(hash, text, boundaries) of some document that has vectors in a table; None without one."""
    return connection.execute(_EMBEDDED_ONE, {"vectors": table}).first()


def segmented(row: Sequence[Any]) -> tuple[str, str, tuple[Segment, ...]]:
    """(hash, text, segments) of (hash, bytes of the text, boundaries)."""
    name, content, ends = row
    whole = content.decode()
    return name, whole, unpack(ends, len(whole))


def mark_embedded(
    connection: Connection, table: str, hashes: Sequence[str], *, unknown: Collection[str]
) -> None:
    """Says that documents have vectors in a table, and of which of them the model knows little."""
    rows = [{"vectors": table, "sha256": name, "unknown": name in unknown} for name in hashes]
    connection.execute(_ADD_EMBEDDED, rows)
    connection.execute(SET, {"name": _mark(table), "value": hashes[-1]})


def embedded(connection: Connection, table: str) -> tuple[int, int]:
    """How many documents have vectors in a table; and of how many of them words rank alone."""
    documents, unknown = connection.execute(_EMBEDDED_COUNT, {"vectors": table}).one()
    return int(documents), int(unknown)


def forget_embedded(connection: Connection, table: str) -> None:
    """Says that a table has no vectors any more."""
    connection.execute(delete(EMBEDDED).where(EMBEDDED.c.vectors == table))
    connection.execute(delete(SETTINGS).where(SETTINGS.c.name == _mark(table)))


def gone(connection: Connection, table: str) -> list[str]:
    """The hashes of documents that have vectors in a table and are stored no more."""
    return list(connection.execute(_GONE, {"vectors": table}).scalars())


def forget(connection: Connection, table: str, hashes: Sequence[str]) -> list[str]:
    """Forgets some documents; those that were stored again meanwhile are left out of the answer."""
    given = [{"vectors": table, "name": name} for name in hashes]
    return [row["name"] for row in given if connection.execute(_FORGET, row).rowcount]


def waiting(connection: Connection, table: str) -> tuple[int, int]:
    """How many documents, and segments of them, have no vectors in a table."""
    documents, segments = connection.execute(_WAITING, {"vectors": table}).one()
    return int(documents), int(segments)


def _mark(table: str) -> str:
    """The setting that holds the last embedded document: the search for the rest starts there."""
    return f"embedded:{table}"
