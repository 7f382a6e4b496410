"""Import of source-summary pairs from named columns of CSV, TSV, JSON, Parquet and Excel files.

JSON lines and folders saved by Hugging Face's `datasets` are also read. This format cannot be
exported. The format `pairs` detects the kind of file; the formats `csv`, `tsv`, `json`, `jsonl` and
`xlsx` read one kind of file, whatever the file's name and first characters are.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import SPAN_REFUSED, Problem, Record
from tui_annotate.domain.samples import WORK_COLUMNS, Document, Sample, SampleKey, Side
from tui_annotate.domain.strict_json import parse_unique
from tui_annotate.plugins.files.columnar import MAGIC, BinaryText, read_column_rows
from tui_annotate.plugins.files.json_values import (
    EMPTY,
    read_json_values,
    stop_at_wrong_encoding,
    wrong_byte_problem,
)
from tui_annotate.plugins.files.packing import begins_with, plain_suffixes
from tui_annotate.plugins.files.sheets import LONGEST_CELL, is_full_cell
from tui_annotate.plugins.files.streams import LONGEST_LINE, TextLine, read_lines
from tui_annotate.plugins.files.workbooks import Sheet, is_workbook, open_sheets
from tui_annotate.plugins.label_studio.flat_rows import FlatRow, read_flat_rows
from tui_annotate.plugins.pair_columns import (
    SAMPLED_ROWS,
    describe_unread,
    find_delimiter,
    find_id_column,
    has_pair_header,
    read_first_line,
    set_columns,
    span_columns_of,
)
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import (
    COLUMNS_MISSING,
    NameRegister,
    choose_dataset_name,
    describe_value,
    get_field,
    join_missing_columns,
    make_problem,
    missing_column,
    parse_document,
    parse_identifier,
)
from tui_annotate.plugins.row_groups import GroupedRow, RowGroups, merge_fields
from tui_annotate.plugins.row_numbers import EARLIER_FIRST_ROW, FIRST_ROW, choose_first_row
from tui_annotate.plugins.span_columns import (
    CUT_HINT,
    OffsetEvidence,
    add_spans,
    describe_cut_spans,
    is_cut_span_list,
)
from tui_annotate.plugins.text_lists import is_list_like, parse_text_list
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_plainly

_JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}
_ABOUT: Final = FormatTraits(
    title="tables with one source and one summary in each row",
    carried=carry_plainly(RecordTrait.TEXTS, RecordTrait.META),
)


@dataclass(frozen=True, slots=True)
class _TableRow:
    """Row of a table as it is read.

    Attributes:
        index: number of rows before it, refused ones included, from 0.
        dataset: the sample's dataset; empty for the dataset of the file.
        label: text before the row number that is the sample's id, such as the name of a sheet.
    """

    index: int
    where: str
    fields: dict[str, Any]
    dataset: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class _PairRow:
    """Row of a table with source-summary pairs.

    Attributes:
        name: the sample's id if no id column is chosen.
        dataset: the sample's dataset; empty for the dataset of the file.
        first: number of the table's first row in such ids; None if an id column is chosen.
    """

    name: str
    where: str
    fields: dict[str, Any]
    dataset: str = ""
    first: int | None = None


_NO_TASK_IDS: Final = Problem(
    "",
    "the table of Label Studio has no column 'id': rows with the same texts are one sample, and the"
    " number of its first row is its id",
    "export the ids too, or name a column of ids with --id-column NAME",
    refused=False,
    code="ids-missing",
)
_Rows = Iterator[_TableRow | Problem]
_Table = tuple[str, _Rows, ImportOptions]
"""A file, or a sheet of a workbook, as messages name it, its rows, and the options for it."""


class _TableFormat:
    """Importer of tables with a source and a summary per row; each table's columns are chosen."""

    about = _ABOUT

    def _open_tables(self, path: Path, options: ImportOptions) -> Iterable[_Table]:
        raise NotImplementedError

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        yield from _make_records(self._open_tables(path, options), path, options)

    def choose_columns(self, path: Path, options: ImportOptions) -> None:
        """Choose the columns of all tables; see `TableImporter.choose_columns`."""
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)
        for table in self._open_tables(path, options):
            for row, _ in _choose_columns(table, dataset):
                if isinstance(row, _PairRow):
                    break


