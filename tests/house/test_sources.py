"""Rules about the sources that no linter knows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_annotate.domain import errors

ROOT = Path(__file__).parents[2]
LONGEST_MODULE = 300
LONGEST_FUNCTION = 60
USUAL_FUNCTION = 30
# Folders of somebody's machine; a reader of the project has others.
PLACES = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")
TEXTS = {".py", ".md", ".toml", ".txt", ".yaml", ".tcss", ".cfg"}


def sources(*folders: str) -> list[Path]:
    """All Python files of some folders of the repository."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def program() -> list[Path]:
    """The package without its migrations, which are records of what was."""
    return [path for path in sources("tui_annotate") if "migrations" not in path.parts]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """(name, lines) of every function of a file, docstring and signature counted."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path.name}:{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def named(path: Path) -> str:
    """A file as pytest names it."""
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [*program(), *sources("benchmarks", "tests")], ids=named)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    """Every module that holds code opens with a docstring of one sentence."""
    text = path.read_text("utf-8")
    first = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    assert not text.strip() or first


@pytest.mark.parametrize("path", program(), ids=named)
def test_a_module_stays_short(path: Path) -> None:
    """No module of the package is longer than 300 lines, no function longer than 60."""
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= LONGEST_MODULE
    assert [each for each in functions(path) if each[1] > LONGEST_FUNCTION] == []


def test_most_functions_are_short() -> None:
    """Nineteen functions of twenty have at most 30 lines."""
    lengths = [length for path in program() for _, length in functions(path)]
    short = sum(length <= USUAL_FUNCTION for length in lengths)
    assert short / len(lengths) >= 0.95


def test_no_text_names_a_machine() -> None:
    """No file of the repository holds a path of the machine it was written on."""
    folders = ("tui_annotate", "tests", "benchmarks", "docs", "sample_data", ".ci")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    files += [path for path in ROOT.iterdir() if path.is_file()]
    found = [
        named(path)
        for path in files
        if path.is_file()
        and (path.suffix in TEXTS or path.name in {"Makefile", "run"})
        and path != Path(__file__)
        and PLACES.search(path.read_text("utf-8"))
    ]
    assert found == []


def test_the_drawn_tree_of_errors_is_the_real_one() -> None:
    """The docstring of domain.errors draws the classes, their parents and their exit codes."""
    drawn: dict[str, str] = {}
    line_of_parents = ["Exception"]
    for line in (errors.__doc__ or "").splitlines()[2:]:
        drawing = line.lstrip("│├└─ ")
        depth = (len(line) - len(drawing)) // 4 + 1
        name, _, exit_code = drawing.partition(" ")
        line_of_parents[depth:] = [name]
        drawn[name] = line_of_parents[depth - 1]
        if exit_code:
            assert exit_code.split() == ["exit", str(getattr(errors, name).exit_code)]
    real = {
        each.__name__: each.__bases__[0].__name__
        for each in vars(errors).values()
        if isinstance(each, type)
    }
    assert drawn == real
