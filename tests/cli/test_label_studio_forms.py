"""Label Studio's export JSON and its tables in one workspace: the same work is stored once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.plugins.formats.test_label_studio_tables import (
    FLAT,
    SOURCE,
    SUMMARY,
    flat_file,
    flatten,
    record_of,
    region,
)
from tests.plugins.record_reader import file, write


def item(key: str, text: str, words: str, /, **value: Any) -> dict[str, Any]:
    """A result item about words of a text, by default a region with a label."""
    side, control = ("source", "ev") if text == SOURCE else ("summary", "claim")
    marked = region(text, words, "A" if text == SUMMARY else "Evidence")
    kind = "textarea" if value else "labels"
    if value:
        marked = {"start": marked["start"], "end": marked["end"], **value}
        control = "note"
    named = {"id": key, "from_name": control, "to_name": side}
    return {**named, "type": kind, "value": marked}


def tasks(*results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tasks with one submission each."""
    return [
        {
            "id": number,
            "data": {"source": SOURCE, "summary": SUMMARY},
            "annotations": [
                {"id": 9, "completed_by": 5, "lead_time": 2.5, "result": result},
            ],
        }
        for number, result in enumerate(results, 1)
    ]


PLAIN = [item("a1", SUMMARY, "old"), item("b2", SUMMARY, "1871"), item("c3", SOURCE, "1874")]
LINK = {"type": "relation", "from_id": "b2", "to_id": "c3", "direction": "right"}


def ingest(command: Command, workspace: str, path: Path) -> Any:
    """The report of an import."""
    words = ("--dataset", "d", "--embedder", "none", "--json")
    return command("-w", workspace, "ingest", str(path), *words).json


def counts(command: Command, workspace: str, path: Path) -> tuple[int, int, int]:
    """The annotations that an import added, knew and found removed."""
    done = ingest(command, workspace, path)
    names = ("annotations", "annotations_known", "annotations_deleted_earlier")
    added, known, removed = (done[name] for name in names)
    return added, known, removed


@pytest.mark.parametrize("kind", FLAT)
def test_the_second_form_of_an_export_is_known(command: Command, tmp_path: Path, kind: str) -> None:
    """The order of the forms does not matter, nor does a repetition."""
    found = tasks(PLAIN, PLAIN)
    full = file(tmp_path, "full.json", json.dumps(found))
    flat = flat_file(tmp_path, kind, list(flatten(found, kind)))
    for name, first, second in (("v", full, flat), ("w", flat, full)):
        command("init", name)
        assert counts(command, name, first) == (6, 0, 0)
        for path in (second, first, second):
            assert counts(command, name, path) == (0, 6, 0)


def test_both_forms_of_our_own_export_are_one_work(command: Command, tmp_path: Path) -> None:
    """Tables lose the origin `human` of annotations that were made in this program."""
    text, _ = write([record_of(1), record_of(2)], "labelstudio")
    full = file(tmp_path, "full.json", text)
    flat = flat_file(tmp_path, "csv", list(flatten(json.loads(text), "csv")))
    for name, first, second in (("v", full, flat), ("w", flat, full)):
        command("init", name)
        added, _, _ = counts(command, name, first)
        assert counts(command, name, second) == (0, added, 0)


def test_links_and_notes_that_only_one_form_has_are_never_lost(
    command: Command, tmp_path: Path
) -> None:
    """Tables have each span apart: what the stored work contains is known, all else is added."""
    found = tasks([*PLAIN, item("a1", SUMMARY, "old", text=["Why?", "So."]), LINK])
    full = file(tmp_path, "full.json", json.dumps(found))
    rows = list(flatten(found, "csv"))
    for each in rows:
        del each["note"]
    flat = flat_file(tmp_path, "csv", rows)
    command("init", "v")
    assert counts(command, "v", full) == (2, 0, 0)
    assert counts(command, "v", flat) == (1, 2, 0)
    command("init", "w")
    assert counts(command, "w", flat) == (3, 0, 0)
    assert counts(command, "w", full) == (2, 0, 0)


def test_more_work_in_the_other_form_is_added(command: Command, tmp_path: Path) -> None:
    """Another label, span or annotator is another annotation."""
    found = tasks(PLAIN)
    full = file(tmp_path, "full.json", json.dumps(found))
    more = tasks([*PLAIN, item("d4", SUMMARY, "mill")])
    more[0]["annotations"][0]["result"][0]["value"]["labels"] = ["B"]
    flat = flat_file(tmp_path, "csv", list(flatten(more, "csv")))
    command("init", "w")
    counts(command, "w", full)
    assert counts(command, "w", flat) == (2, 2, 0)
