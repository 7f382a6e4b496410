"""Import, but no export, of SQLite databases of the annotation tool Mercury."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import FIELD_REFUSED, SPAN_REFUSED, Problem, Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.account_files import (
    decode_text,
    open_database,
    query_database,
)
from tui_annotate.plugins.files.json_values import SURROGATE
from tui_annotate.plugins.formats.mercury.dump import (
    COMMENTS,
    MERCURY_TRAITS,
    META,
    NO_OFFSET,
    MercurySampleReader,
    parse_json_text,
    parse_label_names,
)
from tui_annotate.plugins.json_records import Doubt, keep_readable, problems_at
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import (
    choose_dataset_name,
    describe_value,
    imported_person,
    make_problem,
    parse_identifier,
)
from tui_annotate.plugins.traits import FormatTraits, carry_plainly

_COLUMN_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "sample_id": ("sample_id", "doc_id"),
    "chunk_offset": ("chunk_offset", "chunk_offset_local"),
    "annot_spans": ("annot_spans", "text_spans"),
}
"""Maps the current name of a database column to its names in all versions of Mercury."""
_SIDES: Final[Mapping[str, Side]] = {
    "source": Side.SOURCE, "text1": Side.SOURCE, "summary": Side.SUMMARY, "text2": Side.SUMMARY,
}  # fmt: skip
_USE_DUMP: Final = "export a dump with Mercury and import the dump, which contains the spans' texts"
_CHUNK: Final = ("sample_id", "chunk_id", "text_type", "text", "chunk_offset")
_VEC0_TABLE: Final = re.compile(r"\bUSING\s+vec0\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_LONGEST_INLINE: Final = 12
"""Maximum size in bytes of a text that sqlite-vec stores inline, not in a table of its own."""


class _Chunk(NamedTuple):
    """Sentence of a text; `start` is its offset in all sentences of the text joined by spaces."""

    id: int
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def fits_from_start(self, end: int) -> bool:
        """Return whether a range that is counted from the sentence's start ends inside it."""
        return end <= len(self.text)

    def touches(self, start: int, end: int) -> bool:
        """Return whether a range of the whole text has a character in common with the sentence."""
        return start < self.end and end > self.start


class _OffsetOrigin(Enum):
    """Where the offsets of a database begin: at the sentence that a span names, or at the text."""

    CHUNK = auto()
    DOCUMENT = auto()
    UNKNOWN = auto()


_Data = TypeVar("_Data", bytes, str)
_Row = dict[str, Any]
_Texts = dict[Side, list[_Chunk]]


def _has_chunks(path: Path) -> bool:
    return bool(
        query_database(path, "SELECT 1 FROM sqlite_master WHERE name = 'chunks' AND sql > ''")
    )


