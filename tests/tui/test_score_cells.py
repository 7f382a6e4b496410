"""Bars, digits and badges of machines' words, for any width."""

from __future__ import annotations

import pytest

from tui_annotate.domain.scores import ScoreSummary
from tui_annotate.tui import palette
from tui_annotate.tui.line_text import runs_width
from tui_annotate.tui.score_cells import BARS, ScoreCells, draw_bar, format_score, shorten_names

MONO = palette.make_palette(palette.MONO, native=False)
CELLS = ScoreCells(("unigram_overlap", "sim2answer", "faith"), labelled=True)
SAID = ScoreSummary((0.0, None, 0.92), "undecided")


def test_a_bar_grows_with_its_value() -> None:
    """An eighth a glyph; what is not said is a blank."""
    assert "".join(draw_bar(each / 8) for each in range(8)) == BARS
    assert (draw_bar(1.0), draw_bar(None)) == (BARS[-1], " ")


def test_digits_take_three_cells() -> None:
    """Also at the ends."""
    assert [format_score(each) for each in (0.0, 0.126, 0.994, 0.996, 1.0, None)] == [
        ".00", ".13", ".99", "1.0", "1.0", "   ",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("width", "head", "row"),
    [
        (80, "score  ", "▁ █ u  "),
        (100, "score          ", "▁ █ undecided  "),
        (120, "unigram sim2an… faith  machine   ", "▁.00            █.92   undecided "),
        (140, "unigram sim2answ… faith  machine   ", "▁.00              █.92   undecided "),
    ],
)
def test_the_wider_the_screen_the_more_is_told(width: int, head: str, row: str) -> None:
    """Letters and heights at first, then words, then digits; heads stand over their columns."""
    assert CELLS.head(width) == head
    assert "".join(text for text, _ in CELLS.runs(SAID, width, MONO)) == row
    assert len(head) == CELLS.cells(width)


@pytest.mark.parametrize(
    "cells", [CELLS, ScoreCells(("q", "忠实度得分")), ScoreCells((), labelled=True)]
)
@pytest.mark.parametrize("width", [60, 100, 120, 140])
def test_every_row_takes_the_same_cells(cells: ScoreCells, width: int) -> None:
    """Whatever is said of its sample, and where nothing is."""
    said = [
        None,
        ScoreSummary((None,) * len(cells.names)),
        ScoreSummary((0.5,) * len(cells.names), "right"),
    ]
    for glance in said:
        assert runs_width(cells.runs(glance, width, MONO)) == cells.cells(width)
    assert runs_width([(cells.head(width), MONO.quiet)]) == cells.cells(width)


def test_where_nothing_is_said_nothing_is_taken() -> None:
    """The list is as wide as it was without machines."""
    none = ScoreCells()
    assert (none.cells(140), none.head(140)) == (0, "")
    assert runs_width(none.runs(None, 140, MONO)) == 0


def test_a_sample_in_words() -> None:
    """The label first, then what was said; nothing for nothing."""
    assert CELLS.describe(SAID).endswith(": undecided · unigram_overlap .00 · faith .92")
    assert CELLS.describe(ScoreSummary((0.5, 1.0, None))) == "unigram_overlap .50 · sim2answer 1.0"
    assert CELLS.describe(None) == ""


def test_names_are_short_and_tell_what_parts_them() -> None:
    """Whole words, as many as go in, of those that no other column has; never nothing."""
    names = ("source_overlap", "unigram_overlap", "top_k_avg_probs_score", "a-b", "a", "__")
    assert shorten_names(names, cells=9) == ["source", "unigram", "top k avg", "b", "a", "__"]
    assert shorten_names(("忠实度",), cells=6) == ["忠实度"]