class PairsFormat(_TableFormat):
    """Importer of rows with a source and a summary; all other columns become metadata unchanged.

    A folder must be saved by Hugging Face's `datasets` or contain Parquet files.
    """

    name = "pairs"

    def list_companions(self, path: Path, options: ImportOptions) -> list[Path]:
        """Return the Parquet files of a folder, which may be in folders below it."""
        del options
        return [file for file, _ in _list_files(path)]

    def _open_tables(self, path: Path, options: ImportOptions) -> Iterable[_Table]:
        if path.is_dir() or begins_with(path, MAGIC):
            return _read_frames(path, options)
        if is_workbook(path):
            return _read_workbook(path, options)
        read = _read_csv if _is_csv(path, options) else _read_json
        return [(str(path), read(path, options), options)]


class CsvPairsFormat(_TableFormat):
    """Importer of pairs from a CSV file; the header selects comma, semicolon, tab or `|`."""

    name = "csv"

    def _open_tables(self, path: Path, options: ImportOptions) -> Iterable[_Table]:
        return [(str(path), _read_csv(path, options), options)]


class TsvPairsFormat(_TableFormat):
    """Importer of pairs from a file with tab-separated values, quoted as in CSV."""

    name = "tsv"

    def _open_tables(self, path: Path, options: ImportOptions) -> Iterable[_Table]:
        return [(str(path), _read_csv(path, options, delimiter="\t"), options)]


class JsonPairsFormat(_TableFormat):
    """Importer of pairs from a JSON array of objects, or from JSON lines."""

    name = "json"

    def _open_tables(self, path: Path, options: ImportOptions) -> Iterable[_Table]:
        return [(str(path), _read_json(path, options), options)]


class JsonLinesPairsFormat(JsonPairsFormat):
    """Importer of pairs named `jsonl`: from JSON lines, or from a JSON array of objects."""

    name = "jsonl"


class WorkbookPairsFormat(_TableFormat):
    """Importer of pairs from the sheets of an Excel workbook; each sheet is a dataset."""

    name = "xlsx"

    def _open_tables(self, path: Path, options: ImportOptions) -> Iterable[_Table]:
        return _read_workbook(path, options)


def _make_records(
    tables: Iterable[_Table], path: Path, options: ImportOptions
) -> Iterator[Record | Problem]:
    dataset = choose_dataset_name(path, options.dataset, former=options.former_names)
    with closing(NameRegister()) as seen:
        read = partial(_read_table, dataset=dataset, seen=seen)
        for row, several, chosen in chain.from_iterable(map(read, tables)):
            if isinstance(row, Record):
                yield row
                continue
            if isinstance(row, Problem):
                yield row
                continue
            try:
                record = _make_record(row, row.dataset or dataset, chosen, seen=seen)
                yield from add_spans(record, several, chosen)
            except InvalidInput as error:
                yield make_problem(row.where, error)
                continue
            yield from _warn_of_binary(row)
            yield from _warn_of_list(row, chosen)


def _read_table(
    table: _Table, *, dataset: str, seen: NameRegister
) -> Iterator[tuple[_PairRow | Record | Problem, list[GroupedRow], ImportOptions]]:
    """Yield the rows of a table, grouped, or the records of a table of Label Studio."""
    rows = _choose_columns(table, dataset)
    for item, options in rows:
        if isinstance(item, Problem):
            yield item, [], options
            continue
        whole = chain([(item, options)], rows)
        if not options.label_studio:
            yield from _group_rows(whole)
            return
        if _is_numbered(item.fields, options):
            yield replace(_NO_TASK_IDS, where=table[0]), [], options
        flat = (_flat_row(row, options) for row, _ in whole)
        for found in read_flat_rows(
            flat,
            options,
            dataset=item.dataset or dataset,
            seen=seen,
            parse_documents=partial(_parse_documents, options=options),
        ):
            if isinstance(found, Record):
                kept = replace(found, columns=options.table_columns, first_row=item.first)
                yield kept, [], options
            else:
                yield found, [], options


