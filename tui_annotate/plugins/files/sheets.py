"""Workbooks (xlsx), by the standard library: sheets of texts and numbers, always the same.

Cells are never formulas; what is too long for one is cut, and the last column says so.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Final, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

FORMULA: Final = frozenset("=+-@\t\r\n\0＝＋－＠")
"""How cells begin that a spreadsheet would run."""
LONGEST_CELL: Final = 32_767
"""UTF-16 units of a cell."""
MOST_ROWS: Final = 1_048_576
"""Of a sheet."""
CUT: Final = "cut"
"""The last column: the names of those columns whose text was too long for a cell of this row."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="2"><xf xfId="0"/><xf xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0"/></cellStyles></styleSheet>'
)
_UNFIT: Final = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML can not hold or would change, and what looks like the way in which that is written."""
_MARKUP: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def workbook(
    target: BinaryIO, name: str, *, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """A workbook of one sheet; texts that look like formulas are marked as texts.

    Args:
        target: need not be able to go back.
        columns: of the rows, whose values are texts, numbers or None.
    """
    with ExitStack() as stack:
        sheets = Sheets(stack, name, columns=columns)
        sheets.add(rows)
        pack(target, sheets.ended())


class Sheets:
    """The rows of one table as XML in temporary files, a sheet each.

    Args:
        marked: texts that look like formulas are marked as texts, and stay such when edited.
        lost: told how many texts of a row were cut.
    """

    def __init__(
        self,
        stack: ExitStack,
        name: str,
        *,
        columns: Sequence[str],
        marked: bool = True,
        lost: Callable[[int], None] | None = None,
    ) -> None:
        self._stack = stack
        self._name = name
        self._columns = columns
        self._lost = lost
        self._marked = marked
        self._files: list[BinaryIO] = []
        self._begin()

    def _begin(self) -> None:
        file: BinaryIO = self._stack.enter_context(TemporaryFile())  # noqa: SIM115  the stack closes it
        self._files.append(file)
        self._rows = 0
        file.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
        self._row([*self._columns, CUT])

    def add(self, several: Iterable[Mapping[str, Any]]) -> None:
        """Adds rows, in a further sheet where one is full."""
        for row in several:
            if self._rows == MOST_ROWS:
                self._begin()
            values = [row.get(name) for name in self._columns]
            named = zip(self._columns, values, strict=True)
            cut = [name for name, value in named if isinstance(value, str) and _too_long(value)]
            if self._lost:
                self._lost(len(cut))
            self._row([*values, " ".join(cut)])

    def _row(self, values: Sequence[Any]) -> None:
        self._rows += 1
        cells = "".join(map(self._cell, values))
        self._files[-1].write(f"<row>{cells}</row>".encode())

    def _cell(self, value: Any) -> str:
        if value is None or value == "":
            return "<c/>"
        if isinstance(value, int | float):
            return f"<c><v>{value!r}</v></c>"
        kept = _cut(str(value))
        style = ' s="1"' if self._marked and kept[0] in FORMULA else ""
        plain = "".join(_MARKUP.get(sign, sign) for sign in _UNFIT.sub(_escaped, kept))
        return f'<c{style} t="inlineStr"><is><t xml:space="preserve">{plain}</t></is></c>'

    def ended(self) -> list[tuple[str, BinaryIO]]:
        """The sheets with their names."""
        for file in self._files:
            file.write(b"</sheetData></worksheet>")
        names = [self._name, *(f"{self._name} {n + 2}" for n in range(len(self._files) - 1))]
        return list(zip(names, self._files, strict=True))


def forward(target: BinaryIO) -> BinaryIO:
    """A target that is written onward alone: what packs can not go back, though it may say so."""
    return target if isinstance(target, io.BufferedWriter) else cast("BinaryIO", _Onward(target))


class _Onward:
    """Takes bytes one after another, so that the archive is written without going back."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target

    def write(self, data: bytes) -> int:
        """Some bytes."""
        return self._target.write(data)

    def flush(self) -> None:
        """Nothing to do: the target is closed by who opened it."""


def _too_long(text: str) -> bool:
    return len(_cut(text)) < len(text)


def _cut(text: str) -> str:
    if len(text) * 2 <= LONGEST_CELL:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: LONGEST_CELL * 2]
    return raw.decode("utf-16-le", "ignore") if len(raw) == LONGEST_CELL * 2 else text


def _escaped(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


def pack(target: BinaryIO, sheets: Sequence[tuple[str, BinaryIO]]) -> None:
    """Sheets, as `Sheets.ended` gives them, to one file, which is written from start to end."""
    target = forward(target)
    numbered = [(number, name) for number, (name, _) in enumerate(sheets, start=1)]
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, content in _parts(numbered).items():
            archive.writestr(_entry(name), content)
        for number, (_, file) in enumerate(sheets, start=1):
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            entry = _entry(f"xl/worksheets/sheet{number}.xml")
            entry.file_size = size  # larger sheets need another form, which Excel warns of
            with archive.open(entry, "w") as place:
                shutil.copyfileobj(file, place)


def _entry(name: str) -> ZipInfo:
    """A part with the same time in every workbook."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _parts(sheets: Sequence[tuple[int, str]]) -> dict[str, str]:
    """The parts that say what the sheets are."""
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml"'
        f' ContentType="{_TYPE}.worksheet+xml"/>'
        for number, _ in sheets
    )
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>' for number, name in sheets
    )
    links = "".join(
        f'<Relationship Id="r{number}" Type="{_DOCUMENT}/worksheet"'
        f' Target="worksheets/sheet{number}.xml"/>'
        for number, _ in sheets
    )
    return {
        "[Content_Types].xml": (
            f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{kinds}</Types>'
        ),
        "_rels/.rels": (
            f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
            f' Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}">'
            f"<sheets>{listed}</sheets></workbook>"
        ),
        "xl/_rels/workbook.xml.rels": (
            f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{links}'
            f'<Relationship Id="s" Type="{_DOCUMENT}/styles" Target="styles.xml"/></Relationships>'
        ),
        "xl/styles.xml": _STYLES,
    }
