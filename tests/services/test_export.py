"""Export: what is stored goes out as one moment, whole or not at all, and changes nothing."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import pytest

import tui_annotate
from tests.services.ingest_stores import Stores, write_dump, write_pairs
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.plugins import registry
from tui_annotate.plugins.files.targets import replace_file
from tui_annotate.plugins.protocols import ExportOptions, ExportReport
from tui_annotate.plugins.traits import RecordTrait
from tui_annotate.services.export import parse_time
from tui_annotate.services.export.pseudonyms import Pseudonyms


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """A workspace with a dump of twelve samples and three pairs without annotations."""
    (tmp_path / "workspace").mkdir()
    found = Stores(tmp_path / "workspace")
    dump = write_dump(tmp_path / "dump.json", samples=12)
    found.run(dump, write_pairs(tmp_path / "pairs.jsonl", samples=3), embedder="none")
    return found


@pytest.mark.parametrize("exporter", ["native", "mercury", "csv"])
def test_the_same_store_gives_the_same_bytes(stores: Stores, tmp_path: Path, exporter: str) -> None:
    """Into a file, again, or into an open stream: the same text."""
    first = stores.exported(exporter, tmp_path / "a")
    assert stores.exported(exporter, tmp_path / "b") == first
    stream = io.StringIO(newline="")
    report = stores.export.run(exporter, stream)
    assert stream.getvalue() == first
    left_out = report.lost.get(RecordTrait.UNREAD, 0) if exporter == "csv" else 0
    assert (report.records + left_out, report.annotations) == (15, 12)


def test_standard_output_is_a_target(
    stores: Stores, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Without a file the records go to standard output."""
    stores.export.run("native", None, filters=RecordFilter(dataset="pairs"))
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["1", "2", "3"]


def test_filters_choose_records(stores: Stores, tmp_path: Path) -> None:
    """Only what goes through the filter is written."""
    rows = json.loads(stores.exported("mercury", tmp_path / "a", dataset="dump", person="a1"))
    assert [row["sample_id"] for row in rows] == [1, 4, 7, 10]
    assert {one["annotator"] for row in rows for one in row["annotations"]} == {"a1"}


def test_a_time_is_told_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time with a zone is moved to UTC; a day is its first moment; nothing stays nothing."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        assert parse_time("2026-01-31") == "2026-01-31T00:00:00.000000+00:00"
    time.tzset()
    assert parse_time("2026-01-31T12:00+02:00") == "2026-01-31T10:00:00.000000+00:00"
    assert parse_time("") == ""
    with pytest.raises(InvalidInput):
        parse_time("31.1.2026")


@pytest.mark.parametrize(
    ("name", "value", "there"),
    [
        ("dataset", "nope", "dump, pairs"),
        ("person", "nope", "ana"),
        ("label", "Nope", "Benign"),
        ("origin", "nope", "human"),
        ("state", "nope", "skipped"),
        ("since", "nope", "2026-01-31"),
    ],
)
def test_a_filter_that_names_nothing_is_refused(
    stores: Stores, tmp_path: Path, name: str, value: str, there: str
) -> None:
    """The value and what there is are told, and nothing is written."""
    with pytest.raises(InvalidInput, match=f"'{value}'") as caught:
        stores.exported("native", tmp_path / "out", **{name: value})
    assert there in caught.value.hint
    assert not (tmp_path / "out").exists()


class _Writer:
    """An exporter that does something between records."""

    name = "made"

    def __init__(self, deed: object) -> None:
        self.deed = deed

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """A line a sample."""
        del options
        report = ExportReport()
        for record in records:
            target.write(f"{record.sample.key}\n")
            if callable(self.deed):
                self.deed()
            report.records += 1
        return report


def _with(monkeypatch: pytest.MonkeyPatch, deed: object) -> None:
    monkeypatch.setattr(registry, "load", lambda *_: _Writer(deed))


