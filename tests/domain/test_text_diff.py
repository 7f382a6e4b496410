"""Differences: what both versions hold can be put together from their pieces again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.text_diff import DiffPart, count_changed_lines, diff_lines, diff_words

TEXTS = st.text(alphabet="ab \n.é中", max_size=40)


@given(old=TEXTS, new=TEXTS)
def test_words_join_to_both_texts(old: str, new: str) -> None:
    """What stays and goes is the old text, what stays and comes the new one."""
    pieces = diff_words(old, new)
    assert "".join(piece.text for piece in pieces if piece.mark != "+") == old
    assert "".join(piece.text for piece in pieces if piece.mark != "-") == new


@given(old=TEXTS, new=TEXTS)
def test_lines_join_to_both_texts(old: str, new: str) -> None:
    """With all lines around, a change is both texts; without a changed line there is nothing."""
    pieces = [piece for group in diff_lines(old, new, around=100) for piece in group]
    if old.splitlines() == new.splitlines():
        assert pieces == []
        return
    assert [piece.text for piece in pieces if piece.mark != "+"] == old.splitlines()
    assert [piece.text for piece in pieces if piece.mark != "-"] == new.splitlines()


def test_far_changes_are_groups_of_their_own() -> None:
    """Between two changes far apart the lines that stay are left out."""
    old = "\n".join("abcdefghij")
    new = old.replace("a", "x").replace("j", "y")
    assert [*diff_lines(old, new, around=1)] == [
        [DiffPart("-", "a"), DiffPart("+", "x"), DiffPart(" ", "b")],
        [DiffPart(" ", "i"), DiffPart("-", "j"), DiffPart("+", "y")],
    ]
    assert count_changed_lines(old, new) == (2, 2)
