"""Files that hold no data say what they are; compressed files of all kinds are read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.conftest import Command
from tests.helpers.errors import has_code
from tests.helpers.report_files import report_file
from tests.plugins.record_reader import read
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.format_detection import detect

ROW = '{"source": "The mill was built in 1874.", "summary": "The mill was built in 1871."}\n'
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123456\n"
PAGE = b"\n<!DOCTYPE html>\n<html><body>Not found</body></html>\n"
DENIED = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>'


def zipped(names: list[str]) -> bytes:
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        for name in names:
            archive.writestr(name, ROW)
    return target.getvalue()


def tarred() -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("rows.jsonl"))
    return target.getvalue()


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.xlsx", "a"]
)
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (LFS, "Git LFS"),
        (b"\xef\xbb\xbf" + LFS, "Git LFS"),
        (b"/annex/objects/SHA256E-s1--0.csv\n", "git-annex"),
        (PAGE, "web page"),
        (PAGE.lower(), "web page"),
        (DENIED, "web page"),
        (gzip.compress(LFS), "Git LFS"),
        (bz2.compress(PAGE), "web page"),
        (tarred(), "tar"),
        (b"7z\xbc\xaf\x27\x1c\0\0", "7z"),
    ],
    ids=range(10),
)
def test_a_file_that_holds_no_data_is_named(
    tmp_path: Path, name: str, content: bytes, what: str
) -> None:
    """The message says what the file is, whatever its name is."""
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=what, check=has_code("format-not-readable")):
        detect(file)


@pytest.mark.parametrize("form", ["csv", "json", "xlsx", "pairs"])
def test_a_named_format_does_not_hide_what_a_file_is(
    command: Command, tmp_path: Path, form: str
) -> None:
    """With --from, and for one file of a folder, a pointer is no broken table."""
    (tmp_path / "a.parquet").write_bytes(LFS)
    done = command("convert", "a.parquet", "b.json", "--to", "native", "--from", form)
    assert done.code == 2
    assert form == "xlsx" or "Git LFS" in done.err + str(done.error)
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows/good.jsonl").write_text(ROW, "utf-8")
    (tmp_path / "rows/bad.csv").write_bytes(PAGE)
    done = command("convert", "rows", "b.json", "--to", "native")
    assert (done.code, "web page" in done.err) == (3, True)


def test_a_zip_names_its_files(tmp_path: Path) -> None:
    """The hint says how to unpack it; a document of an office program has another hint."""
    (tmp_path / "a.csv.zip").write_bytes(zipped(["one.csv"]))
    with pytest.raises(InvalidInput, match=r"one\.csv") as raised:
        detect(tmp_path / "a.csv.zip")
    assert "unzip" in raised.value.hint
    (tmp_path / "a.docx").write_bytes(zipped(["[Content_Types].xml", "word/document.xml"]))
    with pytest.raises(InvalidInput, match="office"):
        detect(tmp_path / "a.docx")


@pytest.mark.parametrize(
    ("ending", "pack"),
    [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)],
)
def test_compressed_files_are_read(
    command: Command, tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    """Several parts and padding are read, a cut file is refused, and the same kind is written."""
    whole = pack(ROW.encode())
    file = tmp_path / f"rows.jsonl.{ending}"
    file.write_bytes(whole + pack(ROW.encode() * 3) + b"\0" * 8)
    records, problems = read(file)
    assert (len(records), problems) == (4, [])
    assert records[0].sample.dataset == "rows"
    file.write_bytes(pack(ROW.encode() * 4000)[:-9])
    _, (*_, problem) = read(file)
    assert problem.code in {"cut-short", "damaged"}
    file.write_bytes(whole[:8] + b"\1" * 90)
    _, (problem,) = read(file, importer="jsonl")
    assert problem.refused
    (tmp_path / "a.jsonl").write_text(ROW, "utf-8")
    for _ in range(2):
        assert command("convert", "a.jsonl", f"b.json.{ending}", "--to", "native").code == 0
    assert len(read(tmp_path / f"b.json.{ending}")[0]) == 1


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_bombs_of_all_kinds_are_refused(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """A file that unpacks to far more bytes than text would is refused."""
    file = tmp_path / "bomb.jsonl"
    file.write_bytes(pack(b" " * 30_000_000))
    _, (problem,) = read(file, importer="jsonl")
    assert problem.code == "bomb"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("29/data.csv", "Git LFS"),
        ("29/data.json", "Git LFS"),
        ("29/data.jsonl", "Git LFS"),
        ("29/data.jsonl.gz", "Git LFS"),
        ("29/data.parquet", "Git LFS"),
        ("29/data.xlsx", "Git LFS"),
        ("29/page.csv", "web page"),
        ("29/page.json", "web page"),
        ("41/one.csv.zip", "zip archive with"),
        ("41/two.zip", "zip archive with"),
    ],
)
def test_files_of_public_reports_are_named(name: str, what: str) -> None:
    """Files as downloads left them."""
    with pytest.raises(InvalidInput, match=what):
        detect(report_file(name))


@pytest.mark.parametrize(
    ("name", "count", "wrong"),
    [
        ("29/partial.jsonl", 1, 1),
        ("41/a.jsonl.bz2", 5, 0),
        ("41/multi.jsonl.gz", 5, 0),
        ("41/not_gz.jsonl.gz", 5, 0),
        ("41/really_gz.jsonl", 5, 0),
        ("41/trailing.jsonl.gz", 5, 0),
        ("41/trunc.jsonl.gz", 0, 1),
    ],
)
def test_compressed_files_of_public_reports_are_read(name: str, count: int, wrong: int) -> None:
    """What is readable is read; what is cut is refused."""
    records, problems = read(report_file(name))
    assert (len(records), sum(each.refused for each in problems)) == (count, wrong)