def test_an_export_holds_no_lock_and_sees_one_moment(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it streams, others write; what they write is not in it."""
    first = next(iter(stores.corpus.records(RecordFilter())))
    later = [replace(first, sample=replace(first.sample, dataset="z"))]

    def write() -> None:
        stores.ingest.run(later, embedder="none")

    _with(monkeypatch, write)
    report = stores.export.run("made", tmp_path / "out")
    assert report.records == 15
    assert stores.corpus.totals()[0] == 16


def test_a_broken_exporter_leaves_nothing(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's mistake is told by name, and what stood in the file stays."""

    def breaks() -> None:
        raise KeyError("oops")

    _with(monkeypatch, breaks)
    target = tmp_path / "out"
    target.write_text("before")
    with pytest.raises(Unavailable, match="'made'"):
        stores.export.run("made", target)
    assert target.read_text() == "before"
    assert list(tmp_path.glob(".*.part")) == []


def test_the_next_run_removes_what_a_killed_run_left(stores: Stores, tmp_path: Path) -> None:
    """Files and folders of the same target, but not what another process is writing."""
    left = [tmp_path / f".{name}.0123abcd.part" for name in ("out", "folder")]
    left[0].touch()
    left[1].mkdir()
    other = tmp_path / ".other.0123abcd.part"
    other.touch()
    for path in left:
        os.utime(path, (0, 0))
    new = tmp_path / ".out.01234567.part"  # its writer has not locked it yet
    new.touch()
    with replace_file(tmp_path / "out"):
        written = set(tmp_path.iterdir()) - {*left, other, new}
        stores.export.run("native", tmp_path / "out")
        assert written < set(tmp_path.iterdir())
    stores.export.run("brat", tmp_path / "folder")
    assert not any(path.exists() for path in left)
    assert other.exists()
    assert new.exists()


def test_wrong_wishes_are_told(stores: Stores, tmp_path: Path) -> None:
    """An unknown format names those there are; a folder is no target."""
    with pytest.raises(InvalidInput, match="'xml'") as caught:
        stores.export.run("xml", tmp_path / "out")
    there = ", ".join(registry.plugin_names("exporters"))
    assert there in caught.value.hint
    with pytest.raises(InvalidInput, match=tmp_path.name):
        stores.export.run("native", tmp_path)


def test_every_format_writes_packed(stores: Stores, tmp_path: Path) -> None:
    """A name that ends in .gz is packed, and reads back as the plain one."""
    stores.exported("native", tmp_path / "a.jsonl")
    stores.export.run("native", tmp_path / "a.jsonl.gz")
    (tmp_path / "again").mkdir()
    again = Stores(tmp_path / "again")
    again.run(tmp_path / "a.jsonl.gz", embedder="none")
    assert again.exported("native", tmp_path / "b.jsonl") != ""
    assert again.contents() == stores.contents()


def test_label_studio_gets_the_address_of_an_imported_person(tmp_path: Path) -> None:
    """A user who continues the work of an imported person keeps the imported address."""
    user = {"id": 4, "email": "eva@example.org", "first_name": "Eva"}
    task = {
        "data": {"source": "It cost 12.", "summary": "It cost 15.", "sample_id": "b-001"},
        "annotations": [{"completed_by": user, "result": []}],
    }
    (tmp_path / "tasks.json").write_text(json.dumps([task]), "utf-8")
    with tui_annotate.create(tmp_path / "w") as space:
        space.ingest(tmp_path / "tasks.json", format="labelstudio", embedder="none")
        eva = space.person("eva")
        space.team.person_merges.merge(space.people.person("eva@example.org"), eva)
        target = tmp_path / "out.json"

        def author(names: Pseudonyms | None = None) -> dict[str, str]:
            target.unlink(missing_ok=True)
            space.export(target, format="labelstudio", names=names)
            ((submission,),) = [each["annotations"] for each in json.loads(target.read_text())]
            found: dict[str, str] = submission["completed_by"]
            return found

        assert author() == {"id": eva.id, "email": "eva@example.org", "first_name": "eva"}
        hidden = author(Pseudonyms(bytes(32), ()))
        assert "eva" not in json.dumps(hidden)
