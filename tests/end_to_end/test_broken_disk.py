"""A store that can not be written while the app runs: told, survived, and nothing saved is lost."""

from __future__ import annotations

import resource
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.terminal import Terminal
from tui_annotate import workspace

RUN: Final = """
import sys
from pathlib import Path
from sqlalchemy import Engine, event
from tests.helpers.seen_frames import count_frames_as_seen
from tui_annotate.cli.main import run

count_frames_as_seen()
flag = Path(sys.argv[1])

@event.listens_for(Engine, "begin")
def _(connection):
    kind = flag.read_text() if flag.exists() else ""
    pages = 1 if kind == "full" else 2**30
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    connection.exec_driver_sql(f"PRAGMA query_only = {int(kind == 'read-only')}")

sys.exit(run(sys.argv[2:]))
"""
"""The program; SQLite itself refuses to let the store grow, or change, while a file says so."""

BACKSPACE: Final = "\x7f"
SAVED: Final = f"✓ {states.saved('Intrinsic')}"

Switch = Callable[[Terminal, Path, bool], None]


def flagged(kind: str) -> Switch:
    """A disk that is broken as long as the flag file says so."""

    def switch(_: Terminal, flag: Path, broken: bool) -> None:
        flag.write_text(kind if broken else "")

    return switch


def no_bytes(terminal: Terminal, flag: Path, broken: bool) -> None:
    """The system takes no byte from the process, into no file."""
    del flag
    _, most = resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (0 if broken else most, most))


def moved(_: Terminal, flag: Path, broken: bool) -> None:
    """The store is moved away, and back again."""
    places = [flag.parent / "work" / name for name in ("store.sqlite", "elsewhere")]
    places[not broken].rename(places[broken])


def replaced(terminal: Terminal, flag: Path, broken: bool) -> None:
    """A copy lies in the place of the store, which lies elsewhere; and back again."""
    moved(terminal, flag, broken)
    if broken:
        shutil.copy(flag.parent / "work" / "elsewhere", flag.parent / "work" / "store.sqlite")


BREAKS: Final = {
    "full": flagged("full"),
    "read-only": flagged("read-only"),
    "no bytes": no_bytes,
    "moved": moved,
    "replaced": replaced,
}
REASONS: Final = {
    "full": "the disk is full",
    "read-only": "the file is read-only",
    "no bytes": "the disk refused to read or write",
    "moved": "the store was deleted or moved",
    "replaced": "the store was replaced",
}


def started(folder: Path, flag: Path) -> Terminal:
    """The app, on a store that breaks when the flag says so."""
    command = [sys.executable, "-c", RUN, str(flag), "annotate", "-w", str(folder), "--as", "ana"]
    return Terminal(command, columns=110, rows=30)


def label(terminal: Terminal, *, words: int) -> bool:
    """Move on and label a word; return whether the screen says that it is saved.

    The app also stores where one is, at times of its own. Where that fails it drops the keys that
    were pressed before, so they are pressed again.
    """
    while True:
        terminal.press("w" * words)
        wait_for_draft(terminal, words=words)
        terminal.press("v1")
        with suppress(AssertionError):
            terminal.wait(is_answered, patience=20)
        if is_answered(terminal.text):
            return SAVED in terminal.text
        assert terminal.alive
        terminal.press(BACKSPACE)  # drops the selection, where that much was done


def wait_for_draft(terminal: Terminal, *, words: int) -> None:
    """Wait until a digit would save something; move on if a refused save of the position says so.

    Its message stays until the next key.
    """
    with suppress(AssertionError):
        states.wait_for_ready(terminal, patience=5)
    if states.READY not in terminal.text:
        terminal.press("w" * words)
        states.wait_for_ready(terminal)


def is_answered(screen: str) -> bool:
    """Whether a label was saved or refused."""
    return SAVED in screen or states.REFUSED in screen


@pytest.mark.parametrize("kind", BREAKS)
def test_a_broken_disk_is_told_and_costs_nothing(tmp_path: Path, kind: str) -> None:
    """What was saved stays, what was not is told and in hand, and a digit saves it afterwards."""
    if kind == "no bytes" and not hasattr(resource, "prlimit"):
        pytest.skip("system: no limits for another process")
    folder, flag = example.make(tmp_path / "work"), tmp_path / "flag"
    with started(folder, flag) as terminal:
        states.wait_for_sample(terminal)
        assert label(terminal, words=2)
        BREAKS[kind](terminal, flag, True)
        saved = 1
        while label(terminal, words=4):  # a full disk has room in the pages that it has
            saved += 1
        terminal.wait(REASONS[kind])
        terminal.wait("bridge-1")
        terminal.press(states.ENTER)
        terminal.wait(states.CLAIM_NOT_SAVED)
        states.wait_for_keys(terminal)
        BREAKS[kind](terminal, flag, False)
        wait_for_draft(terminal, words=1)
        terminal.press("1")
        terminal.wait(SAVED)
        states.quit_app(terminal)
    with workspace.open(folder) as space:
        assert example.logged_actions(space) == [("add", "Intrinsic")] * (saved + 1)
        assert example.find_store_errors(space) == []


@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_a_disk_that_is_broken_from_the_start_can_be_read(tmp_path: Path, kind: str) -> None:
    """A store that can not be written opens for whom it knows, saves nothing, and says so."""
    folder, flag = example.make(tmp_path / "work"), tmp_path / "flag"
    with workspace.open(folder) as space:
        space.annotate.start(space.person("ana").id)
    flag.write_text(kind)
    with started(folder, flag) as terminal:
        terminal.wait(lambda screen: states.READY in screen or "✗" in screen)  # in either's place
        states.wait_for_keys(terminal)
        saved = 0
        while label(terminal, words=4):
            saved += 1
        states.quit_app(terminal)
    with workspace.open(folder) as space:
        assert example.logged_actions(space) == [("add", "Intrinsic")] * saved
