"""Annotation files as public reports have them: every usable span is read, every other is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.report_files import report_file
from tests.plugins.record_reader import file, read
from tui_annotate.domain.assignments import State
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.joined_texts import SEPARATOR

WRONG = ("1871", "Unwanted")

FILES: list[tuple[str, str, list[list[tuple[str, str]]], int, int]] = [
    # file, format, (words, label) of each annotation of each sample, refused parts, warnings
    (
        "03/tasks.json",
        "labelstudio",
        [
            [("annotation", "Unwanted")],
            [("annotation", "Unwanted")],
            [("ha", "Unwanted"), ("ha", "Unwanted")],
            [("firetrucks", "Unwanted")],
            [],
            [("firetrucks", "Unwanted")],
        ],
        1,
        2,
    ),
    (
        "04/tasks.json",
        "labelstudio",
        [
            [("1871", ""), ("was built\nin", "Unwanted"), ("was built", "")],
            [WRONG],
            [],
            [],
            [],
            [],
            [],
        ],
        4,
        3,
    ),
    (
        "04b/tasks.json",
        "labelstudio",
        [
            [],
            [("was built\nin 1871", "Unwanted"), ("It is old", "Unwanted")],
            [("was\xa0built", "Unwanted")],
        ],
        1,
        2,
    ),
    ("06/all.jsonl", "doccano", [[WRONG]], 0, 0),
    ("06/quoted.jsonl", "doccano", [[], [WRONG]], 1, 0),
    ("06/class.jsonl", "doccano", [[], []], 2, 0),
    ("06b/data_label.jsonl", "doccano", [[WRONG]], 0, 0),
    ("06b/entities_lists.jsonl", "doccano", [[WRONG]], 0, 0),
    ("06b/labels_plural.jsonl", "doccano", [[WRONG]], 0, 0),
    ("06b/rel_data.jsonl", "doccano", [[WRONG]], 0, 1),
    (
        "07/all.jsonl",
        "doccano",
        [[("built in 1871", "Unwanted"), WRONG, WRONG, ("1871", '11 Occup/Health, "x"; ü')]],
        4,
        0,
    ),
    ("56/min.json", "", [[WRONG], [("Other", "Unwanted")]], 0, 0),
    ("08/corpus", "brat", [[WRONG], [("was\r\nbuilt", "Unwanted")], [WRONG]], 1, 2),
    ("08b/bomfile", "brat", [[WRONG]], 0, 1),
    ("08b/crlfall", "brat", [[WRONG]], 0, 1),
    ("08b/crlfsep", "brat", [[WRONG]], 0, 1),
    ("08b/doccano_crlf.jsonl", "doccano", [[WRONG]], 0, 0),
]


def list_words(record: Record) -> list[tuple[str, str]]:
    """The words and the label of each annotation of the summary."""
    text = record.sample.document(Side.SUMMARY).text
    return [
        (one.claim[0].span.of(text), ".".join(one.labels[0]) if one.labels else "")
        for one in (owned.annotation for owned in record.annotations)
        if one.claim
    ]


@pytest.mark.parametrize(
    ("name", "importer", "words", "refused", "warnings"), FILES, ids=[each[0] for each in FILES]
)
def test_a_file_of_a_report_is_read(
    name: str, importer: str, words: list[list[tuple[str, str]]], refused: int, warnings: int
) -> None:
    """All samples with all usable spans; each span that is not read is a problem of its own."""
    records, problems = read(report_file(name), importer)
    assert [list_words(record) for record in records] == words
    assert not any(problem.refused for problem in problems)
    assert sum(problem.refuses_part for problem in problems) == refused
    assert len(problems) == refused + warnings


def test_the_hint_of_an_unclear_unit_names_the_option() -> None:
    """The file has the quotes already, so that the hint asks for the unit; both units are read."""
    path = report_file("03/tasks.json")
    (problem,) = (each for each in read(path, "labelstudio")[1] if each.refuses_part)
    assert "--offsets codepoint" in problem.hint
    assert "quote" not in problem.hint
    for unit in ("codepoint", "utf16"):
        records, _ = read(path, "labelstudio", offsets=unit)
        assert list_words(records[4]) != []


def list_states(records: list[Record]) -> list[list[str]]:
    """The states of the assignments of each sample."""
    return [[work.state.value for work in record.assignments] for record in records]


@pytest.mark.parametrize(
    ("name", "importer", "states"),
    [
        ("03/tasks.json", "labelstudio", ["done", "done", "done", "done", "draft", "done"]),
        ("06/quoted.jsonl", "doccano", ["draft", ""]),
        ("07/all.jsonl", "doccano", ["draft"]),
    ],
)
def test_a_person_with_a_refused_span_has_not_completed_the_sample(
    name: str, importer: str, states: list[str]
) -> None:
    """A completed sample without marks would agree with people who marked nothing."""
    records, _ = read(report_file(name), importer)
    assert list_states(records) == [[state] if state else [] for state in states]


REGION = {"from_name": "claim", "type": "labels", "id": "r"}
TEXT = "It was built in 1871 by the river."


def make_submission(person: str, start: int, end: int, *, column: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": ["Unwanted"]}
    return {
        "completed_by": {"email": person},
        "result": [{**REGION, "to_name": column, "value": value}],
    }


@pytest.mark.parametrize("joined", [False, True])
def test_only_the_person_with_the_refused_region_is_in_progress(
    tmp_path: Path, joined: bool
) -> None:
    data, column = {"source": "The mill.", "summary": TEXT}, "summary"
    if joined:
        column = "text"
        data = {"text": f"The mill.{SEPARATOR}{TEXT}"}
    parts = [
        make_submission(name, 2, end, column=column) for name, end in [("ana", 8), ("ben", 900)]
    ]
    path = file(tmp_path, "tasks.json", json.dumps([{"data": data, "annotations": parts}]))
    (record,), problems = read(path, "labelstudio")
    assert {work.person: work.state for work in record.assignments} == {
        "ana": State.DONE,
        "ben": State.DRAFT,
    }
    assert any("'ben' counts as in progress" in problem.message for problem in problems)


def test_a_row_with_a_refused_span_is_in_progress(tmp_path: Path) -> None:
    rows = [
        {"source": "The mill.", "summary": TEXT, "who": "ana", "spans": [[16, 20]]},
        {"source": "The mill.", "summary": TEXT, "who": "ben", "spans": [[16, 900]]},
    ]
    path = file(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, rows)))
    (record,), _ = read(path, "pairs", span_column="spans", person_column="who")
    assert [work.state for work in record.assignments] == [State.DONE, State.DRAFT]