class _Tables:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        found = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'chunks'").fetchone()
        if merged := _VEC0_TABLE.search((found and found[0]) or ""):
            self._copy_chunks(merged.group(1))
            self._chunks = "temp.flat_chunks"
            self._columns = dict(zip(_CHUNK, _CHUNK, strict=True))
        else:
            self._chunks = "main.chunks"
            self._columns = self._find_columns("chunks", _CHUNK)

    def _find_columns(self, table: str, wanted: Iterable[str]) -> dict[str, str]:
        there = self._list_columns(table)
        found = {}
        for column in wanted:
            names = [name for name in _COLUMN_NAMES.get(column, (column,)) if name in there]
            if not names:
                raise InvalidInput(
                    f"table {table!r} has no column {column!r}; columns: {', '.join(there)}",
                    "check that the file is a database of Mercury",
                )
            found[column] = names[0]
        return found

    def _list_columns(self, table: str) -> list[str]:
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [str(name) for (name,) in rows]

    def samples(self) -> Iterator[tuple[int, _Texts, list[InvalidInput]]]:
        """Yield the number of each sample, its texts, and the errors of unreadable chunks."""
        columns = ", ".join(f'"{self._columns[name]}"' for name in _CHUNK)
        rows = self._connection.execute(
            f"SELECT {columns} FROM {self._chunks} WHERE typeof({self._columns['sample_id']}) ="  # noqa: S608  names of columns that are there
            " 'integer' ORDER BY 1, 5, 2"
        )
        for sample, chunks in groupby(rows, key=lambda row: row[0]):
            yield sample, *_group_chunks(chunks)

    def count_chunks_without_sample(self) -> int:
        query = f"SELECT count(*) FROM {self._chunks} WHERE typeof({self._columns['sample_id']})"  # noqa: S608  as above
        (count,) = self._connection.execute(f"{query} <> 'integer'").fetchone()
        return int(count)

    def annotations(self) -> Iterator[_Row]:
        if not self._list_columns("annotations"):
            return
        wanted = ("annot_id", "sample_id", "annot_spans", "annotator", "label")
        columns = self._find_columns("annotations", wanted)
        cursor = self._connection.execute(
            f"SELECT * FROM main.annotations ORDER BY {columns['sample_id']}, annot_id"  # noqa: S608  as above
        )
        yield from _name_cells(cursor, {old: new for new, old in columns.items()})

    def meta(self) -> Iterator[_Row]:
        if {"sample_id", "json_meta"} <= set(self._list_columns("sample_meta")):
            query = "SELECT sample_id, json_meta FROM main.sample_meta ORDER BY sample_id"
            yield from _name_cells(self._connection.execute(query), {})

    def config(self) -> dict[str, str]:
        """Return Mercury's settings: the embedding model, its dimension and a version."""
        if not {"key", "value"} <= set(self._list_columns("config")):
            return {}
        rows = self._connection.execute("SELECT key, value FROM main.config ORDER BY key")
        return {str(key): str(value) for key, value in rows}

    def comments(self) -> Iterator[_Row]:
        if not {"comment_id", "annot_id"} <= set(self._list_columns("comments")):
            return
        sample = self._find_columns("annotations", ["sample_id"])["sample_id"]
        cursor = self._connection.execute(
            f'SELECT a."{sample}" AS sample_id, c.* FROM main.comments AS c'  # noqa: S608  as above
            " LEFT JOIN main.annotations AS a USING (annot_id) ORDER BY 1, c.comment_id"
        )
        yield from _name_cells(cursor, {})

    def _copy_chunks(self, declared: str) -> None:
        parts = [part.split() for part in declared.split(",")]
        plain = [part[0] for part in parts if len(part) == 2 and "[" not in part[1]]
        missing = [name for name in _CHUNK if name not in (*plain, "chunk_id")]
        if missing:
            raise InvalidInput(f"table 'chunks' has no column {missing[0]!r}")
        places = {name: plain.index(name) for name in _CHUNK if name != "chunk_id"}
        self._connection.execute(f"CREATE TEMP TABLE flat_chunks ({', '.join(_CHUNK)})")
        self._connection.executemany(
            "INSERT INTO temp.flat_chunks VALUES (?, ?, ?, ?, ?)", self._read_vec0_rows(places)
        )

    def _read_vec0_rows(self, places: Mapping[str, int]) -> Iterator[tuple[Any, ...]]:
        rows = self._connection.execute(
            "SELECT chunk_id, rowid, chunk_offset FROM main.chunks_rowids ORDER BY chunk_id, rowid"
        )
        for block, members in groupby(rows, key=lambda row: row[0]):
            blobs = {
                name: self._read_data(f"chunks_metadatachunks{place:02d}", block, bytes)
                for name, place in places.items()
            }
            for _, row, slot in members:
                values = {"chunk_id": row}
                for name, place in places.items():
                    if name in ("text", "text_type"):
                        values[name] = self._read_text(blobs[name], slot, (place, row))
                    else:
                        cell = blobs[name][slot * 8 : slot * 8 + 8]
                        values[name] = int.from_bytes(cell, "little")
                yield tuple(values[name] for name in _CHUNK)

    def _read_text(self, blob: bytes, slot: int, long: tuple[int, int]) -> str:
        place, row = long
        # A slot has 16 bytes: a length in 4 bytes and at most 12 bytes of text.
        view = blob[slot * 16 : slot * 16 + 16]
        length = int.from_bytes(view[:4], "little")
        if length <= _LONGEST_INLINE:
            return decode_text(view[4 : 4 + length])
        return self._read_data(f"chunks_metadatatext{place:02d}", row, str)

    def _read_data(self, table: str, row: int, kind: type[_Data]) -> _Data:
        query = f"SELECT data FROM main.{table} WHERE rowid = ?"  # noqa: S608  a name of ours
        found = self._connection.execute(query, (row,)).fetchone()
        if not found or not isinstance(found[0], kind):
            raise InvalidInput("the sentences (chunks) that are stored with vectors are damaged")
        return found[0]


