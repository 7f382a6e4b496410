"""The program for tests at a terminal, whose user has seen a frame as soon as the terminal has it.

Keys are pressed as soon as a test sees what it waits for, so the time that a person needs to read
is not waited for.
"""

from __future__ import annotations

from tui_annotate.__main__ import main
from tui_annotate.tui import frame_guard


def count_frames_as_seen() -> None:
    """Let a key act on a frame as soon as the terminal has it."""
    frame_guard.SETTLING_TIME = frame_guard.UNREPORTED_TIME = 0.0


def run() -> None:
    """Run the program without the time that a person needs to see a frame."""
    count_frames_as_seen()
    main()


if __name__ == "__main__":
    run()
