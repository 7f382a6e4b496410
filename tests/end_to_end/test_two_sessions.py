"""One person at two terminals on one store: nothing is lost, and who is late is told."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.terminal import Terminal
from tui_annotate import workspace
from tui_annotate.tui.screens.annotate.loader import PLACE_PAUSE

LABELS: Final = ("Intrinsic", "Extrinsic", "Benign", "Questionable")
ACTIONS: Final = 15


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with the example data."""
    return example.make(tmp_path / "work")


def note(terminal: Terminal, keys: str, text: str, *then: str) -> None:
    """Writes a note, and waits for what the screen shows then."""
    terminal.press(keys)
    terminal.wait(states.NOTE_LINE)
    terminal.press(text + states.ENTER)
    for words in then:
        terminal.wait(words)


def test_the_second_is_told_and_may_take_over(folder: Path) -> None:
    """The first one's next save is refused in words, its note stays, and it may take over again."""
    with ExitStack() as terminals:
        one = terminals.enter_context(example.annotate(folder))
        states.wait_for_sample(one)
        one.press(".1")
        states.wait_for_saved(one, "Intrinsic")
        one.read_for(2 * PLACE_PAUSE)  # else storing its position, not its note, finds the takeover
        two = terminals.enter_context(example.annotate(folder))
        two.wait(states.AT_WORK_ELSEWHERE)
        two.press(states.ENTER)
        states.wait_for_sample(two)
        note(two, "am", "written by two", states.SAVED)
        # In one piece: a second after a key, storing the position finds the takeover, too.
        one.press(f"mwritten by one{states.ENTER}")
        for words in (states.TAKEN_OVER, states.LAST_NOT_SAVED):
            one.wait(words)
        with workspace.open(folder) as space:
            assert [owned.annotation.note for _, owned in space.annotations()] == ["written by two"]
        states.take_over(one)
        one.press(states.ENTER)
        one.wait("changed since it was read")
        one.press(states.ENTER)
        states.wait_for_saved(one)
        for terminal in (one, two):
            states.quit_app(terminal)
    with workspace.open(folder) as space:
        (annotation,) = (owned.annotation for _, owned in space.annotations())
        assert annotation.note == "written by one"
        assert example.logged_actions(space) == [("add", "Intrinsic"), ("edit", ""), ("edit", "")]
        assert example.find_store_errors(space) == []


def test_what_two_people_save_at_once_is_there(folder: Path) -> None:
    """Two that label without waiting for one another lose nothing that was shown."""
    luck = random.Random(7)
    shown: Counter[str] = Counter()
    with (
        example.annotate(folder) as one,
        example.annotate(folder, "--sample", "moss-1", name="ben") as two,
    ):
        for terminal in (one, two):
            states.wait_for_sample(terminal)
        for _ in range(ACTIONS):
            for terminal in (one, two):
                terminal.press("w" * luck.randint(1, 5) + f"v{luck.randint(1, 4)}")
            for terminal in (one, two):
                screen = terminal.wait(
                    lambda screen: states.CAN_UNDO in screen or " says " in screen
                )
                shown.update(
                    label
                    for label in LABELS
                    if f"{states.saved(label)} {states.CAN_UNDO}" in screen
                )
                terminal.press("h")
                states.wait_for_ready(terminal)
        states.quit_app(one)
        states.quit_app(two)
    with workspace.open(folder) as space:
        stored = Counter(label for _, label in example.logged_actions(space))
        assert shown <= stored  # a slow terminal may show the next state before it was read
        assert shown.total() >= ACTIONS
        assert stored.total() <= 2 * ACTIONS
        assert example.find_store_errors(space) == []
