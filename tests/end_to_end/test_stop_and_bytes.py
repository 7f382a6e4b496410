"""Stop signals from outside, and bytes that are no text: no key is lost, the app goes on."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.effort import by_effort
from tests.helpers.terminal import PATIENCE, ROOT, Terminal, program
from tui_annotate import workspace

STOPS: Final = 100
SEEDS: Final = by_effort(push=1, full=1, torture=10)
RANDOM_BYTES: Final = by_effort(push=2_000, full=2_000, torture=10_000)
QUITTING: Final = b"\x03\x10\x11:q"
"""Keys that quit, and those that open the palette, whose Enter could choose to quit."""
TEXT: Final = "The harbour fee rose by nine percent, not by five; see line 4. "


def stop_and_continue(terminal: Terminal) -> None:
    """As a batch system suspends a job: the program cannot catch the first signal."""
    os.kill(terminal.pid, signal.SIGSTOP)
    _wait_until(lambda: _is_stopped(terminal.pid))
    os.kill(terminal.pid, signal.SIGCONT)


def _is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] in "Tt"


def _wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail after the patience of all waits at a terminal."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"


def _read_until_quiet(terminal: Terminal, seconds: float) -> None:
    """Read until nothing arrives for some seconds."""
    _wait_until(lambda: not terminal.read(seconds))


def comment_of(folder: Path) -> str:
    """The sample comment that is stored."""
    with workspace.open(folder) as space:
        works = [one for record in space.records() for one in record.assignments]
    (comment,) = {one.comment for one in works} - {""}
    return comment


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to see a stop by")
def test_keys_keep_their_order_over_stops(tmp_path: Path) -> None:
    """A text is typed while the process is stopped and continued; then the app quits at once."""
    folder = example.make(tmp_path / "work")
    typed = (TEXT * 4)[: STOPS * 2].strip()
    with example.annotate(folder) as terminal:
        states.wait_for_sample(terminal)
        terminal.press("M")
        terminal.wait("Comment on the sample")
        for at in range(0, len(typed), 2):
            stop_and_continue(terminal)
            terminal.press(typed[at : at + 2])
        terminal.press("\r")
        terminal.wait("Comment on the sample saved")
        terminal.press(states.QUIT)
        assert terminal.end() == 0
    assert comment_of(folder) == typed


def test_the_screen_is_repainted_after_a_stop(tmp_path: Path) -> None:
    """A shell wrote over it, and changed the terminal's mode."""
    with example.annotate(example.make(tmp_path / "work")) as terminal:
        states.wait_for_sample(terminal)
        os.kill(terminal.pid, signal.SIGSTOP)
        terminal.set_line_mode()
        _read_until_quiet(terminal, 0.2)
        before = len(terminal.raw)
        os.kill(terminal.pid, signal.SIGCONT)
        while b"Carrow" not in terminal.raw[before:]:
            assert terminal.read(5)
        assert terminal.is_raw
        states.quit_app(terminal)


@pytest.mark.parametrize("pause", [0.0, 0.4])
@pytest.mark.parametrize("byte", [b"\xff", b"\xe9", b"\xe4\xb8", b"\x80\xbf", b"\xed\xa0\x80"])
def test_an_invalid_byte_does_not_end_the_app(tmp_path: Path, byte: bytes, pause: float) -> None:
    """Neither with the next key, nor as half a character that the reader gets alone."""
    with example.annotate(example.make(tmp_path / "work")) as terminal:
        states.wait_for_sample(terminal)
        terminal.press(byte)
        terminal.read(pause)
        terminal.press("j1")
        states.wait_for_saved(terminal, "Intrinsic")
        states.quit_app(terminal)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_bytes_do_not_end_the_app(tmp_path: Path, seed: int) -> None:
    """Whatever they do to the draft, the app goes on, and the log stays whole."""
    folder = example.make(tmp_path / "work")
    source = random.Random(seed)
    data = bytes(
        source.choice([b for b in range(256) if b not in QUITTING]) for _ in range(RANDOM_BYTES)
    )
    with example.annotate(folder) as terminal:
        states.wait_for_sample(terminal)
        for at in range(0, len(data), 100):
            terminal.press(data[at : at + 100])
            _read_until_quiet(terminal, 0.05)
            assert terminal.alive, terminal.text
        terminal.press("\x1b")
        _read_until_quiet(terminal, 0.3)  # read together, Esc and the next key are one sequence
        terminal.press(states.QUIT)
        assert terminal.end() == 0
    with workspace.open(folder) as space:
        assert example.find_store_errors(space) == []


def test_a_suspended_app_goes_on_with_one_reader(tmp_path: Path) -> None:
    """SIGTSTP gives the terminal back; SIGCONT takes it again, and keys keep their order."""
    folder = example.make(tmp_path / "work")
    with example.annotate(folder) as terminal:
        states.wait_for_sample(terminal)
        for _ in range(3):
            os.kill(terminal.pid, signal.SIGTSTP)
            _wait_until(lambda: not terminal.read(0.05) and _is_stopped(terminal.pid))
            assert not terminal.is_raw
            os.kill(terminal.pid, signal.SIGCONT)
            _wait_until(lambda: not terminal.read(0.05) and terminal.is_raw)
        terminal.press("M")
        terminal.wait("Comment on the sample")
        terminal.press(TEXT.strip())
        terminal.wait("see line 4.")
        terminal.press("\r")
        terminal.wait("Comment on the sample saved")
        states.quit_app(terminal)
    assert comment_of(folder) == TEXT.strip()


def _stored_verbs(folder: Path) -> list[str]:
    with workspace.open(folder) as space:
        return [verb for verb, _ in example.logged_actions(space)]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
def test_ctrl_z_returns_to_the_shell_and_fg_to_the_screen(tmp_path: Path) -> None:
    """The keys that follow are for the shell: neither they nor `fg` act on the sample."""
    folder = example.make(tmp_path / "work")
    command = shlex.join(program("annotate", "-w", str(folder), "--as", "ana"))
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with Terminal(shell, env={"PS1": "shell: "}, folder=ROOT, columns=100, rows=30) as terminal:
        terminal.wait("shell: ")
        terminal.press(f"{command}\r")
        states.wait_for_sample(terminal)
        for _ in range(2):
            terminal.press("\x1a.3s!1")
            terminal.wait("Stopped")
            terminal.press("fg\r")
            states.wait_for_ready(terminal)
            terminal.wait(lambda screen: "Stopped" not in screen)
        terminal.press(".2")
        states.wait_for_saved(terminal, "Extrinsic")
        prompts = terminal.raw.count(b"shell: ")
        terminal.press(states.QUIT)
        terminal.wait(lambda _: terminal.raw.count(b"shell: ") > prompts)
        terminal.press("exit\r")
        terminal.end()
    assert _stored_verbs(folder) == ["add"]


def test_ctrl_z_without_a_shell_shows_why_it_does_nothing(tmp_path: Path) -> None:
    """The dialog takes the `fg` that is typed for a shell."""
    folder = example.make(tmp_path / "work")
    with example.annotate(folder) as terminal:
        states.wait_for_sample(terminal)
        terminal.press("\x1a")
        terminal.wait(states.NOT_SUSPENDED)
        terminal.press("fg\r")
        terminal.wait(lambda screen: states.NOT_SUSPENDED not in screen)
        terminal.wait(states.FIRST_SENTENCE)
        states.quit_app(terminal)
    assert _stored_verbs(folder) == []
