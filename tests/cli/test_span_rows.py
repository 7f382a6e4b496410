"""Rows of several people and spans: one sample, offsets in two columns, exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.helpers.report_files import report_file
from tests.plugins.record_reader import file, read
from tests.plugins.test_text_checks import table
from tui_annotate import workspace as workspaces
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.protocols import SpanUse

SOURCE = "The mill by the river was built in 1874 and sold in 1931."
ONE = "the mill in norway was sold in 1941 ."
TWO = "the mill burned down in 1950 ."
NAMES = ("source", "summary", "kind", "quote", "first", "last", "worker_id", "system")
ROWS = [
    (SOURCE, ONE, "extrinsic", "in norway", 10, 19, "w0", "m"),
    (SOURCE, TWO, "NULL", "NULL", -1, -1, "w0", "n"),
    (SOURCE, ONE, "intrinsic", "1941", 32, 36, "w0", "m"),
    (SOURCE, ONE, "intrinsic", "in 1941", 29, 36, "w1", "m"),
    (SOURCE, ONE, "NULL", "NULL", -1, -1, "w2", "m"),
]
OPTIONS: dict[str, Any] = {
    "span_column": "quote",
    "span_label_column": "kind",
    "start_column": "first",
    "end_column": "last",
    "person_column": "worker_id",
    "offset_base": 1,
}
PEOPLE = ("--person-column", "worker_id")
OFFSETS = ("--span-column", "quote", "--start-column", "first", "--end-column", "last")
KINDS = ["jsonl", "csv", "tsv", "xlsx"]


def rows(values: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(NAMES, row, strict=True)) for row in values]


def work(record: Record) -> set[tuple[str, str, str]]:
    """Person, label and words of each annotation of the summary."""
    text = record.sample.document(Side.SUMMARY).text
    return {
        (owned.person, one.labels[0][0] if one.labels else "", one.claim[0].span.of(text))
        for owned in record.annotations
        for one in [owned.annotation]
    }


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_one_summary_are_one_sample(tmp_path: Path, kind: str) -> None:
    """People have their own spans; who marked nothing completed the sample; cells are kept."""
    records, problems = read(table(tmp_path, kind, rows(ROWS)), **OPTIONS)
    assert problems == []
    assert [record.sample.id for record in records] == ["1", "2"]
    assert work(records[0]) == {
        ("w0", "extrinsic", "in norway"),
        ("w0", "intrinsic", "1941"),
        ("w1", "intrinsic", "in 1941"),
    }
    assert [[one.person for one in record.assignments] for record in records] == [
        ["w0", "w1", "w2"],
        ["w0"],
    ]
    assert (records[0].sample.meta["system"], records[1].annotations) == ("m", ())
    assert records[0].sample.meta["worker_id"] == ["w0", "w0", "w1", "w2"]


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ((0, 3), {}, "the"),
        ((1, 4), {"offset_base": 1}, "the"),
        ((0, 2), {"end_inclusive": True}, "the"),
        ((1, 3), {"offset_base": 1, "end_inclusive": True}, "the"),
        (("4", "8.0"), {}, "mill"),
        ((4.0, 8), {}, "mill"),
        (("", ""), {}, None),
        (("NULL", "nan"), {}, None),
        ((-1, -1), {}, None),
        ((None, None), {}, None),
    ],
)
def test_offsets_are_counted_as_the_options_say(
    tmp_path: Path, given: tuple[Any, Any], options: dict[str, Any], words: str | None
) -> None:
    """From 0 or 1, with or without the last character; cells without a value have no span."""
    row = {"source": SOURCE, "summary": ONE, "first": given[0], "last": given[1]}
    columns = {"start_column": "first", "end_column": "last"}
    (record,), problems = read(table(tmp_path, "jsonl", [row]), **columns, **options)
    assert problems == []
    assert [words for _, _, words in work(record)] == [words] * (words is not None)


@pytest.mark.parametrize(
    ("quoted", "options", "words", "warns"),
    [
        ([("mill", 4, 7)], {}, "the", True),  # all quotes include the offset of the end
        ([("mill", 4, 8)], {}, "th", False),
        ([(1941, 31, 34)], {}, "the", True),  # as a spreadsheet stores a year
        ([("mill", 4, 7)], {"end_inclusive": False}, "th", False),
        ([("mill", 4, 7), ("was", 19, 22)], {"end_inclusive": False}, "th", False),
        ([("mill", 4, 7), ("was", 19, 22)], {"end_inclusive": True}, "the", False),
        ([("mill", 5, 8)], {"offset_base": 1}, "the", True),
        ([], {}, "th", False),
    ],
)
def test_quotes_of_a_table_show_how_ends_are_counted_without_a_quote(
    tmp_path: Path,
    quoted: list[tuple[str | int, int, int]],
    options: dict[str, Any],
    words: str,
    *,
    warns: bool,
) -> None:
    """Quotes of any rows decide; a span without a quote that depends on them causes a warning."""
    base = options.get("offset_base", 0)
    columns = {"start_column": "first", "end_column": "last", "span_column": "quote"}
    found = [
        {"source": SOURCE, "summary": ONE, "quote": quote, "first": first, "last": last}
        for quote, first, last in [("", base, base + 2), *quoted]
    ]
    (record,), problems = read(table(tmp_path, "jsonl", found), **columns, **options)
    assert words in [text for _, _, text in work(record)]
    assert {str(quote) for quote, _, _ in quoted} <= {text for _, _, text in work(record)}
    assert [problem.refuses_part for problem in problems] == [False] * warns


def test_spans_without_a_quote_are_refused_where_quotes_disagree(
    command: Command, tmp_path: Path
) -> None:
    """Each row is named, the spans with a quote stay, and an option states how ends are counted."""
    values = [("mill", 4, 7), ("", 0, 2), ("was", 19, 22), ("", 12, 17), ("", -1, -1), ("", "", "")]
    found = [
        {"source": SOURCE, "summary": ONE, "quote": quote, "first": first, "last": last}
        for quote, first, last in values
    ]
    path = table(tmp_path, "csv", found)
    columns = {"start_column": "first", "end_column": "last", "span_column": "quote"}
    (record,), problems = read(path, **columns)
    assert {words for _, _, words in work(record)} == {"mill", "was"}
    assert [problem.where for problem in problems] == [f"{path}:3", f"{path}:5"]
    for problem in problems:
        assert problem.refuses_part
        assert problem.message.startswith("columns 'first' and 'last': ")
    words = [f"--{name.replace('_', '-')}={value}" for name, value in columns.items()]
    done = command("convert", path.name, "b.json", "--to", "native", *words)
    assert done.code == 3
    assert "a.csv:3" in done.err
    assert "a.csv:5" in done.err
    for option, quotes in [
        ("--end-inclusive", {"the", "norway"}),
        ("--end-exclusive", {"th", "norwa"}),
    ]:
        assert option in done.err
        stated = command("convert", path.name, "c.json", "--to", "native", *words, option)
        assert stated.code == 0
        (record,), problems = read(tmp_path / "c.json", "native")
        assert problems == []
        assert {text for _, _, text in work(record)} == {"mill", "was", *quotes}
        (tmp_path / "c.json").unlink()


@pytest.mark.parametrize(
    ("first", "last"), [(6, 10), (7, 11), (6, 9), (7, 10)], ids=["0", "utf16", "0-in", "utf16-in"]
)
def test_a_quote_shows_that_offsets_are_counted_in_utf16(
    tmp_path: Path, first: int, last: int
) -> None:
    """An emoji before the span is one code point or two units, as in lists of spans."""
    row = {"source": SOURCE, "summary": "💩 The mill was sold .", "quote": "mill"}
    path = table(tmp_path, "csv", [row | {"first": first, "last": last}])
    names = {"start_column": "first", "end_column": "last", "span_column": "quote"}
    (record,), problems = read(path, **names)
    assert problems == []
    assert [words for _, _, words in work(record)] == ["mill"]


def test_spans_without_a_quote_have_the_unit_that_quotes_show_or_the_user_states(
    tmp_path: Path,
) -> None:
    """A stated unit decides; without one the quotes do, if they agree.

    A choice that the user did not make has a warning.
    """
    text = {"source": SOURCE, "summary": "💩 The mill was sold ."}
    names = {"start_column": "first", "end_column": "last", "span_column": "quote"}
    without = text | {"first": 7, "last": 11, "quote": ""}
    in_units = text | {"first": 12, "last": 15, "quote": "was"}
    in_code_points = text | {"first": 15, "last": 19, "quote": "sold"}

    def words(*rows: dict[str, Any], **options: str) -> tuple[set[str], int]:
        path = table(tmp_path, "csv", list(rows))
        (record,), problems = read(path, **names, **options)
        path.unlink()
        return {each for _, _, each in work(record)}, len(problems)

    assert words(without) == ({"ill "}, 0)
    assert words(without, offsets="utf16") == ({"mill"}, 0)
    assert words(without, in_units) == ({"mill", "was"}, 1)
    assert words(without, in_units, offsets="utf16") == ({"mill", "was"}, 0)
    assert words(without, in_units, offsets="codepoint") == ({"ill ", "was"}, 1)
    assert words(in_units) == ({"was"}, 0)
    assert words(in_units, offsets="codepoint") == ({"was"}, 1)
    assert words(without | {"first": 6, "last": 10}, in_code_points, offsets="utf16") == (
        {" mil", "sold"},
        1,
    )
    assert words(without, in_units, in_code_points) == ({"was", "sold"}, 1)
    assert words(without, in_units, in_code_points, offsets="codepoint") == (
        {"ill ", "was", "sold"},
        1,
    )


@pytest.mark.parametrize(
    ("quote", "label", "first", "last", "columns"),
    [
        ("the", "A", 1, 500, "columns 'first' and 'last'"),
        ("", "A", 10, "", "columns 'first' and 'last'"),
        ("the", "A", "x", 9, "column 'first'"),
        ("the", "A", 0, True, "column 'last'"),
        ("nowhere", "A", -1, -1, "column 'quote'"),
        ("the", 7, 0, 3, "column 'type'"),
        ("was", 7, "", "", "column 'type'"),
    ],
)
def test_a_message_begins_with_the_columns_of_the_wrong_cells(
    tmp_path: Path, quote: str, label: Any, first: Any, last: Any, columns: str
) -> None:
    """Offsets, a quote and a label have columns of their own."""
    row = {"source": SOURCE, "summary": ONE, "quote": quote, "first": first, "last": last}
    path = table(tmp_path, "jsonl", [row | {"type": label}])
    names = {"start_column": "first", "end_column": "last", "span_column": "quote"}
    _, (problem,) = read(path, **names, span_label_column="type")
    assert problem.message.startswith(f"{columns}: ")


@pytest.mark.parametrize(
    ("quote", "first", "last", "refused"),
    [
        ("the", 0, 3, False),
        ("the", 0, 2, False),  # the quote shows that the end is inclusive
        ("the", 1, 4, True),
        ("in norway", 10, 19, True),
        ("", 5, "", True),
        ("", "x", 9, True),
        ("", 5, 500, True),
        ("", 9, 5, True),
        ("nowhere", -1, -1, True),
        ("norway", "", "", False),
    ],
)
def test_a_span_that_does_not_fit_is_refused_alone(
    command: Command, tmp_path: Path, quote: str, first: Any, last: Any, *, refused: bool
) -> None:
    """The sample and the other people's spans stay; `ingest` and `convert` exit with 3."""
    values = [(SOURCE, ONE, "x", quote, first, last, "w0", "m"), (*ROWS[2][:4], 31, 35, "w1", "m")]
    table(tmp_path, "csv", rows(values))
    words = [
        "a.csv",
        "--person-column",
        "worker_id",
        "--span-column",
        "quote",
        "--start-column",
        "first",
        "--end-column",
        "last",
    ]
    command("init", "w")
    done = command("convert", *words, "b.json", "--to", "native")
    assert done.code == (3 if refused else 0)
    assert command("ingest", "-w", "w", *words).code == done.code
    with workspaces.open(tmp_path / "w") as space:
        (record,) = space.records()
    assert len(record.annotations) == 2 - refused
    if refused and isinstance(first, int) and first > 0 and quote:
        assert "--offset-base 1" in done.err


