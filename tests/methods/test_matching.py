"""Laws of the ranking: absolute, in order, ties as they are read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tui_annotate.domain.samples import STRENGTHS, Match, Segment, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.matching import (
    CANDIDATES,
    LONGEST,
    Query,
    SegmentIndex,
    VectorSpace,
    find_best_indices,
    find_touched_segments,
    query,
)
from tui_annotate.methods.segmentation import segment
from tui_annotate.methods.selection_vectors import SelectionVectors, Tokens

SUMMARY = "The bridge cost 15 million pounds. It was loved by all. "
SOURCES = (
    "The bridge reopened on Saturday. The work cost 12 million pounds. ",
    "Nobody came. The bridge opened in 1889. Nobody came. ",
)


def asked(text: str, part: str) -> Query:
    """The query for the first place of a part in a text."""
    start = text.index(part)
    found = query(text, segment(text), Span(start, start + len(part)))
    assert found is not None
    return found


def space(vectors: NDArray[np.float32], tokens: TokenBank | None = None) -> VectorSpace:
    """What is known of some segments; a row of zeros is nothing."""
    return VectorSpace(vectors, np.array(vectors.any(axis=1), np.bool_), tokens)


def looking_for(**bag: float) -> Query:
    """A query for some words that stand nowhere."""
    return Query("", "", bag, Span(0, 1), ())


def ranked(side: SegmentIndex, look: Query, cosines: NDArray[np.float32]) -> tuple[Match, ...]:
    """The ranking of a side whose cosines are given."""
    return side.rank(look, SelectionVectors(axes(1)[0]), cosines=cosines)


@pytest.fixture
def searched() -> SegmentIndex:
    """Two documents, without vectors."""
    return SegmentIndex.of(SOURCES, [segment(text) for text in SOURCES])


def axes(count: int, size: int = 4) -> NDArray[np.float32]:
    """Rows that point along the first axes, one after another."""
    return np.eye(size, dtype=np.float32)[np.arange(count) % size]


def test_a_query_holds_the_selection_and_its_sentence() -> None:
    """Words of the selection weigh 1, the others of its sentence a quarter."""
    found = asked(SUMMARY, "15 million")
    assert found.selection == "15 million"
    assert found.home == "The bridge cost 15 million pounds. "
    assert found.span.of(SUMMARY) == found.selection
    assert [
        word.text for word in found.words if found.span.overlap(Span(word.start, word.end))
    ] == [
        "15",
        "million",
    ]
    assert found.bag == {
        "the": 0.25,
        "bridge": 0.25,
        "cost": 0.25,
        "15": 1.0,
        "million": 1.0,
        "pounds": 0.25,
    }


def test_a_selection_over_sentences_has_both_at_home() -> None:
    """The home is the union of the sentences that are touched."""
    assert asked(SUMMARY, "pounds. It was").home == SUMMARY


def test_a_word_that_is_touched_is_selected() -> None:
    """Half a word counts as the word."""
    assert asked(SUMMARY, "illi").bag["million"] == 1.0


def test_a_selection_without_words_stands_for_its_sentence() -> None:
    """A full stop alone asks for what the sentence says."""
    found = asked(SUMMARY, ". It"[:1])
    assert found.selection == found.home
    assert set(found.bag.values()) == {1.0}


def test_nothing_to_look_for() -> None:
    """White space is no query, nor is a text without words."""
    assert query(SUMMARY, segment(SUMMARY), Span(len(SUMMARY) - 1, len(SUMMARY))) is None
    assert query("... !", segment("... !"), Span(0, 3)) is None


def test_a_huge_selection_is_looked_at_in_part() -> None:
    """So that selecting everything costs no more than selecting much."""
    text = "word " * 10_000
    found = query(text, [Segment(0, len(text))], Span(0, len(text)))
    assert found is not None
    assert len(found.selection) <= LONGEST
    assert len(found.home) <= 2 * LONGEST


def test_every_segment_is_ranked_once(searched: SegmentIndex) -> None:
    """Ranks count from 1, scores fall, and spans are those of the segments."""
    matches = searched.rank(asked(SUMMARY, "15 million pounds"))
    assert len(searched) == len(matches) == 5
    assert [match.rank for match in matches] == [1, 2, 3, 4, 5]
    assert [match.score for match in matches] == sorted(
        (match.score for match in matches), reverse=True
    )
    best = matches[0]
    assert (best.document, best.segment) == (0, 1)
    assert best.span.of(SOURCES[0]) == "The work cost 12 million pounds. "
    assert set(best.signals) == {"words"}


def test_ties_stand_in_reading_order(searched: SegmentIndex) -> None:
    """The same sentence twice: the first comes first."""
    twins = [match for match in searched.rank(asked(SUMMARY, "loved")) if match.document == 1]
    same = [match.segment for match in twins if match.segment != 1]
    assert same == [0, 2]


def test_the_top_is_what_is_strong_enough(searched: SegmentIndex) -> None:
    """At most so many, and nothing under the first strength."""
    some = searched.rank(asked(SUMMARY, "15 million pounds"), top=2)
    assert 1 <= len(some) <= 2
    assert all(match.score >= STRENGTHS[0] for match in some)
    assert searched.rank(looking_for(elsewhere=1.0), top=5) == ()


def test_vectors_are_fused_with_words() -> None:
    """With the weights that are said, and each signal told beside the score."""
    texts = ["One river. Two boats. "]
    both = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(space(axes(2)))
    vector = np.array([0.6, 0.8, 0, 0], np.float32)
    cosines = both.similarities(vector)
    assert cosines.tolist() == pytest.approx([0.6, 0.8], abs=1e-3)
    first, second = both.rank(looking_for(nowhere=1.0), SelectionVectors(vector))
    assert (first.segment, second.segment) == (1, 0)
    assert first.signals == {"words": 0.0, "vectors": pytest.approx(0.8, abs=1e-3)}


def test_one_kind_of_signal_ranks_alone() -> None:
    """Its order is its own, and nothing else is told; by vectors that are not there, nothing."""
    texts = ["One river. Two boats. "]
    both = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(space(axes(2)))
    cosines = np.array([0.1, 0.9], np.float32)
    look = looking_for(river=1.0)
    for by, expected in ((Signals.WORDS, 0), (Signals.VECTORS, 1)):
        matches = both.rank(look, SelectionVectors(axes(1)[0]), cosines=cosines, by=by)
        assert matches[0].segment == expected
        assert {name for match in matches for name in match.signals} == {by.value}
    assert both.rank(look, by=Signals.VECTORS) == ()


def test_vectors_of_whole_sentences_are_a_signal_of_their_own() -> None:
    """They say less of a selection, so they are told apart."""
    texts = ["One river. Two boats. "]
    both = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(space(axes(2)))
    meaning = SelectionVectors(axes(1)[0], of_sentences=True)
    (first, _) = both.rank(looking_for(nowhere=1.0), meaning)
    assert first.signals == {"words": 0.0, "sentences": 1.0}
    (alone, _) = both.rank(looking_for(nowhere=1.0), meaning, by=Signals.VECTORS)
    assert set(alone.signals) == {"sentences"}


def test_of_a_segment_without_a_vector_words_alone_are_told() -> None:
    """Not a likeness of 0, which nobody measured."""
    texts = ["One river. Two boats. "]
    half = np.array([axes(1)[0], np.zeros(4)], np.float32)
    some = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(space(half))
    report = {
        match.segment: set(match.signals)
        for match in some.rank(looking_for(boats=1.0), SelectionVectors(axes(1)[0]))
    }
    assert report == {0: {"words", "vectors"}, 1: {"words"}}


def test_shared_signs_say_more_than_shared_words() -> None:
    """By half again where all of the query is signs: reworded, most of its pairs are gone."""
    texts = ["桥梁建成于一九三二年。"]
    side = SegmentIndex.of(texts, [segment(texts[0])])
    look = asked("桥梁花费很多。", "桥梁花费")
    assert look.unspaced == 1.0
    (match,) = side.rank(look)
    (plain,) = side.rank(replace(look, unspaced=0.0))
    assert match.signals["words"] == pytest.approx(1.5 * plain.signals["words"])


def test_cosines_count_from_the_floor() -> None:
    """What all texts have in common in a model is no likeness."""
    texts = ["One river. Two boats. "]
    some = VectorSpace(axes(2), np.ones(2, np.bool_), floor=0.6)
    both = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(some)
    vector = np.array([0.6, 0.8, 0, 0], np.float32)
    found = {
        match.segment: match.signals["vectors"]
        for match in both.rank(looking_for(nowhere=1.0), SelectionVectors(vector))
    }
    assert found == {0: pytest.approx(0, abs=1e-3), 1: pytest.approx(0.5, abs=1e-3)}


def test_the_last_bits_of_a_cosine_make_no_other_order() -> None:
    """Two that are alike here stay in reading order, though elsewhere they came out otherwise."""
    texts = ["One river. Two boats. "]
    both = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(space(axes(2)[[0, 0]]))
    look, meaning = looking_for(nowhere=1.0), SelectionVectors(axes(1)[0])
    nearly = np.array([1.0 - 1e-6, 1.0], np.float32)
    assert both.rank(look, meaning, cosines=nearly) == both.rank(look, meaning)
    other = both.rank(look, meaning, cosines=np.array([0.9, 1.0], np.float32))
    assert [match.segment for match in other] == [1, 0]


def test_a_negative_cosine_is_no_likeness() -> None:
    """Signals are clipped to [0, 1]."""
    texts = ["One river. "]
    both = SegmentIndex.of(texts, [segment(texts[0])]).with_vectors(space(axes(1)))
    (match,) = both.rank(looking_for(one=1.0), SelectionVectors(-axes(1)[0]))
    assert match.signals["vectors"] == 0.0


def test_there_is_no_cosine_without_vectors(searched: SegmentIndex) -> None:
    """Asking for one is a mistake of the caller."""
    with pytest.raises(ValueError, match="no vectors"):
        searched.similarities(np.zeros(4, np.float32))


@given(
    st.lists(st.floats(0, 1, width=32), min_size=2, max_size=6),
    st.lists(st.floats(0, 1, width=32), min_size=2, max_size=6),
)
def test_a_score_does_not_depend_on_the_other_cosines(
    these: list[float], others: list[float]
) -> None:
    """The first segment's score is the same, whatever the others reach."""
    count = min(len(these), len(others))
    text = "One river. " * count
    both = SegmentIndex.of([text], [segment(text)]).with_vectors(space(axes(count)))
    look = looking_for(river=1.0)
    first = np.array(these[:count], np.float32)
    second = np.array([these[0], *others[1:count]], np.float32)
    scores = [
        next(match.score for match in ranked(both, look, cosines) if match.segment == 0)
        for cosines in (first, second)
    ]
    assert scores[0] == scores[1]
    assert 0 <= scores[0] <= 1


