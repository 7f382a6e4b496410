"""A terminal that was closed: the app is told, drawing goes nowhere, the process ends."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.events import Paste

from tests.helpers.terminal import PATIENCE, environment, program
from tests.tui.screens.annotate_app import make_workspace
from tui_annotate.tui.restricted_app import watch
from tui_annotate.tui.terminal import _TerminalFile, is_multiplexed
from tui_annotate.tui.terminal_driver import FrameReported, _InputSplitter


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
    found = _split_in_pieces(typed, size)
    pastes = [part.text for part in found if isinstance(part, Paste)]
    assert pastes == ["1\x1b[31m\x1b\x1b[20", ""]
    assert _keys(found) == "a\x1b[Ab\x1b[2~cd"


def test_what_is_kept_back_comes_when_nothing_more_does() -> None:
    """A lone Esc at the next tick; a paste whose end is missing after some more ticks."""
    splitter = _InputSplitter()
    assert list(splitter.split("\x1b")) == []
    assert list(splitter.flush()) == ["\x1b"]
    assert list(splitter.split("\x1b[200~a\x1b")) == []
    ticks = 0
    while not (found := list(splitter.flush())):
        ticks += 1
    assert [part.text for part in found if isinstance(part, Paste)] == ["a\x1b"]
    assert ticks >= 10
    assert list(splitter.split("q")) == ["q"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_a_report_of_the_terminal_is_no_key_in_whatever_pieces_it_comes(size: int) -> None:
    """Its digits would save annotations; in a paste it is text."""
    typed = "a\x1b[2;9R1\x1b[A\x1b[200~\x1b[2;5R\x1b[201~\x1b[12;3R2"
    found = _split_in_pieces(typed, size)
    reports = [part for part in found if isinstance(part, FrameReported)]
    assert [part.answers(7) for part in reports] == [True, False]
    assert [part.answers(1) for part in reports] == [False, True]
    assert _keys(found) == "a1\x1b[A2"
    assert [part.text for part in found if isinstance(part, Paste)] == ["\x1b[2;5R"]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_report_that_pauses_between_its_bytes_is_no_key(size: int) -> None:
    """Only an Esc that waits for too long is passed on as a key."""
    splitter = _InputSplitter()
    found = [
        part
        for piece in ("\x1b[2;9R"[:size], "\x1b[2;9R"[size:])
        for part in (*splitter.split(piece), *splitter.flush(), *splitter.flush())
    ]
    assert [part.answers(7) for part in found if isinstance(part, FrameReported)] == [True]
    assert _keys(found) == ("\x1b" if size == 1 else "")


def test_the_beginning_of_a_sequence_whose_end_is_lost_is_no_key() -> None:
    """Neither at once, nor with the keys that follow later."""
    splitter = _InputSplitter()
    assert list(splitter.split("\x1b[2;")) == []
    for _ in range(40):
        assert list(splitter.flush()) == []
    assert list(splitter.split("j")) == ["j"]


def test_a_function_key_with_shift_is_passed_on() -> None:
    """Its sequence is that of a cursor in the first row."""
    assert list(_InputSplitter().split("\x1b[1;2R")) == ["\x1b[1;2R"]


def _split_in_pieces(typed: str, size: int) -> list[str | Paste | FrameReported]:
    splitter = _InputSplitter()
    pieces = [typed[at : at + size] for at in range(0, len(typed), size)]
    return [part for piece in pieces for part in splitter.split(piece)]


def _keys(found: Sequence[object]) -> str:
    return "".join(part for part in found if isinstance(part, str))


LOCAL = ("bash", "gnome-terminal-", "systemd", "systemd")


def _make_processes(folder: Path, ancestors: Sequence[str], *, second: str = "kthreadd") -> Path:
    """A folder like /proc with this process and its ancestors, the last of which is process 1."""
    numbers = [os.getpid(), *range(900_000_000, 900_000_000 + len(ancestors) - 1), 1]
    for number, name, parent in zip(numbers, ["a) (b", *ancestors], [*numbers[1:], 0], strict=True):
        (folder / str(number)).mkdir()
        stat = f"{number} ({name}) S {parent} 5 5 0"
        (folder / str(number) / "stat").write_text(stat, "utf-8")
    (folder / "2").mkdir()
    (folder / "2" / "comm").write_text(f"{second}\n", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm", "TMUX": "/tmp/tmux-0/default,1,0"}, True),
        ({"TERM": "xterm", "STY": "1.pts-0"}, True),
        ({"TERM": "xterm", "TMUX": ""}, False),
        ({"TERM": "screen-256color"}, True),
        ({"TERM": "tmux-256color"}, True),
    ],
)
def test_a_multiplexer_is_found_by_its_environment(
    tmp_path: Path, environ: dict[str, str], *, found: bool
) -> None:
    """So it is on systems without /proc, where the variables alone decide."""
    assert is_multiplexed(environ, _make_processes(tmp_path, LOCAL)) is found
    assert is_multiplexed(environ, tmp_path / "missing") is found


@pytest.mark.parametrize(
    ("ancestors", "found"),
    [
        (LOCAL, False),
        (("bash", "login", "systemd"), False),
        (("bash", "sshd", "sshd", "sshd", "systemd"), False),
        (("bash", "sshd-session", "sshd-session", "sshd", "systemd"), False),
        (("sudo", "sudo", "bash", "sshd", "sshd", "systemd"), False),
        (("bash", "tmux: server", "systemd"), True),
        (("bash", "script", "bash", "tmux: server", "systemd"), True),
        (("bash", "sudo", "sudo", "bash", "tmux: server", "systemd", "systemd"), True),
        (("bash", "su", "bash", "screen", "systemd"), True),
        (("bash", "mosh-server", "systemd"), True),
    ],
)
def test_a_multiplexer_is_found_among_all_ancestors(
    tmp_path: Path, ancestors: Sequence[str], *, found: bool
) -> None:
    """Sudo takes its variables away, mosh sets none; both may run behind another terminal."""
    assert is_multiplexed({"TERM": "xterm"}, _make_processes(tmp_path, ancestors)) is found


@pytest.mark.parametrize(
    ("ancestors", "found"),
    [
        (("bash",), True),
        (("sh", "docker-init"), True),
        (("bash", "sshd", "sshd"), False),
    ],
)
def test_a_container_may_run_in_a_multiplexer(
    tmp_path: Path, ancestors: Sequence[str], *, found: bool
) -> None:
    """Its processes do not show what holds their terminal, unless they came by SSH."""
    processes = _make_processes(tmp_path, ancestors, second="sh")
    assert is_multiplexed({"TERM": "xterm"}, processes) is found


@pytest.mark.parametrize("missing", [1, 2, 900_000_001])
def test_ancestors_that_cannot_be_read_may_be_a_multiplexer(tmp_path: Path, missing: int) -> None:
    """A system may hide the processes of other users."""
    processes = _make_processes(tmp_path, LOCAL)
    shutil.rmtree(processes / str(missing))
    assert is_multiplexed({"TERM": "xterm"}, processes)


def test_a_process_that_was_put_into_a_container_has_no_parent_there(tmp_path: Path) -> None:
    """So `docker exec` starts a command."""
    processes = _make_processes(tmp_path, ("bash", "init"))
    (processes / "900000000" / "stat").write_text("900000000 (bash) S 0 5 5 0", "utf-8")
    assert is_multiplexed({"TERM": "xterm"}, processes)
