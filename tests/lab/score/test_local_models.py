"""Probes and reward models of a folder: what PyTorch computes, and the commands that train."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Command
from tests.helpers.errors import has_code
from tests.helpers.printed_numbers import printed_numbers
from tests.plugins.embedders.neural_models import changed, needs_torch
from tests.plugins.local_models import LAYERS, LONGEST, SIZE, language_model, reward_model
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.lab.score.language_models import BATCH, LanguageModel, RewardModel
from tui_annotate.lab.score.probes import FORMAT, Probe, read_probe, train
from tui_annotate.plugins import registry
from tui_annotate.plugins.scoring import GeneratedAnswers, Scorer, ScorerOptions

pytestmark = needs_torch

KNOWN = [
    " ".join(words) for words in product(("who", "where"), ("is",), ("the", "a"), ("king", "queen"))
]
UNKNOWN = [
    " ".join(words) for words in product(("who", "where"), ("is",), ("the", "a"), ("cat", "dog"))
]
TRUTH = [True] * len(KNOWN) + [False] * len(UNKNOWN)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny language model."""
    return language_model(tmp_path_factory.mktemp("model") / "tiny")


def _answers(question: str = "who is the king", **parts: Any) -> GeneratedAnswers:
    return GeneratedAnswers(**{"question": question, "answer": "it", "texts": ("a", "b"), **parts})


def test_a_probe_learns_what_a_model_knows(model: Path, tmp_path: Path) -> None:
    """Figures are told by layer; the file holds numbers alone, and gives the same again."""
    seen: list[int] = []
    found = train([*KNOWN, *UNKNOWN], TRUTH, model=str(model), on_progress=seen.append)
    assert seen[-1] == len(TRUTH)
    assert (found.training, found.held_out) == (12, 4)
    assert sorted(found.layers) == [1, 2]
    assert found.probe.layer in (1, 2)
    assert found.layers[found.probe.layer].accuracy == 1.0
    found.probe.write(tmp_path / "probe.json")
    assert json.loads((tmp_path / "probe.json").read_text("utf-8"))["format"] == FORMAT
    back = read_probe(tmp_path / "probe.json")
    assert (back.weights, back.bias, back.model) == (
        found.probe.weights,
        found.probe.bias,
        found.probe.model,
    )
    assert back.trained["layers"]["1"]["accuracy"] == found.layers[1].accuracy
    again = train([*KNOWN, *UNKNOWN], TRUTH, model=str(model))
    assert again.probe == found.probe


def test_one_layer_can_be_asked_for(model: Path) -> None:
    """And one that is not there is refused."""
    found = train([*KNOWN, *UNKNOWN], TRUTH, model=str(model), layer=1)
    assert (found.probe.layer, sorted(found.layers)) == (1, [1])
    with pytest.raises(InvalidInput, match="3"):
        train([*KNOWN, *UNKNOWN], TRUTH, model=str(model), layer=3)


def test_the_scorer_says_the_same_of_all_answers_to_a_question(model: Path, tmp_path: Path) -> None:
    """Of extras too: it is the model's state at the question; the run knows probe and layer."""
    found = train([*KNOWN, *UNKNOWN], TRUTH, model=str(model))
    found.probe.write(tmp_path / "p.json")
    scorer = registry.load_scorer(f"probe:{tmp_path / 'p.json'}", ScorerOptions())
    assert isinstance(scorer, Scorer)
    asked = [_answers(extras=("c",)), _answers("who is the dog")]
    (king,), (dog,) = scorer.of_answers(asked)
    assert king.name == "probe_score"
    assert len(set(king.values)) == 1
    assert (len(king.values), len(dog.values)) == (3, 2)
    assert (king.values[0] or 0) > 0.5 > (dog.values[0] or 0)
    assert (scorer.parameters["probe"], scorer.parameters["layer"]) == ("p.json", found.probe.layer)
    unreadable: Any = scorer
    whole = unreadable._model.has_tokens
    unreadable._model.has_tokens = lambda text: "king" not in text and whole(text)
    (king,), (again,) = scorer.of_answers(asked)
    assert (king.values, len(set(king.words))) == ((None,) * 3, 1)
    assert again.values == pytest.approx(dog.values)


def test_a_probe_of_another_model_is_refused(model: Path, tmp_path: Path) -> None:
    """Also where the folder is the same and its configuration was changed."""
    probe = Probe(folder=str(model), model="other", layer=1, weights=(0.0,) * SIZE, bias=0.0)
    probe.write(tmp_path / "p.json")
    with pytest.raises(InvalidInput, check=has_code("probe-of-other-model")):
        registry.load_scorer(f"probe:{tmp_path / 'p.json'}", ScorerOptions())
    moved = language_model(tmp_path / "moved")
    local = LanguageModel(str(moved))
    right = Probe(folder="/gone", model=local.sha256, layer=2, weights=(0.1,) * SIZE, bias=0.0)
    right.write(tmp_path / "q.json")
    options = ScorerOptions(folder=str(moved))
    assert registry.load_scorer(f"probe:{tmp_path / 'q.json'}", options).low == frozenset()
    changed(moved / "config.json", rms_norm_eps=0.5)
    with pytest.raises(InvalidInput, check=has_code("probe-of-other-model")):
        registry.load_scorer(f"probe:{tmp_path / 'q.json'}", options)


def test_states_are_those_of_the_last_token(model: Path) -> None:
    """One a layer; a long text is looked at from its end."""
    local = LanguageModel(str(model))
    states = local.states(["who is the king"])
    assert states.shape == (1, LAYERS, SIZE)
    assert (local.layers, local.size) == (LAYERS, SIZE)
    long = "the " * 100
    assert np.allclose(local.states([long]), local.states(["the " * (LONGEST - 1)]), atol=1e-4)
    assert local.states([]).shape == (0, LAYERS, SIZE)


