"""A store that can not be written while the app runs: told, survived, and nothing saved is lost."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.helpers.terminal import Terminal
from tui_annotate import workspace

RUN: Final = """
import sys
from pathlib import Path
from sqlalchemy import Engine, event
from tui_annotate.cli.main import run

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

Switch = Callable[[Terminal, Path, bool], None]


def flagged(kind: str) -> Switch:
    """A disk that is broken as long as the flag is there."""

    def switch(_: Terminal, flag: Path, broken: bool) -> None:
        if broken:
            flag.write_text(kind)
        else:
            flag.unlink()

    return switch


def no_bytes(terminal: Terminal, flag: Path, broken: bool) -> None:
    """The system takes no byte from the process, into no file."""
    del flag
    _, most = resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (0 if broken else most, most))


BREAKS: Final = {"full": flagged("full"), "read-only": flagged("read-only"), "no bytes": no_bytes}
REASONS: Final = {
    "full": "the disk is full",
    "read-only": "it is read-only",
    "no bytes": "the disk refused to read or write",
}


def started(folder: Path, flag: Path) -> Terminal:
    """The app, on a store that breaks when the flag says so."""
    command = [sys.executable, "-c", RUN, str(flag), "annotate", "-w", str(folder), "--as", "ana"]
    return Terminal(command, columns=110, rows=30)


def label(terminal: Terminal, *, words: int) -> bool:
    """Moves on and labels a word; whether the screen says that it is saved."""
    terminal.press("w" * words)
    with suppress(AssertionError):
        terminal.wait("save:", patience=5)
    if "save:" not in terminal.text:  # that the place was not kept is told there, and drops keys
        terminal.press("w" * words)
        terminal.wait("save:")
    terminal.press("v1")
    terminal.wait(lambda screen: "✓ saved Intrinsic" in screen or "✗ not saved" in screen)
    return "✓ saved Intrinsic" in terminal.text


@pytest.mark.parametrize("kind", BREAKS)
def test_a_broken_disk_is_told_and_costs_nothing(tmp_path: Path, kind: str) -> None:
    """What was saved stays, what was not is told and in hand, and a digit saves it afterwards."""
    if kind == "no bytes" and not hasattr(resource, "prlimit"):
        pytest.skip("system: no limits for another process")
    folder, flag = example.make(tmp_path / "work"), tmp_path / "flag"
    with started(folder, flag) as terminal:
        terminal.wait("save:")
        example.awake(terminal)
        assert label(terminal, words=2)
        BREAKS[kind](terminal, flag, True)
        saved = 1
        while label(terminal, words=4):  # a full disk has room in the pages that it has
            saved += 1
        assert "bridge-1" in terminal.wait(REASONS[kind])
        terminal.press("\r")
        terminal.wait("not saved yet")
        terminal.press("?")
        terminal.wait("Keys")
        terminal.press("q")
        BREAKS[kind](terminal, flag, False)
        terminal.wait("save:")
        terminal.press("1")
        terminal.wait("✓ saved Intrinsic")
        terminal.press("\x11")
        assert terminal.end() == 0
    with workspace.open(folder) as space:
        assert example.deeds(space) == [("add", "Intrinsic")] * (saved + 1)
        assert example.wrong(space) == []


@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_a_disk_that_is_broken_from_the_start_can_be_read(tmp_path: Path, kind: str) -> None:
    """A store that can not be written opens for whom it knows, saves nothing, and says so."""
    folder, flag = example.make(tmp_path / "work"), tmp_path / "flag"
    with workspace.open(folder) as space:
        space.annotate.start(space.person("ana").id)
    flag.write_text(kind)
    with started(folder, flag) as terminal:
        terminal.wait(lambda screen: "save:" in screen or "✗" in screen)  # in either's place
        example.awake(terminal)
        saved = 0
        while label(terminal, words=4):
            saved += 1
        terminal.press("\x11")
        assert terminal.end() == 0
    with workspace.open(folder) as space:
        assert example.deeds(space) == [("add", "Intrinsic")] * saved
