"""Vectors of segments in LanceDB: a cache that may be missing, never the truth; one writer a time.

One table for each embedder (with its weights) and segmenter; a table is never migrated, another is
built beside it. There is no vector index: search through one would lose neighbours in silence.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.storage import arrow
from tui_annotate.storage.arrow import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SCHEMA", "Row", "VectorStore", "table_name"]

SCHEMA: Final = 1
"""Part of every table's name: with another layout, tables are built anew."""

_BATCH: Final = 20_000
"""Rows of one commit; small ones would slow every later read."""
_FILTER: Final = 500
"""Documents that one filter names."""
_POLL_SECONDS: Final = 0.2
_REBUILD: Final = "tui-annotate index rebuild"


def table_name(embedder: str, version: str, segmenter: str) -> str:
    """The table for vectors of an embedder over the segments of a segmenter."""
    exact = "\0".join((embedder, version, segmenter, str(SCHEMA)))
    readable = re.sub(r"[^a-z0-9]+", "-", f"{embedder}-{segmenter}".lower()).strip("-")[:60]
    return f"{readable}-{hashlib.sha256(exact.encode()).hexdigest()[:12]}"


class VectorStore:
    """The folder of vectors. Any number of processes read; `writing` keeps writers apart.

    Every method raises Unavailable, with the reason, where LanceDB is not installed or the folder
    is missing or damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        self._depth = 0

    table_name = staticmethod(table_name)

    # writing -----------------------------------------------------------------------------------

    @contextmanager
    def writing(self, *, wait: float = 30.0) -> Iterator[None]:
        """Holds the writers' lock, and removes what killed writers left; may be nested.

        Args:
            wait: seconds to wait for another writer.

        Raises:
            Unavailable: another process is writing, or the folder can not be written.
        """
        with self._lock:
            if self._depth:
                yield
                return
            with _told(self.folder), self._locked(wait):
                self._depth += 1
                try:
                    self._clean()
                    yield
                finally:
                    self._depth -= 1

    @contextmanager
    def _locked(self, wait: float) -> Iterator[None]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self.folder / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        until = time.monotonic() + wait
        try:
            while not _grabbed(file):
                if time.monotonic() >= until:
                    raise Unavailable(
                        f"another process is writing the vectors in {self.folder}",
                        "wait for it to end, then do it again; what is done stays done",
                    )
                time.sleep(_POLL_SECONDS)
            yield
        finally:
            os.close(file)

    def _clean(self) -> None:
        """Files of writers that were killed: LanceDB's own clean-up leaves them for ever."""
        for leftover in self.folder.glob("*.lance/data/.tmp*"):
            leftover.unlink(missing_ok=True)

    def add(self, table: str, rows: Iterable[Row]) -> int:
        """Writes the rows of whole documents, to the disk, in place of any that were there.

        So a document whose vectors were written by a process that was killed before it could say
        so is not there twice.

        Args:
            rows: all rows of a document one after another.

        Returns:
            How many rows were written.
        """
        count = 0
        with self.writing():
            batch: list[Row] = []
            for _, document in groupby(rows, key=itemgetter(0)):
                batch += document
                if len(batch) >= _BATCH:
                    count += self._put(table, batch)
                    batch = []
            if batch:
                count += self._put(table, batch)
            self.sync()
        return count

    def _put(self, table: str, batch: Sequence[Row]) -> int:
        with _told(self.folder):
            opened = self._table(table, dimensions=len(batch[0][4]))
            for where in _filters(dict.fromkeys(row[0] for row in batch)):
                if opened.count_rows(where):
                    opened.delete(where)
            opened.add(arrow.rows_table(batch))
        return len(batch)

    def optimize(self, table: str) -> None:
        """Brings small pieces together and the scalar indexes up to date; call it after writing."""
        from lancedb.index import BTree

        with self.writing(), _told(self.folder):
            opened = self._table(table)
            indexed = {name for index in opened.list_indices() for name in index.columns}
            for column in ("key", "sha256"):
                if column not in indexed and opened.count_rows():
                    opened.create_index(column, config=BTree())
            opened.optimize(cleanup_older_than=timedelta(days=1))

    def sync(self) -> None:
        """Brings what was written to the disk: LanceDB itself leaves that to the kernel."""
        os.sync()

    def drop(self, table: str) -> None:
        """Removes a table, also a damaged one; nothing happens where there is none."""
        with self.writing(), _told(self.folder):
            if self._path(table).exists():
                shutil.rmtree(self._path(table))

    def tables(self) -> tuple[str, ...]:
        """The names of the tables that are there, sorted."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.lance") if path.is_dir()))

    def size(self, table: str) -> tuple[int, int]:
        """Documents and rows of a table."""
        with _told(self.folder):
            keys = self._table(table).search().select(["sha256"]).limit(2**31 - 1).to_arrow()
        return len(keys.column("sha256").unique()), keys.num_rows

    # reading -----------------------------------------------------------------------------------

    def fetch(self, table: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """By document, the vectors of its segments: (segments, dimensions), in their order.

        A document without vectors is absent.
        """
        import numpy as np

        found: dict[str, NDArray[np.float32]] = {}
        with _told(self.folder):
            opened = self._table(table)
            for where in _filters(dict.fromkeys(hashes)):
                rows = (
                    opened.search()
                    .where(where)
                    .select(["sha256", "segment", "vector"])
                    .limit(2**31 - 1)
                    .to_arrow()
                    .sort_by([("sha256", "ascending"), ("segment", "ascending")])
                )
                vectors = arrow.matrix(rows.column("vector")).astype(np.float32)
                names = rows.column("sha256").to_pylist()
                starts = [i for i in range(len(names)) if not i or names[i] != names[i - 1]]
                for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
                    found[names[start]] = vectors[start:end]
        return found

    def search(
        self, table: str, hashes: Sequence[str], vector: NDArray[np.float32], *, top: int
    ) -> list[tuple[str, int, float]]:
        """The segments of some documents that are nearest to a unit vector, by LanceDB itself.

        Returns:
            (hash, segment, cosine similarity), the most similar first.
        """
        with _told(self.folder):
            opened = self._table(table)
            nearest: list[tuple[str, int, float]] = []
            for where in _filters(dict.fromkeys(hashes)):
                rows = (
                    opened.search(vector, vector_column_name="vector")
                    .distance_type("dot")
                    .where(where, prefilter=True)
                    .select(["sha256", "segment", "_distance"])
                    .limit(top)
                    .to_list()
                )
                nearest += [(row["sha256"], row["segment"], 1 - row["_distance"]) for row in rows]
        return sorted(nearest, key=lambda row: (-row[2], row[0], row[1]))[:top]

    # LanceDB -----------------------------------------------------------------------------------

    @cached_property
    def _connection(self) -> Any:
        os.environ.setdefault("LANCEDB_LOG", "error")  # it would write on the screen
        try:
            import lancedb
        except ImportError as error:
            raise Unavailable("LanceDB is not installed", "pip install lancedb") from error
        return lancedb.connect(self.folder, read_consistency_interval=timedelta(0))

    def _path(self, table: str) -> Path:
        return self.folder / f"{table}.lance"

    def _table(self, table: str, *, dimensions: int = 0) -> Any:
        """A table, made where it is missing and `dimensions` are given."""
        if self._path(table).is_dir():
            return self._connection.open_table(table)
        if not dimensions:
            raise Unavailable(f"there are no vectors in {self._path(table)}", _REBUILD)
        made = self._connection.create_table(table, schema=arrow.schema(dimensions))
        made.set_unenforced_primary_key("key")
        return made


def _grabbed(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _filters(hashes: Iterable[str]) -> Iterator[str]:
    """Filters that together name all hashes."""
    source = iter(hashes)
    while some := list(islice(source, _FILTER)):
        quoted = ("'" + name.replace("'", "''") + "'" for name in some)
        yield f"sha256 IN ({', '.join(quoted)})"


_PANICS: Final = frozenset({"RustPanic", "PanicException"})
"""What LanceDB's core raises where it breaks over torn files; neither can be imported."""


class _told:  # noqa: N801  used as a function is
    """Tells what LanceDB, Arrow or the disk raise in our words; the one place for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError | RuntimeError | ValueError) or (
            kind is not None and kind.__name__ in _PANICS
        ):
            first = (str(error).splitlines() or [""])[0][:200]
            raise Unavailable(
                f"the vectors in {self._folder} can not be used: {first}", _REBUILD
            ) from error
