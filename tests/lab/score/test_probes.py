"""Probes: the split of cases, their metrics, training, and their files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tests.plugins.embedders.neural_models import changed, needs_torch
from tests.plugins.local_models import LAYERS, LONGEST, SIZE, language_model, reward_model
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError, Unavailable
from tui_annotate.lab.score import probes
from tui_annotate.lab.score.language_models import (
    BATCH,
    LanguageModel,
    RewardModel,
    _batch_by_length,
)
from tui_annotate.lab.score.probes import (
    FORMAT,
    MIN_CASES,
    Probe,
    ProbeMetrics,
    measure_probe,
    predict_chances,
    read_probe,
    split_cases,
    train,
)
from tui_annotate.plugins import registry
from tui_annotate.plugins.scoring import GeneratedAnswers, Scorer, ScorerOptions


@given(st.integers(MIN_CASES, 60), st.integers(MIN_CASES, 60), st.integers(0, 9))
def test_seventy_of_a_hundred_of_each_kind_are_learnt_from(yes: int, no: int, seed: int) -> None:
    """All cases are on one side or the other; a seed gives the same again."""
    known = np.array([True] * yes + [False] * no)
    training, held_out = split_cases(known, seed=seed)
    assert sorted([*training, *held_out]) == list(range(yes + no))
    assert known[training].sum() == round(yes * 0.7)
    assert (~known[training]).sum() == round(no * 0.7)
    again = split_cases(known, seed=seed)
    assert training.tolist() == again[0].tolist()


def test_another_seed_parts_otherwise() -> None:
    """So that what came of one can be tried with another."""
    known = np.array([True, False] * 50)
    assert split_cases(known, seed=0)[0].tolist() != split_cases(known, seed=1)[0].tolist()


@pytest.mark.parametrize(("kinds", "told"), [([True] * 9, "not known"), ([False] * 9, "known")])
def test_too_few_of_a_kind_are_refused(kinds: list[bool], told: str) -> None:
    """With how many there are."""
    with pytest.raises(InvalidInput, match=f"{told}"):
        split_cases(np.array(kinds), seed=0)


def test_figures_are_shares() -> None:
    """Of what is known, of what is told so, and of what is not known."""
    known = np.array([True, True, True, False, False])
    report = np.array([True, True, False, True, False])
    assert measure_probe(known, report) == ProbeMetrics(0.6, 2 / 3, 2 / 3, 0.5)
    nothing = np.array([False, False])
    assert measure_probe(nothing, nothing) == ProbeMetrics(1.0, None, None, 1.0)


def test_chances_are_those_of_the_logistic_function() -> None:
    """One half where nothing speaks for either; sums of any size stay in [0, 1]."""
    states = np.array([[0.0, 0.0], [1.0, 2.0], [1e6, 1e6], [-1e6, -1e6]])
    found = predict_chances(states, np.array([1.0, -1.0]), bias=0.0)
    assert found[0] == 0.5
    assert found[1] == pytest.approx(1 / (1 + math.e))
    huge = predict_chances(states, np.array([1.0, 1.0]), bias=0.0)
    assert (huge[2], round(huge[3], 9)) == (1.0, 0.0)


KNOWN = [
    " ".join(words) for words in product(("who", "where"), ("is",), ("the", "a"), ("king", "queen"))
]
UNKNOWN = [
    " ".join(words) for words in product(("who", "where"), ("is",), ("the", "a"), ("cat", "dog"))
]
TRUTH = [True] * len(KNOWN) + [False] * len(UNKNOWN)
PLAIN = {"format": FORMAT, "folder": "/m", "model": "ab", "layer": 1, "weights": [1.0], "bias": 0.5}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny language model."""
    return language_model(tmp_path_factory.mktemp("model") / "tiny")


def _answers(question: str = "who is the king", **parts: Any) -> GeneratedAnswers:
    return GeneratedAnswers(**{"question": question, "answer": "it", "texts": ("a", "b"), **parts})


@needs_torch
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


@needs_torch
def test_one_layer_can_be_asked_for(model: Path) -> None:
    """And one that is not there is refused."""
    found = train([*KNOWN, *UNKNOWN], TRUTH, model=str(model), layer=1)
    assert (found.probe.layer, sorted(found.layers)) == (1, [1])
    with pytest.raises(InvalidInput, match="3"):
        train([*KNOWN, *UNKNOWN], TRUTH, model=str(model), layer=3)


