"""`score train-probe` and the scorers that need a model, as a user calls them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.plugins.chat_server import chatting
from tests.plugins.embedders.neural_models import needs_torch
from tests.plugins.local_models import language_model

ASKED = [" ".join(words) for words in product(("who is", "where is"), ("the", "a"))]
RIGHT = [f"{start} {end}" for start in ASKED for end in ("king", "queen")]
WRONG = [f"{start} {end}" for start in ASKED for end in ("cat", "dog")]


def _rows(path: str, *rows: object) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def answers(command: Command) -> Command:
    """A workspace with two questions, each with an answer."""
    said = [("who is the king", "it"), ("who is the dog", "not")]
    rows = [
        {"question": question, "answer": "it", "generation": [{"text": text, "type": "normal"}]}
        for question, text in said
    ]
    _rows("answers.jsonl", *rows)
    assert command("init").code == 0
    done = command("ingest", "answers.jsonl", "--format", "generations", "--embedder", "none")
    assert done.code == 0
    return command


@needs_torch
def test_a_probe_is_trained_and_scores(answers: Command, tmp_path: Path) -> None:
    """From a file, without a workspace's data; the figures by layer; then it is a scorer."""
    model = str(language_model(tmp_path / "tiny"))
    rows = [{"question": each, "category": "all-right"} for each in RIGHT]
    rows += [{"question": each, "category": "all-wrong"} for each in WRONG]
    _rows("ranked.jsonl", *rows, {"question": "it", "category": "undecided"})
    train = ("score", "train-probe", "ranked.jsonl", "--model", model, "-o", "probe.json")
    done = answers(*train)
    assert done.code == 0
    assert "16 questions: 8 known, 8 not; learnt from 12, tried on 4" in done.out
    assert "specificity" in done.out
    assert "left out: 1 undecided" in done.err
    told = answers(*train, "--layer", "2", "--json").json
    assert (told["layer"], told["questions"], told["left_out"]) == (2, 16, {"undecided": 1})
    assert set(told["layers"]["2"]) == {"accuracy", "precision", "recall", "specificity"}
    assert answers("score", "--scorer", "probe:probe.json").code == 0
    listed = answers("score", "list", "--json").json
    assert listed[0]["maker"] == "probe"


def test_misuse_of_train_probe_is_told(answers: Command) -> None:
    """File and labels both, neither, another word, a strange layer; nobody labelled anything."""
    train = ("score", "train-probe", "--model", "m", "-o", "p.json")
    for wrong in ([], ["answers.jsonl", "--labels", "human"], ["--labels", "mine"]):
        done = answers(*train, *wrong)
        assert (done.code, "whose labels" in done.err) == (2, True)
    for layer in ("first", "0", "9" * 5000):
        done = answers(*train, "--labels", "human", "--layer", layer)
        assert (done.code, f"'{layer[:5]}" in done.err, "is no layer" in done.err) == (
            2,
            True,
            True,
        )
    done = answers(*train, "--labels", "machine")
    assert (done.code, "no ranker judged" in done.err) == (1, True)
    assert not Path("p.json").exists()


def test_a_judge_scores_answers(answers: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """On loopback; its words stand beside; without a model it is refused; a plan asks nobody."""
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused = answers("score", "--scorer", "judge")
    assert (refused.code != 0, "--judge" in refused.err) == (True, True)
    reply = json.dumps({"reason": "so", "verdict": "right"})
    with chatting(lambda _: reply) as chat:
        asked = ("score", "--scorer", "judge", "--judge", "toy", "--base-url", chat.url)
        planned = answers(*asked, "--dry-run", "--json").json
        assert (planned[0]["calls"], chat.asked) == (2, [])
        assert answers(*asked).code == 0
        assert len(chat.asked) == 2
        assert answers(*asked).code == 0
        assert len(chat.asked) == 2
    listed = answers("score", "list", "--json").json
    assert {each["maker"] for each in listed} == {"judge-score:toy"}
