"""Reads the rows of Excel workbooks (xlsx) with openpyxl, in constant memory."""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple
from xml.etree.ElementTree import iterparse
from zipfile import BadZipFile, ZipFile

from tui_annotate.domain.errors import InvalidRecord
from tui_annotate.plugins.files.columnar import to_json_value
from tui_annotate.plugins.files.packing import BOMB_FLOOR, BOMB_RATIO, ZIP_MAGIC, begins_with
from tui_annotate.plugins.files.sheets import MOST_ROWS
from tui_annotate.plugins.record_validation import check_temporary_space, open_temporary_database

if TYPE_CHECKING:
    from openpyxl.reader.excel import ExcelReader

SheetRow = tuple[int, list[Any]]
"""1-based number of a row in its sheet, and the values of its cells; None for an empty cell."""


class Sheet(NamedTuple):
    """A sheet of a workbook: the names of its columns, and the rows with content after them.

    `valueless`: number of formulas without a stored value; `examples`: the first of their cells;
    `hidden`: whether spreadsheet programs hide the sheet.
    """

    header: list[str]
    rows: Iterator[SheetRow]
    valueless: int
    examples: list[str]
    hidden: bool


_EXAMPLES: Final = 5
_LONGEST_FORMULA: Final = 2**16
"""Number of bytes that a cell with a formula fits in; a formula has at most 8,192 characters."""
_VALUELESS: Final = re.compile(
    rb"""<(?:\w+:)?c(?=[\s>])(?![^<>]*\bt=["']str["'])"""
    rb"""(?:[^<>]*?\br=["']([A-Z]+[0-9]+)["'])?+[^<>]*>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<]*"""
    rb"""(?:<!\[CDATA\[(?:[^]<]|\](?!\]>)|<(?!!))*\]\]>[^<]*)?</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*(?:/>|></(?:\w+:)?v>)\s*)?</(?:\w+:)?c>"""
)
"""A cell with a formula and no value; in a cell of the type `str`, the empty text is a value."""
_BROKEN: Final = (
    ArithmeticError, AssertionError, AttributeError, BadZipFile, EOFError, LookupError, OSError,
    RuntimeError, SyntaxError, TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
"""Exceptions that openpyxl raises on damaged workbooks."""
_ESCAPED: Final = re.compile("_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")
"""Pattern of an escaped character in a cell, such as `_x000D_`."""


def is_workbook(path: Path) -> bool:
    """Return whether a file is an Excel workbook (xlsx or xlsm), by its content."""
    if not begins_with(path, ZIP_MAGIC):
        return False
    with suppress(*_BROKEN), ZipFile(path) as archive:
        return "xl/workbook.xml" in archive.namelist()
    return False


@contextmanager
def open_sheets(path: Path) -> Iterator[dict[str, Sheet]]:
    """Open a workbook; map the name of each sheet with content to the sheet.

    Formulas have their stored values. Values are JSON values, as `read_column_rows` makes them.

    Raises:
        InvalidRecord: the file is damaged, or unpacks to too many bytes.
    """
    warnings.filterwarnings("ignore", module="openpyxl")  # about formatting that is not read
    database = open_temporary_database(
        "CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT);"
    )
    with closing(database), path.open("rb") as file:
        with _report_damage(path):
            with ZipFile(file) as archive:
                _refuse_bomb(path, archive)
            reader = _disk_backed_reader()(file, read_only=True, data_only=True, keep_links=False)
            reader.shared_strings = _TextTable(database)
            reader.read()
        sheets = {sheet.title: _open_sheet(path, sheet) for sheet in reader.wb.worksheets}
        yield {name: each for name, each in sheets.items() if each.header or each.valueless}


def _open_sheet(path: Path, sheet: Any) -> Sheet:
    rows = _read_rows(path, sheet)
    _, cells = next(rows, (0, []))
    with _report_damage(path, f"{path}, sheet {sheet.title!r}"):
        valueless = _find_valueless(sheet)
        examples = list(islice(valueless, _EXAMPLES))
        count = len(examples) + sum(1 for _ in valueless)
    return Sheet(
        header=[str(cell or "") for cell in cells],
        rows=rows,
        valueless=count,
        examples=[*filter(None, examples)],
        hidden=sheet.sheet_state != "visible",
    )


def _find_valueless(sheet: Any) -> Iterator[str]:
    """Yield the names of the cells with a formula without a stored value.

    openpyxl would have to read the whole sheet twice; this scan takes a small part of that time.
    """
    with sheet._get_source() as source:  # noqa: SLF001  the library has no public name
        text = b""
        while chunk := source.read(2**20):
            text += chunk
            end = 0
            for found in _VALUELESS.finditer(text):
                yield (found[1] or b"").decode()
                end = found.end()
            text = text[max(end, len(text) - _LONGEST_FORMULA) :]


@contextmanager
def _report_damage(path: Path, where: str = "") -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise InvalidRecord(
            f"the workbook cannot be read: {' '.join(str(error).split())[:200]}",
            "open the workbook in a spreadsheet program and save it again, as xlsx or CSV",
            where=where or str(path),
        ) from error


def _refuse_bomb(path: Path, archive: ZipFile) -> None:
    plain = sum(member.file_size for member in archive.infolist())
    if plain > max(BOMB_FLOOR, BOMB_RATIO * path.stat().st_size):
        raise InvalidRecord(
            f"the workbook unpacks to {plain:,} bytes, more than {BOMB_RATIO} times its size",
            "save the sheet as CSV",
            where=str(path),
            code="bomb",
        )


def _read_rows(path: Path, sheet: Any) -> Iterator[SheetRow]:
    sheet.reset_dimensions()  # many programs store wrong ones
    number = 0
    with _report_damage(path, f"{path}, sheet {sheet.title!r}"):
        for number, cells in enumerate(sheet.iter_rows(max_row=MOST_ROWS, values_only=True), 1):
            values = [_to_value(cell) for cell in cells]
            while values and values[-1] in (None, ""):
                values.pop()
            if values:
                yield number, values


def _to_value(cell: Any) -> Any:
    if isinstance(cell, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), cell) if "_x" in cell else cell
    return to_json_value(cell)


