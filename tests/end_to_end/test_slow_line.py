"""A slow line between person and program: no key stores work on a sample that was not seen."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import run
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.slow_line import SlowTerminal
from tui_annotate import workspace

BLIND_KEYS: Final = ("2", "x", "!", "1", "m", "u", "s", states.ENTER)
"""Keys that save, delete, flag, write, undo, skip and complete."""

SAMPLES: Final = len(example.PAIRS.read_text("utf-8").splitlines())

REACTION: Final = 0.35
"""Seconds after which a quick person answers what they see."""

MULTIPLEXED: Final = 1.0


def _command(folder: Path, module: str = "tui_annotate") -> list[str]:
    return [sys.executable, "-m", module, "annotate", "-w", str(folder), "--as", "ana"]


def _open_slow(folder: Path, round_trip: float) -> SlowTerminal:
    command = _command(folder, "tests.helpers.own_terminal")
    return SlowTerminal(command, round_trip=round_trip, columns=100, rows=30)


def _work(folder: Path) -> dict[str, list[str]]:
    """The verbs that are stored, by sample, without those that only record time spent."""
    with workspace.open(folder) as space:
        found: dict[str, list[str]] = {}
        for stream in space.log.streams():
            verbs = [event.action.verb for event in space.log.events(*stream)]
            found[stream[1].id] = [verb for verb in verbs if verb != "read"]
        return {name: verbs for name, verbs in found.items() if verbs}


def _annotate_blindly(terminal: SlowTerminal, *, reaction: float) -> None:
    """Skip a sample, press keys until the next one has arrived, then label it."""
    terminal.wait(states.READY)
    terminal.read_for(reaction)
    terminal.press("j")  # somebody is there, so that `s` ends the sample
    terminal.read_for(0.4)
    first = states.position(1, SAMPLES)
    assert first in terminal.text
    terminal.press("s")
    terminal.read_for(0.02)
    terminal.press_until_shown(BLIND_KEYS, states.position(2, SAMPLES), every=0.06)
    terminal.read_for(reaction)
    for _ in range(3):  # a refused key is refused until its message is seen
        terminal.press("2")
        terminal.read_for(reaction)
        if states.saved("") in terminal.text:
            break
    states.wait_for_saved(terminal)
    terminal.press(states.QUIT)
    terminal.end()


def _check(folder: Path) -> None:
    assert sorted(_work(folder).values()) == [["add"], ["skip"]]


SLOW = [
    pytest.param(0.1, marks=pytest.mark.full),
    0.3,
    pytest.param(0.6, marks=pytest.mark.full),
    pytest.param(1.0, marks=pytest.mark.full),
]


@pytest.mark.parametrize("round_trip", SLOW)
def test_no_key_stores_on_an_unseen_sample(tmp_path: Path, round_trip: float) -> None:
    """Whatever is pressed before the sample has arrived; what is pressed then is stored."""
    folder = example.make(tmp_path / "work")
    with _open_slow(folder, round_trip) as terminal:
        _annotate_blindly(terminal, reaction=REACTION + round_trip)
    _check(folder)


@contextmanager
def _tmux_server(folder: Path) -> Iterator[list[str]]:
    """The command line of a tmux of our own, whose server ends with the block."""
    own = ["tmux", "-f", "/dev/null", "-S", str(folder / "tmux")]
    try:
        yield own
    finally:
        run([*own, "kill-server"], check=False, capture_output=True)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux on this machine")
@pytest.mark.parametrize("round_trip", SLOW)
def test_no_key_stores_on_an_unseen_sample_inside_tmux(tmp_path: Path, round_trip: float) -> None:
    """Tmux runs next to the program, and answers it before the frame is on the line."""
    folder = example.make(tmp_path / "work")
    with _tmux_server(tmp_path) as own:
        command = [*own, "new-session", *_command(folder)]
        with SlowTerminal(command, round_trip=round_trip, columns=100, rows=31) as terminal:
            _annotate_blindly(terminal, reaction=MULTIPLEXED + REACTION)
    _check(folder)


@pytest.mark.skipif(None in map(shutil.which, ("tmux", "script")), reason="no tmux or script")
def test_no_key_stores_behind_another_terminal_inside_tmux(tmp_path: Path) -> None:
    """`script` and `sudo` open a terminal of their own, and nothing in the environment names tmux.

    Tmux answers at once, so the key comes more than the settling time after the answer.
    """
    folder = example.make(tmp_path / "work")
    inner = ["env", "-u", "TMUX", "-u", "TMUX_PANE", "TERM=xterm-256color"]
    inner += ["script", "-qec", shlex.join(_command(folder)), "/dev/null"]
    with _tmux_server(tmp_path) as own:
        command = [*own, "new-session", *inner]
        with SlowTerminal(command, round_trip=0.8, columns=100, rows=31) as terminal:
            terminal.wait(states.READY)
            terminal.read_for(MULTIPLEXED + REACTION)
            terminal.press("j")
            terminal.read_for(MULTIPLEXED)
            terminal.press("s")
            terminal.read_for(0.6)
            assert states.position(1, SAMPLES) in terminal.text
            terminal.press("2")
            terminal.wait(states.position(2, SAMPLES))
            terminal.read_for(MULTIPLEXED)
            terminal.press(states.QUIT)
            terminal.end()
    assert list(_work(folder).values()) == [["skip"]]


def test_a_person_without_a_slow_line_loses_no_key(tmp_path: Path) -> None:
    """Labels that follow Enter by 300 ms and more are stored, sample after sample."""
    folder = example.make(tmp_path / "work")
    with _open_slow(folder, 0) as terminal:
        terminal.wait(states.READY)
        terminal.read_for(REACTION)
        for number in range(1, 6):
            terminal.press("2")
            states.wait_for_saved(terminal)
            terminal.press("s")
            terminal.wait(states.position(number + 1, SAMPLES))
            terminal.read_for(0.3)
        terminal.press(states.QUIT)
        terminal.end()
    assert sorted(_work(folder).values()) == [["add", "skip"]] * 5
