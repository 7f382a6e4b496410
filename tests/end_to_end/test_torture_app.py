"""The app is killed at random moments: what its screen called saved is in the store, in order."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from tests.end_to_end import example
from tests.end_to_end.annotator import Annotator
from tests.end_to_end.example import LoggedAction
from tests.helpers.effort import by_effort
from tui_annotate import workspace

ROUNDS: Final = by_effort(push=5, full=5, torture=300)
A_SESSION: Final = 14  # actions of one start at most


def test_nothing_that_was_shown_as_saved_is_lost(tmp_path: Path) -> None:
    """After each kill the log begins with what was shown, and holds at most one action more."""
    folder = example.make(tmp_path / "work")
    known: list[LoggedAction] = []
    for number in range(ROUNDS):
        luck = random.Random(number)
        with example.annotate(folder) as terminal:
            annotator = Annotator(terminal, luck)
            if number % 5 == 4:
                annotator.kill_after(luck.randrange(20_000))
            else:
                terminal.wait("Press 1")
                for _ in range(luck.randrange(A_SESSION)):
                    annotator.act()
                annotator.die_in_action()
        with workspace.open(folder) as space:
            stored = example.logged_actions(space)
            assert example.find_store_errors(space) == [], f"round {number}"
        wanted = known + annotator.saved_actions
        assert stored[: len(wanted)] == wanted, f"round {number}"
        assert len(stored) <= len(wanted) + 1, f"round {number}"
        known = stored
    assert len(known) > ROUNDS
