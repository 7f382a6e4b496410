"""Import of source-summary pairs from named columns of CSV, TSV, JSON or Parquet files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.strict_json import parse_unique
from tui_annotate.plugins.files.columnar import MAGIC, read_column_rows
from tui_annotate.plugins.files.json_values import (
    EMPTY,
    read_json_values,
    stop_at_wrong_encoding,
    wrong_byte_problem,
)
from tui_annotate.plugins.files.packing import begins_with, plain_suffixes
from tui_annotate.plugins.files.streams import LONGEST_LINE, TextLine, read_lines
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import (
    RIGHT_ONE,
    NameRegister,
    choose_dataset_name,
    describe_value,
    get_field,
    make_problem,
    missing_column,
    parse_document,
    parse_identifier,
)
from tui_annotate.plugins.span_columns import add_spans
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_plainly

_JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}
_ABOUT: Final = FormatTraits(
    title="tables with a source and a summary per row",
    carried=carry_plainly(RecordTrait.TEXTS, RecordTrait.META),
)


class PairsFormat:
    """Importer of rows with a source and a summary; all other columns become metadata unchanged.

    A folder must be saved by Hugging Face's `datasets` or contain Parquet files.
    """

    name = "pairs"
    about = _ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        if path.is_dir() or begins_with(path, MAGIC):
            rows = _read_frames(path, options)
        else:
            rows = (_read_csv if _is_csv(path, options) else _read_json)(path, options)
        yield from _make_records(rows, path, options)


class CsvPairsFormat:
    """Importer of pairs from a CSV file; the header selects comma, semicolon or tab."""

    name = "csv"
    about = _ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        return _make_records(_read_csv(path, options), path, options)


class TsvPairsFormat:
    """Importer of pairs from a file with tab-separated values, quoted as in CSV."""

    name = "tsv"
    about = _ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        return _make_records(_read_csv(path, options, delimiter="\t"), path, options)


class JsonPairsFormat:
    """Importer of pairs from a JSON array of objects, or from JSON lines."""

    name = "json"
    about = _ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        return _make_records(_read_json(path, options), path, options)


class JsonLinesPairsFormat(JsonPairsFormat):
    """Importer of pairs named `jsonl`: from JSON lines, or from a JSON array of objects."""

    name = "jsonl"


def _make_records(
    rows: Iterator[_PairRow | Problem], path: Path, options: ImportOptions
) -> Iterator[Record | Problem]:
    dataset = choose_dataset_name(path, options.dataset)
    hinted = bool(options.id_column)
    with closing(NameRegister()) as seen:
        for row in rows:
            if isinstance(row, Problem):
                yield row
                continue
            try:
                record = _make_record(row, dataset, options, seen=seen)
                yield from add_spans(record, row.fields, options)
            except InvalidInput as error:
                yield make_problem(row.where, error)
                continue
            if not hinted:
                yield from _warn_of_unused_ids(row)
                hinted = True


def _is_csv(path: Path, options: ImportOptions) -> bool:
    suffixes = plain_suffixes(path)
    if suffixes and suffixes[-1] == ".csv":
        return True
    if suffixes and suffixes[-1] in _JSON_SUFFIXES:
        return False
    return _first_line(path, options).lstrip()[:1] not in {"[", "{"}


def _make_record(
    row: _PairRow, dataset: str, options: ImportOptions, *, seen: NameRegister
) -> Record:
    fields, language = row.fields, options.language
    named = (options.source_column, options.summary_column, options.id_column, options.group_column)
    used = {*named} - {""}  # a file may have a column without a name
    source = get_field(fields, options.source_column, option="--source-column")
    summary = get_field(fields, options.summary_column, option="--summary-column")
    sample = Sample(
        dataset,
        _sample_id(row, options, seen),
        (
            parse_document(
                source, side=Side.SOURCE, column=options.source_column, language=language
            ),
            parse_document(
                summary, side=Side.SUMMARY, column=options.summary_column, language=language
            ),
        ),
        group=_group_of(fields, options),
        meta={name: value for name, value in fields.items() if name not in used},
    )
    return Record(sample, where=row.where)


def _sample_id(row: _PairRow, options: ImportOptions, seen: NameRegister) -> str:
    if not options.id_column:
        return row.name
    name = parse_identifier(
        get_field(row.fields, options.id_column, option="--id-column"), what="id"
    )
    before = seen.remember(name, row.where)
    if before != row.where:
        raise InvalidInput(
            f"duplicate id {name!r}: already used at {before}", "give each sample its own id"
        )
    return name


def _warn_of_unused_ids(row: _PairRow) -> Iterator[Problem]:
    for column in row.fields:
        if column.casefold() == "id":
            yield Problem(
                row.where,
                f"the column {column!r} exists, but row numbers are used as sample ids",
                f"to use the column as sample ids, pass --id-column {column}; if the dataset is "
                "already stored, remove the dataset first",
                refused=False,
            )


def _group_of(fields: dict[str, Any], options: ImportOptions) -> str:
    if not options.group_column:
        return ""
    value = get_field(fields, options.group_column, option="--group-column")
    return "" if value in ("", None) else parse_identifier(value, what="group")


def _read_json(path: Path, options: ImportOptions) -> Iterator[_PairRow | Problem]:
    for value in read_json_values(path, encoding=options.encoding, meter=options.meter):
        if isinstance(value, Problem):
            yield value
        elif isinstance(value.value, dict):
            yield _PairRow(str(value.number - 1), value.where, value.value)
        else:
            yield Problem(
                value.where,
                f"the record is {describe_value(value.value)}, not an object",
                "write each record as an object: {column: value}",
            )


@dataclass(frozen=True, slots=True)
class _PairRow:
    """Fields of one row of a file; `name` is the sample's id if no id column is chosen."""

    name: str
    where: str
    fields: dict[str, Any]


