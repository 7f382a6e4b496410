"""Own former annotations, to take a note from."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

from textual.pilot import Pilot

from tests.tui.stage import HOSTILE, Stage, run_stage
from tui_annotate.domain.annotations import PastAnnotation
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.words import describe_labels
from tui_annotate.tui.dialogs.past_annotations import PastAnnotationDialog

FORMERS = (
    PastAnnotation(
        SampleKey("d", "a-1"), "1", "15 million", (("Bad", "Made up"),), "12, not 15", 0.91
    ),
    PastAnnotation(SampleKey("d", "b-2"), "2", "已经开放", (("Fine",),), "", 0.5),
    PastAnnotation(SampleKey("d", "c-3"), "3", "last", (), "nobody says so", 0.25),
)


async def settled(stage: Stage, pilot: Pilot[object]) -> None:
    """The thread has answered."""
    await stage.workers.wait_for_complete()
    await pilot.pause()


async def test_the_nearest_stand_first_with_their_notes() -> None:
    """Score, label, words, sample; the note on a line of its own, where there is one."""
    dialog = PastAnnotationDialog(lambda: FORMERS, slots={("Fine",): 0})
    async with run_stage(screen=dialog) as (stage, pilot):
        await settled(stage, pilot)
        rows = [line.strip("│ ") for line in stage.text().splitlines()]
        first = next(at for at, row in enumerate(rows) if "0.91" in row)
        assert rows[first].split() == ["▌0.91", "Made", "up", '"15', 'million"', "a-1"]
        assert rows[first + 1] == "✎ 12, not 15"
        assert 'Fine "已经开放"' in rows[first + 2]
        assert rows[first + 3].startswith(f"0.25 {describe_labels(())} ")
        assert '"last"' in rows[first + 3]
        assert any(re.search(r"\b3\b", row) for row in rows[:first])
        assert " Enter " in rows[-2]
        assert " r " in rows[-2]


async def test_enter_takes_the_focused_one() -> None:
    """The focus goes from annotation to annotation, over their notes, and stops at the ends."""
    for keys, wanted in ((["up", "enter"], 0), (["down", "enter"], 1), (["j"] * 9 + ["enter"], 2)):
        async with run_stage(screen=PastAnnotationDialog(lambda: FORMERS, slots={})) as (
            stage,
            pilot,
        ):
            await settled(stage, pilot)
            await pilot.press(*keys)
            await pilot.pause()
            assert stage.results == [FORMERS[wanted]]


async def test_a_click_takes_one_by_any_of_its_lines() -> None:
    """The note belongs to the annotation above it."""
    async with run_stage(screen=PastAnnotationDialog(lambda: FORMERS, slots={})) as (stage, pilot):
        await settled(stage, pilot)
        await pilot.click("ItemList", offset=(10, 1))
        await pilot.pause()
        assert stage.results == [FORMERS[0]]


async def test_nothing_and_a_refusal_are_told() -> None:
    """Enter takes nothing then."""

    def refused() -> Sequence[PastAnnotation]:
        raise Unavailable("no store", "see doctor")

    for find, words in ((tuple, "You have no annotations with"), (refused, "✗ no store")):
        async with run_stage(screen=PastAnnotationDialog(find, slots={})) as (stage, pilot):
            await settled(stage, pilot)
            await pilot.press("enter", "down")
            assert words in stage.text()
            assert "reuse note" not in stage.text()
            assert stage.results == []


async def test_it_may_be_closed_before_the_answer() -> None:
    """An answer to nobody is dropped."""
    asked = threading.Event()

    def late() -> Sequence[PastAnnotation]:
        asked.wait(10)
        return FORMERS

    async with run_stage(screen=PastAnnotationDialog(late, slots={})) as (stage, pilot):
        assert "Searching" in stage.text()
        await pilot.press("escape")
        await pilot.pause()
        asked.set()
        await settled(stage, pilot)
        assert stage.results == [None]


async def test_hostile_notes_are_harmless() -> None:
    """What was written long ago is no better than what is written now."""
    hostile = PastAnnotation(SampleKey("d", HOSTILE), "1", HOSTILE, ((HOSTILE,),), HOSTILE, 0.5)
    async with run_stage(screen=PastAnnotationDialog(lambda: [hostile] * 3, slots={})) as (
        stage,
        pilot,
    ):
        await settled(stage, pilot)
        assert "␛]52;c;aGk=␇" in stage.text()