def test_more_of_either_signal_scores_more() -> None:
    """The fusion and its calibration are monotone."""
    text = "One river. One boat. "
    both = SegmentIndex.of([text], [segment(text)]).with_vectors(space(axes(2)))
    look = looking_for(river=1.0)

    def score(cosine: float) -> float:
        return ranked(both, look, np.array([cosine, 0], np.float32))[0].score

    assert score(0.1) < score(0.2) < score(0.9)


# tokens -----------------------------------------------------------------------------------------


def bank(*texts: NDArray[np.float32]) -> TokenBank:
    """A bank with these tokens for each text."""
    counts = [len(rows) for rows in texts]
    nothing = np.zeros(sum(counts), np.int32)
    vectors = np.concatenate(texts) * 127
    return TokenBank(vectors.astype(np.int8), np.cumsum([0, *counts]), nothing, nothing)


def like(at: int) -> SelectionVectors:
    """What one selected token means that points along an axis."""
    row = axes(at + 1)[at : at + 1]
    return SelectionVectors(row[0], Tokens(row, np.ones(1, np.float32), ["river"]))


def test_tokens_take_part() -> None:
    """A segment that holds the token is better than one that does not, and says so."""
    text = "One river. One boat. "
    tokens = bank(axes(2)[:1], axes(2)[1:])
    side = SegmentIndex.of([text], [segment(text)]).with_vectors(space(axes(2)[::-1], tokens))
    first, second = side.rank(looking_for(nowhere=1.0), like(0), cosines=np.zeros(2, np.float32))
    assert (first.segment, first.signals["tokens"]) == (0, 1.0)
    assert (second.segment, second.signals["tokens"]) == (1, 0.0)
    assert set(first.signals) == {"words", "vectors", "tokens"}
    alone = side.rank(looking_for(nowhere=1.0), like(0), by=Signals.VECTORS)
    assert set(alone[0].signals) == {"vectors", "tokens"}