@needs_torch
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


@needs_torch
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


@needs_torch
def test_states_are_those_of_the_last_token(model: Path) -> None:
    """One a layer; a long text is looked at from its end."""
    local = LanguageModel(str(model))
    states = local.states(["who is the king"])
    assert states.shape == (1, LAYERS, SIZE)
    assert (local.layers, local.size) == (LAYERS, SIZE)
    long = "the " * 100
    assert np.allclose(local.states([long]), local.states(["the " * (LONGEST - 1)]), atol=1e-4)
    assert local.states([]).shape == (0, LAYERS, SIZE)


@needs_torch
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


def test_a_batch_needs_no_more_memory_than_the_longest_text() -> None:
    """Texts of similar length go together; padded, they have at most 4,096 tokens."""
    lengths = [3000, 5, 4096, 2000, 7, 2000]
    batches = list(_batch_by_length(lengths))
    assert sorted(place for batch in batches for place in batch) == list(range(6))
    assert batches == [[1, 4], [3, 5], [0], [2]]


@needs_torch
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


@needs_torch
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


@needs_torch
def test_tokens_are_known_before_a_model_reads(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tokenizer may have none for a text, for example for an empty one."""
    local = LanguageModel(str(model))
    assert local.has_tokens("who is")
    monkeypatch.setattr(local, "_tokenizer", lambda _: {"input_ids": []})
    assert not local.has_tokens("")


@needs_torch
def test_chat_models_get_turns(tmp_path: Path) -> None:
    """As their template has it."""
    template = "{% for turn in messages %}{{ turn.role }} {{ turn.content }} {% endfor %}"
    plain = RewardModel(str(reward_model(tmp_path / "plain"))).reward("who", "king")
    chat = RewardModel(str(reward_model(tmp_path / "chat", template=template)))
    assert chat.reward("who", "king") != plain


@needs_torch
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


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other/1"},
        {"layer": 0},
        {"layer": "1"},
        {"layer": True},
        {"weights": []},
        {"weights": ["1"]},
        {"weights": [float("nan")]},
        {"bias": None},
        {"folder": 1},
        {"model": None},
        {"extra": 1},
    ],
)
def test_a_file_that_holds_no_probe_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    """By its name; nothing of it is run."""
    path = tmp_path / "p.json"
    path.write_text(json.dumps(PLAIN), "utf-8")
    assert read_probe(path).weights == (1.0,)
    path.write_text(json.dumps(PLAIN | change), "utf-8")
    with pytest.raises(InvalidInput, check=has_code("not-a-probe")):
        read_probe(path)


def test_a_probe_of_no_numbers_is_not_written(tmp_path: Path) -> None:
    """Weights that are NaN or infinite leave no file; training results without a value are null."""
    path = tmp_path / "p.json"
    about: dict[str, Any] = {"folder": "/m", "model": "ab", "layer": 1, "bias": 0.5}
    for odd in (math.nan, math.inf):
        with pytest.raises(InvalidInput):
            Probe(**about, weights=(odd,)).write(path)
    assert not path.exists()
    Probe(**about, weights=(1.0,), trained={"accuracy": math.nan}).write(path)
    assert read_probe(path).trained == {"accuracy": None}


@pytest.mark.parametrize("content", ["", "[]", "{}", "\ud800".encode("utf-8", "surrogatepass")])
def test_other_files_are_refused(tmp_path: Path, content: str | bytes) -> None:
    """Whatever they hold, however large, and where there is none."""
    path = tmp_path / "p.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InvalidInput, check=has_code("not-a-probe")):
        read_probe(path)


def test_files_too_large_or_missing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before they are read."""
    with pytest.raises(NotFound):
        read_probe(tmp_path / "none")
    path = tmp_path / "p.json"
    path.write_text(json.dumps(PLAIN), "utf-8")
    monkeypatch.setattr(probes, "_MAX_BYTES", 10)
    with pytest.raises(TuiAnnotateError, check=has_code("too-large")):
        read_probe(path)
