"""Pairs in CSV, JSON and JSON lines: what comes in, and one clear line for all that can not."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.record_reader import file, read
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.plugins import record_validation
from tui_annotate.plugins.files import packing
from tui_annotate.plugins.files.json_values import wrong_byte_problem

ROWS = [
    {"source": "It cost 12.", "summary": "It cost 15.", "model": "a", "score": 0.5},
    {"source": "今天天气很好。", "summary": "天气不好。", "model": None, "score": [1, {"b": True}]},
]


def _csv(rows: list[list[str]], **dialect: Any) -> str:
    target = io.StringIO(newline="")
    csv.writer(target, **dialect).writerows(rows)
    return target.getvalue()


@pytest.mark.parametrize("name", ["pairs.json", "pairs.jsonl", "pairs.jsonl.gz"])
def test_json_keeps_all_other_columns_as_they_came(tmp_path: Path, name: str) -> None:
    """Texts become documents, the row the id, the stem the dataset, all else stays JSON."""
    text = json.dumps(ROWS) if "jsonl" not in name else "\n".join(map(json.dumps, ROWS))
    content = gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
    records, problems = read(file(tmp_path, name, content))
    assert problems == []
    assert [record.sample.key for record in records] == [("pairs", "1"), ("pairs", "2")]
    assert records[1].sample.meta == {"model": None, "score": [1, {"b": True}]}
    assert [document.language for document in records[1].sample.documents] == ["zh", "zh"]
    assert records[0].sample.document(Side.SUMMARY).text == "It cost 15."
    assert records[0].annotations == ()


def test_csv_cells_are_text_to_the_last_sign(tmp_path: Path) -> None:
    """Quotes, line ends of every kind, tabs, NUL and white space survive inside cells."""
    source = 'He said "yes",\r\nthen\rleft.\t\n\x00 end '
    path = file(tmp_path, "a.csv", _csv([["source", "summary", ""], [source, "s", "x"]]))
    records, problems = read(path)
    assert problems == []
    assert records[0].sample.document(Side.SOURCE).text == source
    assert records[0].sample.meta == {"": "x"}


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("header", ["sour\0ce,summary", "source,summary,n\0", "\0,source,summary"])
def test_a_header_with_nul_is_refused(tmp_path: Path, name: str, header: str) -> None:
    """NUL in the name of a column, as in UTF-16 without a mark, is one problem with its line."""
    text = f"{header}\nA.,B.,C.\n".replace(",", "\t" if name == "a.tsv" else ",")
    records, problems = read(file(tmp_path, name, text))
    assert records == []
    (problem,) = problems
    assert (problem.where, problem.refused) == (f"{tmp_path / name}:1", True)
    assert "NUL" in problem.message
    assert "--encoding" in problem.hint


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_cells_are_parted_by_the_sign_that_finds_the_columns(
    tmp_path: Path, delimiter: str, name: str
) -> None:
    """Comma, semicolon or tab, whichever the header has both texts' columns by."""
    rows = [
        ["model", "source", "summary, short", "summary"],
        ["a;b\tc,d", "It cost; 12,5.", "", "S."],
    ]
    text = _csv(rows, delimiter=delimiter).encode()
    records, problems = read(file(tmp_path, name, gzip.compress(text) if "gz" in name else text))
    assert problems == []
    assert [document.text for document in records[0].sample.documents] == ["It cost; 12,5.", "S."]
    assert records[0].sample.meta == {"model": "a;b\tc,d", "summary, short": ""}


def test_a_delimiter_can_be_named(tmp_path: Path) -> None:
    """A character that is not detected separates the cells, also of other columns."""
    path = file(tmp_path, "a.csv", "source^summary^n\na,b^c^1\nd^e\n")
    (record,), (problem,) = read(path, delimiter="^")
    assert record.sample.meta == {"n": "1"}
    assert "'^'" in problem.hint


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_missing_column_is_told_by_the_sign_that_parts(tmp_path: Path, delimiter: str) -> None:
    """The columns that there are stand in the message, not the header as one word."""
    path = file(tmp_path, "a.csv", _csv([["topic", "summary"], ["a", "b"]], delimiter=delimiter))
    records, (problem,) = read(path)
    assert records == []
    assert "'source'" in problem.message
    assert "'topic', 'summary'" in problem.message
    path = file(tmp_path, "a.csv", _csv([["source", "summary"], ["a"]], delimiter=delimiter))
    assert {";": "semicolons", "\t": "tabs"}[delimiter] in read(path)[1][0].hint


