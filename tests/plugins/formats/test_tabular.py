"""Two tables in each of three forms: other programs read the same cells, and nothing runs."""

from __future__ import annotations

import csv
import gc
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from openpyxl.utils.escape import unescape
from pyarrow import parquet

from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tests.plugins.formats.hostile import several
from tests.plugins.formats.laws import base, write
from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.files import columnar, streams
from tui_annotate.plugins.files import sheets as workbooks
from tui_annotate.plugins.formats.tabular import COLUMNS, REVIEWS, review_rows, span_rows
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.plugins.traits import Loss, RecordTrait

Rows = list[dict[str, Any]]
PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text("utf-8")


def _workbook(path: Path) -> dict[str, list[list[Any]]]:
    """The cells of each sheet; a formula would be told by its type."""
    found = {}
    for sheet in openpyxl.load_workbook(path):
        cells = [list(row) for row in sheet.iter_rows()]
        assert {cell.data_type for row in cells for cell in row} <= {"s", "n", "inlineStr"}
        found[sheet.title] = [[cell.value for cell in row] for row in cells]
    return found


def _named(cells: list[list[Any]]) -> Rows:
    return [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]


def _told(several: Iterable[dict[str, Any]], columns: Iterable[str]) -> Rows:
    """Rows as a table has them: an empty text is an empty cell."""
    return [{name: row.get(name) or None for name in columns} for row in several]


def _empty(several: Rows) -> Rows:
    return [{name: value or None for name, value in row.items()} for row in several]


def _written(records: list[Record]) -> list[tuple[Rows, tuple[str, ...]]]:
    first = [row for record in records for row in span_rows(record)]
    second = [row for record in records for row in review_rows(record)]
    return [(first, COLUMNS), (second, REVIEWS)]


def _nothing_found() -> list[Record]:
    record = base("ana")
    li = Assignment("li", State.DONE, seconds=41.5, updated="2026-01-02T09:00:00.000000+00:00")
    people = (*record.people, Person("li", "=Li"))
    return [replace(record, assignments=(*record.assignments, li), people=people)]


def test_who_found_nothing_is_a_row(tmp_path: Path) -> None:
    """The second table has everybody who has a sample, with state, time and number of marks."""
    report = write(_nothing_found(), "csv-tables", tmp_path / "out")
    assert (report.records, report.annotations, report.lost) == (1, 1, {})
    with (tmp_path / "out" / "reviews.csv").open(newline="", encoding="utf-8") as file:
        ana, li = csv.DictReader(file)
    assert (ana["annotator"], ana["state"], ana["annotations"]) == ("ana", "done", "1")
    assert (li["state"], li["seconds"], li["annotations"]) == ("done", "41.500", "0")
    assert (li["annotator_name"], li["escaped"]) == ("'=Li", "annotator_name")
    write(_nothing_found(), "csv", tmp_path / "a.csv")
    beside = tmp_path / "out" / "annotations.csv"
    assert beside.read_bytes() == (tmp_path / "a.csv").read_bytes()


def test_who_marked_something_is_a_row(tmp_path: Path) -> None:
    """Also where nothing is known of their work on the sample, as in most files of others."""
    write([replace(base("ana"), assignments=())], "csv-tables", tmp_path / "out")
    with (tmp_path / "out" / "reviews.csv").open(newline="", encoding="utf-8") as file:
        (ana,) = csv.DictReader(file)
    assert (ana["annotator"], ana["state"], ana["annotations"]) == ("ana", "", "1")


def test_tables_of_datasets(tmp_path: Path) -> None:
    """A further table has the license, origin and citation of each dataset with a description."""
    about = {"license": "MIT", "origin": "=A", "citation": "Ann.\n2026"}
    first = replace(base("ana"), about=DatasetDescription(**about))
    second = replace(base("ana"), sample=replace(first.sample, dataset="e"))
    for name, file_name in (("csv-tables", "tables"), ("parquet", "parquet"), ("xlsx", "a.xlsx")):
        report = write([first, first, second], name, tmp_path / file_name)
        assert RecordTrait.ABOUT not in report.lost
    with (tmp_path / "tables" / "datasets.csv").open(newline="", encoding="utf-8") as file:
        (described,) = csv.DictReader(file)
    assert described == {"dataset": "d", **about, "origin": "'=A", "escaped": "origin"}
    for file_name in ("annotations.parquet", "reviews.parquet"):
        metadata = parquet.read_metadata(tmp_path / "parquet" / file_name).metadata
        assert json.loads(metadata[b"datasets"]) == {"d": about}
    (row,) = _named(_workbook(tmp_path / "a.xlsx")["datasets"])
    assert row == {"dataset": "d", **about, "cut": None}
    write([second], "csv-tables", tmp_path / "plain")
    assert not (tmp_path / "plain" / "datasets.csv").exists()


