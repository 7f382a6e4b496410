"""What a selection means: mostly itself, some of its sentence, nothing where nothing is known."""

from __future__ import annotations

import numpy as np
import pytest

from tui_annotate.domain.spans import Span
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.lexical import find_words
from tui_annotate.methods.selection_vectors import (
    MOST_TOKENS,
    REST,
    average_sentences,
    blend_with_sentence,
    find_least_cosine,
    pool_tokens,
)

TEXT = "A river runs. A boat sails."
STARTS = (0, 14)


def bank() -> TokenBank:
    """The words of the two sentences of the text, each along an axis of its own."""
    places = [[(0, 1), (2, 7), (8, 12)], [(0, 1), (2, 6), (7, 12)]]
    starts, ends = np.array([place for own in places for place in own], np.int32).T
    return TokenBank(np.eye(6, dtype=np.int8) * 100, np.array([0, 3, 6]), starts, ends)


def test_a_new_vector_is_mostly_the_selections() -> None:
    """Of unit length, with some of the sentence's; zeros mean nothing."""
    selection, home = np.eye(2, dtype=np.float32)
    mixed = blend_with_sentence(selection, home)
    assert mixed is not None
    assert float(np.linalg.norm(mixed.vector)) == pytest.approx(1)
    assert mixed.vector[0] > mixed.vector[1] > 0
    assert (mixed.tokens, mixed.of_sentences) == (None, False)
    assert blend_with_sentence(selection * 0, home) is None


def test_sentences_stand_in_together() -> None:
    """Their mean, at unit length; zeros mean nothing."""
    both = average_sentences(np.eye(2, dtype=np.float32))
    assert both is not None
    assert both.vector.tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
    assert both.of_sentences
    assert average_sentences(np.zeros((2, 3), np.float32)) is None


def test_a_selection_in_context_is_the_mean_of_its_tokens() -> None:
    """Over sentences as well; the rest of them whispers."""
    chosen = Span(TEXT.index("runs"), TEXT.index("A boat") + 6)
    found = pool_tokens(bank(), STARTS, selection=chosen, words=list(find_words(TEXT)))
    assert found is not None
    assert np.flatnonzero(found.vector).tolist() == [2, 3, 4]
    assert found.tokens is not None
    assert found.tokens.words == ["runs", "a", "boat", "a", "river", "sails"]
    assert found.tokens.emphasis.tolist() == pytest.approx([1, 1, 1, REST, REST, REST])


def test_a_selection_without_tokens_stands_for_its_sentence() -> None:
    """A full stop means what the sentence does; without any token there is no meaning."""
    stop = Span(TEXT.index("."), TEXT.index(".") + 1)
    found = pool_tokens(bank().part(0, 1), STARTS[:1], selection=stop, words=list(find_words(TEXT)))
    assert found is not None
    assert np.flatnonzero(found.vector).tolist() == [0, 1, 2]
    assert found.tokens is not None
    assert set(found.tokens.emphasis.tolist()) == {1.0}
    empty = bank().part(0, 0)
    assert pool_tokens(empty, (), selection=stop, words=()) is None


def test_a_piece_has_the_word_that_it_is_part_of() -> None:
    """So do the signs of a script without spaces; what is in no word has none."""
    text = "rivers 河流. "
    starts = np.array([0, 5, 7, 8, 9], np.int32)
    pieces = TokenBank(
        np.eye(5, dtype=np.int8), np.array([0, 5]), starts, np.array([5, 6, 8, 9, 10], np.int32)
    )
    found = pool_tokens(pieces, (0,), selection=Span(0, 10), words=list(find_words(text)))
    assert found is not None
    assert found.tokens is not None
    assert found.tokens.words == ["rivers", "rivers", "河", "流", ""]


def test_a_huge_selection_is_looked_at_in_part() -> None:
    """What is selected before what is not."""
    count = MOST_TOKENS + 50
    starts = np.arange(count, dtype=np.int32)
    pieces = TokenBank(np.ones((count, 2), np.int8), np.array([0, count]), starts, starts + 1)
    found = pool_tokens(pieces, (0,), selection=Span(60, count), words=())
    assert found is not None
    assert found.tokens is not None
    assert len(found.tokens.vectors) == MOST_TOKENS
    assert (found.tokens.emphasis == 1).sum() == count - 60


def test_a_likeness_begins_above_what_all_have_in_common() -> None:
    """The least cosine of any two rows, of one side or of two; zeros and few rows tell nothing."""
    rows = np.zeros((6, 8), np.float32)
    rows[:, 0], rows[range(6), range(1, 7)] = 0.8, 0.6
    assert find_least_cosine(rows[:3], rows[3:]) == pytest.approx(0.64)
    assert find_least_cosine(np.eye(8, dtype=np.float32)) == 0
    assert find_least_cosine(-rows, rows) == 0
    assert find_least_cosine(rows[:5], np.zeros((9, 8), np.float32)) == 0
    many = rows[np.arange(1000) % 6]
    assert find_least_cosine(many, rows) == pytest.approx(0.64)
