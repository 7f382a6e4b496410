"""Moves, selections and how they grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.text.texts import FAMILY, segments_of, texts
from tui_annotate.domain.spans import Span
from tui_annotate.domain.text_display import is_edge
from tui_annotate.tui.text.cursor import TextCursor

UNITS = ("char", "word", "sentence", "paragraph", "start", "end")

TEXT = "One was loved. Two cost $4.2 million.\n\n三被发现。四。"
# sentences:  0-14          15-37                39..


def at(offset: int, text: str = TEXT) -> TextCursor:
    """A cursor on a character of a text."""
    cursor = TextCursor(text, segments_of(text))
    cursor.place(offset)
    return cursor


def selected(cursor: TextCursor) -> str | None:
    """The selected text."""
    return None if cursor.selection is None else cursor.selection.of(cursor.text)


moves = st.lists(
    st.tuples(st.sampled_from(UNITS), st.integers(-3, 3), st.booleans())
    | st.sampled_from(["swap", "word", "grow", "less", "drop"]),
    max_size=12,
)


def do(cursor: TextCursor, move: object) -> None:
    """One of `moves`."""
    match move:
        case (str(unit), int(step), bool(extend)):
            cursor.move(unit, step, extend=extend)
        case "swap":
            cursor.swap_ends()
        case "word":
            cursor.select_word()
        case "drop":
            cursor.select(None)
        case _:
            cursor.grow(1 if move == "grow" else -1)


@given(texts, moves)
def test_moves_stay_on_whole_clusters(text: str, steps: list[object]) -> None:
    """After any moves the cursor is on a character of the text, inside the selection."""
    cursor = TextCursor(text, segments_of(text))
    for step in steps:
        do(cursor, step)
        if not text:
            assert cursor.offset == 0
            continue
        assert 0 <= cursor.offset < len(text)
        assert is_edge(text, cursor.offset)
        span = cursor.selection
        if span is not None:
            assert is_edge(text, span.start)
            assert is_edge(text, span.end)
            assert span.contains(Span(cursor.offset, cursor.offset + 1))
            assert span.end <= len(text)


@given(texts.filter(bool), st.sampled_from(UNITS[:4]), st.integers(1, 3))
def test_extending_takes_in_and_swapping_keeps(text: str, unit: str, step: int) -> None:
    """What extends forward grows; the ends may be swapped without a change."""
    cursor = TextCursor(text, segments_of(text))
    cursor.move("char", 2)
    before = cursor.offset
    cursor.move(unit, step, extend=True)
    span = cursor.selection
    if span is not None:
        assert span.start == before
        cursor.swap_ends()
        assert cursor.selection == span


@pytest.mark.parametrize(
    ("unit", "start", "forward", "back"),
    [
        ("char", 4, 5, 3),
        ("word", 5, 8, 4),
        ("sentence", 20, 39, 0),
        ("sentence", 14, 15, 14),
        ("sentence", 38, 39, 0),
        ("paragraph", 20, 39, 0),
        ("start", 20, 0, 0),
        ("end", 20, len(TEXT) - 1, len(TEXT) - 1),
    ],
)
def test_moves_by_unit(unit: str, start: int, forward: int, back: int) -> None:
    """A move ends on the first character of a unit; a sentence is left from anywhere in it."""
    cursor = at(start)
    cursor.move(unit, 1)
    assert cursor.offset == forward
    cursor = at(start)
    cursor.move(unit, -1)
    assert cursor.offset == back


def test_a_move_past_the_last_unit_stays() -> None:
    """Nothing happens where there is no further unit."""
    cursor = at(len(TEXT) - 2)
    cursor.move("sentence", 3)
    assert cursor.offset == len(TEXT) - 2
    cursor.move("sentence", -9)
    assert cursor.offset == 0


def test_the_first_extension_takes_the_unit_under_the_cursor() -> None:
    """One press selects the character, or the rest of the word or sentence, and no more."""
    for unit, expected in (("char", "w"), ("word", "was"), ("sentence", "was loved.")):
        cursor = at(4)
        cursor.move(unit, 1, extend=True)
        assert selected(cursor) == expected


def test_an_extension_gives_back_before_the_other_end_grows() -> None:
    """Back from two sentences is one; back from one takes the sentence before it in too."""
    cursor = at(15)
    cursor.grow(1)
    cursor.move("sentence", 1, extend=True)
    assert selected(cursor) == TEXT[15:44]
    cursor.move("sentence", -1, extend=True)
    assert selected(cursor) == "Two cost $4.2 million."
    cursor.move("sentence", -1, extend=True)
    assert selected(cursor) == TEXT[:37]
    cursor.move("sentence", 1, extend=True)
    assert selected(cursor) == "Two cost $4.2 million."
    cursor.move("sentence", 1, extend=True)
    assert selected(cursor) == TEXT[15:44]


def test_a_character_at_a_time_turns_around_its_anchor() -> None:
    """Left of the first character selected, the selection grows to the left."""
    cursor = at(5)
    spans = []
    for step in (1, 1, -1, -1, 1, 1):
        cursor.move("char", step, extend=True)
        spans.append(selected(cursor))
    assert spans == ["a", "as", "a", "wa", "a", "as"]


def test_words_under_the_cursor() -> None:
    """The word here, else the next of the line, else the character alone."""
    cases = ((8, "loved"), (14, "Two"), (24, "$4.2"), (41, "发"), (37, "\n"))
    for offset, word in cases:
        cursor = at(offset)
        cursor.select_word()
        assert selected(cursor) == word


def test_growing_by_sentences_and_back() -> None:
    """Nothing, the sentence, the next one too; and the same way back."""
    cursor = at(20)
    seen = [selected(cursor)]
    for step in (1, 1, 1, -1, -1, -1, -1):
        cursor.grow(step)
        seen.append(selected(cursor))
    one, two, three = TEXT[15:37], TEXT[15:44], TEXT[15:46]
    assert seen == [None, one, two, three, two, one, None, None]
    assert cursor.offset == 20


def test_growing_from_a_part() -> None:
    """A part of a sentence first gets the rest of it, and the way back ends at the part."""
    cursor = at(8)
    cursor.select(Span(8, 13))
    cursor.grow(1)
    assert selected(cursor) == "loved."
    cursor.grow(1)
    assert selected(cursor) == TEXT[8:37]
    cursor.grow(-1)
    cursor.grow(-1)
    assert selected(cursor) == "loved"
    cursor.grow(-1)
    assert selected(cursor) is None


def test_the_hand_stays_at_the_end_that_it_took() -> None:
    """Swapping ends between more and less changes neither what less gives nor who holds what."""
    cursor = at(8)
    cursor.select(Span(8, 13))
    cursor.grow(1)
    cursor.grow(1)
    cursor.swap_ends()
    for wanted in ("loved.", "loved"):
        cursor.grow(-1)
        assert (selected(cursor), cursor.offset) == (wanted, 8)
    cursor = at(20)
    cursor.grow(1)
    cursor.swap_ends()
    cursor.grow(-1)
    assert (selected(cursor), cursor.offset) == (None, 20)


def test_less_of_what_was_selected_otherwise() -> None:
    """Without steps to take back, the last sentence goes; of one sentence nothing is left."""
    cursor = at(0)
    cursor.select(Span(4, 40))
    cursor.grow(-1)
    assert selected(cursor) == TEXT[4:37]
    cursor.grow(-1)
    assert selected(cursor) == "was loved."
    cursor.grow(-1)
    assert selected(cursor) is None


def test_growing_at_the_end_stays() -> None:
    """There is no sentence after the last."""
    cursor = at(45)
    cursor.grow(1)
    cursor.grow(1)
    assert selected(cursor) == "四。"


def test_selections_take_whole_clusters() -> None:
    """A span inside a family of emoji selects the family, the cursor on it."""
    cursor = at(0, f"a{FAMILY}b")
    cursor.select(Span(2, 3))
    assert selected(cursor) == FAMILY
    assert cursor.character == Span(1, 1 + len(FAMILY))


def test_an_empty_text_has_no_character() -> None:
    """There is nothing that could be meant."""
    cursor = TextCursor("", ())
    assert (cursor.character, cursor.segment) == (None, 0)


def test_there_is_no_such_unit() -> None:
    """A unit that is not known is an error of the program."""
    with pytest.raises(KeyError):
        at(0).move("chapter", 1)
