"""Processor time from the start of the process to what is on the screen, against an empty app.

The moment is when the awaited bytes have arrived at the terminal; the two programs run in turn, so
that a busy machine slows both.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from benchmarks.workspaces import FIRST, workspace_of
from tests.helpers.terminal import Terminal, program

RUNS = 7
FRAME = b" keys"  # the last words of the bottom line
EMPTY = """
from textual.app import App, ComposeResult
from textual.widgets import Static

class Empty(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("first-frame")

Empty().run()
"""


def cpu_until(command: list[str], awaited: bytes, env: Mapping[str, str]) -> float:
    """Seconds of processor time that a program has used when some bytes have arrived."""
    with Terminal(command, env=env) as terminal:
        terminal.wait_bytes(awaited)
        return terminal.cpu()


def rows() -> list[Row]:
    """The two ratios, and the empty app's own time."""
    with TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        workspace_of(workspace)
        env = {
            "TUI_ANNOTATE_STATE": folder,
            "TUI_ANNOTATE_CONFIG": str(Path(folder) / "none.toml"),
            "PYTHONDONTWRITEBYTECODE": "",  # an installed program has its byte code
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode"),
        }
        words = FIRST.encode()
        ours = program("annotate", "-w", str(workspace))
        empty = [sys.executable, "-c", EMPTY]
        for command, awaited in ((empty, b"first-frame"), (ours, words)):
            cpu_until(command, awaited, env)  # once, so that byte code and disk cache are there
        times = [
            (
                cpu_until(empty, b"first-frame", env),
                cpu_until(ours, FRAME, env),
                cpu_until(ours, words, env),
            )
            for _ in range(RUNS)
        ]
    base, frame, text = (median(each) for each in zip(*times, strict=True))
    return [
        Row("empty Textual app to its first frame", base * 1000, unit="ms"),
        Row("start to the first frame, against an empty app", frame / base, 1.8, "times"),
        Row("start to a 200 kB sample's text, against an empty app", text / base, 3.5, "times"),
    ]
