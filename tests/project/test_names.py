"""Names of classes and modules: each says what it is of, and is used once."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.project.test_sources import ROOT, program

# Participles, adverbs and pronouns: they say that something happened, not what a thing is.
DENIED = {
    "about", "again", "ahead", "alone", "apart", "around", "asked", "became", "because",
    "before", "began", "begun", "beside", "beyond", "bound", "dealt", "done", "found", "given",
    "gone", "got", "held", "here", "how", "kept", "left", "made", "meant", "said", "seen",
    "shown", "standing", "taken", "there", "together", "told", "when", "whole",
}  # fmt: skip


def classes() -> Iterator[tuple[str, str, bool]]:
    """(name, place, whether it stands at the level of its module) of each public class."""
    for path in program():
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, f"{path.relative_to(ROOT)}:{node.lineno}", node in tree.body


def test_no_two_classes_share_a_name() -> None:
    """A message that stands in its widget's class is called by both names, as in Textual."""
    places = defaultdict(list)
    for name, place, is_top in classes():
        if is_top:
            places[name].append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_class_is_a_riddle() -> None:
    """Classes are noun phrases."""
    assert [f"{place}: {name}" for name, place, _ in classes() if name.lower() in DENIED] == []


def test_no_module_is_a_riddle() -> None:
    """Modules are nouns for what they define."""
    assert [str(path.relative_to(ROOT)) for path in program() if path.stem in DENIED] == []