def _flat_row(row: _PairRow | Problem, options: ImportOptions) -> FlatRow | Problem:
    if isinstance(row, Problem):
        return row
    try:
        _refuse_binary(row.fields, {*options.named_columns.values()})
    except InvalidInput as error:
        return make_problem(row.where, error)
    return FlatRow(row.where, row.fields, row.name)


def _group_rows(
    rows: Iterable[tuple[_PairRow | Problem, ImportOptions]],
) -> Iterator[tuple[_PairRow | Problem, list[GroupedRow], ImportOptions]]:
    """Yield the rows of a table, each with the rows that become one sample; problems as they are.

    Rows with the same texts (and id, if a column of ids is chosen) are joined if the options
    request it. The joined row has the number and position of its first row. Other rows follow each
    other as in the table, from the first one on whose offsets depend on quotes of later rows.
    """
    used: set[str] = set()
    counted = OffsetEvidence()
    chosen: ImportOptions | None = None
    first: int | None = None
    waits = False
    with RowGroups() as groups:
        for row, options in rows:
            if isinstance(row, Problem):
                yield row, [], options
                continue
            itself = GroupedRow(row.where, row.fields, (row.dataset, row.name))
            chosen = options
            first = row.first
            depends = options.has_spans and counted.add(row.fields, options, where=row.where)
            if not (options.merges_rows or depends or waits):
                yield row, [itself], options
                continue
            waits = True
            texts = (options.source_column, options.summary_column, options.second_source_column)
            used = {*texts, options.id_column} - {""}
            try:
                named = {*used, options.group_column, *span_columns_of(options)} - {""}
                _refuse_binary(row.fields, named)
            except InvalidInput as error:
                yield make_problem(row.where, error), [], options
                continue
            # Groups keep no bytes.
            for problem in _warn_of_binary(row):
                yield problem, [], options
            key = [row.fields.get(name) for name in sorted(used)]
            groups.add([row.dataset, *(key if options.merges_rows else [row.name])], itself)
        if chosen is None:
            return
        for problem in counted.warn(chosen):
            yield problem, [], chosen
        chosen = counted.decide(chosen)
        for several in groups.groups():
            dataset, name = several[0].names
            fields = merge_fields(several, used)
            yield _PairRow(name, several[0].where, fields, dataset, first), several, chosen


def _choose_columns(
    table: _Table, dataset: str
) -> Iterator[tuple[_PairRow | Problem, ImportOptions]]:
    """Yield each row of a table with import options that name the columns of this table."""
    name, rows, options = table
    for item in rows:
        if isinstance(item, _TableRow):
            break
        yield item, options
    else:
        return
    head = [item, *islice(rows, SAMPLED_ROWS - 1)]
    is_named = bool(options.source_column and options.summary_column)
    try:
        sampled = [each.fields for each in head if isinstance(each, _TableRow)]
        numbered = [
            SampleKey(item.dataset or dataset, f"{options.row_prefix}{_name_row(item, first)}")
            for first in (FIRST_ROW, EARLIER_FIRST_ROW)
        ]
        options = set_columns(name, sampled, options, numbered=numbered)
    except InvalidInput as error:
        if error.code != COLUMNS_MISSING:
            raise
        yield make_problem(name, error), options
        return
    if max(map(len, (options.source_column, options.summary_column))) > _LONG_NAME:
        message = "the names of the columns look like texts: the first row is read as the header"
        hint = "if the table has no header, add a first row with the names of the columns"
        yield Problem(name, message, hint, refused=False), options
    if not is_named and _has_short_sources(sampled, options):
        message = (
            f"most texts of column {options.source_column!r} (source) are less than half as long as"
            f" those of {options.summary_column!r} (summary)"
        )
        hint = "check the columns; to choose them: --source-column NAME --summary-column NAME"
        yield Problem(name, message, hint, refused=False), options
    yield from _warn_of_unused_ids(item, sampled, options)
    for doubt in describe_unread(sampled, options):
        yield replace(doubt, where=name), options
    first = None
    if _is_numbered(item.fields, options):
        first = choose_first_row(item.dataset or dataset, _parse_rows(head, options), options)
    for found in _name_rows(chain(head, rows), options, first=first):
        yield found, options


