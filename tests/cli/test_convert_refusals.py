"""convert where it can not read, guess or write: what stands there stays, and the words fit."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.plugins.strategies import DUMP
from tui_annotate.domain.errors import InvalidInput, Unavailable


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """A dump of one sample with one annotation."""
    path = tmp_path / "dump.json"
    path.write_text(json.dumps([DUMP]), "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"topic,name\nA.,B.\n", "a.csv: "),
        ("a.csv.gz", gzip.compress(b"source,summary\nA.,B.\n", mtime=0)[:12], "a.csv.gz"),
        ("a.jsonl", b"", "a.jsonl: "),
        ("a.jsonl", b'{"source": "\xff", "summary": "B."}\n' * 30, "a.jsonl:1: "),
        ("a.parquet", b"PAR1", "a.parquet"),
    ],
)
def test_where_nothing_is_read_nothing_is_written(
    command: Command, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    """What stands at OUT stays to the byte, and what is not there is not made; nor is it said."""
    (tmp_path / name).write_bytes(content)
    (tmp_path / "out").write_text("kept", "utf-8")
    (tmp_path / "empty").mkdir()
    for form in ("native", "mercury", "csv", "xlsx"):
        for target in ("out", "new"):
            done = command("convert", name, target, "--to", form)
            assert type(done.error) is InvalidInput
            assert name in done.error.message
            assert done.err.startswith(told)
            assert 0 not in numbers(done.err)
            assert done.err.count("utf-8") <= 1
    for form in ("brat", "ragtruth", "csv-tables", "parquet"):
        layer = ("--layer", "all") if form in {"brat", "ragtruth"} else ()
        for target in ("empty", "new"):
            done = command("convert", name, target, "--to", form, *layer)
            assert done.code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "empty", "out"])
    assert list((tmp_path / "empty").iterdir()) == []
    assert (tmp_path / "out").read_text("utf-8") == "kept"


def test_problems_are_told_in_full_where_nothing_is_read(command: Command, tmp_path: Path) -> None:
    """The first of them, and how many more there were."""
    (tmp_path / "a.jsonl").write_text("{}\n" * 30, "utf-8")
    done = command("convert", "a.jsonl", "b", "--from", "native", "--to", "native")
    assert 10 in numbers(done.err)


def test_the_hint_names_an_option_that_there_is(command: Command, tmp_path: Path) -> None:
    """If the format of a file is unclear, the hint names `--from`."""
    (tmp_path / "a.json").write_text('[{"topic": "A.", "claim": "B."}]', "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("A.", "utf-8")
    assert command("init", "w").code == 0
    for name in ("a.json", "folder"):
        for words in (
            ("convert", name, "b", "--to", "native"),
            ("report", name, "-o", "b"),
            ("ingest", "-w", "w", name),
        ):
            done = command(*words)
            assert (done.code, "--from" in done.err) == (2, True)


def test_a_folder_called_by_a_dot_has_its_name(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dataset of `.` is called as the folder is; so is that of `..`."""
    from pyarrow import Table, parquet

    place = tmp_path / "news" / "more"
    place.mkdir(parents=True)
    rows = [{"source": "A.", "summary": "B."}]
    parquet.write_table(Table.from_pylist(rows), place.parent / "a.parquet")
    for folder, name in ((place.parent, "."), (place, "..")):
        monkeypatch.chdir(folder)
        done = command("convert", name, "-", "--to", "native")
        assert done.json["dataset"] == "news"


def test_what_takes_no_files_is_told_by_its_name(command: Command, dump: str) -> None:
    """Neither a number of an error nor the name that the file has while it is written."""
    done = command("convert", dump, "/proc/x.csv")
    assert type(done.error) is Unavailable
    assert "/proc/x.csv" in done.error.message
    assert "Errno" not in done.err
    assert ".part" not in done.err
