"""One person at two terminals on one store: nothing is lost, and who is late is told."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.helpers.terminal import Terminal
from tui_annotate import workspace

ENTER, QUIT, HOME = "\r", "\x11", "\x1b[H"
LABELS: Final = ("Intrinsic", "Extrinsic", "Benign", "Questionable")
ACTIONS: Final = 15


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with the example data."""
    return example.make(tmp_path / "work")


def leave(terminal: Terminal) -> None:
    """Quits in peace."""
    terminal.press(QUIT)
    assert terminal.end() == 0


def note(terminal: Terminal, keys: str, text: str, *then: str) -> None:
    """Writes a note, and waits for what the screen shows then."""
    terminal.press(keys)
    terminal.wait("note on A")
    terminal.press(text + ENTER)
    for words in then:
        terminal.wait(words)


def test_the_second_is_told_and_may_take_over(folder: Path) -> None:
    """The first one's next save is refused in words, its note stays, and it may take over again."""
    with ExitStack() as terminals:
        one = terminals.enter_context(example.annotate(folder))
        one.wait("save:")
        example.awake(one)
        one.press(".1")
        one.wait("saved Intrinsic")
        two = terminals.enter_context(example.annotate(folder))
        two.wait("You are at work elsewhere since")
        two.press(ENTER)
        two.wait("save:")
        example.awake(two)
        note(two, "am", "the second", "✓ saved")
        note(one, "m", "the first", "You went on elsewhere at", "the first", "not saved")
        with workspace.open(folder) as space:
            assert [owned.annotation.note for _, owned in space.annotations()] == ["the second"]
        one.press(ENTER)
        one.wait(lambda screen: "You went on" not in screen)
        one.press(ENTER)
        for words in ("changed since it was read", "the first"):
            one.wait(words)
        one.press(ENTER)
        one.wait("✓ saved")
        for terminal in (one, two):
            leave(terminal)
    with workspace.open(folder) as space:
        (annotation,) = (owned.annotation for _, owned in space.annotations())
        assert annotation.note == "the first"
        assert example.deeds(space) == [("add", "Intrinsic"), ("edit", ""), ("edit", "")]
        assert example.wrong(space) == []


def test_what_two_people_save_at_once_is_there(folder: Path) -> None:
    """Two that label without waiting for one another lose nothing that was shown."""
    luck = random.Random(7)
    shown: Counter[str] = Counter()
    with (
        example.annotate(folder) as one,
        example.annotate(folder, "--sample", "moss-1", name="ben") as two,
    ):
        for terminal in (one, two):
            terminal.wait("save:")
            example.awake(terminal)
        for _ in range(ACTIONS):
            for terminal in (one, two):
                terminal.press("w" * luck.randint(1, 5) + f"v{luck.randint(1, 4)}")
            for terminal in (one, two):
                screen = terminal.wait(lambda screen: "· u undo" in screen or " says " in screen)
                shown.update(label for label in LABELS if f"saved {label} · u undo" in screen)
                terminal.press("h")
                terminal.wait("save:")
        leave(one)
        leave(two)
    with workspace.open(folder) as space:
        stored = Counter(label for _, label in example.deeds(space))
        assert shown <= stored  # a slow terminal may show the next state before it was read
        assert shown.total() >= ACTIONS
        assert stored.total() <= 2 * ACTIONS
        assert example.wrong(space) == []
