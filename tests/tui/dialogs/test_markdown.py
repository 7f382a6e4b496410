"""Markdown in a terminal: what is styled, what stays, and what never reaches the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.stage import HOSTILE
from tui_annotate.domain.line_text import text_width
from tui_annotate.tui.dialogs.markdown import render_markdown


def texts(source: str, cells: int = 60) -> list[str]:
    """The lines without their styles."""
    return ["".join(text for text, _ in line) for line in render_markdown(source, cells)]


def styled(source: str, role: str) -> list[str]:
    """The parts of a text that have a style."""
    return [text for line in render_markdown(source, 60) for text, own in line if own == role]


def test_headings_and_emphasis_lose_their_marks() -> None:
    """Both are shown by styles, also across a line break."""
    assert texts("## What to mark ##") == ["What to mark"]
    assert styled("## What to mark", "title_focused") == ["What to mark"]
    assert texts("Mark the **smallest** span, *not* `x`.") == ["Mark the smallest span, not x."]
    assert styled("Mark the **smallest** span.", "strong") == ["smallest"]
    assert styled("It could *not* be, __never__.", "underlined") == ["not"]
    long = f"{'word ' * 11}**bold here**"
    assert styled(long, "strong") == ["bold", "here"]


@pytest.mark.parametrize(
    "plain",
    ["snake_case_name", "2*3*4", "a * b * c", "**open", "5 < 6 | 7", "#tag", "1.5 m", "-5 °C"],
)
def test_marks_that_are_no_markdown_stay(plain: str) -> None:
    """Names, formulas and numbers are shown as they are written."""
    assert texts(plain) == [plain]


def test_lists_have_hanging_indents() -> None:
    """A bullet replaces the mark, numbers stay, and further lines are aligned with the first."""
    assert texts("- one two three\n  - four\n10. five six seven", 14) == [
        "• one two", "  three", "  • four", "10. five six", "    seven",
    ]  # fmt: skip


def test_only_lines_that_were_wrapped_are_joined() -> None:
    """A short line was ended on purpose, and Chinese lines are joined without a blank."""
    wrapped = "This line has more than forty cells, so it\ngoes on."
    assert texts(wrapped) == ["This line has more than forty cells, so it goes on."]
    assert texts("Dear all,\nread this.") == ["Dear all,", "read this."]
    chinese = "说明" * 11
    assert texts(f"{chinese}\n重要", 80) == [f"{chinese}重要"]


def test_a_table_is_a_block_for_each_row() -> None:
    """Every cell is shown, also one without a column and the head of an empty table."""
    table = "| Label | Use |\n| --- | --- |\n| **A** | first |\n| B | second | more |"
    assert texts(table) == [
        "Label: A", "  Use: first", "Label: B", "  Use: second", "  more",
    ]  # fmt: skip
    assert texts("| a | b |\n|---|---|") == ["a | b"]


def test_code_and_quotes_keep_their_lines() -> None:
    """Nothing is parsed in a block of code."""
    assert texts("```\n**x**\n\n# y\n```\n> quoted") == ["  **x**", "  ", "  # y", "  quoted"]


def test_escape_codes_never_reach_the_terminal() -> None:
    """Wherever they are: in a heading, a list, a table, code or emphasis."""
    for pattern in ("# {}", "- {}", "| a |\n|---|\n| {} |", "```\n{}\n```", "**{}**", "> {}"):
        shown = "\n".join(texts(pattern.format(HOSTILE)))
        assert "\x1b" not in shown
        assert "␛]52" in shown


@given(
    st.text(st.sampled_from("ab 世\n#*_`->|1.\\"), max_size=200),
    st.integers(10, 40),
)
def test_no_text_is_lost_and_every_line_fits(source: str, cells: int) -> None:
    """Whatever the marks are, all letters are shown in order, within the width."""
    lines = texts(source, cells)
    assert all(text_width(line) <= cells for line in lines)
    if "```" not in source and "|" not in source:
        letters = [each for each in "".join(lines) if each in "ab世"]
        assert letters == [each for each in source if each in "ab世"]
