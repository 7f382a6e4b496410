"""Memory of ten annotators' processes at once, each with a sample on its screen (Linux).

The proportional share (PSS): a page that n processes share counts as a part in n for each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from benchmarks.synthetic import SyntheticEmbedder
from benchmarks.workspaces import FIRST, prose, workspace_from, workspace_of
from tests.helpers.terminal import Terminal, program

ANNOTATORS = 10
MEGABYTE = 1_000_000


def pss(pid: int) -> float:
    """The proportional share of a process, in MB."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    if found is None:
        raise OSError(f"process {pid} has no Pss")
    return int(found.group(1)) / 1024


def shares(workspace: Path, samples: Sequence[str], ready: str) -> list[float]:
    """The shares of processes that run at once, one a sample, once their assist is `ready`."""
    folder = str(workspace.parent)
    env = {"TUI_ANNOTATE_STATE": folder, "TUI_ANNOTATE_CONFIG": str(workspace.parent / "none.toml")}
    with ExitStack() as running:
        terminals = []
        for number, sample in enumerate(samples):
            command = ("annotate", "-w", str(workspace), "--as", f"a{number}", "--sample", sample)
            terminals.append(running.enter_context(Terminal(program(*command), env=env)))
        for terminal in terminals:
            terminal.wait(FIRST)
            terminal.wait(ready)
            terminal.press("jjjj")
        return [pss(terminal.pid) for terminal in terminals]


def rows() -> list[Row]:
    """The largest share of the ten; nothing where the system does not tell it."""
    if not Path(f"/proc/{os.getpid()}/smaps_rollup").exists():
        return []
    with TemporaryDirectory() as folder:
        small = Path(folder) / "small"
        workspace_of(small, samples=ANNOTATORS, length=20_000)
        usual = shares(small, [str(row) for row in range(ANNOTATORS)], "words + static vectors")
        large, model = Path(folder) / "large", SyntheticEmbedder()
        pairs = [{"source": prose(MEGABYTE, 1), "summary": prose(600, 2)}]
        workspace_from(large, pairs, embedder=model)
        most = shares(large, ["0"] * ANNOTATORS, f"words + {model.label}")
    who = "memory (PSS) of each of ten annotators"
    return [
        Row(f"{who}, a sample open", max(usual), 200, "MB"),
        Row(f"{who}, 1 MB open, with vectors of tokens", max(most), 220, "MB"),
    ]
