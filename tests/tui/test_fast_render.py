"""Lines and bars drawn by a shorter way than Textual's, and never otherwise."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from tests.tui.stage import cells_of, run_stage
from tui_annotate.tui.fast_render import FastScrollBar, LineWidget, WholeStrip, set_extent
from tui_annotate.tui.palette import NAMES

_TEXTS = st.lists(st.text(st.sampled_from("ab 桥"), min_size=1, max_size=6), max_size=5)


class Rows(LineWidget):
    """Rows with their number, and a word that may change; keeps which ones it drew."""

    DEFAULT_CSS = "Rows { height: 4; width: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.word = "first"
        self.drawn: list[int] = []

    def render_line(self, y: int) -> Strip:
        """Textual's hook."""
        self.drawn.append(y)
        text = f"{y} {self.word}".ljust(self.size.width)
        return Strip([Segment(text, Style.parse("dim blue on black"))])


@given(_TEXTS, st.lists(st.integers(0, 40), min_size=1, unique=True).map(sorted))
def test_a_line_is_divided_as_a_strip_is(texts: list[str], cuts: list[int]) -> None:
    """Wherever it is cut, the pieces are the same."""
    segments = [Segment(text, Style(bold=len(text) > 2)) for text in texts]
    strip, line = Strip(segments), WholeStrip(segments)
    assert [list(piece) for piece in line.divide(cuts)] == [
        list(piece) for piece in strip.divide(cuts)
    ]


def test_a_line_does_not_hold_itself() -> None:
    """Cut at its end it is given back, and nothing remembers that."""
    line = WholeStrip([Segment("abc")], 3)
    before = sys.getrefcount(line)
    assert line.divide([3])[0] is line
    assert sys.getrefcount(line) == before


@pytest.mark.parametrize("theme", NAMES)
@pytest.mark.parametrize("native", [False, True])
async def test_lines_look_as_textual_draws_them(theme: str, *, native: bool) -> None:
    """In every theme, whole or a part of them."""
    rows = Rows()
    async with run_stage(rows, theme=theme, native=native):
        for crop in (rows.size.region, Region(2, 1, 5, 2)):
            assert cells_of(rows.render_lines(crop)) == cells_of(Widget.render_lines(rows, crop))


async def test_what_lies_under_lines_follows_the_theme() -> None:
    """It is kept until the style sheet says something else."""
    rows = Rows()
    async with run_stage(rows, theme=NAMES[0]) as (stage, pilot):
        for theme in NAMES:
            stage.theme = theme
            await pilot.pause()
            assert rows.base == rows.rich_style


async def test_only_refreshed_lines_are_drawn() -> None:
    """Some lines, then all; a new size draws all of them."""
    rows = Rows()
    async with run_stage(rows) as (stage, pilot):
        for region, drawn in ((Region(0, 1, 3, 2), [1, 2]), (None, [0, 1, 2, 3])):
            rows.drawn, rows.word = [], f"for {drawn}"
            rows.refresh(*filter(None, [region]))
            await pilot.pause()
            assert rows.drawn == drawn
            assert [line.rstrip() for line in stage.lines()[1:3]] == [
                f"1 {rows.word}",
                f"2 {rows.word}",
            ]
        for width in (60, 80):
            rows.drawn = []
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert set(rows.drawn) == {0, 1, 2, 3}


@pytest.mark.parametrize("theme", NAMES)
@pytest.mark.parametrize("native", [False, True])
async def test_a_bar_looks_as_textual_draws_it(theme: str, *, native: bool) -> None:
    """Wherever the text is, held by the mouse or not, with few strips for many lines."""
    bar = ScrollBar()
    async with run_stage(bar, theme=theme, native=native):
        bar.__class__ = FastScrollBar
        bar.window_size, height = 20, bar.size.height
        for virtual in (10, 21, 40, 100_000):
            bar.window_virtual_size = virtual
            for position in (0, 0.3, 1, virtual / 3, virtual - 20):
                bar.position = max(0, position)
                bar.mouse_over = not bar.mouse_over
                drawn = bar.render_lines(bar.size.region)
                assert len(drawn) == height
                assert len({id(strip) for strip in drawn}) <= 5
                assert cells_of(drawn) == cells_of(Widget.render_lines(bar, bar.size.region))


class View(ScrollView):
    """A window of four rows."""

    DEFAULT_CSS = "View { height: 4; width: 1fr; } View.-scroll { overflow-y: scroll; }"


@pytest.mark.parametrize("classes", ["", "-scroll"])
async def test_another_number_of_rows_is_as_textual_has_it(classes: str) -> None:
    """The bar comes and goes, shows as much as it should, and no view stays behind its end."""
    quick, usual = View(classes=classes), View(classes=classes)
    async with run_stage(Vertical(quick, usual)) as (_, pilot):
        for rows, top in ((3, 0), (50, 40), (20, 16), (7, 3), (4, 0), (90, 80), (2, 0)):
            set_extent(quick, Size(1, rows))
            usual.virtual_size = Size(1, rows)
            await pilot.pause()
            found = [
                (
                    view.virtual_size,
                    view.max_scroll_y,
                    view.scroll_y,
                    view.show_vertical_scrollbar,
                    view.show_vertical_scrollbar and view.vertical_scrollbar.window_virtual_size,
                )
                for view in (quick, usual)
            ]
            assert found[0] == found[1]
            for view in (quick, usual):
                view.scroll_to(y=top, animate=False, immediate=True)
            assert quick.scroll_y == usual.scroll_y == min(top, max(rows - 4, 0))
