"""Real files of FaithBench: in and out again, word for word, in both forms."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.record_reader import file, read, write
from tests.services.ingest_stores import Stores
from tui_annotate.domain.records import RecordFilter
from tui_annotate.plugins.traits import RecordTrait

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[3].parent / "shared"))
FORMS = ("mercury", "faithbench")


def _files(pattern: str) -> list[Path]:
    """Those that are there.

    Real data can not be part of the repository.
    """
    found = sorted((SHARED / "data" / "faithbench").glob(pattern))
    if not found:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with dumps")
    return found


def _exact(text: str) -> str:
    """The values of a file in its own order of keys: only white space is not compared."""
    return json.dumps(json.loads(text), ensure_ascii=False)


def _form(path: Path) -> str:
    return "faithbench" if path.name.startswith("release") else "mercury"


def test_every_file_goes_out_as_it_came_in() -> None:
    """Samples, annotations, keys and their order; either reader takes either form."""
    for path in _files("*.json"):
        for reader in FORMS:
            records, problems = read(path, reader)
            assert [problem for problem in problems if problem.refused] == []
            text, report = write(records, _form(path))
            assert _exact(text) == _exact(path.read_text("utf-8")), path.name
            assert report.lost == {}


def test_every_file_survives_the_other_form(tmp_path: Path) -> None:
    """A dump made a release, or a release made a dump, is the file again on the way back."""
    for path in _files("*.json"):
        (other,) = {*FORMS} - {_form(path)}
        records, _ = read(path)
        changed, first = write(records, other)
        there, _ = read(file(tmp_path, "other.json", changed))
        again, _ = write(there, other)
        assert _exact(again) == _exact(changed), path.name
        back, _ = write(there, _form(path))
        assert _exact(back) == _exact(path.read_text("utf-8")), path.name
        assert set(first.lost) <= {
            RecordTrait.ORIGIN,
            RecordTrait.IMPORTED,
        }  # imported:OTHER, and its rows


def test_every_file_goes_through_one_workspace(tmp_path: Path) -> None:
    """All of them stored, each out again as its own dataset; nothing is told to be lost."""
    paths = _files("*.json")
    stores = Stores(tmp_path)
    assert stores.run(*paths, embedder="none").refused == 0
    for path in paths:
        out, mine = tmp_path / "out.json", RecordFilter(dataset=path.stem)
        report = stores.export.run(_form(path), out, filters=mine)
        assert _exact(out.read_text("utf-8")) == _exact(path.read_text("utf-8")), path.name
        assert report.lost == {}, path.name


def test_a_dump_and_its_release_say_the_same() -> None:
    """The batch that is there in both forms: the same but for the spelling of a label."""
    dump, release = (_files(name)[0] for name in ("batch_2_*.json", "release_batch_2.json"))
    one, other = (read(path)[0] for path in (dump, release))
    assert [_said(record) for record in one] == [_said(record) for record in other]


def _said(record: Any) -> Any:
    annotations = [
        (
            one.person,
            one.annotation.claim,
            one.annotation.evidence,
            one.annotation.note,
            [[name.replace("Instr", "Intr") for name in path] for path in one.annotation.labels],
        )
        for one in record.annotations
    ]
    return record.sample.id, record.sample.documents, sorted(annotations, key=repr)
