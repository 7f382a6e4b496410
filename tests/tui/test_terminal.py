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

import pytest

from tests.helpers.terminal import PATIENCE, environment, program
from tests.tui.screens.annotate_app import make_workspace
from tui_annotate.tui.restricted_app import watch
from tui_annotate.tui.terminal import _TerminalFile
from tui_annotate.tui.terminal_driver import _PasteSplitter


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


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_a_paste_is_text_in_whatever_pieces_it_comes(size: int) -> None:
    """Escape codes in it are no keys, and the keys around it are no text."""
    typed = "a\x1b[Ab\x1b[200~1\x1b[31m\x1b\x1b[20\x1b[201~\x1b[2~c\x1b[200~\x1b[201~d"
    splitter = _PasteSplitter()
    pieces = [typed[at : at + size] for at in range(0, len(typed), size)]
    found = [part for piece in pieces for part in splitter.split(piece)]
    assert [text for text, is_pasted in found if is_pasted] == ["1\x1b[31m\x1b\x1b[20", ""]
    assert "".join(text for text, is_pasted in found if not is_pasted) == "a\x1b[Ab\x1b[2~cd"


def test_what_is_kept_back_comes_when_nothing_more_does() -> None:
    """A lone Esc at the next tick; a paste whose end is missing after some more ticks."""
    splitter = _PasteSplitter()
    assert list(splitter.split("\x1b")) == []
    assert list(splitter.flush()) == [("\x1b", False)]
    assert list(splitter.split("\x1b[200~a\x1b")) == []
    ticks = iter(lambda: list(splitter.flush()), [("a\x1b", True)])
    assert len(list(ticks)) >= 10
    assert list(splitter.split("q")) == [("q", False)]
