"""Project rule: what a docstring lists under "Attributes:" is a member of the class."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "tui_annotate"
ENTRY = re.compile(r"^ {4}(?P<names>[a-z_]+(?:, [a-z_]+)*): ", re.MULTILINE)


def test_documented_attributes_exist() -> None:
    """In the class itself or in one of its ancestors of this package, by name."""
    classes = {
        (path, node.name): node
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    by_name: dict[str, set[str]] = {}
    for (_, name), node in classes.items():
        by_name.setdefault(name, set()).update(_members(node))
    wrong = []
    for (path, name), node in classes.items():
        known = set(_members(node))
        for base in _ancestors(node, classes):
            known |= by_name.get(base, set())
        wrong += [
            f"{path.relative_to(PACKAGE)}: {name}.{each}"
            for each in _documented(node)
            if each not in known
        ]
    assert wrong == []


def _documented(node: ast.ClassDef) -> list[str]:
    _, found, rest = (ast.get_docstring(node) or "").partition("\nAttributes:\n")
    section = re.split(r"\n(?=\S)", rest)[0] if found else ""
    return [name for at in ENTRY.finditer(section) for name in at["names"].split(", ")]


def _members(node: ast.ClassDef) -> list[str]:
    found = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
    for each in ast.walk(node):
        if isinstance(each, ast.AnnAssign | ast.Assign):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            for target in targets:
                for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(one, ast.Name):
                        found.append(one.id)
                    elif isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self":
                        found.append(one.attr)
    return found


def _ancestors(node: ast.ClassDef, classes: dict[tuple[Path, str], ast.ClassDef]) -> list[str]:
    found = [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]
    for (_, name), other in classes.items():
        if name in found and other is not node:
            found += [each for each in _ancestors(other, classes) if each not in found]
    return found