def test_texts_in_a_batch_have_the_states_of_texts_alone(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, whatever their lengths: padding changes nothing; 40 texts take two calls."""
    local = LanguageModel(str(model))
    words = ("who", "is", "the", "king", "dog")
    texts = [" ".join(words[: number % 5 + 1]) for number in range(40)]
    alone = np.concatenate([local.states([text]) for text in texts])
    sizes: list[int] = []
    whole = local._read_batch

    def read(rows: Sequence[Any]) -> Any:
        sizes.append(len(rows))
        return whole(rows)

    monkeypatch.setattr(local, "_read_batch", read)
    together = local.states(texts)
    assert np.abs(together - alone).max() < 1e-6
    assert sizes == [BATCH, 8]


def test_a_reward_model_gives_each_answer_a_number(tmp_path: Path) -> None:
    """Answers differ; extras are asked to admit what is not known; the maker is the folder."""
    folder = reward_model(tmp_path / "judge-7b")
    scorer = registry.load_scorer(f"reward:{folder}", ScorerOptions())
    asked = _answers(texts=("king", "dog"), extras=("king",), subject="it")
    ((found,),) = scorer.of_answers([asked])
    assert found.name == "rm_score"
    assert len(set(found.values)) == 3
    assert scorer.maker == "reward:judge-7b"  # type: ignore[attr-defined]
    again = registry.load_scorer(f"reward:{folder}", ScorerOptions())
    assert list(again.of_answers([asked])) == [(found,)]


def test_a_text_without_a_token_costs_no_other_its_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no value, with the reason."""
    scorer: Any = registry.load_scorer(f"reward:{reward_model(tmp_path / 'r')}", ScorerOptions())
    monkeypatch.setattr(scorer._model, "has_tokens", lambda text: "\x01" not in text)
    questions = [_answers(texts=texts) for texts in (("king", "\x01", "dog"), ("queen",))]
    ((first,), (second,)) = scorer.of_answers(questions)
    assert [value is None for value in first.values] == [False, True, False]
    assert [bool(word) for word in first.words] == [False, True, False]
    assert (second.values[0] is None, second.words) == (False, ())


def test_tokens_are_known_before_a_model_reads(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tokenizer may have none for a text, for example for an empty one."""
    local = LanguageModel(str(model))
    assert local.has_tokens("who is")
    monkeypatch.setattr(local, "_tokenizer", lambda _: {"input_ids": []})
    assert not local.has_tokens("")


def test_chat_models_get_turns(tmp_path: Path) -> None:
    """As their template has it."""
    template = "{% for turn in messages %}{{ turn.role }} {{ turn.content }} {% endfor %}"
    plain = RewardModel(str(reward_model(tmp_path / "plain"))).reward("who", "king")
    chat = RewardModel(str(reward_model(tmp_path / "chat", template=template)))
    assert chat.reward("who", "king") != plain


def test_folders_that_hold_no_such_model_are_refused(model: Path, tmp_path: Path) -> None:
    """Several outputs, no weights, pickles, nothing named, nothing there; with what to do."""
    with pytest.raises(Unavailable, match="2"):
        RewardModel(str(reward_model(tmp_path / "two", outputs=2)))
    broken = language_model(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"no")
    with pytest.raises(Unavailable):
        LanguageModel(str(broken))
    (broken / "model.safetensors").rename(broken / "pytorch_model.bin")
    with pytest.raises(Unavailable):
        LanguageModel(str(broken))
    with pytest.raises(Unavailable):
        LanguageModel(str(model / "nowhere"))
    for scorer, code in (("probe", "probe-missing"), ("reward", "model-missing")):
        with pytest.raises(InvalidInput, check=has_code(code)):
            registry.load_scorer(scorer, ScorerOptions())


@pytest.fixture
def training(model: Path) -> list[str]:
    """The command that trains a probe with the questions of a file, and writes `probe.json`."""
    rows = [
        {"question": question, "category": "all-right" if known else "all-wrong"}
        for question, known in zip([*KNOWN, *UNKNOWN], TRUTH, strict=True)
    ]
    rows.append({"question": "it", "category": "undecided"})
    path = Path("ranked.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [
        "lab", "scores", "train-probe", str(path), "--model-folder", str(model), "-o", "probe.json",
    ]  # fmt: skip


def test_a_probe_is_trained_and_scores(answers: Command, training: list[str]) -> None:
    """From a file, without a workspace's data; the figures by layer; then it is a scorer."""
    done = answers(*training)
    assert done.code == 0
    assert ["16", "8", "8", "12", "4"] in printed_numbers(done.out)
    assert "specificity" in done.out
    assert re.search("excluded: 1 question: undecided", done.err)
    report = answers(*training, "--layer", "2", "--json").json
    assert (report["layer"], report["questions"], report["left_out"]) == (2, 16, {"undecided": 1})
    assert set(report["layers"]["2"]) == {"accuracy", "precision", "recall", "specificity"}
    assert answers("lab", "scores", "compute", "--scorer", "probe:probe.json").code == 0
    listed = answers("lab", "scores", "list", "--json").json
    assert listed[0]["maker"] == f"probe:{Path.cwd().name}/probe.json"


def test_a_trained_probe_is_for_its_owner_alone(command: Command, training: list[str]) -> None:
    """A probe is written like the output of other commands, under any umask."""
    before = os.umask(0)
    try:
        assert command(*training).code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("probe.json").stat().st_mode) == 0o600
