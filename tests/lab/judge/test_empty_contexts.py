"""Empty contexts keep their indices: alike from a file, from a dataset and from Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tui_annotate
from tests.cli.conftest import Command
from tests.lab.chat.scripted_judge import Script
from tests.plugins.chat_server import chatting
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.judge.metrics import MissingReason

GIVEN = ["a of rel1", "", "b of rel9"]
QUESTION = "Who?"


def _file(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "rag.jsonl"
    path.write_text("".join(json.dumps({"question": QUESTION} | row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("empty", ["", " \n", None])
@pytest.mark.parametrize("screen", [True, False])
def test_an_order_names_the_contexts_as_given(
    command: Command,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    empty: str | None,
    screen: bool,
) -> None:
    """An empty or missing context is never sent, helps nobody, and comes last."""
    given = [GIVEN[0], empty, GIVEN[2]]
    path = _file(tmp_path, {"contexts": given})
    words = [] if screen else ["--keep-irrelevant"]
    command("init", "work")
    ingested = command("ingest", "-w", "work", "--from", "rag", "--embedder", "none", path)
    assert ingested.code == 0, ingested.err
    assert ingested.err.count("from 0: 1") == 1  # counted as in the judge's warning below
    with chatting(Script()) as chat:
        where = ("--model", "m", "--base-url", chat.url, *words)
        sort = ("lab", "judge", "sort")
        read = command(*sort, path, *where, "--json")
        stored = command(*sort, "--dataset", "rag", "-w", "work", *where, "--json")
        (own,) = tui_annotate.sort([QUESTION], [given], screen=screen, model="m", base_url=chat.url)
        assert all("rel" in prompt for prompt in chat.prompts)
    expected = [2, 0] if screen else [2, 0, 1]
    for found in (read.json[0], stored.json[0], own.as_json()):
        assert found["sorted"] == expected
        assert (found["good"], found["bad"]) == (([0, 2], [1]) if screen else (None, None))
        assert found["contexts"] == given
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert [message.endswith("0: 1") for message in warnings] == [True] * 3
    assert warnings[0].startswith(f"{path}:1: ")
    with tui_annotate.open("work") as space:
        ((_, scores),) = space.machines.scores.scores("rag", names=("judge_order",))
        assert [score.parts for score in scores] == [(2.0, 1.0)]


def test_precision_counts_the_rank_of_an_empty_context(command: Command, tmp_path: Path) -> None:
    """A useful context at the fourth place has the precision 1/4, wherever the row comes from."""
    row: dict[str, Any] = {"contexts": ["x rel0", "", "y rel0", "z rel1"], "ground_truth": "T."}
    path = _file(tmp_path, row)
    metric = ("--metric", "context_precision", "--json")
    command("init", "work")
    command("ingest", "-w", "work", "--from", "rag", "--embedder", "none", path)
    with chatting(Script()) as chat:
        where = ("--model", "m", "--base-url", chat.url, *metric)
        read = command("lab", "judge", "evaluate", path, *where)
        stored = command("lab", "judge", "evaluate", "--dataset", "rag", "-w", "work", *where)
        (own,) = tui_annotate.evaluate(
            [QUESTION],
            [row["contexts"]],
            None,
            ["T."],
            metrics=["context_precision"],
            model="m",
            base_url=chat.url,
        )
    values = [done.json["rows"][0]["context_precision"] for done in (read, stored)]
    assert [*values, own.scores["context_precision"]] == pytest.approx([0.25] * 3)
    assert own.useful == (0, 0, 0, 1)
    with tui_annotate.open("work") as space:
        ((_, scores),) = space.machines.scores.scores("rag", names=("context_precision",))
        assert [score.parts for score in scores] == [(0.0, 0.0, 1.0)]


def test_an_answer_is_generated_from_the_texts_alone(command: Command, tmp_path: Path) -> None:
    """An empty context takes part in no prompt, so that all ways send the same prompts."""
    path = _file(tmp_path, {"contexts": GIVEN})
    with chatting(Script()) as chat:
        command("lab", "judge", "generate", path, "--model", "m", "--base-url", chat.url)
        tui_annotate.generate([QUESTION], [GIVEN], model="m", base_url=chat.url)
        assert len(chat.prompts) == 1
        tui_annotate.generate([QUESTION], [GIVEN], model="m", base_url=chat.url, slow=True)
        assert len(chat.prompts) == 1 + 3
        assert not [prompt for prompt in chat.prompts if "[3]" in prompt]


def test_only_empty_contexts_are_no_contexts() -> None:
    """Nothing is sent; each value is null with a reason."""
    with chatting(Script()) as chat:
        (order,) = tui_annotate.sort([QUESTION], [["", " "]], model="m", base_url=chat.url)
        (scored,) = tui_annotate.evaluate(
            [QUESTION],
            [["", " "]],
            ["A."],
            ["T."],
            metrics=["faithfulness", "context_precision", "context_recall"],
            model="m",
            base_url=chat.url,
        )
        assert chat.asked == []
    assert (order.sorted, order.bad, order.reason) == ((), (0, 1), MissingReason.NO_CONTEXTS)
    assert scored.reasons["faithfulness"] == MissingReason.NO_CONTEXT


@pytest.mark.parametrize("blank", ["", " \n", None])
def test_a_blank_answer_is_a_missing_answer(blank: str | None) -> None:
    """A blank answer or ground truth is generated, from Python as from a file."""
    with chatting(Script()) as chat:
        (found,) = tui_annotate.evaluate(
            [QUESTION],
            [["a rel1"]],
            [blank],
            [blank],
            metrics=["faithfulness", "context_recall"],
            model="m",
            base_url=chat.url,
        )
    assert found.generated == ("answer", "ground_truth")


@pytest.mark.parametrize(
    "lists", [{"answers": []}, {"ground_truths": []}, {"answers": [5]}, {"ground_truths": [["T."]]}]
)
def test_lists_of_answers_are_checked(lists: dict[str, Any]) -> None:
    """An empty list has another length than the questions; an answer that is no text is named."""
    with pytest.raises(InvalidInput):
        tui_annotate.evaluate([QUESTION], [["a"]], model="m", base_url="http://x/v1", **lists)
