"""A folder of LanceDB tables: connection, write lock, and errors in the program's terms."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from tui_annotate.domain.errors import Unavailable
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.repair import command
from tui_annotate.storage.vectors import arrow

REBUILD: Final = "lab vectors rebuild"
ALL: Final = 2**31 - 1

_INDEX_CACHE: Final = 64_000_000
"""Bytes of memory for LanceDB's index data: enough for 1,000,000 vectors."""
_VERSION_CACHE: Final = 16_000_000
"""Bytes of memory for LanceDB's metadata of table versions and fragments.

With LanceDB's limit of 1 GB, an ingest in 400 fragments used 700 MB; with this limit, 260 MB.
"""
_FILTER: Final = 500
"""Maximum number of documents in one query filter of a vector table."""
_PIECES: Final = 8
"""Number of fragments up to which a vector table is read fast; more are compacted."""
_POLL_SECONDS: Final = 0.2
_LEAST_MEMORY: Final = 1500 * 2**20
"""Smallest size of the address space, in bytes, that was enough for LanceDB in tests."""

_T = TypeVar("_T")


class LanceFolder:
    """LanceDB tables by name; any number of processes may read, and `writing` allows one writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0

    @cached_property
    def connection(self) -> Any:
        """LanceDB connection that sees others' writes; Unavailable without LanceDB or memory."""
        _check_memory_limit()
        os.environ.setdefault("LANCEDB_LOG", "error")  # its log would be printed over the screen
        try:
            import lancedb
        except ImportError as error:
            raise Unavailable("LanceDB is not installed", "pip install lancedb") from error
        session = lancedb.Session(
            index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_VERSION_CACHE
        )
        return lancedb.connect(self.path, read_consistency_interval=timedelta(0), session=session)

    def place(self, table: str) -> Path:
        """Return the folder of a table."""
        return self.path / f"{table}.lance"

    def has_table(self, table: str) -> bool:
        """Return whether a vector table exists; False if its creation was interrupted."""
        return _has_version(self.place(table))

    def open(self, table: str) -> Any:
        """Open an existing LanceDB table, or raise Unavailable."""
        if not self.has_table(table):
            raise Unavailable(
                f"there are no vectors in {self.place(table)}", command(REBUILD, self.path.parent)
            )
        return self.connection.open_table(table)

    def ensure_table(self, table: str, schema: Any) -> Any:
        """Open a table, which is created empty if it is missing."""
        if self.has_table(table):
            return self.open(table)
        return self.connection.create_table(table, schema=schema)

    def rows(self, table: str, hashes: Iterable[str], columns: Sequence[str]) -> Iterator[Any]:
        """Yield the vectors of documents in batches, grouped by document and in segment order."""
        wanted = ["sha256", "segment", *columns]
        for where in hash_filters(hashes):
            found = self.read(partial(self._query_rows, table, where, wanted))
            if found.num_rows:
                yield arrow.order_rows(found)

    def _query_rows(self, table: str, where: str, columns: Sequence[str]) -> Any:
        return self.open(table).search().where(where).select(columns).limit(ALL).to_arrow()

    def read(self, read: Callable[[], _T]) -> _T:
        """Return a read's result, retried once as a clean-up may make it fail; or Unavailable."""
        try:
            with lance_errors(self.path):
                return read()
        except Unavailable:
            with lance_errors(self.path):
                return read()

    @contextmanager
    def writing(self, *, wait: float) -> Iterator[None]:
        """Hold the write lock of a folder, and remove files of interrupted writers; calls may nest.

        Raises:
            Unavailable: another process is writing for all of `wait` seconds.
        """
        with self._lock:
            if self._depth:
                yield
                return
            with lance_errors(self.path), self._lock_for_writing(wait):
                self._depth += 1
                try:
                    self._remove_leftovers()
                    yield
                finally:
                    self._depth -= 1

    @contextmanager
    def _lock_for_writing(self, wait: float) -> Iterator[None]:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self.path / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        until = time.monotonic() + wait
        try:
            while not _try_lock(file):
                if time.monotonic() >= until:
                    raise Unavailable(
                        f"another process is writing the vectors in {self.path}",
                        "wait until the other process ends, then try again; written vectors stay",
                    )
                time.sleep(_POLL_SECONDS)
            yield
        finally:
            os.close(file)

    def _remove_leftovers(self) -> None:
        """Remove incomplete tables of interrupted writers, as these tables would block new ones."""
        for table in self.path.glob("*.lance"):
            if table.is_dir() and not _has_version(table):
                shutil.rmtree(table)
        for leftover in self.path.glob("*.lance/data/.tmp*"):
            leftover.unlink(missing_ok=True)


def _has_version(place: Path) -> bool:
    """Return whether a vector table was created completely: its version is written last."""
    return any(place.glob("_versions/*.manifest"))


def _check_memory_limit() -> None:
    """Raise Unavailable if `ulimit -v` is so low that LanceDB would wait forever for a thread."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _LEAST_MEMORY:
        raise Unavailable(
            f"the memory limit of {limit // 2**20} MB is too low for vectors",
            f"allow at least {_LEAST_MEMORY // 2**20} MB: ulimit -v {_LEAST_MEMORY // 2**10}",
        )


def discard(opened: Any, hashes: Iterable[str]) -> None:
    """Delete the rows of documents, by hash, from an open table."""
    for where in hash_filters(hashes):
        if opened.count_rows(where):
            opened.delete(where)


def optimize_table(opened: Any) -> None:
    """Create the missing indexes of a vector table, and compact its fragments if they are many."""
    from lancedb.index import BTree

    if not opened.count_rows():
        return
    indexed = {name for index in opened.list_indices() for name in index.columns}
    missing = [
        name for name in ("key", "sha256") if name in opened.schema.names and name not in indexed
    ]
    for column in missing:
        opened.create_index(column, config=BTree())
    if missing or opened.stats()["fragment_stats"]["num_fragments"] > _PIECES:
        with warnings.catch_warnings():
            # LanceDB warns of readers of old versions; ours retry, see `LanceFolder.read`.
            warnings.simplefilter("ignore", UserWarning)
            opened.optimize(cleanup_older_than=timedelta(0))


def hash_filters(hashes: Iterable[str]) -> Iterator[str]:
    """Yield SQL conditions that together select documents by hash, each of limited length."""
    for some in split_batches(dict.fromkeys(hashes), _FILTER):
        quoted = ("'" + name.replace("'", "''") + "'" for name in some)
        yield f"sha256 IN ({', '.join(quoted)})"


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


_PANICS: Final = frozenset({"RustPanic", "PanicException"})
"""Names of exceptions that LanceDB raises for incomplete files; their classes are not public."""


@contextmanager
def lance_errors(folder: Path) -> Iterator[None]:
    """Convert errors of LanceDB, Arrow and the disk in a `with` block into `Unavailable`."""
    try:
        yield
    except BaseException as error:
        known = isinstance(error, OSError | RuntimeError | ValueError)
        if not known and type(error).__name__ not in _PANICS:
            raise
        first = (str(error).splitlines() or [""])[0][:200]
        raise Unavailable(
            f"the vectors in {folder} cannot be used: {first}", command(REBUILD, folder.parent)
        ) from error
