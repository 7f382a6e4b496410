"""Files of position studies made: the same rows with the answer at each place that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.positions import Task, gold_position, places, size, task
from tui_annotate.methods.position_making import (
    drawn,
    key_value_at,
    key_value_row,
    oracle_row,
    question_rows,
)
from tui_annotate.plugins.files.targets import output
from tui_annotate.services.position.files import (
    Placed,
    at,
    ending,
    into,
    is_file_of_rows,
    write,
)

FEWEST: Final = 2
"""Passages or pairs of a prompt; with one alone there are no places to compare."""

Put = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Made:
    """What was made.

    Attributes:
        files: as they are named, in the order in which they were begun.
        rows: in all of them.
    """

    files: tuple[Path, ...]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rows are wanted of each question.

    Attributes:
        documents: passages in all, at least 2.
        gold_at: the places of the gold one, as `domain.positions.places` reads them.
        oracle: the gold passage alone, in place of all that.
        seed: shuffles the distractors; None keeps the retriever's order.
    """

    documents: int = FEWEST
    gold_at: str = "0"
    oracle: bool = False
    seed: int | None = None


def questions(rows: Iterable[Placed], target: Path, wanted: Wanted, *, name: Path) -> Made:
    """Writes each question with its gold passage at each place.

    Args:
        target: a folder, for a file each place; or one file, which its name says, for all of them.
        name: of the input; files in a folder are called after it, and packed as it is.

    Raises:
        InvalidInput: fewer than two documents, or a place that is none.
        InvalidRecord: a row is of another task, or has too few distractors.
    """
    if not wanted.oracle and wanted.documents < FEWEST:
        raise InvalidInput(f"{wanted.documents} documents are too few", f"at least {FEWEST}")
    stands = (0,) if wanted.oracle else places(wanted.gold_at, wanted.documents)
    kind = "oracle" if wanted.oracle else f"{wanted.documents}-documents"
    named = _Names(name, kind, with_place=not wanted.oracle)
    with _writing(target, named) as put:
        for number, (where, row) in enumerate(rows):
            with at(where):
                if task(row) is not Task.QA:
                    raise InvalidInput("the row is no question over passages", "use make-kv")
                if wanted.oracle:
                    put.row(oracle_row(row))
                    continue
                order = None if wanted.seed is None else drawn(wanted.seed, str(number))
                for made in question_rows(row, count=wanted.documents, places=stands, order=order):
                    put.row(made)
    return put.made()


def lookups(rows: Iterable[Placed], target: Path, gold_at: str, *, name: Path) -> Made:
    """Writes each key-value row with its pair at each place; where none is named, as it stands.

    Raises:
        InvalidInput: a place that is none.
        InvalidRecord: a row is of another task, or the place is beyond its pairs.
    """
    with _writing(target, _Names(name, "", with_place=bool(gold_at))) as put:
        for where, row in rows:
            with at(where):
                if task(row) is not Task.KV:
                    raise InvalidInput("the row is no key over pairs", "use make-qa")
                for place in places(gold_at, size(row)) if gold_at else ():
                    put.row(key_value_at(row, place))
                if not gold_at:
                    put.row(row)
    return put.made()


def drawn_lookups(keys: int, examples: int, *, seed: int) -> Iterator[Placed]:
    """New key-value rows; one is the same however many are asked for.

    Raises:
        InvalidInput: fewer than two keys, or no example.
    """
    if keys < FEWEST:
        raise InvalidInput(f"{keys} keys are too few", f"at least {FEWEST}")
    if examples < 1:
        raise InvalidInput(f"{examples} examples are too few", "at least 1")
    for number in range(examples):
        yield Placed(f"example {number}", key_value_row(keys, drawn(seed, str(number))))


class _Names:
    """What the files of a folder are called."""

    def __init__(self, source: Path, kind: str, *, with_place: bool) -> None:
        stem = source.name.lstrip(".").split(".", 1)[0]
        self._start = "-".join(filter(None, (stem, kind)))
        self._ending = ending(source)
        self._with_place = with_place

    def of(self, row: dict[str, Any]) -> str:
        place = f"-gold-at-{gold_position(row)}" if self._with_place else ""
        return f"{self._start}{place}{self._ending}"


class _Put:
    """Where rows are put."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self._rows = 0
        self.files: list[Path] = []

    def row(self, row: dict[str, Any]) -> None:
        self._put(row)
        self._rows += 1

    def made(self) -> Made:
        return Made(tuple(self.files), self._rows)


@contextmanager
def _writing(target: Path, names: _Names) -> Iterator[_Put]:
    if is_file_of_rows(target):
        with output(target) as file:
            put = _Put(lambda row: write(row, file))
            put.files.append(target)
            yield put
        return
    with into(target) as files:
        put = _Put(lambda row: write(row, files.file(names.of(row))))
        yield put
        put.files.extend(target / name for name in files.names)
