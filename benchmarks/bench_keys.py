"""From a key to the last byte of its frame in a real terminal, with a megabyte on both sides.

The last byte is the one after which nothing came for a while; keys are pressed one after the other.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from statistics import median, quantiles

from benchmarks.report import Row
from tests.pty_driver import Terminal

KEYS = {"l": "cursor", "s": "sentence with five new matches", "d": "page"}
LANGUAGES = {"en": "English", "zh": "Chinese"}
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
    for language, name in LANGUAGES.items():
        command = [sys.executable, "-m", "benchmarks.two_panes", language]
        with Terminal(command, columns=120, rows=40) as terminal:
            while terminal.read(FIRST_FRAME):
                pass
            for key, what in KEYS.items():
                measured = frames(terminal, key)
                found.extend(_rows(f"{what}, {name}, 1 MB", measured, key))
    return found


def _rows(what: str, measured: Frames, key: str) -> list[Row]:
    return [
        Row(f"key to frame, p50: {what}", median(measured.waits), unit="ms"),
        Row(f"key to frame, p95: {what}", measured.slowest, 16.0, "ms"),
        Row(f"processor a key: {what}", measured.cpu, unit="ms"),
        Row(
            f"bytes a key: {what}",
            median(measured.sizes),
            1000.0 if key == "l" else None,
            "bytes",
        ),
    ]
