"""The two texts one over the other: who needs rows has them, and nothing jumps at work."""

from __future__ import annotations

from pathlib import Path

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.tui.screens.sample import rows

LONG = "Many words are said of it here, and more of them are to come. " * 12
SHORT = "The town had hoped for visitors. They stayed away."


def pair(name: str, source: str, summary: str) -> Sample:
    """A sample of two texts."""
    return Sample(
        "pairs",
        name,
        (Document(Side.SOURCE, source.strip()), Document(Side.SUMMARY, summary.strip())),
    )


def heights(person: Person) -> tuple[int, int]:
    """The rows of the summary and of the source."""
    pane = person.screen.pane
    return pane(Side.SUMMARY).size.height, pane(Side.SOURCE).size.height


async def test_the_rows_go_to_the_text_that_needs_them(tmp_path: Path) -> None:
    """And stay there whatever is done on the sample; another one, or another size, has its own."""
    samples = (pair("a", SHORT, LONG), pair("b", LONG * 2, SHORT))
    async with open_app(make_workspace(tmp_path / "work", samples=samples)) as person:
        assert heights(person) == (10, 7)
        assert person.screen.pane(Side.SUMMARY).text_layout.lines == 10
        for keys in ("down", "f", "escape", "v w", "1", "m", "x escape", "tab", "space", "tab"):
            await person.press(keys)
            assert heights(person) == (10, 7)
        await person.press("greater_than_sign")
        assert heights(person) == (3, 14)
        await person.pilot.resize_terminal(80, 20)
        await person.settled()
        assert heights(person) == (3, 10)
        await person.pilot.resize_terminal(110, 20)
        await person.settled()
        assert len(set(heights(person))) == 1
        await person.press("z z")
        assert heights(person) == (3, 11)


async def test_the_place_is_on_screen_where_its_text_has_fewer_rows(tmp_path: Path) -> None:
    """A sample that was left is shown before its rows are shared."""
    samples = (pair("a", SHORT, LONG), pair("b", LONG * 2, LONG))
    async with open_app(make_workspace(tmp_path / "work", samples=samples)) as person:
        await person.press("greater_than_sign end less_than_sign greater_than_sign")
        pane = person.screen.pane(Side.SUMMARY)
        top, line = pane.scroll_offset.y, pane.text_layout.line_of(pane.cursor_offset)
        assert pane.cursor_offset > len(LONG) // 2
        assert top <= line < top + pane.size.height


async def test_nothing_is_saved_where_nothing_can_be_read(tmp_path: Path) -> None:
    """A window that shows no line of a text says so, and wakes as it grows; one text needs less."""
    async with open_app(make_workspace(tmp_path / "work")) as person:
        await person.pilot.resize_terminal(30, 8)
        await person.press("1 x enter")
        assert " 30 x 9 " in person.shown()
        assert "1  Intrinsic" not in person.shown()
        assert (person.annotations, person.draft.sample.id) == ((), "a")
        for action in ("option.choose", "label.repeat", "sample.skip"):  # by palette or by click
            person.screen.do(action, digit="1")
        await person.settled()
        assert (person.annotations, person.draft.sample.id) == ((), "a")
        assert person.screen.may_do("app.quit")
        await person.press("z")
        assert rows.describe_hidden_side(person.draft, Side.SOURCE) in person.shown()
        await person.press("1")
        assert len(person.annotations) == 1
        await person.pilot.resize_terminal(30, 9)
        await person.press("z")
        assert min(heights(person)) == 1
        assert rows.describe_hidden_side(person.draft, Side.SOURCE) not in person.shown()
