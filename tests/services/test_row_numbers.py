"""Row numbers that are sample ids begin with 1; datasets of earlier versions keep theirs from 0."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from tests.services.ingest_stores import Stores
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.ingest import IngestFiles, TaskProgress
from tui_annotate.services.ingest.report import IngestReport
from tui_annotate.services.ingest.run import _BATCH_RECORDS

KINDS = ("csv", "jsonl", "xlsx", "parquet")


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Empty stores."""
    return Stores(tmp_path)


def rows(*numbers: int | None) -> list[dict[str, str]]:
    """Rows with different texts; None is a row that imports refuse."""
    return [
        {"source": f"The bridge number {number} is old.", "summary": f"Bridge {number} is old."}
        if number is not None
        else {"source": "The bridge without a summary is old.", "summary": ""}
        for number in numbers
    ]


def write(path: Path, table: Sequence[dict[str, str]]) -> Path:
    """Write a table in the format of the file's ending."""
    cells = [["source", "summary"], *([row["source"], row["summary"]] for row in table)]
    if path.suffix == ".csv":
        path.write_text("".join(f"{','.join(row)}\n" for row in cells), "utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in table), "utf-8")
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(table), path)
    else:
        book = Workbook()
        sheet = book.active
        assert sheet is not None
        for row in cells:
            sheet.append(row)
        book.save(path)
    return path


def store_earlier(
    stores: Stores, table: Sequence[dict[str, str]], *, dataset: str = "a", prefix: str = ""
) -> None:
    """Store the valid rows of a table as an earlier version did, with ids from 0."""
    records = [
        Record(
            Sample(
                dataset,
                f"{prefix}{index}",
                (Document(Side.SOURCE, row["source"]), Document(Side.SUMMARY, row["summary"])),
            )
        )
        for index, row in enumerate(table)
        if row["summary"]
    ]
    stores.ingest.run(records, embedder="none")


def ingest(stores: Stores, *paths: Path, dataset: str = "", **how: Any) -> IngestReport:
    files = IngestFiles(paths, options=ImportOptions(dataset=dataset))
    return stores.ingest.run(files, embedder="none", **how)


def ids(stores: Stores, dataset: str = "a") -> dict[str, str]:
    """Map the ids of a dataset's samples to their summaries."""
    return {
        record.sample.id: record.sample.document(Side.SUMMARY).text
        for record in stores.corpus.records(RecordFilter(dataset=dataset))
    }