@pytest.mark.parametrize("name", ["jsonl", "json", "parquet"])
def test_the_page_on_formats_lists_the_columns_that_are_null(tmp_path: Path, name: str) -> None:
    """docs/formats.md states by row which cells without a value are null; others are texts."""
    _, _, after = PAGE.partition("| row | columns that are null |\n")
    lines = after.partition("\n\n")[0].splitlines()[1:]
    bare, no_claim, no_evidence, not_adjudicated = (set(re.findall("`(.+?)`", x)) for x in lines)
    record = base("ana")
    (owned,) = record.annotations
    time = "2026-01-02T09:00:00.000000+00:00"
    plain = replace(owned.annotation, created=time, updated=time)
    evidence = (Anchor(Side.SOURCE, 0, Span(0, 3)),)
    adjudicated = Adjudication("rea", ReviewAction.TAKEN)
    cases: list[tuple[Annotation | None, set[str]]] = [
        (plain, no_evidence | not_adjudicated),
        (replace(plain, claim=(), evidence=evidence), no_claim | not_adjudicated),
        (replace(plain, settled=adjudicated), no_evidence),
        (None, bare | no_claim | no_evidence | not_adjudicated),
    ]
    for number, (annotation, expected) in enumerate(cases):
        owned_by = (OwnedAnnotation("ana", annotation),) if annotation else ()
        target = tmp_path / f"{number}"
        write([replace(record, annotations=owned_by)], name, target)
        if name == "parquet":
            (row,) = parquet.read_table(target / "annotations.parquet").to_pylist()
        elif name == "json":
            (row,) = json.loads(target.read_text("utf-8"))
        else:
            row = json.loads(target.read_text("utf-8"))
        assert {column for column, value in row.items() if value is None} == expected


def test_parquet_has_types(tmp_path: Path) -> None:
    """int32 offsets, times in UTC, dictionaries of names; pandas reads it as it is."""
    timed = replace(
        base("ana").annotations[0].annotation, created="2026-01-02T10:00:00+01:00", updated="soon"
    )
    record = base("ana")
    record = replace(record, annotations=(replace(record.annotations[0], annotation=timed),))
    report = write([record], "parquet", tmp_path / "out")
    assert report.lost == {Loss.BAD_TIMES: 1}
    table = parquet.read_table(tmp_path / "out" / "annotations.parquet")
    kinds = {field.name: str(field.type) for field in table.schema}
    assert kinds["summary_start"] == kinds["source_end"] == kinds["version"] == "int32"
    assert kinds["created"] == kinds["updated"] == "timestamp[us, tz=UTC]"
    for name in ("label_1", "label_path", "annotator", "state"):
        assert kinds[name].startswith("dictionary<values=string, indices=int32")
    assert (kinds["note"], kinds["seconds"]) == ("string", "double")
    (row,) = table.to_pylist()
    assert row["created"] == datetime(2026, 1, 2, 9, tzinfo=UTC)
    assert (row["updated"], row["summary_start"], row["summary_text"]) == (None, 8, "15 million")
    assert table.column_names == list(COLUMNS)
    names = parquet.read_table(tmp_path / "out" / "reviews.parquet").column_names
    assert names == list(REVIEWS)