def _missing_columns(columns: Sequence[str], options: ImportOptions) -> InvalidInput | None:
    named = {
        "--source-column": options.source_column,
        "--summary-column": options.summary_column,
        "--id-column": options.id_column,
        "--group-column": options.group_column,
        "--span-column": options.span_column,
        "--span-label-column": options.span_label_column,
    }
    errors = [
        missing_column(column, columns, option=option)
        for option, column in named.items()
        if column and column not in columns
    ]
    if not errors:
        return None
    near = [error.hint for error in errors if not error.hint.startswith(RIGHT_ONE)]
    others = [error.hint.removeprefix(RIGHT_ONE) for error in errors if error.hint not in near]
    hints = [*near, RIGHT_ONE + " and ".join(others)] if others else near
    return InvalidInput(errors[0].message, "; ".join(hints))


_OTHER_DELIMITERS = (";", "\t")
"""Delimiters of CSV cells in addition to the comma: semicolon and tab."""


def _read_csv(
    path: Path, options: ImportOptions, *, delimiter: str = ""
) -> Iterator[_PairRow | Problem]:
    """Read the rows of a CSV file; an empty `delimiter` is detected from the header line."""
    csv.field_size_limit(LONGEST_LINE)
    delimiter = delimiter or _find_delimiter(_first_line(path, options), options)
    feed = _CsvLines(path, options)
    rows = csv.reader(feed, delimiter=delimiter, strict=True)
    try:
        header = next((row for row in rows if row), None)
        if header is None:
            yield Problem(str(path), "the file is empty", code=EMPTY)
        elif refused := _check_header(header, feed, options):
            yield refused
        else:
            yield from stop_at_wrong_encoding(
                _read_csv_body(rows, header, feed, delimiter=delimiter)
            )
    except InvalidRecord as error:
        yield make_problem(error.where, error)
    except csv.Error as error:
        yield Problem(feed.where, _csv_message(error), "check that the file is CSV")


def _first_line(path: Path, options: ImportOptions) -> str:
    with suppress(InvalidRecord):  # reported when the file is read
        for line in read_lines(path, encoding=options.encoding):
            if line.text.strip():
                return line.text
    return ""


def _find_delimiter(header: str, options: ImportOptions) -> str:
    """Return the delimiter with which a CSV header has the source and summary columns."""
    texts = {options.source_column, options.summary_column}
    found = {sign: _split_header(header, sign) for sign in (",", *_OTHER_DELIMITERS)}
    for sign, names in found.items():
        if texts <= set(names):
            return sign
    others = [sign for sign in _OTHER_DELIMITERS if len(found[sign]) > 1]
    return others[0] if others and len(found[","]) == 1 else ","


def _split_header(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _check_header(header: list[str], feed: _CsvLines, options: ImportOptions) -> Problem | None:
    if feed.bad:
        return feed.bad
    double = {name for name in header if header.count(name) > 1}
    if double:
        return Problem(
            feed.where, f"two columns are named {min(double)!r}", "rename one of the columns"
        )
    error = _missing_columns(header, options)
    return make_problem(feed.where, error) if error else None


def _read_csv_body(
    rows: Any, header: list[str], feed: _CsvLines, *, delimiter: str
) -> Iterator[_PairRow | Problem]:
    index = -1
    sign = {",": "commas", ";": "semicolons", "\t": "tabs"}[delimiter]
    while True:
        feed.begin()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            index += 1
            yield Problem(
                feed.where,
                _csv_message(error),
                'enclose the cell in quotes and double each " in the cell',
            )
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
                f"the row has {len(cells)} cells, but the header has {len(header)}",
                f"enclose cells that contain {sign} or line breaks in quotes",
            )
        else:
            yield _PairRow(str(index), feed.where, dict(zip(header, cells, strict=True)))
    if index < 0:
        yield Problem(feed.where, "the file has a header but no rows")