@given(
    cells=st.lists(
        st.tuples(
            *(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip) for _ in range(2))
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_text_comes_in_through_csv_unaltered(
    tmp_path: Path, cells: list[tuple[str, str]]
) -> None:
    """Whatever Python's own writer puts into a file is read back, row by row."""
    path = file(tmp_path, "a.csv", _csv([["source", "summary"], *map(list, cells)]))
    records, problems = read(path, source_column="source", summary_column="summary")
    assert problems == []
    found = [tuple(document.text for document in record.sample.documents) for record in records]
    assert found == cells


@pytest.mark.parametrize("named", [True, False])
def test_sources_that_are_shorter_than_summaries_are_a_doubt(
    tmp_path: Path, *, named: bool
) -> None:
    """Names of columns can mislead; columns that the user names are not doubted."""
    text = "The mill was built in 1874, and it was sold to the town in 1931."
    path = file(tmp_path, "a.csv", _csv([["source", "summary"], ["Mill", text], ["Mill 2", text]]))
    columns = {"source_column": "source", "summary_column": "summary"} if named else {}
    records, problems = read(path, **columns)
    assert len(records) == 2
    assert [problem.refused for problem in problems] == [False] * (not named)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_column_of_ids_that_nobody_named_is_a_doubt(tmp_path: Path, name: str) -> None:
    """Told once a file, with the option; the samples are taken, by their rows."""
    row = {"ID": "b1", "source": "A.", "summary": "B."}
    text = (
        _csv([list(row), *[list(row.values())] * 3])
        if "csv" in name
        else f"{json.dumps(row)}\n" * 3
    )
    records, (doubt,) = read(file(tmp_path, name, text))
    assert [record.sample.id for record in records] == ["1", "2", "3"]
    assert not doubt.refused
    assert "--id-column ID" in doubt.hint
    assert read(file(tmp_path, name, text), id_column="summary")[1][0].refused


def test_columns_can_be_named(tmp_path: Path) -> None:
    """Source, summary, id and group are read where the options say, and are no meta then."""
    row = {"article": "A.", "claim": "B.", "key": 7, "story": "s1", "source": "wire"}
    records, problems = read(
        file(tmp_path, "a.jsonl", json.dumps(row)),
        source_column="article",
        summary_column="claim",
        id_column="key",
        group_column="story",
        dataset="news",
        language="de",
    )
    assert problems == []
    sample = records[0].sample
    assert (sample.key, sample.group, sample.meta) == (("news", "7"), "s1", {"source": "wire"})
    assert {document.language for document in sample.documents} == {"de"}


@pytest.mark.parametrize(
    ("name", "content", "place", "options"),
    [
        ("a.csv", "topic,summary\nA.,B.\n", "", {}),
        ("a.jsonl", '{"topic": "A.", "summary": "B."}', "", {}),
        ("a.json", '[{"topic": "A.", "summary": "B."}]', "", {}),
        ("a.csv", "topic,summary\nA.,B.\n", ":1", {"source_column": "source"}),
    ],
)
def test_a_missing_column_names_those_there_are(
    tmp_path: Path, name: str, content: str, place: str, options: dict[str, str]
) -> None:
    """The message lists the columns, the hint the option that names the right one."""
    path = file(tmp_path, name, content)
    records, problems = read(path, "pairs", **options)
    assert records == []
    (problem,) = problems
    assert problem.where == f"{path}{place}"
    assert "'source'" in problem.message
    assert "'topic', 'summary'" in problem.message
    assert "--source-column" in problem.hint
    assert "--summary-column" not in problem.hint


@pytest.mark.parametrize("option", ["id_column", "group_column", "summary_column"])
def test_every_named_column_must_be_there(tmp_path: Path, option: str) -> None:
    """The option in the hint is the one that named the missing column."""
    path = file(tmp_path, "a.csv", "source,summary\nA.,B.\n")
    _, problems = read(path, **{option: "nope"})
    assert f"--{option.replace('_', '-')}" in problems[0].hint


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("source,summary\nA.,\nC.,D.\n", ":2: column 'summary' is empty"),
        ("source,summary\n \t,B.\nC.,D.\n", ":2: column 'source' holds only white space"),
        ("source,summary\nA.\nC.,D.\n", ":2: the row has 1 cells, but the header has 2"),
        ('source,summary\nA.,"B\nb.",x\nC.,D.\n', ":2: the row has 3 cells, but the header has 2"),
        ('source,summary\n"A"x,B.\nC.,D.\n', ":2: invalid CSV:"),
        (
            'source,summary\n"A.,B.\nC.,"D".\nE.,F.\n',
            ":2: a quote in the row that begins in line 2 is not closed: the row ends in line 3",
        ),
    ],
)
def test_a_bad_csv_row_costs_itself_alone(tmp_path: Path, content: str | bytes, told: str) -> None:
    """One line with file and line number; the row behind it comes in and keeps its row number."""
    path = file(tmp_path, "a.csv", content)
    records, problems = read(path)
    assert [record.sample.id for record in records] == ["2"]
    assert [str(problem).startswith(f"{path}{told}") for problem in problems] == [True], problems


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (b"A.,B\xff\n", ":3: byte 5 of the line is not valid utf-8"),
        (b'"A\n\xffb",B\n', ":4: byte 1 of the line is not valid utf-8"),
    ],
)
def test_a_wrong_byte_costs_its_row(tmp_path: Path, row: bytes, told: str) -> None:
    """The rows around it come in; where it comes before all others, the file is refused once."""
    path = file(tmp_path, "a.csv", b"source,summary\nA.,B.\n" + row + b"C.,D.\n")
    records, problems = read(path)
    assert [record.sample.id for record in records] == ["1", "3"]
    assert [str(problem) for problem in problems] == [f"{path}{told}"]
    path = file(tmp_path, "b.csv", b"source,summary\n" + (row + b"C.,D.\n") * 3)
    records, problems = read(path)
    assert records == []
    assert [problem.hint for problem in problems] == [wrong_byte_problem("", 1, "").hint]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ('""', "column 'source' is empty"),
        ("12.5", "column 'source' holds a number (12.5), not text"),
        ("null", "column 'source' is empty (null)"),
        ("true", "column 'source' holds a Boolean value (true), not text"),
        ("[1]", "column 'source' holds a number (1), not text"),
        ("[]", "column 'source' has a list without a text"),
        ('{"a": 1}', "column 'source' holds an object, not text"),
        ('"a\\ud800"', "there is a lone surrogate U+D800 at offset 1 of source"),
    ],
)
def test_a_bad_json_cell_costs_its_record_alone(tmp_path: Path, cell: str, told: str) -> None:
    """One line that says what stands there instead of text."""
    lines = [f'{{"source": {cell}, "summary": "S."}}', '{"source": "A.", "summary": "S."}']
    path = file(tmp_path, "a.jsonl", "\n".join(lines))
    records, problems = read(path)
    assert [record.sample.id for record in records] == ["2"]
    assert [str(problem) for problem in problems] == [f"{path}:1: {told}"]


