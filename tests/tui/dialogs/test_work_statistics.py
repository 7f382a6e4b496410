"""Figures over the screen: whole at 80 columns, harmless, counted anew by a key."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.domain.work_statistics import (
    FlaggedSample,
    PersonWork,
    Projection,
    RemainingWork,
    Week,
    WorkStatistics,
)
from tui_annotate.tui.dialogs.work_statistics import WorkStatisticsDialog

ANA = PersonWork("news", "a", "Ana", 10, 4, 5, 0, 1, 2, 12, 7200.0, 6, "2026-04-01")
BEN = replace(ANA, dataset="x" + HOSTILE, person="b", name="Ben" + HOSTILE, flagged=0, seconds=0.0)
FIGURES = WorkStatistics(
    (ANA, BEN),
    (Week("2026-W18", 0.0, 0), Week("2026-W19", 7200.0, 6)),
    (
        RemainingWork("news", 4, Projection("2026-05-14")),
        RemainingWork(BEN.dataset, None, Projection(reason="done")),
    ),
    (
        FlaggedSample("news", "7", "a", HOSTILE, "2026"),
        FlaggedSample("news", "8", "zz", "", "2026"),
    ),
    {"a": "Ana"},
    date(2026, 5, 4),
)


async def test_all_is_told() -> None:
    """Each dataset with its people, then the weeks, then the flags with their reasons."""
    dialog = WorkStatisticsDialog(lambda: dialog.show_statistics(FIGURES))
    async with run_stage(screen=dialog, size=(80, 40)) as (stage, _):
        text = stage.text()
        assert re.search(r"\b4\b.* 2026-05-14", text)
        (line,) = [each for each in stage.lines() if "Ana" in each and "/h" in each]
        for words in ("5/10", "⚑1", "2.0 h", "3.0/h", "2026-05-14"):
            assert words in line
        assert "2026-W19      2.0 h  ████" in text
        assert "news/8, zz" in text


async def test_counted_anew() -> None:
    """Opening it asks for figures, the key r for others; they are shown when they come."""
    asked: list[int] = []
    dialog = WorkStatisticsDialog(lambda: asked.append(1))
    async with run_stage(screen=dialog) as (stage, pilot):
        assert "Counting" in stage.text()
        dialog.show_statistics(FIGURES)
        await pilot.press("r")
        assert asked == [1, 1]
        assert "Counting" in stage.text()
        dialog.show_statistics(replace(FIGURES, work=(), forecast=()))
        await pilot.pause()
        assert "Ana" not in stage.text()
        assert dialog.lines(60)[0][0][0] in stage.text()
        await pilot.press("q")
        await pilot.pause()
        dialog.show_statistics(FIGURES)
        assert stage.results == [None]