def _csv_message(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "a quoted cell has no closing quote"
    if "new-line character" in str(error):
        return "lines end with a carriage return without a line feed"
    return f"invalid CSV: {error}"


class _CsvLines(Iterator[str]):
    """Lines for a CSV reader; `where`: first line of the row, `bad`: the row's first problem."""

    def __init__(self, path: Path, options: ImportOptions) -> None:
        self._path = path
        self._encoding = options.encoding
        self._lines = read_lines(path, encoding=options.encoding, meter=options.meter)
        self._size = 0
        self._last = 0
        self._first: int | None = None
        self.bad: Problem | None = None

    def begin(self) -> None:
        self._first, self._size, self.bad = None, 0, None

    @property
    def where(self) -> str:
        return f"{self._path}:{self._first or max(self._last, 1)}"

    def __next__(self) -> str:
        line: TextLine = next(self._lines)
        self._last = line.number
        self._first = self._first or line.number
        self._size += len(line.text)
        if self._size > LONGEST_LINE:
            raise InvalidRecord(
                f"the row is longer than {LONGEST_LINE:,} characters",
                "close the open quote, or check that the file is CSV",
                where=self.where,
            )
        if line.bad and self.bad is None:
            self.bad = wrong_byte_problem(f"{self._path}:{line.number}", line.bad, self._encoding)
        return line.text


_SPLITS: Final = "dataset_dict.json"
_STATE: Final = "state.json"
_SHARD: Final = re.compile(r"([A-Za-z_.]\w*)-\d{5}-of-\d{5}\.parquet")
_SPLIT: Final = "split"
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that a file name in a list of data files must not contain."""
_LARGEST: Final = 2**24


def _read_frames(path: Path, options: ImportOptions) -> Iterator[_PairRow | Problem]:
    """Yield the rows of a Parquet file or of a folder; report a missing column once per file."""
    index: dict[str, int] = {}
    for file, split in _list_files(path):
        try:
            for number, fields in enumerate(read_column_rows(file)):
                count = index[split] = index.get(split, -1) + 1
                name = f"{split}/{count}" if split else str(count)
                first = {_SPLIT: split} if split else {}
                row = _PairRow(name, f"{file}, row {number + 1}", {**first, **fields})
                # All rows of a file have the same columns.
                if error := _missing_columns([*row.fields], options):
                    yield make_problem(str(file), error)
                    break
                yield row
        except InvalidRecord as error:
            yield make_problem(error.where, error)
        if options.meter and file.is_file():
            options.meter.done += file.stat().st_size


def _list_files(path: Path) -> list[tuple[Path, str]]:
    """Return the Parquet files of a dataset folder, each with the name of its split, or empty."""
    if path.is_file():
        return [(path, "")]
    if (path / _SPLITS).is_file():
        splits = _listed_files(path / _SPLITS, "splits", path)
        return [(file, split.name) for split in splits for file in _saved_files(split)]
    if (path / _STATE).is_file():
        return [(file, "") for file in _saved_files(path)]
    found = sorted({*path.glob("*.parquet"), *path.glob("data/*.parquet")})
    if not found:
        raise NotFound(
            f"{path} contains neither Parquet files nor a dataset saved by Hugging Face's datasets",
            "pass the path of a file in this folder",
        )
    names = ((file, _SHARD.fullmatch(file.name)) for file in found if file.is_file())
    return [(file, shard[1] if shard else "") for file, shard in names]


def _saved_files(folder: Path) -> list[Path]:
    return _listed_files(folder / _STATE, "_data_files", folder)


def _listed_files(listing: Path, key: str, folder: Path) -> list[Path]:
    try:
        if listing.stat().st_size > _LARGEST:
            raise InvalidInput(f"{listing} is too large: the maximum is {_LARGEST:,} bytes")
        listed: Any = parse_unique(listing.read_text("utf-8"))[key]
        items = [item["filename"] if isinstance(item, dict) else item for item in listed]
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in items):
            raise TypeError("the value is not a list of names")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"{listing} does not have the form that Hugging Face's datasets writes"
        raise InvalidInput(message, "save the dataset again with that library") from error
    for item in items:
        if item in {"", ".", ".."} or Path(item).name != item or _UNSAFE.search(item):
            raise InvalidInput(
                f"{listing} lists {item!r}, which is not a file name in the same folder",
                code="file-outside-folder",
            )
    return [folder / item for item in items]