def test_a_marker_in_the_text_is_a_quote(tmp_path: Path) -> None:
    """`None` in the text is a quote; elsewhere, and for a marker of the user, there is no span."""
    texts = ["None was sold .", "It was sold .", "It was sold ."]
    cells = ["None", "None", "NOTHING"]
    values = [
        {"source": f"{SOURCE} {at}", "summary": text, "quote": cell}
        for at, (text, cell) in enumerate(zip(texts, cells, strict=True))
    ]
    path = table(tmp_path, "csv", values)
    records, problems = read(path, span_column="quote", empty_marker="NOTHING")
    assert problems == []
    assert [len(record.annotations) for record in records] == [1, 0, 0]


@pytest.mark.parametrize("merge", [True, False])
def test_rows_are_merged_only_on_request(tmp_path: Path, *, merge: bool) -> None:
    """Without people and offsets, each row is a sample, as before; --merge-rows joins them."""
    path = table(tmp_path, "csv", rows([ROWS[0], ROWS[2], ROWS[1]]))
    records, problems = read(path, span_column="quote", merge_rows=merge)
    assert [len(record.annotations) for record in records] == ([2, 0] if merge else [1, 1, 0])
    assert [each.code for each in problems] == ["people-unread"] * (not merge)


def test_rows_with_one_id_and_other_texts_are_refused(tmp_path: Path) -> None:
    """Rows with the same id and texts are one sample; another text of the id is an error."""
    values = rows([ROWS[0], ROWS[2], ROWS[1]])
    path = table(tmp_path, "csv", [{"key": "k", **row} for row in values])
    records, problems = read(path, id_column="key", **OPTIONS)
    assert [record.sample.id for record in records] == ["k"]
    assert [each.refused for each in problems] == [True]


