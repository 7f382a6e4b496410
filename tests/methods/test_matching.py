"""Laws of the ranking: absolute, in order, ties as they are read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tui_annotate.domain.samples import STRENGTHS, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.methods.matching import (
    CONTEXT,
    LONGEST,
    WORDS,
    Query,
    Searched,
    blend,
    query,
)
from tui_annotate.methods.segmentation import segment

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


@pytest.fixture
def searched() -> Searched:
    """Two documents, without vectors."""
    return Searched(SOURCES, [segment(text) for text in SOURCES])


def axes(count: int, size: int = 4) -> NDArray[np.float32]:
    """Rows that point along the first axes, one after another."""
    return np.eye(size, dtype=np.float32)[np.arange(count) % size]


def test_a_query_holds_the_selection_and_its_sentence() -> None:
    """Words of the selection weigh 1, the others of its sentence a quarter."""
    found = asked(SUMMARY, "15 million")
    assert found.selection == "15 million"
    assert found.home == "The bridge cost 15 million pounds. "
    assert found.bag == {
        "the": CONTEXT,
        "bridge": CONTEXT,
        "cost": CONTEXT,
        "15": 1.0,
        "million": 1.0,
        "pounds": CONTEXT,
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


def test_every_segment_is_ranked_once(searched: Searched) -> None:
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


def test_ties_stand_in_reading_order(searched: Searched) -> None:
    """The same sentence twice: the first comes first."""
    twins = [match for match in searched.rank(asked(SUMMARY, "loved")) if match.document == 1]
    same = [match.segment for match in twins if match.segment != 1]
    assert same == [0, 2]


def test_the_top_is_what_is_strong_enough(searched: Searched) -> None:
    """At most so many, and nothing under the first strength."""
    some = searched.rank(asked(SUMMARY, "15 million pounds"), top=2)
    assert 1 <= len(some) <= 2
    assert all(match.score >= STRENGTHS[0] for match in some)
    assert searched.rank(Query("", "", {"elsewhere": 1.0}), top=5) == ()


def test_vectors_are_fused_with_words() -> None:
    """With the weights that are said, and each signal told beside the score."""
    texts = ["One river. Two boats. "]
    both = Searched(texts, [segment(texts[0])], axes(2))
    vector = np.array([0.6, 0.8, 0, 0], np.float32)
    cosines = both.similarities(vector)
    assert cosines.tolist() == pytest.approx([0.6, 0.8])
    first, second = both.rank(Query("", "", {"nowhere": 1.0}), cosines)
    assert (first.segment, second.segment) == (1, 0)
    assert first.signals == {"words": 0.0, "vectors": pytest.approx(0.8)}


def test_a_negative_cosine_is_no_likeness() -> None:
    """Signals are clipped to [0, 1]."""
    texts = ["One river. "]
    both = Searched(texts, [segment(texts[0])], axes(1))
    (match,) = both.rank(Query("", "", {"one": 1.0}), np.array([-0.5], np.float32))
    assert match.signals["vectors"] == 0.0


def test_there_is_no_cosine_without_vectors(searched: Searched) -> None:
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
    both = Searched([text], [segment(text)], axes(count))
    look = Query("", "", {"river": 1.0})
    first = np.array(these[:count], np.float32)
    second = np.array([these[0], *others[1:count]], np.float32)
    scores = [
        next(match.score for match in both.rank(look, cosines) if match.segment == 0)
        for cosines in (first, second)
    ]
    assert scores[0] == scores[1]
    assert 0 <= scores[0] <= 1


def test_more_of_either_signal_scores_more() -> None:
    """The fusion and its calibration are monotone."""
    text = "One river. One boat. "
    both = Searched([text], [segment(text)], axes(2))
    look = Query("", "", {"river": 1.0})

    def score(cosine: float) -> float:
        return both.rank(look, np.array([cosine, 0], np.float32))[0].score

    assert score(0.1) < score(0.2) < score(0.9)
    assert 0 < WORDS < 1


def test_the_blend_is_a_unit_vector() -> None:
    """Mostly the selection, some of its sentence; zeros stay zeros."""
    selection, home = axes(2)
    mixed = blend(selection, home)
    assert float(np.linalg.norm(mixed)) == pytest.approx(1)
    assert mixed[0] > mixed[1] > 0
    assert not blend(np.zeros(4, np.float32), np.zeros(4, np.float32)).any()
