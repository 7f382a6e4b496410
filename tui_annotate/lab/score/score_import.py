"""Scores made elsewhere: in a file by the ids of samples, or in columns of the samples."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Sample
from tui_annotate.lab.score.ranking import (
    JUDGED,
    OVERLAP,
    PROBE,
    REWARD,
    SURPRISE,
    TO_ANSWER,
    TO_OTHERS,
)
from tui_annotate.lab.score.sample_reader import DatasetReader, uncertain_answers
from tui_annotate.lab.score.score_values import RawScore
from tui_annotate.plugins.files.json_values import read_json_values
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.files.streams import read_lines
from tui_annotate.plugins.record_validation import describe_value, parse_identifier

_TABLES = {".csv": ",", ".tsv": "\t"}


class FileScore(NamedTuple):
    """A score in a file; `where` is `file:line` or `file, record N`."""

    where: str
    dataset: str
    id: str
    score: float


def score_rows(path: Path, *, id_column: str, score_columns: Sequence[str]) -> Iterator[FileScore]:
    """Yield the rows of a file, in constant memory; the first score column of a row counts.

    Raises:
        InvalidRecord: at the first row without an id or a finite number.
    """
    delimiter = _TABLES.get("".join(plain_suffixes(path)[-1:]).lower())
    for where, fields in _read_table(path, delimiter) if delimiter else _read_objects(path):
        try:
            yield _parse_row(where, fields, id_column=id_column, score_columns=score_columns)
        except InvalidRecord:
            raise
        except InvalidInput as error:
            raise InvalidRecord(error.message, error.hint, where=where) from error


def _read_objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for value in read_json_values(path):
        if isinstance(value, Problem):
            raise InvalidRecord(value.message, value.hint, where=value.where)
        if not isinstance(value.value, dict):
            raise InvalidRecord(
                f"it is {describe_value(value.value)}, not an object", where=value.where
            )
        yield value.where, value.value


def _read_table(path: Path, delimiter: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    read: list[int] = [1]
    reader = csv.DictReader(_check_lines(path, read), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            where = f"{path}:{reader.line_num}"
            if None in row or None in row.values():
                raise InvalidRecord("it has more or fewer cells than the head", where=where)
            yield where, {name: cell for name, cell in row.items() if cell != ""}
    except csv.Error as error:
        raise InvalidRecord(str(error), where=f"{path}:{read[0]}") from error


def _check_lines(path: Path, read: list[int]) -> Iterator[str]:
    """Yield the lines, and their number in `read`: the parser only counts whole rows."""
    for line in read_lines(path):
        read[0] = line.number
        if line.bad:
            raise InvalidRecord(f"byte {line.bad} is not UTF-8", where=f"{path}:{line.number}")
        yield line.text


def _parse_row(
    where: str, fields: Mapping[str, Any], *, id_column: str, score_columns: Sequence[str]
) -> FileScore:
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
    return FileScore(
        where,
        dataset if isinstance(dataset, str) else "",
        parse_identifier(fields[id_column], what=id_column),
        _parse_number(fields[column], column),
    )


def _parse_number(value: Any, column: str) -> float:
    """Return a finite number; in a table it is text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise InvalidInput(f"{column!r} is {value!r:.80}, no number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"{column!r} is {value!r:.80}, no number", "leave out what is unknown")
    return float(value)


_ANSWER_SCORES: Final = (OVERLAP, SURPRISE, TO_ANSWER, TO_OTHERS, PROBE, REWARD, JUDGED)
_NORMALISED: Final = frozenset({OVERLAP, SURPRISE, TO_ANSWER, TO_OTHERS, PROBE})
"""What files of generated answers hold as values over the whole file."""
_JUDGEMENT: Final = "gpt_judgement"
_RIGHT: Final = "正确"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNames:
    """The columns of ids and scores in a file; by default the score's name, else `score`."""

    id: str = "id"
    score: str = ""
    low: bool = False


def read_file_scores(
    path: Path, ids: Collection[str], *, name: str, dataset: str, options: ColumnNames
) -> Iterator[RawScore]:
    """Yield the scores of a file.

    Raises:
        InvalidRecord: at the first row that is wrong.
    """
    there, seen = set(ids), dict[str, str]()
    columns = (options.score,) if options.score else (name, "score")
    for row in score_rows(path, id_column=options.id, score_columns=columns):
        if row.dataset not in ("", dataset):
            raise InvalidRecord(
                f"it is of dataset {row.dataset!r}, not {dataset!r}", where=row.where
            )
        if row.id not in there:
            raise InvalidRecord(
                f"dataset {dataset!r} has no sample {row.id!r}",
                suggest_word(row.id, ids),
                where=row.where,
            )
        if (before := seen.setdefault(row.id, row.where)) != row.where:
            raise InvalidRecord(
                f"sample {row.id!r} was scored at {before} already", where=row.where
            )
        yield RawScore(row.id, name, row.score)


@dataclass(slots=True)
class ColumnScores:
    """The scores that a dataset's samples came with.

    Attributes:
        names: of the columns; empty for those that are known as scores of answers.
        found: those that any sample has; complete once all were read.
    """

    reader: DatasetReader
    names: tuple[str, ...]
    generated: bool
    found: set[str] = field(default_factory=set)

    @property
    def maker(self) -> str:
        """The maker of the run."""
        return "import:generations" if self.generated else "import:columns"

    @property
    def before(self) -> list[str]:
        """Names of scores that were already normalised in the file."""
        return sorted(_NORMALISED & self.found) if self.generated else []

    @property
    def low(self) -> frozenset[str]:
        """Names of scores of which low is better, as far as known."""
        return frozenset({SURPRISE} & self.found)

    def scores(self) -> Iterator[RawScore]:
        """Yield all scores; those of a group's extras follow its first sample."""
        for sample in self.reader.samples():
            yield from self._read_scores(sample, sample.meta)
            for number, fields in enumerate(uncertain_answers(sample), 1):
                yield from self._read_scores(sample, fields, extra=number)

    def _read_scores(
        self, sample: Sample, fields: Mapping[str, Any], *, extra: int = 0
    ) -> Iterator[RawScore]:
        for name in self.names or _ANSWER_SCORES:
            number = _column_number(fields, name, sample)
            if number is not None:
                self.found.add(name)
                yield RawScore(sample.id, name, number, extra=extra)


def _column_number(fields: Mapping[str, Any], name: str, sample: Sample) -> float | None:
    """Return a column as a number; a judge's verdict as 1 for right, else 0."""
    value = fields.get(name)
    if value is None and name == JUDGED and _JUDGEMENT in fields:
        return float(fields[_JUDGEMENT] == _RIGHT)
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return float(value)
    raise InvalidInput(
        f"column {name!r} of sample {sample.key} holds {value!r:.80}, no number",
        "only columns of numbers are scores",
    )
