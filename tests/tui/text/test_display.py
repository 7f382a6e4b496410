"""What is shown for each code point, and the cells it takes."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from rich.cells import cell_len

from tests.tui.text.texts import FAMILY, FLAG, texts
from tui_annotate.tui.text.display import (
    MARKS_PER_CELL,
    TAB,
    cells_of,
    find_unplain,
    shown,
    stand_ins,
    widths,
)

HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
EVERY = "".join(map(chr, range(sys.maxunicode + 1)))


def test_no_code_point_is_sent_that_a_terminal_would_act_on() -> None:
    """Whatever a document holds, what is shown has no control, format or unassigned code point."""
    sent = set("".join(shown(EVERY)))
    assert not [hex(ord(c)) for c in sent if unicodedata.category(c) in HARMFUL]
    assert not sent & {"\u00a0", "\ufe0f", "\u200d"}


def test_what_is_plain_is_one_cell_and_itself() -> None:
    """A code point that needs no measuring is shown as itself, one cell wide for rich too."""
    plain = "".join(c for c in EVERY if c not in "\r\n" and find_unplain(c) < 0)
    assert shown(plain) == plain
    assert widths(plain) == bytes([1]) * len(plain)
    assert all(cell_len(c) == 1 for c in plain)


def test_what_is_shown_at_a_glance_is_shown_the_same_one_by_one() -> None:
    """Nothing in a line that is sent as it is would be sent otherwise beside a tab."""
    glanced = "".join(c for c in EVERY if isinstance(shown(c), str))
    assert "".join(shown(glanced + "\t")) == glanced + TAB
    assert not stand_ins(glanced + "\t")


def test_rich_counts_the_same_cells() -> None:
    """The cells of a code point are those that rich counts, save spacing marks, which it hides."""
    for character in EVERY:
        if unicodedata.category(character) != "Mc":
            assert cells_of(character) == cell_len("".join(shown("x" + character))) - 1


@given(texts)
def test_what_is_shown_is_parallel_to_the_text(text: str) -> None:
    """There is one string and one width for every code point of a line."""
    for line in text.splitlines(keepends=True):
        assert len(shown(line)) == len(widths(line)) == len(line)
        assert all(0 <= place < len(line) for place in stand_ins(line))


@given(texts)
def test_a_code_point_that_is_not_shown_takes_no_cell(text: str) -> None:
    """Nothing has a cell in vain."""
    line = text.partition("\n")[0]
    for string, cells in zip(shown(line), widths(line), strict=True):
        assert bool(string) or cells == 0
        assert not cells or string


@pytest.mark.parametrize(
    ("text", "drawn", "cells"),
    [
        (FAMILY, "\U0001f468", 2),
        (FLAG, "CN", 2),
        ("\u2764\ufe0f", "\u2764", 1),
        ("\U0001f44d\U0001f3fd", "\U0001f44d", 2),
        ("a\tb", "a    b", 6),
        ("a\u00a0b\u3000c", "a b  c", 6),
        ("x\x1b[31m\x9b\x00", "x␛[31m\ufffd␀", 8),
        ("\u202ea\u200b\u00ad\ufeff", "▫a▫▫▫", 5),
        ("end\r\n", "end", 3),
        ("lone\rreturn", "lone␍return", 11),
        ("\u2630\u3164", "▫▫", 2),
    ],
)
def test_troublesome_texts(text: str, drawn: str, cells: int) -> None:
    """Emoji are drawn by their first part, controls as pictures, what is invisible as a box."""
    assert "".join(shown(text)) == drawn
    assert sum(widths(text)) == cells


def test_marks_piled_on_one_base_are_not_all_sent() -> None:
    """Ten thousand combining marks reach the terminal as a few."""
    drawn = "".join(shown("e" + "\u0301" * 10_000 + "f"))
    assert drawn == "e" + "\u0301" * MARKS_PER_CELL + "f"


def test_stand_ins_are_told_from_the_same_signs_in_a_text() -> None:
    """Only what stands for something else is drawn dim."""
    assert stand_ins("▫\u200b␀\x00 \u00a0é") == (1, 3)