def _name_cells(cursor: sqlite3.Cursor, newest: Mapping[str, str]) -> Iterator[_Row]:
    names = [newest.get(each[0], each[0]) for each in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)


def _group_chunks(rows: Iterable[tuple[Any, ...]]) -> tuple[_Texts, list[InvalidInput]]:
    found: _Texts = {side: [] for side in Side}
    errors: list[InvalidInput] = []
    for _, chunk, kind, text, _ in rows:
        if kind not in _SIDES:
            errors.append(
                InvalidInput(
                    f"chunk {chunk!r} has the text_type {kind!r}",
                    f"use one of: {', '.join(_SIDES)}",
                )
            )
            continue
        if not isinstance(text, str):
            errors.append(InvalidInput(f"the text of chunk {chunk!r} is {_describe_cell(text)}"))
            continue
        before = found[_SIDES[kind]]
        before.append(_Chunk(chunk, text, before[-1].end + 1 if before else 0))
    return found, errors


def _describe_cell(value: Any) -> str:
    return "not text, but bytes" if isinstance(value, bytes) else describe_value(value)


_CHUNK_OF: Final = {Side.SOURCE: "src_chunk_id", Side.SUMMARY: "summ_chunk_id"}
_USER_NAMES: Final = "SELECT user_id, user_name FROM users ORDER BY rowid"
_SUFFIXES: Final = frozenset({".sqlite", ".sqlite3", ".db"})
"""Suffixes of the database files in which the names of Mercury's users are searched."""


class MercuryDatabaseFormat:
    """Importer of samples from Mercury databases; it gives the same records as Mercury's dump.

    Names of annotators come from the database's own table `users`, or from databases in the same
    folder. If several files go into one dataset, sample ids begin with the file's name. A sample is
    imported without the annotations that are invalid, such as one with a span outside of its text.
    """

    name = "mercury-db"
    about = FormatTraits(
        title="Mercury's SQLite database",
        carried=carry_plainly(*MERCURY_TRAITS),
    )

    def list_companions(self, path: Path, options: ImportOptions) -> list[Path]:
        """Return the other databases in the folder of a database."""
        del options
        return [] if path.is_dir() else _list_neighbours(path)

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        files = _list_files(path)
        names = _read_user_names(path)
        for file in files:
            dataset = choose_dataset_name(file, options.dataset, former=options.former_names)
            prefix = f"{file.stem}/" if options.dataset and len(files) > 1 else ""
            try:
                with closing(open_database(file)) as connection:
                    connection.execute("PRAGMA temp_store = FILE")
                    reading = _DatabaseReader(file, _Tables(connection), names)
                    yield from reading.records(dataset, prefix, language=options.language)
            except InvalidInput as error:
                yield make_problem(str(file), error)
            except (sqlite3.Error, UnicodeError) as error:  # the message may be invalid UTF-8
                message = " ".join(str(error).split())
                yield Problem(
                    str(file), f"cannot read the database: {message}", "quit Mercury and try again"
                )
            if options.meter:
                options.meter.done += file.stat().st_size


def _list_files(path: Path) -> list[Path]:
    if path.is_dir():
        found = [file for file in sorted(path.iterdir()) if file.is_file() and _has_chunks(file)]
        if not found:
            raise NotFound(f"no file in {path} is a database of Mercury", "pass a different folder")
        return found
    if not path.exists():
        raise NotFound(f"there is no file {path}")
    if not _has_chunks(path):
        raise InvalidInput(
            f"{path} is not a Mercury database with a table 'chunks'",
            "for a user database, run: tui-annotate users import;"
            " for a JSON dump, use the format mercury",
        )
    return [path]


def _list_neighbours(path: Path) -> list[Path]:
    """Return the databases in a database's folder, in which names of users are searched."""
    return sorted(each for each in path.parent.iterdir() if each.suffix in _SUFFIXES)


def _read_user_names(path: Path) -> dict[str, str]:
    # The names in the database itself count more than those in other files.
    files = sorted(path.iterdir()) if path.is_dir() else [*_list_neighbours(path), path]
    rows = (row for file in files if file.is_file() for row in query_database(file, _USER_NAMES))
    return {
        key: name
        for key, name in rows
        if isinstance(key, str) and isinstance(name, str) and name and not SURROGATE.search(name)
    }


