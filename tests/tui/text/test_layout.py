"""Lines of a text, and offsets to cells and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.text.texts import texts
from tui_annotate.domain.text_display import cluster_start as start_of
from tui_annotate.domain.text_display import is_edge, is_extender, next_edge
from tui_annotate.tui.text.layout import (
    LEAST_ROWS,
    LEAST_WIDTH,
    MOST_POINTS,
    TextLayout,
    rows_needed,
    upper_rows,
)

WIDTHS = st.integers(LEAST_WIDTH, 90)


def wrap_line(text: str, width: int) -> TextLayout:
    """A layout that is ready."""
    layout = TextLayout(text)
    layout.wrap(width)
    return layout


@given(texts, WIDTHS)
def test_lines_join_to_the_text(text: str, width: int) -> None:
    """Nothing is lost and nothing twice."""
    layout = wrap_line(text, width)
    assert "".join(text[slice(*layout.line(y))] for y in range(layout.lines)) == text


@given(texts, WIDTHS)
def test_no_line_is_too_wide(text: str, width: int) -> None:
    """A line takes at most the width, and one cell more where a blank hangs over it."""
    layout = wrap_line(text, width)
    for y in range(layout.lines):
        start, content = layout.content(y)
        cells = layout.cells(start, content)
        hangs = text[start:content].endswith((" ", "\u2002", "\u2003", "\u2009", "\u200a"))
        assert cells <= width + hangs


@given(texts, WIDTHS)
def test_lines_break_between_clusters(text: str, width: int) -> None:
    """A line begins with no mark, no second half of a flag, no newline of a carriage return."""
    layout = wrap_line(text, width)
    for y in range(layout.lines):
        start, _ = layout.line(y)
        assert is_edge(text, start)
        assert start in {0, len(text)} or text[start - 1] == "\n" or not is_extender(text[start])


@given(texts, WIDTHS)
def test_offsets_come_back(text: str, width: int) -> None:
    """Every cell that is drawn leads back to the start of its cluster."""
    layout = wrap_line(text, width)
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
    layout = wrap_line(text, width)
    start, end = layout.line(y)
    assert start <= layout.offset_at(x, y) <= max(start, end - 1)


@given(texts, WIDTHS, WIDTHS)
def test_wrapping_again_is_wrapping_anew(text: str, first: int, second: int) -> None:
    """What was measured once serves every width."""
    again, anew = wrap_line(text, first), wrap_line(text, second)
    again.wrap(second)
    assert [again.line(y) for y in range(again.lines)] == [anew.line(y) for y in range(anew.lines)]


@given(st.lists(st.sampled_from(["裂", "缝", "于，", "桥。", "（由", "a"])), st.integers(8, 40))
def test_chinese_rules_of_line_breaking(parts: list[str], width: int) -> None:
    """No line begins with a mark that closes, none ends with one that opens."""
    text = "".join(parts)
    layout = wrap_line(text, width)
    for y in range(1, layout.lines):
        start, _ = layout.line(y)
        assert text[start] not in "，。"
        assert text[start - 1] != "（"


def test_words_stay_whole() -> None:
    """A line breaks after a blank where there is one."""
    layout = wrap_line("the bridge was closed\nin 2019", 11)
    lines = [layout.text[slice(*layout.line(y))] for y in range(layout.lines)]
    assert lines == ["the bridge ", "was closed\n", "in 2019"]


def test_closing_marks_do_not_begin_a_line() -> None:
    """The character before a comma goes down with it."""
    layout = wrap_line("桥梁将于六，月重新开放", 10)
    assert layout.text[slice(*layout.line(0))] == "桥梁将于"


def test_an_empty_text_has_one_line() -> None:
    """Its only place is offset 0."""
    layout = wrap_line("", 20)
    assert (layout.lines, layout.line(0), layout.line_of(0), layout.x_of(0)) == (1, (0, 0), 0, 0)
    assert layout.offset_at(5, 5) == 0


def test_a_newline_at_the_end_makes_no_line() -> None:
    """It ends the last line."""
    assert wrap_line("a\nb\n", 20).lines == 2


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
    layout = wrap_line(text, 60)
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


@pytest.mark.parametrize(
    ("upper", "lower", "rows"),
    [
        (4, 9, 6),  # both have enough: two fifths
        (8, 5, 8),  # a long summary takes what a short source leaves
        (14, 5, 11),  # all that it leaves
        (14, 2, 13),  # but for the least
        (2, 40, 3),
        (4, 40, 4),  # a long source takes what a short summary leaves
        (4, 10, 6),
        (40, 40, 6),  # both are too long: two fifths
    ],
)
def test_the_rows_of_the_upper_text_of_sixteen(upper: int, lower: int, rows: int) -> None:
    """A text has what it needs up to its share; what it leaves goes to the other."""
    assert upper_rows(16, upper=upper, lower=lower) == rows


@given(st.integers(0, 60), st.integers(1, 99), st.integers(1, 99))
def test_no_text_is_cut_beside_empty_rows(rows: int, upper: int, lower: int) -> None:
    """Nor has one of them less than the least, where there is room for both."""
    above = upper_rows(rows, upper=upper, lower=lower)
    below = rows - above
    assert 0 <= above <= rows
    if rows >= 2 * LEAST_ROWS:
        assert min(above, below) >= LEAST_ROWS
    if above < upper:
        assert below <= max(lower, LEAST_ROWS)
    if below < lower:
        assert above <= max(upper, LEAST_ROWS)


@given(st.text(alphabet="ab 大桥。\n", max_size=300), st.integers(10, 40), st.integers(1, 12))
def test_needed_are_the_lines_of_the_layout(text: str, width: int, most: int) -> None:
    """As far as anybody asks."""
    layout = TextLayout(text)
    layout.wrap(width)
    assert rows_needed(text, width, most=most) == min(layout.lines, most)


def test_a_long_text_is_not_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """That it is long is known by its length."""
    monkeypatch.setattr(TextLayout, "wrap", None)
    assert rows_needed("word " * 200_000, 70, most=16) == 16
