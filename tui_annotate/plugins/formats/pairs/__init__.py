"""Pairs of texts in named columns: CSV, JSON, JSON lines, parquet, saved `datasets`; read only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.plugins.admission import (
    Seen,
    dataset_name,
    described,
    document,
    field,
    identifier,
    problem,
)
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.formats.pairs.delimited import csv_rows, first_line
from tui_annotate.plugins.formats.pairs.frames import frame_rows, is_columnar
from tui_annotate.plugins.formats.pairs.row import Row
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.traits import About, Trait, plainly

_JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}


class PairsFormat:
    """Rows with a source and a summary; all other columns become meta, as they came.

    A folder is one that Hugging Face's `datasets` saved, or that holds parquet files.
    """

    name = "pairs"
    about = About(title="a source and a summary a row", carried=plainly(Trait.TEXTS, Trait.META))

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a row; see `Importer.read`."""
        dataset = dataset_name(path, options.dataset)
        rows = _rows(path, options)
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


def _rows(path: Path, options: ImportOptions) -> Iterator[Row | Problem]:
    if path.is_dir() or is_columnar(path):
        return frame_rows(path, options)
    return csv_rows(path, options) if _is_csv(path, options) else _json_rows(path, options)


def _is_csv(path: Path, options: ImportOptions) -> bool:
    suffixes = plain_suffixes(path)
    if suffixes and suffixes[-1] == ".csv":
        return True
    if suffixes and suffixes[-1] in _JSON_SUFFIXES:
        return False
    return first_line(path, options).lstrip()[:1] not in {"[", "{"}


def _record(row: Row, dataset: str, options: ImportOptions, *, seen: Seen) -> Record:
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


def _id(row: Row, options: ImportOptions, seen: Seen) -> str:
    if not options.id_column:
        return row.name
    name = identifier(field(row.fields, options.id_column, option="--id-column"), what="id")
    before = seen.first(name, row.where)
    if before != row.where:
        raise InvalidInput(f"the id {name!r} was used at {before} already", "ids must differ")
    return name


def _unused_ids(row: Row) -> Iterator[Problem]:
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


def _json_rows(path: Path, options: ImportOptions) -> Iterator[Row | Problem]:
    for value in json_values(path, encoding=options.encoding, meter=options.meter):
        if isinstance(value, Problem):
            yield value
        elif isinstance(value.value, dict):
            yield Row(str(value.number - 1), value.where, value.value)
        else:
            yield Problem(
                value.where,
                f"the record is {described(value.value)}, not an object",
                "give each record as {column: value}",
            )
