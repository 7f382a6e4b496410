"""Pairs of texts in named columns: CSV, a JSON array, or JSON lines; read only."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.plugins.admission import (
    Seen,
    dataset_name,
    described,
    document,
    field,
    identifier,
    missing,
    problem,
)
from tui_annotate.plugins.json_values import json_values, wrong_byte
from tui_annotate.plugins.packing import plain_suffixes
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.streams import LONGEST_LINE, Line, lines
from tui_annotate.plugins.traits import About, Trait, plainly

_OTHER_DELIMITERS = (";", "\t")
"""What parts cells where the comma is taken for decimals, and what a spreadsheet's copy holds."""
_JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}


@dataclass(frozen=True, slots=True)
class _Row:
    index: int
    where: str
    fields: dict[str, Any]


class PairsFormat:
    """Rows with a source and a summary; all other columns become meta, as they came."""

    name = "pairs"
    about = About(title="a source and a summary a row", carried=plainly(Trait.TEXTS, Trait.META))

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a row; see `Importer.read`."""
        dataset = dataset_name(path, options.dataset)
        rows = _csv_rows(path, options) if _is_csv(path, options) else _json_rows(path, options)
        hinted = bool(options.id_column)
        with closing(Seen()) as seen:
            for row in rows:
                if isinstance(row, Problem):
                    yield row
                    continue
                try:
                    yield _record(row, dataset, options, seen=seen)
                except InvalidInput as error:
                    yield problem(row.where, error)
                    continue
                if not hinted:
                    yield from _unused_ids(row)
                    hinted = True


def _is_csv(path: Path, options: ImportOptions) -> bool:
    suffixes = plain_suffixes(path)
    if suffixes and suffixes[-1] == ".csv":
        return True
    if suffixes and suffixes[-1] in _JSON_SUFFIXES:
        return False
    return _first_line(path, options).lstrip()[:1] not in {"[", "{"}


def _record(row: _Row, dataset: str, options: ImportOptions, *, seen: Seen) -> Record:
    fields = row.fields
    source = field(fields, options.source_column, option="--source-column")
    summary = field(fields, options.summary_column, option="--summary-column")
    sample = Sample(
        dataset,
        _id(row, options, seen),
        (
            document(
                source,
                side=Side.SOURCE,
                column=options.source_column,
                language=options.language,
            ),
            document(
                summary,
                side=Side.SUMMARY,
                column=options.summary_column,
                language=options.language,
            ),
        ),
        group=_group(fields, options),
        meta={name: value for name, value in fields.items() if name not in _used(options)},
    )
    return Record(sample, where=row.where)


def _used(options: ImportOptions) -> set[str]:
    named = (options.source_column, options.summary_column, options.id_column, options.group_column)
    return {column for column in named if column}


def _id(row: _Row, options: ImportOptions, seen: Seen) -> str:
    if not options.id_column:
        return str(row.index)
    name = identifier(field(row.fields, options.id_column, option="--id-column"), what="id")
    before = seen.first(name, row.where)
    if before != row.where:
        raise InvalidInput(f"the id {name!r} was used at {before} already", "ids must differ")
    return name


def _unused_ids(row: _Row) -> Iterator[Problem]:
    """A doubt where a file seems to name its samples, and nobody said so."""
    for column in row.fields:
        if column.casefold() == "id":
            yield Problem(
                row.where,
                f"there is a column {column!r}, but samples are named by their row",
                f"to name them by it, add --id-column {column}; where they are stored already, "
                "remove the dataset first",
                refused=False,
            )


def _group(fields: dict[str, Any], options: ImportOptions) -> str:
    if not options.group_column:
        return ""
    value = field(fields, options.group_column, option="--group-column")
    return "" if value in ("", None) else identifier(value, what="group")


def _json_rows(path: Path, options: ImportOptions) -> Iterator[_Row | Problem]:
    for value in json_values(path, encoding=options.encoding, meter=options.meter):
        if isinstance(value, Problem):
            yield value
        elif isinstance(value.value, dict):
            yield _Row(value.number - 1, value.where, value.value)
        else:
            yield Problem(
                value.where,
                f"the record is {described(value.value)}, not an object",
                "give each record as {column: value}",
            )


def _csv_rows(path: Path, options: ImportOptions) -> Iterator[_Row | Problem]:
    csv.field_size_limit(LONGEST_LINE)
    delimiter = _delimiter(_first_line(path, options), options)
    feed = _Feed(path, options)
    rows = csv.reader(feed, delimiter=delimiter, strict=True)
    try:
        header = next((row for row in rows if row), None)
        if header is None:
            yield Problem(str(path), "the file is empty")
        elif refused := _header_problem(header, feed, options):
            yield refused
        else:
            yield from _body(rows, header, feed, delimiter=delimiter)
    except InvalidRecord as error:
        yield problem(error.where, error)
    except csv.Error as error:
        yield Problem(feed.where, _csv_message(error), "is it really CSV?")


def _first_line(path: Path, options: ImportOptions) -> str:
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
    asked = (
        (options.source_column, "--source-column"),
        (options.summary_column, "--summary-column"),
        (options.id_column, "--id-column"),
        (options.group_column, "--group-column"),
    )
    for column, option in asked:
        if column and column not in header:
            return problem(feed.where, missing(column, header, option=option))
    return None


def _body(rows: Any, header: list[str], feed: _Feed, *, delimiter: str) -> Iterator[_Row | Problem]:
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
            yield _Row(index, feed.where, dict(zip(header, cells, strict=True)))
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