@pytest.mark.parametrize("cell", ["null", "true", "[1]", "{}", "5"])
def test_no_hint_says_to_quote_what_is_no_text(tmp_path: Path, cell: str) -> None:
    """In quotes, a null or a list would be imported as the text "null" or "[1]"."""
    _, (problem,) = read(file(tmp_path, "a.jsonl", f'{{"source": {cell}, "summary": "S."}}'))
    assert problem.hint
    assert "quote" not in problem.hint


def test_a_record_that_is_no_object_is_told(tmp_path: Path) -> None:
    """A list of strings is told record by record."""
    path = file(tmp_path, "a.json", '["a", {"source": "A.", "summary": "B."}]')
    records, problems = read(path)
    assert len(records) == 1
    assert [problem.refused for problem in problems] == [True]
    assert "1" in problems[0].where.removeprefix(str(path))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_double_id_is_refused_with_both_places(tmp_path: Path, name: str) -> None:
    """The second use is refused and names the first."""
    rows = [["k", "source", "summary"], ["x", "A.", "B."], ["y", "A.", "B."], ["x", "C.", "D."]]
    objects = [json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:]]
    path = file(tmp_path, name, _csv(rows) if name == "a.csv" else "\n".join(["", *objects]))
    records, problems = read(path, id_column="k")
    assert [record.sample.id for record in records] == ["x", "y"]
    assert problems[0].where == f"{path}:4"
    assert "'x'" in problems[0].message
    assert f"{path}:2" in problems[0].message


@pytest.mark.parametrize("value", ["", " ", "a\nb", "x" * 1001, None, 1.5, True])
def test_an_id_must_be_a_name(tmp_path: Path, value: Any) -> None:
    """What can not name a sample is refused in one line."""
    row = {"k": value, "source": "A.", "summary": "B."}
    records, problems = read(file(tmp_path, "a.jsonl", json.dumps(row)), id_column="k")
    assert (len(records), len(problems)) == (0, 1)
    assert "\n" not in str(problems[0])


