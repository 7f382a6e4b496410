"""Project rules about the sources that no linter checks."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tui_annotate.domain import errors

ROOT = Path(__file__).parents[2]
# Folders of somebody's machine; a reader of the project has others.
PLACES = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")
TEXTS = {".py", ".md", ".toml", ".txt", ".yaml", ".tcss", ".cfg"}


def sources(*folders: str) -> list[Path]:
    """All Python files of some folders of the repository."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def program() -> list[Path]:
    """The package without its migrations, which are records of what was."""
    return [path for path in sources("tui_annotate") if "migrations" not in path.parts]


def named(path: Path) -> str:
    """A file as pytest names it."""
    return str(path.relative_to(ROOT))


def test_every_module_has_a_docstring() -> None:
    """Every module that holds code opens with a docstring."""
    paths = [*program(), *sources("benchmarks", "tests")]
    undocumented = [
        named(path)
        for path in paths
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert undocumented == []


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


def test_a_known_module_is_imported_by_a_statement() -> None:
    """`import_module` with a fixed name would hide an import from the contracts on imports."""
    hidden = [
        f"{named(path)}:{node.lineno}"
        for path in sources("tui_annotate")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) == "import_module"
        and isinstance(node.args[0], ast.Constant)
    ]
    assert hidden == []