def test_only_the_candidates_tokens_are_looked_at() -> None:
    """Of a long text those that the other signals put first; the rest stay in the ranking."""
    count = CANDIDATES + 6
    text = "One river. " * count
    tokens = bank(*[axes(1)] * count)
    side = SegmentIndex.of([text], [segment(text)]).with_vectors(space(axes(count), tokens))
    cosines = np.linspace(0, 1, count, dtype=np.float32)
    matches = side.rank(looking_for(nowhere=1.0), like(0), cosines=cosines)
    assert len(matches) == count
    assert sum(match.signals["tokens"] == 1.0 for match in matches) == CANDIDATES
    assert {match.segment for match in matches[-6:]} == set(range(6))


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=30), st.integers(1, 40)
)
def test_the_best_are_those_of_a_stable_sort(values: list[float], count: int) -> None:
    """The greatest first, equals in their order."""
    found = find_best_indices(np.array(values, np.float32), count)
    expected = sorted(range(len(values)), key=lambda at: -values[at])[:count]
    assert found.tolist() == expected


def test_what_a_span_touches() -> None:
    """The segments that share a code point with it."""
    cut = segment(SUMMARY)
    assert find_touched_segments(cut, Span(0, 3)) == range(1)
    assert find_touched_segments(cut, Span(cut[1].start - 1, cut[1].start + 1)) == range(2)
    assert find_touched_segments(cut, Span(cut[1].start, cut[1].start + 1)) == range(1, 2)
    assert find_touched_segments(cut, Span(0, cut[1].start)) == range(1)
