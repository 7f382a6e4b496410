"""Files as public bug reports and published collections have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[3] / "shared"))


def report_file(name: str) -> Path:
    """A file or folder of the collection; the test is skipped without it."""
    path = SHARED / "golden" / "public_reports" / name
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with files of public reports")
    return path
