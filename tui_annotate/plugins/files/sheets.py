"""Writes Excel workbooks (xlsx) with XlsxWriter: sheets of texts and numbers, reproducibly.

Cells are never formulas. A text that is too long for a cell is cut, and the last column lists the
columns with a cut text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TextIO, cast

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

FORMULA: Final = frozenset("=+-@\t\r\n\0＝＋－＠")
"""First characters of cells that a spreadsheet would run as a formula."""
LONGEST_CELL: Final = 32_767
"""Maximum length of a spreadsheet cell in UTF-16 units."""
MOST_ROWS: Final = 1_048_576
CUT: Final = "cut"
"""Name of a spreadsheet's last column, which lists the columns whose text is cut in a row."""

_CREATED: Final = datetime(1980, 1, 1, tzinfo=UTC)
_UNWRITABLE: Final = re.compile(
    "_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]"
)
"""Pattern of text that a spreadsheet file cannot store unchanged."""


class LineFeedWriter:
    """CSV writer that ends rows with a line feed, and quotes cells with a carriage return."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._writer = csv.writer(self)
        self.writerow = self._writer.writerow

    def write(self, row: str) -> int:
        """Write a row of the module `csv` with a line feed as its end."""
        return self._target.write(row.removesuffix("\r\n") + "\n")


@contextmanager
def open_workbook(target: BinaryIO) -> Iterator[Workbook]:
    """Open a workbook, written at the end to a target (which need not be seekable); low memory."""
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError

    with TemporaryDirectory() as folder:
        # A compressing stream cannot seek, although it may claim so.
        plain = isinstance(target, io.BufferedWriter)
        onward = _SeekableFile(target) if plain else _ForwardOnlyFile(target)
        book = Workbook(cast("BinaryIO", onward), {"constant_memory": True, "tmpdir": folder})
        book.use_zip64()
        book.set_properties({"created": _CREATED})
        try:
            yield book
        except BaseException:
            for sheet in book.worksheets():
                sheet.row_data_fh.close()
            raise
        try:
            book.close()
        except FileCreateError as error:  # XlsxWriter's own form of an OSError
            raise error.args[0] from error
        finally:
            onward.abandon()


def write_workbook(
    target: BinaryIO, name: str, *, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write a workbook with one sheet; texts that look like formulas are marked as text."""
    with open_workbook(target) as book:
        SheetTable(book, name, columns=columns).add(rows)


class SheetTable:
    """A table of an Excel workbook; a table that is too long for a sheet continues on a new sheet.

    Args:
        lost: called for each row with the number of cut texts.
    """

    def __init__(
        self,
        book: Workbook,
        name: str,
        *,
        columns: Sequence[str],
        marked: bool = True,
        lost: Callable[[int], None] | None = None,
    ) -> None:
        self._book = book
        self._name = name
        self._columns = columns
        self._lost = lost
        self._quoted = book.add_format({"quote_prefix": True}) if marked else None
        self._sheets = 0
        self._sheet: Worksheet
        self._begin_sheet()

    def _begin_sheet(self) -> None:
        self._sheets += 1
        name = self._name if self._sheets == 1 else f"{self._name} {self._sheets}"
        sheet: Worksheet = self._book.add_worksheet(name, _exact_worksheet())
        if self._sheets > 1:  # next to its own table, not after the tables that were added since
            sheets = self._book.worksheets_objs
            sheets.insert(sheets.index(self._sheet) + 1, sheets.pop())
        self._sheet = sheet
        self._rows = 0
        self._write_row([*self._columns, CUT])

    def add(self, several: Iterable[Mapping[str, Any]]) -> None:
        """Add rows of values by column; rows that a full sheet cannot hold go to another sheet."""
        for row in several:
            if self._rows == MOST_ROWS:
                self._begin_sheet()
            values = [row.get(name) for name in self._columns]
            named = zip(self._columns, values, strict=True)
            cut = [name for name, value in named if isinstance(value, str) and _cut(value) != value]
            if self._lost:
                self._lost(len(cut))
            self._write_row([*values, " ".join(cut)])

    def _write_row(self, values: Sequence[Any]) -> None:
        for column, value in enumerate(values):
            if isinstance(value, bool):
                self._sheet.write_boolean(self._rows, column, value)
            elif isinstance(value, int | float):
                self._sheet.write_number(self._rows, column, value)
            elif value is not None and value != "":
                text = _cut(str(value))
                style = self._quoted if text[0] in FORMULA else None
                self._sheet.write_string(self._rows, column, text, style)
        self._rows += 1


@cache
def _exact_worksheet() -> type[Worksheet]:
    """Return a subclass of XlsxWriter's worksheet that does not change the values of cells.

    XlsxWriter itself writes numbers with 16 digits, takes a text in `<r>` and `</r>` for markup,
    and escapes only the first of two escapes that share an underscore.
    """
    from xlsxwriter.worksheet import Worksheet

    class ExactWorksheet(Worksheet):  # type: ignore[misc]  # the library has no types
        def _xml_number_element(self, number: float, attributes: Iterable[Any] = ()) -> None:
            marks = "".join(f' {name}="{value}"' for name, value in attributes)
            self.fh.write(f"<c{marks}><v>{number!r}</v></c>")

        def _xml_rich_inline_string(self, string: str, attributes: Iterable[Any] = ()) -> None:
            self._xml_inline_string(string, True, attributes)  # noqa: FBT003  the library's own

        @staticmethod
        def _escape_control_characters(data: str | int) -> str:  # a Boolean value is 0 or 1
            return _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", str(data))

    return ExactWorksheet


class _ForwardOnlyFile:
    """Wrapper of a binary file without seek, so that a zip archive is written sequentially."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target

    def write(self, data: bytes) -> int:
        return self._target.write(data)

    def flush(self) -> None:
        """Do nothing: the caller that opened the target file also closes it."""

    def abandon(self) -> None:
        """Discard what is still written: an archive that failed writes its end when it is freed.

        The target may be closed or full by then, and Python would print an ignored exception.
        """
        self._target = cast("BinaryIO", _DiscardingFile())


class _DiscardingFile:
    """File that only counts what is written to it.

    The garbage collector frees the archive and this file together, in any order. It closes a file
    of Python's own before the archive writes its end, which is an error then; this one never.
    """

    def __init__(self) -> None:
        self._position = 0

    def write(self, data: bytes) -> int:
        self._position += len(data)
        return len(data)

    def seek(self, offset: int, _whence: int = io.SEEK_SET) -> int:
        self._position = offset
        return offset

    def tell(self) -> int:
        return self._position


class _SeekableFile(_ForwardOnlyFile):
    """The same with seek, so that the archive has no data descriptors."""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._target.seek(offset, whence)

    def tell(self) -> int:
        return self._target.tell()


def is_full_cell(value: Any) -> bool:
    """Return whether the value of a cell is a text of maximum length."""
    return isinstance(value, str) and len(value) * 2 >= LONGEST_CELL and _cut(f"{value} ") == value


def _cut(text: str) -> str:
    if len(text) * 2 <= LONGEST_CELL:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: LONGEST_CELL * 2]
    return raw.decode("utf-16-le", "ignore") if len(raw) == LONGEST_CELL * 2 else text