class _RowsBySample:
    def __init__(self, rows: Iterator[_Row]) -> None:
        self._rows = rows
        self._next = next(rows, None)
        self.strays = 0

    def of(self, sample: int) -> Iterator[_Row]:
        """Yield the rows of a sample; count and skip rows of samples that were not asked for.

        Must be called with ascending sample ids, as the rows are read once, in their order.
        """
        while (row := self._next) is not None:
            number = row["sample_id"]
            if isinstance(number, int) and number > sample:
                return
            if isinstance(number, str | bytes | float):
                return  # sorts after all numbers; counted by `rest`
            self._next = next(self._rows, None)
            if number == sample:
                yield row
            else:
                self.strays += 1

    def rest(self) -> int:
        """Return the number of rows of no known sample, after the last sample was asked for."""
        return self.strays + (self._next is not None) + sum(1 for _ in self._rows)


class _DatabaseReader:
    def __init__(self, path: Path, tables: _Tables, names: Mapping[str, str]) -> None:
        self._path = path
        self._tables = tables
        self._user_names = names
        self._origin = self._find_offset_origin()

    def _find_offset_origin(self) -> _OffsetOrigin:
        # A whole database counts in one way, so the first pass looks at all its annotations.
        votes = _OffsetVotes()
        rows = _RowsBySample(self._tables.annotations())
        for sample, texts, _ in self._tables.samples():
            for row in rows.of(sample):
                with suppress(InvalidInput):  # reported with its sample
                    votes.add(_Marks(row), texts)
        return votes.decide()

    def records(self, dataset: str, prefix: str, *, language: str) -> Iterator[Record | Problem]:
        annotations = _RowsBySample(self._tables.annotations())
        meta = _RowsBySample(self._tables.meta())
        comments = _RowsBySample(self._tables.comments())
        unknown = Counter[Any]()
        for sample, texts, errors in self._tables.samples():
            where = f"{self._path}, sample {sample}"
            rows = [list(each.of(sample)) for each in (annotations, meta, comments)]
            try:
                if errors:  # without a chunk, the offsets of all later spans would be wrong
                    raise errors[0]
                fields, doubts, refused = self._sample_fields(sample, texts, rows)
                reader = MercurySampleReader(
                    fields,
                    dataset=dataset,
                    key=f"{prefix}{sample}",
                    language=language,
                    doubts=doubts,
                    refused=refused,
                )
                record = reader.record(where)
                yield record
            except InvalidInput as error:
                yield make_problem(where, error)
                continue
            unknown += Counter(
                owned.person for owned in record.annotations if owned.person not in self._user_names
            )
            yield from problems_at(where, [*reader.doubts, *_warn_of_astral_characters(fields)])
        if strays := annotations.rest():
            message = f"skipped {format_count(strays, 'annotation')} for samples that have no texts"
            yield Problem(str(self._path), message, refused=False, code=SPAN_REFUSED)
        if chunks := self._tables.count_chunks_without_sample():
            message = f"skipped {format_count(chunks, 'chunk')} whose sample_id is not an integer"
            yield Problem(str(self._path), message, "give each chunk the number of its sample")
        if unknown:
            message = (
                f"no name is known for {format_count(len(unknown), 'annotator')}, who made"
                f" {format_count(unknown.total(), 'annotation')}: annotator ids are used as names"
            )
            hint = "put Mercury's user database into the same folder"
            yield Problem(str(self._path), message, hint, refused=False)
        if config := self._tables.config():
            settings = ", ".join(f"{name} {value!r}" for name, value in config.items())
            message = f"skipped the table config and the vectors of Mercury: {settings}"
            hint = "vectors are computed anew; docs/formats.md lists what replaces Mercury's models"
            yield Problem(str(self._path), message, hint, refused=False)
        for name, count in (("metadata row", meta.rest()), ("comment", comments.rest())):
            if count:
                message = f"skipped {format_count(count, name)} without a sample"
                yield Problem(str(self._path), message, refused=False, code=FIELD_REFUSED)

    def _sample_fields(
        self, sample: int, texts: _Texts, rows: list[list[_Row]]
    ) -> tuple[dict[str, Any], list[Doubt], list[Person]]:
        """Return the fields of a dump's sample, the errors of refused rows, and whose rows."""
        annotations, meta, comments = rows
        doubts: list[Doubt] = []
        refused: list[Person] = []

        def read_annotation(row: _Row) -> dict[str, Any]:
            try:
                return self._annotation_fields(row, texts, joined)
            except InvalidInput:
                if _is_person(row["annotator"]):
                    name = self._user_names.get(row["annotator"])
                    refused.append(imported_person(row["annotator"], name))
                raise

        checked = keep_readable(_check_comment, comments, doubts)
        columns = _join(keep_readable(_parse_meta, meta, doubts))
        joined = {side: " ".join(chunk.text for chunk in texts[side]) for side in Side}
        fields = {
            "sample_id": sample,
            "source": joined[Side.SOURCE],
            "summary": joined[Side.SUMMARY],
            "annotations": keep_readable(read_annotation, annotations, doubts),
            **columns,
            **({COMMENTS: [_without_sample(row) for row in checked]} if checked else {}),
        }
        return fields, doubts, refused

    def _annotation_fields(
        self, row: _Row, texts: _Texts, joined: Mapping[Side, str]
    ) -> dict[str, Any]:
        _check_utf8(row, what=f"annotation {row.get('annot_id')!r}")
        marks = _Marks(row)
        fields = {name: row.get(name) for name in ("annot_id", "sample_id", "annotator")}
        fields["label"] = parse_label_names(row["label"], f"annotation {row['annot_id']!r}")
        fields["note"] = "" if row.get("note") is None else row["note"]
        fields["annotator_name"] = self._user_names.get(str(row["annotator"]))
        for side in marks.empty:
            fields |= {f"{side}_span": "", f"{side}_start": NO_OFFSET, f"{side}_end": NO_OFFSET}
        for side, span in marks.spans.items():
            try:
                start, end = self._find_range(span, marks.named(side, texts))
            except InvalidInput as error:
                message = f"the {side} span {span[0]}:{span[1]} of annotation {row['annot_id']!r}"
                raise InvalidInput(f"{message} {error.message}", error.hint) from error
            if 0 <= start < end <= len(joined[side]):
                fields[f"{side}_span"] = joined[side][start:end]
            fields |= {f"{side}_start": start, f"{side}_end": end}
        return fields

    def _find_range(self, span: tuple[int, int], chunk: _Chunk | None) -> tuple[int, int]:
        """Return the range of a span in its whole text; `chunk` is the sentence that it names.

        Raises:
            InvalidInput: the span is outside its sentence, or the range is ambiguous.
        """
        start, end = span
        if chunk is None:
            return start, end
        in_chunk = chunk.fits_from_start(end)
        in_document = chunk.touches(start, end)
        if self._origin is _OffsetOrigin.CHUNK:
            is_inside = in_chunk
            start += chunk.start
            end += chunk.start
        else:
            is_inside = in_document
            if self._origin is _OffsetOrigin.UNKNOWN and chunk.start > 0 and in_chunk and is_inside:
                message = "is ambiguous: it fits both its sentence and the document"
                raise InvalidInput(message, _USE_DUMP)
        if not is_inside:
            raise InvalidInput("is outside its sentence", _USE_DUMP)
        return start, end


