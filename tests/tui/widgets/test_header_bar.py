"""The line at the top."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.tui.widgets.header_bar import Header, HeaderBar, SaveState

_HEADER = Header(
    "news-v2", 14, 120, 12, "cnn-00421", "chen", SaveState.SAVED, "draft", "in progress"
)


async def _line(width: int, **changes: Any) -> str:
    widget = HeaderBar()
    async with run_stage(widget, size=(width, 3)) as (stage, pilot):
        widget.show(_HEADER._replace(**changes))
        await pilot.pause()
        return stage.lines()[0]


async def test_all_parts_have_room_at_140_cells() -> None:
    """Everything is told, the person and the saved state at the right edge."""
    line = await _line(140)
    assert line.startswith(" news-v2  14/120 ━━───")
    assert " 10%  cnn-00421  ○ in progress " in line
    assert line.endswith(" chen  ✓ saved ")


async def test_80_cells_hold_everything_with_a_shorter_bar() -> None:
    """Nothing is lost at 80 cells for names of usual length."""
    line = await _line(80)
    for part in ("news-v2", "14/120 ━", "10%", "cnn-00421", "○ in progress", "chen", "✓ saved"):
        assert part in line


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 100])
async def test_what_matters_most_stays(width: int) -> None:
    """Position and saved state are told at any width."""
    line = await _line(width)
    assert "14/120" in line
    assert "✓ saved" in line


async def test_a_failed_save_is_told_before_all_else() -> None:
    """A failed save pushes the other parts away."""
    line = await _line(12, saved=SaveState.NOT_SAVED)
    assert "✗ not saved" in line
    assert "14/120" not in line


async def test_chinese_names_keep_the_line_in_shape() -> None:
    """Wide characters count two cells, and are cut whole."""
    line = await _line(60, dataset="新闻摘要数据集第二版", sample="样本四百二十一号" * 3)
    assert "14/120" in line
    assert "✓ saved" in line


async def test_the_bar_is_full_only_when_all_is_finished() -> None:
    """One sample left shows; one finished shows."""
    assert "─" in await _line(140, finished=119)
    assert "━" in await _line(140, finished=1)
    assert "─" not in await _line(140, finished=120)
    assert "0/0" not in await _line(140, position=0, total=0, finished=0)


async def test_hostile_names_are_shown_harmless() -> None:
    """Controls in ids and names become pictures, markup stays text."""
    assert "[bold red]" in await _line(140, sample=HOSTILE, dataset=HOSTILE, person=HOSTILE)


@pytest.mark.parametrize("part", Header._fields)
async def test_no_part_reaches_the_terminal_as_it_came(part: str) -> None:
    """Neither a name nor the words of a library's error."""
    if isinstance(getattr(_HEADER, part), str):
        line = await _line(200, **{part: HOSTILE})
        assert not set("\x1b\x07\x9b\u202e\x00") & set(line)


async def test_how_matches_are_ranked_is_told_wherever_it_is_not_usual() -> None:
    """It stands even where hardly anything else does."""
    for width in (140, 80, 40):
        assert "by vectors" in await _line(width, matches="by vectors")
    assert "by" not in await _line(80)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("idle", "◌ sync idle"),
        ("pending", "◔ sync pending"),
        ("syncing", "⇅ syncing"),
        ("success", "● synced"),
        ("error", "✗ sync error"),
        ("offline", "○ offline"),
    ],
)
async def test_what_is_shared_is_a_glyph_and_a_word(state: str, words: str) -> None:
    """Each state can be told from the others without colour; where nothing is shared, none is."""
    widget = HeaderBar()
    async with run_stage(widget, size=(120, 3)) as (stage, pilot):
        widget.show(_HEADER)
        await pilot.pause()
        assert "sync" not in stage.lines()[0]
        widget.show_sync(state)
        await pilot.pause()
        assert f"{words}  ✓ saved " in stage.lines()[0]


async def test_progress_is_of_the_samples_that_can_be_completed() -> None:
    """Locked samples are counted apart; with them alone, nothing is left to do."""
    line = await _line(140, finished=90, locked=30, aside="30 locked")
    assert " 100% · 30 locked " in line
    assert "─" not in line
    assert " 75%" in await _line(140, finished=90)
    assert " 100%" in await _line(140, finished=0, locked=120)


@pytest.mark.parametrize(("sample", "shown"), [("0", "sample 0"), ("12-3", "sample 12-3")])
async def test_an_id_that_is_a_number_is_called_a_sample(sample: str, shown: str) -> None:
    """Alone next to the progress it would be read as a count."""
    for width in (80, 140):
        assert shown in await _line(width, sample=sample)
        assert "sample" not in await _line(width)
