"""Commands of other programs: as text for a user to run, and as a process that is run here."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path


def quote_command(command: str, path: Path) -> str:
    """Return a command line that ends with a path, quoted for the shell."""
    return f"{command} {shlex.quote(str(path))}"


def run_program(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a program for at most 30 seconds, and return its output."""
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