def _name_rows(
    rows: Iterable[_TableRow | Problem], options: ImportOptions, *, first: int | None
) -> Iterator[_PairRow | Problem]:
    """Yield rows with their names, and the problems of their cells; `first`: as in `_PairRow`."""
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        name = _name_row(row, FIRST_ROW if first is None else first)
        yield _PairRow(name, row.where, row.fields, row.dataset, first)
        if not options.label_studio:
            yield from _find_cut_spans(row, options)


def _is_numbered(fields: Mapping[str, Any], options: ImportOptions) -> bool:
    """Return whether row numbers are the ids of a table's samples; `fields` are of its first row.

    A table of Label Studio has ids of its own, except in rare exports.
    """
    if options.label_studio:
        return not {"id", options.id_column} & {*fields}
    return not options.id_column


def _name_row(row: _TableRow, first: int) -> str:
    """Return a row's number as a sample id; `first` is the number of the table's first row."""
    return f"{row.label}{row.index + first}"


def _parse_rows(
    head: Iterable[_TableRow | Problem], options: ImportOptions
) -> Iterator[tuple[str, int, tuple[Document, ...]]]:
    """Yield text before the number, index and documents of each valid row."""
    for row in head:
        if isinstance(row, _TableRow):
            with suppress(InvalidInput):  # reported when the row is read
                documents = _parse_documents(row.fields, options)
                yield f"{options.row_prefix}{row.label}", row.index, documents


def _find_cut_spans(row: _TableRow, options: ImportOptions) -> Iterator[Problem]:
    """Yield a problem for each cell that no option names, and that has a cut list of spans."""
    named = {*options.named_columns.values()}
    for column, value in row.fields.items():
        if column not in named and is_cut_span_list(value):
            yield Problem(
                row.where,
                f"column {column!r}: {describe_cut_spans(value)}",
                CUT_HINT,
                refused=False,
                code=SPAN_REFUSED,
            )


def _warn_of_unused_ids(
    first: _TableRow, rows: Sequence[Mapping[str, Any]], options: ImportOptions
) -> Iterator[tuple[Problem, ImportOptions]]:
    """Yield a warning at the first row if a column has ids of rows, and row numbers are used."""
    has_ids = options.id_column or options.label_studio
    column = "" if has_ids else find_id_column(rows, options)
    if column:
        hint = f"to use the column as sample ids, pass --id-column {shlex.quote(column)}; if the"
        problem = Problem(
            first.where,
            f"the column {column!r} exists, but row numbers are used as sample ids",
            f"{hint} dataset is already stored, remove the dataset first",
            refused=False,
        )
        yield problem, options


def _has_short_sources(rows: Sequence[Mapping[str, Any]], options: ImportOptions) -> bool:
    """Return whether most sources are less than half as long as their summaries."""
    pairs = [(row.get(options.source_column), row.get(options.summary_column)) for row in rows]
    lengths = [
        (len(source), len(summary))
        for source, summary in pairs
        if isinstance(source, str) and isinstance(summary, str)
    ]
    short = sum(2 * source < summary for source, summary in lengths)
    return 2 * short > len(lengths)


def _is_csv(path: Path, options: ImportOptions) -> bool:
    """Return whether a text file is CSV and not JSON: by its content, else by its suffix."""
    suffix = "".join(plain_suffixes(path)[-1:])
    first = read_first_line(path, options).strip()
    if suffix == ".csv":  # a name of a column may begin with a bracket
        return first not in {"[", "{"} and not first.startswith(('{"', "[{"))
    if first[:1] in {"[", "{"}:
        return False
    # Damaged JSON may begin with any text, but not with the names of columns.
    return suffix not in _JSON_SUFFIXES or has_pair_header(path, options)


def _make_record(
    row: _PairRow, dataset: str, options: ImportOptions, *, seen: NameRegister
) -> Record:
    fields = row.fields
    named = (options.source_column, options.summary_column, options.id_column, options.group_column)
    used = {*named} - {""}  # a file may have a column without a name
    _refuse_binary(fields, {*used, options.second_source_column, *span_columns_of(options)})
    documents = _parse_documents(fields, options)
    if _has_second_source(fields, options):
        used.add(options.second_source_column)
    meta = {name: value for name, value in fields.items() if name not in used}
    if work := sorted(span_columns_of(options) & meta.keys()):
        meta.setdefault(WORK_COLUMNS, work)
    sample = Sample(
        dataset,
        _sample_id(row, options, seen),
        documents,
        group=_group_of(fields, options),
        meta=meta,
    )
    return Record(sample, where=row.where, columns=options.table_columns, first_row=row.first)


