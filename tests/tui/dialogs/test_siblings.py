"""Rival texts of a group, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.tui.dialogs.test_past_annotations import settled
from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import SampleKey, SiblingSample
from tui_annotate.domain.scores import ScoreSummaries, ScoreSummary
from tui_annotate.tui.dialogs.siblings import Found, SiblingsDialog

KEYS = [SampleKey("d", name) for name in ("a-1", "b-2", "c-3")]
SAID = ScoreSummaries(
    ("q", "p"),
    True,
    {KEYS[0]: ScoreSummary((0.92, None), "right"), KEYS[1]: ScoreSummary((0.1, 0.5))},
)
RIVALS = (
    SiblingSample(KEYS[0], State.DONE, 0, "The bridge opened in 1932."),
    SiblingSample(KEYS[1], State.NEW, 2, "大桥已经开放。" * 12),
    SiblingSample(KEYS[2], State.DRAFT, 1, "one\ntwo"),
)


def dialog(found: Found = (RIVALS, SAID)) -> SiblingsDialog:
    """Opened from the second."""
    return SiblingsDialog(lambda: found, current=KEYS[1])


async def test_whole_texts_stand_below_their_heads() -> None:
    """State, id, own annotations; what machines say; the one that it was opened from."""
    async with run_stage(screen=dialog()) as (stage, pilot):
        await settled(stage, pilot)
        text = stage.text()
        rows = [line.strip("│ ") for line in text.splitlines()]
        first = next(row for row in rows if "a-1" in row)
        assert first.split() == ["✓", "a-1", "█.92", "right"]
        second = next(row for row in rows if "b-2" in row)
        assert second.split() == ["▌·", "b-2", "2", "annotations", "here", "▁.10", "▅.50"]
        assert rows[rows.index(next(row for row in rows if "c-3" in row)) + 1 :][:2] == [
            "one",
            "two",
        ]
        assert text.count("大桥已经开放。") >= 10
        assert "3 of yours · q · p" in text


@pytest.mark.parametrize(
    ("keys", "wanted"), [(["up"], 0), (["down"], 2), ([], 1), (["tab", "tab", "pageup", "end"], 2)]
)
async def test_enter_opens_the_one_in_hand(keys: Sequence[str], wanted: int) -> None:
    """The focus goes from head to head and stops at the ends; scrolling does not move it."""
    async with run_stage(screen=dialog(), size=(40, 12)) as (stage, pilot):
        await settled(stage, pilot)
        await pilot.press(*keys, "enter")
        await pilot.pause()
        assert stage.results == [KEYS[wanted]]


async def test_a_click_on_a_text_opens_it() -> None:
    """As one on its head."""
    async with run_stage(screen=dialog()) as (stage, pilot):
        await settled(stage, pilot)
        await pilot.click("ItemList", offset=(10, 1))
        await pilot.pause()
        assert stage.results == [KEYS[0]]


async def test_it_wraps_anew() -> None:
    """The one in hand stays in hand; hostile texts are harmless."""
    hostile = SiblingSample(SampleKey(HOSTILE, HOSTILE), State.NEW, 0, HOSTILE * 9)
    async with run_stage(screen=dialog(((hostile, *RIVALS), ScoreSummaries()))) as (stage, pilot):
        await settled(stage, pilot)
        await pilot.press("down")
        await pilot.resize_terminal(50, 14)
        await pilot.pause()
        assert "▌○ c-3" in stage.text()
        await pilot.resize_terminal(80, 24)
        await pilot.press("home")
        await pilot.pause()
        assert "␛]52" in stage.text()


async def test_a_sample_alone_and_a_refusal_are_told() -> None:
    """Nothing opens then."""

    def refused() -> Found:
        raise Unavailable("no store", "see doctor")

    for find, words in (
        (lambda: ((), ScoreSummaries()), "belongs to no group"),
        (refused, "✗ no store"),
    ):
        async with run_stage(screen=SiblingsDialog(find, current=KEYS[0])) as (stage, pilot):
            await settled(stage, pilot)
            await pilot.click("ItemList", offset=(3, 0))
            await pilot.press("enter", "down", "pagedown", "q")
            await pilot.pause()
            assert words in stage.text() or stage.results == [None]
            assert stage.results == [None]
