"""Probes: the split of cases, their metrics, training, and their files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.lab.score import probes
from tui_annotate.lab.score.language_models import _batch_by_length, fingerprint
from tui_annotate.lab.score.probes import (
    FORMAT,
    MIN_CASES,
    Probe,
    ProbeMetrics,
    measure_probe,
    predict_chances,
    read_probe,
    split_cases,
)


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


PLAIN = {"format": FORMAT, "folder": "/m", "model": "ab", "layer": 1, "weights": [1.0], "bias": 0.5}


def test_a_batch_needs_no_more_memory_than_the_longest_text() -> None:
    """Texts of similar length go together; padded, they have at most 4,096 tokens."""
    lengths = [3000, 5, 4096, 2000, 7, 2000]
    batches = list(_batch_by_length(lengths))
    assert sorted(place for batch in batches for place in batch) == list(range(6))
    assert batches == [[1, 4], [3, 5], [0], [2]]


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


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt", "merges.txt", "spiece.model"])
def test_the_fingerprint_is_of_each_file_that_a_model_reads(tmp_path: Path, name: str) -> None:
    """A tokenizer without tokenizer.json is built from other files, which count too."""
    (tmp_path / "config.json").write_text("{}", "utf-8")
    seen = set()
    for content in ("one", "two"):
        (tmp_path / name).write_text(content, "utf-8")
        seen.add(fingerprint(tmp_path))
    assert len(seen) == 2
