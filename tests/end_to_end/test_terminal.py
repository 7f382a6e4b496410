"""The terminal of the tests shows whole frames, and all that a program wrote before it ended."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.terminal import Terminal

HALVES: Final = """
import sys
from pathlib import Path
print("before \\x1b[?2026hfirst half, ", end="", flush=True)
sys.stdin.readline()
print("second half\\x1b[?2026l", flush=True)
sys.stdin.readline()
"""


def test_a_frame_is_shown_once_it_is_complete() -> None:
    """Nothing of it is on the screen while its end is still to come."""
    with Terminal([sys.executable, "-c", HALVES]) as terminal:
        terminal.wait_bytes(b"first half")
        assert "first half" not in terminal.wait("before")
        terminal.press("\r")
        assert "first half" in terminal.wait("second half")


def test_the_app_draws_in_frames(tmp_path: Path) -> None:
    """It is told that the terminal knows them."""
    with example.annotate(example.make(tmp_path / "work")) as terminal:
        states.wait_for_sample(terminal)
        assert b"\x1b[?2026h" in terminal.raw
        states.quit_app(terminal)


def test_what_a_program_writes_at_its_end_is_read() -> None:
    """Also where it ends before anything is looked at."""
    with Terminal([sys.executable, "-c", "print('last words')"]) as terminal:
        terminal.wait("last words")
        assert terminal.end() == 0
