"""Lines of a text, and offsets to cells and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.text.texts import texts
from tui_annotate.tui.text.clusters import cluster_start as start_of
from tui_annotate.tui.text.clusters import is_edge, next_edge
from tui_annotate.tui.text.display import follows
from tui_annotate.tui.text.layout import LEAST_WIDTH, MOST_POINTS, TextLayout

WIDTHS = st.integers(LEAST_WIDTH, 90)


def wrapped(text: str, width: int) -> TextLayout:
    """A layout that is ready."""
    layout = TextLayout(text)
    layout.wrap(width)
    return layout


@given(texts, WIDTHS)
def test_lines_join_to_the_text(text: str, width: int) -> None:
    """Nothing is lost and nothing twice."""
    layout = wrapped(text, width)
    assert "".join(text[slice(*layout.line(y))] for y in range(layout.lines)) == text


@given(texts, WIDTHS)
def test_no_line_is_too_wide(text: str, width: int) -> None:
    """A line takes at most the width, and one cell more where a blank hangs over it."""
    layout = wrapped(text, width)
    for y in range(layout.lines):
        start, content = layout.content(y)
        cells = layout.cells(start, content)
        hangs = text[start:content].endswith((" ", "\u2002", "\u2003", "\u2009", "\u200a"))
        assert cells <= width + hangs


@given(texts, WIDTHS)
def test_lines_break_between_clusters(text: str, width: int) -> None:
    """A line begins with no mark, no second half of a flag, no newline of a carriage return."""
    layout = wrapped(text, width)
    for y in range(layout.lines):
        start, _ = layout.line(y)
        assert is_edge(text, start)
        assert start in {0, len(text)} or text[start - 1] == "\n" or not follows(text[start])


@given(texts, WIDTHS)
def test_offsets_come_back(text: str, width: int) -> None:
    """Every cell that is drawn leads back to the start of its cluster."""
    layout = wrapped(text, width)
    for offset in range(len(text)):
        y = layout.line_of(offset)
        start, end = layout.line(y)
        assert start <= offset < end
        drawn = offset < layout.content(y)[1] and layout.cells(offset, offset + 1)
        if drawn:
            for half in range(layout.cells(offset, offset + 1)):
                assert layout.offset_at(layout.x_of(offset) + half, y) == start_of(text, offset)


@given(texts, WIDTHS, st.integers(-3, 200), st.integers(-3, 200))
def test_any_cell_has_an_offset(text: str, width: int, x: int, y: int) -> None:
    """A place outside is taken as the nearest inside."""
    layout = wrapped(text, width)
    start, end = layout.line(y)
    assert start <= layout.offset_at(x, y) <= max(start, end - 1)


@given(texts, WIDTHS, WIDTHS)
def test_wrapping_again_is_wrapping_anew(text: str, first: int, second: int) -> None:
    """What was measured once serves every width."""
    again, anew = wrapped(text, first), wrapped(text, second)
    again.wrap(second)
    assert [again.line(y) for y in range(again.lines)] == [anew.line(y) for y in range(anew.lines)]


@given(st.lists(st.sampled_from(["裂", "缝", "于，", "桥。", "（由", "a"])), st.integers(8, 40))
def test_chinese_rules_of_line_breaking(parts: list[str], width: int) -> None:
    """No line begins with a mark that closes, none ends with one that opens."""
    text = "".join(parts)
    layout = wrapped(text, width)
    for y in range(1, layout.lines):
        start, _ = layout.line(y)
        assert text[start] not in "，。"
        assert text[start - 1] != "（"


def test_words_stay_whole() -> None:
    """A line breaks after a blank where there is one."""
    layout = wrapped("the bridge was closed\nin 2019", 11)
    lines = [layout.text[slice(*layout.line(y))] for y in range(layout.lines)]
    assert lines == ["the bridge ", "was closed\n", "in 2019"]


def test_closing_marks_do_not_begin_a_line() -> None:
    """The character before a comma goes down with it."""
    layout = wrapped("桥梁将于六，月重新开放", 10)
    assert layout.text[slice(*layout.line(0))] == "桥梁将于"


def test_an_empty_text_has_one_line() -> None:
    """Its only place is offset 0."""
    layout = wrapped("", 20)
    assert (layout.lines, layout.line(0), layout.line_of(0), layout.x_of(0)) == (1, (0, 0), 0, 0)
    assert layout.offset_at(5, 5) == 0


def test_a_newline_at_the_end_makes_no_line() -> None:
    """It ends the last line."""
    assert wrapped("a\nb\n", 20).lines == 2


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "中" * 300_000,
        "e" + "\u0301" * 10_000,
        "\x00" * 100_000,
        "\U0001f1e6" * 50_000,
        "\U0001f468\u200d" * 20_000,
        "a\r\n" * 30_000,
    ],
    ids=["letters", "han", "marks", "nul", "flags", "joiners", "line ends"],
)
def test_huge_lines(text: str) -> None:
    """A line without a break is broken by its width, or by its code points where it has none."""
    layout = wrapped(text, 60)
    position = 0
    for y in range(layout.lines):
        start, end = layout.line(y)
        assert start == position
        assert end - start <= max(MOST_POINTS, 60)
        position = end
    assert position == len(text)
    middle = len(text) // 2
    assert layout.line(layout.line_of(middle))[0] <= middle
    assert next_edge(text, middle) > middle
