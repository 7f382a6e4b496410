"""Rows of files as what is counted of them; and the same rows with the metric's verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.positions import (
    ANSWER,
    ERROR,
    VERDICT,
    Case,
    Row,
    Task,
    answers,
    gold_position,
    identity,
    size,
    task,
)
from tui_annotate.methods.position import Rules, empty_golds, scored
from tui_annotate.services.position.files import Placed, at, rows, write


def cases_of(paths: Sequence[Path], rules: Rules) -> Callable[[], Iterator[Case]]:
    """The answers in some files; each call reads them anew. An empty file has none.

    Raises:
        InvalidRecord: a row can not be read, or holds neither an answer nor why it has none.
    """

    def found() -> Iterator[Case]:
        for path in paths:
            for placed in rows(path, some=False):
                yield case_of(placed, rules, file=str(path))

    return found


def case_of(placed: Placed, rules: Rules, *, file: str = "") -> Case:
    """A row as what is counted of it.

    Raises:
        InvalidRecord: as `cases_of`.
    """
    where, row = placed
    with at(where):
        _need_answer(row)
        right = answers(row) if task(row) is Task.QA else ()
        word, model = row.get(VERDICT), row.get("model")
        return Case(
            task=task(row),
            position=gold_position(row),
            size=size(row),
            identity=identity(row),
            score=scored(row, rules=rules),
            answered=isinstance(row.get(ANSWER), str),
            model=model if isinstance(model, str) else "",
            verdict=word if isinstance(word, str) else None,
            judged=VERDICT in row,
            empty_golds=empty_golds(right),
            file=file,
        )


def _need_answer(row: Row) -> None:
    said = row.get(ANSWER)
    if isinstance(said, str) or (ERROR in row and said is None):
        return
    what = "has no model_answer" if ANSWER not in row else "has a model_answer that is no text"
    raise InvalidInput(f"the row {what}", "position run asks a model, and writes it")


def write_scored(paths: Sequence[Path], target: TextIO, rules: Rules) -> int:
    """Writes each row with the metric's verdict, null where it has no answer; how many."""
    count = 0
    for path in paths:
        for placed in rows(path, some=False):
            case = case_of(placed, rules)
            write({**placed.row, case.task.metric: case.score}, target)
            count += 1
    return count