@pytest.mark.parametrize("kind", KINDS)
def test_spans_of_other_programs_are_read(tmp_path: Path, kind: str) -> None:
    """Names of fields as in RAGTruth, doccano, Potato, Prodigy; unknown fields are named."""
    spans = [
        {"start": 4, "end": 8, "text": "mill", "label_type": "A", "meta": "why"},
        {"start_offset": 0, "end_offset": 3, "label": "B"},
        {"start": 12, "end": 18, "span": "norway", "annotation": "C"},
        {"start": 31, "end": 35, "labels": ["D"], "token_start": 7, "implicit_true": False},
    ]
    row = {"source": SOURCE, "summary": ONE, "labels": json.dumps(spans)}
    (record,), problems = read(table(tmp_path, kind, [row]), span_column="labels")
    assert {(label, words) for _, label, words in work(record)} == {
        ("A", "mill"), ("B", "the"), ("C", "norway"), ("D", "1941"),
    }  # fmt: skip
    assert "why" in {owned.annotation.note for owned in record.annotations}
    assert [problem.code for problem in problems] == ["fields-dropped"] * 2
    for problem, name in zip(problems, ("'token_start'", "'implicit_true'"), strict=True):
        assert name in problem.message


@pytest.mark.parametrize("value", [[[4, 8]], [4, 8], [[4, 8, "A"]], [4, 8, "A"], "4:8"])
def test_lists_of_offsets_may_have_a_label(tmp_path: Path, value: Any) -> None:
    """[start, end] and [start, end, label], alone or in a list."""
    row = {"source": SOURCE, "summary": ONE, "labels": value}
    (record,), problems = read(table(tmp_path, "jsonl", [row]), span_column="labels")
    assert problems == []
    assert [words for _, _, words in work(record)] == ["mill"]