def test_a_cell_beyond_the_cap_is_refused(tmp_path: Path) -> None:
    """A text of ten million characters is one clear line; one of five million comes in whole."""
    rows = [
        {"source": "x" * 10_000_000, "summary": "S."},
        {"source": "y" * 5_242_880, "summary": "S."},
    ]
    path = file(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    records, problems = read(path)
    assert [len(record.sample.document(Side.SOURCE).text) for record in records] == [5_242_880]
    assert problems[0].where == f"{path}:1"
    for value in ("'source'", "10,000,000", f"{record_validation.LONGEST_TEXT:,}"):
        assert value in problems[0].message


def test_a_csv_cell_beyond_the_cap_is_refused(tmp_path: Path) -> None:
    """The same in CSV, where Python's own limit is far lower."""
    path = file(tmp_path, "a.csv", f"source,summary\n{'x' * 10_000_000},S.\nA.,B.\n")
    records, problems = read(path)
    assert len(records) == 1
    assert "10,000,000" in problems[0].message


def test_a_quote_that_is_never_closed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of the quote is named; what swallows too much is left early."""
    path = file(tmp_path, "a.csv", 'source,summary\nA.,B.\n"C,D.\nE.,F.\n')
    records, problems = read(path)
    assert len(records) == 1
    assert (problems[0].where, problems[0].refused) == (f"{path}:3", True)
    monkeypatch.setattr("tui_annotate.plugins.formats.pairs.LONGEST_LINE", 8)
    limit = csv.field_size_limit()
    try:
        _, problems = read(path)
    finally:
        csv.field_size_limit(limit)  # one for the whole process, other tests' too
    assert problems[-1].where == f"{path}:1"
    assert "8" in problems[-1].message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", ": the file is empty"),
        ("\n\n", ": the file is empty"),
        ("source,summary\n", ":1: the file has a header but no rows"),
        ("source,summary", ":1: the file has a header but no rows"),
        ("source,a,a,summary\n", ":1: two columns are named 'a'"),
        ("source,summary\rA.,B.\r", ":1: lines end with a carriage return without a line feed"),
        (b"source,summ\xffary\nA.,B.", ":1: byte 12 of the line is not valid utf-8"),
    ],
)
def test_a_file_without_rows_is_told(tmp_path: Path, content: str | bytes, told: str) -> None:
    """Nothing, nothing but a header, or a header that is none: one line."""
    path = file(tmp_path, "a.csv", content)
    records, problems = read(path)
    assert (records, [str(problem) for problem in problems]) == ([], [f"{path}{told}"])


def test_a_truncated_gzip_file_is_one_problem(tmp_path: Path) -> None:
    """What was read before the break stays; the break is one clear line."""
    rows = [["source", "summary"]] + [[f"A {number}.", "B."] for number in range(20_000)]
    packed = gzip.compress(_csv(rows).encode())
    path = file(tmp_path, "a.csv.gz", packed[: len(packed) // 2])
    records, problems = read(path)
    assert len(records) > 1000
    (problem,) = problems
    assert problem.where == str(path)
    assert "gzip" in problem.message


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.json.gz"])
def test_a_gzip_bomb_is_one_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Rows without end, a line without end, an item without end: one clear line each."""
    monkeypatch.setattr(packing, "BOMB_FLOOR", 2**19)
    start = {"a.csv.gz": b"source,summary\n", "a.jsonl.gz": b"", "a.json.gz": b'["'}[name]
    endless = {
        "a.csv.gz": b"A" * 1000 + b",B.\n",
        "a.jsonl.gz": b" " * 1000,
        "a.json.gz": b"x" * 1000,
    }[name]
    path = file(tmp_path, name, gzip.compress(start + endless * 2**11))
    _, problems = read(path, "pairs")
    assert [("gzip" in problem.message, problem.refused) for problem in problems] == [(True, True)]


@pytest.mark.parametrize("name", ["", "a\tb", "x" * 2000])
def test_a_dataset_needs_a_name(tmp_path: Path, name: str) -> None:
    """A name that can not be one is refused before anything is read."""
    path = file(tmp_path, ".csv" if not name else "a.csv", "source,summary\nA.,B.\n")
    if name:
        with pytest.raises(InvalidInput, match="dataset"):
            read(path, "pairs", dataset=name)
    else:
        assert read(path, "pairs")[0][0].sample.dataset == "csv"


def test_other_encodings_are_read_when_named(tmp_path: Path) -> None:
    """A GB18030 file gives the same texts as its UTF-8 twin."""
    text = "source,summary\n今天。,天气。\n"
    records, _ = read(file(tmp_path, "a.csv", text.encode("gb18030")), encoding="gb18030")
    assert records[0].sample.document(Side.SOURCE).text == "今天。"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("csv", 'source,summary,[n\n"A, b.",C.,1\n'),
        ("csv", "source;summary;[n\nA, b.;C.;1\n"),
        ("tsv", "source\tsummary\t[n\nA, b.\tC.\t1\n"),
        ("json", '[{"source": "A, b.", "summary": "C.", "[n": "1"}]'),
        ("jsonl", '{"source": "A, b.", "summary": "C.", "[n": "1"}\n'),
    ],
)
def test_a_table_can_be_named_by_its_kind(tmp_path: Path, form: str, text: str) -> None:
    """Whatever the file is called; detection still calls it pairs."""
    for name in ("a.data", "a.csv", "a.json"):
        records, problems = read(file(tmp_path, name, text), form)
        assert problems == []
        (record,) = records
        assert [each.text for each in record.sample.documents] == ["A, b.", "C."]
        assert record.sample.meta == {"[n": "1"}


