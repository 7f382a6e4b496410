"""Scores that others made: of a file by the ids of samples, or of columns of the samples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.nearest import meant
from tui_annotate.domain.samples import Sample
from tui_annotate.methods.ranking import (
    AMONG,
    JUDGED,
    OVERLAP,
    PROBE,
    REWARD,
    SURPRISE,
    TO_ANSWER,
)
from tui_annotate.plugins.generated import extras
from tui_annotate.plugins.score_files import ScoreRow, score_rows
from tui_annotate.services.score.reading import Reader
from tui_annotate.services.score.values import Raw

_OF_ANSWERS: Final = (OVERLAP, SURPRISE, TO_ANSWER, AMONG, PROBE, REWARD, JUDGED)
_BEFORE: Final = frozenset({OVERLAP, SURPRISE, TO_ANSWER, AMONG, PROBE})
"""What files of generated answers hold as values over the whole file."""
_JUDGEMENT: Final = "gpt_judgement"
_RIGHT: Final = "正确"
"""What a judge of generated answers says of a right one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where the rows of a file hold what is needed.

    Attributes:
        score: default: the score's own name, else `score`.
        low: whether a low score is the better one.
    """

    id: str = "id"
    score: str = ""
    low: bool = False


def of_file(
    path: Path, ids: Collection[str], *, name: str, dataset: str, options: Columns
) -> Iterator[Raw]:
    """The scores of a file, in its order.

    Args:
        ids: of the samples that there are.

    Raises:
        InvalidRecord: at the first row that is wrong.
        NotFound, InvalidInput, Unavailable: the file can not be read.
    """
    there, seen = set(ids), dict[str, str]()
    for row in score_rows(path, id_column=options.id, score_columns=_columns(name, options)):
        if row.dataset not in ("", dataset):
            raise InvalidRecord(
                f"it is of dataset {row.dataset!r}, not {dataset!r}", where=row.where
            )
        if row.id not in there:
            raise InvalidRecord(
                f"dataset {dataset!r} has no sample {row.id!r}", meant(row.id, ids), where=row.where
            )
        if (before := seen.setdefault(row.id, row.where)) != row.where:
            raise InvalidRecord(
                f"sample {row.id!r} was scored at {before} already", where=row.where
            )
        yield _raw(row, name)


def _columns(name: str, options: Columns) -> tuple[str, ...]:
    return (options.score,) if options.score else (name, "score")


def _raw(row: ScoreRow, name: str) -> Raw:
    return Raw(row.id, name, row.score)


@dataclass(slots=True)
class OfColumns:
    """The scores that a dataset's samples came with.

    Attributes:
        names: of the columns; empty for those that are known as scores of answers.
        found: those that any sample has; complete once all were read.
        generated: whether they came in a file of generated answers.
    """

    reader: Reader
    names: tuple[str, ...]
    generated: bool
    found: set[str] = field(default_factory=set)

    @property
    def maker(self) -> str:
        """Whose run it is."""
        return "import:generations" if self.generated else "import:columns"

    @property
    def before(self) -> list[str]:
        """Names of those that were normalised before they came."""
        return sorted(_BEFORE & self.found) if self.generated else []

    @property
    def low(self) -> frozenset[str]:
        """Names of those of which a low value is the better one, as far as that is known."""
        return frozenset({SURPRISE} & self.found)

    def scores(self) -> Iterator[Raw]:
        """All of them, in the samples' order; then those of a group's extras, with its first."""
        for sample in self.reader.samples():
            yield from self._of(sample, sample.meta)
            for number, fields in enumerate(extras(sample), 1):
                yield from self._of(sample, fields, extra=number)

    def _of(self, sample: Sample, fields: Mapping[str, Any], *, extra: int = 0) -> Iterator[Raw]:
        for name in self.names or _OF_ANSWERS:
            number = _number(fields, name, sample)
            if number is not None:
                self.found.add(name)
                yield Raw(sample.id, name, number, extra=extra)


def of_columns(reader: Reader, names: Sequence[str]) -> OfColumns:
    """The scores that a dataset's samples came with; nothing is read yet."""
    return OfColumns(reader, tuple(names), reader.has_answers())


def _number(fields: Mapping[str, Any], name: str, sample: Sample) -> float | None:
    """A column as a number; a judge's word as 1 for right and 0 for all else.

    Raises:
        InvalidInput: it holds something else.
    """
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
