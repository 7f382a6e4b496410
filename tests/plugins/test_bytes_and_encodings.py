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
from tui_annotate.plugins.files.streams import _guess_wide_encoding

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


CHINESE = "茶厂去年加工鲜叶一千八百吨。今年三月的低温冻坏了茶园，茶厂停工。"


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"])
@pytest.mark.parametrize("header", ["source,summary", "源文,摘要", "文章,概括,编号"])
def test_chinese_wide_encodings_without_a_mark_are_recognized(
    tmp_path: Path, encoding: str, header: str
) -> None:
    """Its high bytes are not NUL; the hint names the byte order, with which the file is read."""
    file = tmp_path / "a.csv"
    row = [CHINESE, "茶厂停工。", "一"][: len(header.split(","))]
    file.write_bytes(f"{header}\n{','.join(row)}\n".encode(encoding))
    with pytest.raises(InvalidInput, check=has_code("encoding-wide")) as raised:
        read(file)
    assert raised.value.hint.endswith(f"--encoding {encoding}")
    source, summary, *_ = header.split(",")
    (record,), _ = read(file, encoding=encoding, source_column=source, summary_column=summary)
    assert [each.text for each in record.sample.documents] == row[:2]


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "shift_jis", "euc-jp", "cp1252", "utf-8"])
def test_other_encodings_are_not_taken_for_utf16(tmp_path: Path, encoding: str) -> None:
    """Pairs of their bytes can be Chinese characters of UTF-16 as well."""
    text = {
        "shift_jis": "これは日本語の文章です。テストのためのもの、です。カタカナ",
        "euc-jp": "これは日本語の文章です。テストのためのもの、です。カタカナ",
        "big5": "茶廠去年加工鮮葉一千八百噸。今年三月的低溫凍壞了茶園，茶廠停工。",
        "cp1252": "Die Brücke wurde für 12 Millionen geöffnet, é à ü ö ß " * 3,
    }.get(encoding, CHINESE)
    for lead in ("", "x", "source,summary\n", "源"[: encoding in {"gb18030", "utf-8"}]):
        assert _guess_wide_encoding((lead + text).encode(encoding)) == ""
    file = tmp_path / "a.csv"
    file.write_bytes(f"source,summary\n{text.replace(',', ' ')},{text[:5]}\n".encode(encoding))
    (record,), _ = read(file, encoding=encoding)
    assert record.sample.documents[1].text == text[:5]


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
    assert [each.sample.id for each in records] == (ids or ["1"])
    assert not any(each.sample.side(Side.SOURCE)[0].text.endswith(" bytes") for each in records)
