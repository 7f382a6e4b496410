"""Questions whose contexts are all among the first k: their overlap is 1 for every order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.printed_numbers import printed_numbers
from tui_annotate.cli import output
from tui_annotate.lab.judge.command_runs import describe_sorted
from tui_annotate.lab.judge.context_order import ContextOrderResult
from tui_annotate.lab.judge.rows import QuestionRow


def test_an_overlap_of_all_contexts_is_reported_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two of three questions have no more than k contexts: their overlap of 1 says nothing."""
    common: dict[str, Any] = {"good": None, "bad": None, "spearman": None}
    row = QuestionRow(question="q?", contexts=("a", "b", "c"))
    found = [
        ContextOrderResult(row=row, sorted=(2, 1, 0), sim=0.5, overlap=(1,), **common),
        ContextOrderResult(row=row, sorted=(1, 0), sim=1.0, overlap=(1, 0), **common),
        ContextOrderResult(row=row, sorted=(0,), sim=1.0, overlap=(0,), **common),
        ContextOrderResult(row=row, sorted=(), sim=None, overlap=(), **common),
    ]
    assert [each.as_json()["covered"] for each in found] == [False, True, True, False]
    output.print_parts(describe_sorted(found))
    lines = capsys.readouterr().out.splitlines()
    assert printed_numbers("\n".join(lines[-2:])) == [["0.500", "1", "1"], ["1", "2", "0.833"]]
