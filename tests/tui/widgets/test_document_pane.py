"""The pane in an app: methods, messages, mouse, what is painted anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Event
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget

from tests.tui.stage import HOSTILE, Stage, cells_of, run_stage
from tests.tui.text.texts import FAMILY, FLAG, segments_of
from tui_annotate.domain.line_text import line_text, text_width
from tui_annotate.domain.samples import STRENGTHS, Match, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.tui.line_text import wrap_line
from tui_annotate.tui.palette import NAMES
from tui_annotate.tui.widgets.document_pane import AnnotationMark, DocumentPane
from tui_annotate.tui.widgets.document_view import FRAME_LINES, SurroundingText

TEXT = "One was loved. Two cost more.\n三被发现，四也是。\n" + "Five came late. " * 40
GUTTER = 4


class Watched(DocumentPane):
    """Counts the lines that it paints."""

    painted: list[int]

    def _paint(self, y: int, dress: object) -> object:  # type: ignore[override]
        self.painted.append(y)
        return super()._paint(y, dress)  # type: ignore[arg-type]


@asynccontextmanager
async def shown(
    text: str = TEXT, *, size: tuple[int, int] = (60, 12), theme: str = "dark"
) -> AsyncIterator[tuple[Watched, Stage, Pilot[object]]]:
    """A pane that holds a text and the focus, and the app around it."""
    pane = Watched()
    pane.painted = []
    async with run_stage(pane, size=size, theme=theme) as (stage, pilot):
        pane.load(text, segments_of(text))
        pane.focus()
        await pilot.pause()
        stage.posted.clear()
        yield pane, stage, pilot


def selected(pane: DocumentPane) -> str | None:
    """The selected text."""
    return None if pane.selection is None else pane.selection.of(pane.text_layout.text)


def at(x: int, y: int) -> Offset:
    """A cell of the text, from its first column and line."""
    return Offset(GUTTER + x, y)


async def test_a_document_begins_at_its_start() -> None:
    """The cursor is on its first sentence, and nothing is selected."""
    async with shown() as (pane, stage, _):
        assert (pane.cursor_offset, pane.selection, pane.segment) == (0, None, 0)
        assert stage.lines()[0].startswith("   ▶One was loved. Two cost more.")
        assert stage.lines()[1].startswith("    三被发现，四也是。")


@pytest.mark.parametrize("theme", NAMES)
@pytest.mark.parametrize("native", [False, True])
async def test_lines_look_as_textual_draws_them(
    theme: str, monkeypatch: pytest.MonkeyPatch, *, native: bool
) -> None:
    """In every theme, whatever lies on them; colours are filtered as the app would do it."""
    pane = DocumentPane()
    async with run_stage(pane, size=(40, 12), theme=theme, native=native):
        pane.load(TEXT, segments_of(TEXT))
        pane.set_marks([AnnotationMark(Span(4, 7), "A"), AnnotationMark(Span(5, 40), "B", slot=1)])
        pane.set_matches(
            [Match(0, 2, Span(30, 39), 0.9, 1), Match(0, 4, Span(60, 70), 0.2, 2)], focused=1
        )
        pane.select(Span(33, 36))
        ours = cells_of(pane.render_lines(pane.size.region))
        monkeypatch.setattr(DocumentPane, "_filter_style", lambda _, style: style)
        pane._last_options = None
        theirs = cells_of(Widget.render_lines(pane, pane.size.region))
        width = pane.scrollable_content_region.width
        assert ours == [line[:width] for line in theirs]


async def test_a_move_paints_its_lines_alone() -> None:
    """Within a line one line is painted, and the move is told once."""
    async with shown() as (pane, stage, pilot):
        pane.painted.clear()
        pane.move("char", 1)
        await pilot.pause()
        assert pane.painted == [0]
        (report,) = stage.of(DocumentPane.SelectionChanged)
        assert report.pane is pane


async def test_a_move_that_goes_nowhere_is_silent() -> None:
    """At the start there is nothing before."""
    async with shown() as (pane, stage, pilot):
        pane.painted.clear()
        pane.move("word", -1)
        await pilot.pause()
        assert (pane.painted, stage.of(DocumentPane.SelectionChanged)) == ([], [])


async def test_marks_paint_what_changed() -> None:
    """The same marks again paint nothing; another paints its own line."""
    async with shown() as (pane, _, pilot):
        first, second = AnnotationMark(Span(0, 3), "A"), AnnotationMark(Span(30, 32), "B")
        for marks, lines in (([first], [0]), ([first, second], [1]), ([first, second], [])):
            pane.painted.clear()
            pane.set_marks(marks)
            await pilot.pause()
            assert pane.painted == lines


async def test_matches_light_up_and_their_focus_moves() -> None:
    """Focusing another match paints the two; a strength of 0 lights nothing."""
    async with shown() as (pane, stage, pilot):
        matches = [
            Match(0, 0, Span(0, 14), 1.0, 1),
            Match(0, 2, Span(30, 39), STRENGTHS[1], 2),
            Match(0, 4, Span(60, 70), 0.0, 3),
        ]
        pane.set_matches(matches, focused=1)
        await pilot.pause()
        assert [line[:GUTTER] for line in stage.lines()[:3]] == ["█1 ▌", "▃2  ", "    "]
        pane.painted.clear()
        pane.set_matches(matches, focused=2)
        await pilot.pause()
        assert pane.painted == [0, 1]
        assert [line[:GUTTER] for line in stage.lines()[:2]] == ["█1 ▶", "▃2 ▌"]


async def test_everything_that_lies_on_a_document() -> None:
    """Evidence, hits and hints come and go."""
    async with shown() as (pane, stage, pilot):
        pane.set_evidence([Span(30, 39)])
        pane.set_search([Span(4, 7), Span(40, 44)], focused=1)
        pane.set_hints({"ab": Span(4, 7)})
        await pilot.pause()
        lines = stage.lines()
        assert lines[0].startswith("   ▶One abs loved.")
        assert lines[1].startswith("✓   三")
        assert lines[2].startswith("   /Five")
        pane.set_evidence([])
        pane.set_search([])
        pane.set_hints(None)
        await pilot.pause()
        assert [line[:6] for line in stage.lines()[:2]] == ["   ▶On", "    三被"]


async def test_a_text_is_on_screen_since_it_was_painted() -> None:
    """Not since it was loaded; another text is not before its own first frame."""
    async with shown() as (pane, _, pilot):
        since = [pane.painted_since]
        pane.load("another", (Segment(0, 7),))
        since.append(pane.painted_since)
        await pilot.pause()
        first, between, then = (*since, pane.painted_since)
        assert between is None
        assert first
        assert then
        assert then > first


async def test_from_hit_to_hit_two_lines_are_painted() -> None:
    """Those that lose and get the keys; other hits are seen at once, however many there are."""
    async with shown("one two\n" * 3000) as (pane, stage, pilot):
        hits = [Span(8 * line, 8 * line + 3) for line in range(3000)]
        pane.set_search(hits, focused=1)
        await pilot.pause()
        pane.painted.clear()
        pane.set_search(tuple(hits), focused=3)
        await pilot.pause()
        assert pane.painted == [0, 2]
        pane.painted.clear()
        pane.set_search(hits[1:], focused=2)
        await pilot.pause()
        assert pane.painted == list(range(len(stage.lines())))


async def test_lines_and_pages() -> None:
    """Moves by lines keep their column; a page keeps two lines of the one before."""
    async with shown("abcdef\n\nab\nabcdef\n" + "line\n" * 60) as (pane, _, pilot):
        pane.go_to(4)
        columns = []
        for _step in range(3):
            pane.move("line", 1)
            columns.append(pane.cursor_offset)
        assert columns == [7, 9, 15]
        pane.move("line-start", 1)
        assert pane.cursor_offset == 11
        pane.move("line-end", 1)
        assert pane.cursor_offset == 16
        pane.move("start", 1)
        pane.move("page", 1)
        await pilot.pause()
        assert (pane.text_layout.line_of(pane.cursor_offset), pane.scroll_offset.y) == (10, 10)
        pane.move("half-page", -1)
        assert pane.text_layout.line_of(pane.cursor_offset) == 5
        pane.move("end", 1)
        await pilot.pause()
        assert pane.scroll_offset.y == pane.text_layout.lines - 12
        assert pane.cursor_offset == len(pane.text_layout.text) - 1


async def test_selecting_by_methods() -> None:
    """Word, other end, sentences and back, and an exact span."""
    async with shown() as (pane, stage, pilot):
        pane.move("word", 1)
        pane.select_word()
        assert selected(pane) == "was"
        pane.swap_ends()
        pane.move("word", -1, extend=True)
        assert selected(pane) == "One was"
        pane.grow(1)
        assert selected(pane) == "One was loved."
        pane.grow(-1)
        pane.go_to(30, select=Span(30, 34))
        assert (selected(pane), pane.cursor_offset) == ("三被发现", 30)
        pane.go_to(33, select=Span(30, 34))
        assert (selected(pane), pane.cursor_offset) == ("三被发现", 33)
        pane.select(None)
        assert (pane.selection, pane.cursor_offset) == (None, 33)
        await pilot.pause()
        assert len(stage.of(DocumentPane.SelectionChanged)) > 5


async def test_the_cursor_is_drawn_only_with_the_focus() -> None:
    """Where keys go is seen; the place in the other document stays marked in the gutter."""
    async with shown() as (pane, stage, pilot):
        before = pane.scene.cursor
        stage.set_focus(None)
        await pilot.pause()
        assert (before, pane.scene.cursor) == (Span(0, 1), None)
        assert stage.lines()[0].startswith("   ▶One")


async def test_words_on_screen_are_those_in_view() -> None:
    """In order, from the first line to the last; without those too short for two letters."""
    async with shown("a b 中文 cd.\nx" + "\nfar away" * 50) as (pane, _, pilot):
        text = pane.text_layout.text
        words = [tuple(word.of(text) for word in pair) for pair in pane.words_on_screen()]
        assert words[:5] == [("a",), ("b",), ("中", "文"), ("cd",), ("far",)]
        assert len(words) == 4 + 2 * 10
        pane.move("end", 1)
        await pilot.pause()
        assert len(pane.words_on_screen()) == 2 * 12


async def test_words_in_pairs_are_on_one_line() -> None:
    """A letter at the end of a line never stands for what the next one begins with."""
    async with shown("第6号台风“石斑”在24日登陆，" * 20) as (pane, _, _):
        pairs, layout = pane.words_on_screen(), pane.text_layout
        text = layout.text
        assert ["".join(word.of(text) for word in pair) for pair in pairs[:8]] == [
            "第6", "号台", "风", "石斑", "在24", "日登", "陆", "第6",
        ]  # fmt: skip
        assert all(len({layout.line_of(word.start) for word in pair}) == 1 for pair in pairs)
        seen = [word for pair in pairs for word in pair]
        assert seen == sorted(seen)


async def test_seen_is_what_was_painted_by_then() -> None:
    """From end to end; a page that was passed before it was painted was seen by nobody."""
    text = "".join(f"This is sentence {number}.\n" for number in range(40))
    async with shown(text, size=(60, 12)) as (pane, _, pilot):
        before = Event().time
        assert pane.sentences_seen(before) == tuple(range(12))
        pane.move("end", 1)
        pane.move("page", -1)
        await pilot.pause()
        after = Event().time
        assert pane.sentences_seen(before) == tuple(range(12))
        assert pane.sentences_seen(after) == tuple(range(18, 30))


async def test_a_sentence_higher_than_the_view_is_seen_with_the_cursor_in_it() -> None:
    """It is never there from end to end; what is only selected out of view is not seen."""
    long = "This is a long sentence " * 40 + "with an end. "
    async with shown(long + "Another one. " + long, size=(60, 12)) as (pane, _, pilot):
        assert pane.sentences_seen(Event().time) == (0,)
        pane.move("end", 1)
        unpainted = Event().time
        assert pane.sentences_seen(unpainted) == ()
        await pilot.pause()
        assert pane.sentences_seen(Event().time) == (2,)


async def test_a_text_that_was_not_painted_yet_was_not_seen() -> None:
    """What was on screen before it is no part of it; of an empty text there is nothing to see."""
    async with shown("One. Two. ", size=(60, 12)) as (pane, _, pilot):
        pane.load("Three. Four. ", segments_of("Three. Four. "))
        assert pane.sentences_seen(Event().time) == ()
        await pilot.pause()
        assert pane.sentences_seen(Event().time) == (0, 1)
        pane.load("", ())
        await pilot.pause()
        assert pane.sentences_seen(Event().time) == ()


async def test_revealing_jumps_to_a_third() -> None:
    """What is in view stays where it is; what is not comes to a third of the height."""
    async with shown() as (pane, _, pilot):
        pane.reveal(Span(0, 3))
        assert pane.scroll_offset.y == 0
        target = Span(len(TEXT) - 300, len(TEXT) - 290)
        line = pane.text_layout.line_of(target.start)
        if line >= 12:
            pane.reveal(target)
            await pilot.pause()
            assert pane.scroll_offset.y == line - 4


async def test_what_is_asked_for_before_there_is_a_size_comes_into_view() -> None:
    """A sample may be opened before its first frame."""
    pane = DocumentPane()
    text = "line\n" * 200
    pane.display = False
    async with run_stage(pane, size=(40, 10)) as (_, pilot):
        pane.load(text, segments_of(text))
        pane.go_to(500)
        pane.display = True
        await pilot.pause()
        await pilot.pause()
        assert pane.scroll_offset.y <= 100 < pane.scroll_offset.y + 10


async def test_a_resize_keeps_the_text_at_the_top() -> None:
    """The words that were first in view are in the first line still."""
    long = " ".join(f"word{number}" for number in range(900))
    async with shown(long) as (pane, _, pilot):
        pane.go_to(3000)
        await pilot.pause()
        top = pane.text_layout.line(pane.scroll_offset.y)[0]
        await pilot.resize_terminal(44, 20)
        await pilot.pause()
        start, end = pane.text_layout.line(pane.scroll_offset.y)
        assert start <= top < end
        assert pane.text_layout.width == 44 - GUTTER - 1 - 1
        await pilot.resize_terminal(120, 20)
        await pilot.pause()
        assert pane.text_layout.width == 120 - 4 - 1 - 1
        await pilot.resize_terminal(60, 12)


async def test_loading_another_document_forgets_the_first() -> None:
    """Marks, selection and place belong to a text."""
    async with shown() as (pane, stage, pilot):
        pane.set_marks([AnnotationMark(Span(0, 3), "A")])
        pane.go_to(500, select=Span(500, 510))
        pane.load("New.", (Segment(0, 4),))
        await pilot.pause()
        assert stage.lines()[0].startswith("   ▶New.")
        assert (pane.selection, pane.cursor_offset, pane.scroll_offset.y) == (None, 0, 0)


@pytest.mark.parametrize("theme", ["dark", "light", "high-contrast", "mono"])
async def test_a_theme_may_change(theme: str) -> None:
    """The lines are painted anew in the colours of another theme."""
    async with shown() as (pane, stage, pilot):
        stage.theme = theme
        await pilot.pause()
        pane.set_evidence([Span(0, 14)])
        await pilot.pause()
        assert stage.lines()[0].startswith("✓  ▶One")


HOSTILE_TEXTS = {
    "controls": HOSTILE * 30,
    "nul": "\x00" * 5000,
    "marks": "e" + "\u0301" * 10_000 + " end",
    "bidi": "\u202eabc\u2066 def\u200f" * 50,
    "markup": "[red]x[/red] [link=https://example.org]y[/] \\[z]",
    "one line": "x" * 1_000_000,
    "clusters": (FAMILY + FLAG + "\u2764\ufe0f\t") * 200,
    "line ends": "a\r\nb\rc\u2028d\x85e\n" * 20,
    "empty": "",
}


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
async def test_hostile_documents_are_only_text(text: str) -> None:
    """Each row stays as wide as the screen and free of controls, wherever the cursor goes."""
    async with shown(text) as (pane, stage, pilot):
        for unit, step in (("char", 3), ("word", 2), ("sentence", 1), ("line", 1), ("end", 1)):
            pane.move(unit, step)
            pane.move(unit, 1, extend=True)
            pane.grow(1)
        pane.words_on_screen()
        await pilot.pause()
        assert pane.text_layout.text == text
        assert all(len(line) < 600 for line in stage.lines())


# the mouse


async def test_a_click_puts_the_cursor() -> None:
    """Either half of a wide character is the character; behind a line is its last one."""
    async with shown() as (pane, _, pilot):
        await pilot.click(Watched, offset=at(3, 1))
        assert (pane.cursor_offset, pane.selection) == (31, None)
        await pilot.click(Watched, offset=at(50, 0))
        assert pane.cursor_offset == 28
        await pilot.click(Watched, offset=at(-2, 0))
        assert pane.cursor_offset == 0


async def drag(pilot: Pilot[object], start: Offset, *others: Offset) -> None:
    """Presses, moves and lets go."""
    await pilot.mouse_down(Watched, offset=start)
    for place in others:
        await pilot.hover(Watched, offset=place)
    await pilot.mouse_up(Watched, offset=others[-1])


async def test_a_drag_selects() -> None:
    """Both ends are taken in, forward and backward, over Chinese and over lines."""
    async with shown() as (pane, _, pilot):
        await drag(pilot, at(4, 0), at(8, 0), at(12, 0))
        assert selected(pane) == "was loved"
        await drag(pilot, at(6, 1), at(3, 1))
        assert selected(pane) == "被发现"
        assert pane.cursor_offset == 31
        await drag(pilot, at(24, 0), at(1, 1))
        assert selected(pane) == "more.\n三"


async def test_the_mouse_is_let_go() -> None:
    """After a drag, moves of the mouse select nothing; and a lost focus ends a drag."""
    async with shown() as (pane, stage, pilot):
        await drag(pilot, at(4, 0), at(6, 0))
        assert stage.mouse_captured is None
        await pilot.hover(Watched, offset=at(20, 0))
        assert selected(pane) == "was"
        await pilot.mouse_down(Watched, offset=at(4, 0))
        stage.set_focus(None)
        await pilot.pause()
        assert stage.mouse_captured is None


async def test_a_drag_past_the_edge_scrolls() -> None:
    """The text moves under a mouse that is held outside, and the selection with it."""
    long = " ".join(f"word{number}" for number in range(900))
    async with shown(long) as (pane, _, pilot):
        await pilot.mouse_down(Watched, offset=at(0, 5))
        pane._drag_to = (10, 12)
        pane._press_offset, pane._has_dragged = pane.cursor_offset, True
        for _step in range(30):
            pane._drag()
        assert pane.scroll_offset.y == 30
        assert pane.selection is not None
        pane._drag_to = (0, -1)
        for _step in range(50):
            pane._drag()
        assert pane.scroll_offset.y == 0
        assert pane.selection.start == 0


async def test_shift_and_click_extends() -> None:
    """From the cursor, or from the fixed end of the selection."""
    async with shown() as (pane, _, pilot):
        await pilot.click(Watched, offset=at(4, 0))
        await pilot.click(Watched, offset=at(12, 0), shift=True)
        assert selected(pane) == "was loved"
        await pilot.click(Watched, offset=at(6, 0), shift=True)
        assert selected(pane) == "was"


async def test_twice_selects_a_word_and_three_times_the_sentence() -> None:
    """As everywhere else."""
    async with shown() as (pane, _, pilot):
        await pilot.click(Watched, offset=at(9, 0), times=2)
        assert selected(pane) == "loved"
        await pilot.click(Watched, offset=at(9, 0), times=3)
        assert selected(pane) == "One was loved."


async def test_a_click_on_a_match_is_told() -> None:
    """The screen decides; the cursor stays, and so does the focus."""
    async with shown() as (pane, stage, pilot):
        pane.set_matches([Match(0, 2, Span(30, 39), 0.9, 2)])
        stage.set_focus(None)
        stage.posted.clear()
        await pilot.click(Watched, offset=at(3, 1))
        (report,) = stage.of(DocumentPane.MatchClicked)
        assert (report.pane, report.rank) == (pane, 2)
        assert (pane.cursor_offset, pane.has_focus) == (0, False)
        assert not stage.of(DocumentPane.SelectionChanged)


async def test_a_drag_over_a_match_selects_in_it() -> None:
    """Only a click takes a match."""
    async with shown() as (pane, stage, pilot):
        pane.set_matches([Match(0, 2, Span(30, 39), 0.9, 2)])
        await drag(pilot, at(0, 1), at(2, 1))
        assert selected(pane) == "三被"
        assert not stage.of(DocumentPane.MatchClicked)


async def test_no_key_is_bound() -> None:
    """The screen decides what keys do, arrows too."""
    async with shown() as (pane, _, pilot):
        await pilot.press("down", "pagedown", "end", "right")
        assert (pane.cursor_offset, pane.scroll_offset.y) == (0, 0)


_WORDS = st.lists(st.text(st.sampled_from("ab,桥。"), min_size=1, max_size=12), max_size=120)


@given(_WORDS, st.integers(0, 70))
def test_what_follows_begins_as_the_whole_of_it_does(words: list[str], cells: int) -> None:
    """Only a part of a long text is looked at, and that cannot be seen."""
    text = " ".join(words)
    assert list(SurroundingText(after=(text,)).wrap_line(cells).after) == (
        wrap_line(line_text(text), cells)[:FRAME_LINES] if text else []
    )


@given(_WORDS, st.integers(8, 70))
def test_what_comes_before_ends_as_it_does(words: list[str], cells: int) -> None:
    """The last lines, each within its cells, with no word missing at the end."""
    text = " ".join(words)
    lines = SurroundingText(before=(text,)).wrap_line(cells).before
    assert len(lines) <= FRAME_LINES
    assert all(text_width(line) <= cells for line in lines)
    assert text.replace(" ", "").endswith("".join(lines).replace(" ", ""))
    assert len(lines) == FRAME_LINES or "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_what_is_around_is_harmless() -> None:
    """No control of it reaches a terminal."""
    hostile = "\x1b]52;c;aGk=\x07 ends"
    assert "\x1b" not in "".join(sum(SurroundingText((hostile,), (hostile,)).wrap_line(40), ()))