def _has_second_source(fields: Mapping[str, Any], options: ImportOptions) -> bool:
    column = options.second_source_column
    return bool(column) and bool(str(fields.get(column) or "").strip())


def _parse_documents(fields: Mapping[str, Any], options: ImportOptions) -> tuple[Document, ...]:
    """Return the documents of a row: those of the source, the second source, and the summary."""
    language = options.language
    source = get_field(fields, options.source_column, option="--source-column")
    summary = get_field(fields, options.summary_column, option="--summary-column")
    documents = _parse_sources(source, options)
    if _has_second_source(fields, options):
        second = options.second_source_column
        text = parse_document(fields[second], side=Side.SOURCE, column=second, language=language)
        if len(documents) == 1:
            documents = [replace(documents[0], key=options.source_column)]
        documents.append(replace(text, key=second))
    column = options.summary_column
    last = parse_document(summary, side=Side.SUMMARY, column=column, language=language)
    return (*documents, last)


def _parse_sources(value: Any, options: ImportOptions) -> list[Document]:
    """Return the documents of a source cell: one, or one for each text of a list."""
    column = options.source_column
    language = options.language
    texts = parse_text_list(value) if options.list_source or isinstance(value, list) else None
    if texts is None and options.list_source and isinstance(value, str) and is_list_like(value):
        raise InvalidInput(
            f"column {column!r} has a list of texts that cannot be read", "write the list as JSON"
        )
    if texts is None:
        return [parse_document(value, side=Side.SOURCE, column=column, language=language)]
    found = [
        replace(
            parse_document(text, side=Side.SOURCE, column=column, language=language),
            key=str(number) if len(texts) > 1 else "",
        )
        for number, text in enumerate(texts, 1)
        if not isinstance(text, str) or text.strip()
    ]
    if not found:
        raise InvalidInput(
            f"column {column!r} has a list without a text", "a sample needs a source and a summary"
        )
    return found


def _warn_of_list(row: _PairRow, options: ImportOptions) -> Iterator[Problem]:
    value = row.fields.get(options.source_column)
    if not options.list_source and isinstance(value, str) and is_list_like(value):
        column = options.source_column
        message = f"column {column!r} looks like a list of texts, but is read as one text"
        hint = "most cells of the column are plain texts; write a list in each cell to read lists"
        yield Problem(row.where, message, hint, refused=False, code="list-as-text")


def _refuse_binary(fields: Mapping[str, Any], columns: set[str]) -> None:
    for column in columns:
        value = fields.get(column)
        values = value if isinstance(value, list) else [value]
        if any(isinstance(each, BinaryText) for each in values):
            raise InvalidInput(
                f"column {column!r} holds bytes that are not UTF-8",
                "convert the column to text before the import",
                code="bytes-not-text",
            )


def _warn_of_binary(row: _PairRow) -> Iterator[Problem]:
    for column, value in row.fields.items():
        if isinstance(value, BinaryText):
            yield Problem(
                row.where,
                f"column {column!r} holds bytes that are not text: only their number is kept",
                "convert the column to text before the import, if you need it",
                refused=False,
                code="bytes-dropped",
            )


def _sample_id(row: _PairRow, options: ImportOptions, seen: NameRegister) -> str:
    if not options.id_column:
        return parse_identifier(options.row_prefix + row.name, what="id")
    name = parse_identifier(
        get_field(row.fields, options.id_column, option="--id-column"), what="id"
    )
    before = seen.remember(json.dumps([row.dataset, name]), row.where)
    if before != row.where:
        raise InvalidInput(
            f"duplicate id {name!r}: already used at {before}", "give each sample its own id"
        )
    return name


def _group_of(fields: dict[str, Any], options: ImportOptions) -> str:
    if not options.group_column:
        return ""
    value = get_field(fields, options.group_column, option="--group-column")
    return "" if value in ("", None) else parse_identifier(value, what="group")


