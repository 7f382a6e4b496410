"""Values that broken files held when readers fell over them."""

from __future__ import annotations

import copy
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.fuzz.foreign import STANDOFF, TASK, TEXT
from tests.fuzz.readers import placed
from tests.plugins.formats.laws import about, base, write
from tests.plugins.record_reader import file, read
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Request, SampleKind
from tui_annotate.plugins import registry
from tui_annotate.plugins.traits import Loss, RecordTrait


@pytest.mark.parametrize("told", [10**400, float("nan"), float("inf"), -1, True, "9", None])
def test_a_time_that_is_none_is_none(tmp_path: Path, told: Any) -> None:
    """Whatever stands in a task of Label Studio for the time of work, the work comes in."""
    task = copy.deepcopy(TASK)
    task["annotations"][0]["lead_time"] = told
    (record,), _ = read(file(tmp_path, "a.json", json.dumps([task])), "labelstudio")
    assert record.assignments[0].seconds == 0


@pytest.mark.parametrize("label", [[], [1], "a", None])
def test_a_type_of_brat_stands_for_a_label(tmp_path: Path, label: Any) -> None:
    """A label of no levels is none; nor is one of numbers."""
    row = json.dumps({"type": "Wrong", "label": label})
    files = {"ana/b.txt": TEXT, "ana/b.ann": STANDOFF, "labels.jsonl": row}
    corpus = placed({name: text.encode() for name, text in files.items()}, tmp_path)
    with pytest.raises(InvalidInput, match=r"labels\.jsonl"):
        read(corpus, "brat")


def _odd(name: str) -> Record:
    """A sample that a format takes, with three numbers in its metadata that JSON does not have."""
    plain = base(name if about(name).layered else "ana")
    meta = {"p": math.nan, "q": {"r": [math.inf, -math.inf, 1.5]}}
    kind = SampleKind.QUESTION if name == "open-qa" else SampleKind.PAIR
    request = Request(question="How much?")
    sample = replace(plain.sample, meta=meta, kind=kind, request=request, group="g")
    return replace(plain, sample=sample)


@pytest.mark.parametrize("name", registry.plugin_names("exporters"))
def test_no_format_writes_numbers_that_json_does_not_have(tmp_path: Path, name: str) -> None:
    """NaN and infinities are null in every file, and the report counts those that were written."""
    report = write([_odd(name)], name, tmp_path / "out")
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    content = b"".join(each.read_bytes() for each in files)

    if name != "xlsx":  # which is compressed
        assert not re.search(rb"NaN|Infinity", content)
    written = b"1.5" in content or name in {"parquet", "xlsx"}
    assert report.lost.get(Loss.NOT_FINITE, 0) == (3 if written else 0)
    carried = about(name).carried.get(RecordTrait.META) == "yes"
    assert written == (carried and report.records == 1)


@pytest.mark.parametrize("name", ["json", "parquet"])
def test_numbers_in_the_cells_of_a_table_are_null(tmp_path: Path, name: str) -> None:
    """The metadata of a table is JSON in a cell, as strict as other JSON."""
    write([_odd(name)], name, tmp_path / "out")
    if name == "json":
        rows = json.loads((tmp_path / "out").read_text())
    else:
        rows = pyarrow.parquet.read_table(tmp_path / "out" / "annotations.parquet").to_pylist()
    assert json.loads(rows[0]["meta"]) == {"p": None, "q": {"r": [None, None, 1.5]}}
