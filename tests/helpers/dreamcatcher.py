"""Values that the project Dreamcatcher gave, and its files, from the folder of real data."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tui_annotate.plugins.scoring import GeneratedAnswers

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))


def golden(name: str) -> Any:
    """A file of golden values; skips the test where there is none."""
    path = SHARED / "golden" / "dreamcatcher" / f"{name}.json"
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with golden values")
    return json.loads(path.read_text("utf-8"))


def data(name: str) -> Path:
    """A file of the project; skips the test where there is none."""
    path = SHARED / "data" / "dreamcatcher" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with generations")
    return path


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file of the project."""
    return [json.loads(line) for line in data(name).read_text("utf-8").splitlines()]


def texts(row: dict[str, Any], kind: str) -> tuple[str, ...]:
    """The texts of a row's generations of a type."""
    return tuple(each["text"] for each in row["generation"] if each["type"] == kind)


def question(row: dict[str, Any], language: str) -> GeneratedAnswers:
    """A row as scorers take it."""
    return GeneratedAnswers(
        question=row["question"],
        answer=str(row["answer"]),
        texts=texts(row, "normal"),
        extras=texts(row, "uncertainty"),
        language=language,
    )