def numbered(numbers: Iterable[int], *, first: int, prefix: str = "") -> dict[str, str]:
    return {
        f"{prefix}{index}": f"Bridge {number} is old."
        for index, number in enumerate(numbers, first)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_dataset_has_row_numbers_from_1(stores: Stores, tmp_path: Path, kind: str) -> None:
    """A refused row keeps its number, and rows that are added later have the next numbers."""
    path = write(tmp_path / f"a.{kind}", rows(1, None, 3))
    assert ingest(stores, path).added == 2
    assert list(ids(stores)) == ["1", "3"]
    write(path, rows(1, 2, 3, 4))
    report = ingest(stores, path)
    assert (report.added, report.known, report.refused) == (2, 2, 0)
    assert ids(stores) == numbered([1, 2, 3, 4], first=1)


@pytest.mark.parametrize("how", [{}, {"strict": True}], ids=["plain", "strict"])
@pytest.mark.parametrize("refused", [0, 1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_dataset_of_an_earlier_version_keeps_row_numbers_from_0(
    stores: Stores, tmp_path: Path, kind: str, refused: int, how: dict[str, Any]
) -> None:
    """Its file adds nothing; corrected rows and new ones have the numbers that are missing."""
    path = write(tmp_path / f"a.{kind}", rows(*[None] * refused, *range(refused, 6)))
    store_earlier(stores, rows(*[None] * refused, *range(refused, 6)))
    before = ids(stores)
    dry = ingest(stores, path, dry_run=True)
    assert (dry.added, dry.known, dry.refused) == (0, 6 - refused, refused)
    if not (how and refused):
        report = ingest(stores, path, **how)
        assert (report.added, report.known, report.refused) == (0, 6 - refused, refused)
    assert ids(stores) == before
    write(path, rows(*range(8)))
    report = ingest(stores, path, **how)
    assert (report.added, report.known, report.refused) == (2 + refused, 6 - refused, 0)
    assert ids(stores) == numbered(range(8), first=0)


def test_rows_of_equal_texts_keep_their_numbers(stores: Stores, tmp_path: Path) -> None:
    """The texts of the rows show no number; what is stored of the dataset decides."""
    for name, first in (("a", 1), ("b", 0)):
        path = write(tmp_path / f"{name}.csv", rows(7, 7, 7))
        if first == 0:
            store_earlier(stores, rows(7, 7, 7), dataset=name)
        else:
            ingest(stores, path)
        write(path, rows(7, 7, 7, 7))
        assert ingest(stores, path).added == 1
        assert list(ids(stores, name)) == [str(number) for number in range(first, first + 4)]


def test_a_row_that_is_inserted_at_the_top_has_no_number_0(stores: Stores, tmp_path: Path) -> None:
    """A dataset keeps its numbers from 1, so that the moved rows contradict the stored texts."""
    path = write(tmp_path / "a.csv", rows(1, 2, 3))
    ingest(stores, path)
    write(path, rows(9, 1, 2, 3))
    report = ingest(stores, path)
    assert (report.added, report.known, report.refused) == (1, 0, 3)
    assert ids(stores) == {**numbered([1, 2, 3], first=1), "4": "Bridge 3 is old."}


@pytest.mark.parametrize("first", [0, 1])
def test_files_of_one_dataset_are_numbered_alike(
    stores: Stores, tmp_path: Path, first: int
) -> None:
    """A new file of a dataset with row numbers from 0 is numbered from 0, too."""
    one, two = (write(tmp_path / f"{name}.csv", rows(1, 2)) for name in ("one", "two"))
    if first == 0:
        store_earlier(stores, rows(1, 2), dataset="d", prefix="one.csv/")
    else:
        (tmp_path / "d").mkdir()
        write(tmp_path / "d" / "one.csv", rows(1, 2))
        assert ingest(stores, tmp_path / "d").added == 2
    report = ingest(stores, one, two, dataset="d")
    assert (report.added, report.known, report.refused) == (2, 2, 0)
    assert ids(stores, "d") == {
        **numbered([1, 2], first=first, prefix="one.csv/"),
        **numbered([1, 2], first=first, prefix="two.csv/"),
    }


def test_each_sheet_is_numbered_as_its_dataset(stores: Stores, tmp_path: Path) -> None:
    """A sheet that is added to the workbook of an earlier version is a new dataset."""
    book = Workbook()
    book.remove(book.active)
    for name in ("old", "new"):
        sheet = book.create_sheet(name)
        sheet.append(["source", "summary"])
        for row in rows(1, 2):
            sheet.append([*row.values()])
    book.save(tmp_path / "a.xlsx")
    store_earlier(stores, rows(1, 2), dataset="a-old")
    report = ingest(stores, tmp_path / "a.xlsx")
    assert (report.added, report.known, report.refused) == (2, 2, 0)
    assert [*ids(stores, "a-old")] == ["0", "1"]
    assert [*ids(stores, "a-new")] == ["1", "2"]


@pytest.mark.parametrize("first", [0, 1])
def test_an_interrupted_import_continues_with_its_numbers(
    stores: Stores, tmp_path: Path, first: int
) -> None:
    """The rows that an import stored before it was interrupted decide."""
    count = 2 * _BATCH_RECORDS
    path = write(tmp_path / "a.csv", rows(*range(count)))

    def interrupt(progress: TaskProgress) -> None:
        if progress.phase == "storing":
            raise KeyboardInterrupt

    if first == 0:
        store_earlier(stores, rows(*range(_BATCH_RECORDS)))
    else:
        with pytest.raises(KeyboardInterrupt):
            ingest(stores, path, progress=interrupt)
    assert len(ids(stores)) == _BATCH_RECORDS
    assert ingest(stores, path).added == count - _BATCH_RECORDS
    assert ids(stores) == numbered(range(count), first=first)


@pytest.mark.parametrize("refused", [0, 1])
@pytest.mark.parametrize("first", [0, 1])
def test_a_native_export_keeps_the_numbers_of_its_dataset(
    stores: Stores, tmp_path: Path, first: int, refused: int
) -> None:
    """A workspace that was made from the export recognizes the table by its texts."""
    table = rows(*[None] * refused, *range(refused, 4))
    path = write(tmp_path / "a.csv", table)
    if first == 0:
        store_earlier(stores, table)
    else:
        ingest(stores, path)
    export = tmp_path / "export.jsonl"
    stores.export.run("native", export)
    (tmp_path / "other").mkdir()
    other = Stores(tmp_path / "other")
    assert ingest(other, export).added == 4 - refused
    write(path, rows(*range(5)))
    report = ingest(other, path)
    assert (report.added, report.known, report.refused) == (1 + refused, 4 - refused, 0)
    assert ids(other) == numbered(range(5), first=first)


def test_a_replacement_keeps_the_numbers_of_its_dataset(stores: Stores, tmp_path: Path) -> None:
    """Unchanged rows stay, with the work on them."""
    store_earlier(stores, rows(0, 1, 2))
    path = write(tmp_path / "a.csv", rows(0, 9, 2, 3))
    report = stores.ingest.replace(IngestFiles([path]), dataset="a", embedder="none")
    assert (report.replaced, report.added, report.known, report.deleted) == (1, 1, 2, 0)
    assert ids(stores) == numbered([0, 9, 2, 3], first=0)


@pytest.mark.parametrize("first", [0, 1])
def test_a_further_version_of_a_dataset_has_its_numbers(
    stores: Stores, tmp_path: Path, first: int
) -> None:
    """The dataset that a refusal advises has the changed texts under the same ids."""
    path = write(tmp_path / "a.csv", rows(1, 2))
    if first == 0:
        store_earlier(stores, rows(1, 2))
    else:
        ingest(stores, path)
    write(path, rows(1, 3))
    assert ingest(stores, path).refused == 1
    assert ingest(stores, path, dataset="a-2").added == 2
    assert ids(stores, "a-2") == numbered([1, 3], first=first)
    assert ingest(stores, path).refused == 0


def test_ids_of_a_column_choose_no_row_number(stores: Stores, tmp_path: Path) -> None:
    """The dataset's number of the first row is chosen by the first table without such a column."""
    table = [{"key": f"k{number}", **row} for number, row in enumerate(rows(1, 2))]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in table), "utf-8")
    files = IngestFiles([path], options=ImportOptions(id_column="key"))
    stores.ingest.run(files, embedder="none")
    assert stores.corpus.first_rows() == {"a": None}
    ingest(stores, write(tmp_path / "more.csv", rows(3)), dataset="a")
    assert stores.corpus.first_rows() == {"a": 1}
    assert SampleKey("a", "1") in stores.corpus.keys("a")
