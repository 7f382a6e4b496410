"""The rows of CSV files, with their places; what parts the cells is told by the header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidRecord
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.admission import problem
from tui_annotate.plugins.files.json_values import readable, wrong_byte
from tui_annotate.plugins.files.streams import LONGEST_LINE, Line, lines
from tui_annotate.plugins.formats.pairs.row import Row, lacking
from tui_annotate.plugins.protocols import ImportOptions

_OTHER_DELIMITERS = (";", "\t")
"""What parts cells where the comma is taken for decimals, and what a spreadsheet's copy holds."""


def csv_rows(path: Path, options: ImportOptions) -> Iterator[Row | Problem]:
    """The rows of a CSV file under its header, and what is wrong with it."""
    csv.field_size_limit(LONGEST_LINE)
    delimiter = _delimiter(first_line(path, options), options)
    feed = _Feed(path, options)
    rows = csv.reader(feed, delimiter=delimiter, strict=True)
    try:
        header = next((row for row in rows if row), None)
        if header is None:
            yield Problem(str(path), "the file is empty")
        elif refused := _header_problem(header, feed, options):
            yield refused
        else:
            yield from readable(_body(rows, header, feed, delimiter=delimiter))
    except InvalidRecord as error:
        yield problem(error.where, error)
    except csv.Error as error:
        yield Problem(feed.where, _csv_message(error), "is it really CSV?")


def first_line(path: Path, options: ImportOptions) -> str:
    """The first line with a sign in it; empty where there is none that can be read."""
    try:
        for line in lines(path, encoding=options.encoding):
            if line.text.strip():
                return line.text
    except InvalidRecord:
        pass  # told by whoever reads the file
    return ""


def _delimiter(header: str, options: ImportOptions) -> str:
    """What parts the cells: certain, as the header has both texts' columns by one sign alone.

    Where it has them by none, a header without a comma is parted by the sign that it has.
    """
    texts = {options.source_column, options.summary_column}
    found = {sign: _cells(header, sign) for sign in (",", *_OTHER_DELIMITERS)}
    for sign, names in found.items():
        if texts <= set(names):
            return sign
    others = [sign for sign in _OTHER_DELIMITERS if len(found[sign]) > 1]
    return others[0] if others and len(found[","]) == 1 else ","


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _header_problem(header: list[str], feed: _Feed, options: ImportOptions) -> Problem | None:
    if feed.bad:
        return feed.bad
    double = {name for name in header if header.count(name) > 1}
    if double:
        return Problem(feed.where, f"two columns are called {min(double)!r}", "rename one of them")
    error = lacking(header, options)
    return problem(feed.where, error) if error else None


def _body(rows: Any, header: list[str], feed: _Feed, *, delimiter: str) -> Iterator[Row | Problem]:
    index = -1
    sign = {",": "commas", ";": "semicolons", "\t": "tabs"}[delimiter]
    while True:
        feed.begin()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            index += 1
            yield Problem(feed.where, _csv_message(error), 'quote cells, and double the " in them')
            continue
        if cells is None:
            break
        if not cells:
            continue
        index += 1
        if feed.bad:
            yield feed.bad
        elif len(cells) != len(header):
            yield Problem(
                feed.where,
                f"the row has {len(cells)} cells, the header {len(header)}",
                f"quote cells that hold {sign} or line ends",
            )
        else:
            yield Row(str(index), feed.where, dict(zip(header, cells, strict=True)))
    if index < 0:
        yield Problem(feed.where, "no rows follow the header")


def _csv_message(error: csv.Error) -> str:
    said = str(error)
    if "unexpected end" in said:
        return "a quote is opened and never closed"
    if "new-line character" in said:
        return "lines end in a lone carriage return"
    return f"bad CSV: {said}"


class _Feed(Iterator[str]):
    """Lines for the CSV reader; knows where the row being read began and what was wrong in it."""

    def __init__(self, path: Path, options: ImportOptions) -> None:
        self._path = path
        self._encoding = options.encoding
        self._lines = lines(path, encoding=options.encoding, meter=options.meter)
        self._size = 0
        self._last = 0
        self._first: int | None = None
        self.bad: Problem | None = None

    def begin(self) -> None:
        """A new row starts with the next line."""
        self._first = None
        self._size = 0
        self.bad = None

    @property
    def where(self) -> str:
        """`file:line` of the row being read."""
        return f"{self._path}:{self._first or max(self._last, 1)}"

    def __next__(self) -> str:
        line: Line = next(self._lines)
        self._last = line.number
        self._first = self._first or line.number
        self._size += len(line.text)
        if self._size > LONGEST_LINE:
            raise InvalidRecord(
                f"the row is longer than {LONGEST_LINE:,} characters",
                "a quote is opened and never closed, or it is no CSV",
                where=self.where,
            )
        if line.bad and self.bad is None:
            self.bad = wrong_byte(f"{self._path}:{line.number}", line.bad, self._encoding)
        return line.text
