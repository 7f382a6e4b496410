"""Unigram scores: the published formulas on words that are already cut."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.overlap import EPSILON, Words, best_overlaps, overlap, surprises

WORDS = st.lists(st.sampled_from("abcdef"), max_size=8)


def test_the_share_of_the_answers_words_that_a_text_has() -> None:
    """Words count as often as they stand in the answer; a full share is just under 1."""
    assert overlap(["a", "b", "a"], {"a"}) == pytest.approx(2 / 3, abs=1e-6)
    assert overlap(["1901"], {"1901"}) == 1 / (1 + EPSILON)
    assert overlap([], {"a"}) == 0


def test_the_surprise_of_the_commonest_words() -> None:
    """Counted over the answer, the texts and the others; the least values of each are averaged."""
    both = [Words({"a", "b"}, ["a", "b"]), Words({"a"}, ["a", "a"])]
    found = surprises(["a"], both, top=1, others=[Words({"c"}, ["c"])])
    rarity = -log(4 / (6 + EPSILON))
    assert found == [pytest.approx(rarity / (1 + EPSILON))] * 2


def test_a_text_without_words_is_no_surprise() -> None:
    """Its value is 0, as published, and it changes nothing for the others."""
    none, one = Words((), ()), Words({"a"}, ["a"])
    assert surprises(["a"], [none, one], top=5)[0] == 0
    assert surprises(["a"], [none, one], top=5)[1] == surprises(["a"], [one], top=5)[0]


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(1, 9))
def test_what_says_the_same_is_least_surprising(texts: list[list[str]], top: int) -> None:
    """No value is below 0, and more words in the mean never make it less."""
    some = [Words(set(each), each) for each in texts]
    found = surprises(texts[0], some, top=top)
    more = surprises(texts[0], some, top=top + 1)
    assert all(value >= 0 for value in found)
    assert all(b >= a * (1 - 1e-5) for a, b in zip(found, more, strict=True))


def test_the_best_sentence_of_the_source_speaks_for_a_claim() -> None:
    """Not all of them together: words from two sentences support less than those of one."""
    claims = [["bridge", "cost"], ["bridge", "opened"], ["loved"], []]
    source = [["bridge", "cost", "twelve"], ["opened", "mayor"]]
    assert best_overlaps(claims, source) == pytest.approx([1, 0.5, 0, 1], abs=1e-5)
    assert best_overlaps(claims, []) == [0, 0, 0, 1]


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4))
def test_the_best_is_that_of_every_sentence_by_itself(
    claims: list[list[str]], source: list[list[str]]
) -> None:
    """What the index of words finds is what one comparison after the other finds."""
    alone = [
        max((overlap(claim, set(words)) for words in source), default=0.0) if claim else 1.0
        for claim in claims
    ]
    assert best_overlaps(claims, source) == alone
