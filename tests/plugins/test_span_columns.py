"""Spans in a column of a table: their forms, their labels, and those that are not found."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.record_reader import file, read
from tui_annotate.domain.assignments import State
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins import span_columns
from tui_annotate.plugins.protocols import SpanUse
from tui_annotate.plugins.span_columns import SPAN_AMBIGUOUS, SPAN_MISSING

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[2].parent / "shared"))
SOURCE = "A bridge of steel crosses the river."
SUMMARY = "The bridge, a big bridge, cost 3:10 and C#2."


def _read(
    folder: Path, cell: Any, labels: Any = None, **options: Any
) -> tuple[Record, list[Problem]]:
    """A row of JSON lines with a cell of spans, and perhaps of labels."""
    row = {"source": SOURCE, "summary": SUMMARY, "spans": cell, "kinds": labels}
    path = file(folder, "rows.jsonl", json.dumps(row, ensure_ascii=False) + "\n")
    chosen = {"span_column": "spans", "span_label_column": "kinds" if labels else ""} | options
    (record,), problems = read(path, "pairs", **chosen)
    return record, problems


def _quotes(record: Record) -> list[str]:
    return [
        anchor.span.of(record.sample.document(anchor.side, anchor.index).text)
        for owned in record.annotations
        for anchor in owned.annotation.anchors
    ]


@pytest.mark.parametrize(
    ("cell", "spans"),
    [
        ("big", [(14, 17)]),
        (["big", "cost"], [(14, 17), (26, 30)]),
        ('["big", "cost"]', [(14, 17), (26, 30)]),
        ("['big', \"cost\"]", [(14, 17), (26, 30)]),
        ([["big"], ["cost"]], [(14, 17), (26, 30)]),
        (["bridge", 2], [(18, 24)]),
        ("bridge#1", [(4, 10)]),
        ([["bridge", 2], ["bridge", 1]], [(18, 24), (4, 10)]),
        ({"text": "bridge", "occurrence": 2}, [(18, 24)]),
        ([4, 10], [(4, 10)]),
        ([[4, 10], [14, 17]], [(4, 10), (14, 17)]),
        ("[[4, 10], [14, 17]]", [(4, 10), (14, 17)]),
        ("4:10", [(4, 10)]),
        ({"start": 4, "end": 10, "quote": "bridge"}, [(4, 10)]),
        ("3:10", [(31, 35)]),
        ("C#2", [(40, 43)]),
        ("", []),
        (None, []),
        ([], []),
        ("[]", []),
    ],
)
def test_forms_of_spans(tmp_path: Path, cell: Any, spans: list[tuple[int, int]]) -> None:
    """A cell holds a quote, a quote with a number, offsets, an object, or a list of these."""
    record, problems = _read(tmp_path, cell)
    found = [owned.annotation.claim[0].span for owned in record.annotations]
    assert [(span.start, span.end) for span in found] == spans
    assert problems == []
    assert [(work.person, work.state) for work in record.assignments] == [("pairs", State.DONE)]
    assert record.sample.meta["spans"] == cell


@pytest.mark.parametrize(
    ("cell", "code", "words"),
    [
        ("tower", SPAN_MISSING, "tower"),
        ("[not a list]", SPAN_MISSING, "[not a list]"),
        ("bridge", SPAN_AMBIGUOUS, "2 times"),
        ([["bridge", 3]], SPAN_MISSING, "3"),
        ([["bridge", 0]], SPAN_MISSING, "0"),
        ([[40, 400]], "", "400"),
        ([{"start": 4, "end": 10, "text": "tower"}], "", "tower"),
        ([{"start": "4", "end": 10}], "", "'4'"),
        ([7], "", "7"),
        ([{"quote": 7}], "", "7"),
        ([{"quote": "big", "label": 7}], "", "7"),
        ([{"quote": "big", "note": 7}], "", "7"),
        ('{"quote": "big", "note": "\\ud800"}', "", "surrogate"),
    ],
)
def test_spans_that_are_not_found(tmp_path: Path, cell: Any, code: str, words: str) -> None:
    """A span that is not found is one warning with the row; the sample and other spans are kept."""
    cells = [*cell, "cost"] if isinstance(cell, list) else cell
    record, problems = _read(tmp_path, cells)
    assert _quotes(record) == (["cost"] if isinstance(cell, list) else [])
    assert [each.code for each in problems] == [code or "span-refused"]
    for each in problems:
        assert not each.refused
        assert each.where.endswith("rows.jsonl:1")
        assert words in each.message
        assert "'spans'" in each.message


@pytest.mark.parametrize(
    ("cell", "labels", "found", "doubts"),
    [
        (["big", "cost"], "Odd", ["Odd", "Odd"], 0),
        (["big", "cost"], '["Odd"]', ["Odd", "Odd"], 0),
        (["big", "cost"], "['Odd', 'Bad.Worse']", ["Odd", "Bad.Worse"], 0),
        ([["big", "cost"], ["and"]], ["Odd", "Bad"], ["Odd", "Odd", "Bad"], 0),
        (["big", "cost", "and"], ["Odd", "Bad"], ["", "", ""], 1),
        ("big", float("nan"), [""], 0),
        (float("nan"), "Odd", [], 0),
        ([{"quote": "big", "label": "Own"}, "cost"], "Odd", ["Own", "Odd"], 0),
        ("", "correct", [], 0),
    ],
)
def test_labels_of_spans(
    tmp_path: Path, cell: Any, labels: Any, found: list[str], doubts: int
) -> None:
    """A row has one label for all spans, or one for each; other numbers of labels are reported."""
    record, problems = _read(tmp_path, cell, labels)
    got = [".".join(path) for one in record.annotations for path in one.annotation.labels or [()]]
    assert got == found
    assert len(problems) == doubts


def test_form_of_uhgeval(tmp_path: Path) -> None:
    """A quote is followed by its label and, after a comma of any width, by a note."""
    cell = ["big<sep>合理", "cost<sep>不合理，应为一, 二"]
    record, _ = _read(tmp_path, cell)
    found = [owned.annotation for owned in record.annotations]
    assert [(one.labels, one.note) for one in found] == [
        ((("合理",),), ""),
        ((("不合理",),), "应为一, 二"),
    ]


def test_spans_of_the_source_are_evidence(tmp_path: Path) -> None:
    """Spans of the source are evidence without a claim."""
    record, problems = _read(tmp_path, ["steel"], span_side=Side.SOURCE)
    (owned,) = record.annotations
    assert (owned.annotation.claim, _quotes(record), problems) == ((), ["steel"], [])


def test_quotes_are_found_in_the_second_source(tmp_path: Path) -> None:
    """Occurrences of a quote are counted through both sources, and offsets count in the first."""
    row = {"source": SOURCE, "more": "A river of steel.", "summary": SUMMARY}
    row["spans"] = ["river of", ["steel", 2], [2, 8], "river", [2, 7]]  # type: ignore[assignment]
    path = file(tmp_path, "rows.jsonl", json.dumps(row))
    named = {"second_source_column": "more", "span_column": "spans", "span_side": Side.SOURCE}
    (record,), problems = read(path, "pairs", **named)
    assert _quotes(record) == ["river of", "steel", "bridge", "bridg"]
    indexes = [owned.annotation.evidence[0].index for owned in record.annotations]
    assert indexes == [1, 1, 0, 0]
    assert len({owned.annotation.id for owned in record.annotations}) == 4
    assert [each.code for each in problems] == [SPAN_AMBIGUOUS]


def test_suggested_spans_are_no_annotations(tmp_path: Path) -> None:
    """With suggestions, the sample has no work, and missing spans are still reported."""
    record, problems = _read(tmp_path, ["big", "tower"], spans_as=SpanUse.SUGGESTIONS)
    assert (record.annotations, record.assignments, record.people) == ((), (), ())
    assert [each.code for each in problems] == [SPAN_MISSING]


def test_equal_rows_have_equal_annotation_ids(tmp_path: Path) -> None:
    """A second import gives the same ids, and two equal spans of a row have different ids."""
    first, second = (_read(tmp_path, ["big", "big"])[0] for _ in range(2))
    assert first.annotations == second.annotations
    assert len({owned.annotation.id for owned in first.annotations}) == 2


EMOJI = "The 😀 mill was built in 1871."
IN_UNITS = {"start": 25, "end": 29, "text": "1871"}
IN_CODE_POINTS = {"start": 24, "end": 28, "text": "1871"}
WITHOUT = {"start": 7, "end": 11}


@pytest.mark.parametrize("side", [Side.SUMMARY, Side.SOURCE])
@pytest.mark.parametrize(
    ("rows", "unit", "quotes", "codes"),
    [
        ([[WITHOUT]], "", ["ill "], []),
        ([[WITHOUT]], "utf16", ["mill"], []),
        ([[[7, 11]]], "utf16", ["mill"], []),
        ([["7:11"]], "utf16", ["mill"], []),
        ([[WITHOUT]], "grapheme", ["ill "], []),
        ([[IN_UNITS]], "", ["1871"], []),
        ([[IN_UNITS, WITHOUT]], "", ["1871", "mill"], [""]),
        ([[WITHOUT], [IN_UNITS]], "", ["mill", "1871"], [""]),
        ([[IN_UNITS], [WITHOUT]], "", ["1871", "mill"], [""]),
        ([[IN_UNITS, WITHOUT]], "utf16", ["1871", "mill"], []),
        ([[IN_UNITS]], "codepoint", ["1871"], [""]),
        ([[IN_UNITS], [WITHOUT]], "codepoint", ["1871", "ill "], [""]),
        ([[IN_CODE_POINTS], [{"start": 6, "end": 10}]], "utf16", ["1871", " mil"], [""]),
        ([[IN_CODE_POINTS], [IN_UNITS]], "", ["1871", "1871"], []),
        ([[IN_CODE_POINTS], [IN_UNITS], [WITHOUT]], "", ["1871", "1871"], ["span-refused"]),
        ([[IN_CODE_POINTS, IN_UNITS, WITHOUT]], "codepoint", ["1871", "1871", "ill "], [""]),
    ],
)
def test_quotes_of_lists_show_the_unit_of_offsets(
    tmp_path: Path,
    rows: list[list[Any]],
    unit: str,
    quotes: list[str],
    codes: list[str],
    side: Side,
) -> None:
    """Spans without a quote have the stated unit, else the one that all quotes of the table show.

    A unit that quotes show against the stated or the usual one has a warning.
    """
    texts = {"source": SOURCE, "summary": SUMMARY, side.value: EMOJI}
    lines = [json.dumps(texts | {"spans": spans}) for spans in rows]
    path = file(tmp_path, "rows.jsonl", "\n".join(lines))
    records, problems = read(path, "pairs", span_column="spans", span_side=side, offsets=unit)
    assert [record.sample.id for record in records] == [
        str(number) for number in range(1, len(rows) + 1)
    ]
    assert [quote for record in records for quote in _quotes(record)] == quotes
    assert [each.code for each in problems] == codes


@pytest.mark.parametrize(
    ("cell", "base", "is_inclusive", "quotes"),
    [
        ([[5, 11]], 1, None, ["bridge"]),
        ([5, 11], 1, None, ["bridge"]),
        ("5:11", 1, None, ["bridge"]),
        ("5:10", 1, True, ["bridge"]),
        ([[4, 9, "Odd"]], 0, True, ["bridge"]),
        ([{"start": 4, "end": 9}], 0, True, ["bridge"]),
        ([{"start": 4, "end": 9, "text": "bridge"}], 0, None, ["bridge"]),
        ([{"start": 4, "end": 9, "text": "bridge"}, [14, 16]], 0, None, ["bridge", "big"]),
        ([{"start": 4, "end": 9, "text": "bridge"}, [14, 16]], 0, False, ["bridge", "bi"]),
        ([{"start": 5, "end": 11, "text": "bridge"}], 1, True, ["bridge"]),
        ([["bridge", 2]], 1, True, ["bridge"]),
    ],
)
def test_offsets_of_lists_are_counted_as_the_options_state(
    tmp_path: Path, cell: Any, base: int, is_inclusive: bool | None, quotes: list[str]
) -> None:
    """As in columns of offsets: from 0 or 1, with or without the last character, unless quoted."""
    options = {"offset_base": base, "end_inclusive": is_inclusive}
    record, problems = _read(tmp_path, cell, **options)
    assert _quotes(record) == quotes
    assert [each.refuses_part for each in problems] == [False] * ("big" in quotes)


def test_rows_that_wait_for_quotes_keep_their_ids_metadata_and_warnings(tmp_path: Path) -> None:
    """Rows before and after the first span without a quote are samples of their own."""
    row = {"source": SOURCE, "summary": SUMMARY, "spans": [[4, 10]], "more": ["x", {"y": None}]}
    lines = [row | {"spans": "big"}, row, row, row | {"spans": ""}]
    path = file(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, lines)))
    records, problems = read(path, "pairs", span_column="spans")
    assert problems == []
    assert [record.sample.id for record in records] == ["1", "2", "3", "4"]
    assert [record.where for record in records] == [f"{path}:{number}" for number in range(1, 5)]
    for record in records:
        assert record.sample.meta["more"] == row["more"]
    assert [_quotes(record) for record in records] == [["big"], ["bridge"], ["bridge"], []]


def test_missing_columns_are_refused(tmp_path: Path) -> None:
    """A table without the column of spans or labels is refused."""
    path = file(tmp_path, "a.csv", "source,summary\na,b\n")
    for options in ({"span_column": "odd"}, {"span_column": "source", "span_label_column": "odd"}):
        records, problems = read(path, "pairs", **options)
        assert records == []
        assert ["'odd'" in each.message for each in problems] == [True]


@pytest.mark.parametrize(("name", "annotations", "doubts"), [("CLIFF", 61, 2), ("Goyal21", 22, 5)])
def test_real_files(name: str, annotations: int, doubts: int) -> None:
    """Rows of CLIFF and Goyal21 give an annotation for each span that occurs once."""
    path = next((SHARED / "data" / "outside").glob(f"{name}_error_types_*.csv"), None)
    if path is None:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with CLIFF")
    records, problems = read(
        path,
        "pairs",
        source_column="doc",
        summary_column="summ",
        id_column="id",
        span_column="annotated_span",
        span_label_column="error_type",
    )
    assert len([quote for record in records for quote in _quotes(record)]) == annotations
    assert [each.refused for each in problems] == [False] * doubts
    with path.open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    for record, row in zip(records, rows, strict=True):
        assert all(quote in row["annotated_span"] for quote in _quotes(record))
        assert record.sample.meta["annotated_span"] == row["annotated_span"]


@pytest.mark.parametrize(
    ("cell", "is_cut"),
    [
        ("[[1, 2], [3, 4]] has determinant -2", False),
        ("[[1, 2], [3, 4]]", False),
        ("[[1, 2], [3,", True),
        ('[{"start": 1, "end": 2, "text": "a]"}, {"start": 3, "te', True),
        ('[{"start": 1, "end": 2, "text": "a]', True),
        ("[[1, 2], [3, 4]", True),
        ("[1] A reference", False),
    ],
)
def test_a_list_is_cut_where_its_brackets_stay_open(cell: str, *, is_cut: bool) -> None:
    """A text about a matrix only begins like a list of spans."""
    assert span_columns.is_cut_span_list(cell) is is_cut
