"""Laws of late interaction: bounds, the naive sum, texts that do not disturb each other."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from tui_annotate.methods.late_interaction import TokenBank, late_interaction, normalise_rows

SIZE = 4
rows = st.integers(0, 6).flatmap(lambda count: arrays(np.int8, (count, SIZE)))


def bank(texts: list[NDArray[np.int8]]) -> TokenBank:
    """The tokens of some texts, each one code point long."""
    bounds = np.cumsum([0, *map(len, texts)])
    starts = np.concatenate([np.arange(len(text)) for text in texts]).astype(np.int32)
    return TokenBank(np.concatenate(texts), bounds, starts, starts + 1)


banks = st.lists(rows, min_size=1, max_size=6).map(bank)


@st.composite
def queries(draw: st.DrawFn) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Unit rows with a weight each."""
    tokens = normalise_rows(draw(arrays(np.int8, (draw(st.integers(1, 5)), SIZE))))
    weights = arrays(np.float32, len(tokens), elements=st.floats(0, 8, width=32))
    return tokens, draw(weights)


def naive(
    text: NDArray[np.int8],
    tokens: NDArray[np.float32],
    weights: NDArray[np.float32],
    floor: float,
) -> float:
    """The definition, one token of the query after another."""
    total = float(weights.sum())
    if not len(text) or total <= 0:
        return 0.0
    unit = [row / max(float(np.linalg.norm(row)), 1) for row in text.astype(np.float64)]
    best = [max(floor, *(float(row @ token) for row in unit)) for token in tokens]
    alike = [((value - floor) / (1 - floor)) ** 2 for value in best]
    reached = (weight * value for weight, value in zip(weights.tolist(), alike, strict=True))
    return float(sum(reached)) / total


@given(banks, queries(), st.floats(0, 0.9))
def test_it_is_the_weighted_mean_of_the_best(
    texts: TokenBank, asked: tuple[NDArray[np.float32], NDArray[np.float32]], floor: float
) -> None:
    """As the naive loop has it, and within [0, 1]."""
    tokens, weights = asked
    every = range(len(texts))
    found = late_interaction(texts, np.array(every), tokens=tokens, weights=weights, floor=floor)
    assert ((found >= 0) & (found <= 1)).all()
    expected = [naive(texts.part(at, at + 1).vectors, tokens, weights, floor) for at in every]
    assert found.tolist() == pytest.approx(expected, abs=1e-4)


@given(banks, queries(), st.randoms(use_true_random=False))
def test_texts_do_not_disturb_each_other(
    texts: TokenBank,
    asked: tuple[NDArray[np.float32], NDArray[np.float32]],
    random: Random,
) -> None:
    """In any order, and any part of them, each reaches what it reaches alone."""
    tokens, weights = asked
    order = list(range(len(texts)))
    random.shuffle(order)
    some = np.array(order[: len(order) // 2 + 1])
    together = late_interaction(texts, some, tokens=tokens, weights=weights)
    alone = [
        late_interaction(texts, np.array([at]), tokens=tokens, weights=weights)[0] for at in some
    ]
    assert together.tolist() == pytest.approx([float(value) for value in alone], abs=1e-6)


@given(rows.filter(len), queries())
def test_a_text_answers_itself(
    text: NDArray[np.int8], asked: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> None:
    """More tokens never answer worse, and a text that holds all of the query's answers it whole."""
    _, weights = asked
    own = normalise_rows(text[:1].repeat(len(weights), axis=0))
    if not own.any() or weights.sum() < 1e-3:
        return
    both = bank([text, text[:1]])
    whole, less = late_interaction(both, np.array([0, 1]), tokens=own, weights=weights)
    assert whole == pytest.approx(1, abs=1e-4)
    assert whole >= less - 1e-6


@given(st.lists(rows, min_size=1, max_size=6), st.data())
def test_parts_join_to_the_whole(texts: list[NDArray[np.int8]], data: st.DataObject) -> None:
    """A bank that is cut anywhere and joined again is the same bank."""
    whole = bank(texts)
    at = data.draw(st.integers(0, len(whole)))
    joined = TokenBank.joined([whole.part(0, at), whole.part(at, len(whole))])
    assert len(joined) == len(whole) == len(texts)
    for name in ("vectors", "bounds", "starts", "ends"):
        assert np.array_equal(getattr(joined, name), getattr(whole, name))


@given(arrays(np.int8, (3, SIZE)))
def test_directions_have_unit_length(vectors: NDArray[np.int8]) -> None:
    """But for zeros, which have none; the values' sizes do not matter."""
    lengths = np.linalg.norm(normalise_rows(vectors), axis=1)
    for row, length in zip(vectors, lengths, strict=True):
        assert length == pytest.approx(1 if row.any() else 0, abs=1e-5)
