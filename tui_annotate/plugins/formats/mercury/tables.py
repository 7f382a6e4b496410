"""The tables of a Mercury database, old and new, opened for reading alone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side

MAGIC: Final = b"SQLite format 3\x00"
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "sample_id": ("sample_id", "doc_id"),
    "chunk_offset": ("chunk_offset", "chunk_offset_local"),
    "annot_spans": ("annot_spans", "text_spans"),
}
"""What a column was called, newest first."""
SIDES: Final[Mapping[str, Side]] = {
    "source": Side.SOURCE, "text1": Side.SOURCE, "summary": Side.SUMMARY, "text2": Side.SUMMARY,
}  # fmt: skip
"""What the two texts are called."""
_CHUNK: Final = ("sample_id", "chunk_id", "text_type", "text", "chunk_offset")
_MERGED: Final = re.compile(r"\bUSING\s+vec0\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_SHORT: Final = 12
"""Bytes of a text that stand beside the vectors; longer ones have a row of their own."""


class Chunk(NamedTuple):
    """A sentence of a text.

    Attributes:
        start: where it begins in the text that the chunks are, joined by one space.
    """

    id: int
    text: str
    start: int

    @property
    def end(self) -> int:
        """One past its last code point."""
        return self.start + len(self.text)


Row = dict[str, Any]
Texts = dict[Side, list[Chunk]]


def connected(path: Path) -> sqlite3.Connection:
    """The file, opened so that nothing can be written to it.

    Raises:
        sqlite3.Error: it is no database, or can not be opened.
    """
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    connection.text_factory = _decoded
    connection.execute("PRAGMA temp_store = FILE")
    return connection


def _decoded(value: bytes) -> str:
    """Text of a database; what is no UTF-8 in it is refused where it is checked."""
    return value.decode("utf-8", "surrogateescape")


def has_chunks(path: Path) -> bool:
    """Whether a file is a database with a table of Mercury's chunks."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        connection = connected(path)
        try:
            return bool(_declared(connection, "chunks"))
        finally:
            connection.close()
    except (OSError, sqlite3.Error, UnicodeError):
        return False


def _declared(connection: sqlite3.Connection, table: str) -> str:
    found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return str(found[0]) if found and found[0] else ""


