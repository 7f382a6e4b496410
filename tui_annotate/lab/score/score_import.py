"""Import of scores from a file with sample ids, or from columns of the samples."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.keyword_names import check_field_names
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
    """A score read from a file; `where` is its location, `file:line` or `file, record N`."""

    where: str
    dataset: str
    id: str
    score: float


def score_rows(path: Path, *, id_column: str, score_columns: Sequence[str]) -> Iterator[FileScore]:
    """Yield each row's score, in constant memory; raise InvalidRecord for a row without one."""
    delimiter = _TABLES.get("".join(plain_suffixes(path)[-1:]).lower())
    rows = _read_table(path, delimiter) if delimiter else _read_objects(path)
    for where, fields in rows:
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
                f"the record is {describe_value(value.value)}, not a JSON object", where=value.where
            )
        yield value.where, value.value


def _read_table(path: Path, delimiter: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    read: list[int] = [1]
    reader = csv.DictReader(_check_lines(path, read), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            where = f"{path}:{reader.line_num}"
            if None in row or None in row.values():
                raise InvalidRecord("the row has more or fewer cells than the header", where=where)
            yield where, {name: cell for name, cell in row.items() if cell != ""}
    except csv.Error as error:
        raise InvalidRecord(str(error), where=f"{path}:{read[0]}") from error


def _check_lines(path: Path, read: list[int]) -> Iterator[str]:
    """Yield the lines of a table; store the current line number in `read`."""
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
            f"no column {id_column!r}; the columns are: {', '.join(map(repr, fields))[:300]}",
            "set the column of the sample ids with --id-column",
        )
    column = next((name for name in score_columns if name in fields), None)
    if column is None:
        raise InvalidInput(
            f"no column {' or '.join(map(repr, score_columns))}",
            "set the column of the scores with --score-column",
        )
    dataset = fields.get("dataset", "")
    return FileScore(
        where=where,
        dataset=dataset if isinstance(dataset, str) else "",
        id=parse_identifier(fields[id_column], what=id_column),
        score=_parse_number(fields[column], column),
    )


def _parse_number(value: Any, column: str) -> float:
    """Return the value of a table's cell, a number or text, as a finite number."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise InvalidInput(f"column {column!r} is {value!r:.80}, not a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(
            f"column {column!r} is {value!r:.80}, not a number",
            "remove all rows without a score from the file",
        )
    return float(value)


_ANSWER_SCORES: Final = (OVERLAP, SURPRISE, TO_ANSWER, TO_OTHERS, PROBE, REWARD, JUDGED)
_NORMALISED: Final = frozenset({OVERLAP, SURPRISE, TO_ANSWER, TO_OTHERS, PROBE})
"""Names of scores that are already normalised in files of generated answers."""
_JUDGEMENT: Final = "gpt_judgement"
_RIGHT: Final = "正确"


@check_field_names(id="id_column", score="score_column", low="lower_is_better")
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNames:
    """Names of the columns with sample ids and scores, and whether low scores are better.

    An empty `score_column` means: the column with the score's name, else the column `score`.
    """

    id_column: str = "id"
    score_column: str = ""
    lower_is_better: bool = False


def read_file_scores(
    path: Path, ids: Collection[str], *, name: str, dataset: str, options: ColumnNames
) -> Iterator[RawScore]:
    """Yield the scores in a file whose rows contain sample ids.

    Raises:
        InvalidRecord: the first invalid row: wrong dataset, unknown or repeated id, or no number.
    """
    there = set(ids)
    seen = dict[str, str]()
    columns = (options.score_column,) if options.score_column else (name, "score")
    for row in score_rows(path, id_column=options.id_column, score_columns=columns):
        if row.dataset not in ("", dataset):
            raise InvalidRecord(
                f"the row belongs to dataset {row.dataset!r}, not {dataset!r}", where=row.where
            )
        if row.id not in there:
            raise InvalidRecord(
                f"dataset {dataset!r} has no sample {row.id!r}",
                suggest_word(row.id, ids),
                where=row.where,
            )
        if (before := seen.setdefault(row.id, row.where)) != row.where:
            raise InvalidRecord(
                f"duplicate score of sample {row.id!r}: already read at {before}", where=row.where
            )
        yield RawScore(row.id, name, row.score)


@dataclass(slots=True)
class ColumnScores:
    """Scores from metadata columns; `found`, those that any sample has, is complete at the end."""

    reader: DatasetReader
    names: tuple[str, ...]
    generated: bool
    found: set[str] = field(default_factory=set)

    @property
    def maker(self) -> str:
        """Name of the run's maker; samples of generated answers have their own."""
        return "import:generations" if self.generated else "import:columns"

    @property
    def before(self) -> list[str]:
        """Names of the scores whose values were already normalised before they were imported."""
        return sorted(_NORMALISED & self.found) if self.generated else []

    @property
    def low(self) -> frozenset[str]:
        """Names of the imported scores whose low values are known to be better."""
        return frozenset({SURPRISE} & self.found)

    def scores(self) -> Iterator[RawScore]:
        """Yield the scores of each sample, then of the question's further answers in the sample."""
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
    """Return a column's value as a number; a judge's verdict gives 1 for right, 0 for others."""
    value = fields.get(name)
    if value is None and name == JUDGED and _JUDGEMENT in fields:
        return float(fields[_JUDGEMENT] == _RIGHT)
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return float(value)
    raise InvalidInput(
        f"column {name!r} of sample {sample.key} holds {value!r:.80}, not a number",
        "import only columns that contain numbers",
    )
