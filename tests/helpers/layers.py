"""The two layers of the tests: the fast one, and the slow one that a list names.

In the list, each line is a folder, a file or a test: tests that start terminals, kill processes,
drive a browser, need a neural model, or take far longer than most. The Makefile reads the list too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

SLOW: Final = (Path(__file__).parents[1] / "slow.txt").read_text("utf-8").splitlines()


def is_slow(test: str) -> bool:
    """Whether a test, as pytest names it, is in the slow layer."""
    return any(
        test == name or test.startswith((f"{name}/", f"{name}::", f"{name}[")) for name in SLOW
    )
