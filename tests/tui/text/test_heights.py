"""Two texts share the rows: what one leaves is for the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.tui.text.heights import LEAST_ROWS, rows_needed, upper_rows
from tui_annotate.tui.text.layout import TextLayout


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
