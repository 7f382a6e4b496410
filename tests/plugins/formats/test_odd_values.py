"""Values that broken files held when readers fell over them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.foreign import STANDOFF, TASK, TEXT
from tests.fuzz.readers import placed
from tests.plugins.record_reader import file, read
from tui_annotate.domain.errors import InvalidInput


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
