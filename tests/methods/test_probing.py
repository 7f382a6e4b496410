"""Probing: how cases are parted, and the figures of those kept apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.methods.probing import FEWEST, Figures, chances, figures, parted


@given(st.integers(FEWEST, 60), st.integers(FEWEST, 60), st.integers(0, 9))
def test_seventy_of_a_hundred_of_each_kind_are_learnt_from(yes: int, no: int, seed: int) -> None:
    """All cases are on one side or the other; a seed gives the same again."""
    known = np.array([True] * yes + [False] * no)
    learnt, apart = parted(known, seed=seed)
    assert sorted([*learnt, *apart]) == list(range(yes + no))
    assert known[learnt].sum() == round(yes * 0.7)
    assert (~known[learnt]).sum() == round(no * 0.7)
    again = parted(known, seed=seed)
    assert learnt.tolist() == again[0].tolist()


def test_another_seed_parts_otherwise() -> None:
    """So that what came of one can be tried with another."""
    known = np.array([True, False] * 50)
    assert parted(known, seed=0)[0].tolist() != parted(known, seed=1)[0].tolist()


@pytest.mark.parametrize(("kinds", "told"), [([True] * 9, "not known"), ([False] * 9, "known")])
def test_too_few_of_a_kind_are_refused(kinds: list[bool], told: str) -> None:
    """With how many there are."""
    with pytest.raises(InvalidInput, match=f"of what is {told} there are 0 questions"):
        parted(np.array(kinds), seed=0)


def test_figures_are_shares() -> None:
    """Of what is known, of what is told so, and of what is not known."""
    known = np.array([True, True, True, False, False])
    told = np.array([True, True, False, True, False])
    assert figures(known, told) == Figures(0.6, 2 / 3, 2 / 3, 0.5)
    nothing = np.array([False, False])
    assert figures(nothing, nothing) == Figures(1.0, None, None, 1.0)


def test_chances_are_those_of_the_logistic_function() -> None:
    """One half where nothing speaks for either; sums of any size stay in [0, 1]."""
    states = np.array([[0.0, 0.0], [1.0, 2.0], [1e6, 1e6], [-1e6, -1e6]])
    found = chances(states, np.array([1.0, -1.0]), bias=0.0)
    assert found[0] == 0.5
    assert found[1] == pytest.approx(1 / (1 + math.e))
    huge = chances(states, np.array([1.0, 1.0]), bias=0.0)
    assert (huge[2], round(huge[3], 9)) == (1.0, 0.0)
