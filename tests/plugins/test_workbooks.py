"""Excel workbooks as input: sheets, cells of every kind, damaged files."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from openpyxl import load_workbook

from tests.helpers.errors import has_code
from tests.plugins.record_reader import read
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.files.sheets import write_workbook
from tui_annotate.plugins.protocols import ColumnChoice, ImportOptions, PairColumns
from tui_annotate.plugins.reader_guard import choose_columns
from tui_annotate.plugins.record_validation import COLUMNS_AMBIGUOUS

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[3] / "shared"))
HEADER = ["source", "summary"]
PAIR = [*HEADER], ["It cost 12.", "It cost 15."]


def workbook(path: Path, **sheets: Any) -> Path:
    """A workbook with these rows, as Excel stores it: with a table of shared texts."""
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return path


def _edited(path: Path, **parts: str) -> Path:
    """A workbook whose parts of this name have another content."""
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in kept.items():
            stem = Path(name).stem
            archive.writestr(name, parts.get(stem, content))
    return path


def test_each_sheet_is_a_dataset(tmp_path: Path) -> None:
    """Sheets with columns in different orders are datasets; empty sheets do not count."""
    path = workbook(
        tmp_path / "gold.xlsx",
        one=PAIR,
        empty=[],
        two=[["n", "summary", "source"], [1, "B.", "A."]],
    )
    records, problems = read(path)
    assert problems == []
    assert [record.sample.key for record in records] == [("gold-one", "1"), ("gold-two", "1")]
    assert records[1].sample.document(Side.SOURCE).text == "A."
    assert records[1].sample.meta == {"n": 1}


def test_a_hidden_sheet_is_reported(tmp_path: Path) -> None:
    """Its rows are read like those of the others; a spreadsheet program does not show them."""
    path = workbook(tmp_path / "gold.xlsx", seen=PAIR, unseen=PAIR)
    stored = load_workbook(path)
    stored["unseen"].sheet_state = "hidden"
    stored.save(path)
    records, problems = read(path)
    assert len(records) == 2
    assert [(each.where, each.refused) for each in problems] == [(f"{path}, sheet 'unseen'", False)]


def test_a_workbook_with_one_sheet_is_named_after_its_file(tmp_path: Path) -> None:
    """The name of the only sheet says nothing; the format is found without the file's ending."""
    path = workbook(tmp_path / "gold.xlsx", Sheet1=PAIR, Sheet2=[])
    records, problems = read(path.rename(tmp_path / "gold.data"))
    assert problems == []
    assert [record.sample.key for record in records] == [("gold.data", "1")]


def test_one_dataset_of_several_sheets_has_ids_with_the_sheets_names(tmp_path: Path) -> None:
    """An id does not depend on whether the other sheets are imported at the same time."""
    path = workbook(tmp_path / "gold.xlsx", one=PAIR, two=PAIR)
    both, _ = read(path, dataset="all")
    only, _ = read(path, dataset="all", sheet="two")
    assert [record.sample.key for record in both] == [("all", "one/1"), ("all", "two/1")]
    assert [record.sample.key for record in only] == [("all", "two/1")]


def test_an_unknown_sheet_is_refused_with_the_names_of_the_sheets(tmp_path: Path) -> None:
    """The hint names the nearest sheet."""
    path = workbook(tmp_path / "gold.xlsx", train=PAIR, test=PAIR)
    with pytest.raises(NotFound) as caught:
        read(path, sheet="tran")
    assert "'train'" in caught.value.hint


def test_a_sheet_without_a_text_column_does_not_stop_the_others(tmp_path: Path) -> None:
    """The reason is reported once for the sheet."""
    path = workbook(tmp_path / "gold.xlsx", bad=[["summary"], ["S."], ["T."]], good=PAIR)
    records, (problem,) = read(path)
    assert [record.sample.dataset for record in records] == ["gold-good"]
    assert problem.refused
    assert "sheet 'bad'" in problem.where
    assert "'source'" in problem.message


def test_each_sheet_has_columns_of_its_own(tmp_path: Path) -> None:
    """Columns with other names are found in each sheet; an unclear sheet is refused at once."""
    texts = ["It cost 12 million pounds and opened in 1889.", "It opened in 1889."]
    sheets = {
        "one": [["Document", "Claim"], texts],
        "two": [["highlights", "article"], texts[::-1]],
    }
    path = workbook(tmp_path / "gold.xlsx", **sheets, bad=[["price"], [12]])
    records, (problem,) = read(path)
    assert [[each.text for each in record.sample.documents] for record in records] == [texts, texts]
    assert "'bad'" in problem.where
    names = ["article", "highlights", "summary"]
    path = workbook(tmp_path / "b.xlsx", **sheets, unclear=[names, [*texts, texts[1]]])
    tables: list[str] = []

    def choose(choice: ColumnChoice) -> PairColumns:
        tables.append(choice.table)
        return choice.columns

    choose_columns("pairs", ImportOptions(choose_columns=choose), path)
    assert tables == [f"{path}, sheet {name!r}" for name in ("one", "two", "unclear")]
    with pytest.raises(InvalidInput, check=has_code(COLUMNS_AMBIGUOUS)):
        choose_columns("pairs", ImportOptions(), path)