STUDIO = [
    "annotation_id", "annotator", "claim", "created_at", "id", "lead_time", "source", "summary",
]  # fmt: skip


def studio(kind: str, folder: Path) -> Path:
    """A table as Label Studio exports it: one row for each person, offsets in UTF-16."""
    region = {"start": 3, "end": 7, "text": "mill", "labels": ["Unwanted"]}
    other = {"start": 16, "end": 20, "text": "1941", "labels": ["Benign", "Unwanted"]}
    values = [
        (1, "ana", json.dumps([region]), "t", 10, 8.4, SOURCE, "💩 mill sold in 1941 ."),
        (2, "bob", json.dumps([region, other]), "t", 10, 3.1, SOURCE, "💩 mill sold in 1941 ."),
        (3, "bob", "", "t", 11, 3.1, SOURCE, "A mill was sold ."),
    ]
    return table(folder, kind, [dict(zip(STUDIO, row, strict=True)) for row in values])


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx"])
def test_a_table_of_label_studio_has_people_and_labels(tmp_path: Path, kind: str) -> None:
    """Two people's rows of one task are one sample; offsets are checked by the quoted texts."""
    records, problems = read(studio(kind, tmp_path))
    assert not any(problem.refused or problem.refuses_part for problem in problems)
    assert [record.sample.id for record in records] == ["10", "11"]
    assert work(records[0]) == {
        ("ana", "Unwanted", "mill"),
        ("bob", "Unwanted", "mill"),
        ("bob", "Benign", "1941"),
    }
    assert [[one.person for one in record.assignments] for record in records] == [
        ["ana", "bob"],
        ["bob"],
    ]


