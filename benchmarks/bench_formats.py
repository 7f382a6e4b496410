"""Every format, out and back in: how many a second of processor time, and memory against a tenth.

200,000 annotations on 20,000 samples, against 20,000 on 2,000. With TUI_ANNOTATE_BENCH_MILLION set
a million on 100,000 samples, and 200,000 samples to read: more than an hour of processor time.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.annotated import A_SAMPLE, filled, records
from benchmarks.measured import Measured, measured
from benchmarks.report import Row
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins import registry

MILLION = bool(os.environ.get("TUI_ANNOTATE_BENCH_MILLION"))
SAMPLES = 100_000 if MILLION else 20_000
PAIRS = 200_000 if MILLION else 20_000
PART = 10
GROWTH = 1.4
"""Of memory, for ten times as much. What is cached is full at a tenth of a million and not at less:
there the growth is 1.2 to 1.3, and 1.0 to 1.1 in a million."""
RATE = 10_000
_NAMES = {"faithbench-csv": "verdicts.csv", "csv": "table.csv", "xlsx": "book.xlsx"}
_QUICK = ("native", "mercury", "csv")
"""Formats whose rate is promised."""
_OF_ITEMS = ("autojudge",)
"""Formats that hold no pairs: see bench_reports.py."""
_INGESTED = ("pairs.jsonl", "pairs.parquet", "native.jsonl")
"""What is stored as well; that takes longest."""


def rows() -> Iterator[Row]:
    """Rates and growth of memory, format by format."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = folder / "store.sqlite"
        filled(store, {"few": SAMPLES // PART, "many": SAMPLES})
        for exporter in registry.plugin_names("exporters"):
            if exporter in _OF_ITEMS:
                continue
            yield from _out_and_in(store, exporter)
        store.unlink()
        for source, make in _MADE.items():
            yield from _made(folder, source, make)


def _out_and_in(store: Path, exporter: str) -> Iterator[Row]:
    targets = {size: store.with_name(size) / _NAMES.get(exporter, exporter) for size in _SIZES}
    for target in targets.values():
        target.parent.mkdir(exist_ok=True)
    out = [measured("export", store, exporter, size, targets[size]) for size in _SIZES]
    what = f"{SAMPLES * A_SAMPLE:,} annotations out, {exporter}"
    bound = RATE if exporter in _QUICK else None
    yield Row(what, out[1].rate, bound, "a second", "at least")
    yield _growth(what, out)
    if exporter in registry.plugin_names("importers"):
        read = [measured("read", exporter, targets[size]) for size in _SIZES]
        what = f"{SAMPLES:,} samples with them in, {exporter}"
        yield Row(what, read[1].rate, unit="a second")
        yield _growth(what, read)
    for size in _SIZES:
        shutil.rmtree(targets[size].parent)


_SIZES = ("few", "many")


def _growth(what: str, found: list[Measured]) -> Row:
    few, many = found
    said = f"{what}: memory ({many.megabytes:.0f} MB) against a tenth of it"
    return Row(said, many.megabytes / few.megabytes, GROWTH, "times")


def _made(folder: Path, name: str, make: Callable[[Path, int], str]) -> Iterator[Row]:
    """A form that is read and not written, read, and stored with sentences and without vectors."""
    found: dict[str, list[Measured]] = {"read": [], "ingest": []}
    source, store = folder / name, folder / "ingested.sqlite"
    for count in (PAIRS // PART, PAIRS):
        importer = make(source, count)
        found["read"].append(measured("read", importer, source))
        if name in _INGESTED:
            found["ingest"].append(measured("ingest", importer, source, store))
            store.unlink()
        source.unlink()
    for what, both in found.items():
        if not both:
            continue
        said = f"{PAIRS:,} samples, {what}, {name}"
        yield Row(said, both[1].rate, unit="a second")
        yield _growth(said, both)


def _pair(record: Record) -> dict[str, str]:
    source, summary = record.sample.side(Side.SOURCE), record.sample.side(Side.SUMMARY)
    return {"source": source[0].text, "summary": summary[0].text, "model": "a"}


def _json_lines(path: Path, count: int) -> str:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(_pair(each))}\n" for each in records("made", count))
    return "pairs"


def _parquet(path: Path, count: int) -> str:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, pa.string()) for name in ("source", "summary", "model")])
    made = records("made", count)
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, count, 1000):
            batch = [_pair(each) for each, _ in zip(made, range(start, start + 1000), strict=False)]
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    return "pairs"


def _written(exporter: str, path: Path, count: int) -> str:
    """A file of ours, made without a store."""
    from tui_annotate.plugins.protocols import ExportOptions

    with path.open("w", encoding="utf-8") as file:
        registry.load("exporters", exporter).write(records("made", count), file, ExportOptions())
    return exporter


def _database(path: Path, count: int) -> str:
    """A database as Mercury keeps it, with a chunk for each text."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "CREATE TABLE chunks (chunk_id INTEGER PRIMARY KEY, text TEXT, text_type TEXT,"
            " sample_id INTEGER, char_offset INTEGER, chunk_offset INTEGER);"
            "CREATE TABLE annotations (annot_id INTEGER PRIMARY KEY, sample_id INTEGER,"
            " annot_spans TEXT, annotator TEXT, label TEXT, note TEXT);"
        )
        for number, record in enumerate(records("made", count)):
            for document in record.sample.documents:
                connection.execute(
                    "INSERT INTO chunks VALUES (NULL, ?, ?, ?, 0, 0)",
                    (document.text, document.side.value, number),
                )
            for owned in record.annotations:
                spans = {side.value: [at.start, at.end] for side, _, at in owned.annotation.anchors}
                label = json.dumps(owned.annotation.labels[0])
                connection.execute(
                    "INSERT INTO annotations VALUES (NULL, ?, ?, ?, ?, ?)",
                    (number, json.dumps(spans), owned.person, label, owned.annotation.note),
                )
    return "mercury-db"


_MADE: Mapping[str, Callable[[Path, int], str]] = {
    "pairs.jsonl": _json_lines,
    "pairs.parquet": _parquet,
    "native.jsonl": partial(_written, "native"),
    "dump.json": partial(_written, "mercury"),
    "mercury.sqlite": _database,
}
