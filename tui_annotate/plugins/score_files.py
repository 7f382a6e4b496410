"""Scores by the id of a sample: JSON lines or an array of objects, or a table; refuses doubt."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.admission import described, identifier
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.files.streams import lines

_TABLES = {".csv": ",", ".tsv": "\t"}


class ScoreRow(NamedTuple):
    """A score in a file; `where` is `file:line` or `file, record N`."""

    where: str
    dataset: str
    id: str
    score: float


def score_rows(path: Path, *, id_column: str, score_columns: Sequence[str]) -> Iterator[ScoreRow]:
    """The rows of a file, in its order, in constant memory.

    Args:
        score_columns: the first of them that a row has holds its score.

    Raises:
        InvalidRecord: at the first row without an id or a finite number.
        NotFound, InvalidInput, Unavailable: the file can not be opened.
    """
    delimiter = _TABLES.get("".join(plain_suffixes(path)[-1:]).lower())
    for where, fields in _table(path, delimiter) if delimiter else _objects(path):
        try:
            yield _row(where, fields, id_column=id_column, score_columns=score_columns)
        except InvalidRecord:
            raise
        except InvalidInput as error:
            raise InvalidRecord(error.message, error.hint, where=where) from error


def _objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for value in json_values(path):
        if isinstance(value, Problem):
            raise InvalidRecord(value.message, value.hint, where=value.where)
        if not isinstance(value.value, dict):
            raise InvalidRecord(f"it is {described(value.value)}, not an object", where=value.where)
        yield value.where, value.value


def _table(path: Path, delimiter: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    read: list[int] = [1]
    reader = csv.DictReader(_sound(path, read), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            where = f"{path}:{reader.line_num}"
            if None in row or None in row.values():
                raise InvalidRecord("it has more or fewer cells than the head", where=where)
            yield where, {name: cell for name, cell in row.items() if cell != ""}
    except csv.Error as error:
        raise InvalidRecord(str(error), where=f"{path}:{read[0]}") from error


def _sound(path: Path, read: list[int]) -> Iterator[str]:
    """The lines; the number of the last one is in `read`, as the parser counts whole rows alone."""
    for line in lines(path):
        read[0] = line.number
        if line.bad:
            raise InvalidRecord(f"byte {line.bad} is not UTF-8", where=f"{path}:{line.number}")
        yield line.text


def _row(
    where: str, fields: Mapping[str, Any], *, id_column: str, score_columns: Sequence[str]
) -> ScoreRow:
    if id_column not in fields:
        raise InvalidInput(
            f"no column {id_column!r}; there are: {', '.join(map(repr, fields))[:300]}",
            "name that of the samples' ids with --id-column",
        )
    column = next((name for name in score_columns if name in fields), None)
    if column is None:
        raise InvalidInput(
            f"no column {' or '.join(map(repr, score_columns))}",
            "name that of the scores with --score-column",
        )
    dataset = fields.get("dataset", "")
    return ScoreRow(
        where,
        dataset if isinstance(dataset, str) else "",
        identifier(fields[id_column], what=id_column),
        _number(fields[column], column),
    )


def _number(value: Any, column: str) -> float:
    """A finite number, which in a table is written out.

    Raises:
        InvalidInput: it is none.
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise InvalidInput(f"{column!r} is {value!r:.80}, no number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"{column!r} is {value!r:.80}, no number", "leave out what is unknown")
    return float(value)