def test_spans_of_rows_become_suggestions(command: Command, tmp_path: Path) -> None:
    """With --spans-as suggestions, the samples have no annotations, and nobody completed them."""
    table(tmp_path, "csv", rows(ROWS))
    command("init", "w")
    done = command(
        *[
            "ingest",
            "-w",
            "w",
            "a.csv",
            "--embedder",
            "none",
            "--spans-as",
            "suggestions",
            "--span-column",
            "quote",
        ],
        *[
            "--start-column",
            "first",
            "--end-column",
            "last",
            "--offset-base",
            "1",
            "--person-column",
            "worker_id",
        ],
    )
    assert done.code == 0
    assert "3 suggestions added" in done.out
    with workspaces.open(tmp_path / "w") as space:
        assert not [one for one in space.records() if one.annotations or one.assignments]


@pytest.mark.parametrize(
    "words", [["--start-column", "first"], ["--end-column", "last"], ["--offset-base", "2"]]
)
def test_options_of_offsets_are_checked(command: Command, tmp_path: Path, words: list[str]) -> None:
    """One column of offsets alone, and another base, are refused."""
    table(tmp_path, "csv", rows(ROWS))
    assert command("convert", "a.csv", "b.csv", *words).code == 2


def test_the_rows_of_a_public_report() -> None:
    """Five rows of three people are two samples with three spans."""
    records, problems = read(
        report_file("01/joined.csv"),
        person_column="worker_id",
        span_column="hallucinated_span",
        span_label_column="hallucination_type",
        start_column="hallucinated_span_start",
        end_column="hallucinated_span_end",
        offset_base=1,
    )
    assert problems == []
    assert [work(record) for record in records] == [
        {
            ("wid_0", "extrinsic", "in norway"),
            ("wid_0", "intrinsic", "1941"),
            ("wid_1", "intrinsic", "in 1941"),
        },
        set(),
    ]
    assert [len(record.assignments) for record in records] == [3, 1]


def test_people_without_spans_completed_nothing() -> None:
    """A column of people alone imports no work, and the hints name all columns of the spans."""
    path = report_file("01/joined.csv")
    records, problems = read(path, person_column="worker_id")
    assert len(records) == 2
    assert [one for record in records for one in (*record.assignments, *record.people)] == []
    assert [each.code for each in problems] == ["spans-unread", "span-people-unread"]
    spans = (
        "--start-column hallucinated_span_start --end-column hallucinated_span_end "
        "--span-column hallucinated_span"
    )
    assert problems[0].hint.endswith(spans)
    _, problems = read(path)
    assert [each.hint.partition(": ")[2] for each in problems] == [
        f"{spans} --person-column worker_id",
        f"--person-column worker_id {spans}",
    ]


@pytest.mark.parametrize("named", [True, False])
def test_joined_responses_of_a_public_report(*, named: bool) -> None:
    """A joined file has annotations with labels; named columns win, and name the unread spans."""
    columns = {"source_column": "source_info", "summary_column": "response"} if named else {}
    (record,), problems = read(report_file("16/response_summary.jsonl"), **columns)
    assert record.sample.documents[0].text.startswith("The mill by the river")
    assert work(record) == (set() if named else {("ragtruth", "Evident Conflict", "1871")})
    assert any("'labels'" in each.message for each in problems) == named


JOINED = {
    "id": "0", "source_id": "s1", "model": "m", "response": ONE, "source": "CNN",
    "source_info": SOURCE,
    "labels": [{"start": 31, "end": 35, "text": "1941", "label_type": "Conflict", "meta": "why"}],
}  # fmt: skip


def test_responses_joined_with_their_sources_are_read(tmp_path: Path) -> None:
    """Labels and notes are annotations; named columns win, and read the spans on request."""
    path = file(tmp_path, "rt.jsonl", json.dumps(JOINED))
    (record,), problems = read(path)
    assert (work(record), problems) == ({("ragtruth", "Conflict", "1941")}, [])
    assert record.sample.dataset == "rt"
    named = {"source_column": "source_info", "summary_column": "response"}
    (record,), _ = read(path, **named, span_column="labels")
    assert work(record) == {("pairs", "Conflict", "1941")}
    bare = {name: value for name, value in JOINED.items() if name != "source_info"}
    path = file(tmp_path, "b.jsonl", json.dumps(bare | {"source": SOURCE}))
    (record,), _ = read(path)
    assert record.sample.documents[0].text == SOURCE


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        ("--source-column prompt", 0, "source 'prompt', summary 'response'"),
        ("--id-column source_id", 0, "summary 'response'"),
        ("--span-column labels", 0, "1 annotation of 1 sample"),
        ("--source-column nosuch", 2, "no column 'nosuch'"),
        ("--source-column nosuch --summary-column response", 2, "no column 'nosuch'"),
        ("--span-column nosuch", 2, "no column 'nosuch'"),
        ("--person-column nosuch", 2, "no column 'nosuch'"),
    ],
)
def test_one_named_column_makes_a_table(
    command: Command, tmp_path: Path, words: str, code: int, shown: str
) -> None:
    """Each named column of a recognized collection is used, and a missing one is an error."""
    row = JOINED | {"prompt": f"Summarize this text: {SOURCE}"}
    file(tmp_path, "rt.jsonl", json.dumps(row))
    done = command("convert", "rt.jsonl", "b.jsonl", "--to", "native", *words.split())
    assert done.code == code
    assert shown in done.out + done.err