def test_formulas_without_a_value_are_reported(tmp_path: Path) -> None:
    """Programs that write no values leave empty cells, which are counted and named by sheet."""
    book = openpyxl.Workbook()
    rows = [[*HEADER, "n"], ["A.", "B.", "=1+1"], ['="a"&"<>"', "B.", "=n"], *[["A.", "B.", 1]] * 9]
    for each in rows:
        book.active.append(each)
    book.create_sheet("only").append(["=A1"])
    book.save(path := tmp_path / "a.xlsx")
    records, problems = read(path)
    assert len(records) == 10
    assert [(each.refused, each.where.split("'")[1]) for each in problems] == [
        (False, "Sheet"),
        (True, "Sheet"),
        (False, "only"),
    ]
    assert problems[0].message.startswith("3 formulas without a stored value, in 'C2', 'A3', 'C3'")


@pytest.mark.parametrize(
    ("cells", "count", "named"),
    [
        ("<c r='A2'><f>1</f></c><c t='n' r='B2'><f>1</f></c>", 2, "'A2', 'B2': "),
        ("<c><f>1</f></c><c><f>1</f><v>1</v></c>", 1, "value: "),
        (
            '<c r="A2"><f><![CDATA[T[a]<2]]></f></c><c t=\'str\' r="B2"><f>1</f><v></v></c>',
            1,
            "'A2': ",
        ),
    ],
)
def test_cells_without_a_value_are_found_in_any_xml(
    tmp_path: Path, cells: str, count: int, named: str
) -> None:
    """XML allows both quotes and CDATA, and a cell may have no position."""
    path = workbook(tmp_path / "a.xlsx", one=[HEADER, ["", ""], ["A.", "B."]])
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    _edited(path, sheet1=re.sub('<row r="3"', f'<row r="2">{cells}</row><row r="3"', sheet))
    records, problems = read(path)
    assert len(records) == 1
    assert problems[0].message.startswith(f"{count} formula")
    assert named in problems[0].message


def test_an_empty_text_is_the_value_of_a_formula(tmp_path: Path) -> None:
    """A spreadsheet program stores it in a cell of text; numbers of other programs are values."""
    row = '<c r="A2" t="str"><f>""</f><v></v></c><c r="B2"><f>1</f><v>1</v></c>'
    path = workbook(tmp_path / "a.xlsx", one=[HEADER, ["", ""], ["A.", "B."]])
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    there = f'<row r="2">{row}</row><row r="3"'
    _edited(path, sheet1=re.sub('<row r="3"', there, sheet))
    records, problems = read(path)
    assert len(records) == 1
    assert [each.refused for each in problems] == [True]


def test_columns_of_one_sheet_do_not_hold_for_the_others(tmp_path: Path) -> None:
    """Other sheets are looked at as usual; a name that no sheet has is refused by each sheet."""
    path = workbook(tmp_path / "a.xlsx", one=[["a", "b"], ["A.", "B."]], two=PAIR)
    records, problems = read(path, source_column="a", summary_column="b")
    assert problems == []
    assert [record.sample.dataset for record in records] == ["a-one", "a-two"]
    for options in ({"source_column": "x"}, {"source_column": "a", "sheet": "two"}):
        records, problems = read(path, **options)
        assert records == []
        assert all("--source-column" in each.hint for each in problems)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """One of the two values would be lost; columns without a name are numbered."""
    path = workbook(tmp_path / "a.xlsx", one=[[*HEADER, "n", "n"], ["a", "b", 1, 2]])
    records, (problem,) = read(path)
    assert not records
    assert "'n'" in problem.message
    path = workbook(tmp_path / "b.xlsx", one=[[None, *HEADER, None], [7, "a", "b", None, 8]])
    (record,), _ = read(path)
    assert record.sample.meta == {"column 1": 7, "column 5": 8}
    header = ["column 3", "summary", None]
    path = workbook(tmp_path / "c.xlsx", one=[header, ["a", "b", "c"]])
    (record,), _ = read(path, source_column="column 3", summary_column="summary")
    assert record.sample.side(Side.SOURCE)[0].text == "a"
    assert record.sample.meta == {"column 3 without a name": "c"}


