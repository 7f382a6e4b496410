"""A terminal that was closed: the app is told, drawing goes nowhere, the process ends."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import struct
import subprocess
import termios
import threading
from pathlib import Path

from tests.helpers.terminal import PATIENCE, environment, program
from tests.tui.screens.annotate_app import make_workspace
from tui_annotate.tui.restricted_app import watch
from tui_annotate.tui.terminal import _TerminalFile


def test_a_closed_terminal_is_told() -> None:
    """Once it is closed, and not by what is written to it before."""
    ours, theirs = pty.openpty()
    report = threading.Event()
    watch(theirs, report.set)
    os.write(ours, b"a\n")
    assert os.read(theirs, 2) == b"a\n"
    assert not report.is_set()
    os.close(ours)
    assert report.wait(PATIENCE)
    os.close(theirs)


def test_drawing_on_a_closed_terminal_goes_nowhere() -> None:
    """Neither a line nor the end of the stream raises; other mistakes do."""
    ours, theirs = pty.openpty()
    os.close(ours)
    with io.TextIOWrapper(io.BufferedWriter(_TerminalFile(theirs, "w"))) as stream:
        stream.write("é" * 9000)
        stream.flush()
        stream.write("more")


def test_without_terminal_nor_signal_it_ends(tmp_path: Path) -> None:
    """Where the terminal is not that of the session no SIGHUP comes; the end is reported."""
    folder = make_workspace(tmp_path / "work")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = program("annotate", "-w", str(folder), "--as", "ana")
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    os.close(theirs)
    drawn = b""
    while b"save:" not in drawn and select.select([ours], [], [], PATIENCE)[0]:
        drawn += os.read(ours, 1 << 16)
    os.close(ours)
    try:
        assert process.communicate(timeout=PATIENCE)[1].startswith(b"the terminal's input ended")
        assert process.returncode == 1
    finally:
        process.kill()
