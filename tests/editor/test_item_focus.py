"""Digits are off after a save until the cursor moves, text is selected, or the item is edited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import draft, key, keys, store
from tui_annotate.domain.samples import Side
from tui_annotate.editor.effects import Save
from tui_annotate.editor.key_state import NOTE, OPTION

_MOVES = ["down", "up", "right", "left", "w", "b", ".", ","]
_OTHERS = ["1", "2", "3", "6", "0", "a", "A", "e", "x", "enter", "backspace", "space", "tab", "r"]


@given(st.lists(st.sampled_from(_MOVES + _OTHERS), max_size=30))
def test_an_item_in_focus_holds_the_digits_back(pressed: list[str]) -> None:
    """Whatever is pressed; only an edit lets them act, and a move takes the focus away."""
    made = draft()
    for name in pressed:
        asked = made.state in OPTION | NOTE
        effects = key(made, name)
        if any(isinstance(effect, Save) for effect in effects):
            assert made.digits_off
            store(made, effects)
        if made.focused and not made.editing:
            assert made.digits_off
        if made.just_saved:
            assert made.just_saved == made.focused
            assert made.digits_off
        if name in _MOVES and not asked:
            assert not made.digits_off
            assert made.focused == ""


def test_a_digit_does_nothing_between_a_save_and_the_next_move() -> None:
    """The next claim was not looked at."""
    made = draft()
    saved = store(made, key(made, "3"))
    assert made.just_saved == made.focused == saved.id
    assert not any(isinstance(effect, Save) for effect in key(made, "3"))
    keys(made, "down")
    assert made.side is Side.SUMMARY
    assert any(isinstance(effect, Save) for effect in key(made, "2"))
