"""Reads Parquet and Arrow files and writes Parquet, both in bounded memory.

No other plug-in module uses the library Arrow.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, Final

from tui_annotate.domain.errors import InvalidRecord
from tui_annotate.plugins.files.arrow_messages import measure_unpacked
from tui_annotate.plugins.files.foreign import read_head, refuse_foreign
from tui_annotate.plugins.files.packing import BOMB_FLOOR, BOMB_RATIO
from tui_annotate.plugins.protocols import ExportReport
from tui_annotate.plugins.traits import Loss

Schema = Sequence[tuple[str, str]]
"""Pairs of a column's name and type: text, names (few distinct texts), integer, number or time."""

MAGIC: Final = b"PAR1"

_BATCH: Final = 4096
"""Number of rows to write at a time: rows of exports quote documents, but do not contain them."""
_READ_ROWS: Final = 16
"""Number of rows of a table to read at a time; small, because documents may be long."""
_READ_AHEAD: Final = 2**18
"""Number of bytes of a table's column to read ahead."""
_WIDEST: Final = 2**29
"""Maximum unpacked size of the table rows that are read at a time, in bytes.

The size is known once Arrow has unpacked the rows; `_refuse_bomb` limits what Arrow unpacks.
"""


class ParquetTable:
    """A Parquet table that is being written; `open_parquet_table` opens and closes it."""

    def __init__(self, target: BinaryIO, schema: Schema, report: ExportReport) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        names = pa.dictionary(pa.int32(), pa.string())
        types = {
            "text": pa.string(),
            "names": names,
            "integer": pa.int32(),
            "number": pa.float64(),
            "time": pa.timestamp("us", tz="UTC"),
        }
        self._schema = pa.schema([(name, types[kind]) for name, kind in schema])
        self._times = [name for name, kind in schema if kind == "time"]
        self._writer = parquet.ParquetWriter(target, self._schema)
        self._pending: list[dict[str, Any]] = []
        self._report = report

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows by column name; a time is an ISO 8601 text, in UTC if it has no zone."""
        for row in rows:
            times = {name: self._parse_time(row.get(name)) for name in self._times}
            self._pending.append({**row, **times})
            if len(self._pending) >= _BATCH:
                self._flush()

    def _parse_time(self, value: Any) -> datetime | None:
        if not value:
            return None
        try:
            found = datetime.fromisoformat(value)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self._report.count_loss(Loss.BAD_TIMES.value)
            return None

    def _flush(self) -> None:
        import pyarrow as pa

        self._writer.write_table(pa.Table.from_pylist(self._pending, schema=self._schema))
        self._pending = []

    def add_metadata(self, metadata: Mapping[str, str]) -> None:
        """Add metadata to the file's footer, which can be written after the rows."""
        self._writer.add_key_value_metadata(metadata)

    def abandon(self) -> None:
        """Close the writer of an incomplete table, before the table's file is closed."""
        import pyarrow as pa

        # The error that made the table incomplete is raised instead.
        with suppress(OSError, pa.ArrowException):
            self._writer.close()

    def close(self) -> None:
        """Write the last rows and the footer; the table's file stays open."""
        self._flush()
        self._writer.close()


@contextmanager
def open_parquet_table(
    target: BinaryIO, schema: Schema, report: ExportReport
) -> Iterator[ParquetTable]:
    """Open a Parquet table for writing; a missing cell becomes null, invalid times are counted."""
    table = ParquetTable(target, schema, report)
    try:
        yield table
        table.close()
    except BaseException:
        table.abandon()
        raise


def read_column_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, or of an Arrow file saved by `datasets`, as JSON values.

    Times become ISO 8601 texts, decimals become texts, NaN and infinities become None. Bytes are
    decoded as UTF-8; other bytes become a `BinaryText`.

    Raises:
        InvalidRecord: the file is not such a file, is damaged, or unpacks to too many bytes.
        InvalidInput: the file is of another known kind, such as a pointer of Git LFS.
    """
    refuse_foreign(path, read_head(path))
    batches = _read_batches(path)
    number = 0
    while True:
        where = f"{path}, row {number + 1}"
        with _translate_errors(where):
            batch = next(batches, None)
            if batch is None:
                return
            rows = _unpack_rows(batch, where)
        for row in rows:
            number += 1
            yield {str(name): to_json_value(value) for name, value in row.items()}


@contextmanager
def _translate_errors(where: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise InvalidRecord(
            f"the file cannot be read: {' '.join(str(error).split())[:200]}",
            "check that the file is complete",
            where=where,
        ) from error


def _unpack_rows(batch: Any, where: str) -> list[dict[str, Any]]:
    batch.validate()  # before its size is computed: a broken file has invalid offsets
    if batch.nbytes > _WIDEST:
        raise InvalidRecord(
            f"{batch.num_rows} rows together take more than {_WIDEST:,} bytes of memory",
            "check that the columns contain texts",
            where=where,
        )
    batch.validate(full=True)
    rows: list[dict[str, Any]] = batch.to_pylist()
    return rows


class _BoundedFile(io.FileIO):
    """A file that never reads past its end, because Arrow allocates memory for what it requests."""

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(os.fstat(self.fileno()).st_size - self.tell(), 0)
        wanted = left if size is None or size < 0 else min(size, left)
        return super().read(wanted) or b""


def _read_batches(path: Path) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import ipc, parquet

    with _BoundedFile(path) as file:
        if file.read(len(MAGIC)) == MAGIC:
            file.seek(0)
            with parquet.ParquetFile(file, pre_buffer=False, buffer_size=_READ_AHEAD) as table:
                groups = map(table.metadata.row_group, range(table.metadata.num_row_groups))
                _refuse_bomb(path, sum(group.total_byte_size for group in groups))
                yield from table.iter_batches(batch_size=_READ_ROWS)
            return
        file.seek(0)
        _refuse_bomb(path, measure_unpacked(file))
        file.seek(0)
        with ipc.open_stream(pa.PythonFile(file, mode="r")) as stream:
            for batch in stream:
                for start in range(0, batch.num_rows, _READ_ROWS):
                    yield batch.slice(start, _READ_ROWS)


def _refuse_bomb(path: Path, plain: int) -> None:
    """Raise InvalidRecord if a file unpacks to far more bytes than texts would."""
    if plain > max(BOMB_FLOOR, BOMB_RATIO * path.stat().st_size):
        raise InvalidRecord(
            f"the file unpacks to {plain:,} bytes, more than {BOMB_RATIO} times its size",
            "check that the columns contain texts",
            where=str(path),
        )


def to_json_value(value: Any) -> Any:
    """Convert a cell to a JSON value, as `read_column_rows` describes."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, list | tuple):
        return [to_json_value(each) for each in value]
    if isinstance(value, dict):
        return {str(name): to_json_value(each) for name, each in value.items()}
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return _decode_bytes(value) if isinstance(value, bytes) else str(value)


class BinaryText(str):
    """Text that stands for bytes that are not UTF-8; it has only their count."""

    __slots__ = ()


def _decode_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return BinaryText(f"{len(value)} bytes")
