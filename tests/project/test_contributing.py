"""Project rules about CONTRIBUTING: what it names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT, ROOT / "tui_annotate", ROOT / "tui_annotate" / "tui")
PATH = re.compile(r"`(?P<path>[a-z_.]+(?:/[a-z_.]+)+)`")
NAME = re.compile(r"`(?P<name>[A-Za-z_]\w*(?:\.(?!(?:py|toml|txt)`)[A-Za-z_]\w*)*)(?:\([^`]*\))?`")
NOT_DEFINED = {"sh", "console", "Screen", "TUI_ANNOTATE_SHARED", "importers", "exporters"}
"""Words in code style that no module defines: languages, a class of Textual, groups of plug-ins."""


def test_every_path_exists() -> None:
    """Each path of files and packages, from the repository's root, the package or its screen."""
    named = {at["path"] for at in PATH.finditer((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}
    assert len(named) > 30
    missing = [
        name
        for name in sorted(named)
        if not any((folder / end).exists() for folder in FOLDERS for end in (name, f"{name}.py"))
    ]
    assert missing == []


def _defined(path: Path) -> Iterator[str]:
    """The names that a module defines: classes, functions, parameters, variables and fields."""
    yield path.parent.name if path.stem == "__init__" else path.stem
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def test_every_name_exists() -> None:
    """Each class, function, field and module, wherever in the package or its tests it is."""
    named = {at["name"] for at in NAME.finditer((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}
    assert len(named) > 30
    known = {
        name
        for folder in ("tui_annotate", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for name in _defined(path)
    }
    missing = [name for name in named - NOT_DEFINED if not known.issuperset(name.split("."))]
    assert sorted(missing) == []
