"""Letters on words: codes and the way from two words to a selection."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import SUMMARY, code, draft, keys, said, typed_codes
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import cursor_actions
from tui_annotate.editor.effects import Blink, Select
from tui_annotate.editor.hints import LETTERS, MOST, WordHints, make_codes
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import Draft, SideCursor


@given(st.integers(0, MOST + 50))
def test_no_code_begins_another(count: int) -> None:
    """Codes are unique, prefix-free, shortest first, and at most two letters long."""
    made = make_codes(count)
    assert len(made) == len(set(made)) == min(count, MOST)
    assert [len(code) for code in made] == sorted(len(code) for code in made)
    singles = {code for code in made if len(code) == 1}
    assert not any(code[0] in singles for code in made if len(code) == 2)


def test_few_words_need_one_letter_each() -> None:
    """Twenty-six words fit one letter; a hundred leave most of the sentence one."""
    assert {len(code) for code in make_codes(26)} == {1}
    assert sum(len(code) == 1 for code in make_codes(100)) == 23


def words() -> list[tuple[Span]]:
    """The words of the summary, none of which touches another."""
    spans, start = [], 0
    for word in SUMMARY.split():
        start = SUMMARY.index(word, start)
        spans.append((Span(start, start + len(word)),))
        start += len(word)
    return spans


def test_the_sentence_of_the_cursor_gets_the_first_letters_in_reading_order() -> None:
    """Near words are quickest, and their letters follow the line."""
    made = draft()
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 30))
    keys(made, "f")
    cursor_actions.show_hints(made, words())
    assert made.hints is not None
    shown = {word.of(SUMMARY): code for code, word in made.hints.shown().items()}
    assert [shown[word] for word in ["It", "cost", "15", "million", "pounds."]] == list(LETTERS[:5])


def hinting(on: Draft) -> bool:
    """Whether letters stand on words."""
    return on.hints is not None


def hinted() -> tuple[WordHints, Span]:
    """Thirty words in a row, and the place of the first."""
    spans = [Span(at * 3, at * 3 + 2) for at in range(30)]
    return WordHints.over(Side.SUMMARY, [(span,) for span in spans], spans[0]), spans[0]


def test_two_words_make_a_selection_in_either_order() -> None:
    """First and last word, or last and first: the same span."""
    for order in ("a d", "d a"):
        made = draft()
        cursor_actions.show_hints(made, words())
        first, last = order.split()
        keys(made, first)
        assert made.hints is not None
        assert made.hints.first
        assert keys(made, last) == [Select(Side.SUMMARY, Span(0, 12))]
        assert made.hints is None


def touching() -> WordHints:
    """Forty Chinese characters, in pairs, and one more."""
    pairs = [(Span(at, at + 1), Span(at + 1, at + 2)) for at in range(0, 40, 2)]
    return WordHints.over(Side.SUMMARY, [*pairs, (Span(40, 41),)], Span(0, 1))


def test_a_capital_takes_the_word_behind_the_letter() -> None:
    """Any two characters take two letters, whichever are hidden; a lone one takes either."""
    hints = touching()
    ways = typed_codes(hints)
    assert sorted(ways) == [Span(at, at + 1) for at in range(41)]
    assert set(hints.shown().values()) == {Span(at, at + 1) for at in range(0, 41, 2)}
    for first, last in [(0, 1), (1, 1), (2, 7), (7, 12), (39, 40)]:
        hints.first = None
        assert hints.type(ways[Span(first, first + 1)]) == Span(first, first + 1)
        assert hints.type(ways[Span(last, last + 1)]) == Span(first, last + 1)
    hints.first = None
    assert hints.type(ways[Span(40, 41)].upper()) == Span(40, 41)


def test_the_line_tells_of_capitals_where_they_are_of_use() -> None:
    """In English none is."""
    made = draft()
    cursor_actions.show_hints(made, words())
    plain = said(made)
    made.hints = touching()
    assert made.hints.in_pairs
    assert said(made) != plain


def test_enter_after_the_first_word_takes_the_one() -> None:
    """The word stays selected, the letters go."""
    made = draft()
    cursor_actions.show_hints(made, words())
    assert keys(made, "s") == [Select(Side.SUMMARY, Span(4, 8))]
    assert keys(made, "enter") == []
    assert made.hints is None


def test_backspace_takes_back_a_letter_then_the_letters() -> None:
    """An open code first; then all letters; Esc at once."""
    made = draft()
    hints, _ = hinted()
    made.hints = hints
    prefix = next(code[0] for code in hints.words if len(code) == 2)
    assert keys(made, prefix) == []
    assert hints.typed == prefix
    assert all(len(code) == 1 for code in hints.shown())
    assert keys(made, "backspace") == []
    assert hints.typed == ""
    assert hinting(made)
    assert keys(made, "backspace") == []
    assert not hinting(made)
    made.hints = hints
    keys(made, f"{prefix} escape")
    assert not hinting(made)
    assert cursor_actions.press_hint_key(made, "a") == []


def test_a_letter_that_fits_nothing_blinks() -> None:
    """Also an arrow; the letters stay."""
    made = draft()
    cursor_actions.show_hints(made, words()[:3])
    assert keys(made, "z") == [Blink()]
    assert keys(made, "down") == [Blink()]
    assert made.hints is not None


def test_letters_wake_the_digits() -> None:
    """Selecting by letters is selecting."""
    made = draft()
    made.focus_annotation("")
    cursor_actions.show_hints(made, words())
    keys(made, "a s")
    assert not made.digits_off


def test_without_words_on_screen_nothing_is_hinted() -> None:
    """An empty pane says so."""
    made = draft()
    cursor_actions.show_hints(made, [])
    assert made.hints is None
    assert code(made) is MessageCode.NO_WORDS_ON_SCREEN