def _check_utf8(row: _Row, *, what: str) -> None:
    for name, value in row.items():
        if isinstance(value, bytes) or (isinstance(value, str) and SURROGATE.search(value)):
            raise InvalidInput(f"{name!r} of {what} is not text in UTF-8")


def _check_comment(row: _Row) -> _Row:
    try:
        _check_utf8(row, what=f"comment {row.get('comment_id')!r}")
    except InvalidInput as error:
        raise InvalidInput(error.message, error.hint, code=FIELD_REFUSED) from error
    return row


def _is_person(key: Any) -> bool:
    """Return whether a cell is the id of a person; other cells are refused elsewhere."""
    try:
        return isinstance(key, str) and bool(parse_identifier(key, what="annotator"))
    except InvalidInput:
        return False


def _without_sample(row: _Row) -> _Row:
    return {name: value for name, value in row.items() if name != "sample_id"}


def _parse_meta(row: _Row) -> dict[str, Any]:
    value = parse_json_text(row["json_meta"], what="the metadata of the sample")
    if not isinstance(value, dict):
        raise InvalidInput("the metadata of the sample is not a JSON object")
    return {META + name: each for name, each in value.items()}


def _join(columns: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for each in columns for name, value in each.items()}


def _warn_of_astral_characters(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning for each text in which a browser's offsets can differ from code points."""
    for side in Side:
        ends = [row[f"{side}_end"] for row in fields["annotations"] if f"{side}_end" in row]
        if ends and any(ord(sign) > 0xFFFF for sign in fields[side.value][: max(ends)]):
            yield (
                f"browsers count some characters of the {side} as two, so spans after these"
                " characters may be shifted: check the spans"
            )


class _Marks:
    def __init__(self, row: _Row) -> None:
        self._what = f"annotation {row['annot_id']!r}"
        spans = self._parse_object(row, "annot_spans")
        chunks = self._parse_object(row, "chunk_ids") if row.get("chunk_ids") else {}
        self.spans: dict[Side, tuple[int, int]] = {}
        self.empty: list[Side] = []
        self.chunks: dict[Side, Any] = {}
        for name, span in spans.items():
            side = self._parse_side(name)
            if span is None:
                continue  # as in a dump, null is no span
            start, end, *chunk = self._parse_span(span)
            if start == NO_OFFSET:
                self.empty.append(side)
                continue
            self.spans[side] = (start, end)
            self.chunks[side] = chunk[0] if chunk else chunks.get(name, row.get(_CHUNK_OF[side]))

    def _parse_object(self, row: _Row, column: str) -> dict[str, Any]:
        what = f"the column {column} of {self._what}"
        value = parse_json_text(row[column], what=what)
        if not isinstance(value, dict):
            raise InvalidInput(f"{what} is not a JSON object")
        return value

    def _parse_side(self, name: str) -> Side:
        if name not in _SIDES or _SIDES[name] in (*self.spans, *self.empty):
            raise InvalidInput(
                f"{self._what} has a span in {name!r}, which is not a text or already has a span",
                f"use one of: {', '.join(_SIDES)}",
            )
        return _SIDES[name]

    def _parse_span(self, span: Any) -> list[int]:
        integers = isinstance(span, list) and all(type(at) is int for at in span)
        if not integers or len(span) not in (2, 3):
            raise InvalidInput(f"{self._what} has the invalid span {span!r}", "write [start, end]")
        return list(span)

    def named(self, side: Side, texts: _Texts) -> _Chunk | None:
        wanted = self.chunks[side]
        return next((chunk for chunk in texts[side] if chunk.id == wanted), None)


@dataclass(slots=True)
class _OffsetVotes:
    """Counts how many spans fit only if offsets begin at their chunk, or only if at the text.

    Spans in the first chunk of a text are the same in both ways, so they do not vote.
    """

    _chunk: int = 0
    _document: int = 0
    _unfit: int = 0

    def add(self, marks: _Marks, texts: _Texts) -> None:
        """Count the votes of an annotation's spans that are valid from one of the two origins."""
        for side, (start, end) in marks.spans.items():
            longest = texts[side][-1].end if texts[side] else 0
            if marks.chunks[side] is None or not 0 <= start < end <= longest:
                continue  # a span that is invalid in either way shows nothing about the others
            chunk = marks.named(side, texts)
            if chunk is None:
                self._document += 1
            elif chunk.start > 0:
                match chunk.fits_from_start(end), chunk.touches(start, end):
                    case True, False:
                        self._chunk += 1
                    case False, True:
                        self._document += 1
                    case False, False:
                        self._unfit += 1

    def decide(self) -> _OffsetOrigin:
        """Return where offsets begin, as most spans show; unknown if no span shows it.

        Raises:
            InvalidInput: as many spans fit in one way as in the other, or more fit in neither.
        """
        most = max(self._chunk, self._document)
        if most == 0:
            return _OffsetOrigin.UNKNOWN
        if self._chunk == self._document:
            raise InvalidInput(
                "the spans are ambiguous: their offsets fit both the sentences and the documents",
                _USE_DUMP,
            )
        if self._unfit > most:
            raise InvalidInput(
                "the offsets of the spans fit neither the sentences nor the documents", _USE_DUMP
            )
        return _OffsetOrigin.CHUNK if self._chunk == most else _OffsetOrigin.DOCUMENT
