"""Embedding vectors of segments in LanceDB: a cache that may be missing and can be recomputed.

There is one table for each embedder (with its weights) and segmenter, and a second one for token
vectors, if the embedder has them. A table is never migrated; a new one is built instead. There is
no vector index, because an approximate search would silently miss neighbours. Only one process
writes at a time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.repair import command
from tui_annotate.storage.vectors import arrow
from tui_annotate.storage.vectors.arrow import Row
from tui_annotate.storage.vectors.lance import (
    ALL,
    REBUILD,
    LanceFolder,
    discard,
    hash_filters,
    lance_errors,
    optimize_table,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank

__all__ = ["SCHEMA", "Row", "VectorStore", "is_table_of", "table_name"]

SCHEMA: Final = 1
"""Version of the vector tables' layout, part of every table's name; a change forces a rebuild."""

_BATCH: Final = 20_000
"""Number of vectors in one commit; small commits would slow down every later read."""


def table_name(embedder: str, version: str, segmenter: str) -> str:
    """Return the name of the table for an embedder, its version and a segmenter.

    The name is readable, and unique by a hash of all three and of the schema's version.
    """
    exact = "\0".join((embedder, version, segmenter, str(SCHEMA)))
    readable = re.sub(r"[^a-z0-9]+", "-", f"{embedder}-{segmenter}".lower()).strip("-")[:60]
    return f"{readable}-{hashlib.sha256(exact.encode()).hexdigest()[:12]}"


def is_table_of(table: str, *, embedder: str, version: str, segmenter: str) -> bool:
    """Return whether a vector table was made for this embedder and segmenter."""
    name = table_name(embedder, version, segmenter)
    return table == name or re.fullmatch(re.escape(name) + r"-\d+", table) is not None


def _token_table(table: str) -> str:
    return f"{table}.tokens"


class VectorStore:
    """The folder of embedding vectors; many processes may read, and `writing` allows one writer.

    Every method raises Unavailable, with the reason, if LanceDB is not installed or the folder is
    missing or damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lance = LanceFolder(folder)

    table_name = staticmethod(table_name)

    def command(self, words: str = REBUILD) -> str:
        """Return a shell command for this workspace, by default the one that rebuilds vectors."""
        return command(words, self.folder.parent)

    # writing -----------------------------------------------------------------------------------

    def writing(self, *, wait: float = 30.0) -> AbstractContextManager[None]:
        """Hold the write lock of the vectors' folder; `wait` is the maximum time in seconds."""
        return self._lance.writing(wait=wait)

    def add(self, table: str, rows: Iterable[Row]) -> int:
        """Write or replace vectors, a document's rows in sequence; return the number of rows."""
        count = 0
        documents = (list(own) for _, own in groupby(rows, key=itemgetter(0)))
        with self.writing():
            for some in split_batches(documents, _BATCH, weight=len):
                batch = [row for document in some for row in document]
                missing = not self._lance.has_table(table)
                opened = self._lance.ensure_table(table, arrow.vector_schema(len(batch[0][4])))
                if missing:
                    opened.set_unenforced_primary_key("key")
                discard(opened, [row[0] for row in batch])
                opened.add(arrow.to_table(batch))
                count += len(batch)
            self.sync()
        return count

    def add_tokens(
        self, table: str, documents: Iterable[tuple[str, TokenBank]], *, axes: NDArray[np.float32]
    ) -> int:
        """Write the token vectors of documents to a table on disk; return the number of segments.

        `documents` are hash and tokens; the texts of a token bank are the document's segments.
        """
        count = 0
        with self.writing():
            columns = arrow.token_schema(axes)
            opened = self._lance.ensure_table(_token_table(table), columns)
            for batch in split_batches(documents, _BATCH, weight=lambda each: len(each[1])):
                discard(opened, [name for name, _ in batch])
                rows = arrow.to_token_table(batch, columns)
                opened.add(rows)
                count += rows.num_rows
            self.sync()
        return count

    def discard(self, table: str, hashes: Iterable[str]) -> None:
        """Delete the vectors of documents, by hash, from a set's tables."""
        names = list(hashes)
        with self.writing():
            for each in self._find_tables(table):
                discard(self._lance.open(each), names)

    def optimize(self, table: str) -> None:
        """Compact a vector table if it has many fragments, and update its indexes."""
        with self.writing():
            for each in self._find_tables(table):
                optimize_table(self._lance.open(each))

    def sync(self) -> None:
        """Flush written vectors to the disk, because LanceDB does not."""
        os.sync()

    def drop(self, table: str) -> None:
        """Delete a vector table and its table of token vectors, even if they are damaged."""
        with self.writing():
            # Tokens first: after a kill in between, the table is still listed and can be dropped.
            for each in reversed(self._find_tables(table)):
                shutil.rmtree(self._lance.place(each))

    def tables(self) -> tuple[str, ...]:
        """Return the sorted names of the vector tables; tables of token vectors are excluded."""
        found = sorted(path.stem for path in self.folder.glob("*.lance"))
        there = (name for name in found if not name.endswith(_token_table("")))
        return tuple(name for name in there if self._lance.has_table(name))

    def size(self, table: str) -> tuple[int, int]:
        """Return the number of documents and the number of rows in a vector table."""
        return self._lance.read(lambda: self._count_rows(table))

    def token_documents(self, table: str) -> int:
        """Return the number of documents with token vectors in a set."""
        return self._lance.read(lambda: self._count_rows(_token_table(table))[0])

    def _count_rows(self, table: str) -> tuple[int, int]:
        keys = self._lance.open(table).search().select(["sha256"]).limit(ALL).to_arrow()
        return len(keys.column("sha256").unique()), keys.num_rows

    def bytes(self, table: str) -> int:
        """Return the size on disk, in bytes, of a vector table with its table of token vectors."""
        with lance_errors(self.folder):
            folders = map(self._lance.place, self._find_tables(table))
            files = (file for folder in folders for file in folder.rglob("*"))
            return sum(file.stat().st_size for file in files if file.is_file())

    # reading -----------------------------------------------------------------------------------

    def fetch(self, table: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return a dict from the hash of each document with vectors to (segments, dimensions)."""
        import numpy as np

        found: dict[str, NDArray[np.float32]] = {}
        for rows in self._lance.rows(table, hashes, ["vector"]):
            vectors = arrow.to_matrix(rows.column("vector")).astype(np.float32)
            found |= {
                name: vectors[start:end] for name, start, end in arrow.iterate_documents(rows)
            }
        return found

    def fetch_tokens(self, table: str, hashes: Sequence[str]) -> dict[str, TokenBank]:
        """Return the token vectors by document hash, without documents that have no vectors."""
        found: dict[str, TokenBank] = {}
        if self._lance.has_table(table) and not self._lance.has_table(_token_table(table)):
            return found
        for rows in self._lance.rows(_token_table(table), hashes, ["tokens", "starts", "ends"]):
            bank = arrow.build_token_bank(rows)
            found |= {
                name: bank.part(start, end) for name, start, end in arrow.iterate_documents(rows)
            }
        return found

    def fetch_axes(self, table: str) -> NDArray[np.float32]:
        """Return the (dimensions, token_dimensions) projection matrix of a table's tokens."""
        return self._lance.read(
            lambda: arrow.read_axes(self._lance.open(_token_table(table)).schema)
        )

    def search(
        self, table: str, hashes: Sequence[str], vector: NDArray[np.float32], *, top: int
    ) -> list[tuple[str, int, float]]:
        """Return (hash, segment, cosine similarity) of the segments nearest to a unit vector."""
        columns = ["sha256", "segment", "_distance"]

        def find_nearest(where: str) -> Any:
            query = self._lance.open(table).search(vector, vector_column_name="vector")
            query = query.distance_type("dot").where(where, prefilter=True)
            return query.select(columns).limit(top).to_list()

        found = [
            (row["sha256"], row["segment"], 1 - row["_distance"])
            for where in hash_filters(hashes)
            for row in self._lance.read(partial(find_nearest, where))
        ]
        return sorted(found, key=lambda row: (-row[2], row[0], row[1]))[:top]

    def _find_tables(self, table: str) -> list[str]:
        return [each for each in (table, _token_table(table)) if self._lance.place(each).exists()]
