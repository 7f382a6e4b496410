"""One person at two terminals on one store: nothing is lost, and who is late is told."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.pty_driver import Terminal
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


def test_both_see_the_work_and_a_late_change_is_told(folder: Path) -> None:
    """An edit of what the other terminal changed meanwhile is refused, and the note stays."""
    with example.annotate(folder) as one, example.annotate(folder) as two:
        for terminal in (one, two):
            terminal.wait("save:")
            example.awake(terminal)
        one.press(".1")
        one.wait("saved Intrinsic")
        two.press("j.2")
        two.wait("saved Extrinsic")
        two.wait("2 annotations")
        one.press("m")
        one.wait("note on A")
        one.press("the first" + ENTER)
        one.wait("the first")
        two.press("am")
        two.wait("note on A")
        two.press("the second" + ENTER)
        for words in ("✗ not saved", "changed since it was read", "the first"):
            two.wait(words)
        two.press(ENTER)
        two.wait("✓ saved")
        two.wait("the second")
        leave(one)
        leave(two)
    with workspace.open(folder) as space:
        first, second = (owned.annotation for _, owned in space.annotations())
        assert (first.note, second.note) == ("the second", "")
        added = [("add", "Intrinsic"), ("add", "Extrinsic")]
        assert example.deeds(space) == [*added, ("edit", ""), ("edit", "")]
        assert example.wrong(space) == []


def test_what_both_save_at_once_is_there(folder: Path) -> None:
    """Two that label without waiting for one another lose nothing that was shown."""
    luck = random.Random(7)
    shown: Counter[str] = Counter()
    with example.annotate(folder) as one, example.annotate(folder, "--sample", "moss-1") as two:
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
        assert Counter(label for _, label in example.deeds(space)) == shown
        assert example.wrong(space) == []
