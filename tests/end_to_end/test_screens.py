"""What the screens look like, cell by cell: texts and styles held to stored pictures of text.

Where a change is meant, run this file with TUI_ANNOTATE_SNAPSHOTS=update in the environment: it
draws them anew, and the difference is reviewed like code.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters, digits, punctuation
from typing import Final

import pytest
from rich.cells import cell_len
from textual.strip import Strip

from tests.end_to_end import example
from tests.tui.screens.annotate_app import Person
from tests.tui.screens.proposals import Says, suggest
from tui_annotate import workspace
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.theme import TerminalLook, detect

UPDATE: Final = os.environ.get("TUI_ANNOTATE_SNAPSHOTS") == "update"
STORED: Final = Path(__file__).with_name("snapshots")
NARROW, WIDE = (80, 24), (140, 40)
USUAL: Final = {"TERM": "xterm-256color"}
SELECT: Final = ("f 15 pounds",)
OVERLAPS: Final = (*SELECT, "space 1", "home . . 2", "f cost the", "3", "f 15 pounds", "4")
SAID: Final = (
    Says(
        "a barge had struck the third pier",
        evidence=[(0, "Later tests showed that it came from a flaw in the original casting")],
        why="The source names a flaw in the casting, and clears the barge company.",
    ),
    Says("most of it paid by the county", ("Benign",), why="Two thirds are most.", score=0.4),
)
SUGGESTED: Final = ("suggestions", "greater_than_sign less_than_sign c")
SPLIT: Final = (*OVERLAPS, "labels", "greater_than_sign less_than_sign c")


@dataclass(frozen=True)
class Story:
    """How a screen comes about.

    Attributes:
        steps: keys parted by blanks; with `f` in front the first and the last word to select, with
            a quotation mark what is typed; `labels` is an admin who splits one and retires another,
            `suggestions` a machine that says something.
        env: what the terminal says of itself.
    """

    size: tuple[int, int]
    steps: tuple[str, ...] = ()
    sample: str = "bridge-1"
    env: dict[str, str] | None = None


STORIES: Final = {
    "reading-80": Story(NARROW),
    "reading-140": Story(WIDE),
    "selected-80": Story(NARROW, SELECT),
    "selected-140": Story(WIDE, SELECT),
    "evidence-140": Story(WIDE, (*SELECT, "space")),
    "source-80": Story(NARROW, (*SELECT, "tab v w w")),
    "hints-80": Story(NARROW, ("f",)),
    "option-80": Story(NARROW, (*SELECT, "space 5")),
    "note-80": Story(NARROW, (*SELECT, "space 1 m", "'12 million, not 15")),
    "overlaps-80": Story(NARROW, OVERLAPS),
    "overlaps-140": Story(WIDE, OVERLAPS),
    "chinese-80": Story(NARROW, ("j .", "1"), "typhoon-2"),
    "chinese-140": Story(WIDE, ("j . j",), "typhoon-2"),
    "queue-80": Story(NARROW, (*SELECT, "1 q")),
    "queue-140": Story(WIDE, (*SELECT, "1 q down")),
    "help-80": Story(NARROW, ("?",)),
    "help-140": Story(WIDE, ("?",)),
    "labels-80": Story(NARROW, ("0", "'in")),
    "split-80": Story(NARROW, SPLIT),
    "split-140": Story(WIDE, SPLIT),
    "suggested-80": Story(NARROW, (*OVERLAPS, *SUGGESTED)),
    "suggested-140": Story(WIDE, (*OVERLAPS, *SUGGESTED)),
    "suggested-no-colours-80": Story(NARROW, (*OVERLAPS, *SUGGESTED), env={"NO_COLOR": "1"}),
    "no-colours-80": Story(NARROW, OVERLAPS, env={"NO_COLOR": "1"}),
    "16-colours-80": Story(NARROW, OVERLAPS, env={"TERM": "xterm"}),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the example data."""
    return example.make(tmp_path_factory.mktemp("screens") / "work")


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made, tmp_path / "work"))


@asynccontextmanager
async def opened(folder: Path, story: Story) -> AsyncIterator[Person]:
    """The app on a sample, with all that is read and computed behind it done."""
    look: TerminalLook = detect(USUAL | (story.env or {}))
    app = AnnotateApp(lambda: workspace.open(folder), person="ana", sample=story.sample, look=look)
    async with app.run_test(size=story.size) as pilot:
        someone = Person(app, pilot)
        while app.sample_screen.draft is None:
            await pilot.pause(0.001)
        await someone.settled()
        yield someone
        app.sample_screen.quit()


async def act(person: Person, step: str, folder: Path) -> None:
    """A step of a story."""
    if step.startswith("f "):
        await person.words(*step.split()[1:])
    elif step == "labels":
        with workspace.open(folder) as space:
            space.team.relabel.split("Unwanted.Intrinsic", ["Number", "Name"])
            space.team.relabel.retire("Benign")
    elif step == "suggestions":
        suggest(folder, *SAID, sample="bridge-1", dataset="news")
    elif step.startswith("'"):
        await person.pilot.press(*step[1:])
        await person.settled()
    else:
        await person.press(step)


def drawn(strips: Iterable[Strip]) -> str:
    """Rows as text, then as letters, one for the style of each cell, then what they stand for."""
    letters: dict[str, str] = {}
    signs = iter(ascii_letters + digits + punctuation)
    rows, looks = [], []
    for strip in strips:
        row, look = "", ""
        for segment in strip:
            style = str(segment.style)
            letter = letters.get(style) or letters.setdefault(style, next(signs))
            row += segment.text
            look += letter * cell_len(segment.text)
        rows.append(f"|{row}|")
        looks.append(f"|{look}|")
    legend = [f"{letter} = {style}" for style, letter in letters.items()]
    return "\n".join([*rows, "", *looks, "", *legend, ""])


@pytest.mark.parametrize("name", STORIES)
async def test_a_screen_looks_as_it_was_reviewed(folder: Path, name: str) -> None:
    """Each cell has the character and the style of the stored picture."""
    story, stored = STORIES[name], STORED / f"{name}.txt"
    async with opened(folder, story) as person:
        for step in story.steps:
            await act(person, step, folder)
        found = drawn(person.app.screen._compositor.render_strips())
    if UPDATE:
        stored.parent.mkdir(exist_ok=True)
        stored.write_text(found, "utf-8")
    assert found.splitlines() == stored.read_text("utf-8").splitlines()