@pytest.mark.parametrize("form", ["", "mercury", "native", "autojudge"])
def test_columns_of_a_format_with_fixed_fields_are_refused(
    command: Command, tmp_path: Path, form: str
) -> None:
    """The error names the option and its value, instead of ignoring them."""
    row = {"sample_id": 1, "source": SOURCE, "summary": ONE, "annotations": []}
    file(tmp_path, "m.jsonl", json.dumps(row))
    words = ("--from", form) if form else ()
    done = command("convert", "m.jsonl", "b.jsonl", "--to", "native", "--id-column", "x", *words)
    assert done.code == 2
    assert f"the format '{form or 'mercury'}' does not use --id-column 'x'" in done.err


def test_rows_can_be_grouped_in_any_order(tmp_path: Path) -> None:
    """The rows of a sample need not follow each other; many rows need no memory of their own."""
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(["source", "summary", "worker_id", "quote"])
    for person in range(3):
        writer.writerows([SOURCE, f"{ONE} {number}", f"w{person}", ""] for number in range(40))
    path = file(tmp_path, "a.csv", target.getvalue())
    named = {"person_column": "worker_id", "span_column": "quote"}
    records, _ = read(path, **named, spans_as=SpanUse.ANNOTATIONS)
    assert [record.sample.id for record in records] == [str(number) for number in range(1, 41)]
    assert {tuple(one.id for one in record.people) for record in records} == {("w0", "w1", "w2")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_is_the_same_with_spaces_around_the_name(tmp_path: Path, kind: str) -> None:
    """Two people whose names look alike would be compared with each other."""
    values = [(*ROWS[0][:6], " w0 ", "m"), *ROWS[2:]]
    (record,), problems = read(table(tmp_path, kind, rows(values)), **OPTIONS)
    assert problems == []
    assert {person for person, _, _ in work(record)} == {"w0", "w1"}


@pytest.mark.parametrize("blank", ["", "NULL", " "])
def test_a_row_without_a_person_is_reported(tmp_path: Path, blank: str) -> None:
    """Its work is kept, under the name that tables without people get."""
    values = [(*ROWS[0][:6], blank, "m"), *ROWS[2:]]
    (record,), problems = read(table(tmp_path, "csv", rows(values)), **OPTIONS)
    assert [problem.refused for problem in problems] == [False]
    assert {work.person for work in record.assignments} == {"pairs", "w0", "w1", "w2"}


def test_a_quote_that_is_a_number_is_found(tmp_path: Path) -> None:
    """A spreadsheet stores a year as a number; a number that does not occur is refused."""
    row = {"source": SOURCE, "summary": ONE, "quote": 1941}
    (record,), problems = read(table(tmp_path, "xlsx", [row]), span_column="quote")
    assert (problems, [words for _, _, words in work(record)]) == ([], ["1941"])
    (record,), problems = read(table(tmp_path, "xlsx", [row | {"quote": 7}]), span_column="quote")
    assert ([problem.refuses_part for problem in problems], work(record)) == ([True], set())


def test_the_work_of_one_person_leaves_without_the_columns_of_others(
    command: Command, tmp_path: Path
) -> None:
    """Joined rows have lists of people, quotes and labels, which would reveal the others' work."""
    table(tmp_path, "csv", rows(ROWS))
    command("init")
    assert command("ingest", "a.csv", *PEOPLE, *OFFSETS, "--offset-base", "1").code == 0
    given = ("export", "--to", "native", "--state", "all")
    whole = command(*given).out
    own = command(*given, "--person", "w1").out
    assert "worker_id" in whole
    assert "w0" in whole
    for hidden in ("worker_id", "w0", "in norway"):
        assert hidden not in own.replace("the mill in norway", "")