def _read_json(path: Path, options: ImportOptions) -> _Rows:
    for value in read_json_values(path, encoding=options.encoding, meter=options.meter):
        if isinstance(value, Problem):
            yield value
        elif isinstance(value.value, dict):
            yield _TableRow(value.number - 1, value.where, value.value)
        else:
            yield Problem(
                value.where,
                f"the record is {describe_value(value.value)}, not a JSON object",
                "write each record as an object: {column: value}",
            )


def _missing_columns(columns: Sequence[str], options: ImportOptions) -> InvalidInput | None:
    named = {
        "--source-column": options.source_column,
        "--summary-column": options.summary_column,
        "--second-source-column": options.second_source_column,
        "--id-column": options.id_column,
        "--group-column": options.group_column,
        "--span-column": options.span_column,
        "--span-label-column": options.span_label_column,
        "--start-column": options.start_column,
        "--end-column": options.end_column,
        "--person-column": options.person_column,
    }
    errors = [
        missing_column(column, columns, option=option)
        for option, column in named.items()
        if column and column not in columns
    ]
    return join_missing_columns(errors) if errors else None


_SEP: Final = re.compile(r"sep=.?$")
"""First cell of a line that names the delimiter, which Excel reads and does not show."""
_LONG_NAME: Final = 40
_LONE_RETURN: Final = "new-line character"
"""Part of the error of the CSV reader for a carriage return outside quotes."""


def _read_csv(path: Path, options: ImportOptions, *, delimiter: str = "") -> _Rows:
    """Read the rows of a CSV file; an empty `delimiter` is the user's, else detected."""
    csv.field_size_limit(LONGEST_LINE)
    delimiter = (
        delimiter or options.delimiter or find_delimiter(read_first_line(path, options), options)
    )
    feed = _CsvLines(path, options)
    rows = csv.reader(feed, delimiter=delimiter, strict=True)
    try:
        header = _name_columns(next((row for row in rows if row and not _SEP.match(row[0])), None))
        if header is None:
            yield Problem(str(path), "the file is empty", code=EMPTY)
        elif refused := feed.bad or _check_names(header, feed.where, options):
            yield refused
        else:
            yield from stop_at_wrong_encoding(
                _read_csv_body(rows, header, feed, delimiter=delimiter)
            )
    except InvalidRecord as error:
        yield make_problem(error.where, error)
    except csv.Error as error:
        yield _csv_problem(error, feed)


def _name_columns(header: list[str] | None) -> list[str] | None:
    """Number the columns without a name, if there are several."""
    if header is None or header.count("") < 2:
        return header
    return [name or _number_column(number, header) for number, name in enumerate(header, 1)]


def _number_column(number: int, header: Sequence[str]) -> str:
    name = f"column {number}"
    while name in header:
        name += " without a name"
    return name


def _check_names(header: list[str], where: str, options: ImportOptions) -> Problem | None:
    double = {name for name in header if header.count(name) > 1}
    if double:
        message = f"two columns are named {min(double)!r}"
        return Problem(where, message, "rename one of the columns")
    if any("\0" in name for name in header):
        message = "the names of the columns contain NUL characters"
        return Problem(where, message, "name the file's encoding with --encoding")
    error = _missing_columns(header, options)
    return make_problem(where, error) if error else None


def _read_csv_body(rows: Any, header: list[str], feed: _CsvLines, *, delimiter: str) -> _Rows:
    index = -1
    sign = {",": "commas", ";": "semicolons", "\t": "tabs"}.get(delimiter, f"{delimiter!r}")
    while True:
        feed.begin()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            index += 1
            yield _csv_problem(error, feed)
            continue
        if cells is None:
            break
        if not cells:
            continue
        index += 1
        if feed.bad:
            yield feed.bad
        elif len(cells) != len(header):
            message = f"the row has {len(cells)} cells, but the header has {len(header)}"
            if feed.spans_lines:
                message += f"; it begins in line {feed.first} and ends in line {feed.last}"
            hint = f"enclose cells that contain {sign} or line breaks in quotes"
            yield Problem(feed.where, message, feed.quote_hint if feed.spans_lines else hint)
        else:
            yield _TableRow(index, feed.where, dict(zip(header, cells, strict=True)))
    if index < 0:
        yield Problem(feed.where, "the file has a header but no rows")


