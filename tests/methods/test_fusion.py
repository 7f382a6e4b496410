"""Laws of the scores: absolute, monotone, the same whatever the others reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tui_annotate.domain.samples import STRENGTHS
from tui_annotate.methods.matching import (
    LEAST_SEGMENTS,
    SENTENCES,
    TOKENS,
    VECTORS,
    WORDS,
    fuse_scores,
)

MIXES = (
    {WORDS},
    {VECTORS},
    {WORDS, VECTORS},
    {SENTENCES},
    {WORDS, SENTENCES},
    {VECTORS, TOKENS},
    {WORDS, VECTORS, TOKENS},
)
mixes = st.sampled_from(MIXES).map(sorted)
values = st.floats(0, 1, width=32)


def signals(names: list[str], rows: list[list[float]]) -> dict[str, NDArray[np.float32]]:
    """The values of each segment, by signal."""
    return {name: np.array([row[at] for row in rows], np.float32) for at, name in enumerate(names)}


def everywhere(count: int) -> NDArray[np.bool_]:
    """All of so many segments have a vector."""
    return np.ones(count, np.bool_)


@given(mixes, st.lists(st.lists(values, min_size=3, max_size=3), min_size=2, max_size=9))
def test_a_score_does_not_depend_on_what_others_reach(
    names: list[str], rows: list[list[float]]
) -> None:
    """Only on how many there are; all are in [0, 1]."""
    found = fuse_scores(signals(names, rows), everywhere(len(rows)))
    others = fuse_scores(
        signals(names, [rows[0], *([[0.0] * 3] * (len(rows) - 1))]), everywhere(len(rows))
    )
    assert found[0] == others[0]
    assert ((found >= 0) & (found <= 1)).all()


@given(mixes, st.lists(values, min_size=3, max_size=3), st.integers(0, 2), values)
def test_more_of_a_signal_never_scores_less(
    names: list[str], row: list[float], at: int, more: float
) -> None:
    """Each signal speaks for a segment, none against it."""
    raised = [max(value, more) if at == index else value for index, value in enumerate(row)]
    less, greater = fuse_scores(signals(names, [row, raised]), everywhere(2))
    assert greater >= less


@given(mixes, st.lists(values, min_size=3, max_size=3), st.integers(1, 60), st.integers(1, 60))
def test_a_segment_of_few_scores_no_less_than_one_of_many(
    names: list[str], row: list[float], few: int, more: int
) -> None:
    """The fewer there are, the likelier is each."""
    few, more = sorted((few, more))
    of_few = fuse_scores(signals(names, [row] * few), everywhere(few))
    of_more = fuse_scores(signals(names, [row] * more), everywhere(more))
    assert of_few[0] >= of_more[0]


@pytest.mark.parametrize("names", MIXES, ids=lambda names: "+".join(sorted(names)))
def test_likeness_to_nothing_is_not_found(names: set[str]) -> None:
    """However few the segments, and what matches whole is found however many."""
    for count in (1, LEAST_SEGMENTS, 10_000):
        nothing = fuse_scores(signals(sorted(names), [[0.0] * 3] * count), everywhere(count))
        assert nothing[0] < STRENGTHS[0]
        whole = fuse_scores(signals(sorted(names), [[1.0] * 3] * count), everywhere(count))
        assert whole[0] >= STRENGTHS[3]


@pytest.mark.parametrize(
    ("names", "reached"),
    list(zip(MIXES, (0.196, 0.65, 0.245, 0.8125, 0.29, 0.542, 0.322), strict=True)),
    ids=lambda each: "+".join(sorted(each)) if isinstance(each, set) else "",
)
def test_what_is_as_likely_as_not(names: set[str], reached: float) -> None:
    """Of 36 segments; where the curves lie was measured, and what is stored holds on to it."""
    found = fuse_scores(signals(sorted(names), [[reached] * 3] * 36), everywhere(36))
    assert found[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("names", [names for names in MIXES if WORDS in names and len(names) > 1])
def test_words_lead_wherever_they_speak(names: set[str]) -> None:
    """All of the words and nothing else scores more than all else without a word."""
    mine = sorted(names)
    words = [float(name == WORDS) for name in mine]
    found = fuse_scores(signals(mine, [words, [1 - each for each in words]]), everywhere(2))
    assert found[0] > found[1]


def test_words_speak_where_there_are_no_vectors() -> None:
    """A segment without a vector scores as by words alone; by vectors, nothing."""
    words = np.array([0.3, 0.3], np.float32)
    vectors = np.array([0.9, 0.0], np.float32)
    known = np.array([True, False])
    both = fuse_scores({WORDS: words, VECTORS: vectors}, known)
    alone = fuse_scores({WORDS: words}, known)
    assert both[1] == alone[1]
    assert both[0] > both[1]
    assert fuse_scores({VECTORS: vectors}, known)[1] == 0
