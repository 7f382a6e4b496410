"""Problems and errors tell where and what."""

from __future__ import annotations

import re
from inspect import cleandoc

from tui_annotate.domain import errors
from tui_annotate.domain.errors import InvalidRecord, TuiAnnotateError
from tui_annotate.domain.records import Problem


def test_a_problem_reads_as_its_place_and_message() -> None:
    """One line, which an editor can jump to."""
    assert str(Problem("pairs.csv:3", "no summary")) == "pairs.csv:3: no summary"


def test_an_error_of_a_record_names_its_place() -> None:
    """The place stands before the message, where it is known."""
    assert InvalidRecord("no summary", where="pairs.csv:3").message == "pairs.csv:3: no summary"
    assert InvalidRecord("no summary").message == "no summary"


def tree(error: type[TuiAnnotateError], depth: int = 0) -> list[tuple[int, str, int]]:
    """An error and all under it: how deep, name, exit code."""
    rows = [(depth, error.__name__, error.exit_code)]
    for child in error.__subclasses__():
        if child.__module__ == errors.__name__:
            rows += tree(child, depth + 1)
    return rows


def test_the_tree_in_the_docstring_is_the_real_one() -> None:
    """Names, order, depth and exit codes as they are drawn; a code holds for what is below."""
    drawn = []
    codes: dict[int, int] = {}
    for line in cleandoc(errors.__doc__ or "").splitlines():
        found = re.match(r"([│├└─ ]*)(\w+)(?: +exit (\d))?$", line)
        if found:
            depth = len(found[1]) // 4
            codes[depth] = int(found[3]) if found[3] else codes.get(depth - 1, 1)
            drawn.append((depth, found[2], codes[depth]))
    assert drawn == tree(TuiAnnotateError)
