"""What is kept of a sample, and what is given back."""

from __future__ import annotations

import gc
import platform
from pathlib import Path

from tui_annotate.services.assist.sample import settle

MEGABYTE = 1 << 20


def _resident() -> int:
    pages = Path("/proc/self/statm")
    return int(pages.read_text("ascii").split()[1]) * 4096 if pages.exists() else 0


def test_what_is_loaded_is_passed_over_by_the_collector() -> None:
    """What is there before is no longer walked, and what comes after is."""
    try:
        kept = [[]]  # type: ignore[var-annotated]
        settle()
        after = [[]]  # type: ignore[var-annotated]
        walked = {id(each) for each in gc.get_objects()}
        assert id(kept) not in walked
        assert id(after) in walked
    finally:
        gc.unfreeze()


def test_what_was_freed_goes_back_to_the_system() -> None:
    """A C library that can be told to gives back what lies below a piece still in use."""
    blocks = [bytes(10_000) for _ in range(6_000)]
    last = bytes(10_000)
    full = _resident()
    del blocks
    try:
        settle()
        given = full - _resident()
    finally:
        gc.unfreeze()
    assert last
    assert given > 40 * MEGABYTE or platform.libc_ver()[0] != "glibc"
