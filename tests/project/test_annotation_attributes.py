"""Project rule: all code that copies an annotation's content knows each attribute of it.

A new field of `Annotation` fails the first test until it is in `CONTENT` or in `BOOKKEEPING`. As
content, it then fails here for each place that reads the other attributes but not this one.
CONTRIBUTING describes the steps in "An attribute of an annotation".
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.stores import sample
from tui_annotate.domain import work_changes
from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    annotation_from_json,
    annotation_to_json,
    has_same_content,
    normalize_annotation,
)
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion, suggestion_from_json, suggestion_to_json
from tui_annotate.methods.adjudication import group_candidates
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportReport
from tui_annotate.plugins.traits import FormatTraits

PACKAGE: Final = Path(__file__).parents[2] / "tui_annotate"
SAMPLE: Final = sample("1", source="Ten people came.", summary="Nine of ten came.")
PLAIN: Final = Annotation(
    id="a", claim=(Anchor(Side.SUMMARY, 0, Span(0, 4)),), labels=(("Extrinsic",),)
)

CONTENT: Final[Mapping[str, Any]] = {
    "claim": (Anchor(Side.SUMMARY, 0, Span(0, 4)), Anchor(Side.SUMMARY, 0, Span(8, 11))),
    "evidence": (Anchor(Side.SOURCE, 0, Span(0, 3)),),
    "labels": (("Extrinsic", "Invented"),),
    "note": "another number",
}
"""What an annotator decides: of each attribute a value that `PLAIN` does not have."""
BOOKKEEPING: Final = {
    "id", "origin", "version", "number", "label_set", "guidelines", "created", "updated",
    "imported", "trace", "settled", "suggested",
}  # fmt: skip
"""What the program adds to the content."""

NOT_READ: Final[Mapping[str, set[str]]] = {
    "domain/annotations.py:normalize_annotation": {"labels"},
    "domain/suggestions.py:with_id": {"note"},
    "domain/suggestions.py:take_suggestion": {"note"},
    "domain/suggestions.py:_content_of": {"note"},
    "editor/label_set_change.py:apply_change": {"labels"},
    "editor/save_results.py:_is_same_as_draft": {"labels"},
    "editor/suggestion_actions.py:reopen_suggestion": {"claim"},
    "editor/suggestion_answers.py:to_annotation": {"note"},
    "editor/view/words.py:describe_annotation": {"labels"},
    "plugins/joined_texts.py:annotation": {"labels"},
    "services/suggestions/__init__.py:_parse_suggestion": {"note"},
    "storage/assignments/gold_results.py:_content": {"note"},
    "tui/screens/view/rows.py:_annotation_row": {"note"},
}
"""Functions that read at least three attributes, and the others that they leave out on purpose."""

each_attribute = pytest.mark.parametrize("name", CONTENT)


def test_each_field_is_content_or_bookkeeping() -> None:
    assert {each.name for each in fields(Annotation)} == {*CONTENT, *BOOKKEEPING}


def test_plain_annotations_keep_their_bytes() -> None:
    """A new attribute is written only if it has a value, so that hashes of old events stay."""
    assert list(annotation_to_json(PLAIN)) == [
        "id", "number", "labels", "claim", "evidence", "note", "origin", "version", "label_set",
        "guidelines", "created", "updated", "imported",
    ]  # fmt: skip


@each_attribute
def test_content_is_stored_and_compared(name: str) -> None:
    """JSON, the check before a save and the comparisons of two annotations."""
    changed = replace(PLAIN, **{name: CONTENT[name]})
    assert annotation_from_json(annotation_to_json(changed)) == changed
    assert normalize_annotation(changed, SAMPLE) == changed
    assert not has_same_content(changed, PLAIN)
    assert name in work_changes.CONTENT


@each_attribute
def test_content_is_suggested(name: str) -> None:
    """A model can suggest the attribute."""
    parts = {"id": "s", "maker": "m", "run": "r", "claim": PLAIN.claim, name: CONTENT[name]}
    suggestion = Suggestion(**parts)
    assert suggestion_from_json(suggestion_to_json(suggestion)) == suggestion


@each_attribute
def test_content_is_reviewed(name: str) -> None:
    """A candidate of the review has the annotator's value."""
    changed = replace(PLAIN, **{name: CONTENT[name]})
    (group,) = group_candidates(SAMPLE, {"ana": [changed]})
    assert getattr(group.candidates[0], name) == CONTENT[name]


@each_attribute
def test_lost_content_is_counted(name: str) -> None:
    """A format that carries nothing reports the loss of the attribute."""
    assert _count_losses(replace(PLAIN, **{name: CONTENT[name]})) != _count_losses(PLAIN)


def _count_losses(annotation: Annotation) -> Mapping[str, int]:
    report = ExportReport()
    record = Record(SAMPLE, (OwnedAnnotation("ana", annotation),))
    LossCounter(FormatTraits(title="a format", carried={}), report).count(record)
    return report.lost


def test_places_that_read_content_read_all_of_it() -> None:
    """Whoever reads three attributes reads all, or `NOT_READ` lists the function."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        for function, missing in _incomplete_reads(ast.parse(path.read_text("utf-8"))):
            found[f"{path.relative_to(PACKAGE)}:{function}"] |= missing
    wrong = [
        f"{where} leaves out {', '.join(sorted(found[where]))}"
        for where in sorted({*found, *NOT_READ})
        if found[where] != NOT_READ.get(where, set())
    ]
    assert wrong == []


def _incomplete_reads(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Yield functions with the attributes that one of their calls, dictionaries or lists lacks."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                for read in _read_attributes(node).values():
                    if len(read) >= 3 and (missing := CONTENT.keys() - read):
                        yield function.name, missing


def _read_attributes(node: ast.AST) -> Mapping[str, set[str]]:
    """Return which attributes the parts of an expression read, by the name of the variable."""
    match node:
        case ast.Call(args=args, keywords=keywords):
            parts = [*args, *[each.value for each in keywords]]
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case _:
            return {}
    read: defaultdict[str, set[str]] = defaultdict(set)
    for part in parts:
        for inner in ast.walk(part):
            match inner:
                case ast.Attribute(value=ast.Name(id=variable), attr=attribute):
                    if attribute in CONTENT:
                        read[variable].add(attribute)
    return read
