"""Memory of ten annotators' processes at once, each with a sample on its screen (Linux).

The proportional share (PSS): a page that n processes share counts as a part in n for each.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from benchmarks.workspaces import FIRST, workspace_of
from tests.pty_driver import Terminal, program

ANNOTATORS = 10
READY = "words + static vectors"


def pss(pid: int) -> float:
    """The proportional share of a process, in MB."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    if found is None:
        raise OSError(f"process {pid} has no Pss")
    return int(found.group(1)) / 1024


def rows() -> list[Row]:
    """The largest share of the ten; nothing where the system does not tell it."""
    if not Path(f"/proc/{os.getpid()}/smaps_rollup").exists():
        return []
    with TemporaryDirectory() as folder, ExitStack() as running:
        workspace = Path(folder) / "workspace"
        workspace_of(workspace, samples=ANNOTATORS, length=20_000)
        env = {"TUI_ANNOTATE_STATE": folder, "TUI_ANNOTATE_CONFIG": str(Path(folder) / "none.toml")}
        terminals = [
            running.enter_context(
                Terminal(program("annotate", "-w", str(workspace), "--as", f"a{number}"), env=env)
            )
            for number in range(ANNOTATORS)
        ]
        for terminal in terminals:
            terminal.wait(FIRST)
            terminal.wait(READY)
            terminal.press("jjjj")
        shares = [pss(terminal.pid) for terminal in terminals]
    return [Row("memory (PSS) of each of ten annotators, a sample open", max(shares), 200, "MB")]