def test_a_table_of_tabs_has_tabs_alone(tmp_path: Path) -> None:
    """Commas in the header are no columns, and a file of another kind is refused."""
    records, _ = read(file(tmp_path, "a.txt", "source\tsummary\ta,b\nA.\tB.\tc,d\n"), "tsv")
    assert records[0].sample.meta == {"a,b": "c,d"}
    for form, text in (("tsv", "source,summary\nA.,B.\n"), ("json", "source,summary\nA.,B.\n")):
        records, problems = read(file(tmp_path, "a.csv", text), form)
        assert (records, bool(problems)) == ([], True)


def test_columns_without_a_name_are_numbered(tmp_path: Path) -> None:
    """Spreadsheet programs write delimiters after the last column; a single one keeps its name."""
    path = file(tmp_path, "a.csv", "source,summary,,\nA.,B.,,x\n")
    (record,), problems = read(path)
    assert (record.sample.meta, problems) == ({"column 3": "", "column 4": "x"}, [])
    path = file(tmp_path, "c.csv", "source,summary,column 4,,\nA.,B.,x,y,z\n")
    (record,), problems = read(path)
    others = {"column 4": "x", "column 4 without a name": "y", "column 5": "z"}
    assert (record.sample.meta, problems) == (others, [])
    (record,), _ = read(file(tmp_path, "b.csv", ",source,summary\n0,A.,B.\n"))
    assert record.sample.meta == {"": "0"}


@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_a_line_that_names_the_delimiter_is_no_header(tmp_path: Path, sign: str) -> None:
    """Excel writes and reads such a line."""
    path = file(tmp_path, "a.csv", f"sep={sign}\r\nsource{sign}summary\r\nA.{sign}B.\r\n")
    (record,), problems = read(path)
    assert ([each.text for each in record.sample.documents], problems) == (["A.", "B."], [])


def test_a_header_of_long_texts_is_a_doubt(tmp_path: Path) -> None:
    """In a table without a header, the first row would be lost without a word."""
    text = "The old stone bridge over the river cost 12 million pounds and opened in 1889."
    path = file(tmp_path, "a.csv", f"{text},It opened in 1889.\n{text},It opened in 1889.\n")
    records, (problem,) = read(path)
    assert (len(records), problem.refused, "no header" in problem.hint) == (1, False, True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", '{"source": "The mill, red.", "summary": "Red."}\n'),
        ("a.csv", '[\n {"source": "The mill, red.",\n  "summary": "Red."}\n]\n'),
        ("a.csv.gz", '[{"source": "The mill, red.", "summary": "Red."}]'),
        ("a.jsonl", 'source,summary\n"The mill, red.",Red.\n'),
        ("a.json", "source;summary\nThe mill, red.;Red.\n"),
        ("a.csv", '[id],source,summary\n1,"The mill, red.",Red.\n'),
    ],
)
def test_the_content_decides_between_csv_and_json(tmp_path: Path, name: str, content: str) -> None:
    """Also if the ending of the file's name says otherwise."""
    data = content.encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (record,), problems = read(path)
    assert [each.text for each in record.sample.documents] == ["The mill, red.", "Red."]
    assert not any(problem.refused for problem in problems)


def test_lines_that_end_with_carriage_returns_have_a_hint(tmp_path: Path) -> None:
    """Such a file is CSV; its line ends are what to change."""
    _, (problem,) = read(file(tmp_path, "a.csv", "source,summary\rA.,B.\r"))
    assert "line ends" in problem.hint
