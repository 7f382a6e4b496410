"""Project rule: all code that applies the rules of labels knows each rule of them.

A new field of `Label` fails the first test until it is in `RULES`, `APPEARANCE` or `OTHER`. As a
rule, it then fails here for each place that applies the other rules but not this one. CONTRIBUTING
describes the steps in "A label attribute".
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import pytest

from tui_annotate.cli import labels as label_commands
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidLabels
from tui_annotate.domain.label_changes import find_broken_rules, is_stricter
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import Label, LabelTree
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.relabel import editing

PACKAGE: Final = Path(__file__).parents[2] / "tui_annotate"
ODD: Final = ("Odd",)
PLAIN: Final = Annotation(id="a", claim=(Anchor(Side.SUMMARY, 0, Span(0, 4)),), labels=(ODD,))

RULES: Final[Mapping[str, tuple[str, Annotation]]] = {
    "evidence": ("none", replace(PLAIN, evidence=(Anchor(Side.SOURCE, 0, Span(0, 3)),))),
    "note": ("none", replace(PLAIN, note="another number")),
    "exclusive": ("true", replace(PLAIN, labels=(ODD, ("Fine",)))),
}
"""Rules: a value in a file, and an annotation with the label `Odd` that breaks the rule."""
APPEARANCE: Final = {"color": "red"}
"""What changes without a conflict, and a value of it in a file."""
OTHER: Final = {"path", "description", "key", "children", "retired", "split"}

NOT_READ: Final[Mapping[str, set[str]]] = {
    "domain/labels.py:check_overlap": {"evidence", "note"},
    "domain/labels.py:requires": {"exclusive"},
    "editor/save_results.py:wants_note": {"evidence", "exclusive"},
    "editor/label_actions.py:_find_problem": {"exclusive"},
    "editor/label_actions.py:_toggle_label": {"evidence", "note"},
    "editor/label_actions.py:conflicting_label_reason": {"evidence", "note"},
    "editor/label_actions.py:label": {"exclusive", "note"},
    "editor/notes.py:write": {"evidence", "exclusive"},
    "editor/suggestion_actions.py:_find_problem": {"exclusive", "note"},
    "lab/judge/proposals.py:locate_proposals": {"exclusive", "note"},
    "services/status.py:_lacking_findings": {"exclusive"},
}
"""Functions that read rules of a label, and the other rules that they leave out on purpose."""

LABELS: Final = {"label", "found", "other", "after", "each"}
"""Names of variables with a label, in the functions that read rules."""

each_rule = pytest.mark.parametrize("name", RULES)


def read_set(name: str = "", value: str = "") -> LabelTree:
    """A label set in which `Odd` may have one attribute more."""
    return parse_labels(_write_set(name, value))


def _write_set(name: str, value: str) -> str:
    attribute = f", {name}: {value}" if name else ""
    return f"- {{name: Odd{attribute}, children: [Inner]}}\n- Fine\n"


def test_each_field_is_a_rule_an_appearance_or_neither() -> None:
    assert {each.name for each in fields(Label)} == {*RULES, *APPEARANCE, *OTHER}


@each_rule
def test_rules_are_read_and_inherited(name: str) -> None:
    """A child label has its parent's rule, and so has a label into which the label is split."""
    value, _ = RULES[name]
    tree = read_set(name, value)
    rules = {label.path: getattr(label, name) for label in tree.walk()}
    assert rules[ODD] == rules["Odd", "Inner"] != rules["Fine",]
    text = editing.split(f"- {{name: Odd, {name}: {value}}}\n- Fine\n", ODD, [("New",)])
    part = parse_labels(text).find(("New",))
    assert part is not None
    assert getattr(part, name) == rules[ODD]


@each_rule
def test_rules_are_checked(name: str) -> None:
    """A save checks them, and so does a change of the label set, which differs in meaning."""
    value, against = RULES[name]
    plain, tree = read_set(), read_set(name, value)
    plain.check(against)
    with pytest.raises(InvalidLabels):
        tree.check(against)
    assert [path for path, _ in find_broken_rules(against, tree)] == [ODD]
    assert not tree.means(plain)
    assert is_stricter(plain, tree)
    assert not is_stricter(plain, plain)


@each_rule
def test_rules_are_printed(name: str) -> None:
    """`labels list` prints them, as fields of JSON and as text."""
    label = read_set(name, RULES[name][0]).find(ODD)
    assert label is not None
    assert name in label_commands.PrintedLabel.__annotations__
    assert name in label_commands._describe_rules(label)


@pytest.mark.parametrize("name", APPEARANCE)
def test_appearance_causes_no_conflict(name: str) -> None:
    assert read_set(name, APPEARANCE[name]).means(read_set())


def test_places_that_read_rules_read_all_of_them() -> None:
    """A function that reads one rule reads all, or `NOT_READ` lists it."""
    missing = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef) and (read := _read_rules(function)):
                missing[f"{path.relative_to(PACKAGE)}:{function.name}"] = RULES.keys() - read
    wrong = [
        f"{where} leaves out {', '.join(sorted(missing.get(where, ()))) or 'nothing'}"
        for where in sorted({*missing, *NOT_READ})
        if missing.get(where) != NOT_READ.get(where, set())
    ]
    assert wrong == []


def _read_rules(function: ast.FunctionDef) -> set[str]:
    """Return the rules that a function reads, if it compares requirements or reads `exclusive`."""
    nodes = list(ast.walk(function))
    read = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in LABELS
        and node.attr in RULES
    }
    compares = any(isinstance(node, ast.Name) and node.id == "Requirement" for node in nodes)
    return read if compares or "exclusive" in read else set()
