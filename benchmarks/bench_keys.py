"""From a key to the last byte of its frame: the app in a real terminal, a megabyte on both sides.

The last byte is the one after which nothing came for a while; keys are pressed one after the other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from benchmarks.workspaces import FIRST, chinese, prose, workspace_from
from tests.pty_driver import Terminal, program

CURSOR = "\x1b[C"
KEYS = {
    CURSOR: "cursor",
    "\x1b[B": "next sentence, its matches",
    "v": "select a word or drop it, its matches",
    "\x1b[6~": "page",
}
LANGUAGES = {"en": "English", "zh": "Chinese"}
MEGABYTE = 1_000_000
PRESSES = 100
QUIET = 0.04  # seconds without a byte that end a frame; Textual paints at most every 0.017
FIRST_FRAME = 2.0  # the same, at the start


@dataclass(frozen=True, slots=True)
class Frames:
    """What the presses of one key cost.

    Attributes:
        waits: milliseconds from the key to the last byte of its frame, one a press.
        sizes: bytes written, one a press.
        cpu: milliseconds of processor time a press.
    """

    waits: list[float]
    sizes: list[int]
    cpu: float

    @property
    def slowest(self) -> float:
        """The 95th percentile of the waits."""
        return quantiles(self.waits, n=20)[-1]


def frame(terminal: Terminal, key: str) -> tuple[float, int]:
    """Press a key; milliseconds until the last byte of what it painted, and the bytes."""
    pressed = last = time.perf_counter()
    terminal.press(key)
    size = 0
    while new := terminal.read(QUIET if size else 1.0):
        last = time.perf_counter()
        size += len(new)
    return (last - pressed) * 1000, size


def frames(terminal: Terminal, key: str) -> Frames:
    """Press a key many times."""
    before = terminal.cpu()
    measured = [frame(terminal, key) for _ in range(PRESSES)]
    cpu = (terminal.cpu() - before) / PRESSES * 1000
    return Frames([wait for wait, _ in measured], [size for _, size in measured], cpu)


def rows() -> list[Row]:
    """The figures of every key in both languages."""
    found: list[Row] = []
    with TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        texts = {"en": prose, "zh": chinese}
        pairs = (
            {"id": language, "source": text(MEGABYTE, 1), "summary": text(MEGABYTE, 2)}
            for language, text in texts.items()
        )
        workspace_from(workspace, pairs, id_column="id")
        env = {"TUI_ANNOTATE_STATE": folder, "TUI_ANNOTATE_CONFIG": str(Path(folder) / "none.toml")}
        for language, name in LANGUAGES.items():
            command = program("annotate", "-w", str(workspace), "--sample", language)
            with Terminal(command, env=env, columns=120, rows=40) as terminal:
                terminal.wait_bytes(FIRST.encode())
                terminal.wait("words")  # what the matches are from: the assist is ready
                while terminal.read(FIRST_FRAME):
                    pass
                for key, what in KEYS.items():
                    found.extend(_rows(f"{what}, {name}, 1 MB", frames(terminal, key), key))
    return found


def _rows(what: str, measured: Frames, key: str) -> list[Row]:
    return [
        Row(f"key to frame, p50: {what}", median(measured.waits), unit="ms"),
        Row(f"key to frame, p95: {what}", measured.slowest, 16.0, "ms"),
        Row(f"processor a key: {what}", measured.cpu, unit="ms"),
        Row(
            f"bytes a key: {what}",
            median(measured.sizes),
            1000.0 if key == CURSOR else None,
            "bytes",
        ),
    ]
