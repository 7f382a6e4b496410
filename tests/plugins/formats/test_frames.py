"""Parquet files, saved datasets, and columns of known collections: pairs like any others."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
import tracemalloc
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from tests.helpers.errors import has_code
from tests.plugins.formats.laws import read
from tests.plugins.strategies import full_texts
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.files import columnar
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.pair_columns import COLLECTIONS, set_pair_columns
from tui_annotate.plugins.protocols import ImportOptions, ReadMeter

ROWS = [{"source": f"Source {n}.", "summary": "So.", "n": n} for n in range(3)]


def _parquet(path: Path, rows: list[dict[str, Any]], *, packed: str = "snappy") -> Path:
    parquet.write_table(pa.Table.from_pylist(rows), path, compression=packed)
    return path


def _saved(folder: Path, *shards: list[dict[str, Any]]) -> Path:
    """A folder as `datasets` saves it: streams of Arrow, and a list of them."""
    folder.mkdir()
    names = [f"data-{n:05}-of-{len(shards):05}.arrow" for n in range(len(shards))]
    for name, rows in zip(names, shards, strict=True):
        table = pa.Table.from_pylist(rows)
        with ipc.new_stream(folder / name, table.schema) as stream:
            stream.write_table(table, max_chunksize=2)
    files = [{"filename": name} for name in names]
    (folder / "state.json").write_text(json.dumps({"_data_files": files, "_split": None}))
    (folder / "dataset_info.json").write_text("{}")
    return folder


def _texts(place: Path, **options: Any) -> list[tuple[str, str, Any]]:
    records, problems = read(place, "pairs", **options)
    assert problems == []
    return [
        (one.sample.id, one.sample.side(Side.SOURCE)[0].text, dict(one.sample.meta))
        for one in records
    ]


def test_a_parquet_file_is_pairs(tmp_path: Path) -> None:
    """Rows by their number, other columns as meta; the meter is told of all bytes."""
    path = _parquet(tmp_path / "a.parquet", ROWS)
    meter = ReadMeter()
    assert detect(path) == "pairs"
    assert _texts(path, meter=meter) == [(str(n + 1), f"Source {n}.", {"n": n}) for n in range(3)]
    assert meter.done == path.stat().st_size
    options = {"source_column": "summary", "summary_column": "source", "id_column": "n"}
    assert [row[:2] for row in _texts(path, **options)] == [
        ("0", "So."),
        ("1", "So."),
        ("2", "So."),
    ]


def test_values_become_those_of_json(tmp_path: Path) -> None:
    """Times, decimals, lists, numbers that are none, and bytes, which are counted."""
    row = ROWS[0] | {
        "d": date(2026, 1, 2), "x": Decimal("1.50"), "l": [{"a": 1}], "f": float("nan"), "b": b"ab",
    }  # fmt: skip
    ((_, _, meta),) = _texts(_parquet(tmp_path / "a.parquet", [row]))
    assert meta == {
        "n": 0, "d": "2026-01-02", "x": "1.50", "l": [{"a": 1}], "f": None, "b": "ab",
    }  # fmt: skip


def test_a_saved_dataset_is_pairs(tmp_path: Path) -> None:
    """All its files in the order of its list, numbered through; with splits each by itself."""
    one = _saved(tmp_path / "one", ROWS[:2], ROWS[2:])
    assert detect(one) == "pairs"
    assert [row[:2] for row in _texts(one)] == [(str(n + 1), f"Source {n}.") for n in range(3)]
    both = tmp_path / "both"
    both.mkdir()
    (both / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    _saved(both / "train", ROWS[:2])
    _saved(both / "test", ROWS[2:])
    assert detect(both) == "pairs"
    assert [(row[0], row[2]["split"]) for row in _texts(both)] == [
        ("train/1", "train"), ("train/2", "train"), ("test/1", "test"),
    ]  # fmt: skip


def test_a_folder_of_parquet_files_is_pairs(tmp_path: Path) -> None:
    """As hubs keep them, in `data` or beside one another; shards tell their split."""
    (tmp_path / "data").mkdir()
    _parquet(tmp_path / "data" / "train-00000-of-00002.parquet", ROWS[:1])
    _parquet(tmp_path / "data" / "train-00001-of-00002.parquet", ROWS[1:2])
    _parquet(tmp_path / "more.parquet", ROWS[2:])
    assert detect(tmp_path) == "pairs"
    assert [row[0] for row in _texts(tmp_path)] == ["train/1", "train/2", "1"]


def test_a_wrong_column_is_told_once(tmp_path: Path) -> None:
    """Of a file, and of each split that lacks it; the others come in."""
    path = _parquet(tmp_path / "a.parquet", ROWS)
    records, problems = read(path, "pairs", source_column="article")
    assert records == []
    (problem,) = problems
    assert problem.where == str(path)
    assert "'article'" in problem.message
    assert "'source', 'summary', 'n'" in problem.message
    assert "--source-column" in problem.hint
    assert "--id-column" not in problem.hint
    assert "--id-column" in read(path, "pairs", id_column="key")[1][0].hint
    several = read(
        path, "pairs", source_column="article", summary_column="summery", id_column="key"
    )
    for option in ("--summary-column summary", "--source-column", "--id-column"):
        assert option in several[1][0].hint
    both = tmp_path / "both"
    both.mkdir()
    (both / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    _saved(both / "train", [{"source": "A."}] * 3)
    _saved(both / "test", ROWS[:2])
    records, problems = read(both, "pairs")
    assert [one.sample.id for one in records] == ["test/1", "test/2"]
    assert ["train" in each.where for each in problems] == [True]


def test_wrong_folders_are_told(tmp_path: Path) -> None:
    """Nothing in it, a list of something else, names of files elsewhere, a file that is gone."""
    with pytest.raises(NotFound):
        read(tmp_path, "pairs")
    state = tmp_path / "state.json"
    for wrong in (
        "{",
        "[]",
        '{"_data_files": [1]}',
        '{"_data_files": {"a": 1}}',
        '{"_data_files": "a"}',
    ):
        state.write_text(wrong)
        with pytest.raises(InvalidInput):
            read(tmp_path, "pairs")
    for name in ("../a.arrow", "/etc/passwd", "a/b", "..", "", "a\nb", "\udc00"):
        state.write_text(json.dumps({"_data_files": [{"filename": name}]}))
        with pytest.raises(InvalidInput, check=has_code("file-outside-folder")):
            read(tmp_path, "pairs")
    state.write_text(json.dumps({"_data_files": [{"filename": "gone.arrow"}]}))
    records, problems = read(tmp_path, "pairs", meter=ReadMeter())
    assert (records, len(problems)) == ([], 1)


def test_a_row_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    """The same text many times takes no room in a file; what it unpacks to is limited."""
    monkeypatch.setattr(columnar, "_WIDEST", 50_000)
    path = _parquet(tmp_path / "a.parquet", [ROWS[0] | {"x": "y" * 9000}] * 100)
    records, problems = read(path, "pairs")
    assert records == []
    assert "16" in problems[0].message


def test_a_file_of_one_piece_is_read_bit_by_bit(tmp_path: Path, monkeypatch: Any) -> None:
    """The first rows come long before a file is read whose rows are all in one group."""
    chance = random.Random(1)
    rows = [{**ROWS[0], "source": chance.randbytes(400).hex()} for _ in range(6000)]
    path = _parquet(tmp_path / "a.parquet", rows)
    assert parquet.ParquetFile(path).metadata.num_row_groups == 1
    given: list[int] = []
    plain = columnar._BoundedFile.read

    def read(file: Any, size: int | None = -1) -> bytes:
        found: bytes = plain(file, size)
        given.append(len(found))
        return found

    monkeypatch.setattr(columnar._BoundedFile, "read", read)
    rows_of = columnar.read_column_rows(path)
    assert next(rows_of)["source"] == rows[0]["source"]
    assert sum(given) < path.stat().st_size / 2


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """A file that says that it unpacks to far more than texts would."""
    path = _parquet(tmp_path / "a.parquet", [ROWS[0] | {"x": "y" * 2**25}], packed="zstd")
    records, problems = read(path, "pairs")
    assert records == []
    assert "200" in problems[0].message


@pytest.mark.parametrize("names", [False, True])
def test_a_bomb_of_a_saved_dataset_is_refused(tmp_path: Path, names: bool) -> None:
    """Also in a dictionary of texts; before Arrow takes the memory for what it unpacks to."""
    table = pa.Table.from_pylist([ROWS[0] | {"x": "y" * 2**25}])
    if names:
        table = table.set_column(3, "x", table["x"].dictionary_encode())
    saved = _saved(tmp_path / "saved", ROWS)
    file = next(saved.glob("*.arrow"))
    with ipc.new_stream(
        file, table.schema, options=ipc.IpcWriteOptions(compression="zstd")
    ) as stream:
        stream.write_table(table)
    plain = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(plain)
    pa.set_memory_pool(counted)
    try:
        records, problems = read(saved, "pairs")
    finally:
        pa.set_memory_pool(plain)
    assert records == []
    assert "200" in problems[0].message
    assert counted.max_memory() < 2**24


def test_a_packed_saved_dataset_is_pairs(tmp_path: Path) -> None:
    """Arrow packs each column by itself, and leaves those that do not get smaller."""
    saved = _saved(tmp_path / "saved", ROWS)
    file = next(saved.glob("*.arrow"))
    table = pa.Table.from_pylist([row | {"x": "y" * 2**14} for row in ROWS])
    for packing in ("zstd", "lz4"):
        options = ipc.IpcWriteOptions(compression=packing)
        with ipc.new_stream(file, table.schema, options=options) as stream:
            stream.write_table(table, max_chunksize=2)
        assert [row[:2] for row in _texts(saved)] == [
            (str(n + 1), f"Source {n}.") for n in range(3)
        ]


@given(st.lists(st.fixed_dictionaries({"source": full_texts, "summary": full_texts}), max_size=3))
@settings(deadline=None)
def test_texts_come_in_as_they_are(rows: list[dict[str, Any]]) -> None:
    """Every code point of both texts."""
    with TemporaryDirectory() as folder:
        schema = pa.schema([("source", pa.string()), ("summary", pa.string())])
        path = Path(folder) / "a.parquet"
        parquet.write_table(pa.Table.from_pylist(rows, schema=schema), path)
        records, problems = read(path, "pairs", source_column="source", summary_column="summary")
    assert problems == []
    assert [[each.text for each in one.sample.documents] for one in records] == [
        [row["source"], row["summary"]] for row in rows
    ]


@given(cut=st.binary(max_size=12), at=st.integers(4, 2000), tail=st.integers(0, 40))
@settings(deadline=None)
def test_broken_files_are_problems(cut: bytes, at: int, tail: int) -> None:
    """Bytes written over, and files that end early, end in problems of one line."""
    with TemporaryDirectory() as folder:
        saved = _saved(Path(folder) / "s", ROWS)
        file = _parquet(Path(folder) / "a.parquet", ROWS)
        for path, place in ((file, file), (next(saved.glob("*.arrow")), saved)):
            raw = path.read_bytes()
            start = min(at, len(raw))
            raw = raw[:start] + cut + raw[start + len(cut) :]
            path.write_bytes(raw[: len(raw) - tail])
            _survives(place)


def _survives(place: Path) -> None:
    try:
        for problem in read(place, "pairs")[1]:
            assert "\n" not in str(problem)
    except TuiAnnotateError:
        return


def test_offsets_that_lead_out_of_a_file_break_no_process(tmp_path: Path) -> None:
    """They are looked at before anything follows them, in a process of its own for safety."""
    place = _saved(tmp_path / "saved", [row | {"l": ["six signs"]} for row in ROWS[:2]])
    file = next(place.glob("*.arrow"))
    lists = struct.pack("<3i", 0, 1, 2)
    assert file.read_bytes().count(lists) == 1
    file.write_bytes(file.read_bytes().replace(lists, struct.pack("<3i", 0, 1, 2**30)))
    report = subprocess.run(
        [sys.executable, "-m", "tui_annotate", "convert", place, "-", "--to", "native"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.returncode == 2
    assert str(place) in report.stderr
    assert "Traceback" not in report.stderr


def test_a_file_takes_no_more_memory_than_it_has_bytes(tmp_path: Path) -> None:
    """A length in a file is not believed: nothing is made room for that can not be there."""
    place = _saved(tmp_path / "saved", ROWS)
    file = next(place.glob("*.arrow"))
    file.write_bytes(b"\xff\xff\xff\xff\xff\xff\xff\x7f" + file.read_bytes()[8:])
    read(place, "pairs")
    tracemalloc.start()
    try:
        assert read(place, "pairs")[0] == []
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_collections_are_asked_for_by_name() -> None:
    """Their columns are taken where none are named; an unknown one tells those that there are."""
    plain = ImportOptions()
    assert set_pair_columns("", plain) == plain
    for name, columns in COLLECTIONS.items():
        report = set_pair_columns(name.upper(), plain)
        assert (report.source_column, report.summary_column, report.group_column) == columns[:3]
    own = set_pair_columns("summac", ImportOptions(summary_column="answer"))
    assert (own.source_column, own.summary_column) == ("document", "answer")
    with pytest.raises(NotFound) as caught:
        set_pair_columns("summeval", plain)
    assert "aggrefact, cliff, frank, halueval, ragtruth, summac, true, uhgeval" in caught.value.hint
