"""Nothing that steers a terminal passes, and nothing moves."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.terminal_text import make_line_visible, make_visible

anything = st.text(st.characters(categories=None))


def test_every_code_point_becomes_one_that_steers_nothing() -> None:
    """All of Unicode: one code point each, none of them a control, but for newline and joiner."""
    for code in range(sys.maxunicode + 1):
        shown = make_visible(chr(code))
        assert len(shown) == 1
        category = unicodedata.category(shown)
        assert shown in "\n\u200d" or category not in {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}


@given(anything)
def test_offsets_hold(text: str) -> None:
    """A text keeps its length, its lines, and is shown the same a second time."""
    assert len(make_visible(text)) == len(text)
    assert make_visible(text).split("\n") == [make_visible(line) for line in text.split("\n")]
    assert make_visible(make_visible(text)) == make_visible(text)


@given(anything)
def test_a_line_stays_a_line(text: str) -> None:
    """Where there is room for one line, a newline is a picture."""
    assert len(make_line_visible(text)) == len(text)
    assert "\n" not in make_line_visible(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\n\x1bb", "a\n␛b"),
        ("a\x1b[31mb", "a␛[31mb"),
        ("\x00\x07\x7f\t\r", "␀␇␡␉␍"),
        ("\x9b2J", "�2J"),
        ("\ud800", "�"),
        ("\u202eabc\u2066", "▫abc▫"),
        ("a\u2028b", "a▫b"),
        ("\ue000\U0010ffff", "��"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("e\u0301 桥 🌉", "e\u0301 桥 🌉"),
    ],
)
def test_what_is_hostile_is_shown_and_what_is_text_stays(text: str, shown: str) -> None:
    """Examples of each kind."""
    assert make_visible(text) == shown
