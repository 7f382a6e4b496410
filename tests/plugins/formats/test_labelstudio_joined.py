"""Label Studio: tasks with one text, which is a source, the separator and a summary."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.formats.laws import read
from tests.plugins.record_reader import file
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.joined_texts import SEPARATOR

SOURCE = "The bridge 🌉 opened in 1932.\nIt cost 12 million pounds."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."


def _labels(key: str, side: str, quote: str, label: str) -> dict[str, Any]:
    start = (SOURCE if side == "source" else SUMMARY).index(quote)
    value = {"start": start, "end": start + len(quote), "text": quote, "labels": [label]}
    return {"id": key, "from_name": "x", "to_name": side, "type": "labels", "value": value}


CLAIM = _labels("r1", "summary", "15 million pounds", "Unwanted.Intrinsic")
PROOF = _labels("r2", "source", "12 million pounds", "Evidence")
NOTE = {
    "id": "r1", "from_name": "note", "to_name": "summary", "type": "textarea",
    "value": {"start": 21, "end": 38, "text": ["12, not 15"]},
}  # fmt: skip
LINK = {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right"}
RATING = {"id": "x", "type": "choices", "to_name": "summary", "value": {"choices": ["good"]}}
TASK: dict[str, Any] = {
    "id": 7,
    "data": {"source": SOURCE, "summary": SUMMARY, "sample_id": "b-001", "topic": "bridges"},
    "annotations": [
        {"completed_by": 3, "result": [CLAIM, NOTE, PROOF, LINK, RATING]},
        {"completed_by": 4, "was_cancelled": True, "result": []},
    ],
    "predictions": [{"model_version": "toy-1", "result": [CLAIM]}],
}


def _read(folder: Path, *tasks: Any, **options: Any) -> tuple[list[Record], list[Problem]]:
    return read(file(folder, "tasks.json", json.dumps(tasks)), "labelstudio", **options)


def _said(record: Record) -> tuple[object, ...]:
    """All of it but the ids that come from the rows."""
    owned = [(one.person, replace(one.annotation, id="")) for one in record.annotations]
    return record.sample, owned, record.assignments, record.people


def _joined(**more: Any) -> dict[str, Any]:
    """The task with one text, as a configuration with a single text has it."""
    task: dict[str, Any] = json.loads(json.dumps(TASK))
    task["data"] = {"text": f"{SOURCE}{SEPARATOR}{SUMMARY}", "sample_id": "b-001"} | more
    for part in (*task["annotations"], *task["predictions"]):
        for item in part["result"]:
            if "start" in item.get("value", {}):
                shift = len(SOURCE + SEPARATOR) if item["to_name"] == "summary" else 0
                item["to_name"] = "text"
                item["value"]["start"] += shift
                item["value"]["end"] += shift
    return task


def test_one_joined_text_is_parted(tmp_path: Path) -> None:
    """A source, the separator and a summary give what two texts would, whatever the tag's name."""
    joined = json.loads(
        json.dumps(_joined(topic="bridges")).replace('"to_name": "text"', '"to_name": "t"')
    )
    assert detect(file(tmp_path, "tasks.json", json.dumps([joined]))) == "labelstudio"
    (found,), problems = _read(tmp_path, joined)
    (plain,), _ = _read(tmp_path, TASK)
    assert problems == []
    assert _said(found) == _said(plain)


def test_lengths_say_where_a_text_is_parted(tmp_path: Path) -> None:
    """Where the text holds the separator twice, `source_len` and `sep_len` part it."""
    text = f"{SOURCE}{SEPARATOR}{SUMMARY}{SEPARATOR}"
    twice = _joined(text=text)
    assert "'source'" in _read(tmp_path, twice)[1][0].message
    lengths = {"source_len": len(SOURCE), "sep_len": len(SEPARATOR)}
    (record,), problems = _read(tmp_path, _joined(text=text, **lengths))
    assert [document.text for document in record.sample.documents] == [SOURCE, SUMMARY + SEPARATOR]
    assert (record.sample.meta, problems) == ({}, [])


def test_a_named_column_is_parted(tmp_path: Path) -> None:
    """Where both options name one column; columns called as the texts are meta then."""
    task = _joined(source="a newspaper")
    task["data"]["body"] = task["data"].pop("text")
    options = {"source_column": "body", "summary_column": "body"}
    (record,), _ = _read(tmp_path, task, **options)
    assert record.sample.meta == {"source": "a newspaper"}
    assert len(record.annotations) == 2
    task["data"]["body"] = "without a separator"
    records, (problem,) = _read(tmp_path, task, **options)
    assert (records, problem.refused) == ([], True)
    assert "source_len" in problem.hint


def test_older_offsets_of_a_joined_text_are_recognised(tmp_path: Path) -> None:
    """They are counted over the whole text, an emoji of the source before the summary's spans."""
    task = _joined()
    for part in (*task["annotations"], *task["predictions"]):
        for item in part["result"]:
            if "start" in item.get("value", {}):
                item["value"]["start"] += 1
                item["value"]["end"] += 1
    (found,), (doubt,) = _read(tmp_path, task)
    assert not doubt.refused
    assert "UTF-16" in doubt.message
    (plain,), _ = _read(tmp_path, _joined())
    assert _said(found) == _said(plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(text="no separator"), "'source'"),
        (lambda data: data.update(other=data["text"]), "'source'"),
        (lambda data: data.update(source=SOURCE), "'summary'"),
        (lambda data: data.update(text=SEPARATOR + SUMMARY), "'text (source)' is empty"),
    ],
)
def test_a_text_that_is_not_certain_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    """Two candidates, none, or one of the two columns: nothing is guessed."""
    task = _joined()
    change(task["data"])
    records, problems = _read(tmp_path, task)
    assert records == []
    assert message in problems[0].message


def test_a_region_over_the_separator_is_refused(tmp_path: Path) -> None:
    """It would be about both texts."""
    task = _joined()
    value = task["annotations"][0]["result"][0]["value"]
    text = task["data"]["text"]
    value.update(start=len(SOURCE) - 3, end=len(SOURCE) + 30)
    value["text"] = text[value["start"] : value["end"]]
    (plain,), _ = _read(tmp_path, _joined())
    (record,), problems = _read(tmp_path, task)
    before, after = (
        sum(bool(owned.annotation.claim) for owned in each.annotations) for each in (plain, record)
    )
    assert after == before - 1
    assert problems[0].refuses_part
    assert str(value["start"]) in problems[0].message
