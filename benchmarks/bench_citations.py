"""From a key to the next citation on screen: a collection of reports in a real terminal.

What counts is the first frame that shows the other document; what lights up in it comes behind.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import tui_annotate
from benchmarks.collected import Size, written
from benchmarks.report import Row
from tests.helpers.terminal import Terminal, program
from tui_annotate.services.ingest import IngestFiles

TITLE = re.compile(rb"Document doc-\d{3}-\d{5}")
KEYS = {
    "\x1b[C": ("cursor, which tells how quick the machine is", re.compile(rb".")),
    "c": ("next citation of the report", TITLE),
    "d": ("next document of the sentence", TITLE),
    "<": ("previous sample", TITLE),
}
"""What each key does, and what its frame shows."""
SIZE = Size(topics=1, runs=3)
PRESSES = 40
QUIET = 0.15  # seconds without a byte, after which the assist has lit what there is
BOUND = 16.0


def rows() -> list[Row]:
    """The figures of each key."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        runs, options = written(place / "files", SIZE)
        with tui_annotate.create(place / "space") as workspace:
            workspace.ingest_service.run(
                IngestFiles([runs], format="autojudge", options=options), embedder="none"
            )
        return list(_pressed(place / "space"))


def _pressed(workspace: Path) -> Iterator[Row]:
    env = {
        "TUI_ANNOTATE_STATE": str(workspace.parent),
        "TUI_ANNOTATE_CONFIG": str(workspace.parent / "none.toml"),
    }
    first = "c|0|run00|0|"
    with tui_annotate.open(workspace) as space:
        row = space.annotate.queue("nobody", order="ingested", search=first, limit=1).rows[0]
    command = program("annotate", "-w", str(workspace), "--sample", str(row.key))
    with Terminal([*command, "--order", "ingested"], env=env, columns=120, rows=40) as terminal:
        terminal.wait(lambda screen: "SENTENCE 1/" in screen)
        while terminal.read(2.0):
            pass
        for key, (what, shown) in KEYS.items():
            waits = [_wait(terminal, key, shown) for _ in range(PRESSES)]
            yield Row(f"key to frame, p50: {what}", median(waits), unit="ms")
            yield Row(f"key to frame, p95: {what}", quantiles(waits, n=20)[-1], BOUND, "ms")


def _wait(terminal: Terminal, key: str, shown: re.Pattern[bytes]) -> float:
    """Press a key; milliseconds until its frame comes; then it is given time."""
    begun, painted = time.perf_counter(), 0.0
    terminal.press(key)
    seen = b""
    while new := terminal.read(QUIET if painted else 2.0):
        seen += new
        if not painted and shown.search(seen):
            painted = time.perf_counter()
    return (painted - begun) * 1000