def _csv_problem(error: csv.Error, feed: _CsvLines) -> Problem:
    """Return the problem of a row that is no CSV; the lines that it swallowed are refused, too."""
    if _LONE_RETURN in str(error):
        message = "lines end with a carriage return without a line feed"
        hint = "save the file with the line ends of Windows or Unix, or enclose the cell in quotes"
    elif feed.spans_lines:
        message = (
            f"a quote in the row that begins in line {feed.first} is not closed: the row ends in"
            f" line {feed.last}, and these lines are refused together"
        )
        hint = feed.quote_hint
    elif "unexpected end" in str(error):
        message = "a quoted cell has no closing quote"
        hint = feed.quote_hint
    else:
        message = f"invalid CSV: {error}"
        hint = 'enclose the cell in quotes and double each " in the cell'
    return Problem(feed.where, message, hint)


class _CsvLines(Iterator[str]):
    """Lines for a CSV reader; `where`: first line of the row, `bad`: the row's first problem."""

    def __init__(self, path: Path, options: ImportOptions) -> None:
        self._path = path
        self._encoding = options.encoding
        self._lines = read_lines(path, encoding=options.encoding, meter=options.meter)
        self._size = 0
        self.last = 0
        self._first: int | None = None
        self.bad: Problem | None = None

    def begin(self) -> None:
        self._first = None
        self._size = 0
        self.bad = None

    @property
    def where(self) -> str:
        return f"{self._path}:{self.first}"

    @property
    def first(self) -> int:
        """Number of the row's first line, from 1."""
        return self._first or max(self.last, 1)

    @property
    def spans_lines(self) -> bool:
        return self.last > self.first

    @property
    def quote_hint(self) -> str:
        return f"close the quote in line {self.first}"

    def __next__(self) -> str:
        line: TextLine = next(self._lines)
        self.last = line.number
        self._first = self._first or line.number
        self._size += len(line.text)
        if self._size > LONGEST_LINE:
            raise InvalidRecord(
                f"the row is longer than {LONGEST_LINE:,} characters",
                "add the missing closing quote, or check that the file is CSV",
                where=self.where,
            )
        if line.bad and self.bad is None:
            self.bad = wrong_byte_problem(f"{self._path}:{line.number}", line.bad, self._encoding)
        return line.text


def _read_workbook(path: Path, options: ImportOptions) -> Iterator[_Table]:
    """Yield all sheets, or the chosen sheet.

    A workbook with several sheets gives several datasets; if the user named one dataset, the ids
    of its samples contain the names of the sheets.
    """
    try:
        with open_sheets(path) as sheets:
            if options.sheet and options.sheet not in sheets:
                hint = f"{suggest_word(options.sheet, sheets)}the sheets are: {', '.join(sheets)}"
                raise NotFound(f"{path} has no sheet {options.sheet!r} with rows", hint)
            if not sheets:
                empty = Problem(str(path), "the workbook is empty", code=EMPTY)
                yield str(path), iter([empty]), options
            prefix = ""
            if len(sheets) > 1 and not options.dataset:
                base = choose_dataset_name(path, options.sheets_name, former=options.former_names)
                prefix = f"{base}-"
            chosen = [options.sheet] if options.sheet else list(sheets)
            for name, own in _fit_options(options, {name: sheets[name] for name in chosen}):
                dataset = f"{prefix}{name}" if prefix else ""
                label = f"{name}/" if len(sheets) > 1 and not prefix else ""
                where = f"{path}, sheet {name!r}"
                rows = _read_sheet(sheets[name], where, own, label=label, dataset=dataset)
                yield where, rows, own
    except InvalidRecord as error:
        yield str(path), iter([make_problem(error.where, error)]), options
    if options.meter:
        options.meter.done += path.stat().st_size


def _fit_options(
    options: ImportOptions, sheets: Mapping[str, Sheet]
) -> Iterator[tuple[str, ImportOptions]]:
    """Yield each sheet's name with its options, which name no columns that only other sheets have.

    If no sheet has the columns of texts that the user named, each sheet keeps the options.
    """
    texts = (options.source_column, options.summary_column, options.second_source_column)
    fitting = {name for name, sheet in sheets.items() if {*texts} - {""} <= {*sheet.header}}
    for name in sheets:
        bare = replace(options, source_column="", summary_column="", second_source_column="")
        yield name, bare if fitting and name not in fitting else options


