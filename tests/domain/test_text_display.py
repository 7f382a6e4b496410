"""What is shown for each code point, and the cells it takes."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from rich.cells import cell_len

from tests.tui.text.texts import FAMILY, FLAG, texts
from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.spans import Span
from tui_annotate.domain.text_display import (
    MARKS_PER_CELL,
    TAB,
    cells_of,
    cluster_start,
    display_characters,
    find_unplain,
    is_edge,
    next_edge,
    previous_edge,
    snap,
    stand_ins,
    widths,
)

HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
EVERY = "".join(map(chr, range(sys.maxunicode + 1)))


def test_no_code_point_is_sent_that_a_terminal_would_act_on() -> None:
    """Whatever a document holds, what is shown has no control, format or unassigned code point."""
    sent = set("".join(display_characters(EVERY)))
    assert not [hex(ord(c)) for c in sent if unicodedata.category(c) in HARMFUL]
    assert not sent & {"\u00a0", "\ufe0f", "\u200d"}


def test_what_is_plain_is_one_cell_and_itself() -> None:
    """A code point that needs no measuring is shown as itself, one cell wide for rich too."""
    plain = "".join(c for c in EVERY if c not in "\r\n" and find_unplain(c) < 0)
    assert display_characters(plain) == plain
    assert widths(plain) == bytes([1]) * len(plain)
    assert all(cell_len(c) == 1 for c in plain)


def test_what_is_shown_at_a_glance_is_shown_the_same_one_by_one() -> None:
    """Nothing in a line that is sent as it is would be sent otherwise beside a tab."""
    glanced = "".join(c for c in EVERY if isinstance(display_characters(c), str))
    assert "".join(display_characters(glanced + "\t")) == glanced + TAB
    assert not stand_ins(glanced + "\t")


def test_rich_counts_the_same_cells() -> None:
    """The cells of a code point are those that rich counts, save spacing marks, which it hides."""
    for character in EVERY:
        if unicodedata.category(character) != "Mc":
            assert cells_of(character) == cell_len("".join(display_characters("x" + character))) - 1


@given(texts)
def test_what_is_shown_is_parallel_to_the_text(text: str) -> None:
    """There is one string and one width for every code point of a line."""
    for line in text.splitlines(keepends=True):
        assert len(display_characters(line)) == len(widths(line)) == len(line)
        assert all(0 <= place < len(line) for place in stand_ins(line))


@given(texts)
def test_a_code_point_that_is_not_shown_takes_no_cell(text: str) -> None:
    """Nothing has a cell in vain."""
    line = text.partition("\n")[0]
    for string, cells in zip(display_characters(line), widths(line), strict=True):
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
    assert "".join(display_characters(text)) == drawn
    assert sum(widths(text)) == cells


def test_marks_piled_on_one_base_are_not_all_sent() -> None:
    """Ten thousand combining marks reach the terminal as a few."""
    drawn = "".join(display_characters("e" + "\u0301" * 10_000 + "f"))
    assert drawn == "e" + "\u0301" * MARKS_PER_CELL + "f"


def test_stand_ins_are_told_from_the_same_signs_in_a_text() -> None:
    """Only what stands for something else is drawn dim."""
    assert stand_ins("▫\u200b␀\x00 \u00a0é") == (1, 3)


@pytest.mark.parametrize(
    "cluster",
    ["a", "中", "e\u0301\u0302", FAMILY, FLAG, "\u2764\ufe0f", "\r\n", "\n", "\u0915\u093f", "각"],
)
def test_a_cluster_is_one_step(cluster: str) -> None:
    """One step forward passes a whole cluster, one step back returns to its start."""
    text = f"x{cluster}y"
    assert next_edge(text, 1) == 1 + len(cluster)
    assert previous_edge(text, 1 + len(cluster)) == 1
    assert all(cluster_start(text, offset) == 1 for offset in range(1, 1 + len(cluster)))


def test_flags_are_paired_from_the_first() -> None:
    """Of three letters in a row the first two are a flag."""
    assert [is_edge(FLAG + FLAG[0], offset) for offset in range(4)] == [True, False, True, True]


def test_joined_letters_stay() -> None:
    """A joiner between letters, as Indic scripts use it, hides none of them."""
    assert is_edge("क\u200dष", 2)


@given(texts)
def test_forward_and_backward_find_the_same_edges(text: str) -> None:
    """Walking from the start and from the end gives one list of edges."""
    forward, offset = [0], 0
    while offset < len(text):
        offset = next_edge(text, offset)
        forward.append(offset)
    backward = [offset]
    while offset:
        offset = previous_edge(text, offset)
        backward.append(offset)
    assert forward == backward[::-1]
    assert all(is_edge(text, edge) for edge in forward)


@given(texts.filter(bool))
def test_snapping_gives_whole_clusters(text: str) -> None:
    """A snapped span holds the span, and begins and ends at edges."""
    for start in range(len(text)):
        whole = snap(text, Span(start, start + 1))
        assert whole.contains(Span(start, start + 1))
        assert is_edge(text, whole.start)
        assert is_edge(text, whole.end)


def test_a_span_outside_is_refused() -> None:
    """What lies behind the text is no span of it."""
    with pytest.raises(InvalidSpan):
        snap("abc", Span(7, 9))
