"""Words of any script, and the laws of a bounded BM25."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.lexical import K1, B, LexicalIndex, find_words

WORDS = st.sampled_from(["a", "b", "c", "d", "e"])
SEGMENTS = st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=8)
QUERIES = st.dictionaries(WORDS, st.sampled_from([0.25, 1.0, 2.5]), max_size=5)


def texts(text: str) -> list[str]:
    """The words as texts."""
    return [word.text for word in find_words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Bridge cost", ["the", "bridge", "cost"]),
        ("12,000 or 3.5", ["12000", "or", "3.5"]),
        ("the 1990s, COVID19", ["the", "1990", "s", "covid19"]),
        ("ﬁne １２", ["fine", "12"]),
        ("Cafe\u0301", ["café"]),
        ("हिन्दी", ["हिन्दी"]),
        ("桥", ["桥"]),
        ("大桥开", ["大", "大桥", "桥", "桥开", "开"]),
        ("AI模型3个", ["ai", "模", "模型", "型", "3", "个"]),
        ("... !", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """Lower case, numbers whole, signs and pairs where there are no spaces."""
    assert texts(text) == expected


@given(st.text(max_size=200))
def test_words_say_where_they_stand(text: str) -> None:
    """In order, inside the text, of the length that they say."""
    found = list(find_words(text))
    assert all(0 <= word.start < word.end <= len(text) for word in found)
    assert [word.start for word in found] == sorted(word.start for word in found)


def by_hand(segments: list[list[str]], query: dict[str, float]) -> list[float]:
    """The same scores by the formula, word by word."""
    mean = sum(map(len, segments)) / len(segments) or 1.0
    rarity = {
        word: math.log(1 + (len(segments) - count + 0.5) / (count + 0.5))
        for word in query
        for count in [sum(word in segment for segment in segments)]
    }
    most = sum(weight * rarity[word] for word, weight in query.items())
    return [
        sum(
            weight * rarity[word] * count / (count + K1 * (1 - B + B * len(segment) / mean))
            for word, weight in query.items()
            if (count := segment.count(word))
        )
        / (most or 1)
        for segment in segments
    ]


@given(SEGMENTS, QUERIES)
def test_scores_follow_the_formula(segments: list[list[str]], query: dict[str, float]) -> None:
    """A second implementation agrees, asked once or twice."""
    index = LexicalIndex(segments)
    for _ in range(2):
        assert index.scores(query).tolist() == pytest.approx(by_hand(segments, query), abs=1e-6)


@given(SEGMENTS, QUERIES)
def test_scores_are_bounded_and_scale_free(
    segments: list[list[str]], query: dict[str, float]
) -> None:
    """In [0, 1), and the same for all weights doubled."""
    scores = LexicalIndex(segments).scores(query)
    doubled = LexicalIndex(segments).scores({word: 2 * own for word, own in query.items()})
    assert ((scores >= 0) & (scores < 1)).all()
    assert doubled.tolist() == pytest.approx(scores.tolist(), abs=1e-6)


def test_a_word_that_is_nowhere_lowers_every_score() -> None:
    """An answer to half of a query is worth less than one to all of it."""
    index = LexicalIndex([["a", "b"], ["c"]])
    assert index.scores({"a": 1.0, "unknown": 1.0})[0] < index.scores({"a": 1.0})[0]


def test_no_segments_have_no_scores() -> None:
    """An empty index answers with nothing."""
    assert LexicalIndex([]).scores({"a": 1.0}).tolist() == []