def _read_sheet(
    sheet: Sheet, where: str, options: ImportOptions, *, label: str, dataset: str
) -> _Rows:
    """Yield the rows of a sheet; `label` precedes the row number that is a sample's id."""
    header = sheet.header
    try:
        if sheet.hidden and not options.sheet:
            yield Problem(
                where,
                "the sheet is hidden in the workbook, and is read like the others",
                "to read one sheet only, pass --sheet NAME",
                refused=False,
            )
        if sheet.valueless:
            yield _valueless_problem(sheet, where)
        if not header:
            return
        if refused := _check_names([name for name in header if name], where, options):
            yield refused
            return
        index = -1
        for index, (number, cells) in enumerate(sheet.rows):
            fields = _name_cells(cells, header)
            yield _TableRow(index, f"{where}, row {number}", fields, dataset, label)
            if any(is_full_cell(value) for value in cells):
                yield _full_cell_problem(f"{where}, row {number}")
        if index < 0:
            yield Problem(where, "the sheet has a header but no rows")
    except InvalidRecord as error:
        yield make_problem(error.where, error)


def _valueless_problem(sheet: Sheet, where: str) -> Problem:
    cells = f", in {', '.join(map(repr, sheet.examples))}" if sheet.examples else ""
    more = " and others" if sheet.valueless > len(sheet.examples) > 0 else ""
    return Problem(
        where,
        f"{format_count(sheet.valueless, 'formula')} without a stored value{cells}{more}: the"
        " cells are empty",
        "open the workbook in a spreadsheet program, save it, and import it again",
        refused=False,
    )


def _full_cell_problem(where: str) -> Problem:
    return Problem(
        where,
        f"a cell has {LONGEST_CELL:,} characters, the most that Excel stores: the text is probably"
        " cut",
        "import the text from the file that the workbook was made from",
        refused=False,
    )


def _name_cells(cells: Sequence[Any], header: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(filter(None, header))
    for at, value in enumerate(cells):
        name = header[at] if at < len(header) else ""
        if name:
            fields[name] = value
        elif value is not None:
            fields[_number_column(at + 1, header)] = value
    return fields


_SPLITS: Final = "dataset_dict.json"
_STATE: Final = "state.json"
_SHARD: Final = re.compile(r"([A-Za-z_.]\w*)-\d{5}-of-\d{5}\.parquet")
_SPLIT: Final = "split"
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that a file name in a list of data files must not contain."""
_LARGEST: Final = 2**24


def _read_frames(path: Path, options: ImportOptions) -> Iterator[_Table]:
    index: dict[str, int] = {}
    for file, split in _list_files(path):
        yield str(file), _read_frame(file, options, split=split, index=index), options


def _read_frame(file: Path, options: ImportOptions, *, split: str, index: dict[str, int]) -> _Rows:
    """Yield a Parquet file's rows, numbered within their split; report missing columns once."""
    try:
        for number, fields in enumerate(read_column_rows(file)):
            count = index[split] = index.get(split, -1) + 1
            label = f"{split}/" if split else ""
            first = {_SPLIT: split} if split else {}
            where = f"{file}, row {number + 1}"
            row = _TableRow(count, where, {**first, **fields}, label=label)
            # All rows of a file have the same columns.
            if error := _missing_columns([*row.fields], options):
                yield make_problem(str(file), error)
                break
            yield row
    except InvalidInput as error:
        yield make_problem(str(file), error)
    if options.meter and file.is_file():
        options.meter.done += file.stat().st_size


def _list_files(path: Path) -> list[tuple[Path, str]]:
    """List a dataset folder's Parquet files, each with its split's name (empty if no split)."""
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
        raise InvalidInput(message, "save the dataset again with the library datasets") from error
    for item in items:
        if item in {"", ".", ".."} or Path(item).name != item or _UNSAFE.search(item):
            raise InvalidInput(
                f"{listing} lists {item!r}, which is not a file name in the same folder",
                code="file-outside-folder",
            )
    return [folder / item for item in items]
