"""A terminal that is resized or pasted into, a clock that jumps, a store that is migrated."""

from __future__ import annotations

import random
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.effort import by_effort
from tests.helpers.stores import claim
from tests.helpers.terminal import Terminal
from tests.reliability import filled
from tui_annotate import workspace
from tui_annotate.domain.errors import Unavailable
from tui_annotate.storage.database import SCHEMA

RESIZES: Final = by_effort(push=60, full=60, torture=1000)
PASTED: Final = by_effort(push=500_000, full=500_000, torture=5_000_000)  # characters


def test_many_sizes_of_the_window_lose_no_action(tmp_path: Path) -> None:
    """Also of one cell, between two keys; the last size is drawn, and the action is stored."""
    luck = random.Random(1)
    with example.annotate(example.make(tmp_path / "work")) as terminal:
        states.wait_for_sample(terminal)
        for _ in range(RESIZES):
            terminal.resize(luck.randint(1, 200), luck.randint(1, 70))
            terminal.read(0.01)
            assert terminal.alive
        terminal.resize(100, 30)
        terminal.wait(states.READY)
        terminal.press("1")
        states.wait_for_saved(terminal, "Intrinsic")
        states.quit_app(terminal)


def _paste(terminal: Terminal, data: bytes) -> None:
    """Write in a thread, because the app may wait for its output to be read."""
    writer = threading.Thread(target=terminal.press, args=(data,))
    writer.start()
    while writer.is_alive():
        terminal.read(0.1)
    writer.join()


def test_a_large_paste_is_refused_as_a_whole(tmp_path: Path) -> None:
    """Where no text is typed it does nothing; in a comment a message appears; no part is a key."""
    folder = example.make(tmp_path / "work")
    paste = b"\x1b[200~" + b"1quit \x1b[31m\r" * (PASTED // 12) + b"\x1b[201~"
    with example.annotate(folder) as terminal:
        states.wait_for_sample(terminal)
        for key, after in (("", ""), ("M", "\x1b")):
            terminal.press(key)
            _paste(terminal, paste)
            terminal.wait("Not inserted")
            terminal.press(after)
            terminal.wait(lambda screen: "Not inserted" not in screen and states.READY in screen)
        states.quit_app(terminal)
    with workspace.open(folder) as space:
        assert example.logged_actions(space) == []
        assert example.find_store_errors(space) == []


def test_a_clock_that_jumps_changes_no_order(tmp_path: Path) -> None:
    """Forward and back by years: the log is chained as before, undo takes the last action."""
    luck = random.Random(2)
    folder = filled.make(tmp_path / "work")

    def jump() -> str:
        shift = timedelta(seconds=luck.randint(-(10**8), 10**8))
        return (datetime.now(UTC) + shift).isoformat(timespec="microseconds")

    with workspace.open(folder) as space:
        service = replace(space.annotate, clock=jump)
        person = service.people.local("cy").id
        for key in filled.keys(space)[:6]:
            made = claim(f"cy-{key.id}", 0, 9, label="Benign")
            service.add(person, key, made, seconds=1)
            service.finish(person, key, seconds=1)
        undone = [service.undo(person) for _ in range(12)]
        assert [each.key for each in undone if each][::2] == filled.keys(space)[:6][::-1]
        assert filled.errors(space) == []


def test_a_store_of_a_newer_version_is_not_written(tmp_path: Path) -> None:
    """A newer program migrates the store under this one: the next save is refused."""
    folder = filled.make(tmp_path / "work")
    with workspace.open(folder) as space:
        filled.annotate(space, "cy", count=1)
        before = filled.contents(space)
        with closing(sqlite3.connect(folder / "store.sqlite")) as other, other:
            other.execute("UPDATE schema_version SET version_num = ?", (str(SCHEMA + 1),))
        with pytest.raises(Unavailable, match="newer"):
            filled.annotate(space, "dee", count=1)
        assert filled.contents(space) == before
    with pytest.raises(Unavailable):
        workspace.open(folder)
