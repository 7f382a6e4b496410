"""Several people at work on one store at once: nobody is refused, and nothing is lost."""

from __future__ import annotations

import random
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.end_to_end import example
from tests.end_to_end.annotator import Annotator
from tests.helpers.effort import by_effort
from tests.helpers.terminal import ROOT, Terminal
from tui_annotate import workspace
from tui_annotate.domain.people import Person
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.workspace import Workspace

PEOPLE: Final = by_effort(push=5, full=5, torture=20)
ACTIONS: Final = by_effort(push=6, full=6, torture=60)
QUIT: Final = "\x11"
ISOLATED: Final = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r});"
    " from tests.helpers.seen_frames import run; run()"
)


def add(space: Workspace, name: str) -> Person:
    """Somebody with an account; a session by key needs no password."""
    new = NewAccount(name, f"{name}@example.org", password="five small green boats")
    return space.team.accounts.add(new).person


def test_many_sessions_at_once_lose_nothing(tmp_path: Path) -> None:
    """What each screen called saved is in the log of that person, in order, and nothing else."""
    folder = example.make(tmp_path / "work")
    with workspace.open(folder) as space:
        names = [f"p{number}" for number in range(PEOPLE)]
        people = [add(space, name) for name in names]
    with ExitStack() as running:
        annotators = []
        for number, person in enumerate(people):
            command = [sys.executable, "-I", "-c", ISOLATED, "ssh", "session", person.id]
            terminal = Terminal([*command, "-w", str(folder)], columns=100, rows=30)
            annotators.append(Annotator(running.enter_context(terminal), random.Random(number)))
        for _ in range(ACTIONS):
            for annotator in annotators:
                annotator.clear_message()
                annotator.terminal.press(annotator.random_keys())
            for annotator in annotators:
                annotator.wait_for_answer()
        for annotator in annotators:
            annotator.terminal.press(QUIT)
        assert [annotator.terminal.end() for annotator in annotators] == [0] * PEOPLE
    with workspace.open(folder) as space:
        for person, annotator in zip(people, annotators, strict=True):
            assert annotator.saved_actions
            assert example.logged_actions(space, person.id) == annotator.saved_actions
        assert example.find_store_errors(space) == []