def test_cells_keep_their_values(tmp_path: Path) -> None:
    """Numbers stay numbers, dates become ISO texts, formulas have their stored values."""
    row = ["a", "b", 3, 0.1, True, date(2026, 1, 31), "=1+1", None]
    columns = ["whole", "part", "flag", "day", "sum", "none"]
    path = workbook(tmp_path / "a.xlsx", one=[[*HEADER, *columns], [], row])
    (record,), problems = read(path)
    assert problems == []
    assert record.where.endswith("sheet 'one', row 3")
    assert record.sample.meta == {
        "whole": 3, "part": 0.1, "flag": True, "day": "2026-01-31T00:00:00", "sum": 0,
        "none": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", [" a\n\tb ", "_x0041_", "_x005F_x0041_", "\x01_x_", "<r>&amp;", "🌉"]
)
def test_texts_are_read_word_for_word(tmp_path: Path, text: str) -> None:
    """White space, markup, escapes and control characters of our own workbooks survive."""
    target = io.BytesIO()
    rows: list[Mapping[str, Any]] = [{"source": text, "summary": "b"}]
    write_workbook(target, "a", columns=HEADER, rows=rows)
    path = tmp_path / "a.xlsx"
    path.write_bytes(target.getvalue())
    (record,), problems = read(path)
    assert problems == []
    assert record.sample.document(Side.SOURCE).text == text


@pytest.mark.parametrize(("length", "doubts"), [(32_766, 0), (32_767, 1)])
def test_a_text_that_fills_its_cell_is_a_doubt(tmp_path: Path, length: int, doubts: int) -> None:
    """Excel cuts longer texts without a word."""
    path = workbook(tmp_path / "a.xlsx", one=[HEADER, ["🌉" + "a" * (length - 2), "B."]])
    (record,), problems = read(path)
    assert len(record.sample.document(Side.SOURCE).text) == length - 1
    assert [problem.refused for problem in problems] == [False] * doubts


def test_escapes_in_shared_texts_are_decoded(tmp_path: Path) -> None:
    """Excel stores a control character, and what looks like its escape, as an escape."""
    path = workbook(tmp_path / "a.xlsx", one=[HEADER, ["A", "B"]])
    with zipfile.ZipFile(path) as archive:
        texts = archive.read("xl/sharedStrings.xml").decode()
    texts = texts.replace(">A<", ">_x005F_x0041__x000D_<").replace(">B<", ">_xD800_<")
    (record,), _ = read(_edited(path, sharedStrings=texts))
    assert [one.text for one in record.sample.documents] == ["_x0041_\r", "_xD800_"]


def test_an_empty_workbook_is_a_problem(tmp_path: Path) -> None:
    """Neither a workbook without rows nor a sheet without data rows passes silently."""
    _, (problem,) = read(workbook(tmp_path / "a.xlsx", one=[]))
    assert problem.code == "file-empty"
    _, (problem,) = read(workbook(tmp_path / "b.xlsx", one=[HEADER]))
    assert problem.refused


@pytest.mark.parametrize(
    "parts",
    [
        {"workbook": "<"},
        {"sharedStrings": "<sst"},
        {"sheet1": "<worksheet"},
        {"sheet1": '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
                   '<sheetData><row><c t="s"><v>99</v></c></row></sheetData></worksheet>'},
        {"styles": "<styleSheet/>x"},
    ],
)  # fmt: skip
def test_a_damaged_workbook_is_one_problem(tmp_path: Path, parts: dict[str, str]) -> None:
    """The problem names the file and what to do."""
    path = _edited(workbook(tmp_path / "a.xlsx", one=PAIR), **parts)
    records, (problem,) = read(path)
    assert not records
    assert str(path) in problem.where
    assert problem.hint


def test_a_workbook_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    """A bomb is refused by the sizes that its archive states, before it is unpacked."""
    path = workbook(tmp_path / "a.xlsx", one=PAIR)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/a.xml", bytes(2**25))
    _, (problem,) = read(path)
    assert problem.code == "bomb"


def test_a_collection_as_people_have_it_is_read() -> None:
    """AggreFact's workbook: six sheets are read; four sheets without documents are refused."""
    folder = SHARED / "data" / "outside"
    if not folder.is_dir():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with files of other collections")
    (path,) = folder.glob("AggreFact*.xlsx")
    records, problems = read(path, source_column="doc", summary_column="summ")
    assert (len(records), len({record.sample.dataset for record in records})) == (72, 6)
    refused = [problem for problem in problems if problem.refused]
    assert [("cnn" in each.where, "'source'" in each.message) for each in refused] == [
        (True, True)
    ] * 4
