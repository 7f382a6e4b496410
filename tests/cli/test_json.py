"""--json: one value, of names that the manual explains."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.conftest import Command
from tests.helpers.terminal import ROOT

SHAPES = [
    ["status"],
    ["audit", "head"],
    ["audit", "verify"],
    ["backup", "create"],
    ["audit", "snapshots", "create", "first"],
    ["audit", "snapshots", "list"],
    ["guidelines", "list"],
    ["messages", "questions", "list"],
    ["messages", "announcements", "list"],
    ["assignments", "list"],
    ["users", "list", "--all"],
    ["datasets", "list"],
    ["datasets", "show", "pairs"],
    ["doctor"],
    ["export", "--to", "csv", "-o", "out.csv"],
    ["report", "-o", "out.html"],
    ["audit", "snapshots", "replay", "--at", "2099-01-01", "-o", "then.jsonl"],
    ["suggestions", "hide", "--dataset", "pairs"],
    ["annotate", "--list-keys"],
    ["labels", "check"],
    ["labels", "list"],
    ["labels", "history"],
    ["labels", "rename", "Benign", "Fine", "--dry-run"],
    ["labels", "normalize", "--dry-run"],
    ["ingest", "pairs.jsonl", "--dry-run"],
    ["lab", "match", "--sample", "bridge", "--side", "summary", "--span", "0:10"],
    ["lab", "assist", "evaluate", str(ROOT / "sample_data" / "gold.json"), "--embedder", "none"],
]


def names(value: object) -> set[str]:
    """All keys of a JSON value, except those of signals and of losses, which other pages list."""
    if isinstance(value, list):
        return {name for each in value for name in names(each)}
    if isinstance(value, dict):
        inner = (
            names(each)
            for name, each in value.items()
            if name not in {"signals", "lost", "problem_kinds"}
        )
        return set(value).union(*inner)
    return set()


@pytest.mark.parametrize("words", SHAPES, ids=" ".join)
def test_json_is_one_value_with_documented_names(words: list[str], annotated: Command) -> None:
    """What is printed with --json is one JSON value, each of whose names stands in the manual."""
    manual = (ROOT / "docs" / "json.md").read_text("utf-8")
    shown = json.loads(annotated(*words, "--json").out)
    assert [name for name in names(shown) if not re.search(rf'[`"]{name}[`"]', manual)] == []
