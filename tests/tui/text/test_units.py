"""Where words, sentences and paragraphs begin and end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from tests.tui.text.texts import segments_of, texts
from tui_annotate.domain.text_display import is_edge
from tui_annotate.tui.text.units import Characters, Paragraphs, SentenceUnits, TextUnits, WordUnits


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It was loved, by all.", ["It", "was", "loved", "by", "all"]),
        ("$4.2 million or 40% of 1,000", ["$4.2", "million", "or", "40%", "of", "1,000"]),
        ("the 15-year-old don't", ["the", "15-year-old", "don't"]),
        ("U.S. troops_here", ["U.S.", "troops", "here"]),
        ("裂缝于2018年", ["裂", "缝", "于", "2018", "年"]),
        ("ab中cd", ["ab", "中", "cd"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("カタ、한국어 слово", ["カ", "タ", "한국어", "слово"]),
        ("... — “ ”", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """Letters with what binds them, numbers with their signs, Han one by one; no punctuation."""
    assert [word.of(text) for word in WordUnits(text).within(0, len(text))] == words


def test_an_endless_word_is_cut() -> None:
    """A megabyte without a blank is still looked through piece by piece."""
    text = "x" * 1_000_000
    before = next(WordUnits(text).before(900_000))
    after = next(WordUnits(text).after(900_000))
    assert before.start < 900_000 < after.end


@given(texts)
def test_units_come_in_order_on_whole_clusters(text: str) -> None:
    """Units do not overlap, and a walk back gives those of the walk forward."""
    kinds: list[TextUnits] = [
        Characters(text),
        WordUnits(text),
        Paragraphs(text),
        SentenceUnits(text, segments_of(text)),
    ]
    for units in kinds:
        forward = list(units.after(0))
        assert all(a.end <= b.start for a, b in pairwise(forward))
        assert list(units.before(len(text)))[::-1] == forward
    assert all(is_edge(text, w.start) and is_edge(text, w.end) for w in WordUnits(text).after(0))


@given(texts)
def test_after_and_before_part_the_units(text: str) -> None:
    """After a place come the units that end behind it, before it those that start ahead of it."""
    kinds: list[TextUnits] = [
        WordUnits(text),
        Paragraphs(text),
        SentenceUnits(text, segments_of(text)),
    ]
    for units in kinds:
        every = list(units.after(0))
        for offset in range(0, len(text), 3):
            assert list(units.after(offset)) == [u for u in every if u.end > offset]
            assert list(units.before(offset))[::-1] == [u for u in every if u.start < offset]


def test_sentences_without_white_space() -> None:
    """A sentence is trimmed, a blank one is none."""
    text = " One.  \n\n Two."
    sentences = SentenceUnits(text, segments_of(text))
    assert [s.of(text) for s in sentences.after(0)] == ["One.", "Two."]
    assert sentences.index(0) == 0
    assert sentences.trimmed(99) is None


def test_paragraphs_skip_empty_lines() -> None:
    """Lines of nothing but white space are no paragraphs."""
    text = "One.\n\n  \nTwo.\n"
    assert [p.of(text) for p in Paragraphs(text).after(0)] == ["One.", "Two."]
