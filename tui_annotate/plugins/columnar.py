"""Parquet in and out, in bounded memory; the one place among the plug-ins that speaks Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final

from tui_annotate.plugins.protocols import Report

Schema = Sequence[tuple[str, str]]
"""Columns with what they hold: text, names (text that repeats), integer, number, time."""

_BATCH: Final = 4096


class ParquetTable:
    """A table that is being written, a bounded number of rows at a time.

    Args:
        report: told of times that are none, which are left out.
    """

    def __init__(self, target: BinaryIO, schema: Schema, report: Report) -> None:
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
        self._waiting: list[dict[str, Any]] = []
        self._report = report

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Adds rows; a column that a row does not have is null."""
        for row in rows:
            times = {name: self._time(row.get(name)) for name in self._times}
            self._waiting.append({**row, **times})
            if len(self._waiting) >= _BATCH:
                self._flush()

    def _time(self, told: Any) -> datetime | None:
        if not told:
            return None
        try:
            found = datetime.fromisoformat(told)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self._report.lose("times that are none")
            return None

    def _flush(self) -> None:
        import pyarrow as pa

        self._writer.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
        self._waiting = []

    def close(self) -> None:
        """Writes what is left, and the end of the file."""
        self._flush()
        self._writer.close()


@contextmanager
def parquet_table(target: BinaryIO, schema: Schema, report: Report) -> Iterator[ParquetTable]:
    """A table whose end is written where nothing went wrong."""
    table = ParquetTable(target, schema, report)
    yield table
    table.close()
