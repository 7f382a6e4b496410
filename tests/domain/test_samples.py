"""Samples, documents, matches."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import (
    STRENGTHS,
    Document,
    Match,
    Sample,
    SampleKey,
    Segment,
    Side,
    fingerprint,
)
from tui_annotate.domain.spans import Span

SAMPLE = Sample(
    "news",
    "7",
    (
        Document(Side.SOURCE, "One.", "a"),
        Document(Side.SOURCE, "Two.", "b"),
        Document(Side.SUMMARY, "Both."),
    ),
)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_document_is_known_by_the_hash_of_its_text(text: str) -> None:
    """The identity is SHA-256 over UTF-8, the same on either side."""
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert fingerprint(text) == expected
    assert Document(Side.SOURCE, text).sha256 == Document(Side.SUMMARY, text).sha256 == expected


def test_a_lone_surrogate_is_refused_with_its_place() -> None:
    """Half a character is told by code and offset."""
    with pytest.raises(InvalidInput, match=r"D83C.*3"):
        Document(Side.SOURCE, "ab🌉\ud83c")


def test_documents_are_counted_on_their_side() -> None:
    """A side gives its own documents, in order."""
    assert [document.text for document in SAMPLE.side(Side.SOURCE)] == ["One.", "Two."]
    assert SAMPLE.document(Side.SOURCE, 1).key == "b"
    assert SAMPLE.document(Side.SUMMARY).text == "Both."


@pytest.mark.parametrize(
    ("side", "index"), [(Side.SOURCE, 2), (Side.SUMMARY, 1), (Side.SOURCE, -1)]
)
def test_a_document_that_is_not_there_is_not_found(side: Side, index: int) -> None:
    """The message names sample, side and number."""
    with pytest.raises(NotFound, match=f"{side}.*{index}"):
        SAMPLE.document(side, index)


def test_a_key_names_dataset_and_id() -> None:
    """The key is a pair that reads as a path."""
    assert SAMPLE.key == SampleKey("news", "7")
    assert str(SAMPLE.key) == "news/7"


def test_the_other_side_of_the_other_side_is_this_side() -> None:
    """There are two sides."""
    assert Side.SOURCE.other is Side.SUMMARY
    assert Side.SUMMARY.other is Side.SOURCE


def test_a_segment_is_a_span() -> None:
    """A segment's extent is a span like any other."""
    assert Segment(2, 5).span == Span(2, 5)


@given(st.floats(0, 1), st.floats(0, 1))
def test_strength_grows_with_the_score_alone(one: float, other: float) -> None:
    """More score is never less strength; under the first step there is none."""

    def strength(score: float) -> int:
        return Match(0, 0, Span(0, 1), score, 1).strength

    assert 0 <= strength(one) <= len(STRENGTHS)
    assert (strength(one) <= strength(other)) or one > other
    assert (strength(one) == 0) == (one < STRENGTHS[0])
