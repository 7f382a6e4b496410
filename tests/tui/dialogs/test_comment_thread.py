"""Talks and news over the screen: harmless, whole, and closed by the keys that they tell."""

from __future__ import annotations

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.domain.comments import NewsItem
from tui_annotate.domain.text_diff import DiffPart
from tui_annotate.tui.dialogs.comment_thread import CommentDialog
from tui_annotate.tui.dialogs.news import NewsDialog


async def test_a_talk_is_read_and_gone_on_with() -> None:
    """What was said stands above the line; Enter gives what was typed."""
    said = [("Ana", "3 May 10:00", "Is a date a number?"), ("Li" + HOSTILE, "11:00", HOSTILE)]
    async with run_stage(screen=CommentDialog(said)) as (stage, pilot):
        text = stage.text()
        assert "Ana  3 May 10:00" in text
        assert "Is a date a number?" in text
        await pilot.press("enter")
        assert stage.results == []
        await pilot.press("S", "o", "enter")
        assert stage.results == ["So"]


async def test_a_talk_that_begins() -> None:
    """There is the line alone, with what was typed before; Escape sends nothing."""
    async with run_stage(screen=CommentDialog([], text="half")) as (stage, pilot):
        assert "half" in stage.text()
        await pilot.press("escape")
        assert stage.results == [None]


async def test_a_long_talk_shows_its_end() -> None:
    """The last words are in sight; Up goes to those before."""
    said = [("Ana", str(number), f"word {number}") for number in range(30)]
    async with run_stage(screen=CommentDialog(said)) as (stage, pilot):
        await pilot.pause()
        assert "word 29" in stage.text()
        await pilot.press(*["up"] * 60)
        await pilot.pause()
        assert "word 0" in stage.text()


async def test_news_are_read_and_closed() -> None:
    """Titles, plain lines, lines that came and went with their marks; Enter goes on."""
    items = [
        NewsItem("Notice from Li", (DiffPart(" ", "Thank you."), DiffPart(" ", HOSTILE))),
        NewsItem(
            "The guidelines changed", (DiffPart("-", "Mark it."), DiffPart("+", "Mark " * 30))
        ),
    ]
    async with run_stage(screen=NewsDialog(items)) as (stage, pilot):
        lines = [line.strip("│ ").rstrip() for line in stage.lines()]
        assert "Notice from Li" in lines
        assert "Thank you." in lines
        assert "- Mark it." in lines
        assert sum(line.startswith("+ Mark") for line in lines) == 1
        await pilot.press("enter")
        assert stage.results == [None]
