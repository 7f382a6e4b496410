"""Pooling: one word of several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.scores import Pooling, pool_verdicts


@pytest.mark.parametrize(
    ("words", "worst", "majority", "best"),
    [
        ([], None, None, None),
        ([True], True, True, True),
        ([False], False, False, False),
        ([True, False], True, None, False),
        ([True, False, False], True, False, False),
        ([True, True, False], True, True, False),
    ],
)
def test_one_word_of_several(
    words: list[bool], worst: bool | None, majority: bool | None, best: bool | None
) -> None:
    """The worst, what most say, the best; nothing of nobody, and of a tie where most count."""
    found = [pool_verdicts(words, how) for how in (Pooling.WORST, Pooling.MAJORITY, Pooling.BEST)]
    assert found == [worst, majority, best]


@given(st.lists(st.booleans(), min_size=1))
def test_the_majority_stands_between(words: list[bool]) -> None:
    """What the best pool says, the majority does not deny, and what it says, the worst says too."""
    worst, majority, best = (pool_verdicts(words, each) for each in Pooling)
    assert not best or majority
    assert not majority or worst