class _TextTable:
    """The texts that the cells of a workbook share; they are on disk, as they may be many."""

    def __init__(self, database: Connection) -> None:
        self._database = database

    def fill(self, source: IO[bytes]) -> None:
        from openpyxl.cell.text import Text
        from openpyxl.xml.constants import SHEET_MAIN_NS

        number = 0
        root = None
        for event, node in iterparse(source, ("start", "end")):  # noqa: S314  expat limits entities
            root = node if root is None else root
            if event == "end" and node.tag == f"{{{SHEET_MAIN_NS}}}si":
                row = (number, Text.from_tree(node).content)
                with check_temporary_space("read the workbook"):
                    self._database.execute("INSERT INTO texts VALUES (?, ?)", row)
                number += 1
                root.clear()

    def __getitem__(self, number: int) -> str:
        query = "SELECT text FROM texts WHERE number = ?"
        row = self._database.execute(query, (number,)).fetchone()
        if row is None:
            raise IndexError(f"the workbook has no text with the number {number}")
        return str(row[0])


@cache
def _disk_backed_reader() -> type[ExcelReader]:
    """Return a subclass of openpyxl's reader that holds no texts in memory.

    The subclass skips the parts of a workbook that concern neither sheets nor cell formats.
    """
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.xml.constants import SHARED_STRINGS

    class DiskBackedReader(ExcelReader):  # type: ignore[misc]  # the library has no types
        def read_strings(self) -> None:
            if part := self.package.find(SHARED_STRINGS):
                with self.archive.open(part.PartName[1:]) as source:
                    self.shared_strings.fill(source)

        def read_properties(self) -> None: ...

        def read_custom(self) -> None: ...

        def read_theme(self) -> None: ...

        def read_chartsheet(self, *_: Any) -> None: ...

    return DiskBackedReader
