"""Bytes in tables are text or refused; UTF-16 and UTF-32 without a mark are recognized."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.errors import has_code
from tests.helpers.report_files import report_file
from tests.plugins.record_reader import read
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side

SOURCE = "The mill by the river was built in 1874."
SUMMARY = "Die Mühle was built in 1871."


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_bytes_in_parquet_are_decoded(tmp_path: Path) -> None:
    """UTF-8 in a BINARY column is text, also in ids and metadata."""
    row = {"key": b"k1", "document": SOURCE.encode(), "summary": SUMMARY.encode(), "extra": b"x"}
    records, problems = read(parquet(tmp_path / "a.parquet", [row]), id_column="key")
    assert problems == []
    assert [each.text for each in records[0].sample.documents] == [SOURCE, SUMMARY]
    assert (records[0].sample.id, records[0].sample.meta) == ("k1", {"extra": "x"})


@pytest.mark.parametrize("column", ["document", "summary", "key"])
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, column: str) -> None:
    """Ids and texts are never made of the number of bytes; other rows are read."""
    good = {"key": b"k1", "document": SOURCE.encode(), "summary": SUMMARY.encode()}
    bad = {**good, "key": b"k2", column: b"\xff\xfe\x01"}
    path = parquet(tmp_path / "a.parquet", [good, bad])
    records, (problem,) = read(
        path, id_column="key", source_column="document", summary_column="summary"
    )
    assert (len(records), problem.refused, problem.code) == (1, True, "bytes-not-text")


def test_other_bytes_are_counted_as_a_loss(tmp_path: Path) -> None:
    """A column with an image, for example, is named; the sample is kept."""
    row = {"source": SOURCE, "summary": SUMMARY, "image": b"\xff\xd8\xff"}
    (record,), (problem,) = read(parquet(tmp_path / "a.parquet", [row]))
    assert (problem.refused, problem.code, "'image'" in problem.message) == (
        False,
        "bytes-dropped",
        True,
    )
    assert record.sample.meta == {"image": "3 bytes"}


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a"])
def test_wide_encodings_without_a_mark_are_recognized(
    tmp_path: Path, encoding: str, name: str
) -> None:
    """The hint names the encoding with the byte order in which the file is read."""
    file = tmp_path / name
    text = f'[{{"source": "{SOURCE}", "summary": "{SUMMARY}"}}]'
    if "json" not in name:
        cells = [["source", "summary"], [SOURCE, SUMMARY]]
        text = "\n".join(("\t" if name == "a.tsv" else ",").join(row) for row in cells)
    if name == "a.jsonl":
        text = text[1:-1]
    file.write_bytes(text.encode(encoding))
    with pytest.raises(InvalidInput, check=has_code("encoding-wide")) as raised:
        read(file)
    assert raised.value.hint.endswith(f"--encoding {encoding}")
    (record,), problems = read(file, encoding=encoding)
    assert ([each.text for each in record.sample.documents], problems) == ([SOURCE, SUMMARY], [])


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("43/bytes.parquet", ["abc", "xyz"]),
        ("43/uuid.parquet", ["0123456789abcdef", "fedcba9876543210"]),
        ("42/bytes.parquet", []),
        ("42/types.parquet", ["abc"]),
    ],
)
def test_parquet_files_of_public_reports(name: str, ids: list[str]) -> None:
    """Texts and ids in BINARY columns are texts."""
    records, _ = read(report_file(name), id_column="id" if ids else "")
    assert [each.sample.id for each in records] == (ids or ["0"])
    assert not any(each.sample.side(Side.SOURCE)[0].text.endswith(" bytes") for each in records)
