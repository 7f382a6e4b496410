"""Annotation files as public reports have them: every usable span is read, every other is named."""

from __future__ import annotations

import pytest

from tests.helpers.public_reports import find_report
from tests.plugins.record_reader import read
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side

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
    records, problems = read(find_report(name), importer)
    assert [list_words(record) for record in records] == words
    assert not any(problem.refused for problem in problems)
    assert sum(problem.refuses_part for problem in problems) == refused
    assert len(problems) == refused + warnings


def test_the_hint_of_an_unclear_unit_names_the_option() -> None:
    """The file has the quotes already, so that the hint asks for the unit; both units are read."""
    path = find_report("03/tasks.json")
    (problem,) = (each for each in read(path, "labelstudio")[1] if each.refuses_part)
    assert "--offsets codepoint" in problem.hint
    assert "quote" not in problem.hint
    for unit in ("codepoint", "utf16"):
        records, _ = read(path, "labelstudio", offsets=unit)
        assert list_words(records[4]) != []
