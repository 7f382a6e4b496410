"""The list of matches."""

from __future__ import annotations

from unittest.mock import patch

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.tui.widgets.match_list import MatchList, MatchListText, MatchRow

_ROWS = [
    MatchRow(1, 0.86, 5, "l.118", "Engineers discovered cracks in two girders.", taken=True),
    MatchRow(2, 0.71, 4, "l.9", "裂缝最早于二〇一八年三月被发现。\n", former=True),
    MatchRow(3, 0.16, 1, "l.1026", "A ferry."),
]


async def test_a_match_has_rank_strength_score_place_and_text() -> None:
    """Columns stand under each other, wide characters or not."""
    widget = MatchList()
    async with run_stage(widget, size=(50, 6)) as (stage, pilot):
        widget.show(_ROWS, focused=2, status="words + static vectors")
        await pilot.pause()
        assert stage.text().splitlines() == [
            " 1 █  .86  ✓ l.118  Engineers discovered cracks i…",
            "▌2 ▆  .71  ° l.9    裂缝最早于二〇一八年三月被发…",
            " 3 ▁  .16    l.1026 A ferry.",
            "   words + static vectors",
        ]


async def test_few_cells_drop_the_place() -> None:
    """Rank, strength and text are what matters."""
    widget = MatchList()
    async with run_stage(widget, size=(30, 6)) as (stage, pilot):
        widget.show(_ROWS, focused=1, status="")
        await pilot.pause()
        assert stage.lines()[0] == "▌1 █  .86  ✓ Engineers discov…"


async def test_nothing_found_is_said_with_its_reason() -> None:
    """An empty list speaks."""
    widget = MatchList()
    async with run_stage(widget, size=(60, 6)) as (stage, pilot):
        widget.show([], focused=0, status="words only: vectors are being loaded")
        await pilot.pause()
        assert stage.text().splitlines() == [
            f"   {MatchListText.NOTHING.text()}",
            "   words only: vectors are being loaded",
        ]


async def test_a_click_gives_the_rank() -> None:
    """Only matches can be clicked."""
    widget = MatchList()
    async with run_stage(widget, size=(50, 6)) as (stage, pilot):
        widget.show(_ROWS, focused=1, status="status")
        await pilot.pause()
        for row in (1, 3, 4):
            await pilot.click(widget, offset=(20, row))
        assert [message.rank for message in stage.of(MatchList.Picked)] == [2]


async def test_the_focused_match_is_scrolled_to() -> None:
    """In a low pane the focused row stays in the window."""
    widget = MatchList()
    async with run_stage(widget, size=(50, 2)) as (stage, pilot):
        widget.show(_ROWS, focused=3, status="")
        await pilot.pause()
        assert "▌3" in stage.text()
        widget.show(_ROWS, focused=1, status="")
        await pilot.pause()
        assert "▌1" in stage.text()


async def test_the_same_again_paints_nothing() -> None:
    """Showing what is shown costs no frame."""
    widget = MatchList()
    async with run_stage(widget) as (_, pilot):
        widget.show(_ROWS, focused=1, status="")
        await pilot.pause()
        with patch.object(MatchList, "runs_of_row", side_effect=AssertionError):
            widget.show(list(_ROWS), focused=1, status="")
            await pilot.pause()


async def test_hostile_segments_are_harmless() -> None:
    """A segment may hold anything."""
    widget = MatchList()
    async with run_stage(widget) as (stage, pilot):
        widget.show([MatchRow(1, 1.0, 5, HOSTILE, HOSTILE)], focused=1, status=HOSTILE)
        await pilot.pause()
        assert "[bold red]x[/]" in stage.text()
