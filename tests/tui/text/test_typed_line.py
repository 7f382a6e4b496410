"""The line that is being typed in a form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui_annotate.tui.text.typed_line import DOT, TypedLine

KEYS = ["left", "right", "home", "end", "backspace", "delete", "ctrl+u", "ctrl+w", "ctrl+a"]


@pytest.mark.parametrize(
    ("keys", "text", "at"),
    [
        ("", "ana at home", 11),
        ("home x", "xana at home", 1),
        ("left left backspace", "ana at hme", 8),
        ("home delete end y", "na at homey", 11),
        ("ctrl+w", "ana at ", 7),
        ("ctrl+w ctrl+w", "ana ", 4),
        ("ctrl+w ctrl+w ctrl+w ctrl+w", "", 0),
        ("left ctrl+u", "e", 0),
        ("ctrl+a ctrl+d right right right right right right right ctrl+e", "na at home", 10),
        ("home backspace left", "ana at home", 0),
    ],
)
def test_keys_edit_as_in_every_line(keys: str, text: str, at: int) -> None:
    """What is typed goes in at the cursor, which stays inside."""
    line = TypedLine("ana at home", 11)
    for key in keys.split():
        if not line.edit(key):
            line.insert(key)
    assert (line.text, line.at) == (text, at)


def test_a_key_without_a_meaning_is_told() -> None:
    """Whoever asked may do something else with it."""
    assert not TypedLine("x").edit("escape")


@given(st.text(max_size=40), st.lists(st.sampled_from(KEYS)), st.integers(2, 30), st.booleans())
def test_the_cursor_is_always_in_the_window(
    text: str,
    keys: list[str],
    cells: int,
    secret: bool,
) -> None:
    """What is shown fits, and has the cursor in it, whatever is typed."""
    line = TypedLine(text, len(text), secret)
    for key in keys:
        line.edit(key)
        assert 0 <= line.at <= len(line.text)
    parts = line.window(cells)
    assert cell_len("".join(parts)) <= cells
    assert parts[1]


@given(st.text(max_size=20))
def test_a_secret_is_dots(text: str) -> None:
    """As many as it has characters, and nothing else of it."""
    before, under, behind = TypedLine(text, 0, secret=True).window(30)
    assert (before + under + behind).rstrip(" ") == DOT * len(text)


def test_what_has_no_width_is_a_box() -> None:
    """So that a row is as wide as it is measured."""
    assert TypedLine("a\u0301中", 3).window(10) == ("a▫中", " ", "")