class Tables:
    """The rows of one database, each table by sample, in constant memory.

    Raises:
        InvalidInput: it lacks a column, or what the vectors were merged into is broken.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        if merged := _MERGED.search(_declared(connection, "chunks")):
            self._unmerge(merged.group(1))
            self._chunks = "temp.flat_chunks"
            self._columns = dict(zip(_CHUNK, _CHUNK, strict=True))
        else:
            self._chunks = "main.chunks"
            self._columns = self._found("chunks", _CHUNK)

    def _found(self, table: str, wanted: Iterable[str]) -> dict[str, str]:
        there = self._names(table)
        found = {}
        for column in wanted:
            names = [name for name in _NAMES.get(column, (column,)) if name in there]
            if not names:
                raise InvalidInput(
                    f"its table {table!r} has no column {column!r}; there are: {', '.join(there)}",
                    "is it a database of Mercury?",
                )
            found[column] = names[0]
        return found

    def _names(self, table: str) -> list[str]:
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [str(row[0]) for row in rows]

    def samples(self) -> Iterator[tuple[int, Texts]]:
        """The texts of each sample as chunks, by its number."""
        columns = ", ".join(f'"{self._columns[name]}"' for name in _CHUNK)
        rows = self._connection.execute(
            f"SELECT {columns} FROM {self._chunks} WHERE typeof({self._columns['sample_id']}) ="  # noqa: S608  names of columns that are there
            " 'integer' ORDER BY 1, 5, 2"
        )
        for sample, chunks in groupby(rows, key=lambda row: row[0]):
            yield sample, _texts(chunks)

    def annotations(self) -> Iterator[Row]:
        """Rows of annotations by sample, with the names of the newest version."""
        if not self._names("annotations"):
            return
        wanted = ("annot_id", "sample_id", "annot_spans", "annotator", "label")
        columns = self._found("annotations", wanted)
        cursor = self._connection.execute(
            f"SELECT * FROM main.annotations ORDER BY {columns['sample_id']}, annot_id"  # noqa: S608  as above
        )
        newest = {old: new for new, old in columns.items()}
        names = [newest.get(each[0], each[0]) for each in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))

    def meta(self) -> Iterator[Row]:
        """`sample_id` and `json_meta`, by sample."""
        if {"sample_id", "json_meta"} <= set(self._names("sample_meta")):
            rows = self._connection.execute(
                "SELECT sample_id, json_meta FROM main.sample_meta ORDER BY sample_id"
            )
            yield from ({"sample_id": sample, "json_meta": meta} for sample, meta in rows)

    def comments(self) -> Iterator[Row]:
        """Comments on annotations by their sample; without one where the annotation is gone."""
        if not {"comment_id", "annot_id"} <= set(self._names("comments")):
            return
        sample = self._found("annotations", ["sample_id"])["sample_id"]
        cursor = self._connection.execute(
            f'SELECT a."{sample}" AS sample_id, c.* FROM main.comments AS c'  # noqa: S608  as above
            " LEFT JOIN main.annotations AS a USING (annot_id) ORDER BY 1, c.comment_id"
        )
        names = [each[0] for each in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))

    def _unmerge(self, declared: str) -> None:
        """Copies chunks out of a table of vectors, which only an extension could read as such."""
        parts = [part.split() for part in declared.split(",")]
        kept = [part[0] for part in parts if len(part) == 2 and "[" not in part[1]]
        missing = [name for name in _CHUNK if name not in (*kept, "chunk_id")]
        if missing:
            raise InvalidInput(f"its table 'chunks' has no column {missing[0]!r}")
        places = {name: kept.index(name) for name in _CHUNK if name != "chunk_id"}
        self._connection.execute(f"CREATE TEMP TABLE flat_chunks ({', '.join(_CHUNK)})")
        self._connection.executemany(
            "INSERT INTO temp.flat_chunks VALUES (?, ?, ?, ?, ?)", self._merged(places)
        )

    def _merged(self, places: Mapping[str, int]) -> Iterator[tuple[Any, ...]]:
        rows = self._connection.execute(
            "SELECT chunk_id, rowid, chunk_offset FROM main.chunks_rowids ORDER BY chunk_id, rowid"
        )
        for block, members in groupby(rows, key=lambda row: row[0]):
            blobs = {name: self._blob(place, block) for name, place in places.items()}
            for _, row, slot in members:
                values = {"chunk_id": row}
                for name, place in places.items():
                    textual = name in ("text", "text_type")
                    values[name] = (
                        self._text(blobs[name], slot, (place, row))
                        if textual
                        else int.from_bytes(blobs[name][slot * 8 : slot * 8 + 8], "little")
                    )
                yield tuple(values[name] for name in _CHUNK)

    def _blob(self, place: int, block: int) -> bytes:
        found = self._connection.execute(
            f"SELECT data FROM main.chunks_metadatachunks{place:02d} WHERE rowid = ?",  # noqa: S608  a number
            (block,),
        ).fetchone()
        if not found or not isinstance(found[0], bytes):
            raise InvalidInput("its chunks, merged with vectors, are broken")
        return found[0]

    def _text(self, blob: bytes, slot: int, long: tuple[int, int]) -> str:
        """One text: beside the vectors where it is short, else in the table of long ones."""
        place, row = long
        view = blob[slot * 16 : slot * 16 + 16]
        length = int.from_bytes(view[:4], "little")
        if length <= _SHORT:
            return _decoded(view[4 : 4 + length])
        found = self._connection.execute(
            f"SELECT data FROM main.chunks_metadatatext{place:02d} WHERE rowid = ?",  # noqa: S608  a number
            (row,),
        ).fetchone()
        if not found or not isinstance(found[0], str):
            raise InvalidInput("its chunks, merged with vectors, are broken")
        return found[0]


def _texts(rows: Iterable[tuple[Any, ...]]) -> Texts:
    found: Texts = {side: [] for side in Side}
    for _, chunk, kind, text, _ in rows:
        if kind not in SIDES or not isinstance(text, str):
            continue  # told where a text is missing
        before = found[SIDES[kind]]
        before.append(Chunk(chunk, text, before[-1].end + 1 if before else 0))
    return found