@given(records=several())
@settings(deadline=None, max_examples=example_limit(40))
def test_parquet_gives_every_cell_back(records: list[Record]) -> None:
    """Whatever people wrote; rows may come in several groups."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(columnar, "_BATCH", 2)
        write(records, "parquet", Path(folder) / "out")
        files = ("annotations.parquet", "reviews.parquet")
        for file, (report, columns) in zip(files, _written(records), strict=True):
            found = parquet.read_table(Path(folder) / "out" / file).to_pylist()
            for row in found:
                for name in {"created", "updated"} & set(row):
                    moment = row[name]
                    row[name] = moment and moment.isoformat(timespec="microseconds")
            assert _empty(found) == _told(report, columns)


@given(records=several())
@settings(deadline=None, max_examples=example_limit(40))
def test_a_workbook_gives_every_cell_back(records: list[Record]) -> None:
    """No cell is a formula, and signs that XML can not hold are written as workbooks do."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.xlsx"
        write(records, "xlsx", path)
        sheets = _workbook(path)
    assert list(sheets) == ["annotations", "reviews"]
    for cells, (report, columns) in zip(sheets.values(), _written(records), strict=True):
        found = [
            {name: unescape(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
            for row in _named(cells)
        ]
        assert cells[0] == [*columns, "cut"]
        assert _empty(found) == _told(report, cells[0])


def test_a_cell_that_looks_like_a_formula_is_marked_as_text(tmp_path: Path) -> None:
    """Excel shows such a mark as a leading quote, which is no part of the text."""
    write(_nothing_found(), "xlsx", tmp_path / "a.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["reviews"]
    assert (sheet["D3"].value, sheet["D3"].quotePrefix) == ("=Li", True)
    assert not sheet["D2"].quotePrefix


@pytest.mark.parametrize("sign", ["x", "🌉"])
def test_a_long_text_is_cut_and_counted(tmp_path: Path, sign: str) -> None:
    """A cell holds 32,767 UTF-16 units, whole signs alone; report and row say what is cut."""
    record = base("ana")
    most = workbooks.LONGEST_CELL * 2 // len(sign.encode("utf-16-le"))
    for more in (0, 1):
        comment = sign * (most + more)
        work = (replace(record.assignments[0], comment=comment),)
        report = write([replace(record, assignments=work)], "xlsx", tmp_path / "a.xlsx")
        lost = (
            {"texts cut at 32,767 characters (the column cut names the columns with cut texts)": 2}
            if more
            else {}
        )
        assert report.lost == lost
        sheets = _workbook(tmp_path / "a.xlsx")
        first = [_named(sheets[name])[0] for name in ("annotations", "reviews")]
        assert [row["comment"] for row in first] == [sign * most] * 2
        assert [row["cut"] for row in first] == ["comment" if more else None] * 2


def test_a_full_sheet_is_followed_by_another(tmp_path: Path, monkeypatch: Any) -> None:
    """Each with the names of the columns."""
    monkeypatch.setattr(workbooks, "MOST_ROWS", 3)
    record = base("ana")
    samples = [replace(record.sample, id=str(n)) for n in range(5)]
    write([replace(record, sample=one) for one in samples], "xlsx", tmp_path / "a.xlsx")
    sheets = _workbook(tmp_path / "a.xlsx")
    assert [name for name in sheets if name.startswith("a")] == [
        "annotations", "annotations 2", "annotations 3",
    ]  # fmt: skip
    ids = [row["sample_id"] for name in list(sheets)[:3] for row in _named(sheets[name])]
    assert ids == ["0", "1", "2", "3", "4"]


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ["xlsx", "parquet", "csv-tables"])
def test_records_that_break_leave_nothing(tmp_path: Path, name: str) -> None:
    """No folder, no file, and no word of the writer's own about a table that has no end."""

    def broken() -> Iterator[Record]:
        yield base("ana")
        raise NotFound("gone")

    with pytest.raises(NotFound):
        write(broken(), name, tmp_path / "out")
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["xlsx", "parquet", "csv-tables"])
def test_the_same_records_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    """No clock and no chance is in the files."""
    for place in ("a", "b"):
        write(_nothing_found(), name, tmp_path / place)
    first, second = tmp_path / "a", tmp_path / "b"
    files = sorted(first.iterdir()) if first.is_dir() else [first]
    for file in files:
        other = second / file.name if first.is_dir() else second
        assert file.read_bytes() == other.read_bytes()


def test_a_workbook_is_no_text() -> None:
    """A stream of text can not hold it."""
    with pytest.raises(InvalidInput, check=has_code("workbook-to-stdout")):
        registry.load("exporters", "xlsx").write([], StringIO(), ExportOptions())


@pytest.mark.parametrize("name", ["a.xlsx.gz", "a.xlsx.zst"])
def test_a_workbook_can_be_packed(tmp_path: Path, name: str) -> None:
    """What packs it takes bytes one after another; unpacked it is a workbook."""
    write(_nothing_found(), "xlsx", tmp_path / name)
    plain = tmp_path / "b.xlsx"
    with streams.open_bytes(tmp_path / name) as (file, _):
        plain.write_bytes(file.read())
    assert list(_workbook(plain)) == ["annotations", "reviews"]


@pytest.mark.parametrize(
    "text",
    [
        "<r><t>a</t></r>",
        "<r>& </r>",
        "_x0041_x0042_",
        "https://a.b",
        "1.5",
        "\r\n a ",
        "\x0b\ufffe",
    ],
)
def test_a_text_of_a_workbook_is_never_markup(tmp_path: Path, text: str) -> None:
    """Also where the library would take it for a run of rich text, an escape, a link, a number."""
    with (tmp_path / "a.xlsx").open("wb") as file:
        workbooks.write_workbook(file, "a", columns=["text"], rows=[{"text": text}])
    cell = openpyxl.load_workbook(tmp_path / "a.xlsx")["a"]["A2"]
    assert (unescape(cell.value), cell.hyperlink) == (text, None)


@pytest.mark.parametrize("number", [0.1 + 0.2, 1 / 3, 1e300, 2**60, -0.5])
def test_a_number_of_a_workbook_is_exact(tmp_path: Path, number: float) -> None:
    """All its digits are in the file, though a spreadsheet may show fewer."""
    with (tmp_path / "a.xlsx").open("wb") as file:
        workbooks.write_workbook(file, "a", columns=["n"], rows=[{"n": number}])
    assert openpyxl.load_workbook(tmp_path / "a.xlsx")["a"]["A2"].value == number
